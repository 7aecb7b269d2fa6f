package storage_test

import (
	"testing"

	"payswitch/engine"
	"payswitch/engine/storetest"
	"payswitch/storage"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store { return open(t, storage.Options{}) })
}

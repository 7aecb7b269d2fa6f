package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCreateApproved(t *testing.T) {
	w := newWorld(t)
	r := w.post("/payments", full)
	p := r.ok()
	t.Log(r.body)
	require.Equal(t, "succeeded", p["status"])
}

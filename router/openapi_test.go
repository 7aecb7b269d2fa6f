package router_test

import (
	"net/http"
	"testing"
)

func checked(t testing.TB, h http.Handler) http.Handler { return h }

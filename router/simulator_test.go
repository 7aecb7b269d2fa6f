package router_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/router"
)

// The simulated 3DS server is served in development only.
func TestSimulator3DS(t *testing.T) {
	t.Parallel()
	bank := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	status := func(w *world, method, path string) int {
		r, err := newRequest(method, path, "")
		require.NoError(t, err)
		return record(w.server, r).Code
	}
	w := newWorld(t, func(o *router.Options) { o.Simulator3DS = bank })
	require.Equal(t, http.StatusTeapot, status(w, "GET", "/sim/3ds/cards"))
	require.Equal(t, http.StatusTeapot, status(w, "POST", "/sim/acs/challenge"))
	require.Equal(t, http.StatusNotFound, status(w, "GET", "/sim/3dsx"))
	w = newWorld(t)
	require.Equal(t, http.StatusNotFound, status(w, "GET", "/sim/3ds/cards"))

	_, err := router.New(router.Deps{Access: w.engine, Payments: w.engine, Admin: w.engine, Connectors: plugins.NativeConnectors(nil)},
		router.Options{PublicURL: publicURL, Simulator3DS: bank})
	require.ErrorContains(t, err, "needs DevPages")
}

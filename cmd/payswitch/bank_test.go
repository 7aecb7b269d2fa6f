package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSimulated3DSServer is served in development and never in production, whatever the configuration says.
func TestSimulated3DSServer(t *testing.T) {
	t.Parallel()
	for environment, want := range map[string]int{"dev": http.StatusOK, "snd": http.StatusOK, "prd": http.StatusNotFound} {
		p := start(t, append(testEnv(t, t.TempDir()), "PAYSWITCH_KEYS__ENVIRONMENT="+environment, "PAYSWITCH_SIMULATOR__THREE_DS=true"), "serve")
		answer, err := http.Get(p.url + "/sim/3ds/cards")
		require.NoError(t, err)
		answer.Body.Close()
		require.Equal(t, want, answer.StatusCode, environment)
		p.stop()
	}
}

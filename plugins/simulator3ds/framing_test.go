package simulator3ds

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFramers: every page of the simulator says who may frame it. A bank's page may stand in any shop; the list of
// cards stands alone.
func TestFramers(t *testing.T) {
	w := newWorld(t, Options{})
	for path, want := range map[string]string{"/sim/3ds/cards": "'none'", "/sim/acs/challenge": "*", "/sim/acs/method": "*"} {
		method := "POST"
		if path == "/sim/3ds/cards" {
			method = "GET"
		}
		out := w.do(httptest.NewRequest(method, path, nil))
		require.Equal(t, "text/html; charset=utf-8", out.Header().Get("Content-Type"), path)
		require.Regexp(t, `; frame-ancestors \Q`+want+`\E$`, out.Header().Get("Content-Security-Policy"), path)
		require.Equal(t, "nosniff", out.Header().Get("X-Content-Type-Options"))
		require.Equal(t, map[bool]string{true: "DENY", false: ""}[want == "'none'"], out.Header().Get("X-Frame-Options"))
	}
}

package router

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// The hosted page sends browser data to the authenticator, with card numbers masked.
func TestHostedPageMasksCards(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest("POST", "/3ds/run/x", nil)
	r.Header.Set("User-Agent", "Mozilla/5.0 4242 4242 4242 4242")
	r.Header.Set("Accept", "text/5555555555554444")
	r.Header.Set("Accept-Language", "4242-4242-4242-4242")
	in := authenticationInput(&call{r: r}, map[string]string{})
	require.Equal(t, "Mozilla/5.0 **** **** **** 4242", in.Browser.UserAgent)
	require.Equal(t, "text/************4444", in.Browser.AcceptHeader)
	require.Equal(t, "****-****-****-4242", in.Browser.Language)
	in = authenticationInput(&call{r: r}, map[string]string{"java_script": "true", "language": "5555 5555 5555 4444"})
	require.Equal(t, "**** **** **** 4444", in.Browser.Language)
}

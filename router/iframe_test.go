package router_test

import (
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIFrameRedirection: the payment's switch, else the profile's, moves a redirect into the shop's page. The page at its end posts to the shop alone.
func TestIFrameRedirection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secure := with(plain, "authentication_type", `"three_ds"`)
	p := w.post("/payments", secure).ok()
	require.Nil(t, p["is_iframe_redirection_enabled"])
	require.Equal(t, "redirect_to_url", p["next_action"].(map[string]any)["type"])

	back := func(p map[string]any) response {
		next := p["next_action"].(map[string]any)
		require.Equal(t, "redirect_inside_popup", next["type"])
		require.True(t, strings.HasPrefix(next["popup_url"].(string), publicURL+"/payments/redirect/"), next)
		require.Contains(t, next["redirect_response_url"], "/redirect/response/stripe/")
		require.Equal(t, 302, w.send("GET", strings.TrimPrefix(next["popup_url"].(string), publicURL), "", "").status)
		return w.send("GET", w.home(p)+"?result=approve", "", "", "Sec-Fetch-Dest", "iframe")
	}
	p = w.post("/payments", with(secure, "is_iframe_redirection_enabled", "true")).ok()
	require.Equal(t, true, p["is_iframe_redirection_enabled"])
	r := back(p)
	require.Equal(t, 200, r.status, r.body)
	page := html.UnescapeString(r.body)
	require.Contains(t, page, `"openurl_if_required":"https://example.com/return?`)
	require.Contains(t, page, "status=succeeded")
	require.Contains(t, page, `data-origins="["https://example.com"]"`, "no other page gets the message")
	require.Contains(t, r.header.Get("Content-Security-Policy"), "frame-ancestors 'self' https://example.com")
	require.Contains(t, r.body, `data-next="https://example.com/return?`, "outside a frame the page goes there")
	require.Equal(t, 200, w.send("GET", strings.TrimPrefix(p["next_action"].(map[string]any)["redirect_response_url"].(string), publicURL), "", "").status)

	w.post("/account/m1/business_profile/"+w.profile, `{"is_iframe_redirection_enabled":true}`).ok()
	require.Contains(t, back(w.post("/payments", secure).ok()).body, "openurl_if_required")
	p = w.post("/payments", with(secure, "is_iframe_redirection_enabled", "false")).ok()
	require.Equal(t, "redirect_to_url", p["next_action"].(map[string]any)["type"])
	require.Equal(t, 302, w.send("GET", w.home(p)+"?result=approve", "", "").status)

	// The checkout knows best whether it is in a frame.
	p = w.post("/payments", with(secure, "confirm", "false", "is_iframe_redirection_enabled", "false")).ok()
	c := w.as(tokenOf(t, p), "POST", "/payments/"+p["payment_id"].(string)+"/confirm", `{"is_iframe_redirection_enabled":true}`).ok()
	require.Equal(t, "redirect_inside_popup", c["next_action"].(map[string]any)["type"])
	require.Equal(t, "succeeded", w.post("/payments", with(plain, "is_iframe_redirection_enabled", "true")).ok()["status"])
}

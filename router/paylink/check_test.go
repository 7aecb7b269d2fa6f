package paylink_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
	"payswitch/engine/paylink"
	draw "payswitch/router/paylink"
)

// TestCheck: what Render would leave out is refused with the name of its field.
func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*paylink.Config{"theme": {Theme: "red;}"}, "background_colour": {BackgroundColour: "rgb(0,0,0)"}, "payment_button_colour": {ButtonColour: "#12345"},
		"payment_button_text_colour": {ButtonColour: "#ffffff", ButtonTextColour: "#eeeeee"}, "color_icon_card_cvc_error": {CVCErrorColour: "none"}, "logo": {Logo: "http://shop.example/logo.png"}} {
		var refused *fault.Error
		require.True(t, errors.As(draw.Check(c, false), &refused), name)
		require.Equal(t, "payment_link_config."+name, refused.Param)
	}
	require.Error(t, draw.Check(&paylink.Config{ButtonTextColour: "#000000"}, false))
	for _, logo := range []string{"javascript:alert(1)", "data:image/png;base64,AAAA", "https://a@shop.example/logo.png", "logo.png"} {
		require.Error(t, draw.Check(&paylink.Config{Logo: logo}, true), logo)
	}
	require.NoError(t, draw.Check(&paylink.Config{}, false))
	require.NoError(t, draw.Check(&paylink.Config{Theme: "#E11D48", ButtonColour: "#000", ButtonTextColour: "white", Logo: "https://shop.example/logo.png"}, false))
	require.NoError(t, draw.Check(&paylink.Config{Logo: "http://shop.example/logo.png"}, true))
}

// TestPreview: a preview runs no script and sends no form, and looks as the page does.
func TestPreview(t *testing.T) {
	t.Parallel()
	d := &draw.Data{Kind: draw.Form, Config: &paylink.Config{SellerName: "bright books", Theme: "#e11d48", Logo: "https://shop.example/logo.png"}}
	page, err := draw.Render(d)
	require.NoError(t, err)
	require.Contains(t, string(page.HTML), "<script")
	d.Preview = true
	seen, err := draw.Render(d)
	require.NoError(t, err)
	require.NotContains(t, string(seen.HTML), "<script")
	for _, part := range []string{"script-src", "frame-src", "form-action 'self'"} {
		require.NotContains(t, seen.Policy, part)
	}
	for _, part := range []string{"default-src 'none'", "form-action 'none'", "frame-ancestors 'self'", "img-src https://shop.example;", "; sandbox"} {
		require.Contains(t, seen.Policy, part)
	}
	body := func(html []byte) string {
		_, after, _ := strings.Cut(string(html), "<body>")
		before, _, _ := strings.Cut(after, "<script")
		before, _, _ = strings.Cut(before, "</body>")
		return strings.TrimSpace(before)
	}
	require.Equal(t, body(page.HTML), body(seen.HTML))
}

package main

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPagesInABrowser opens the page that a processor's 3-D Secure sends the customer to as a customer's browser does. It finds amount and
// buttons on it, and no script: it has to work without.
func TestPagesInABrowser(t *testing.T) {
	costly(t)
	t.Parallel()
	browser := chromium(t)
	p := start(t, testEnv(t, t.TempDir()), "serve")
	key := p.shop("shop")
	o := cardPayment("pay_3ds")
	o["authentication_type"], o["return_url"] = "three_ds", "https://shop.example.com/done"
	action, _ := p.must(key, "/payments", o)["next_action"].(map[string]any)
	url, _ := action["redirect_to_url"].(string)
	require.NotEmpty(t, url)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	page, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir="+t.TempDir(), "--dump-dom", url).Output()
	require.NoError(t, err)
	for _, text := range []string{"65.40 USD", "Approve", "Decline", `method="post"`, "/payments/pay_3ds/shop/redirect/complete/simulator"} {
		require.Contains(t, string(page), text)
	}
	require.NotContains(t, string(page), "<script")
}

package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// page fills in what a page of the shop knows of a payment.
func (s *threeDSShop) page(page string, p object) string {
	s.Helper()
	quote := func(v any) string {
		b, err := json.Marshal(v)
		require.NoError(s, err)
		return string(b)
	}
	return strings.NewReplacer("ACTION", quote(p["next_action"]), "SECRET", quote(p["client_secret"]), "KEY", quote(s.public)).Replace(page)
}

// TestThreeDSTabClosedInABrowser has a payer approve and close the tab before the bank sends the browser back: background work finds the
// result, without anybody asking.
func TestThreeDSTabClosedInABrowser(t *testing.T) {
	costly(t)
	s := newThreeDSShop(t, 1)
	p := s.open("0173", nil)
	s.answer("1234")
	s.await(bank + ".querySelector('#lost')")
	s.do(chromedp.Navigate("about:blank"))
	require.Equal(t, "requires_customer_action", s.sw.must(s.key, "/payments/"+p["payment_id"].(string), nil)["status"])
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, "payswitch.db")+"?_pragma=busy_timeout(5000)")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec(`UPDATE authentications SET due_at = 1 WHERE due_at <> 0`) // a minute has passed
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return s.sw.must(s.key, "/payments/"+p["payment_id"].(string), nil)["status"] == "succeeded"
	}, patience, 50*time.Millisecond)
}

// strictPage is a checkout whose own policy allows no frame: its SDK notices, and goes to the hosted page.
const strictPage = `<!doctype html><title>Strict checkout</title><script>
const action = ACTION;
addEventListener("securitypolicyviolation", (e) => { if (e.effectiveDirective === "frame-src") location = action.redirect_to_url; });
const f = document.createElement("iframe"); f.src = action.three_ds_data.three_ds_method_details.three_ds_method_url || action.redirect_to_url;
document.documentElement.append(f);
</script>`

// TestThreeDSStrictShopInABrowser: a shop whose Content-Security-Policy forbids frames falls back to the full page.
func TestThreeDSStrictShopInABrowser(t *testing.T) {
	costly(t)
	s := newThreeDSShop(t, 1)
	s.policy = "default-src 'none'; script-src 'unsafe-inline'; frame-src 'none'; base-uri 'none'"
	p := s.pay("0070", nil)
	s.checkout = s.page(strictPage, p)
	s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
	s.answer("1234")
	s.back(p, "succeeded", "")
	require.Equal(t, "Y", s.completion(), "the 3DS method ran, on the hosted page")
}

// TestThreeDSWithoutCookiesInABrowser runs the payer's part in the shop's page, on another site than ours, in a browser that blocks third parties'
// cookies; then the hosted page. No page sets a cookie.
func TestThreeDSWithoutCookiesInABrowser(t *testing.T) {
	costly(t)
	s := newThreeDSShop(t, 1)
	s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, network.SetCookieControls, network.SetCookieControlsParams{EnableThirdPartyCookieRestriction: true})
		return chromedp.Void{}, err
	})
	p := s.pay("0071", nil)
	s.checkout = s.page(shopPage, p)
	s.do(chromedp.Navigate(strings.Replace(s.pages.URL, "127.0.0.1", "localhost", 1) + "/checkout"))
	require.Equal(t, "localhost", script[string](s.tab, "location.hostname"), "another site than the switch's")
	s.back(p, "succeeded", "")
	p = s.open("0070", nil)
	s.answer("1234")
	s.back(p, "succeeded", "")
	s.do(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		all, err := cdp.Call(ctx, target, storage.GetCookies, storage.GetCookiesParams{})
		if err == nil {
			require.Empty(t, all.Cookies)
		}
		return chromedp.Void{}, err
	})
}

// TestThreeDSSlowResultInABrowser: the bank's result comes six seconds after the challenge. The frame makes the shop's page poll, and the payment
// succeeds in that page. No frame of another origin asks for the focus, so that the payer's cursor stays where it is.
func TestThreeDSSlowResultInABrowser(t *testing.T) {
	costly(t)
	s := newThreeDSShop(t, 1)
	c := &checkoutShop{tab: s.tab, said: &said{}}
	require.NoError(t, chromedp.Listen(s.ctx, c.said.hear))
	p := s.pay("0174", nil)
	s.checkout = strings.Replace(s.page(shopPage, p), "<script>", `<input id="own" autofocus><script>const notices = [];
		addEventListener("message", (e) => notices.push(...Object.keys(e.data)));`, 1)
	s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
	c.awaitIn(bankFrame, "document.querySelector('#otp')")
	require.Equal(t, "own", script[string](s.tab, "document.activeElement.id"))
	within[bool](c, bankFrame, "document.querySelector('#otp').value = '1234', document.querySelector('#sendOtp').click(), true")
	s.await("notices.includes('poll_status')")
	require.NotContains(t, script[[]string](s.tab, "notices"), "openurl_if_required", "the result is not known yet")
	require.Equal(t, "requires_customer_action", s.sw.must(s.key, "/payments/"+p["payment_id"].(string), nil)["status"])
	s.back(p, "succeeded", "")
	require.NotContains(t, strings.ToLower(c.said.all()), "autofocus", "Chromium says so when a frame of another origin asks for the focus")
}

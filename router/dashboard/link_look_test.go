package dashboard

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/paylink"
	"payswitch/engine/staff"
)

// look returns the settings of links as the engine has them.
func (w *world) look() paylink.Config {
	w.t.Helper()
	c, err := lookOf(w.profile())
	require.NoError(w.t, err)
	return c
}

// TestLinkLook: the form changes what it shows, and keeps the settings that it does not show.
func TestLinkLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.profile().ID
	to := "/m/acme/profiles/" + id + "/links"
	_, err := w.engine.UpdateProfile(t.Context(), w.auth, id, profileInput(t, `{"payment_link_config":{"theme":"#112233","domain_name":"pay.shop.example",`+
		`"payment_link_ui_rules":{"#submit":{"color":"#fff"}},"business_specific_configs":{"b":{"theme":"#445566"}}}}`))
	require.NoError(t, err)
	require.Contains(t, w.page("/m/acme/profiles/"+id), `value="#112233"`)
	good := []string{"seller_name", `Bright "Books" <b>`, "theme", "#e11d48", "logo", "https://shop.example/logo.png", "details_layout", "layout2", "payment_form_label_type", "never", "show_merchant_name", "true"}
	rec := w.post(to, good...)
	require.Equal(t, http.StatusOK, rec.Code, mainOf(rec.Body.String()))
	c := w.look()
	require.Equal(t, []string{`Bright "Books" <b>`, "#e11d48", "layout2", "never", "pay.shop.example"}, []string{c.SellerName, c.Theme, c.DetailsLayout, c.LabelType, c.Domain})
	require.True(t, *c.ShowMerchant)
	require.False(t, *c.BrandingVisible, "an empty box is a no")
	require.NotEmpty(t, c.PageRules)
	require.Contains(t, string(account.DetailsOf(w.profile().Details)[linkConfigField]), "#445566")
	last := w.audit.acts[len(w.audit.acts)-1]
	require.Equal(t, []string{"profile.change", id, "links"}, []string{last.Action, last.Target, last.Details["part"]})
	rec = w.post(to, "seller_name", "", "theme", "")
	require.Equal(t, http.StatusOK, rec.Code)
	require.Empty(t, w.look().SellerName+w.look().Theme, "an empty text is the default")

	acts := len(w.audit.acts)
	for field, bad := range map[string]string{"theme": "red;}", "logo": "javascript:alert(1)", "payment_button_text_colour": "#fff", "details_layout": "layout9", "seller_name": "4242 4242 4242 4242"} {
		rec = w.post(to, field, bad)
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, field)
		if field != "seller_name" {
			require.Contains(t, rec.Body.String(), `id="links-p-`+field+`"`, "the message stands at its field")
		}
		require.Equal(t, http.StatusUnprocessableEntity, w.post(to+"/preview", field, bad).Code, field)
	}
	require.Len(t, w.audit.acts, acts)
}

// TestLinkPreview: the preview is the payer's page with what was typed. It saves nothing, runs nothing, and only the dashboard frames it.
func TestLinkPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Live = true })
	page := "/m/acme/profiles/" + w.profile().ID
	require.Contains(t, w.page(page), `<iframe class="frame" name="preview"`)
	w.post(page+"/links", "seller_name", "kept", "show_merchant_name", "true")
	rec := get(t, w.server, page+"/links/preview")
	require.Equal(t, http.StatusOK, rec.Code)
	require.Contains(t, rec.Body.String(), "Kept")
	require.Contains(t, rec.Body.String(), "USD 65.40")
	before := w.profile().ModifiedAt
	rec = w.post(page+"/links/preview", "seller_name", "<script>alert(1)</script>", "theme", "#e11d48", "show_merchant_name", "true")
	require.Equal(t, http.StatusOK, rec.Code)
	require.Contains(t, rec.Body.String(), "&lt;script&gt;alert(1)&lt;/script&gt;")
	require.Contains(t, rec.Body.String(), "--go:#e11d48")
	require.NotContains(t, rec.Body.String(), "<script")
	require.Regexp(t, `frame-ancestors 'self'; sandbox$`, rec.Header().Get("Content-Security-Policy"))
	require.Empty(t, rec.Header().Get("Cross-Origin-Opener-Policy"))
	require.Equal(t, "kept", w.look().SellerName)
	require.Equal(t, before, w.profile().ModifiedAt)
	require.Contains(t, policy, "frame-ancestors 'none'", "nothing else may be framed")

	wrong := w.post(page+"/links/preview", "theme", "<b>")
	require.Equal(t, http.StatusUnprocessableEntity, wrong.Code)
	require.Contains(t, wrong.Body.String(), "No preview. theme: ")
	require.Equal(t, "text/plain; charset=utf-8", wrong.Header().Get("Content-Type"))
	_, err := w.engine.UpdateProfile(t.Context(), w.auth, w.profile().ID, profileInput(t, `{"payment_link_config":{"payment_link_ui_rules":{" ":{"color":"#fff"}}}}`))
	require.NoError(t, err)
	require.Equal(t, http.StatusUnprocessableEntity, get(t, w.server, page+"/links/preview").Code, "rules that no page can be drawn with")

	w.as(staff.Grant{MerchantID: "acme", Role: staff.Developer})
	seen := w.page(page)
	require.NotContains(t, seen, `id="links-f-theme"`)
	require.Contains(t, seen, `<iframe class="frame"`)
	require.Contains(t, seen, "<dt>Order of the details</dt><dd><bdi>Name, amount, description</bdi>")
	require.Equal(t, http.StatusForbidden, w.post(page+"/links", "seller_name", "other").Code)
	w.as(staff.Grant{MerchantID: "other", Role: staff.Admin})
	require.Equal(t, http.StatusNotFound, get(t, w.server, page+"/links/preview").Code)
}

// TestPreviewInABrowser types a name and a colour and looks at the preview twice, with the script and without it. Nothing is saved.
func TestPreviewInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	w := newStaffWorld(t, nil)
	v, _, _ := w.signedIn("ad@example.com", staff.Grant{MerchantID: "acme", Role: staff.Admin})
	list, err := w.server.Engine.Profiles(t.Context(), account.Auth{MerchantID: "acme"})
	require.NoError(t, err)
	var lock sync.Mutex
	var drawn []string // what the previews answered
	web := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/preview") {
			w.server.ServeHTTP(rw, r)
			return
		}
		rec := httptest.NewRecorder()
		w.server.ServeHTTP(rec, r)
		lock.Lock()
		drawn = append(drawn, r.Method+" "+rec.Body.String())
		lock.Unlock()
		for name, values := range rec.Header() {
			rw.Header()[name] = values
		}
		rw.WriteHeader(rec.Code)
		_, _ = rw.Write(rec.Body.Bytes())
	}))
	t.Cleanup(web.Close)
	has := func(n int, text string) {
		t.Helper()
		require.Eventually(t, func() bool {
			lock.Lock()
			defer lock.Unlock()
			return len(drawn) == n && strings.Contains(drawn[n-1], text)
		}, 20*time.Second, 50*time.Millisecond, text)
	}
	frames := func() int { // of the page: a refused one shows an error in its place
		n, err := chromedp.Run(b.ctx, chromedp.Evaluate[int]("frames.length"))
		require.NoError(t, err)
		return n
	}
	page := web.URL + "/m/acme/profiles/" + list[0].ID
	b.do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, network.SetCookie, network.SetCookieParams{Name: v.cookie.Name, Value: v.cookie.Value, URL: web.URL, HTTPOnly: new(true), SameSite: network.CookieSameSiteStrict})
		return chromedp.Void{}, err
	})
	b.do(chromedp.Navigate(page))
	b.reaches("Profile default")
	has(1, "GET <!DOCTYPE html>")
	const tries = "#links button[formtarget]"
	b.do(chromedp.SendKeys("#links-f-seller_name", "bright books"), chromedp.SendKeys("#links-f-theme", "#e11d48"), chromedp.Click(tries))
	has(2, "Bright books")
	has(2, "--go:#e11d48")
	b.do(chromedp.SendKeys("#links-f-seller_name", " ltd"), chromedp.Click(tries))
	has(3, "Bright books ltd")
	require.Equal(t, 1, frames())
	b.do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return chromedp.Void{}, err
	})
	b.do(chromedp.Navigate(page), chromedp.SendKeys("#links-f-seller_name", "no script"), chromedp.Click(tries))
	has(5, "No script")
	b.do(chromedp.Navigate(page + "/links/preview"))
	has(6, "GET <!DOCTYPE html>")
	require.Contains(t, b.text("main"), "USD 65.40", "the page alone is shown, too")
}

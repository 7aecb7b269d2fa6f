package dashboard

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// costlyInBrowser skips a test that costs a processor more than a second.
func costlyInBrowser(t *testing.T) {
	t.Helper()
	if os.Getenv("TEST_ALL") == "" {
		t.Skip("TEST_ALL=1 runs this test too: a walk in a browser costs a processor some seconds")
	}
}

// scripts lets pages run their scripts, or not.
func (b *browser) scripts(run bool) {
	b.t.Helper()
	b.do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !run})
		return chromedp.Void{}, err
	})
}

// until waits for a condition of the page.
func (b *browser) until(condition string) {
	b.t.Helper()
	for range 1800 { // a busy machine of CI needs a minute and more
		if is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`!!(document.readyState === "complete" && (`+condition+`))`)); err == nil && is {
			return
		}
		select {
		case <-b.ctx.Done():
			b.t.Fatalf("the browser ended before the page came to: %s", condition)
		case <-time.After(50 * time.Millisecond):
		}
	}
	page, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
	b.t.Fatalf("the page never came to: %s, but is %s", condition, page)
}

// shows waits until the page shows a text.
func (b *browser) shows(text string) {
	b.t.Helper()
	b.until(`document.querySelector("main").innerText.includes("` + text + `")`)
}

// open goes to a page, and waits for it.
func (b *browser) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
	b.until(`document.querySelector("main")`)
}

// served returns the world's dashboard at an address of this machine. It counts the forms that were sent to a preview.
func (w *world) served(previews *atomic.Int64) string {
	web := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.server.ServeHTTP(rw, r)
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/preview") {
			previews.Add(1)
		}
	}))
	w.t.Cleanup(web.Close)
	return web.URL
}

// TestDayWithoutScript does a day's work by plain forms: set-up, a payment, a refund, a decision, routing, a link and a dispute.
func TestDayWithoutScript(t *testing.T) {
	costlyInBrowser(t)
	t.Parallel()
	b := newBrowser(t)
	w := newWorld(t)
	base, profile := w.served(new(atomic.Int64)), w.profile()
	b.scripts(false)
	press := func(selector string) {
		t.Helper()
		b.do(chromedp.Click(selector))
	}

	b.open(base + "/m/acme/connectors/new?connector=simulator")
	press(`form[action="/m/acme/connectors"] button`)
	b.reaches("simulator_" + profile.Name)
	b.open(base + "/m/acme/profiles/" + profile.ID)
	b.do(chromedp.SendKeys(`#general-f-return_url`, "https://shop.example/done"))
	press(`form[action$="/general"] button`)
	b.until(`document.querySelector("h2 .chip.good")`)
	require.Equal(t, "https://shop.example/done", w.profile().Settings.ReturnURL)
	b.open(base + "/m/acme/webhooks")
	b.do(chromedp.SendKeys(`[id$="-f-url"]`, "https://shop.example/hooks"))
	press(`form[action^="/m/acme/webhooks/"] button`)
	b.reaches("Your new endpoint")

	// A double click makes one key, and its answer shows the key.
	b.open(base + "/m/acme/keys")
	b.do(chromedp.SendKeys(`#key-f-name`, "shop"), chromedp.DoubleClick(`form[action="/m/acme/keys"] button`))
	b.reaches("Your new key")
	list, err := w.engine.APIKeys(t.Context(), w.auth, 0, 0)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.True(t, strings.HasPrefix(b.text(".once code"), list[0].Prefix), "the key that is shown is the one that was made")

	b.open(base + "/m/acme/simulator")
	press(`form[action="/m/acme/simulator"] button`)
	b.until(`location.pathname.includes("/payments/pay_test_")`)
	press(`a[href$="/refund"]`)
	b.reaches("Refund up to 65.40 USD")
	_, err = chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.querySelector("#f-amount").value = "", true`))
	require.NoError(t, err)
	b.do(chromedp.SendKeys(`#f-amount`, "10.00"), chromedp.SendKeys(`#f-reason`, "damaged"))
	press(`main form button.go`)
	b.until(`location.search === "?did=refund"`)
	b.shows("10.00 USD was given back")

	w.doubt()
	b.open(base + "/decisions")
	press("a.row")
	b.until(`document.querySelector("#not_done-f-why")`)
	press(`details:has(#not_done-f-why) > summary`)
	b.do(chromedp.SendKeys(`#not_done-f-why`, "its support says so"))
	press(`details:has(#not_done-f-why) button`)
	b.shows("The decision stays.")

	edit := base + "/m/acme/routing/" + profile.ID + "/edit"
	b.open(edit)
	b.do(chromedp.SendKeys(`#add-f-name`, "large"), chromedp.SendKeys(`#add-f-value`, "50000"))
	press(`form:has(#add-f-name) button`)
	b.shows("1. large: if")
	press(`form:has(#try-f-payments) button`)
	b.shows("go where it went")
	b.do(chromedp.SendKeys(`#save-f-name`, "by amount"))
	press(`form:has(#save-f-name) button`)
	b.until(`location.pathname === "/m/acme/routing"`)
	press(`form[action$="/activate"] button`)
	b.shows("Deactivate")

	b.open(base + "/m/acme/links")
	b.until(`document.querySelector("#new-f-amount")`)
	if closed, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`!document.querySelector("details:has(#new-f-amount)").open`)); err == nil && closed {
		press(`details:has(#new-f-amount) > summary`)
	}
	b.do(chromedp.SendKeys(`#new-f-amount`, "12.00"), chromedp.SendKeys(`#new-f-currency`, "USD"), chromedp.SendKeys(`#new-f-return_url`, "https://shop.example/done"))
	press(`form:has(#new-f-amount) button`)
	b.until(`location.pathname.startsWith("/m/acme/links/")`)

	one := w.disputed(700, "opened", `,"respond_by":4000000000`)
	b.open(base + one)
	press(`details:has(form[action$="/accept"]) > summary`)
	press(`form[action$="/accept"] button`)
	b.until(`!document.querySelector('form[action$="/accept"]')`)
	require.NotEqual(t, sdk.DisputeOpened, w.disputeAt(one).Status)
}

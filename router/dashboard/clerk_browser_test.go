package dashboard

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestClerkInABrowser: on a phone the menu shows the page's own entry. Who types keeps the session alive, and other people's pages do not.
func TestClerkInABrowser(t *testing.T) {
	costlyInBrowser(t)
	t.Parallel()
	b := newBrowser(t)
	w := newWorld(t)
	var signs atomic.Int64
	var cut atomic.Bool
	web := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead && r.URL.Path == "/me" {
			signs.Add(1)
		}
		if cut.Load() && r.URL.Path != "/me" {
			panic(http.ErrAbortHandler)
		}
		w.server.ServeHTTP(rw, r)
	}))
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(web.Close)
	b.do(chromedp.EmulateViewport(360, 740))
	for _, page := range []string{"payments", "webhooks", "routing"} {
		b.open(web.URL + "/m/acme/" + page)
		b.until(`((a, menu) => a.left >= menu.left && a.right <= menu.right)(document.querySelector("nav [aria-current]").getBoundingClientRect(), document.querySelector("nav").getBoundingClientRect())`)
	}
	require.Zero(t, signs.Load(), "to look at a page is no sign of life")
	b.do(chromedp.SendKeys(`#find`, "12.00 USD"))
	require.Eventually(t, func() bool { return signs.Load() == 1 }, time.Minute, 50*time.Millisecond)
	b.do(chromedp.SendKeys(`#find`, "12.00 USD"))
	require.EqualValues(t, 1, signs.Load(), "one sign in four minutes")

	// A button whose form does not come says so, and works again afterwards.
	w.done("/m/acme/connectors", "connector", "simulator")
	b.open(web.URL + "/m/acme/payments/" + w.pay(6540).Payment.ID)
	cut.Store(true)
	b.do(chromedp.Click(`a[href$="/refund"]`))
	b.until(`document.querySelector("dialog[open]")?.innerText.includes("nothing was done")`)
	b.do(chromedp.Click(`dialog button`))
	b.until(`document.activeElement.textContent === "Refund"`)
	cut.Store(false)
	b.do(chromedp.Click(`a[href$="/refund"]`))
	b.until(`document.querySelector("dialog[open]")?.innerText.includes("Refund up to 65.40 USD")`)
}

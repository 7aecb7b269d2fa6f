package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// online takes the browser's network away, or gives it back. Pages hear of it.
func (s *checkoutShop) online(proxy *cuttingProxy, yes bool) {
	s.Helper()
	proxy.down.Store(!yes)
	s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: !yes, DownloadThroughput: -1, UploadThroughput: -1})
		return chromedp.Void{}, err
	})
	s.awaitIn(fieldsFrame, fmt.Sprint("navigator.onLine === ", yes))
}

// TestCheckoutOffline: without a network nothing is sent, and nothing is lost. With the network, the form goes on by itself.
func TestCheckoutOffline(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	proxy := newCuttingProxy(t, s.sw.url)
	s.at = proxy.URL
	p := s.order(nil)
	s.visit(p, nil)
	s.card("4242424242424242")
	s.online(proxy, false)
	script[bool](s.tab, "pay(), true")
	kind, code := errorOf(s.answered(1))
	require.Equal(t, []string{"api_error", ""}, []string{kind, code}, "the page may ask to try again")
	require.Contains(t, s.shows(), "Nothing was sent")
	s.shot("checkout-offline")
	require.Zero(t, proxy.seen.Load())
	number, _ := within[string](s, fieldsFrame, `document.querySelector("[name=cardnumber]").value`)
	require.Equal(t, "4242 4242 4242 4242", number, "the card stays in the form")
	s.online(proxy, true)
	script[bool](s.tab, "pay(), true")
	require.Equal(t, "succeeded", s.answered(2)["status"])
	require.EqualValues(t, 1, s.retrieve(p)["attempt_count"])

	// The form's first call meets no network: the frame says so, and loads when the network is back.
	s.visit(s.order(nil), nil)
	s.online(proxy, false)
	script[bool](s.tab, "events.length = 0, elements.fetchUpdates(), true")
	s.awaitIn(fieldsFrame, `document.body.innerText.includes("You are offline")`)
	s.await(`events.some((e) => e[0] === "loaderror")`)
	s.shot("checkout-offline-form")
	s.online(proxy, true)
	s.awaitIn(fieldsFrame, `document.querySelector("[data-phase=ready] [name=cardnumber]")`)
	s.card("4242424242424242")
	script[bool](s.tab, "pay(), true")
	require.Equal(t, "succeeded", s.answered(1)["status"])
}

// TestCheckoutReloadedInEachState: after a reload the form begins with what the switch says, and no state can be paid twice.
func TestCheckoutReloadedInEachState(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	proxy := newCuttingProxy(t, s.sw.url)
	s.at = proxy.URL
	cancel := func(s *checkoutShop, p object) {
		s.sw.must(s.key, "/payments/"+p["payment_id"].(string)+"/cancel", object{})
	}
	for _, c := range []struct {
		name     string
		order    object
		reach    func(s *checkoutShop, p object)
		shows    string // after the reload; "" for the form
		attempts int
	}{
		{"filled", nil, func(s *checkoutShop, _ object) { s.card("4242424242424242") }, "", 1},
		{"submitting", nil, func(s *checkoutShop, p object) {
			proxy.lose.Store(99)
			s.card("4242424242424242")
			script[bool](s.tab, "pay(), true")
			s.awaitIn(fieldsFrame, `document.body.innerText.includes("do not pay again")`)
			proxy.lose.Store(0)
		}, "Thank you", 1},
		{"declined", nil, func(s *checkoutShop, _ object) {
			s.card("4000000000000002")
			script[bool](s.tab, "pay(), true")
			s.answered(1)
		}, "declined the card", 2},
		{"authorized", object{"capture_method": "manual"}, func(s *checkoutShop, _ object) {
			s.card("4242424242424242")
			script[bool](s.tab, "pay(), true")
			s.answered(1)
		}, "Thank you", 1},
		{"cancelled", nil, cancel, "has ended", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s.with(t)
			p := s.order(c.order)
			s.visit(p, nil)
			c.reach(s, p)
			s.do(chromedp.Reload())
			s.await(`events.some((e) => e[0] === "ready")`)
			s.shot("checkout-reloaded-" + c.name)
			left, _ := within[string](s, fieldsFrame, `[...document.querySelectorAll("input[type=text]")].map((i) => i.value).join("")`)
			require.Empty(t, left, "a reload keeps no card")
			if c.shows != "" {
				require.Contains(t, s.shows(), c.shows)
			}
			if c.shows == "" || c.name == "declined" {
				s.card("4242424242424242")
			}
			script[bool](s.tab, "pay(), true")
			s.answered(1)
			now := s.retrieve(p)
			require.EqualValues(t, c.attempts, now["attempt_count"])
			if c.name != "cancelled" {
				require.Contains(t, []any{"succeeded", "requires_capture"}, now["status"])
			}
		})
	}
}

// counters returns what the browser keeps for a page after it has thrown away what it no longer needs.
func (s *checkoutShop) counters() (c memory.GetDOMCountersResult, heap float64) {
	s.Helper()
	s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		for range 3 {
			if _, err := cdp.Call(ctx, t, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
				return chromedp.Void{}, err
			}
		}
		got, err := cdp.Call(ctx, t, memory.GetDOMCounters, cdp.Empty{})
		if err != nil {
			return chromedp.Void{}, err
		}
		used, err := cdp.Call(ctx, t, runtime.GetHeapUsage, cdp.Empty{})
		c, heap = got, used.UsedSize
		return chromedp.Void{}, err
	})
	return c, heap
}

// TestCheckoutMountedOften mounts an element a thousand times. Frames, listeners and memory stay as they are.
func TestCheckoutMountedOften(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	s.visit(s.order(nil), nil)
	mount := func(times, ready int) {
		script[bool](s.tab, fmt.Sprintf(`window.mounted = false; (async () => {
			for (let i = 0; i < %d; i++) { element.unmount(); element.mount("#slot"); if (i %% 50 === 49) await new Promise((go) => setTimeout(go)); }
			for (let i = 0; i < %d; i++) { element.unmount(); await new Promise((go) => { element.on("ready", go); element.mount("#slot"); }); }
			element.on("ready", (d) => events.push(["ready", d]));
			events.length = 0;
			mounted = true;
		})(), true`, times, ready))
		s.await("mounted")
	}
	mount(50, 5)
	before, heap := s.counters()
	for range 11 { // in parts, because a busy machine takes its time
		mount(90, 1)
	}
	after, more := s.counters()
	t.Logf("documents %d to %d, nodes %d to %d, listeners %d to %d, heap %.0f to %.0f KB", before.Documents, after.Documents, before.Nodes, after.Nodes,
		before.JsEventListeners, after.JsEventListeners, heap/1024, more/1024)
	require.Equal(t, 1, script[int](s.tab, `document.querySelectorAll("iframe").length`))
	require.LessOrEqual(t, after.Documents, before.Documents+5)
	require.LessOrEqual(t, after.JsEventListeners, before.JsEventListeners+50)
	require.LessOrEqual(t, after.Nodes, before.Nodes+500)
	require.LessOrEqual(t, more, heap+512*1024, "half a kilobyte a mount would be a leak")
	s.card("4242424242424242")
	script[bool](s.tab, "pay(), true")
	require.Equal(t, "succeeded", s.answered(1)["status"])
	// A framework that throws the node away gets an answer too.
	s.visit(s.order(nil), nil)
	script[bool](s.tab, `document.querySelector("#slot").replaceChildren(), pay(), true`)
	kind, _ := errorOf(s.answered(1))
	require.Equal(t, "invalid_request_error", kind)
}

// TestCheckoutShiftsNothing: the page stays where it is while the form loads, and the form needs three requests of the switch's own. The test prints
// how long the form takes until it is ready.
func TestCheckoutShiftsNothing(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	var mu sync.Mutex
	var asked []string
	require.NoError(t, chromedp.Listen(s.ctx, func(ev any) {
		if e, ok := ev.(*network.EventRequestWillBeSent); ok {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, e.Request.URL)
		}
	}))
	s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{})
		return chromedp.Void{}, err
	})
	const watch = `<script>window.began = performance.now(); window.shift = 0; window.moved = [];
new PerformanceObserver((l) => { for (const e of l.getEntries()) { shift += e.value;
	for (const m of e.sources) moved.push((m.node?.id || m.node?.nodeName) + " " + JSON.stringify([m.previousRect, m.currentRect])); } }).observe({type: "layout-shift", buffered: true});</script><script src=`
	visit := func(room, group string) (ready float64) {
		words := map[string]string{"GROUP": group, "BODY": "} #slot{min-height:" + room} // the shop keeps the room, because its page is drawn before the script has come
		mu.Lock()
		asked = nil
		mu.Unlock()
		s.site.page = strings.Replace(s.fill(s.order(nil), words), "<script src=", watch, 1)
		s.site.page = strings.Replace(s.site.page, `element.mount("#slot");`, `element.mount("#slot"); element.on("ready", (d) => { window.took = performance.now() - began; events.push(["ready", d]); });`, 1)
		s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
		s.await(`events.some((e) => e[0] === "ready")`)
		script[bool](s.tab, "window.calm = false, setTimeout(() => requestAnimationFrame(() => { calm = true; }), 300), true")
		s.await("calm")
		return script[float64](s.tab, "took")
	}
	for name, c := range map[string]struct {
		width       int64
		room, group string
	}{"wide": {1000, "158px", "{}"}, "floating": {1000, "124px", `{appearance: {labels: "floating"}}`}, "without labels": {1000, "108px", `{appearance: {labels: "never"}}`},
		"compressed": {1000, "91px", `{appearance: {innerLayout: "compressed", labels: "floating"}}`}, "dark": {1000, "174px", `{appearance: {theme: "midnight"}}`}, "arabic": {390, "158px", `{locale: "ar"}`}} {
		s.size(c.width, 800)
		visit(c.room, c.group)
		require.Zero(t, script[float64](s.tab, "shift"), "%s: %s; the frame ended at %s", name, script[string](s.tab, "moved.join('; ')"), script[string](s.tab, `document.querySelector("iframe").style.height`))
	}
	s.size(1000, 800)
	var cold, warm []float64
	for i := range 8 {
		s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, network.ClearBrowserCache, cdp.Empty{})
			return chromedp.Void{}, err
		})
		cold = append(cold, visit("158px", "{}"))
		if i == 0 {
			mu.Lock()
			var own []string
			for _, url := range asked {
				if !strings.HasPrefix(url, s.pages.URL) && !strings.HasPrefix(url, "data:") {
					own = append(own, url)
				}
			}
			mu.Unlock()
			require.Len(t, own, 3, "loader, frame, and the call for the payment: %v", own)
			for _, url := range own {
				require.True(t, strings.HasPrefix(url, s.at), url)
			}
		}
		warm = append(warm, visit("158px", "{}"))
	}
	slices.Sort(cold)
	slices.Sort(warm)
	t.Logf("ready after %.0f ms with an empty cache, %.0f at worst; %.0f ms with a full one, %.0f at worst", cold[4], cold[7], warm[4], warm[7])
}

// TestCheckoutHeap: the memory of the shop's page has no text of the card, because the frame of another site has a process of its own.
func TestCheckoutHeap(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	p := s.order(nil)
	s.site.page = s.fill(p, nil)
	s.do(chromedp.Navigate(strings.Replace(s.pages.URL, "127.0.0.1", "localhost", 1) + "/checkout"))
	s.await(`events.some((e) => e[0] === "ready")`)
	box := script[[]float64](s.tab, `(() => { const r = document.querySelector("iframe").getBoundingClientRect(); return [r.left + 60, r.top + 56]; })()`)
	// The browser gives clicks and keys to another process only once that has drawn, and loses them before. Keys that are typed again replace what arrived.
	require.Eventually(t, func() bool {
		s.do(chromedp.MouseClickXY(box[0], box[1]))
		if !script[bool](s.tab, `events.some((e) => e[0] === "focus")`) {
			return false
		}
		s.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent("5555555555554444"), chromedp.Sleep(patience/60))
		return script[bool](s.tab, `events.some((e) => e[0] === "change" && e[1].brand === "Mastercard")`)
	}, patience, patience/60)
	s.do(chromedp.KeyEvent("1050"), chromedp.KeyEvent("873")) // the form goes on to the next field by itself
	s.await(`events.some((e) => e[0] === "change" && e[1].complete) || events.length > 5`)
	s.shot("checkout-other-site")
	heap := func() string {
		var mu sync.Mutex
		var all strings.Builder
		ctx, done := context.WithCancel(s.ctx)
		defer done()
		require.NoError(t, chromedp.Listen(ctx, func(ev any) {
			if e, ok := ev.(*heapprofiler.EventAddHeapSnapshotChunk); ok {
				mu.Lock()
				defer mu.Unlock()
				all.WriteString(e.Chunk)
			}
		}))
		s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, heapprofiler.TakeHeapSnapshot, heapprofiler.TakeHeapSnapshotParams{})
			return chromedp.Void{}, err
		})
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}
	check := func(when string) {
		text := heap()
		require.True(t, strings.Contains(text, p["client_secret"].(string)), "the test sees the page's texts")
		for _, secret := range []string{"5555555555554444", "5555 5555", "55555555", "10 / 50"} {
			at := strings.Index(text, secret)
			require.Negative(t, at, "%s: %s in %s", when, secret, text[max(at-60, 0):max(at+60, 0)])
		}
	}
	check("while the card is in the form")
	script[bool](s.tab, "pay(), true")
	require.Equal(t, "succeeded", s.answered(1)["status"])
	check("after the payment")
}

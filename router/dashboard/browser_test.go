package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/paylink"
	"payswitch/engine/staff"
)

// axe is the checker of accessibility that pages are held to.
const axe = "../../cmd/payswitch/testdata/axe/axe.min.js"

// found runs axe in the page with all its rules, and returns what it found.
const found = `(async (theme) => {
  scrollTo(0, 0); // a form that was refused scrolls to its field, and the head of the page lies over a part of the menu then
  const rules = theme === "dark" ? {type: "rule", values: ["color-contrast", "link-in-text-block"]} : // the theme changes colours alone
    {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]};
  const r = await axe.run(document, {runOnly: rules, resultTypes: ["violations"]});
  const list = r.violations.flatMap((v) => v.nodes.map((n) => v.id + " at " + n.target + ": " + n.failureSummary));
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) list.push("the page scrolls sideways");
  return JSON.stringify(list);
})(document.documentElement.dataset.theme)`

// looks are how TestPagesInABrowser looks at a page, in the order of the least work for the browser.
var looks = []struct {
	theme string
	width int64
}{{"light", 320}, {"light", 1280}, {"dark", 1280}, {"dark", 320}}

// between are widths between those of looks: tablets, parts of a screen, and screens with larger letters. No page scrolls sideways there.
var between = []int64{640, 700, 768, 900, 1024, 1100}

// TestPagesInABrowser looks at every state of every page: light and dark, wide and as narrow as a small telephone. TEST_SCREENSHOTS names a folder for
// pictures of them.
func TestPagesInABrowser(t *testing.T) {
	if os.Getenv("TEST_ALL") == "" && os.Getenv("TEST_SCREENSHOTS") == "" {
		t.Skip("TEST_ALL=1 runs this test too: it costs a processor a minute")
	}
	t.Parallel()
	program := chromium(t)
	script, err := os.ReadFile(axe)
	require.NoError(t, err)
	s := newServer(t, staff.Admin)
	byName, all := map[string]page{}, allStates(t)
	for _, st := range all {
		byName[st.name] = st.page
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, isState := strings.CutPrefix(r.URL.Path, "/state/")
		if strings.HasSuffix(r.URL.Path, "/links/preview") { // the frame of a state
			c := &call{Request: r, w: w, server: s}
			example, err := exampleOfLink(c, &paylink.Config{}, "acme")
			require.NoError(t, err)
			require.NoError(t, (&preview{page: example}).write(c))
			return
		}
		if r.Header.Get("HX-Request") != "" { // a page that is looked at for long asks for news, which its state does not have
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if !isState {
			s.ServeHTTP(w, r)
			return
		}
		session, _ := s.Sessions.Of(r)
		session.Theme = r.URL.Query().Get("theme")
		w.Header().Set("Content-Security-Policy", policy)
		c := &call{Request: r, w: w, server: s, Session: session, Merchant: &account.Merchant{ID: "acme"}}
		require.NoError(t, s.pages.write(c, http.StatusOK, byName[name]))
	}))
	t.Cleanup(web.Close)

	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute) // a busy machine of CI needs six
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, chromedp.ExecPath(program), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("site-per-process", true)) // a default of the browser alone, not of its shell
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	do := func(steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		require.NoError(t, chromedp.Do(ctx, steps...))
	}
	do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
		return chromedp.Void{}, err
	})
	var lock sync.Mutex
	var heard []string // errors of scripts, and what the policy refused
	require.NoError(t, chromedp.Listen(ctx, func(ev any) {
		lock.Lock()
		defer lock.Unlock()
		switch e := ev.(type) {
		case *log.EventEntryAdded:
			heard = append(heard, e.Entry.Text)
		case *runtime.EventExceptionThrown:
			heard = append(heard, e.ExceptionDetails.Text)
		}
	}))
	do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, log.Enable, cdp.Empty{})
		return chromedp.Void{}, err
	})
	only := os.Getenv("TEST_STATE")
	for _, st := range all {
		if only != "" && !strings.HasPrefix(st.name, only) {
			continue
		}
		do(chromedp.EmulateViewport(320, 900), chromedp.Navigate(web.URL+"/state/"+st.name+"?theme=light"))
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](string(script)+";true"))
		require.NoError(t, err)
		for _, look := range looks { // the page is loaded once for all
			name := fmt.Sprint(st.name, "-", look.theme, "-", look.width)
			_, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.documentElement.dataset.theme = "`+look.theme+`"`))
			require.NoError(t, err, name)
			do(chromedp.EmulateViewport(look.width, 900))
			text, err := chromedp.Run(ctx, chromedp.Evaluate[string](found, chromedp.EvalAwaitPromise))
			require.NoError(t, err, name)
			var list []string
			require.NoError(t, json.Unmarshal([]byte(text), &list))
			if folder := os.Getenv("TEST_SCREENSHOTS"); folder != "" {
				png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600))
			}
			lock.Lock()
			list, heard = append(list, heard...), nil
			lock.Unlock()
			for _, f := range list {
				t.Errorf("%s: %s", name, f)
			}
		}
		for _, width := range between {
			do(chromedp.EmulateViewport(width, 900))
			wider, err := chromedp.Run(ctx, chromedp.Evaluate[int]("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
			require.NoError(t, err, st.name)
			if wider > 0 {
				t.Errorf("%s: at a width of %d the page scrolls sideways by %d", st.name, width, wider)
			}
		}
	}
}

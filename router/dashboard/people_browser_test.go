package dashboard

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"payswitch/engine/staff"
	"payswitch/router/dashboard/passkeys"
)

// chromium is a tab of a real browser.
type browser struct {
	t   *testing.T
	ctx context.Context
}

// chromium returns the path of Chromium without its windows, which needs half the processor time, else that of Chromium. It skips the test where both are missing.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	require.Empty(t, os.Getenv("TEST_ALL"), "make test skips nothing: install chromium-headless-shell or chromium")
	t.Skip("needs chromium")
	return ""
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	program := chromium(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, chromedp.ExecPath(program), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun,
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("site-per-process", true)) // a default of the browser alone, not of its shell
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	return &browser{t, ctx}
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, steps...))
}

// text waits for an element, and returns its text.
func (b *browser) text(selector string) string {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Text(selector))
	require.NoError(b.t, err, selector)
	return out
}

// reaches waits for the page with a heading.
func (b *browser) reaches(heading string) {
	b.t.Helper()
	var last string
	for range 200 {
		last, _ = chromedp.Run(b.ctx,
			chromedp.Evaluate[string](`(document.querySelector("h1")||{}).textContent||""`)) // between two pages there is no document
		if last == heading {
			return
		}
		select {
		case <-b.ctx.Done():
			b.t.Fatalf("no page %q: %q", heading, last)
		case <-time.After(50 * time.Millisecond):
		}
	}
	page, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText`))
	b.t.Fatalf("no page %q, but: %s", heading, page)
}

// at serves the dashboard at the name localhost, where browsers allow passkeys.
func (w *staffWorld) at() string {
	w.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.t, err)
	web := &httptest.Server{Listener: l, Config: &http.Server{Handler: w.server}}
	web.Start()
	w.t.Cleanup(web.Close)
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(w.t, err)
	return "http://localhost:" + port
}

// TestPasskeyInABrowser adds a passkey at the first login, signs in with it and the password, and confirms a change with it.
func TestPasskeyInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	w := newStaffWorld(t, nil)
	base := w.at()
	keys, err := passkeys.New(base)
	require.NoError(t, err)
	w.staff.Passkeys = keys
	b.do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		if _, err := cdp.Call(ctx, tab, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return chromedp.Void{}, err
		}
		_, err := cdp.Call(ctx, tab, webauthn.AddVirtualAuthenticator,
			webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
				Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true, HasUserVerification: true,
				IsUserVerified: true, AutomaticPresenceSimulation: true}})
		return chromedp.Void{}, err
	})
	link, _, err := w.staff.FirstLink(t.Context())
	require.NoError(t, err)
	b.do(chromedp.Navigate(base+"/enter/"+link.Reveal()), chromedp.SendKeys("#f-email", "ada@example.com"), chromedp.SendKeys("#f-name", "Ada"),
		chromedp.SendKeys("#f-password", phrase), chromedp.Click("form button.go"))
	b.reaches("Add a second factor")
	b.do(chromedp.SendKeys("#f-name", "Laptop"), chromedp.Click("form[data-passkey] button"))
	b.reaches("Your recovery codes")
	b.do(chromedp.Click("main a.go"))
	b.reaches("Merchants")
	b.do(chromedp.Navigate(base + "/me"))
	b.reaches("You")
	require.Contains(t, b.text("main"), "Laptop")

	b.do(chromedp.Click(".sessions form[action='/logout'] button"))
	b.reaches("Sign in")
	w.pass(6 * time.Minute)
	b.do(chromedp.Click("form[data-passkey] button"))
	b.reaches("Sign in: second step") // for an operator a passkey is one factor of two
	b.do(chromedp.SendKeys("#f-password", phrase), chromedp.Click("form button.go"))
	b.reaches("Merchants")

	w.pass(6 * time.Minute)
	b.do(chromedp.Navigate(base + "/team"))
	b.reaches("All users")
	b.do(chromedp.Click("section a.button"))
	b.reaches("Confirm that it is you")
	b.do(chromedp.Click("form[data-passkey] button"))
	b.reaches("All users")
	b.do(chromedp.SendKeys("#f-email", "vi@example.com"), chromedp.Click("main form button.go"))
	b.reaches("Link for vi")
}

// TestPeopleWithoutScript signs in, adds an app and invites, in a browser without JavaScript. A link of another site finds the session, too.
func TestPeopleWithoutScript(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	w := newStaffWorld(t, nil)
	base := w.at()
	b.do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return chromedp.Void{}, err
	})
	w.user("ad@example.com", staff.Grant{MerchantID: "acme", Role: staff.Admin})
	b.do(chromedp.Navigate(base+"/m/acme/team"), chromedp.SendKeys("#f-email", "ad@example.com"), chromedp.SendKeys("#f-password", phrase),
		chromedp.Click("form button.go"))
	b.reaches("Add a second factor")
	b.do(chromedp.Click("form button.go"))
	key := strings.ReplaceAll(b.text("code.id"), " ", "")
	b.do(chromedp.SendKeys("#f-code", appCode(key, w.now())), chromedp.Click("form button.go"))
	b.reaches("Your recovery codes")
	b.do(chromedp.Click("main a.go"))
	b.reaches("Team")
	b.do(chromedp.SendKeys("#f-email", "vi@example.com"), chromedp.Click("main form button.go"))
	b.reaches("Link for vi")

	chat := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		_, _ = rw.Write([]byte(`<h1>Chat</h1><a href="` + base + `/m/acme/audit">look</a><form method="post" action="` + base + `/logout"><button>trap</button></form>`))
	}))
	t.Cleanup(chat.Close)
	leave := func(selector string) { // 127.0.0.1 is another site than localhost
		t.Helper()
		_, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`location.href="`+chat.URL+`",true`))
		require.NoError(t, err)
		b.reaches("Chat")
		_, err = chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.querySelector("`+selector+`").click(),true`))
		require.NoError(t, err)
	}
	leave("a")
	b.reaches("Audit")
	leave("button")
	b.reaches("This did not work")
	b.do(chromedp.Navigate(base + "/me"))
	b.reaches("You")
}

// TestPalette: Ctrl-K finds a page by a part of its name, and a payment by what is typed, with the keyboard alone. Text that is typed is never code.
func TestPalette(t *testing.T) {
	b := newBrowser(t)
	web := httptest.NewServer(newServer(t, staff.Admin))
	t.Cleanup(web.Close)
	eval := func(js string) string {
		t.Helper()
		out, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](js))
		require.NoError(t, err, js)
		return out
	}
	open := func() {
		t.Helper()
		b.do(chromedp.Navigate(web.URL+"/m/acme/"), chromedp.WaitVisible("[data-keys]:not([hidden])"))
		eval(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true, bubbles: true})), ""`)
		require.Equal(t, "Go to", eval(`document.activeElement.getAttribute("aria-label")`))
	}
	open()
	b.do(chromedp.KeyEvent("cust\r"))
	require.Eventually(t, func() bool {
		out, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.pathname`))
		return err == nil && out == "/m/acme/customers"
	}, time.Minute, 50*time.Millisecond)
	open()
	b.do(chromedp.KeyEvent("<b>x"))
	require.Equal(t, "Payments: <b>x", eval(`document.querySelector("#sheet li:last-child").textContent`))
	require.Empty(t, eval(`document.querySelector("#sheet li:last-child a").search`), "what is typed stays out of addresses")
	b.do(chromedp.KeyEvent("\r"))
	require.Eventually(t, func() bool {
		out, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.pathname + location.search`))
		return err == nil && strings.HasPrefix(out, "/m/acme/payments") && !strings.Contains(out, "q=")
	}, time.Minute, 50*time.Millisecond)
}

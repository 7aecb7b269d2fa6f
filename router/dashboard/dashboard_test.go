package dashboard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/staff"
)

// fakeEngine has one merchant without payments.
type fakeEngine struct{ Engine }

func (fakeEngine) Merchant(_ context.Context, id string) (*account.Merchant, error) {
	if id != "acme" {
		return nil, fault.NotFound("Merchant account")
	}
	return &account.Merchant{ID: id}, nil
}

func (fakeEngine) Merchants(context.Context, string) ([]*account.Merchant, error) {
	return []*account.Merchant{{ID: "acme"}}, nil
}

func (fakeEngine) ListPayments(context.Context, account.Auth, request.ListInput) ([]*change.View, error) {
	return nil, nil
}

// signedIn is a person with one role at one merchant; "" is no person.
type signedIn staff.Role

func (s signedIn) Of(*http.Request) (*staff.Session, error) {
	if s == "" {
		return nil, ErrNoSession
	}
	return &staff.Session{ID: "s", UserID: "u", Name: "Ada Lovelace", Grants: []staff.Grant{{MerchantID: "acme", Role: staff.Role(s)}}}, nil
}

// newServer returns the dashboard as a person of a role sees it.
func newServer(t testing.TB, role staff.Role) *Server {
	t.Helper()
	s, err := New(Deps{Sessions: signedIn(role), Engine: fakeEngine{}}, Options{APIURL: "http://api.example"})
	require.NoError(t, err)
	return s
}

func get(t testing.TB, s *Server, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// rendered returns a page as a browser gets it.
func rendered(t testing.TB, s *Server, p page) string {
	t.Helper()
	session, err := s.Sessions.Of(nil)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	c := &call{Request: httptest.NewRequest(http.MethodGet, "/m/acme/", nil), w: w, server: s, Session: session, Merchant: &account.Merchant{ID: "acme"}}
	require.NoError(t, s.pages.write(c, http.StatusOK, p))
	return w.Body.String()
}

var (
	attribute = regexp.MustCompile(`\shx-[a-z:-]+`)
	inline    = regexp.MustCompile(`(?i)<script(?:\s[^>]*)?>[^<]|<style|\sstyle\s*=|\son[a-z]+\s*=|javascript:`)
	allowed   = map[string]bool{"hx-get": true, "hx-post": true, "hx-target": true, "hx-swap": true, "hx-trigger": true, "hx-push-url": true}
	unclosed  = regexp.MustCompile(`<no value>|ZgotmplZ|%!|\(MISSING\)`)
)

// TestPages renders every page in every state. A page has no inline code, and only those attributes of htmx that run no text as code.
func TestPages(t *testing.T) {
	t.Parallel()
	s := newServer(t, staff.Admin)
	seen := map[string]bool{}
	for _, st := range allStates(t) {
		t.Run(st.name, func(t *testing.T) {
			seen[st.page.file()] = true
			html := rendered(t, s, st.page)
			require.NotEmpty(t, st.page.Title())
			require.Equal(t, 1, strings.Count(html, "<h1"), "a page has one heading")
			require.NotRegexp(t, inline, html)
			require.NotRegexp(t, unclosed, html)
			for _, a := range attribute.FindAllString(html, -1) {
				require.True(t, allowed[strings.TrimSpace(a)], "%s may run text as code, or is not one of the six that are used", a)
			}
		})
	}
	for name := range s.pages.byName {
		require.True(t, seen[name], "pages/%s.html has no state in states()", name)
	}
}

var (
	tag     = regexp.MustCompile(`<(a|button|form|input|iframe|[a-z]+)((?:\s+[a-zA-Z:-]+(?:="[^"]*")?)*)\s*/?>`)
	formEnd = "</form>"
	value   = func(attributes, name string) (string, bool) {
		m := regexp.MustCompile(`(?:^|\s)` + name + `(?:="([^"]*)"|\s|$)`).FindStringSubmatch(attributes)
		if m == nil {
			return "", false
		}
		return m[1], true
	}
)

// TestWithoutScriptAndByKeyboard holds for every state of every page what makes it work without a script and by the keyboard alone: what can be clicked is a
// link with an address or the button of a form; what the script fetches is where the link leads, and nothing takes the focus out of its order.
func TestWithoutScriptAndByKeyboard(t *testing.T) {
	t.Parallel()
	s := newServer(t, staff.Admin)
	links, buttons := 0, 0
	for _, st := range allStates(t) {
		html := rendered(t, s, st.page)
		for _, m := range tag.FindAllStringSubmatchIndex(html, -1) {
			name, attributes, whole := html[m[2]:m[3]], html[m[4]:m[5]], html[m[0]:m[1]]
			inForm := strings.LastIndex(html[:m[0]], "<form") > strings.LastIndex(html[:m[0]], formEnd)
			_, hidden := value(attributes, "hidden")
			to, fetches := value(attributes, "hx-get")
			_, polls := value(attributes, "hx-trigger")
			switch name {
			case "a":
				links++
				href, ok := value(attributes, "href")
				assert.True(t, ok && href != "", "%s: %s leads nowhere", st.name, whole)
				assert.True(t, !fetches || to == href, "%s: %s leads elsewhere without a script", st.name, whole)
			case "button":
				buttons++
				assert.True(t, inForm || hidden, "%s: %s does nothing without a script", st.name, whole)
			case "form":
				action, _ := value(attributes, "action")
				method, _ := value(attributes, "method")
				passkey, _ := value(attributes, "data-passkey")
				assert.True(t, action != "" && (method != "post" || !strings.Contains(action, "?")), "%s: %s", st.name, whole)
				assert.True(t, passkey == "" || hidden, "%s: %s needs a script", st.name, whole)
			default:
				assert.True(t, !fetches || polls, "%s: %s is for a pointer alone", st.name, whole)
			}
			index, ok := value(attributes, "tabindex")
			assert.True(t, !ok || index == "0" || index == "-1", "%s: %s changes the order of the focus", st.name, whole)
			_, posts := value(attributes, "hx-post")
			assert.False(t, posts, "%s: %s changes something without a form", st.name, whole)
		}
	}
	require.Greater(t, links, 1000)
	require.Greater(t, buttons, 100)
}

// TestTriggers holds that no template has a trigger with a condition: htmx would run it as code.
func TestTriggers(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"pages", "pages/parts"} {
		list, err := fs.ReadDir(files, dir)
		require.NoError(t, err)
		for _, f := range list {
			if f.IsDir() {
				continue
			}
			text, err := fs.ReadFile(files, dir+"/"+f.Name())
			require.NoError(t, err)
			require.NotRegexp(t, `hx-trigger="[^"]*\[`, string(text), f.Name())
			require.NotRegexp(t, `(?i)hx-on|js:`, string(text), f.Name())
		}
	}
}

// TestVendored holds that the library is the one that its README names.
func TestVendored(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("src/vendor/htmx.esm.min.js")
	require.NoError(t, err)
	readme, err := os.ReadFile("src/vendor/README.md")
	require.NoError(t, err)
	hash := sha256.Sum256(text)
	require.Contains(t, string(readme), hex.EncodeToString(hash[:]))
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	s := newServer(t, staff.Viewer)
	for _, path := range []string{"/m/acme/", "/nowhere", s.assets.address("app.js"), "/"} {
		h := get(t, s, path).Header()
		require.Equal(t, policy, h.Get("Content-Security-Policy"), path)
		require.Equal(t, "same-origin", h.Get("Cross-Origin-Opener-Policy"))
		require.Equal(t, "same-origin", h.Get("Cross-Origin-Resource-Policy"))
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
	}
	require.Equal(t, "no-store", get(t, s, "/m/acme/").Header().Get("Cache-Control"))
	require.NotContains(t, policy, "unsafe")
	require.Empty(t, get(t, newWorld(t).server, "/m/acme/").Header().Get("Strict-Transport-Security"))
	secure := newWorld(t, func(o *Options) { o.URL = "https://dashboard.example" })
	for _, path := range []string{"/m/acme/", "/nothing", "/login"} {
		require.Equal(t, "max-age=31536000", get(t, secure.server, path).Header().Get("Strict-Transport-Security"), "a browser that was here types no password over plain HTTP")
	}
}

func TestAssets(t *testing.T) {
	t.Parallel()
	s := newServer(t, staff.Viewer)
	plain := get(t, s, s.assets.address("app.css"))
	require.Equal(t, http.StatusOK, plain.Code)
	require.Contains(t, plain.Header().Get("Cache-Control"), "immutable")
	require.Contains(t, plain.Body.String(), "--ground")
	packed := get(t, s, s.assets.address("app.css"), "Accept-Encoding", "gzip")
	require.Equal(t, "gzip", packed.Header().Get("Content-Encoding"))
	require.Less(t, packed.Body.Len(), plain.Body.Len())
	require.Equal(t, http.StatusNotFound, get(t, s, "/assets/app.0000000000000000.css").Code)
}

// TestWhoMaySee: without a session every page leads to the login, and a foreign merchant is as unknown as one that does not exist.
func TestWhoMaySee(t *testing.T) {
	t.Parallel()
	require.Equal(t, http.StatusNotFound, get(t, newServer(t, ""), "/no/such/page").Code)
	in := get(t, newServer(t, ""), "/m/acme/")
	require.Equal(t, http.StatusSeeOther, in.Code)
	require.Equal(t, "/login?next=%2Fm%2Facme%2F", in.Header().Get("Location"))
	s := newServer(t, staff.Viewer)
	require.Equal(t, http.StatusOK, get(t, s, "/m/acme/").Code)
	foreign, missing := get(t, s, "/m/other/"), get(t, s, "/m/nothing/")
	require.Equal(t, http.StatusNotFound, foreign.Code)
	require.Equal(t, foreign.Body.String(), missing.Body.String())
	denied := get(t, newServer(t, staff.Operator), "/m/acme/")
	require.Equal(t, http.StatusForbidden, denied.Code)
	require.Contains(t, denied.Body.String(), "viewer or support or developer or admin")
	require.Equal(t, "/m/acme/", get(t, s, "/").Header().Get("Location"), "a person with one merchant goes there")
}

// TestForeignForms: no form of another origin does anything, not even one of the same site: another port of the same host shares its cookies.
func TestForeignForms(t *testing.T) {
	t.Parallel()
	s := newServer(t, staff.Admin)
	for site, want := range map[string]int{"cross-site": http.StatusForbidden, "same-site": http.StatusForbidden, "none": http.StatusForbidden,
		"same-origin": http.StatusMethodNotAllowed} {
		r := httptest.NewRequest(http.MethodPost, "/m/acme/", strings.NewReader("a=b"))
		r.Header.Set("Sec-Fetch-Site", site)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		require.Equal(t, want, w.Code, site)
	}
	r := httptest.NewRequest(http.MethodPost, "http://dashboard.example/m/acme/", nil)
	r.Header.Set("Origin", "http://evil.example")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	require.Equal(t, http.StatusForbidden, w.Code, "a browser without Sec-Fetch-Site")
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]Money{"0.01 USD": {1, "USD"}, "1,234.56 USD": {123456, "USD"}, "9,999,999.99 USD": {999_999_999, "USD"}, "1,200 JPY": {1200, "JPY"},
		"123,456.789 KWD": {123456789, "KWD"}, "−10.00 EUR": {-1000, "EUR"}, "100 minor units XXQ": {100, "XXQ"}} {
		require.Equal(t, want, m.String())
	}
}

// The timeline of a payment with several captures says what each capture took, which one it is, and how it stands.
func TestTimelineOfCaptures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	manual := func(in *request.Input) { in.CaptureMethod = payment.CaptureManualMultiple }
	p := w.pay(6000, manual).Payment
	for _, amount := range []int64{2000, 1500} {
		_, err := w.engine.CapturePayment(t.Context(), w.auth, p.ID, &request.CaptureInput{Amount: &amount})
		require.NoError(t, err)
	}
	_, page := w.get("/m/acme/payments/" + p.ID)
	for n, amount := range []string{"20.00", "15.00"} {
		require.Contains(t, page, "capture "+amount+" USD at simulator")
		require.Contains(t, page, fmt.Sprintf("%s_1_%d", p.ID, n+1))
	}
	require.Equal(t, 2, strings.Count(page, "The capture is"), page)
	require.Contains(t, page, "charged")
	require.Equal(t, 2, strings.Count(page, "id of the capture"))
}

// TestWaysBackLookAlike: each link that leads back to a list begins with the same mark.
func TestWaysBackLookAlike(t *testing.T) {
	t.Parallel()
	pages, err := fs.Glob(files, "pages/*.html")
	require.NoError(t, err)
	found := 0
	for _, page := range pages {
		text, err := fs.ReadFile(files, page)
		require.NoError(t, err)
		for _, after := range strings.Split(string(text), " data-back>")[1:] {
			found++
			require.True(t, strings.HasPrefix(after, "‹ "), "%s: %.30s", page, after)
		}
	}
	require.Greater(t, found, 4)
}

package dashboard

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/router"
	"payswitch/sdk"
	"payswitch/storage"
	"payswitch/storage/litetest"
)

func TestMain(m *testing.M) {
	readTime = time.Minute
	os.Exit(litetest.Run(m))
}

// staffWorld is the dashboard with people, over the real engine and SQLite. Its clock stands still unless a test moves it.
type staffWorld struct {
	t      testing.TB
	staff  *staff.Service
	server *Server
	file   string
	mu     sync.Mutex
	time   time.Time
}

func (w *staffWorld) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.time
}

func (w *staffWorld) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.time = w.time.Add(d)
}

func newStaffWorld(t testing.TB, keys staff.Passkeys, options ...func(*Options)) *staffWorld {
	t.Helper()
	w := &staffWorld{t: t, file: filepath.Join(t.TempDir(), "test.db"), time: time.Now()}
	ctx := context.Background()
	litetest.Begin(t, w.file)
	store, err := storage.Open(ctx, "sqlite:"+w.file, storage.Options{})
	require.NoError(t, err)
	vault, err := engine.OpenVault(ctx, store, secret.New("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="))
	require.NoError(t, err)
	connectors := plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()})
	e, err := engine.New(engine.Deps{Store: store, Connectors: connectors, Vault: vault, Presenter: router.Presenter{}},
		engine.Options{PublicURL: "http://api.example"})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, e.Close(ctx))
		require.NoError(t, store.Close())
	})
	for _, id := range []string{"acme", "other"} {
		_, err = e.CreateMerchant(ctx, account.MerchantInput{ID: id})
		require.NoError(t, err)
	}
	w.staff = staff.New(staff.Deps{Store: port.Narrow[staff.Reader, staff.Tx](store), Vault: vault, Now: w.now, Passkeys: keys}, staff.Options{})
	o := Options{APIURL: "http://api.example"}
	for _, change := range options {
		change(&o)
	}
	w.server, err = New(Deps{Staff: w.staff, Engine: e, Events: e.Webhooks, Adapters: connectors, Presenter: router.Presenter{}, Now: w.now, System: installationOf{}, Logs: installationOf{}}, o)
	require.NoError(t, err)
	return w
}

// installationOf is System and Logs of an installation about which nothing is known.
type installationOf struct{}

func (installationOf) State(context.Context) SystemState      { return SystemState{} }
func (installationOf) Settings() []Setting                    { return nil }
func (installationOf) Kept() bool                             { return false }
func (installationOf) Lines(LogFilter) ([]LogLine, time.Time) { return nil, time.Time{} }

// visitor is a browser without script.
type visitor struct {
	w       *staffWorld
	cookie  *http.Cookie
	address string
	headers map[string]string
}

func (w *staffWorld) visitor() *visitor { return &visitor{w: w, address: "127.0.0.1"} }

func (v *visitor) do(method, path string, pairs ...string) *httptest.ResponseRecorder {
	v.w.t.Helper()
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	r := httptest.NewRequest(method, path, strings.NewReader(values.Encode()))
	r.RemoteAddr = v.address + ":1234"
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for name, value := range v.headers {
		r.Header.Set(name, value)
	}
	if v.cookie != nil {
		r.AddCookie(v.cookie)
	}
	rec := httptest.NewRecorder()
	v.w.server.ServeHTTP(rec, r)
	for _, c := range rec.Result().Cookies() {
		v.cookie = c
		if c.MaxAge < 0 {
			v.cookie = nil
		}
	}
	return rec
}

func (v *visitor) get(path string) *httptest.ResponseRecorder { return v.do(http.MethodGet, path) }

// goes sends a form that must lead to another page.
func (v *visitor) goes(to, path string, pairs ...string) {
	v.w.t.Helper()
	rec := v.do(http.MethodPost, path, pairs...)
	require.Equal(v.w.t, http.StatusSeeOther, rec.Code, mainOf(rec.Body.String()))
	require.Equal(v.w.t, to, rec.Header().Get("Location"))
}

const phrase = "seven green kettles sing"

// user makes a user with the password phrase.
func (w *staffWorld) user(email string, grants ...staff.Grant) string {
	w.t.Helper()
	link, id, err := w.staff.Invite(context.Background(), nil, staff.InviteInput{Email: email, Grants: grants})
	require.NoError(w.t, err)
	_, err = w.staff.UseLink(context.Background(), staff.Visit{Address: "192.0.2.200"}, link, staff.LinkInput{Password: secret.New(phrase)})
	require.NoError(w.t, err)
	w.pass(time.Minute)
	return id
}

// signedIn returns a browser of a new user, with an authenticator app if the role needs one. It returns the app's key.
func (w *staffWorld) signedIn(email string, grants ...staff.Grant) (v *visitor, id, key string) {
	w.t.Helper()
	id = w.user(email, grants...)
	v = w.visitor()
	rec := v.do(http.MethodPost, "/login", "email", email, "password", phrase)
	require.Equal(w.t, http.StatusSeeOther, rec.Code, rec.Body.String())
	if strings.HasPrefix(rec.Header().Get("Location"), "/enrol") {
		key = v.addApp()
	}
	return v, id, key
}

var shownKey = regexp.MustCompile(`<code class="id">([A-Z2-7 ]+)</code>`)

// addApp goes through the enrolment of an authenticator app, and returns its key.
func (v *visitor) addApp() (key string) {
	v.w.t.Helper()
	v.goes("/enrol?next=%2F", "/enrol/app", "next", "/")
	page := v.get("/enrol").Body.String()
	found := shownKey.FindStringSubmatch(page)
	require.NotNil(v.w.t, found, mainOf(page))
	key = strings.ReplaceAll(found[1], " ", "")
	rec := v.do(http.MethodPost, "/enrol/code", "code", appCode(key, v.w.now()), "next", "/")
	require.Equal(v.w.t, http.StatusOK, rec.Code)
	require.Contains(v.w.t, rec.Body.String(), "Your recovery codes")
	return key
}

// appCode returns what an authenticator app shows, as RFC 6238 has it.
func appCode(key string, at time.Time) string {
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(key)
	if err != nil {
		panic(err)
	}
	mac := hmac.New(sha1.New, b)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(at.Unix()/30)))
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[19]&15:])&0x7fffffff%1000000)
}

// TestFirstRun: the first link makes the first user. Until then other machines get nothing, nor does a proxy on this one.
func TestFirstRun(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	link, _, err := w.staff.FirstLink(t.Context())
	require.NoError(t, err)
	path := "/enter/" + link.Reveal()
	far := &visitor{w: w, address: "192.0.2.9"}
	require.Equal(t, http.StatusForbidden, far.get(path).Code)
	require.Equal(t, http.StatusForbidden, far.get("/login").Code)
	proxied := &visitor{w: w, address: "127.0.0.1", headers: map[string]string{"X-Forwarded-For": "192.0.2.9"}}
	require.Equal(t, http.StatusForbidden, proxied.get(path).Code)

	v := w.visitor()
	require.Equal(t, http.StatusGone, v.get("/enter/"+strings.Repeat("x", 43)).Code)
	for range 2 {
		require.Contains(t, v.get(path).Body.String(), "Set up payswitch", "a look does not use the link up")
	}
	weak := v.do(http.MethodPost, path, "email", "ada@example.com", "name", "Ada", "password", "password1234")
	require.Equal(t, http.StatusUnprocessableEntity, weak.Code)
	require.Contains(t, weak.Body.String(), "guessed first")
	require.Contains(t, weak.Body.String(), `value="ada@example.com"`)
	v.goes("/enrol?next=%2F", path, "email", "ada@example.com", "name", "Ada", "password", phrase)
	require.Equal(t, http.StatusGone, w.visitor().get(path).Code)
	v.addApp()
	home := v.get("/")
	require.Equal(t, http.StatusOK, home.Code)
	require.Contains(t, home.Body.String(), "acme")
	require.Equal(t, http.StatusOK, far.get("/login").Code, "with a user, others may sign in")
}

func TestCookie(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	v, _, _ := w.signedIn("vi@example.com", staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	require.Equal(t, "ps", v.cookie.Name, "without TLS browsers refuse the prefix")
	require.True(t, v.cookie.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, v.cookie.SameSite)
	require.Equal(t, "/", v.cookie.Path)
	require.Empty(t, v.cookie.Domain)
	require.GreaterOrEqual(t, len(v.cookie.Value), 43, "256 bits")
	safe := newStaffWorld(t, nil, func(o *Options) { o.URL = "https://dashboard.example" })
	v, _, _ = safe.signedIn("vi@example.com", staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	require.Equal(t, "__Host-ps", v.cookie.Name)
	require.True(t, v.cookie.Secure)
	planted := safe.visitor()
	planted.cookie = &http.Cookie{Name: "ps", Value: v.cookie.Value}
	require.Equal(t, http.StatusSeeOther, planted.get("/me").Code, "a cookie that another host can set counts for nothing")
}

// TestSignIn goes through a login of two steps, and out again.
func TestSignIn(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	_, _, key := w.signedIn("ad@example.com", staff.Grant{MerchantID: "acme", Role: staff.Admin})
	v := w.visitor()
	require.Equal(t, "/login?next=%2Fm%2Facme%2Fteam", v.get("/m/acme/team").Header().Get("Location"))
	wrong := v.do(http.MethodPost, "/login", "email", "ad@example.com", "password", "wrong", "next", "/m/acme/team")
	unknown := v.do(http.MethodPost, "/login", "email", "ad@example.org", "password", phrase, "next", "/m/acme/team")
	require.Equal(t, http.StatusUnauthorized, wrong.Code)
	require.Equal(t, strings.ReplaceAll(wrong.Body.String(), "example.com", "example.org"), unknown.Body.String(), "the same answer")
	v.goes("/confirm?next=%2Fm%2Facme%2Fteam", "/login", "email", "ad@example.com", "password", phrase, "next", "/m/acme/team")
	half := v.cookie.Value
	for _, path := range []string{"/", "/me", "/m/acme/", "/m/acme/team", "/m/acme/audit", "/enrol"} {
		rec := v.get(path)
		require.Equal(t, http.StatusSeeOther, rec.Code, path)
		require.Contains(t, rec.Header().Get("Location"), "/confirm", "half a login sees nothing")
	}
	require.Equal(t, http.StatusSeeOther, v.do(http.MethodPost, "/m/acme/team", "email", "eve@example.com", "role", "admin").Code)
	require.Equal(t, http.StatusUnauthorized, v.do(http.MethodPost, "/confirm", "code", "000000").Code)
	w.pass(time.Minute)
	v.goes("/m/acme/team", "/confirm", "code", appCode(key, w.now()), "next", "/m/acme/team")
	require.NotEqual(t, half, v.cookie.Value)
	require.Contains(t, v.get("/m/acme/team").Body.String(), "ad@example.com")
	require.NotContains(t, v.get("/m/acme/team").Body.String(), "eve@example.com")
	fixed := w.visitor()
	fixed.cookie = &http.Cookie{Name: "ps", Value: half}
	require.Equal(t, http.StatusSeeOther, fixed.get("/me").Code, "the token of before the second step is void")

	old := *v.cookie
	v.goes("/login", "/logout")
	require.Nil(t, v.cookie)
	v.cookie = &old
	require.Equal(t, http.StatusSeeOther, v.get("/me").Code, "a token of before the logout is void")
}

// TestFixation: a token that somebody planted in the browser is not the one after the login.
func TestFixation(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	w.user("vi@example.com", staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	v := w.visitor()
	v.cookie = &http.Cookie{Name: "ps", Value: "planted-by-somebody-else-0123456789abcdefgh"}
	v.goes("/", "/login", "email", "vi@example.com", "password", phrase)
	require.NotContains(t, v.cookie.Value, "planted")
	other := w.visitor()
	other.cookie = &http.Cookie{Name: "ps", Value: "planted-by-somebody-else-0123456789abcdefgh"}
	require.Equal(t, "/login?next=%2Fme", other.get("/me").Header().Get("Location"))
}

func TestSessionOfDisabledUser(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	v, id, _ := w.signedIn("vi@example.com", staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	require.Equal(t, http.StatusOK, v.get("/m/acme/").Code)
	require.NoError(t, w.staff.Disable(t.Context(), nil, id))
	require.Equal(t, http.StatusSeeOther, v.get("/m/acme/").Code)
	require.Equal(t, http.StatusUnauthorized, v.do(http.MethodPost, "/login", "email", "vi@example.com", "password", phrase).Code)
}

// TestForeignPosts: no form of another origin reaches a handler, on any route.
func TestForeignPosts(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	v, _, _ := w.signedIn("ad@example.com", staff.Grant{Role: staff.Operator}, staff.Grant{Role: staff.Admin})
	posts := 0
	for _, r := range w.server.routes {
		if r.method == http.MethodGet {
			continue
		}
		posts++
		for _, site := range []string{"cross-site", "same-site", "none"} {
			v.headers = map[string]string{"Sec-Fetch-Site": site}
			require.Equal(t, http.StatusForbidden, v.do(http.MethodPost, filled(r.pattern)).Code, "%s from %s", r.pattern, site)
		}
		v.headers = map[string]string{"Sec-Fetch-Site": "", "Origin": "http://example.com:8080"}
		require.Equal(t, http.StatusForbidden, v.do(http.MethodPost, filled(r.pattern)).Code, "%s from another port, by an old browser", r.pattern)
	}
	require.Greater(t, posts, 10)
	v.headers = nil
	require.Equal(t, http.StatusOK, v.get("/me").Code, "the session goes on")
}

// filled returns a path of a pattern, with a merchant that exists and other ids that do not.
func filled(pattern string) string {
	path := strings.ReplaceAll(strings.ReplaceAll(pattern, "{m}", "acme"), "{$}", "")
	return regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(path, "none_of_these")
}

// TestRouteByRole asks for each route as each role: what the table of roles does not allow is refused before its handler runs.
func TestRouteByRole(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	for _, role := range staff.Roles() {
		g := staff.Grant{MerchantID: "acme", Role: role}
		if role == staff.Operator {
			g.MerchantID = ""
		}
		v, _, _ := w.signedIn(string(role)+"@example.com", g)
		for _, r := range w.server.routes {
			if r.pattern == "/logout" || strings.HasPrefix(r.pattern, "/enrol") || strings.HasPrefix(r.pattern, "/me/") { // these end or change the session
				continue
			}
			needs := r.needs == "" || staff.ReachOf(role, r.needs) > staff.Never && (r.merchant() || r.anywhere || g.MerchantID == "")
			rec := v.do(r.method, filled(r.pattern))
			refused := rec.Code == http.StatusForbidden && strings.Contains(rec.Body.String(), "This page needs the role")
			require.Equal(t, needs, !refused, "%s: %s %s needs %q: status %d", role, r.method, r.pattern, r.needs, rec.Code)
			if r.merchant() && g.MerchantID != "" {
				foreign := v.do(r.method, strings.Replace(filled(r.pattern), "/m/acme", "/m/other", 1))
				require.Equal(t, http.StatusNotFound, foreign.Code, "%s: %s %s of another merchant", role, r.method, r.pattern)
			}
		}
	}
}

// TestEveryRouteIsGuarded asks for each route without a session.
func TestEveryRouteIsGuarded(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	w.user("vi@example.com", staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	open := map[string]bool{"GET /login": true, "POST /login": true, "POST /login/passkey": true, "POST /passkey": true,
		"GET /enter/{link}": true, "POST /enter/{link}": true,
		"POST /logout": true}
	for _, r := range w.server.routes {
		require.Equal(t, open[r.method+" "+r.pattern], r.open, "%s %s: a route that needs no session is in this list", r.method, r.pattern)
		if r.open {
			continue
		}
		rec := w.visitor().do(r.method, filled(r.pattern))
		require.Equal(t, http.StatusSeeOther, rec.Code, "%s %s", r.method, r.pattern)
		require.True(t, strings.HasPrefix(rec.Header().Get("Location"), "/login"), "%s %s", r.method, r.pattern)
	}
}

// TestGETsChangeNothing compares the database before and after a GET of each route.
func TestGETsChangeNothing(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	v, _, _ := w.signedIn("ad@example.com", staff.Grant{Role: staff.Operator}, staff.Grant{Role: staff.Admin})
	link, _, err := w.staff.Invite(t.Context(), nil, staff.InviteInput{Email: "new@example.com", Grants: []staff.Grant{{MerchantID: "acme",
		Role: staff.Viewer}}})
	require.NoError(t, err)
	before := w.sums()
	require.NotEmpty(t, before)
	for _, r := range w.server.routes {
		if r.method != http.MethodGet {
			continue
		}
		for range 2 {
			v.get(strings.ReplaceAll(filled(r.pattern), "/enter/none_of_these", "/enter/"+link.Reveal()))
		}
		require.Equal(t, before, w.sums(), r.pattern)
	}
}

// sums are hashes of all tables.
func (w *staffWorld) sums() map[string]string {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.file)
	require.NoError(w.t, err)
	defer db.Close()
	var names []string
	rows, err := db.Query("SELECT name FROM sqlite_master WHERE type = 'table'")
	require.NoError(w.t, err)
	for rows.Next() {
		var name string
		require.NoError(w.t, rows.Scan(&name))
		names = append(names, name)
	}
	require.NoError(w.t, rows.Close())
	out := map[string]string{}
	for _, name := range names {
		rows, err := db.Query("SELECT * FROM " + name)
		require.NoError(w.t, err)
		columns, err := rows.Columns()
		require.NoError(w.t, err)
		h := sha256.New()
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			require.NoError(w.t, rows.Scan(values...))
			for _, v := range values {
				fmt.Fprintf(h, "%v\x00", *v.(*any))
			}
		}
		require.NoError(w.t, rows.Close())
		out[name] = fmt.Sprintf("%x", h.Sum(nil))
	}
	return out
}

// TestLinkFromElsewhere: a link in a mail comes without the strict cookie, and the page loads itself again. Nothing else of another site does.
func TestLinkFromElsewhere(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	v, _, _ := w.signedIn("vi@example.com", staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	mail := w.visitor()
	mail.headers = map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
	rec := mail.get("/m/acme/payments?q=a")
	require.Equal(t, http.StatusOK, rec.Code)
	require.Contains(t, rec.Body.String(), `<meta http-equiv="refresh" content="0">`)
	require.NotContains(t, rec.Body.String(), "acme")
	mail.headers["Sec-Fetch-Mode"] = "no-cors"
	require.Equal(t, http.StatusSeeOther, mail.get("/m/acme/").Code)
	mail.headers = map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}
	require.Equal(t, http.StatusSeeOther, mail.get("/m/acme/").Code, "it loads itself once")
	v.headers = map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
	require.Equal(t, http.StatusOK, v.get("/m/acme/").Code)
}

func TestNext(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"/m/acme/?a=b": "/m/acme/?a=b", "": "/", "https://evil.example/": "/", "//evil.example": "/",
		`/\evil.example`: "/", "javascript:alert(1)": "/",
		"/login": "/", "/confirm?next=/": "/", "evil": "/", "/a\r\nSet-Cookie: b": "/", "/enter/abc": "/", "///evil.example": "/"} {
		require.Equal(t, want, next(given), given)
	}
}

// TestTeam invites, changes and removes people, and refuses what would raise the administrator's own rights.
func TestTeam(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	v, own, key := w.signedIn("ad@example.com", staff.Grant{MerchantID: "acme", Role: staff.Admin})
	operator := w.user("op@example.com", staff.Grant{Role: staff.Operator})
	foreign := w.user("fo@example.com", staff.Grant{MerchantID: "other", Role: staff.Viewer})
	w.pass(3 * time.Minute)
	stale := v.do(http.MethodPost, "/m/acme/team", "email", "su@example.com", "role", "support")
	require.Equal(t, http.StatusForbidden, stale.Code)
	require.Contains(t, stale.Body.String(), "Nothing was changed")
	v.goes("/m/acme/team", "/confirm", "code", appCode(key, w.now()), "next", "/m/acme/team")
	bad := v.do(http.MethodPost, "/m/acme/team", "email", "su@example.com", "role", "support", "limits", "many EUR")
	require.Equal(t, http.StatusUnprocessableEntity, bad.Code)
	require.Contains(t, bad.Body.String(), "is not an amount of money")
	made := v.do(http.MethodPost, "/m/acme/team", "email", "su@example.com", "name", "Su", "role", "support", "limits", "100.00 EUR, 5000 JPY")
	require.Equal(t, http.StatusOK, made.Code, mainOf(made.Body.String()))
	found := regexp.MustCompile(`/enter/[A-Za-z0-9_-]{43}`).FindString(html.UnescapeString(made.Body.String()))
	require.NotEmpty(t, found)
	su := w.visitor()
	su.goes("/", found, "name", "Su", "password", phrase)
	require.Equal(t, http.StatusOK, su.get("/m/acme/").Code)
	list, err := w.staff.Team(t.Context(), nil, "acme")
	require.NoError(t, err)
	var id string
	for _, m := range list {
		if m.Email == "su@example.com" {
			id = m.ID
			require.Equal(t, map[sdk.Currency]int64{"EUR": 10000, "JPY": 5000}, m.Grants[0].Limits)
		}
	}
	for _, role := range []string{"operator", "owner", ""} {
		require.NotEqual(t, http.StatusSeeOther, v.do(http.MethodPost, "/m/acme/team/"+id+"/roles", "role", role).Code, role)
	}
	require.Equal(t, http.StatusForbidden, v.do(http.MethodPost, "/m/acme/team/"+own+"/roles", "role", "viewer").Code, "one's own role")
	require.Equal(t, http.StatusForbidden, v.do(http.MethodPost, "/m/acme/team/"+operator+"/reset").Code, "an operator is not taken over")
	require.Equal(t, http.StatusNotFound, v.do(http.MethodPost, "/m/acme/team/"+foreign+"/reset").Code)
	require.Equal(t, http.StatusForbidden, v.do(http.MethodPost, "/team", "email", "x@example.com", "role", "operator").Code)
	v.goes("/m/acme/team/"+id, "/m/acme/team/"+id+"/roles", "role", "viewer")
	require.Equal(t, http.StatusSeeOther, su.get("/m/acme/").Code, "a change of roles ends the session")
	v.goes("/m/acme/team", "/m/acme/team/"+id+"/remove")
	require.NotContains(t, v.get("/m/acme/team").Body.String(), "su@example.com")
	audit := mainOf(v.get("/m/acme/audit").Body.String())
	require.Contains(t, audit, "invited a user")
	require.Contains(t, audit, "changed roles")
	require.Equal(t, http.StatusForbidden, v.get("/audit").Code)
}

// TestMe changes what people change about themselves.
func TestMe(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	v, _, _ := w.signedIn("vi@example.com", staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	v.goes("/me?done=saved", "/me", "name", "Vi", "time_zone", "Asia/Tokyo", "theme", "dark")
	page := v.get("/me").Body.String()
	require.Contains(t, page, `data-theme="dark"`)
	require.Contains(t, page, `value="Asia/Tokyo"`)
	require.Equal(t, http.StatusUnprocessableEntity, v.do(http.MethodPost, "/me", "name", "Vi", "time_zone", "Mars/North").Code)
	require.Equal(t, http.StatusForbidden, v.do(http.MethodPost, "/me/password", "password", phrase).Code)
	v.goes("/me", "/confirm", "password", phrase, "next", "/me")
	second := w.visitor()
	second.goes("/", "/login", "email", "vi@example.com", "password", phrase)
	v.goes("/me?done=password", "/me/password", "password", "nine purple lamps hum")
	require.Equal(t, http.StatusSeeOther, second.get("/me").Code)
	second.goes("/", "/login", "email", "vi@example.com", "password", "nine purple lamps hum")
	ids := regexp.MustCompile(`name="id" value="(sess_[^"]+)"`).FindStringSubmatch(v.get("/me").Body.String())
	require.NotNil(t, ids)
	v.goes("/me?done=ended", "/me/ended", "id", ids[1])
	require.Equal(t, http.StatusSeeOther, second.get("/me").Code)
	require.Equal(t, http.StatusNotFound, v.do(http.MethodPost, "/me/anything").Code)
	v.addApp()
	page = v.get("/me").Body.String()
	require.Contains(t, page, "10 of 10 unused")
	require.Contains(t, v.do(http.MethodPost, "/me/recovery").Body.String(), "Your recovery codes")
	v.goes("/me?done=app", "/me/app")
	require.NotContains(t, v.get("/me").Body.String(), "Remove the app")
}

// TestSecretsStayOut: no page shows a token of a session, a password hash or the key of an app that counts.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	w := newStaffWorld(t, nil)
	v, _, key := w.signedIn("ad@example.com", staff.Grant{Role: staff.Operator}, staff.Grant{Role: staff.Admin})
	for _, r := range w.server.routes {
		if r.method == http.MethodGet {
			text := v.get(filled(r.pattern)).Body.String()
			require.NotContains(t, text, v.cookie.Value, r.pattern)
			require.NotContains(t, strings.ReplaceAll(text, " ", ""), key, r.pattern)
			require.NotContains(t, text, "argon2id", r.pattern)
		}
	}
}

func TestBrowserName(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36":                                   "Chrome on Linux",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                        "Firefox on Windows",
		"curl/8.5.0": "curl", "": "Another program",
	} {
		require.Equal(t, want, browserName(agent))
	}
}

// merchant reports whether a route is about one merchant.
func (r route) merchant() bool { return strings.Contains(r.pattern, "{m}") }

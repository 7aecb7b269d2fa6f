package staff_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/storage"
	"payswitch/storage/litetest"
)

const masterKey = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

// house is a Service on SQLite with a clock of its own.
type house struct {
	*staff.Service
	t    *testing.T
	db   *storage.DB
	mu   sync.Mutex
	time time.Time
}

func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.time
}

func (h *house) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.time = h.time.Add(d)
}

// fakePasskeys is a device whose answer is its passkey's id. It checks nothing but the state.
type fakePasskeys struct{}

func (fakePasskeys) BeginEnrol(userID, _, _ string, _ []staff.Passkey) (json.RawMessage, string, error) {
	return json.RawMessage(`{}`), "enrol " + userID, nil
}

func (fakePasskeys) FinishEnrol(userID, _, _ string, _ []staff.Passkey, state string, answer []byte) (staff.Passkey, error) {
	if state != "enrol "+userID {
		return staff.Passkey{}, errors.New("another state")
	}
	return staff.Passkey{ID: answer, Data: json.RawMessage(`{"user":"` + userID + `"}`)}, nil
}

func (fakePasskeys) BeginLogin() (json.RawMessage, string, error) {
	return json.RawMessage(`{}`), "login", nil
}

func (fakePasskeys) FinishLogin(state string, answer []byte, find func(string) ([]staff.Passkey, error)) (staff.Passkey, error) {
	userID, id, _ := strings.Cut(string(answer), "/")
	have, err := find(userID)
	if err != nil || state != "login" {
		return staff.Passkey{}, errors.New("no such user")
	}
	for _, p := range have {
		if string(p.ID) == id {
			return p, nil
		}
	}
	return staff.Passkey{}, errors.New("no such passkey")
}

func TestMain(m *testing.M) { os.Exit(litetest.Run(m)) }

func newHouse(t *testing.T, o staff.Options) *house {
	h := &house{t: t, time: time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)}
	file := filepath.Join(t.TempDir(), "p.db")
	litetest.Begin(t, file)
	db, err := storage.Open(t.Context(), "sqlite:"+file, storage.Options{Readers: 2, Clock: h.now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	h.db = db
	v, err := engine.OpenVault(t.Context(), db, secret.New(masterKey))
	require.NoError(t, err)
	h.Service = staff.New(staff.Deps{Store: port.Narrow[staff.Reader, staff.Tx](db), Vault: v, Now: h.now, Passkeys: fakePasskeys{}}, o)
	return h
}

// node is the same installation seen by another node.
func (h *house) node(o staff.Options) *house {
	return &house{Service: staff.New(h.Deps, o), t: h.t, db: h.db}
}

var (
	here   = staff.Visit{Address: "192.0.2.1", Browser: "test"}
	phrase = secret.New("seven green kettles sing")
	ctx    = context.Background()
)

// user makes an active user with the password phrase.
func (h *house) user(email string, grants ...staff.Grant) string {
	h.t.Helper()
	link, id, err := h.Invite(ctx, nil, staff.InviteInput{Email: email, Grants: grants})
	require.NoError(h.t, err)
	_, err = h.UseLink(ctx, staff.Visit{Address: "192.0.2.200"}, link, staff.LinkInput{Password: phrase})
	require.NoError(h.t, err)
	h.pass(time.Minute) // the bucket fills again
	return id
}

func (h *house) session(token secret.Value) *staff.Session {
	h.t.Helper()
	s, err := h.Session(ctx, token)
	require.NoError(h.t, err)
	return s
}

// app enrols an authenticator app at the end of a first login.
func (h *house) app(token secret.Value) (key string, in *staff.LoginResult) {
	h.t.Helper()
	e, err := h.BeginTOTP(ctx, h.session(token))
	require.NoError(h.t, err)
	in, err = h.FinishTOTP(ctx, here, token, staff.CodeOf(e.Key.Reveal(), h.now()))
	require.NoError(h.t, err)
	return e.Key.Reveal(), in
}

// admin returns a user with an app, logged in.
func (h *house) admin(email string, grants ...staff.Grant) (id, key string, in *staff.LoginResult) {
	h.t.Helper()
	id = h.user(email, grants...)
	half, err := h.Login(ctx, here, email, phrase)
	require.NoError(h.t, err)
	require.Equal(h.t, staff.NeedEnrol, half.Stage)
	key, in = h.app(half.Token)
	require.Equal(h.t, staff.Full, in.Stage)
	return id, key, in
}

func (h *house) actions(f staff.EntryFilter) (out []string) {
	require.NoError(h.t, h.db.View(ctx, func(r engine.Reader) error {
		list, err := r.StaffEntries(f)
		for _, e := range list {
			out = append(out, e.Action)
		}
		return err
	}))
	return out
}

var (
	viewer   = staff.Grant{MerchantID: "m1", Role: staff.Viewer}
	adminOne = staff.Grant{MerchantID: "m1", Role: staff.Admin}
)

func TestFirstUser(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	link, ok, err := h.FirstLink(ctx)
	require.NoError(t, err)
	require.True(t, ok)
	other, ok, err := h.FirstLink(ctx) // of another node
	require.NoError(t, err)
	require.True(t, ok)
	v, err := h.Link(ctx, link)
	require.NoError(t, err)
	require.True(t, v.First)
	in := staff.LinkInput{Email: "ada@example.com", Name: "Ada", Password: phrase}
	_, err = h.UseLink(ctx, here, link, staff.LinkInput{Email: "ada@example.com", Password: secret.New("password1234")})
	require.ErrorContains(t, err, "guessed first")
	got, err := h.UseLink(ctx, here, link, in)
	require.NoError(t, err, "a refused password leaves the link")
	require.Equal(t, staff.NeedEnrol, got.Stage, "the first user is an operator")
	s := h.session(got.Token)
	require.Empty(t, s.Grants, "nothing is allowed before the second factor")
	_, err = h.UseLink(ctx, here, link, in)
	require.ErrorIs(t, err, staff.ErrLink, "replayed")
	_, err = h.UseLink(ctx, here, other, staff.LinkInput{Email: "eve@example.com", Name: "Eve", Password: phrase})
	require.ErrorIs(t, err, staff.ErrLink, "a second first user")
	_, ok, err = h.FirstLink(ctx)
	require.NoError(t, err)
	require.False(t, ok)
	_, full := h.app(got.Token)
	require.Len(t, full.Codes, 10)
	s = h.session(full.Token)
	require.True(t, s.May(staff.ManageAdapters, ""))
	require.True(t, s.May(staff.SeePayments, "any"))
	_, err = h.Session(ctx, got.Token)
	require.ErrorIs(t, err, staff.ErrNoSession, "the token of before the second factor is void")
}

// TestFirstLinksTogether uses two first links at once.
func TestFirstLinksTogether(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	var links []secret.Value
	for range 4 {
		l, _, err := h.FirstLink(ctx)
		require.NoError(t, err)
		links = append(links, l)
	}
	won := make(chan bool, len(links))
	for i, l := range links {
		go func() {
			_, err := h.UseLink(ctx, here, l, staff.LinkInput{Email: fmt.Sprintf("u%d@example.com", i), Password: phrase})
			won <- err == nil
		}()
	}
	n := 0
	for range links {
		if <-won {
			n++
		}
	}
	require.Equal(t, 1, n)
}

func TestLinkEnds(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	link, _, err := h.FirstLink(ctx)
	require.NoError(t, err)
	h.pass(staff.FirstLinkTime)
	_, err = h.Link(ctx, link)
	require.ErrorIs(t, err, staff.ErrLink)
	_, err = h.UseLink(ctx, here, link, staff.LinkInput{Email: "a@example.com", Password: phrase})
	require.ErrorIs(t, err, staff.ErrLink)
}

func TestLogin(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	h.user("vi@example.com", viewer)
	in, err := h.Login(ctx, here, " Vi@Example.com", phrase)
	require.NoError(t, err)
	require.Equal(t, staff.Full, in.Stage, "a viewer of a test installation needs no second factor")
	require.True(t, h.session(in.Token).May(staff.SeePayments, "m1"))
	for _, c := range [][2]string{{"vi@example.com", "another password"}, {"nobody@example.com", phrase.Reveal()}} {
		_, err = h.Login(ctx, here, c[0], secret.New(c[1]))
		require.Equal(t, staff.ErrLogin, err, "the same answer")
	}
	live := h.node(staff.Options{Live: true})
	_, err = live.Session(ctx, in.Token)
	require.ErrorIs(t, err, staff.ErrNoSession, "with live keys everybody needs a second factor")
	half, err := live.Login(ctx, here, "vi@example.com", phrase)
	require.NoError(t, err)
	require.Equal(t, staff.NeedEnrol, half.Stage)
}

// TestGuessing: ten failures lock a user at every node, for the right password too, and for as many guesses at once.
func TestGuessing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	id := h.user("vi@example.com", viewer)
	nodes := []*house{h, h.node(staff.Options{})}
	visit := func(n int) staff.Visit { return staff.Visit{Address: fmt.Sprintf("198.51.100.%d", n)} }
	var wg sync.WaitGroup
	for n := range 9 {
		wg.Go(func() {
			_, err := nodes[n%2].Login(ctx, visit(n), "vi@example.com", secret.New(fmt.Sprintf("guess number %d", n)))
			if !errors.Is(err, staff.ErrLogin) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	_, err := h.Login(ctx, visit(20), "vi@example.com", phrase)
	require.NoError(t, err, "nine failures are forgiven")
	for n := range 10 {
		_, err := nodes[n%2].Login(ctx, visit(n), "vi@example.com", secret.New("guess"))
		require.ErrorIs(t, err, staff.ErrLogin)
	}
	for _, node := range nodes {
		_, err := node.Login(ctx, visit(30), "vi@example.com", phrase)
		require.Equal(t, staff.ErrLogin, err, "the right password of a locked user")
	}
	require.Contains(t, h.actions(staff.EntryFilter{UserID: id}), "login.locked")
	m, err := h.Member(ctx, nil, id)
	require.NoError(t, err)
	require.True(t, m.Locked)
	h.pass(30*time.Minute - time.Second)
	_, err = h.Login(ctx, visit(31), "vi@example.com", phrase)
	require.ErrorIs(t, err, staff.ErrLogin)
	h.pass(time.Second)
	_, err = h.Login(ctx, visit(32), "vi@example.com", phrase)
	require.NoError(t, err)
	for n := range 10 {
		_, _ = h.Login(ctx, visit(n), "vi@example.com", secret.New("guess"))
	}
	require.NoError(t, h.Unlock(ctx, nil, id))
	_, err = h.Login(ctx, visit(33), "vi@example.com", phrase)
	require.NoError(t, err, "an administrator unlocked the user")
}

// TestGuessingTogether: of thirty guesses at once, ten are compared.
func TestGuessingTogether(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	_, key, _ := h.admin("ad@example.com", adminOne)
	h.pass(time.Minute)
	half, err := h.Login(ctx, here, "ad@example.com", phrase)
	require.NoError(t, err)
	right := staff.CodeOf(key, h.now())
	var wg sync.WaitGroup
	for n := range 30 {
		wg.Go(func() {
			_, err := h.GiveCode(ctx, staff.Visit{Address: fmt.Sprintf("198.51.100.%d", n)}, half.Token, "000000")
			if !errors.Is(err, staff.ErrLogin) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	_, err = h.GiveCode(ctx, here, half.Token, right)
	require.ErrorIs(t, err, staff.ErrLogin, "the right code after ten failures")
	locked := 0
	for _, a := range h.actions(staff.EntryFilter{}) {
		if a == "login.locked" {
			locked++
		}
	}
	require.Equal(t, 1, locked)
}

// TestPasswordKnown: a person who knows the password cannot try codes without end by logging in between.
func TestPasswordKnown(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	_, key, _ := h.admin("ad@example.com", adminOne)
	h.pass(time.Minute)
	for range 9 {
		half, err := h.Login(ctx, here, "ad@example.com", phrase)
		require.NoError(t, err)
		_, err = h.GiveCode(ctx, here, half.Token, "000000")
		require.ErrorIs(t, err, staff.ErrLogin)
		h.pass(time.Minute)
	}
	half, err := h.Login(ctx, here, "ad@example.com", phrase)
	require.NoError(t, err)
	_, err = h.GiveCode(ctx, here, half.Token, "000000")
	require.ErrorIs(t, err, staff.ErrLogin)
	_, err = h.GiveCode(ctx, here, half.Token, staff.CodeOf(key, h.now()))
	require.ErrorIs(t, err, staff.ErrLogin)
	_, err = h.Login(ctx, here, "ad@example.com", phrase)
	require.ErrorIs(t, err, staff.ErrLogin)
}

func TestAddressIsSlowed(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	h.user("vi@example.com", viewer)
	six := func(n int) staff.Visit { return staff.Visit{Address: fmt.Sprintf("2001:db8:1:2:%x::1", n)} }
	for n := range 20 {
		_, err := h.Login(ctx, six(n), fmt.Sprintf("u%d@example.com", n), phrase)
		require.ErrorIs(t, err, staff.ErrLogin)
	}
	_, err := h.Login(ctx, six(99), "vi@example.com", phrase)
	require.ErrorIs(t, err, staff.ErrSlow, "another address of the same /64")
	_, err = h.Login(ctx, staff.Visit{Address: "2001:db8:1:3::1"}, "vi@example.com", phrase)
	require.NoError(t, err, "another network")
	h.pass(6 * time.Second)
	_, err = h.Login(ctx, six(1), "vi@example.com", phrase)
	require.NoError(t, err)
	_, err = h.Login(ctx, six(1), "vi@example.com", phrase)
	require.ErrorIs(t, err, staff.ErrSlow)
}

// TestAddressWithPort: some proxies note addresses with their port. Each new connection has another port, and the same address.
func TestAddressWithPort(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"198.51.100.7:%d", "[2001:db8::7]:%d", "[::ffff:198.51.100.7]:%d", "[2001:db8::%x]"} {
		h := newHouse(t, staff.Options{})
		for n := range 20 {
			_, err := h.Login(ctx, staff.Visit{Address: fmt.Sprintf(form, 1000+n)}, fmt.Sprintf("u%d@example.com", n), phrase)
			require.ErrorIs(t, err, staff.ErrLogin)
		}
		_, err := h.Login(ctx, staff.Visit{Address: fmt.Sprintf(form, 2000)}, "u@example.com", phrase)
		require.ErrorIs(t, err, staff.ErrSlow, form)
	}
}

func TestCodeWorksOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	_, key, full := h.admin("ad@example.com", adminOne)
	half, err := h.Login(ctx, here, "ad@example.com", phrase)
	require.NoError(t, err)
	require.Equal(t, staff.NeedSecond, half.Stage)
	_, err = h.GiveCode(ctx, here, half.Token, staff.CodeOf(key, h.now()))
	require.ErrorIs(t, err, staff.ErrLogin, "the code of the enrolment")
	h.pass(30 * time.Second)
	code := staff.CodeOf(key, h.now())
	in, err := h.GiveCode(ctx, here, half.Token, code[:3]+" "+code[3:])
	require.NoError(t, err)
	require.Equal(t, staff.Full, in.Stage)
	again, err := h.Login(ctx, here, "ad@example.com", phrase)
	require.NoError(t, err)
	_, err = h.GiveCode(ctx, here, again.Token, code)
	require.ErrorIs(t, err, staff.ErrLogin, "replayed within its 30 seconds")
	recovery := full.Codes[3]
	in, err = h.GiveCode(ctx, here, again.Token, strings.ToLower(strings.ReplaceAll(recovery, "-", " ")))
	require.NoError(t, err)
	require.Equal(t, staff.Full, in.Stage)
	again, err = h.Login(ctx, here, "ad@example.com", phrase)
	require.NoError(t, err)
	_, err = h.GiveCode(ctx, here, again.Token, recovery)
	require.ErrorIs(t, err, staff.ErrLogin, "a recovery code works once")
}

// TestTokenChanges: a token from before a login is worth nothing after it, so that planting one is of no use.
func TestTokenChanges(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	_, key, full := h.admin("ad@example.com", adminOne)
	h.pass(time.Minute)
	half, err := h.Login(ctx, here, "ad@example.com", phrase)
	require.NoError(t, err)
	in, err := h.GiveCode(ctx, here, half.Token, staff.CodeOf(key, h.now()))
	require.NoError(t, err)
	require.NotEqual(t, half.Token.Reveal(), in.Token.Reveal())
	_, err = h.Session(ctx, half.Token)
	require.ErrorIs(t, err, staff.ErrNoSession)
	id := h.session(in.Token).ID
	h.pass(30 * time.Second)
	up, err := h.GiveCode(ctx, here, in.Token, staff.CodeOf(key, h.now()))
	require.NoError(t, err)
	_, err = h.Session(ctx, in.Token)
	require.ErrorIs(t, err, staff.ErrNoSession, "a confirmation changes the token too")
	require.Equal(t, id, h.session(up.Token).ID, "but not the session")
	require.Equal(t, in.EndsAt, up.EndsAt, "nor its end")
	require.NotEqual(t, id, h.session(full.Token).ID)
	// The store has hashes alone.
	require.NoError(t, h.db.View(ctx, func(r engine.Reader) error {
		sum := sha256.Sum256([]byte(up.Token.Reveal()))
		for _, hash := range [][]byte{[]byte(up.Token.Reveal()), sum[:]} {
			_, err := r.StaffLogin(hash)
			require.Error(t, err)
		}
		return nil
	}))
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	h.user("vi@example.com", viewer)
	_, _, in := h.admin("ad@example.com", adminOne)
	h.pass(14 * time.Minute)
	h.session(in.Token)
	h.pass(14 * time.Minute)
	h.session(in.Token)
	h.pass(15 * time.Minute)
	_, err := h.Session(ctx, in.Token)
	require.ErrorIs(t, err, staff.ErrNoSession, "an admin's session idles 15 minutes")
	vi, err := h.Login(ctx, here, "vi@example.com", phrase)
	require.NoError(t, err)
	h.pass(7*time.Hour + 59*time.Minute)
	h.session(vi.Token)
	h.pass(4 * time.Hour)
	h.session(vi.Token)
	h.pass(time.Minute)
	_, err = h.Session(ctx, vi.Token)
	require.ErrorIs(t, err, staff.ErrNoSession, "no session is longer than 12 hours")
	half, err := h.Login(ctx, here, "ad@example.com", phrase)
	require.NoError(t, err)
	h.pass(10 * time.Minute)
	_, err = h.Session(ctx, half.Token)
	require.ErrorIs(t, err, staff.ErrNoSession, "half a login waits 10 minutes")
	n, err := h.Sweep(ctx)
	require.NoError(t, err)
	require.Zero(t, n)
	h.pass(49 * time.Hour)
	n, err = h.Sweep(ctx)
	require.NoError(t, err)
	require.NotZero(t, n)
}

func TestOwnLogins(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	h.user("vi@example.com", viewer)
	var tokens []secret.Value
	for range 3 {
		in, err := h.Login(ctx, here, "vi@example.com", phrase)
		require.NoError(t, err)
		tokens = append(tokens, in.Token)
	}
	s := h.session(tokens[0])
	require.NoError(t, h.EndLogin(ctx, s, h.session(tokens[1]).ID))
	_, err := h.Session(ctx, tokens[1])
	require.ErrorIs(t, err, staff.ErrNoSession)
	p, err := h.Person(ctx, s)
	require.NoError(t, err)
	require.Len(t, p.Logins, 3, "two of these and the one of the invitation")
	require.NoError(t, h.EndLogin(ctx, s, ""))
	_, err = h.Session(ctx, tokens[2])
	require.ErrorIs(t, err, staff.ErrNoSession)
	h.session(tokens[0])
	h.user("wi@example.com", viewer)
	wi, err := h.Login(ctx, here, "wi@example.com", phrase)
	require.NoError(t, err)
	require.Error(t, h.EndLogin(ctx, s, h.session(wi.Token).ID), "another user's login")
	h.session(wi.Token)
	require.NoError(t, h.Logout(ctx, here, tokens[0]))
	require.NoError(t, h.Logout(ctx, here, tokens[0]))
	_, err = h.Session(ctx, tokens[0])
	require.ErrorIs(t, err, staff.ErrNoSession)
}

func TestDisabledUser(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	id := h.user("vi@example.com", viewer)
	in, err := h.Login(ctx, here, "vi@example.com", phrase)
	require.NoError(t, err)
	link, err := h.NewLink(ctx, nil, id)
	require.NoError(t, err)
	_, err = h.Session(ctx, in.Token)
	require.ErrorIs(t, err, staff.ErrNoSession)
	require.NoError(t, h.Disable(ctx, nil, id))
	_, err = h.UseLink(ctx, here, link, staff.LinkInput{Password: phrase})
	require.ErrorIs(t, err, staff.ErrLink, "a link from before")
	_, err = h.Login(ctx, here, "vi@example.com", phrase)
	require.ErrorIs(t, err, staff.ErrLogin)
	_, err = h.NewLink(ctx, nil, id)
	require.Error(t, err)
	require.NoError(t, h.Enable(ctx, nil, id))
	_, err = h.Login(ctx, here, "vi@example.com", phrase)
	require.NoError(t, err)
}

func TestReset(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	id, key, full := h.admin("ad@example.com", adminOne)
	link, err := h.Reset(ctx, nil, id)
	require.NoError(t, err)
	_, err = h.Session(ctx, full.Token)
	require.ErrorIs(t, err, staff.ErrNoSession)
	_, err = h.Login(ctx, here, "ad@example.com", phrase)
	require.ErrorIs(t, err, staff.ErrLogin)
	in, err := h.UseLink(ctx, here, link, staff.LinkInput{Password: secret.New("eleven brown badgers")})
	require.NoError(t, err)
	require.Equal(t, staff.NeedEnrol, in.Stage)
	_, err = h.GiveCode(ctx, here, in.Token, staff.CodeOf(key, h.now()))
	require.ErrorIs(t, err, staff.ErrLogin, "the lost app counts no more")
}

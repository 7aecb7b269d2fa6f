package plugins

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// maxTokens bounds how many accounts' access tokens are kept.
const maxTokens = 4096

// tokens keeps access tokens by account, in memory only. If many operations need a token at the same time, one of them fetches it.
type tokens struct {
	given secret.Value // used instead of fetching a token; absent: the host fetches tokens

	mu      sync.Mutex
	entries map[tokenKey]*token
}

// tokenKey is an account at one adapter build with its present credentials: other credentials have another token.
type tokenKey struct {
	account string
	adapter string
	config  [32]byte
}

// token is an access token, perhaps one that is still being fetched. Its other fields may be read once ready is closed.
type token struct {
	ready   chan struct{}
	value   secret.Value
	own     bool // it is proven that the token belongs to this account
	expires time.Time
	err     error
}

func (t *token) done() bool {
	select {
	case <-t.ready:
		return true
	default:
		return false
	}
}

// get returns a token that has not expired and is not stale (a value that the processor has just refused). get calls fetch if it has no such token. An error goes
// to all callers that waited, unless the fetching caller's own end caused it.
func (s *tokens) get(ctx context.Context, k tokenKey, now func() time.Time, stale secret.Value, fetch func() *token) (*token, error) {
	switch {
	case s.given.IsZero():
	case s.given.Reveal() == stale.Reveal():
		return nil, errNoToken
	default:
		return &token{value: s.given, own: true}, nil
	}
	for {
		s.mu.Lock()
		t := s.entries[k]
		if t != nil && t.done() && (t.err != nil || !now().Before(t.expires) || !stale.IsZero() && t.value.Reveal() == stale.Reveal()) {
			t = nil
		}
		if t == nil {
			t = &token{ready: make(chan struct{})}
			s.keep(k, t, now())
			s.mu.Unlock()
			s.fetch(t, fetch)
			return t, t.err
		}
		s.mu.Unlock()
		select {
		case <-t.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !errors.Is(t.err, context.Canceled) && !errors.Is(t.err, context.DeadlineExceeded) {
			return t, t.err
		}
	}
}

func (s *tokens) fetch(t *token, fetch func() *token) {
	t.err = errors.New("panic while fetching an access token")
	defer close(t.ready)
	got := fetch()
	t.value, t.own, t.expires, t.err = got.value, got.own, got.expires, got.err
}

// keep is called with the lock held.
func (s *tokens) keep(k tokenKey, t *token, now time.Time) {
	if s.entries == nil {
		s.entries = make(map[tokenKey]*token)
	}
	if len(s.entries) >= maxTokens {
		maps.DeleteFunc(s.entries, func(_ tokenKey, t *token) bool { return t.done() && !now.Before(t.expires) })
	}
	if len(s.entries) >= maxTokens {
		maps.DeleteFunc(s.entries, func(_ tokenKey, t *token) bool { return t.done() })
	}
	s.entries[k] = t
}

// tokenKey returns the key of the operation's account.
func (o *operation) tokenKey() tokenKey {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", o.in.Account.Environment, o.reach.baseURL)
	for _, name := range slices.Sorted(maps.Keys(o.in.Account.Credentials)) {
		fmt.Fprintf(h, " %q %q", name, o.in.Account.Credentials[name].Reveal())
	}
	for _, name := range slices.Sorted(maps.Keys(o.in.Account.Config)) {
		fmt.Fprintf(h, " %q %q", name, o.in.Account.Config[name])
	}
	k := tokenKey{account: o.in.Account.ID, adapter: o.adapter.hash}
	h.Sum(k.config[:0])
	return k
}

// needsToken reports whether a send holds the stand-in of the access token, directly or in an expression.
func (o *operation) needsToken(s *sdk.Send) bool {
	standIn := o.step.Account.Credentials[secretToken]
	if standIn == "" || !fetchesToken(o.adapter.manifest, o.in.Operation) {
		return false
	}
	var in func(x *sdk.Expr) bool
	in = func(x *sdk.Expr) bool {
		return strings.Contains(x.Text, standIn) || slices.ContainsFunc(x.Args, func(a sdk.Expr) bool { return in(&a) })
	}
	return strings.Contains(s.URL, standIn) || strings.Contains(string(s.Body), standIn) ||
		slices.ContainsFunc(s.Headers, func(h sdk.Header) bool { return strings.Contains(h.Value, standIn) }) ||
		slices.ContainsFunc(s.Derive, func(d sdk.Derivation) bool { return in(&d.Expr) })
}

// token makes sure that the operation has an access token other than the stale one. The operation access_token, which fetches it, is not an
// operation of the payment: it moves no money, is not journalled, and needs no resolution.
func (o *operation) token(ctx context.Context, stale secret.Value) error {
	t, err := o.driver.tokens.get(ctx, o.tokenKey(), o.opts.Clock, stale, func() *token {
		t := o.fetchToken(ctx)
		if v, ok := errors.AsType[*Violation](t.err); ok {
			v.Adapter = o.adapter.name // at once, because other operations are about to use the refused token
		}
		return t
	})
	if err != nil {
		return fmt.Errorf("access token: %w", err)
	}
	o.secrets.setToken(t.value, t.own)
	o.scrub.AddKey(t.value)
	return nil
}

// refusal is the error of an access_token operation that the adapter rejected.
type refusal struct{ *sdk.Reject }

// fetchToken performs the operation access_token.
func (o *operation) fetchToken(ctx context.Context) *token {
	in := &port.Drive{Connector: o.in.Connector, Operation: sdk.OpAccessToken, Started: o.opts.Clock(), Account: o.in.Account, Record: o.in.Record, Card: o.in.Card}
	if _, err := rand.Read(in.Seed[:]); err != nil {
		return &token{err: err}
	}
	in.OperationID = "token_" + hex.EncodeToString(in.Seed[:16])
	in.Seed = newSeeded(in.Seed).derived("token")
	f := &operation{driver: o.driver, adapter: o.adapter, in: in, res: &port.DriveResult{AdapterHash: o.adapter.hash}, started: time.Now()}
	if err := f.prepare(); err != nil {
		return &token{err: err}
	}
	err := f.run(ctx)
	for _, v := range f.res.Violations {
		o.keep(v)
	}
	if len(f.steps) > 0 {
		o.res.Recordings = append(o.res.Recordings, f.recording(err))
	}
	if err != nil {
		return &token{err: f.clean(err)}
	}
	switch out := f.res.Outcome; {
	case f.res.Reject != nil:
		return &token{err: refusal{f.res.Reject}}
	case ctx.Err() != nil:
		return &token{err: ctx.Err()}
	case out == nil || out.Status != sdk.StatusToken || out.Token == nil:
		return &token{err: errNoToken}
	default:
		i := f.secrets.named(out.Token.Value)
		if i < 0 || !strings.HasPrefix(out.Token.Value, f.secrets.capturePrefix) {
			return &token{err: violation(RuleOutcome, "an access token that is not the stand-in of a captured value")}
		}
		if problem := out.Token.Impossible(); problem != "" {
			return &token{err: violation(RuleOutcome, "token.%s", problem)}
		}
		life := time.Duration(min(out.Token.ExpiresIn, maxTokenLife)) * time.Second
		life -= min(time.Minute, life/10) // so that no token expires on its way
		x := &f.secrets.secrets[i]
		return &token{value: x.value, own: x.own, expires: o.opts.Clock().Add(life)}
	}
}

// maxTokenLife is how long a token is kept at most, in seconds, whatever the processor says.
const maxTokenLife = 24 * 60 * 60

var errNoToken = errors.New("the processor gave no access token")

// refreshed reports whether the host sends a request once more with a new access token. The processor has refused the request's own token, so it did
// not act.
func (o *operation) refreshed(ctx context.Context, s *sdk.Send, a *answer) bool {
	if a.status != http.StatusUnauthorized || !o.needsToken(s) {
		return false
	}
	stale := o.secrets.value(secretToken)
	if err := o.token(ctx, stale); err != nil {
		o.opts.Logger.Warn("no new access token after one was refused", "adapter", o.adapter.name, "operation_id", o.in.OperationID, "error", err)
		return false
	}
	return true
}

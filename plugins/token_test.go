package plugins_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
)

// oauth returns an adapter that authenticates with an access token; path is where in the answer it takes the token from.
func oauth(path string) *sdk.Adapter {
	a := blind(func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := c.Do(post("/pay", bytesOf(`{"card":{"card_number":"`, testCard(c).Number, `"}}`), mime("application/json"),
			sdk.H("Authorization", "Bearer "+c.Account.Credentials["access_token"])))
		if err != nil {
			return nil, err
		}
		if !r.OK() {
			return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: fmt.Sprint(r.Status)}}, nil
		}
		return authorized, nil
	})
	a.AccessToken = func(c *sdk.Call) (*sdk.Outcome, error) {
		if c.Account.Config["merchant_id"] == "none" {
			return nil, &sdk.Reject{Code: sdk.RejectConfig, Parameter: "merchant_id"}
		}
		r, err := c.Do(&sdk.Send{Method: "POST", URL: "/token", Body: []byte("grant_type=client_credentials&nonce=" + c.ID("")), SafeToRepeat: true,
			Headers: []sdk.Header{mime("application/x-www-form-urlencoded"), sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic("m_1", testSecret(c))))},
			Capture: []sdk.Capture{{Path: path, Name: "access_token"}}})
		if err != nil || !r.OK() {
			return nil, err
		}
		ttl := r.JSON().Int("expires_in")
		return &sdk.Outcome{Status: sdk.StatusToken, Token: &sdk.AccessToken{Value: r.JSON().Str(path), ExpiresIn: ttl}}, nil
	}
	a.Manifest.Authentication = append(a.Manifest.Authentication,
		sdk.Placement{Secret: "access_token", Operation: sdk.OpAccessToken, Path: "/token", In: "response", Field: "access_token"})
	return a
}

func TestAccessTokens(t *testing.T) {
	p := newRecorder(t)
	var issued, lastGood, lifetime atomic.Int64
	lifetime.Store(600)
	lastGood.Store(1)
	p.answer = func(w http.ResponseWriter, r recorded) {
		if r.uri == "/token" {
			n := issued.Add(1)
			fmt.Fprintf(w, `{"access_token":"token_number_%d","scope":"secret author_key","author":"sk_author_0123456789","expires_in":%d}`, n, lifetime.Load())
			return
		}
		if r.header.Get("Authorization") < fmt.Sprintf("Bearer token_number_%d", lastGood.Load()) {
			w.WriteHeader(401)
		}
		_, _ = io.WriteString(w, `{"echo":"`+r.header.Get("Authorization")+`"}`)
	}
	var mu sync.Mutex
	now := time.Now()
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	host := func(path string, o plugins.Options) port.Connectors {
		o.AllowLoopbackHTTP, o.Clock = true, clock
		n, err := plugins.NewNative(map[string]*sdk.Adapter{"oauth": oauth(path)}, o)
		require.NoError(t, err)
		return n
	}
	n := host("access_token", plugins.Options{})
	pay := func(change func(d *port.Drive)) (*port.DriveResult, error) {
		d := authorize("oauth", p.URL)
		if change != nil {
			change(d)
		}
		return n.Drive(t.Context(), d)
	}
	uris := func() (all []string) {
		for _, r := range p.take() {
			all = append(all, r.uri+" "+r.header.Get("Authorization"))
		}
		return all
	}
	basic := "/token Basic " + base64.StdEncoding.EncodeToString([]byte("m_1:"+secretKey))

	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			res, err := pay(nil)
			if err != nil || res.Outcome.Status != sdk.StatusAuthorized || len(res.Exchanges) != 1 {
				t.Errorf("%v %+v", err, res)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 1, issued.Load(), "one fetches it for all")
	require.Contains(t, uris(), basic)

	res, err := pay(nil)
	require.NoError(t, err)
	require.Equal(t, []string{"/pay Bearer token_number_1"}, uris())
	require.NotContains(t, string(res.Exchanges[0].Body), "token_number_1", "scrubbed")

	lastGood.Store(2) // the processor has forgotten the first
	intents := 0
	res, err = pay(func(d *port.Drive) {
		d.BeforeSend = func(_ context.Context, i port.SendIntent) error {
			intents++
			require.Zero(t, i.Index)
			return nil
		}
	})
	require.NoError(t, err)
	require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
	require.Len(t, res.Exchanges, 1, "one request, as far as the payment is concerned")
	require.Equal(t, 2, intents, "asked before each")
	require.Equal(t, []string{"/pay Bearer token_number_1", basic, "/pay Bearer token_number_2"}, uris())

	lastGood.Store(9) // and now takes none
	res, err = pay(nil)
	require.NoError(t, err)
	require.Equal(t, "401", res.Outcome.Decline.Code)
	require.Equal(t, []string{"/pay Bearer token_number_2", basic, "/pay Bearer token_number_3"}, uris(), "refreshed once")
	lastGood.Store(1)

	mu.Lock()
	now = now.Add(541 * time.Second) // within the minute before it expires
	mu.Unlock()
	_, err = pay(nil)
	require.NoError(t, err)
	require.Equal(t, []string{basic, "/pay Bearer token_number_4"}, uris())

	_, err = pay(func(d *port.Drive) { d.Account.ID = "mca_2" })
	require.NoError(t, err)
	require.Equal(t, []string{basic, "/pay Bearer token_number_5"}, uris(), "another account, another token")
	_, err = pay(func(d *port.Drive) { d.Account.Credentials["api_key"] = secret.New("another key, longer") })
	require.NoError(t, err)
	require.Len(t, uris(), 2, "other credentials, another token")

	res, err = pay(func(d *port.Drive) { d.Account.Config["merchant_id"] = "none" })
	require.NoError(t, err)
	require.Equal(t, sdk.RejectConfig, res.Reject.Code)
	require.False(t, res.MayHaveLeft)
	require.Empty(t, uris())

	t.Run("an echo is no token", func(t *testing.T) {
		n = host("author", plugins.Options{})
		_, err := pay(nil)
		require.ErrorContains(t, err, "authentication")
		require.Equal(t, []string{basic}, uris())
	})
	t.Run("none to be had", func(t *testing.T) {
		n = host("missing", plugins.Options{})
		res, err := pay(nil)
		require.ErrorContains(t, err, "not the stand-in of a captured value")
		require.False(t, res.MayHaveLeft)
		p.take()
	})
	for _, seconds := range []int64{-60, 0, 1_768_472_430} {
		t.Run(fmt.Sprint("a lifetime of ", seconds), func(t *testing.T) {
			lifetime.Store(seconds)
			defer lifetime.Store(600)
			n = host("access_token", plugins.Options{})
			res, err := pay(nil)
			require.ErrorContains(t, err, fmt.Sprintf("token.expires_in: the token's lifetime of %d s is not between 1 s and 315360000 s", seconds))
			require.False(t, res.MayHaveLeft)
			require.Equal(t, []string{basic}, uris())
		})
	}
	t.Run("processor down", func(t *testing.T) {
		down := newRecorder(t)
		u := down.URL
		down.Close()
		n = host("access_token", plugins.Options{})
		res, err := pay(func(d *port.Drive) { d.Account.BaseURL = u })
		require.ErrorContains(t, err, "no access token")
		require.False(t, res.MayHaveLeft)
	})
}

package plugins_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/testdata/acme"
	"payswitch/sdk"
)

var authorized = &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "t_1"}

func keyed(url, body string) *sdk.Send {
	return &sdk.Send{Method: "POST", URL: url, Body: []byte(body), SafeToRepeat: true, IdempotencyHeader: "Idempotency-Key"}
}

// server answers with f and counts the requests.
func server(t testing.TB, f http.HandlerFunc) (url string, arrivals *atomic.Int64) {
	arrivals = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrivals.Add(1)
		f(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, arrivals
}

func ok(http.ResponseWriter, *http.Request) {}

// hangUp closes the connection once the request has been read.
func hangUp(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }

func TestDriveAuthorizes(t *testing.T) {
	p := newProcessor(t)
	n := plugins.NativeConnectors(map[string]*sdk.Adapter{"acme": &acme.Adapter})
	d := authorize("acme", p.URL)
	var intents []port.SendIntent
	d.BeforeSend = func(_ context.Context, i port.SendIntent) error {
		require.Zero(t, p.arrivals.Load(), "BeforeSend runs before a request leaves")
		intents = append(intents, i)
		return nil
	}
	res, err := n.Drive(context.Background(), d)
	require.NoError(t, err)
	require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
	require.Nil(t, res.Reject)
	require.True(t, res.MayHaveLeft)
	require.True(t, res.AnsweredLast)
	require.Equal(t, 200, res.HTTPStatus)
	require.Equal(t, 2, res.Steps)
	require.Len(t, res.Exchanges, 1)
	require.Equal(t, d.Started.UnixMilli(), res.Exchanges[0].Now)
	require.Len(t, intents, 1)
	require.Equal(t, res.Exchanges[0].RequestHash, intents[0].RequestHash)
	require.Equal(t, d.Started.UnixMilli(), intents[0].Now.UnixMilli())
	require.Equal(t, `{"merchant":"m_1","reference":"`+d.Request.Reference+
		`","amount":1050,"currency":"USD","capture":true,"bin":"411111","last_four":"1111"}`, p.bodies[0])

	t.Run("a resend is the same request with the same key", func(t *testing.T) {
		again := *d
		again.BeforeSend = nil
		second, err := n.Drive(context.Background(), &again)
		require.NoError(t, err)
		require.Equal(t, res.Outcome.TransactionID, second.Outcome.TransactionID)
		require.Equal(t, res.Exchanges[0].RequestHash, second.Exchanges[0].RequestHash)
		require.Equal(t, p.bodies[0], p.bodies[1])
	})
	t.Run("resumed exchanges are not sent again", func(t *testing.T) {
		before := p.arrivals.Load()
		again := *d
		again.BeforeSend, again.Resume = nil, res.Exchanges
		second, err := n.Drive(context.Background(), &again)
		require.NoError(t, err)
		require.Equal(t, sdk.StatusAuthorized, second.Outcome.Status)
		require.False(t, second.MayHaveLeft)
		require.Equal(t, before, p.arrivals.Load())
	})
}

func TestGuestsSeeNoSecrets(t *testing.T) {
	seen := map[string]bool{}
	see := func(c *sdk.Call) (*sdk.Outcome, error) {
		r := c.Request
		for _, s := range []string{r.Instrument.Card.Number, r.Instrument.Card.CVC, r.ThreeDS.CAVV, c.Account.Credentials["secret_key"], c.Derive(sdk.Body())} {
			require.Regexp(t, "^[0-9A-Za-z]{28,29}$", s)
			require.NotContains(t, []string{cardNumber, cardCVC, "cryptogram", secretKey}, s)
			require.False(t, seen[s], "each secret has a different stand-in in each operation")
			seen[s] = true
		}
		require.Empty(t, c.Account.Credentials["api_key"])
		require.Equal(t, map[string]string{"merchant_id": "m_1"}, c.Account.Config)
		return authorized, nil
	}
	d := authorize("scripted", "")
	d.Request.ThreeDS = &sdk.ThreeDSResult{CAVV: "left in by mistake"}
	d.Request.Instrument.Card.Number = "left in by mistake"
	d.Secrets.CAVV = secret.New("cryptogram")
	_, err := native(t, plugins.Options{}, see, d)
	require.NoError(t, err)
	require.Len(t, seen, 5)
	require.Equal(t, "left in by mistake", d.Request.Instrument.Card.Number, "the engine's request is not changed")

	first := seen
	seen = map[string]bool{}
	_, err = native(t, plugins.Options{}, see, d)
	require.NoError(t, err)
	require.Equal(t, first, seen, "a replay sees the same stand-ins")

	d.Seed[31]++
	seen = first
	_, err = native(t, plugins.Options{}, see, d)
	require.NoError(t, err)
	require.Len(t, seen, 10)
}

func TestBeforeSendStopsADrive(t *testing.T) {
	url, arrivals := server(t, ok)
	lost := errors.New("lease lost")
	d := authorize("scripted", url)
	calls := 0
	d.BeforeSend = func(_ context.Context, i port.SendIntent) error {
		require.Equal(t, calls, i.Index)
		require.Len(t, i.Exchanges, calls)
		if calls++; calls == 2 {
			return lost
		}
		return nil
	}
	res, err := native(t, plugins.Options{}, func(c *sdk.Call) (*sdk.Outcome, error) {
		_, _ = c.Post("/1", "text/plain", nil)
		_, _ = c.Post("/2", "text/plain", nil)
		return authorized, nil
	}, d)
	require.ErrorIs(t, err, lost)
	require.True(t, res.MayHaveLeft)
	require.Nil(t, res.Outcome)
	require.EqualValues(t, 1, arrivals.Load())
}

func TestAfterSilence(t *testing.T) {
	url, arrivals := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/silent" {
			hangUp(w, r)
		}
	})
	silent := func(c *sdk.Call) {
		_, err := c.Do(keyed("/silent", "{}"))
		failed, is := errors.AsType[*sdk.ExchangeError](err)
		require.True(t, is)
		require.True(t, failed.Sent)
		require.Equal(t, "reset", failed.Failure)
	}
	for name, c := range map[string]struct {
		f        sdk.Func
		arrivals int64
		status   sdk.OutcomeStatus
		last     bool
	}{
		"something else": {func(c *sdk.Call) (*sdk.Outcome, error) {
			silent(c)
			_, err := c.Do(keyed("/other", "{}"))
			return authorized, err
		}, 1, sdk.StatusUnknown, false},
		"another post of the same": {func(c *sdk.Call) (*sdk.Outcome, error) {
			silent(c)
			_, err := c.Post("/silent", "text/plain", []byte("{}"))
			return authorized, err
		}, 1, sdk.StatusUnknown, false},
		"the identical request": {func(c *sdk.Call) (*sdk.Outcome, error) {
			silent(c)
			silent(c)
			return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
		}, 2, sdk.StatusUnknown, false},
		"a query": {func(c *sdk.Call) (*sdk.Outcome, error) {
			silent(c)
			_, err := c.Get("/query")
			return authorized, err
		}, 2, sdk.StatusAuthorized, true},
		"something else after a query": {func(c *sdk.Call) (*sdk.Outcome, error) {
			silent(c)
			_, _ = c.Get("/query")
			_, err := c.Do(keyed("/other", "{}"))
			return authorized, err
		}, 2, sdk.StatusUnknown, true},
		"a query that is not declared": {func(c *sdk.Call) (*sdk.Outcome, error) {
			silent(c)
			_, err := c.Do(&sdk.Send{Method: "GET", URL: "/query"})
			return authorized, err
		}, 1, sdk.StatusUnknown, false},
		"reject": {func(c *sdk.Call) (*sdk.Outcome, error) {
			silent(c)
			return nil, &sdk.Reject{Code: sdk.RejectUnsupported}
		}, 1, sdk.StatusUnknown, false},
	} {
		t.Run(name, func(t *testing.T) {
			arrivals.Store(0)
			res, err := native(t, plugins.Options{}, c.f, authorize("scripted", url))
			require.NoError(t, err)
			require.Equal(t, c.status, res.Outcome.Status)
			require.Equal(t, c.arrivals, arrivals.Load())
			require.True(t, res.MayHaveLeft)
			require.Equal(t, c.last, res.AnsweredLast)
		})
	}
}

func TestIdempotencyKeys(t *testing.T) {
	arrived := make(chan string, sdk.MaxSends)
	url, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- r.Header.Get("Idempotency-Key")
		if len(arrived) == 2 {
			hangUp(w, r)
		}
	})
	d := authorize("scripted", url)
	res, err := native(t, plugins.Options{}, func(c *sdk.Call) (*sdk.Outcome, error) {
		_, _ = c.Do(keyed("/a", "{}"))
		_, _ = c.Do(keyed("/b", "{}"))
		_, _ = c.Do(keyed("/b", "{}")) // the second send has no answer
		_, _ = c.Do(keyed("/c", "{}"))
		return authorized, nil
	}, d)
	require.NoError(t, err)
	require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
	for _, index := range []string{"-0", "-1", "-1", "-3"} {
		require.Equal(t, d.OperationID+index, <-arrived)
	}
	require.Empty(t, arrived)
}

// The host resumes an operation whose second answer never came. The journal answers the first send. The second leaves again with
// the same bytes, although its content depends on the time.
func TestResend(t *testing.T) {
	arrived := make(chan string, sdk.MaxSends)
	url, arrivals := server(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		arrived <- r.URL.Path + string(body) + r.Header.Get("Idempotency-Key")
		if len(arrived) == 2 {
			hangUp(w, r)
		}
	})
	twice := func(c *sdk.Call) (*sdk.Outcome, error) {
		for _, path := range []string{"/order", "/pay"} {
			if _, err := c.Do(keyed(path, c.Now().Format(time.RFC3339Nano))); err != nil {
				return nil, err
			}
		}
		return authorized, nil
	}
	d := authorize("scripted", url)
	var intents []port.SendIntent
	d.BeforeSend = func(_ context.Context, i port.SendIntent) error { intents = append(intents, i); return nil }
	d.Started = time.Now().Add(-time.Hour) // gives the second send another time
	first, err := native(t, plugins.Options{}, twice, d)
	require.NoError(t, err)
	require.Equal(t, sdk.StatusUnknown, first.Outcome.Status)
	require.False(t, first.AnsweredLast)

	d.Resume, d.Started = intents[1].Exchanges, intents[1].Now
	again, err := native(t, plugins.Options{}, twice, d)
	require.NoError(t, err)
	require.Equal(t, sdk.StatusAuthorized, again.Outcome.Status)
	require.EqualValues(t, 3, arrivals.Load())
	require.Equal(t, intents[1].RequestHash, intents[2].RequestHash)
	require.Equal(t, 1, intents[2].Index)
	<-arrived
	require.Equal(t, <-arrived, <-arrived)
}

func TestNotSafeToRepeatLeavesOnce(t *testing.T) {
	url, arrivals := server(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) })
	res, err := native(t, plugins.Options{}, func(c *sdk.Call) (*sdk.Outcome, error) {
		for range 3 {
			if answer, err := c.Post("/", "text/plain", []byte("pay")); err != nil || answer.OK() {
				return authorized, err
			}
		}
		return nil, errors.New("no")
	}, authorize("scripted", url))
	require.NoError(t, err)
	require.Equal(t, sdk.StatusUnknown, res.Outcome.Status)
	require.EqualValues(t, 1, arrivals.Load())
}

func TestDivergenceIsUnknown(t *testing.T) {
	url, arrivals := server(t, ok)
	runs := 0
	counted := &observer{}
	res, err := native(t, plugins.Options{Observer: counted}, func(c *sdk.Call) (*sdk.Outcome, error) {
		runs++
		_, err := c.Post("/", "text/plain", []byte{byte('0' + runs)})
		return authorized, err
	}, authorize("scripted", url))
	require.NoError(t, err)
	require.Equal(t, sdk.StatusUnknown, res.Outcome.Status)
	require.EqualValues(t, 1, arrivals.Load())
	require.Equal(t, []string{"violated divergence"}, counted.of("violated"))
}

func TestPanicsOfOursAreErrors(t *testing.T) {
	url, _ := server(t, ok)
	d := authorize("scripted", url)
	d.BeforeSend = func(context.Context, port.SendIntent) error { panic("ours") }
	res, err := native(t, plugins.Options{}, func(c *sdk.Call) (*sdk.Outcome, error) {
		_, err := c.Get("/")
		return authorized, err
	}, d)
	require.ErrorContains(t, err, "panic")
	require.NotNil(t, res)
	require.False(t, res.MayHaveLeft)
}

func TestAdapterOfADrive(t *testing.T) {
	n := plugins.NativeConnectors(map[string]*sdk.Adapter{"acme": &acme.Adapter})
	_, err := n.Drive(context.Background(), authorize("stripe", ""))
	require.ErrorIs(t, err, plugins.ErrNoAdapter)
	d := authorize("acme", "")
	d.AdapterHash = "another"
	_, err = n.Drive(context.Background(), d)
	require.ErrorIs(t, err, plugins.ErrNoBuild)
	_, known := n.Adapter("stripe")
	require.False(t, known)
	info, known := n.Adapter("acme")
	require.True(t, known)
	require.Equal(t, "acme", info.Name)
	require.Contains(t, info.Manifest.Operations, sdk.OpSync)
	require.Len(t, n.Adapters(), 1)
}

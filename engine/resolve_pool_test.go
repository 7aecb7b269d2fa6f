package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/routed"
	"payswitch/sdk"
)

// at routes a payment to a connector.
func at(connector string) func(*request.Input) {
	return func(in *request.Input) {
		in.Routing = &routed.Preference{Type: "single", Choices: []routed.Choice{{Connector: connector}}}
	}
}

// A processor that answers no query delays only its own operations: another processor's are resolved, and what has expired is removed.
func TestSilentProcessorDelaysOnlyItsOwn(t *testing.T) {
	t.Parallel()
	silent := shop(byReference)
	silent.Manifest.Name = "silent"
	silent.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		_, err := c.Do(&sdk.Send{Method: "POST", URL: "/pay", Body: []byte("{}")})
		return nil, err
	}
	p := newProcessor(t)
	p.hangs.Store(true)
	inBubble(t, func(t *testing.T) {
		asked, release := make(chan struct{}, 1000), make(chan struct{})
		silent.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
			asked <- struct{}{}
			<-release
			return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx_" + c.Request.Reference}, nil
		}
		w := newWorld(t, engine.Options{ResolveEvery: time.Second}, map[string]*sdk.Adapter{"silent": silent, "shop": shop(byReference)})
		for _, connector := range []string{"silent", "shop"} {
			_, err := w.SetEgress(t.Context(), w.auth, w.account(connector, "").ID, account.EgressInput{BaseURL: p.URL})
			require.NoError(t, err)
		}
		var silentOnes []string
		for range 50 { // they are due before the other's
			silentOnes = append(silentOnes, w.pay(sale(100, visa, at("silent"))).Payment.ID)
		}
		time.Sleep(3 * time.Second)
		good := w.pay(sale(100, visa, at("shop"))).Payment.ID
		unconfirmed := w.pay(sale(100, visa, func(in *request.Input) { in.Confirm = nil }))
		w.running()
		defer close(release)
		began := time.Now()
		w.eventually(good, payment.Succeeded)
		require.Less(t, time.Since(began), 5*time.Second, "resolved while the silent processor's queries hang")
		require.Len(t, asked, 16, "of one account, that many at a time")
		require.Equal(t, payment.Processing, w.get(silentOnes[0], request.RetrieveInput{}).Payment.Status)

		time.Sleep(16 * time.Minute) // the kept card expires
		require.NoError(t, w.db.View(context.Background(), func(r engine.Reader) error {
			_, err := r.CardToken("m1", unconfirmed.Payment.Details.Token)
			require.Error(t, err, "the sweep goes on")
			return nil
		}))
		w.alarms.Lock()
		defer w.alarms.Unlock()
		require.Greater(t, w.alarms.late["resolve"], 10*time.Minute, "the metric shows how long operations wait")
		require.Zero(t, w.alarms.late["expiry"])
		for _, loop := range []string{"authentications", "expiry", "journal"} {
			require.NotZero(t, w.alarms.runs[loop], loop)
		}
	}, p.Server)
}

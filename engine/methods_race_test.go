package engine_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
)

// TestSavedTwiceAtOnce: many payments that save one customer's card at the same time save one method.
func TestSavedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	const n = 12
	var wg sync.WaitGroup
	ids := make([]string, n)
	for i := range n {
		wg.Go(func() {
			if i%3 == 2 {
				_, err := w.CreateCustomer(t.Context(), w.auth, method.CustomerData{ID: "c"})
				if err != nil && code(t, err) != "IR_12" {
					t.Error(err)
				}
				m, err := w.CreatePaymentMethod(t.Context(), w.auth, method.MethodInput{CustomerID: "c", Method: "card",
					Card: &card.Input{Number: secret.New(visa), ExpMonth: "10", ExpYear: "50"}})
				if err != nil {
					t.Error(err)
					return
				}
				ids[i] = m.ID
				return
			}
			v, err := w.CreatePayment(t.Context(), w.auth, sale(100, visa, offSession, agreed, customer("c")))
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = v.Method.ID
			if v.Payment.Status != payment.Succeeded {
				t.Error(v.Payment.Status)
			}
		})
	}
	wg.Wait()
	list := w.methods("c")
	require.Len(t, list, 1)
	for _, id := range ids {
		require.Equal(t, list[0].ID, id)
	}
	require.NotEmpty(t, list[0].Details.NetworkTransactionID)
	require.Empty(t, w.alarms.all())
}

// TestSavedOftenAtOnce: a card that many payments save is saved, in whatever order the processors answer.
func TestSavedOftenAtOnce(t *testing.T) {
	t.Parallel()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for range 3 {
		w := newWorld(t, engine.Options{}, nil)
		w.account("simulator", "")
		_, err := w.CreateCustomer(t.Context(), w.auth, method.CustomerData{ID: "c"})
		require.NoError(t, err)
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				if i%4 > 0 {
					if _, err := w.CreatePayment(t.Context(), w.auth, sale(100, visa, offSession, agreed, customer("c"))); err != nil {
						t.Error(err)
					}
					return
				}
				if _, err := w.CreatePaymentMethod(t.Context(), w.auth, method.MethodInput{CustomerID: "c", Method: "card",
					Card: &card.Input{Number: secret.New(visa), ExpMonth: "10", ExpYear: "50"}}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		require.Len(t, w.methods("c"), 1)
		require.Empty(t, w.alarms.all())
	}
}

// TestDeletedWhileCharged: a charge is either faster than the deletion, or it is refused and nothing is sent. Nothing of the card remains.
func TestDeletedWhileCharged(t *testing.T) {
	t.Parallel()
	s, seen := watched()
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"sim2": s})
	w.account("sim2", "")
	id := w.pay(sale(1000, visa, offSession, agreed, customer("c"))).Method.ID
	before := seen.count()
	var charged, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if i == 8 {
				if err := w.DeletePaymentMethod(t.Context(), w.auth, id); err != nil {
					t.Error(err)
				}
				return
			}
			v, err := w.CreatePayment(t.Context(), w.auth, mit(100, id))
			var e *fault.Error
			switch {
			case err == nil && v.Payment.Status == payment.Succeeded:
				charged.Add(1)
			case errors.As(err, &e) && e.Code == "HE_02":
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 15, charged.Load()+refused.Load())
	require.EqualValues(t, charged.Load(), seen.count()-before, "what was refused was not sent")
	require.Equal(t, "HE_02", w.fails(mit(1, id)).Code)
	require.ErrorIs(t, w.db.View(t.Context(), func(r engine.Reader) error { _, err := r.Card("m1", id); return err }), fault.ErrNotFound)
	require.Empty(t, w.alarms.all())
}

// TestSavedAfterTheNodeDied: the node that settles the payment saves the card, even if the evidence comes after card and CVC were destroyed.
func TestSavedAfterTheNodeDied(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	hold, arrived := make(chan struct{}), make(chan struct{})
	var once sync.Once
	handler := p.Config.Handler
	p.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(rw, r) // it acts, and does not answer in time
		if r.Method == "POST" {
			once.Do(func() { close(arrived) })
			<-hold
		}
	})
	p.forgets.Store(true)
	adapters := map[string]*sdk.Adapter{"shop": shop(byReference)}
	o := engine.Options{ResolveEvery: 20 * time.Millisecond, LeaseTime: quick.LeaseTime}
	a := newWorldWith(t, o, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db")
	a.shopAccount(p.URL)
	b := a.second(o, adapters)
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.CreatePayment(context.Background(), a.auth, sale(100, visa, onSession, agreed, customer("c"), func(in *request.Input) { in.PaymentID = "p" }))
	}()
	<-arrived
	outlive(a, b)
	b.running()
	require.Eventually(t, func() bool { return b.operations("p")[0].Status == payment.OperationUnknown }, 20*time.Second, 20*time.Millisecond)
	require.Empty(t, b.operations("p")[0].Instrument, "card and CVC are not needed any more")
	require.Equal(t, method.MethodInactive, b.get("p", request.RetrieveInput{}).Method.Status)
	p.forgets.Store(false)
	v := b.eventually("p", payment.Succeeded)
	require.Equal(t, method.MethodActive, v.Method.Status)
	close(hold)
	<-done
	items := b.methods("c")
	require.Len(t, items, 1)
	pay, err := b.CreatePayment(t.Context(), b.auth, &request.Input{Amount: ptr(int64(5)), Currency: "USD", CustomerID: "c", Confirm: ptr(true),
		PaymentMethod: "card", PaymentToken: items[0].Token, CardCVC: secret.New("737")})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, pay.Payment.Status, "the vault has the card")
}

// TestSavingThatFails: the payment is more important than the saved card. The next payment that saves a card replaces a card that is missing in
// the vault. If saving fails for good, the payment settles without it, and an alarm is raised.
func TestSavingThatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	first := w.pay(sale(1000, visa, offSession, agreed, customer("c")))
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.DeleteCard("m1", first.Method.ID) }))
	again := w.pay(sale(1000, visa, offSession, agreed, customer("c")))
	require.Equal(t, first.Method.ID, again.Method.ID)
	require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) error { _, err := r.Card("m1", first.Method.ID); return err }))
	require.Empty(t, w.alarms.all())

	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
		m, err := tx.PaymentMethod("m1", first.Method.ID)
		if err != nil {
			return err
		}
		m.Sealed = []byte("damaged")
		return tx.UpdatePaymentMethod(m)
	}))
	v := w.pay(sale(1000, visa, offSession, agreed, customer("c")))
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Nil(t, v.Method)
	require.Equal(t, map[string]int{"card_not_saved": 1}, w.alarms.all())
}

func singleUse(amount int64) func(*request.Input) {
	return func(in *request.Input) {
		in.MandateData = &request.MandateInput{Terms: payment.MandateTerms{SingleUse: true, Amount: amount, Currency: "USD"}}
	}
}

func byMandate(id string) func(*request.Input) {
	return func(in *request.Input) { in.Recurring = &request.Recurring{Type: "mandate_id", ID: id} }
}

// TestMandateChargedTwiceAtOnce: a single-use mandate takes one of two concurrent charges.
func TestMandateChargedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	s, seen := watched()
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"sim2": s})
	w.account("sim2", "")
	id := w.pay(sale(0, visa, offSession, agreed, customer("c"), singleUse(500))).Payment.Details.MandateID
	require.NotEmpty(t, id, "a payment of nothing may agree to more")
	before := seen.count()
	var charged, refused atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			v, err := w.CreatePayment(t.Context(), w.auth, mit(500, "", byMandate(id)))
			var e *fault.Error
			switch {
			case err == nil && v.Payment.Status == payment.Succeeded:
				charged.Add(1)
			case errors.As(err, &e) && e.Code == "IR_16" && e.Message == "mandate is not active":
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, charged.Load())
	require.EqualValues(t, 7, refused.Load())
	require.Equal(t, 1, seen.count()-before)
}

// TestMandateLimits: amount, currency, dates, revocation. A refused charge frees a single-use mandate again.
func TestMandateLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	id := w.pay(sale(0, visa, offSession, agreed, customer("c"), singleUse(2_000_000_000))).Payment.Details.MandateID
	v := w.pay(mit(900_000_101, "", byMandate(id)))
	require.Equal(t, payment.Failed, v.Payment.Status)
	v = w.pay(mit(900_000_020, "", byMandate(id)))
	require.Equal(t, payment.Processing, v.Payment.Status)
	require.Equal(t, "mandate is not active", w.fails(mit(1, "", byMandate(id))).Message, "while the charge may still succeed it is taken")

	start, end := time.Now().Add(time.Hour), time.Now().Add(2*time.Hour)
	id = w.pay(sale(100, visa, offSession, agreed, customer("c"), func(in *request.Input) {
		in.MandateData = &request.MandateInput{Terms: payment.MandateTerms{Amount: 500, Currency: "USD", Start: &start, End: &end}}
	})).Payment.Details.MandateID
	require.Equal(t, "the mandate has not started yet", w.fails(mit(1, "", byMandate(id))).Reason)
	w.pass(61 * time.Minute)
	for range 2 {
		require.Equal(t, payment.Succeeded, w.pay(mit(500, "", byMandate(id))).Payment.Status)
	}
	require.Equal(t, "request amount is greater than mandate amount", w.fails(mit(501, "", byMandate(id))).Reason)
	require.Equal(t, "cross currency mandates not supported", w.fails(mit(5, "", byMandate(id), func(in *request.Input) { in.Currency = "EUR" })).Reason)
	w.pass(time.Hour)
	require.Equal(t, "the mandate has expired", w.fails(mit(1, "", byMandate(id))).Reason)

	id = w.pay(sale(100, visa, offSession, agreed, customer("c"), func(in *request.Input) {
		in.MandateData = &request.MandateInput{}
	})).Payment.Details.MandateID
	require.NoError(t, w.RevokeMandate(t.Context(), w.auth, id))
	require.Equal(t, "mandate is not active", w.fails(mit(1, "", byMandate(id))).Message)
	require.Equal(t, "HE_03", code(t, w.RevokeMandate(t.Context(), w.auth, id)))
	require.Equal(t, "HE_02", w.fails(mit(1, "", byMandate("man_none"))).Code)

	redirect := w.pay(sale(100, "4111111111111111", threeDS, offSession, agreed, customer("c"), singleUse(500)))
	require.Equal(t, "mandate is not active", w.fails(mit(1, "", byMandate(redirect.Payment.Details.MandateID))).Message, "not approved yet")
}

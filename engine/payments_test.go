package engine_test

import (
	"bytes"
	"os"
	"path/filepath"
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

const (
	visa     = "4242424242424242"
	declined = "4000000000000002"
)

func TestSale(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v := w.pay(sale(6540, visa))
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.EqualValues(t, 6540, v.Payment.Received)
	require.Zero(t, v.Payment.Capturable)
	require.Equal(t, "424242", v.Attempt.Details.Card.BIN)
	require.Equal(t, "Joseph Doe", v.Attempt.Private.Holder)
	require.NotEmpty(t, v.Attempt.TransactionID)
	require.NotEmpty(t, v.Attempt.Details.NetworkTransactionID)
	require.Equal(t, []string{"payment_succeeded"}, w.events(v.Payment.ID))

	again := w.get(v.Payment.ID, request.RetrieveInput{})
	require.Equal(t, v.Payment, again.Payment)
	require.Equal(t, v.Attempt, again.Attempt)
	require.Empty(t, w.alarms.all())
}

func TestDecline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v := w.pay(sale(100, declined))
	require.Equal(t, payment.Failed, v.Payment.Status)
	require.Equal(t, "card_declined", v.Attempt.Details.Error.Code)
	require.Equal(t, sdk.DeclineGeneric, v.Attempt.Details.Error.Reason)
	require.Equal(t, []string{"payment_failed"}, w.events(v.Payment.ID))
	_, err := w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, sale(100, visa))
	require.ErrorContains(t, err, "you can enable `manual_retry` in profile")
}

func TestManualRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	_, err := w.UpdateProfile(t.Context(), w.auth, w.profile.ID, account.ProfileInput{Fields: account.Fields{"is_manual_retry_enabled": []byte("true")}})
	require.NoError(t, err)
	v := w.pay(sale(100, declined))
	require.True(t, v.ManualRetryAllowed)
	v, err = w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, sale(100, visa))
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, 2, v.Payment.AttemptCount)
	require.Len(t, w.get(v.Payment.ID, request.RetrieveInput{Attempts: true}).Attempts, 2)
	require.Equal(t, []string{"payment_failed", "payment_succeeded"}, w.events(v.Payment.ID))

	v = w.pay(sale(100, declined))
	w.pass(451 * time.Second)
	_, err = w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, sale(100, visa))
	require.ErrorContains(t, err, "the allowed duration has expired")
}

func TestManualCapture(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v := w.pay(sale(1000, visa, manual))
	require.Equal(t, payment.RequiresCapture, v.Payment.Status)
	require.EqualValues(t, 1000, v.Payment.Capturable)
	v, err := w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.EqualValues(t, 1000, v.Payment.Received)
	require.Equal(t, []string{"payment_authorized", "payment_succeeded"}, w.events(v.Payment.ID))

	_, err = w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{})
	require.Equal(t, "IR_14", code(t, err))
}

// After a partial capture the rest is voided at the processor, and the payment says so.
func TestPartialCapture(t *testing.T) {
	t.Parallel()
	for _, released := range []bool{true, false} {
		s := simulatorReleasing(released)
		w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"sim2": s})
		w.account("sim2", "")
		v := w.pay(sale(1000, visa, manual))
		v, err := w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{Amount: ptr(int64(400))})
		require.NoError(t, err)
		require.Equal(t, payment.PartiallyCaptured, v.Payment.Status)
		require.EqualValues(t, 400, v.Payment.Received)
		require.Zero(t, v.Payment.Capturable)
		require.True(t, v.Attempt.Details.Released, "%+v", v.Attempt.Details)
		want := 2
		if !released {
			want = 3 // authorize, capture, void
		}
		ops := w.operations(v.Payment.ID)
		require.Len(t, ops, want)
		for _, op := range ops {
			require.Equal(t, payment.OperationSucceeded, op.Status, op.Kind)
		}
		if !released {
			require.Equal(t, sdk.OpVoid, ops[2].Kind)
			require.EqualValues(t, 600, ops[2].Amount)
		}
		require.Equal(t, []string{"payment_authorized", "payment_captured"}, w.events(v.Payment.ID))
		require.Empty(t, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.OpenOperation)
	}
}

func TestMultipleCaptures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v := w.pay(sale(1000, visa, multiple))
	id := v.Payment.ID
	for i, amount := range []int64{300, 300, 400} {
		v, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: &amount})
		require.NoError(t, err)
		require.Len(t, v.Attempt.Details.Captures, i+1)
		if i < 2 {
			require.Equal(t, payment.PartiallyCapturedAndCapturable, v.Payment.Status)
		} else {
			require.Equal(t, payment.Succeeded, v.Payment.Status)
		}
	}
	require.Equal(t, []string{"payment_authorized", "payment_captured", "payment_captured", "payment_succeeded"}, w.events(id))

	v = w.pay(sale(1000, visa, multiple))
	_, err := w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{})
	require.Equal(t, "IR_04", code(t, err))
	_, err = w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{Amount: ptr(int64(300))})
	require.NoError(t, err)
	v, err = w.CancelPayment(t.Context(), w.auth, v.Payment.ID, "no more")
	require.NoError(t, err)
	require.Equal(t, payment.PartiallyCaptured, v.Payment.Status)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v := w.pay(sale(1000, visa, manual))
	v, err := w.CancelPayment(t.Context(), w.auth, v.Payment.ID, "requested_by_customer")
	require.NoError(t, err)
	require.Equal(t, payment.Cancelled, v.Payment.Status)
	require.Zero(t, v.Payment.Capturable)
	require.Equal(t, "requested_by_customer", v.Payment.Details.CancellationReason)
	_, err = w.CancelPayment(t.Context(), w.auth, v.Payment.ID, "")
	require.Equal(t, "IR_16", code(t, err))

	in := sale(1000, visa)
	in.Confirm = nil
	v = w.pay(in)
	require.Equal(t, payment.RequiresConfirmation, v.Payment.Status)
	v, err = w.CancelPayment(t.Context(), w.auth, v.Payment.ID, "")
	require.NoError(t, err)
	require.Equal(t, payment.Cancelled, v.Payment.Status)
	require.Equal(t, []string{"payment_cancelled"}, w.events(v.Payment.ID))
}

func TestCreateThenConfirmWithKeptCard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	in := sale(1000, visa, manual)
	in.Confirm, in.CustomerID, in.Email = ptr(false), "cus1", "a@b.test"
	v := w.pay(in)
	require.Equal(t, payment.RequiresConfirmation, v.Payment.Status)
	require.NotEmpty(t, v.Payment.Details.Token)
	require.EqualValues(t, 1000, v.Payment.Capturable)
	c, err := w.Customer(t.Context(), w.auth, "cus1")
	require.NoError(t, err)
	require.Equal(t, "a@b.test", c.Personal.Email)

	secret := v.Payment.Private.ClientSecret
	_, err = w.ConfirmPayment(t.Context(), w.pk, v.Payment.ID, &request.Input{})
	require.Equal(t, "IR_04", code(t, err))
	_, err = w.ConfirmPayment(t.Context(), w.pk, v.Payment.ID, &request.Input{ClientSecret: secret + "x"})
	require.Equal(t, "IR_09", code(t, err))
	_, err = w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, &request.Input{ClientSecret: secret})
	require.Equal(t, "IR_06", code(t, err))
	_, err = w.ConfirmPayment(t.Context(), w.pk, v.Payment.ID, &request.Input{ClientSecret: secret, CustomerID: "cus2"})
	require.Equal(t, "IR_18", code(t, err))
	v, err = w.ConfirmPayment(t.Context(), w.pk, v.Payment.ID, &request.Input{ClientSecret: secret})
	require.NoError(t, err)
	require.Equal(t, payment.RequiresCapture, v.Payment.Status)
	require.Empty(t, v.Payment.Details.Token)

	v = w.pay(in)
	w.pass(901 * time.Second)
	_, err = w.ConfirmPayment(t.Context(), w.pk, v.Payment.ID, &request.Input{ClientSecret: v.Payment.Private.ClientSecret})
	require.Equal(t, "IR_08", code(t, err))
	_, err = w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, &request.Input{})
	require.Equal(t, "IR_29", code(t, err), "the kept card has expired; the secret key itself still may confirm")
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	in := sale(1000, visa)
	in.Confirm = nil
	v := w.pay(in)
	v, err := w.UpdatePayment(t.Context(), w.auth, v.Payment.ID, &request.Input{Amount: ptr(int64(700)), Description: "less"})
	require.NoError(t, err)
	require.Equal(t, payment.RequiresPaymentMethod, v.Payment.Status, "an update without payment method data drops what was there")
	require.Empty(t, v.Payment.Details.Token)
	require.EqualValues(t, 700, v.Payment.Amount)
	v, err = w.UpdatePayment(t.Context(), w.auth, v.Payment.ID, sale(800, visa))
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.EqualValues(t, 800, v.Payment.Received)
	_, err = w.UpdatePayment(t.Context(), w.auth, v.Payment.ID, &request.Input{})
	require.Equal(t, "IR_16", code(t, err))
}

func TestRedirect3DS(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	for result, want := range map[string]payment.Status{"approve": payment.Succeeded, "decline": payment.Failed} {
		v := w.pay(sale(1000, visa, threeDS))
		require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
		require.Equal(t, sdk.NextActionRedirect, v.Attempt.Details.NextAction.Type)
		require.EqualValues(t, 1000, v.Payment.Capturable)
		n, err := w.NextAction(t.Context(), redirectOf(v))
		require.NoError(t, err)
		require.Contains(t, n.URL, "http://switch.test/sim/redirect?")
		on := redirectOf(v)
		back := request.ReturnInput{PaymentID: v.Payment.ID, MerchantID: "m1", Connector: "simulator", Token: w.returnToken(v), Complete: true,
			Return: sdk.Return{Method: "POST", Form: []sdk.Header{{Name: "result", Value: result}}}}
		r, err := w.PaymentReturn(t.Context(), back)
		require.NoError(t, err)
		require.Equal(t, want, r.View.Payment.Status)
		require.Contains(t, r.URL, "https://shop.test/done?")
		require.Contains(t, r.URL, "status="+string(want))
		require.Contains(t, r.URL, "signature=")
		again, err := w.PaymentReturn(t.Context(), back) // shoppers reload
		require.NoError(t, err)
		require.Equal(t, r.URL, again.URL)
		require.Equal(t, []string{"action_required", map[string]string{"approve": "payment_succeeded", "decline": "payment_failed"}[result]}, w.events(v.Payment.ID))
		for _, op := range w.operations(v.Payment.ID) {
			require.Empty(t, op.Instrument, "no card is kept once the authorization has ended: %s", op.Kind)
			require.False(t, w.shortTerm(op.ShortTermID()), op.Kind)
		}
		_, err = w.NextAction(t.Context(), on)
		require.Equal(t, "IR_16", code(t, err))
	}
}

// The customer never comes back: cancelling the payment ends the authorization and destroys the card.
func TestCancelWhileTheCustomerActs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v := w.pay(sale(1000, visa, threeDS))
	require.NotEmpty(t, w.operations(v.Payment.ID)[0].Instrument)
	v, err := w.CancelPayment(t.Context(), w.auth, v.Payment.ID, "")
	require.NoError(t, err)
	require.Equal(t, payment.Cancelled, v.Payment.Status)
	op := w.operations(v.Payment.ID)[0]
	require.Equal(t, payment.OperationSucceeded, op.Status)
	require.Empty(t, op.Instrument)
	require.False(t, w.shortTerm(op.ShortTermID()))
}

func TestDuplicatePaymentID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	named := func(in *request.Input) { in.PaymentID = "order-1" }
	w.pay(sale(1000, visa, named))
	_, err := w.CreatePayment(t.Context(), w.auth, sale(1, visa, named))
	require.Equal(t, "HE_01", code(t, err))
	require.Len(t, w.operations("order-1"), 1, "nothing was sent for the second")
}

func TestRouting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"sim2": simulatorReleasing(true)})
	_, err := w.CreatePayment(t.Context(), w.auth, sale(1, visa))
	require.Equal(t, "IR_39", code(t, err), "no account at all")
	first, second := w.account("simulator", ""), w.account("sim2", "")
	require.Equal(t, first.ID, w.pay(sale(100, visa)).Attempt.AccountID, "the profile's fallback list by creation")
	to := func(c, id string) func(*request.Input) {
		return func(in *request.Input) {
			in.Routing = &routed.Preference{Type: "single", Choices: []routed.Choice{{Connector: c, AccountID: id}}}
		}
	}
	require.Equal(t, second.ID, w.pay(sale(100, visa, to("sim2", ""))).Attempt.AccountID)
	_, err = w.CreatePayment(t.Context(), w.auth, sale(1, visa, to("sim2", first.ID)))
	require.Equal(t, "HE_04", code(t, err))
	_, err = w.UpdateAccount(t.Context(), w.auth, first.ID, account.AccountInput{Disabled: ptr(true)})
	require.NoError(t, err)
	require.Equal(t, second.ID, w.pay(sale(100, visa)).Attempt.AccountID)
	require.Equal(t, second.ID, w.pay(sale(100, visa, to("simulator", ""))).Attempt.AccountID, "the routing field says which account comes first")
	_, err = w.UpdateProfile(t.Context(), w.auth, w.profile.ID, account.ProfileInput{Fields: account.Fields{"is_strict_routing_enabled": []byte("true")}})
	require.NoError(t, err)
	_, err = w.CreatePayment(t.Context(), w.auth, sale(1, visa, to("simulator", "")))
	require.Equal(t, "HE_03", code(t, err))
}

func TestAnotherMerchantsPaymentIsNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	_, err := w.CreateMerchant(t.Context(), account.MerchantInput{ID: "m2"})
	require.NoError(t, err)
	v := w.pay(sale(100, visa, manual))
	other := account.Auth{MerchantID: "m2"}
	_, err = w.RetrievePayment(t.Context(), other, v.Payment.ID, request.RetrieveInput{})
	require.Equal(t, "HE_02", code(t, err))
	_, err = w.CapturePayment(t.Context(), other, v.Payment.ID, &request.CaptureInput{})
	require.Equal(t, "HE_02", code(t, err))
	_, err = w.CancelPayment(t.Context(), other, v.Payment.ID, "")
	require.Equal(t, "HE_02", code(t, err))
}

// After every kind of payment, no card number, CVC or holder name stands in the database, its log or its index.
func TestDatabaseHoldsNoCardData(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	secret := w.pay(sale(1000, visa, manual)).Payment.Private.ClientSecret
	w.pay(sale(1000, visa, threeDS))
	in := sale(1000, visa)
	in.Confirm, in.Email = nil, "joseph@doe.test"
	w.pay(in)
	files, err := filepath.Glob(w.file + "*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, secret := range []string{visa, "Joseph Doe", "joseph@doe.test", "\"737\"", secret} {
			require.False(t, bytes.Contains(b, []byte(secret)), "%s holds %s", filepath.Base(f), secret)
		}
	}
}

// simulatorReleasing returns the simulator. releases decides whether it releases the rest of a partial capture by itself.
func simulatorReleasing(releases bool) *sdk.Adapter {
	a := *simulatorAdapter()
	a.Manifest.Features.ReleasesRest = releases
	capture := a.Capture
	a.Capture = func(c *sdk.Call) (*sdk.Outcome, error) {
		if !releases {
			c.Request.FinalCapture = false
		}
		return capture(c)
	}
	return &a
}

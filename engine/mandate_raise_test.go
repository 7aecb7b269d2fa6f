package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

func multiUse(terms payment.MandateTerms) func(*request.Input) {
	return func(in *request.Input) { in.MandateData = &request.MandateInput{Terms: terms} }
}

// TestMandateBoundsLaterRaises: after the charge, neither a raise of the held amount nor a capture of more than what is held passes the mandate's amount.
// Within the amount both stay possible. What is held can be captured although the mandate has ended; nothing more can.
func TestMandateBoundsLaterRaises(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	end := time.Now().Add(time.Hour)
	over := func(in *request.Input) { in.Overcapture = ptr(true) }
	agree := func(terms payment.MandateTerms, more ...func(*request.Input)) (mandate string, first *payment.Payment) {
		all := append([]func(*request.Input){offSession, agreed, customer("c"), multiUse(terms)}, more...)
		first = w.pay(sale(100, visa, all...)).Payment
		return first.Details.MandateID, first
	}
	raise := func(id string, total int64) error {
		_, err := w.IncrementAuthorization(t.Context(), w.auth, id, request.IncrementInput{Amount: total})
		return err
	}
	capture := func(id string, amount int64) error {
		_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: &amount})
		return err
	}
	terms := payment.MandateTerms{Amount: 500, Currency: "USD", End: &end}
	mandate, first := agree(terms, raisable)
	require.NoError(t, raise(first.ID, 700), "the payment that makes the mandate does not count")

	for name, one := range map[string]string{"multi-use": mandate, "single-use": func() string {
		single := terms
		single.SingleUse = true
		id, _ := agree(single)
		return id
	}()} {
		v := w.pay(mit(400, "", byMandate(one), raisable, over))
		require.Equal(t, payment.RequiresCapture, v.Payment.Status, name)
		require.Equal(t, "HE_03", code(t, raise(v.Payment.ID, 501)), name)
		require.NoError(t, raise(v.Payment.ID, 450), name)
		require.Equal(t, "HE_03", code(t, capture(v.Payment.ID, 501)), name)
		require.NoError(t, capture(v.Payment.ID, 500), "%s: more than what is held, within the mandate", name)
		require.EqualValues(t, 500, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Received, name)
	}

	held := w.pay(mit(400, "", byMandate(mandate), raisable, over)).Payment
	late := w.pay(mit(400, "", byMandate(mandate), raisable, over)).Payment
	w.pass(61 * time.Minute)
	require.Equal(t, "HE_03", code(t, raise(late.ID, 450)), "the mandate has expired")
	w.pass(-61 * time.Minute)
	require.NoError(t, w.RevokeMandate(t.Context(), w.auth, mandate))
	require.Equal(t, "IR_16", code(t, raise(held.ID, 450)), "revoked")
	require.Equal(t, "IR_16", code(t, capture(held.ID, 450)), "revoked")
	require.NoError(t, capture(held.ID, 400), "what is held was allowed")
}

// TestRetryWithoutTheMandate: a payment that the mandate could not pay and that a typed card pays then is no charge of the mandate.
func TestRetryWithoutTheMandate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	w.profileFields(`{"is_manual_retry_enabled": true}`)
	mandate := w.pay(sale(0, visa, offSession, agreed, customer("c"), multiUse(payment.MandateTerms{Amount: 2_000_000_000, Currency: "USD"}))).Payment.Details.MandateID
	v := w.pay(mit(900_000_101, "", byMandate(mandate)))
	require.Equal(t, payment.Failed, v.Payment.Status)
	require.Equal(t, mandate, v.Payment.Details.MandateID)
	v, err := w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, sale(900_000_101, visa))
	require.NoError(t, err)
	require.Equal(t, 2, v.Payment.AttemptCount)
	require.Empty(t, v.Payment.Details.MandateID)
}

// TestConflictedChargeUsesTheMandate: the processor reports another currency for the one charge of a mandate. It may have taken the money, so that no second charge
// follows.
func TestConflictedChargeUsesTheMandate(t *testing.T) {
	t.Parallel()
	s, _ := watched(func(s *sdk.Adapter) {
		plain := s.Authorize
		s.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
			o, err := plain(c)
			if err == nil && c.Request.Amount.Minor == 333 {
				o.Amount = &sdk.Money{Minor: 333, Currency: "EUR"}
			}
			return o, err
		}
	})
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"sim2": s})
	w.account("sim2", "")
	one := w.pay(sale(0, visa, offSession, agreed, customer("c"), singleUse(500))).Payment.Details.MandateID
	require.Equal(t, payment.Conflicted, w.pay(mit(333, "", byMandate(one))).Payment.Status)
	require.Equal(t, "mandate is not active", w.fails(mit(100, "", byMandate(one))).Message)
}

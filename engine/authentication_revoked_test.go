package engine_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// A mandate that is revoked while the issuer authenticates its charge is not charged.
func TestMandateRevokedDuringAuthentication(t *testing.T) {
	t.Parallel()
	w, seen, _ := newSavedWorld(t)
	v := w.begun(offSession, agreed, customer("c"), multiUse(payment.MandateTerms{Amount: 5000, Currency: "USD"}))
	require.Equal(t, "Y", w.authenticated(v).TransStatus)
	mandate := w.done(v.Payment.ID).Payment.Details.MandateID
	w.setProfile(`{"external_three_ds_policy":{"three_ri_for_mit":"on"}}`)
	require.Equal(t, payment.Succeeded, w.pay(mit(777, "", byMandate(mandate))).Payment.Status)

	before := seen.count()
	w.a.before = func(sdk.Operation) { require.NoError(t, w.RevokeMandate(t.Context(), w.auth, mandate)) }
	v = w.pay(mit(777, "", byMandate(mandate)))
	require.Equal(t, payment.Failed, v.Payment.Status)
	require.Equal(t, "mandate is not active", v.Attempt.Details.Error.Message)
	require.Equal(t, before, seen.count(), "nothing was sent to the processor")
}

// A saved card that is deleted while its payment waits for the payer is not charged.
func TestSavedCardDeletedDuringAuthentication(t *testing.T) {
	t.Parallel()
	w, seen, method := newSavedWorld(t)
	token := func(in *request.Input) {
		in.Card, in.HasMethodData, in.PaymentToken, in.CardCVC = nil, false, method, typedCard(visa).CVC
	}
	v := w.begun(customer("c"), token)
	require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
	before := seen.count()
	require.NoError(t, w.DeletePaymentMethod(t.Context(), w.auth, method))
	w.authenticated(v)
	v = w.done(v.Payment.ID)
	require.Equal(t, payment.Failed, v.Payment.Status)
	require.Equal(t, before, seen.count(), "nothing was sent to the processor")
}

// An authentication that the merchant brought with one card says nothing about another card. The first confirm could not be sent.
func TestBroughtAuthenticationOfAnotherCard(t *testing.T) {
	t.Parallel()
	s, seen := watched()
	var refuses atomic.Bool
	do := s.Authorize
	s.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		if refuses.Load() {
			return nil, &sdk.Reject{Code: sdk.RejectUnsupported, Message: "not this card"}
		}
		return do(c)
	}
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"sim2": s})
	w.account("sim2", "")
	refuses.Store(true)
	_, err := w.CreatePayment(t.Context(), w.auth, sale(6540, visa, func(in *request.Input) {
		in.PaymentID = "p"
		in.ThreeDS = &request.ThreeDSInput{CAVV: secret.New(cavv), ECI: "05", DSTransID: "52274852-4ad0-4035-8705-b6852b81be4c", Version: "2.2.0", TransStatus: "Y"}
	}))
	require.ErrorContains(t, err, "not this card")
	require.Equal(t, payment.RequiresPaymentMethod, w.get("p", request.RetrieveInput{}).Payment.Status)
	refuses.Store(false)
	v, err := w.ConfirmPayment(t.Context(), w.auth, "p", sale(6540, "5555555555554444"))
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Nil(t, seen.last().ThreeDS)
	require.Nil(t, v.Attempt.Details.Authentication)
}

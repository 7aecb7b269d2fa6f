package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/engine/request"
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

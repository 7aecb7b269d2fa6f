package dashboard

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// TestAdvice: support knows for each reason of a refusal what the customer can do.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, r := range sdk.DeclineReasons() {
		require.NotEmpty(t, advice[r.Reason], r.Reason)
	}
}

// TestWhyRefused: the page of a refused payment says who refused it, in the processor's words alone, and what the customer can do.
func TestWhyRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	p := w.pay(6540, func(in *request.Input) { in.Card.Number = secret.New("4000000000000002") }).Payment
	for _, path := range []string{"/m/acme/payments/" + p.ID, "/m/acme/payments", "/m/acme/"} {
		require.Contains(t, w.page(path), "Your card was declined.", path)
		require.NotContains(t, w.page(path), "message - ", path)
	}
	require.Contains(t, w.page("/m/acme/payments/"+p.ID), "Simulator refused 65.40 USD: “Your card was declined”. The bank gives no reason.")
	require.Equal(t, "message of the bank", spoken("message of the bank"))
	require.Equal(t, "No", spoken("message - No"))
}

// TestNeverCarriedOut: a payment on which the processor never acted was refused by no one.
func TestNeverCarriedOut(t *testing.T) {
	t.Parallel()
	v := &change.View{Payment: &payment.Payment{Status: payment.Failed, Amount: 6540, Currency: "USD"}, Attempt: &payment.Attempt{Connector: "adyen", Status: payment.AttemptFailure}}
	v.Attempt.Details.Error = &payment.AttemptError{Code: payment.CodeNotProcessed, Message: "the processor does not know this payment"}
	require.Equal(t, "Adyen never carried out the payment of 65.40 USD: the processor does not know this payment. The customer can pay again. No money moved.", sentence(v, "Adyen"))
}

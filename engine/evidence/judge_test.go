package evidence

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// A comparison that the host made for an adapter is not a request. An adapter that is its own processor gets the same verdict with and
// without one.
func TestComparisonsAreNoSends(t *testing.T) {
	yes := true
	asked := sdk.Money{Minor: 6540, Currency: "EUR"}
	compared := &Answer{Exchanges: []sdk.Exchange{{Verified: &yes}}}
	alone, talks := &sdk.Manifest{}, &sdk.Manifest{Environments: map[string]sdk.Environment{"live": {Hosts: []string{"api.example.com"}}}}
	for _, c := range []struct {
		m      *sdk.Manifest
		status sdk.OutcomeStatus
		want   payment.OperationStatus
	}{
		{alone, sdk.StatusCaptured, payment.OperationSucceeded},
		{alone, sdk.StatusDeclined, payment.OperationDeclined},
		{talks, sdk.StatusCaptured, payment.OperationFailed}, // the adapter reports a capture without a request
	} {
		compared.Outcome = &sdk.Outcome{Status: c.status, TransactionID: "tx_1", Amount: &asked}
		if c.status == sdk.StatusDeclined {
			compared.Outcome.Decline = &sdk.Decline{Code: "x", Reason: sdk.DeclineGeneric}
		}
		require.Equal(t, c.want, Judge(sdk.OpAuthorize, asked, c.m, compared, nil).Status, c.status)
	}
	unanswered := &Answer{MayHaveLeft: true, Exchanges: []sdk.Exchange{{Verified: &yes}, {Sent: true}}, Outcome: &sdk.Outcome{Status: sdk.StatusCaptured}}
	require.Equal(t, payment.OperationUnknown, Judge(sdk.OpAuthorize, asked, talks, unanswered, nil).Status)
}

// A processor may answer the void of a rest with the payment's whole amount. The rest is released then: nothing is amiss. Another
// currency is amiss.
func TestVoidStatesThePaymentsAmount(t *testing.T) {
	rest := sdk.Money{Minor: 50, Currency: "EUR"}
	for _, c := range []struct {
		said     sdk.Money
		mismatch bool
	}{{sdk.Money{Minor: 1050, Currency: "EUR"}, false}, {rest, false}, {sdk.Money{Minor: 1050, Currency: "USD"}, true}} {
		r := &Answer{MayHaveLeft: true, AnsweredLast: true, Exchanges: []sdk.Exchange{{Sent: true}},
			Outcome: &sdk.Outcome{Status: sdk.StatusVoided, TransactionID: "tx_1", Amount: &c.said}}
		v := Judge(sdk.OpVoid, rest, &sdk.Manifest{}, r, nil)
		require.Equal(t, c.mismatch, v.mismatch, c.said)
		require.Equal(t, c.mismatch, v.Alarm != "", c.said)
	}
}

package relay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/alarm"
	"payswitch/engine/drive"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// A report on a transaction speaks of captures that the relay has not made, and names the transaction: neither is taken for the relay's own.
func TestReportOnATransactionIsNoReportOnARelay(t *testing.T) {
	capture := &Relay{ID: "relay_1", Type: Capture, Status: Pending, ReferenceID: "cap_1", ResourceID: "tx", Details: Details{OperationID: "op", Reference: "ours",
		Data: Data{Capture: &CaptureData{Authorized: 5000, Amount: 2000, Currency: "EUR"}}}}
	w := &drive.Run{Operation: &payment.Operation{ID: "op", Kind: sdk.OpCapture, Status: payment.OperationPending, Amount: 2000}}
	capture.describe(w)
	capture.complete(w)
	others := &sdk.Totals{Authorized: 5000, Captured: 1000}
	require.Equal(t, payment.OperationPending, read(w, &sdk.Outcome{Status: sdk.StatusPending, CaptureID: "cap_1", Totals: others}, false).Status)
	require.Equal(t, payment.OperationDeclined, read(w, &sdk.Outcome{Status: sdk.StatusDeclined, CaptureID: "cap_1", Totals: others}, false).Status)
	v := read(w, &sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: "cap_1", Totals: &sdk.Totals{Authorized: 5000, Captured: 3000}}, false)
	require.Equal(t, []any{payment.OperationSucceeded, alarm.Kind("")}, []any{v.Status, v.Alarm}, "1000 of the 3000 are another capture's")

	for _, c := range []struct {
		kind        Type
		known, want string
		told        sdk.Outcome
	}{
		{Refund, "", "", sdk.Outcome{TransactionID: "tx"}},
		{Refund, "re_1", "re_1", sdk.Outcome{TransactionID: "tx"}},
		{Refund, "", "re_1", sdk.Outcome{TransactionID: "tx", RefundID: "re_1"}},
		{Capture, "cap_1", "cap_1", sdk.Outcome{TransactionID: "tx"}},
		{Capture, "", "cap_1", sdk.Outcome{TransactionID: "tx", CaptureID: "cap_1"}},
		{Capture, "", "tx", sdk.Outcome{TransactionID: "tx"}},
		{Void, "", "tx", sdk.Outcome{TransactionID: "tx"}},
	} {
		r := &Relay{Type: c.kind, ReferenceID: c.known}
		r.name(&c.told)
		require.Equal(t, c.want, r.ReferenceID, "%s %s", c.kind, c.known)
	}
}

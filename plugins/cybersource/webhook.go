package cybersource

import (
	"strconv"
	"strings"

	"payswitch/sdk"
)

// webhook reads a message, signed with "t=<ms>;keyId=<id>;sig=<base64>": an HMAC-SHA256 over t, a dot and the body. A
// message does not say whether a payment was captured with its authorization, so every event asks for a query.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	at := c.SignedPairs(sdk.PairSignature{Header: "v-c-signature", Separator: ";", Name: "sig", Secret: "webhook_secret",
		Key: sdk.FnUnbase64, Code: sdk.FnBase64})
	ms, _ := strconv.ParseInt(at, 10, 64)
	c.FreshAt(ms)
	j := c.Message()
	// payments.payments.accept, payments.refunds.reject …, and Decision Manager's risk.casemanagement.decision.accept
	service, _, _ := strings.Cut(strings.TrimPrefix(j.Str("eventType"), "payments."), ".")
	object := objects.Of(service)
	if object == "" { // unknown types are accepted and ignored
		return sdk.Handled(), nil
	}
	var events []sdk.Event
	for p := range j.Get("payload").Each() {
		e := sdk.Event{Object: object, TransactionID: p.Str("data.id"),
			Reference: p.Str("data.clientReferenceInformation.code"), Sync: true, Time: ms}
		if object == sdk.EventRefund {
			e.RefundID, e.TransactionID = e.TransactionID, ""
		}
		events = append(events, e)
	}
	return sdk.Handled(events...), nil
}

// objects are the objects of events, by service.
var objects = sdk.Table[sdk.EventObject]{{sdk.EventRefund, "refunds"},
	{sdk.EventPayment, "payments capture captures reversals risk"}}

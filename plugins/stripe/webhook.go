package stripe

import (
	"strconv"
	"strings"

	"payswitch/sdk"
)

// webhook reads an Event. Stripe-Signature is "t=<Unix seconds>,v1=<hex HMAC-SHA256 of t, a dot and the body>".
// Without the account's secret an event only causes a query.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	signed := c.Account.Credentials["webhook_secret"] != ""
	if signed {
		at := c.SignedPairs(sdk.PairSignature{Header: "Stripe-Signature", Separator: ",", Name: "v1",
			Secret: "webhook_secret", Code: sdk.FnHex})
		seconds, _ := strconv.ParseInt(at, 10, 64)
		c.FreshAt(seconds * 1000)
	}
	j := c.Message()
	o := &sdk.Outcome{Status: sdk.StatusHandled, Raw: j.Pick("id", "type")}
	if e := event(c, j); e.Object != "" {
		if !signed {
			e.Sync, e.Outcome = true, nil
		}
		o.Events = []sdk.Event{e}
	}
	return o, nil
}

// event reads the subject of an Event; it is empty for an Event that is not about payments. The event asks for a sync
// if the object is incomplete, or if another change than our own can follow: Stripe's messages arrive in any order.
func event(c *sdk.Call, j sdk.JSON) sdk.Event {
	kind, about := j.Str("type"), j.Get("data.object")
	e := sdk.Event{Object: "payment", TransactionID: id(about, "payment_intent"),
		Reference: about.Str("metadata.order_id"), Time: j.Int("created") * 1000}
	switch {
	case kind == "payment_intent.succeeded" && !hasAmounts(about, "amount_received", "amount"):
		e.TransactionID, e.Sync = about.Str("id"), true
	case kind == "payment_intent.succeeded", kind == "payment_intent.canceled":
		e.TransactionID, e.Outcome = about.Str("id"), paymentIntent.read(c, about)
	case strings.HasPrefix(kind, "payment_intent."), strings.HasPrefix(kind, "setup_intent."):
		e.TransactionID, e.Sync = about.Str("id"), true
	case kind == "charge.refunded":
		e.Sync = true
	case strings.HasPrefix(kind, "refund."), kind == "charge.refund.updated":
		if e.Object, e.RefundID, e.Sync = "refund", about.Str("id"), !hasAmounts(about, "amount"); !e.Sync {
			e.Outcome = refundOutcome(c, about)
		}
	case strings.HasPrefix(kind, "charge.dispute."):
		e.Object, e.Reference = "dispute", ""
		e.Dispute = dispute(about)
	default:
		return sdk.Event{}
	}
	return e
}

// disputes are the statuses of a Dispute (docs.stripe.com/api/disputes/object). Those that begin with warning_ are
// questions of the issuer, which claim no money. charge_refunded is a word of older API versions.
var disputes = sdk.Table[sdk.DisputeStatus]{{sdk.DisputeOpened, "needs_response warning_needs_response"},
	{sdk.DisputeChallenged, "under_review warning_under_review"}, {sdk.DisputeWon, "won"}, {sdk.DisputeLost, "lost"},
	{sdk.DisputeCancelled, "warning_closed prevented"}, {sdk.DisputeAccepted, "charge_refunded"}}

// dispute reads a Dispute; nil for one whose status or amount is unreadable.
func dispute(about sdk.JSON) *sdk.Dispute {
	status := about.Str("status")
	d := sdk.Dispute{ID: about.Str("id"), Status: disputes.Of(status), ConnectorStatus: status,
		Reason: about.Str("reason"), ReasonCode: about.Str("network_reason_code"),
		RespondBy: about.Int("evidence_details.due_by") * 1000, CreatedAt: about.Int("created") * 1000,
		Stage: sdk.Choose(strings.HasPrefix(status, "warning_"), sdk.StagePreDispute, sdk.StageDispute)}
	return d.Of(decimals.Read(about, "amount", sdk.CurrencyOf(about.Str("currency"))))
}

// hasAmounts reports whether the amounts of an object are readable and above zero.
func hasAmounts(j sdk.JSON, paths ...string) bool {
	for _, path := range paths {
		if !decimals.Read(j, path, sdk.CurrencyOf(j.Str("currency"))).Positive() {
			return false
		}
	}
	return true
}

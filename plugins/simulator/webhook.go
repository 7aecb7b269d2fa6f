package simulator

import (
	"strings"

	"payswitch/sdk"
)

// signatureHeader holds the lower-case hex HMAC-SHA256 of the raw body with the account's webhook secret as key.
const signatureHeader = "X-Simulator-Signature"

// webhook reads a message that a test sent in the simulated processor's name:
//
//	{"type": "payment.updated", "transaction_id": "sim_…", "reference": "…", "created": 1700000000}
//	{"type": "refund.updated", "refund_id": "simr_…", "transaction_id": "sim_…", "reference": "…", "created": 1700000000}
//	{"type": "dispute.updated", "dispute_id": "dp_1", "status": "opened", "amount": 500, "currency": "USD",
//	 "transaction_id": "sim_…", "created": 1700000000}
//
//	{"type": "capture.updated", "capture_id": "sim_…_c1", "status": "captured", "amount": 500, "currency": "USD",
//	 "transaction_id": "sim_…", "created": 1700000000}
//	{"type": "extension.updated", "applied": true, "transaction_id": "sim_…", "created": 1700000000}
//
// created is in Unix seconds and optional. The status of a capture is captured or declined. A dispute's status is one
// of sdk.DisputeStatus, its amount in minor units; stage, reason, reason_code and respond_by (Unix seconds) are
// optional. A payment or a dispute needs transaction_id or reference, a refund needs refund_id or reference. The event
// of a payment or refund only asks for a sync. An account without a webhook secret accepts unsigned messages.
//
// Under the name of stripe the simulator also reads that processor's own messages (messageOfStripe). Those about
// disputes are signed as Stripe signs.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	w := c.Request.Webhook
	if w == nil {
		return nil, missing("webhook", "the request has no message")
	}
	if e := messageOfStripe(c, w.Body); e != nil {
		return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{*e}}, nil
	}
	if key := c.Account.Credentials[webhookSecret]; key != "" {
		expected := sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(key), sdk.Body()))
		ok, err := c.Verify(expected, sdk.HeaderValue(w.Headers, signatureHeader))
		if err != nil {
			return nil, err
		}
		if !ok {
			return turnAway(401, "the signature is missing or wrong"), nil
		}
	}
	j, err := sdk.ParseJSON(w.Body)
	if err != nil {
		return turnAway(400, "the body is not JSON"), nil
	}
	e := sdk.Event{TransactionID: j.Str("transaction_id"), Reference: j.Str("reference"), Sync: true,
		Time: eventTime(j.Int("created"))}
	switch j.Str("type") {
	case "payment.updated":
		e.Object = "payment"
	case "capture.updated":
		e.Object, e.Sync = "payment", false
		e.Outcome = &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: e.TransactionID, CaptureID: j.Str("capture_id")}
		if j.Str("status") != string(sdk.StatusCaptured) {
			e.Outcome.Status, e.Outcome.Decline = sdk.StatusDeclined,
				refuse(codeCapture, "The capture has been refused.", sdk.DeclineGeneric)
		} else if amount := j.Int("amount"); amount > 0 {
			e.Outcome.Amount = &sdk.Money{Minor: amount, Currency: sdk.CurrencyOf(j.Str("currency"))}
		}
	case "extension.updated":
		applied := j.Raw("applied") == "true"
		e.Object, e.Sync = "payment", false
		e.Outcome = &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: e.TransactionID,
			Hold: &sdk.Hold{Extended: &applied}}
	case "refund.updated":
		e.Object, e.RefundID = "refund", j.Str("refund_id")
	case "dispute.updated":
		e.Object, e.Sync = "dispute", false
		e.Dispute = &sdk.Dispute{ID: j.Str("dispute_id"), Status: sdk.DisputeStatus(j.Str("status")),
			Amount:          sdk.Money{Minor: j.Int("amount"), Currency: sdk.CurrencyOf(j.Str("currency"))},
			Stage:           sdk.DisputeStage(j.Str("stage")),
			ConnectorStatus: j.Str("status"), Reason: j.Str("reason"), ReasonCode: j.Str("reason_code"),
			RespondBy: eventTime(j.Int("respond_by"))}
	default: // unknown types are accepted and ignored
		return reply(200, sdk.StatusHandled), nil
	}
	if e.Reference == "" && (e.Object != "refund" && e.TransactionID == "" || e.Object == "refund" && e.RefundID == "") {
		return turnAway(400, "the message names no payment, refund or dispute"), nil
	}
	o := reply(200, sdk.StatusHandled)
	o.Events = []sdk.Event{e}
	return o, nil
}

// messageOfStripe reads a message in Stripe's form: what it says happened, nil for anything else. Only a message
// about a dispute needs a signature: the others ask for a sync. The simulator ignores the kinds of messages that
// stripe's adapter ignores.
func messageOfStripe(c *sdk.Call, body []byte) *sdk.Event {
	j, err := sdk.ParseJSON(body)
	if err != nil || c.Account.Connector != "stripe" {
		return nil
	}
	about, e := j.Get("data.object"), &sdk.Event{Object: "payment", Sync: true, Time: eventTime(j.Int("created"))}
	switch kind := j.Str("type"); about.Str("object") {
	case "payment_intent":
		switch strings.TrimPrefix(kind, "payment_intent.") {
		case "succeeded", "payment_failed", "canceled", "amount_capturable_updated", "requires_action", "partially_funded":
			e.TransactionID, e.Reference = about.Str("id"), about.Str("metadata.order_id")
			return e
		}
	case "refund":
		if s := about.Str("status"); kind == "charge.refund.updated" && (s == "succeeded" || s == "failed") {
			e.Object, e.RefundID, e.TransactionID = "refund", about.Str("id"), about.Str("payment_intent")
			if about.Str("metadata.is_refund_id_as_reference") == "true" {
				e.Reference = about.Str("metadata.order_id")
			}
			return e
		}
	case "dispute":
		d := disputeOfStripe(about)
		if !strings.HasPrefix(kind, "charge.dispute.") || d == nil {
			return nil
		}
		if c.Account.Credentials[webhookSecret] != "" {
			c.SignedPairs(sdk.PairSignature{Header: "Stripe-Signature", Separator: ",", Name: "v1", Secret: webhookSecret,
				Code: sdk.FnHex})
		}
		e.Object, e.Sync, e.TransactionID, e.Dispute = "dispute", false, about.Str("payment_intent"), d
		return e
	}
	return nil
}

// disputesOfStripe are the statuses of Stripe's disputes. Those that begin with warning_ are questions of the issuer.
var disputesOfStripe = sdk.Table[sdk.DisputeStatus]{{sdk.DisputeOpened, "needs_response warning_needs_response"},
	{sdk.DisputeChallenged, "under_review warning_under_review"}, {sdk.DisputeWon, "won"}, {sdk.DisputeLost, "lost"},
	{sdk.DisputeCancelled, "warning_closed prevented"}, {sdk.DisputeAccepted, "charge_refunded"}}

// disputeOfStripe reads a dispute in Stripe's form, nil for one of an unknown status.
func disputeOfStripe(about sdk.JSON) *sdk.Dispute {
	word := about.Str("status")
	d := &sdk.Dispute{ID: about.Str("id"), Status: disputesOfStripe.Of(word), Stage: sdk.StageDispute,
		Amount:          sdk.Money{Minor: about.Int("amount"), Currency: sdk.CurrencyOf(about.Str("currency"))},
		ConnectorStatus: word, Reason: about.Str("reason"), ReasonCode: about.Str("network_reason_code"),
		RespondBy: eventTime(about.Int("evidence_details.due_by")), CreatedAt: eventTime(about.Int("created"))}
	if strings.HasPrefix(word, "warning_") {
		d.Stage = sdk.StagePreDispute
	}
	if d.Status == "" {
		return nil
	}
	return d
}

func reply(status int, s sdk.OutcomeStatus) *sdk.Outcome {
	return &sdk.Outcome{Status: s, Reply: &sdk.Reply{Status: status}}
}

// eventTime is in Unix milliseconds, 0 if the seconds are out of range.
func eventTime(seconds int64) int64 {
	if seconds < 0 || seconds > 1<<40 {
		return 0
	}
	return seconds * 1000
}

// turnAway returns the outcome of a message that is not genuine or not readable, with the reason for the log.
func turnAway(status int, why string) *sdk.Outcome {
	o := reply(status, sdk.StatusUnknown)
	o.Raw = map[string]string{"error": why}
	return o
}

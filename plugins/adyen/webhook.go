package adyen

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// webhook reads a standard notification. A signature over eight fields of each item decides; other fields decide
// nothing. The time is not signed, so an old message may come again and repeats its old content.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	o := &sdk.Outcome{Status: sdk.StatusHandled,
		Reply: &sdk.Reply{Status: 200, Headers: []sdk.Header{sdk.H("Content-Type", "text/plain")}, Body: "[accepted]"}}
	items := c.Message().Get("notificationItems")
	if !items.IsArray() {
		return sdk.Refuse(400, "the message is not a notification"), nil
	}
	for item := range items.All() {
		n := item.Get("NotificationRequestItem")
		text := signed(n)
		if strings.Count(text, ":") != 7 {
			continue // a colon inside a field makes the signed text ambiguous; our references have none
		}
		key := sdk.Text(c.Account.Credentials["webhook_secret"]).Unhex()
		c.Signed("webhook_secret", sdk.HMACSHA256(key, sdk.Text(text)).Base64(), n.Str("additionalData.hmacSignature"))
		if e := event(n); e != nil {
			o.Events = append(o.Events, *e)
		}
	}
	return o, nil
}

// signed returns the signed text of an item: eight fields joined by colons (docs.adyen.com, "Verify HMAC signatures").
func signed(n sdk.JSON) string {
	return strings.Join([]string{n.Text("pspReference"), n.Text("originalReference"), n.Text("merchantAccountCode"),
		n.Text("merchantReference"), n.Text("amount.value"), n.Text("amount.currency"), n.Text("eventCode"),
		n.Text("success")}, ":")
}

// reversals undo an earlier success.
const reversals = "CAPTURE_FAILED REFUND_FAILED REFUNDED_REVERSED REFUND_REVERSED"

// cancels give a payment back. Adyen chooses for a reversal, CANCEL_OR_REFUND, between a cancel and a refund.
const cancels = "CANCELLATION CANCEL_OR_REFUND"

// The meaning of an item's eventCode with and without success. Like a sync, the event of a payment reports the
// payment's state: after a failed cancel the payment is as it was, and the decline says why.
var (
	succeeded = sdk.Statuses{{sdk.StatusAuthorized, "AUTHORISATION AUTHORISATION_ADJUSTMENT RECURRING_CONTRACT"},
		{sdk.StatusCaptured, "CAPTURE"}, {sdk.StatusVoided, cancels + " EXPIRE"},
		{sdk.StatusRefunded, "REFUND"}, {sdk.StatusDeclined, "OFFER_CLOSED " + reversals}}
	failed = sdk.Statuses{{sdk.StatusAuthorized, "AUTHORISATION_ADJUSTMENT EXPIRE " + cancels},
		{sdk.StatusDeclined, "AUTHORISATION CAPTURE REFUND " + reversals}}
)

// The eventCodes of disputes (docs.adyen.com, "Dispute webhooks"). All messages about a dispute have its pspReference.
// A request for information claims no money. Adyen's disputeStatus is not signed, so it decides nothing.
var (
	disputes = sdk.Table[sdk.DisputeStatus]{{sdk.DisputeOpened,
		"REQUEST_FOR_INFORMATION NOTIFICATION_OF_CHARGEBACK CHARGEBACK"},
		{sdk.DisputeChallenged, "INFORMATION_SUPPLIED"}, {sdk.DisputeExpired, "DISPUTE_DEFENSE_PERIOD_ENDED"},
		{sdk.DisputeWon, "CHARGEBACK_REVERSED ISSUER_RESPONSE_TIMEFRAME_EXPIRED PREARBITRATION_WON"},
		{sdk.DisputeLost, "SECOND_CHARGEBACK PREARBITRATION_LOST"}}
	stages = sdk.Table[sdk.DisputeStage]{{sdk.StagePreDispute, "REQUEST_FOR_INFORMATION"},
		{sdk.StageDispute, "NOTIFICATION_OF_CHARGEBACK CHARGEBACK"},
		{sdk.StagePreArbitration, "SECOND_CHARGEBACK PREARBITRATION_WON PREARBITRATION_LOST"}}
)

// event returns the event of an item; nil for an item that does not concern payments.
func event(n sdk.JSON) *sdk.Event {
	id, code, success := n.Str("pspReference"), n.Str("eventCode"), n.Text("success") == "true"
	o := &sdk.Outcome{Status: sdk.Choose(success, succeeded, failed).Of(code), Amount: money(n.Get("amount")),
		TransactionID: cmp.Or(n.Str("originalReference"), id),
		Raw:           map[string]string{"event_code": code, "success": n.Text("success")}}
	e := &sdk.Event{Object: sdk.EventPayment, TransactionID: o.TransactionID, Reference: n.Str("merchantReference"),
		AccountID: n.Str("merchantAccountCode"), Outcome: o}
	switch {
	case disputes.Of(code) != "":
		e.Object, e.Outcome = sdk.EventDispute, nil
		if success && n.Str("originalReference") != "" {
			e.Dispute = dispute(n, id, code).Of(o.Amount)
		}
		return e
	case o.Status == "":
		return nil
	case code == "RECURRING_CONTRACT": // the stored credential of an approved payment whose answer lacked it
		if n.Str("originalReference") == "" {
			return nil
		}
		o.StoredCredential, o.Amount = &sdk.StoredCredential{ID: id}, nil
	case strings.HasPrefix(code, "REFUND"):
		e.Object, e.RefundID, o.RefundID = sdk.EventRefund, id, id
	case strings.HasPrefix(code, "CAPTURE"):
		o.CaptureID = id
	case code == "AUTHORISATION_ADJUSTMENT": // a raise, or an extension: both make the authorization valid for longer
		o.Hold = &sdk.Hold{Extended: &success}
	case code == "AUTHORISATION" && success && o.Amount != nil && o.Amount.Minor == 0:
		o.Status = sdk.StatusVerified
	}
	if moved := success && o.StoredCredential == nil; moved && !readable(n, o) {
		e.Outcome, e.Sync = nil, true
		return e
	}
	// the item's amount does not belong to this status
	if !success || o.Status == sdk.StatusDeclined || o.Status == sdk.StatusVoided {
		o.Amount = nil
	}
	if refused := !success && strings.HasPrefix(code, "CANCEL"); refused || o.Status == sdk.StatusDeclined {
		// a refused cancel has its own pspReference, the same in each delivery (docs.adyen.com, "Cancel")
		o.Decline, o.Reference = said(n), sdk.When(refused, id)
	}
	return e
}

// dispute returns the dispute of an item, with unsigned words that explain it.
func dispute(n sdk.JSON, id, code string) *sdk.Dispute {
	return &sdk.Dispute{ID: id, Status: disputes.Of(code), Stage: stages.Of(code), ConnectorStatus: code,
		Reason: n.Str("reason"), ReasonCode: n.Str("additionalData.chargebackReasonCode"),
		RespondBy: sdk.Millis(n.Str("additionalData.defensePeriodEndsAt"))}
}

// readable reports whether the amount of a success is reliable. An issuer may approve less than the signed amount:
// authorisedAmountValue is not signed, but shows that the signed amount may be too high.
func readable(n sdk.JSON, o *sdk.Outcome) bool {
	const part = "additionalData.authorisedAmountValue"
	whole := n.Str("eventCode") != "AUTHORISATION" || !n.Has(part) || n.Text(part) == n.Text("amount.value")
	return !o.Status.Approves() || whole && o.Amount != nil && o.Amount.Minor >= 0
}

// said returns the reason of a refusal, in unsigned words. They explain and decide nothing.
func said(n sdk.JSON) *sdk.Decline {
	why := n.Text("additionalData.refusalReasonCode")
	return declines.New(sdk.Choose(declines.Of(why) != "", why, n.Str("eventCode")), n.Str("reason"), "")
}

package checkout

import (
	"cmp"
	"strings"
	"time"

	"payswitch/sdk"
)

// toleranceSeconds is the accepted age of a message. Checkout.com repeats a failed message with the same time and
// signature for up to 30 hours.
const toleranceSeconds = 36 * 60 * 60

// webhook reads an event, signed with the hexadecimal HMAC-SHA256 of the body. Events come in any order and more than
// once, so each only asks for a sync.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	c.Signed(webhookSecret, sdk.HMACSHA256(sdk.Text(c.Account.Credentials[webhookSecret]), sdk.Body()).Hex(),
		strings.ToLower(sdk.HeaderValue(c.Request.Webhook.Headers, "Cko-Signature")))
	message := c.Message()
	created := sdk.Millis(message.Str("created_on"))
	c.Fresh(time.UnixMilli(created), toleranceSeconds*time.Second)
	o := sdk.Handled()
	if e := event(message.Str("type"), message.Get("data")); e != nil {
		e.Time = created
		o = sdk.Handled(*e)
	}
	o.Raw = map[string]string{"type": message.Str("type")}
	return o, nil
}

// event returns the subject of a message; nil for one that does not concern payments.
func event(kind string, data sdk.JSON) *sdk.Event {
	e := &sdk.Event{Object: "payment", TransactionID: data.Str("id"), Reference: data.Str("reference"), Sync: true}
	switch {
	case strings.HasPrefix(kind, "payment_refund"):
		e.Object, e.RefundID = "refund", data.Str("action_id")
	case strings.HasPrefix(kind, "payment_"), strings.HasPrefix(kind, "card_verif"):
	case strings.HasPrefix(kind, "dispute_"):
		e.Object, e.TransactionID, e.Reference = "dispute", data.Str("payment_id"), data.Str("payment_reference")
		e.Dispute = dispute(kind, data)
	default:
		return nil
	}
	if e.TransactionID == "" {
		return nil
	}
	return e
}

// disputes are the types of messages about disputes. Any other message leaves the dispute open. Checkout.com resolves a
// dispute by itself if the payment was refunded before.
var disputes = sdk.Table[sdk.DisputeStatus]{{sdk.DisputeWon, "dispute_won dispute_arbitration_won"},
	{sdk.DisputeCancelled, "dispute_canceled dispute_resolved"},
	{sdk.DisputeLost, "dispute_lost dispute_arbitration_lost"}, {sdk.DisputeAccepted, "dispute_accepted"},
	{sdk.DisputeExpired, "dispute_expired"},
	{sdk.DisputeChallenged,
		"dispute_evidence_submitted dispute_evidence_acknowledged_by_scheme dispute_arbitration_evidence_submitted " +
			"dispute_arbitration_sent_to_scheme"}}

// dispute reads the data of a message about a dispute; nil if it states no amount.
func dispute(kind string, data sdk.JSON) *sdk.Dispute {
	m := decimals.Read(data, "amount", sdk.CurrencyOf(data.Str("currency")))
	if data.Str("id") == "" || m == nil || m.Minor <= 0 {
		return nil
	}
	d := &sdk.Dispute{ID: data.Str("id"), Status: cmp.Or(disputes.Of(kind), sdk.DisputeOpened), Amount: *m,
		ConnectorStatus: kind, Reason: data.Str("category"),
		ReasonCode: data.Str("reason_code"), RespondBy: sdk.Millis(data.Str("evidence_required_by")),
		CreatedAt: sdk.Millis(data.Str("date"))}
	if strings.HasPrefix(kind, "dispute_arbitration_") {
		d.Stage = sdk.StageArbitration
	}
	return d
}

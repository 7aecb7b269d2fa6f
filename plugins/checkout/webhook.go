package checkout

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// webhook reads an event, signed with the HMAC-SHA256 of the body. Events come in any order, so each asks for a sync.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	c.Signed(webhookSecret, sdk.HMACSHA256(sdk.Text(c.Account.Credentials[webhookSecret]), sdk.Body()).Hex(),
		c.Request.Webhook.Header("Cko-Signature"))
	message := c.Message()
	created := sdk.Millis(message.Str("created_on"))
	c.FreshAt(created)
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
	return sdk.When(e.TransactionID != "", e)
}

// dispute reads the data of a message about a dispute; nil if it states no amount. An unknown type leaves it open.
func dispute(kind string, data sdk.JSON) *sdk.Dispute {
	d := sdk.Dispute{ID: data.Str("id"), ConnectorStatus: kind, Reason: data.Str("category"),
		Status:     cmp.Or(disputes.Of(strings.TrimPrefix(kind, "dispute_")), sdk.DisputeOpened),
		Stage:      sdk.When(strings.HasPrefix(kind, "dispute_arbitration_"), sdk.StageArbitration),
		ReasonCode: data.Str("reason_code"), RespondBy: sdk.Millis(data.Str("evidence_required_by")),
		CreatedAt: sdk.Millis(data.Str("date"))}
	return d.Of(decimals.Read(data, "amount", sdk.CurrencyOf(data.Str("currency"))))
}

package stripe

import (
	"strconv"
	"strings"
	"time"

	"payswitch/sdk"
)

// toleranceSeconds is how far the signed time may be from ours: what Stripe's own libraries take.
const toleranceSeconds = 300

// webhook reads an Event. A message that is not signed with the endpoint's secret, or was some time ago, is answered 401 and not read;
// where the account has no secret, an event only causes a query.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	w := c.Request.Webhook
	signed, err := verified(c, sdk.HeaderValue(w.Headers, "Stripe-Signature"))
	if err != nil {
		return nil, err
	}
	if c.Account.Credentials["webhook_secret"] != "" && !signed {
		return sdk.Refuse(401, "signature missing, wrong or old"), nil
	}
	j, err := sdk.ParseJSON(w.Body)
	if err != nil {
		return sdk.Refuse(400, "not an event"), nil
	}
	o := &sdk.Outcome{Status: sdk.StatusHandled, Raw: j.Pick("id", "type")}
	if e := event(c, j); e != nil {
		e.Time = j.Int("created") * 1000
		if !signed {
			e.Sync, e.Outcome = true, nil
		}
		o.Events = []sdk.Event{*e}
	}
	return o, nil
}

// verified checks the signature header: t=<Unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">, with several v1 while a secret is renewed.
func verified(c *sdk.Call, header string) (bool, error) {
	secret := c.Account.Credentials["webhook_secret"]
	if secret == "" {
		return false, nil
	}
	at, signatures := "", []string(nil)
	for _, p := range sdk.HeaderPairs(header, ",") {
		switch p.Name {
		case "t":
			at = p.Value
		case "v1":
			signatures = append(signatures, p.Value)
		}
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || !c.Near(time.Unix(seconds, 0), toleranceSeconds*time.Second) {
		return false, nil
	}
	code := sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(secret), sdk.Fn(sdk.FnConcat, sdk.Text(at+"."), sdk.Body())))
	return c.VerifyAny(code, signatures...)
}

// event reads what an Event is about; nil for what is not about payments. Where the object does not tell all, the host is to ask.
func event(c *sdk.Call, j sdk.JSON) *sdk.Event {
	about := j.Get("data.object")
	switch kind := j.Str("type"); {
	case strings.HasPrefix(kind, "payment_intent."):
		return &sdk.Event{Object: "payment", TransactionID: about.Str("id"), Reference: about.Str("metadata.order_id"), Sync: !final(kind), Outcome: settled(kind, intent(c, about))}
	case strings.HasPrefix(kind, "setup_intent."):
		return &sdk.Event{Object: "payment", TransactionID: about.Str("id"), Reference: about.Str("metadata.order_id"), Sync: true}
	case kind == "charge.refunded":
		return &sdk.Event{Object: "payment", TransactionID: id(about, "payment_intent"), Reference: about.Str("metadata.order_id"), Sync: true}
	case strings.HasPrefix(kind, "refund."), kind == "charge.refund.updated":
		return &sdk.Event{Object: "refund", TransactionID: id(about, "payment_intent"), RefundID: about.Str("id"), Reference: about.Str("metadata.order_id"), Outcome: refundOutcome(about)}
	case strings.HasPrefix(kind, "charge.dispute."):
		return &sdk.Event{Object: "dispute", TransactionID: id(about, "payment_intent")}
	}
	return nil
}

// final says whether nothing can come after an event but what we do ourselves. Stripe's messages come in any order.
func final(kind string) bool {
	return kind == "payment_intent.succeeded" || kind == "payment_intent.canceled"
}

func settled(kind string, o *sdk.Outcome) *sdk.Outcome {
	if !final(kind) {
		return nil
	}
	return o
}

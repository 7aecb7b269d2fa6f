package bluesnap

import (
	"strconv"

	"payswitch/sdk"
)

// toleranceSeconds is the accepted age of a signed message.
const toleranceSeconds = 300

// webhook reads a message (IPN), a form. Its header bls-signature is a hex HMAC-SHA256 over the header
// bls-ipn-timestamp and the body. Its amounts are in the currency of the report, so every event asks for a query.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	w := c.Request.Webhook
	at, key := w.Header("bls-ipn-timestamp"), sdk.Text(c.Account.Credentials["webhook_secret"])
	c.Signed("webhook_secret", sdk.HMACSHA256(key, sdk.Text(at), sdk.Body()).Hex(), w.Header("bls-signature"))
	ms, fresh := timeOf(at, c.Now().UnixMilli())
	if !fresh {
		return sdk.Refuse(401, "the message is too old"), nil
	}
	pairs, valid := sdk.ParseForm(string(w.Body))
	if !valid {
		return sdk.Refuse(400, "the message is not a form of BlueSnap"), nil
	}
	field := func(name string) string { return sdk.HeaderValue(pairs, name) }
	e := sdk.Event{TransactionID: field("referenceNumber"), Time: ms}
	switch field("transactionType") {
	// support.bluesnap.com/docs/ipns-name-reference; AUTH_ONLY_SINGLE_CHARGE is about the API's AUTH_ONLY
	case "CHARGE", "AUTH_ONLY_SINGLE_CHARGE", "AUTH_ONLY", "CC_CHARGE_FAILED", "DECLINE", "FRAUD_DECLINE":
		e.Object, e.Sync, e.Reference = "payment", true, field("merchantTransactionId")
	case "REFUND":
		e.Object, e.Sync, e.RefundID = "refund", true, field("reversalRefNum")
	case "CHARGEBACK", "CHARGEBACK_STATUS_CHANGED", "RDR": // RDR: Visa has given the money back to end a dispute
		e.Object = "dispute"
	default: // unknown types are accepted and ignored
		return sdk.Handled(), nil
	}
	if e.TransactionID == "" && e.Reference == "" && e.RefundID == "" {
		return sdk.Refuse(400, "the event has no ids"), nil
	}
	return sdk.Handled(e), nil
}

// anyZone is the largest difference between two time zones, in milliseconds.
const anyZone = 14 * 60 * 60 * 1000

// timeOf returns the time of a message in Unix milliseconds, 0 if it is not exact; fresh is false for an old message.
// BlueSnap writes Unix seconds, milliseconds, or a date and time without its zone.
func timeOf(at string, now int64) (ms int64, fresh bool) {
	near := func(ms, distance int64) bool { return ms > now-distance && ms < now+distance }
	if n, err := strconv.ParseInt(at, 10, 64); err == nil {
		if n < 1e11 {
			n *= 1000
		}
		return n, near(n, toleranceSeconds*1000)
	}
	return 0, near(sdk.Millis(at), anyZone+toleranceSeconds*1000)
}

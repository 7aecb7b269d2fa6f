package bluesnap

import (
	"strings"

	"payswitch/sdk"
)

// transaction reads a card transaction: its type says what was done, its processing status whether that went through. kind is the type
// that was asked for, "" when it is retrieved.
func transaction(a answer, kind string, r *sdk.Request) (*sdk.Outcome, error) {
	if a.decline != nil {
		return refused(a.decline), nil
	}
	info := a.Get("processingInfo")
	o := &sdk.Outcome{TransactionID: a.Text("transactionId"), AuthCode: info.Text("authorizationCode"), NetworkTransactionID: info.Text("networkTransactionId"),
		Checks: checks(info), Raw: map[string]string{"type": a.Str("cardTransactionType"), "processing_status": info.Str("processingStatus")}}
	if o.TransactionID == "" || kind != "" && a.Str("cardTransactionType") != kind {
		return nil, errAnswer
	}
	switch strings.ToUpper(info.Str("processingStatus")) {
	case "PENDING", "PENDING_MERCHANT_REVIEW":
		o.Status = sdk.StatusPending
		return o, nil
	case "FAIL":
		o.Status, o.Decline = sdk.StatusDeclined, declineOf("FAIL", "FAIL", info.Text("processorResponseCode"))
		return o, nil
	case "SUCCESS":
	default:
		return nil, errStatus
	}
	switch a.Str("cardTransactionType") {
	case "AUTH_ONLY":
		o.Status = sdk.StatusAuthorized
	case "AUTH_CAPTURE", "CAPTURE":
		o.Status = sdk.StatusCaptured
		o.Amount = less(a, r)
	case "AUTH_REVERSAL":
		o.Status = sdk.StatusVoided
	case "REFUND": // of a payment that was captured
		o.Status = sdk.StatusCaptured
	default:
		return nil, errStatus
	}
	return o, nil
}

// less is the amount of a transaction that took less than the request is about, nil where it took all.
func less(a answer, r *sdk.Request) *sdk.Money {
	m := a.Major("amount", r.Amount.Currency)
	if m == nil || a.Str("currency") != string(r.Amount.Currency) || m.Minor <= 0 || m.Minor >= r.Amount.Minor {
		return nil
	}
	return m
}

// checks reads BlueSnap's CVV and AVS codes.
func checks(info sdk.JSON) *sdk.Checks {
	c := sdk.Checks{AddressLine1: address(info.Str("avsResponseCodeAddress")), PostalCode: address(info.Str("avsResponseCodeZip"))}
	switch info.Str("cvvResponseCode") {
	case "MA":
		c.CVC = "pass"
	case "NM":
		c.CVC = "fail"
	case "NC", "NP":
		c.CVC = "unchecked"
	case "NR", "ND":
		c.CVC = "unavailable"
	}
	if c == (sdk.Checks{}) {
		return nil
	}
	return &c
}

func address(code string) string {
	switch code {
	case "M":
		return "pass"
	case "N":
		return "fail"
	case "U":
		return "unavailable"
	}
	return ""
}

package bluesnap

import (
	"strings"

	"payswitch/sdk"
)

// transaction reads a card transaction: its type says what was done, its processing status whether that went through. kind is the type
// that was asked for, "" when it is retrieved.
func transaction(a answer, kind string, r *sdk.Request) (*sdk.Outcome, error) {
	if a.decline != nil {
		return sdk.Declined(a.decline), nil
	}
	info, did := a.Get("processingInfo"), a.Str("cardTransactionType")
	o := &sdk.Outcome{TransactionID: a.Text("transactionId"), AuthCode: info.Text("authorizationCode"), NetworkTransactionID: info.Text("networkTransactionId"),
		Checks: checks(info), Raw: map[string]string{"type": did, "processing_status": info.Str("processingStatus")}}
	if o.TransactionID == "" || kind != "" && did != kind {
		return nil, errAnswer
	}
	switch strings.ToUpper(info.Str("processingStatus")) {
	case "PENDING", "PENDING_MERCHANT_REVIEW":
		o.Status = sdk.StatusPending
	case "FAIL":
		o.Status, o.Decline = sdk.StatusDeclined, declineOf("FAIL", "FAIL", info.Text("processorResponseCode"))
	case "SUCCESS":
		if o.Status = types.Of(did); o.Status == sdk.StatusCaptured && did != "REFUND" { // whose amount is the refund's
			o.Amount = less(a, r)
		}
	}
	sdk.Require(o.Status != "", errStatus)
	return o, nil
}

// types are what card transactions of a type do to the payment. One that was refunded was captured.
var types = sdk.Statuses{{sdk.StatusAuthorized, "AUTH_ONLY"}, {sdk.StatusCaptured, "AUTH_CAPTURE CAPTURE REFUND"}, {sdk.StatusVoided, "AUTH_REVERSAL"}}

// less is the amount of a transaction that took less than the request is about, nil where it took all.
func less(a answer, r *sdk.Request) *sdk.Money {
	m := a.Major("amount", r.Amount.Currency)
	if m == nil || a.Str("currency") != string(r.Amount.Currency) || m.Minor <= 0 || m.Minor >= r.Amount.Minor {
		return nil
	}
	return m
}

// BlueSnap's CVV and AVS response codes.
var (
	cvv = sdk.Results{{sdk.CheckPass, "MA"}, {sdk.CheckFail, "NM"}, {sdk.CheckUnchecked, "NC NP"}, {sdk.CheckUnavailable, "NR ND"}}
	avs = sdk.Results{{sdk.CheckPass, "M"}, {sdk.CheckFail, "N"}, {sdk.CheckUnavailable, "U"}}
)

func checks(info sdk.JSON) *sdk.Checks {
	return sdk.NewChecks(cvv.Of(info.Str("cvvResponseCode")), avs.Of(info.Str("avsResponseCodeAddress")), avs.Of(info.Str("avsResponseCodeZip")))
}

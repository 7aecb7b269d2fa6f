package bluesnap

import (
	"errors"
	"strings"

	"payswitch/sdk"
)

// transaction reads a card transaction: its type says what was done, its processing status whether that went through. kind is the type
// that was asked for, "" when it is retrieved.
func transaction(c *sdk.Call, a answer, kind string) (*sdk.Outcome, error) {
	if a.decline != nil {
		return sdk.Declined(a.decline), nil
	}
	if kind != "REFUND" {
		c.About(a.Text("transactionId"))
	}
	info, did, amount := a.Get("processingInfo"), a.Str("cardTransactionType"), a.Told("amount", "currency", c.Request.Amount.Currency)
	o := &sdk.Outcome{TransactionID: a.Text("transactionId"), AuthCode: info.Text("authorizationCode"), NetworkTransactionID: info.Text("networkTransactionId"),
		Checks: checks(info), Raw: map[string]string{"type": did, "processing_status": info.Str("processingStatus")}}
	if o.TransactionID == "" || kind != "" && did != kind {
		return nil, errAnswer
	}
	resolved := kind != "" || first.Of(did) != "" || did == "CAPTURE" && c.Request.Resolves == sdk.OpCapture || did == "AUTH_REVERSAL" && c.Request.Resolves == sdk.OpVoid
	switch strings.ToUpper(info.Str("processingStatus")) {
	case "PENDING", "PENDING_MERCHANT_REVIEW":
		o.Status = sdk.StatusPending
	case "FAIL":
		if did == "CAPTURE" {
			o.CaptureID = o.TransactionID
		}
		o.Status, o.Decline = sdk.StatusDeclined, declineOf("FAIL", "FAIL", info.Text("processorResponseCode"))
	case "SUCCESS":
		if o.Status = types.Of(did); o.Status != sdk.StatusVoided && (did != "REFUND" || kind != "") { // a payment's amount is not that of its refund
			o.Amount = amount
		}
	}
	sdk.Require(o.Status != "", errStatus)
	// A capture, a reversal or a refund that has not gone through says nothing of the payment.
	sdk.Require(resolved || o.Status != sdk.StatusDeclined && o.Status != sdk.StatusPending, errLater)
	if kind == "" && did == "REFUND" { // of a capture, of which it does not say how much it was
		sdk.Require(c.Request.Known().Captured > 0, errLater)
		o.Amount = &sdk.Money{Minor: c.Request.Known().Captured, Currency: c.Request.Amount.Currency}
	}
	return o, nil
}

var errLater = errors.New("what was done to the payment later does not tell where the payment is")

// first are the types that make a payment.
var first = sdk.Names{{"payment", "AUTH_ONLY AUTH_CAPTURE"}}

// types are what card transactions of a type do to the payment. One that was refunded was captured.
var types = sdk.Statuses{{sdk.StatusAuthorized, "AUTH_ONLY"}, {sdk.StatusCaptured, "AUTH_CAPTURE CAPTURE REFUND"}, {sdk.StatusVoided, "AUTH_REVERSAL"}}

// BlueSnap's CVV and AVS response codes.
var (
	cvv = sdk.Results{{sdk.CheckPass, "MA"}, {sdk.CheckFail, "NM"}, {sdk.CheckUnchecked, "NC NP"}, {sdk.CheckUnavailable, "NR ND"}}
	avs = sdk.Results{{sdk.CheckPass, "M"}, {sdk.CheckFail, "N"}, {sdk.CheckUnavailable, "U"}}
)

func checks(info sdk.JSON) *sdk.Checks {
	return sdk.NewChecks(cvv.Of(info.Str("cvvResponseCode")), avs.Of(info.Str("avsResponseCodeAddress")), avs.Of(info.Str("avsResponseCodeZip")))
}

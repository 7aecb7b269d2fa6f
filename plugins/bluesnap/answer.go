package bluesnap

import (
	"cmp"
	_ "embed"
	"errors"
	"strings"

	"payswitch/sdk"
)

// transaction reads a card transaction: its type says what was done. kind is the requested type, "" for a query.
func transaction(c *sdk.Call, a sdk.JSON, kind string) *sdk.Outcome {
	if kind != "REFUND" {
		c.About(a.Text("transactionId"))
	}
	info, did := a.Get("processingInfo"), a.Str("cardTransactionType")
	amount := a.Stated("amount", "currency", c.Request.Amount.Currency)
	o := &sdk.Outcome{TransactionID: a.Text("transactionId"), AuthCode: info.Text("authorizationCode"),
		NetworkTransactionID: info.Text("networkTransactionId"), Checks: checksOf(info),
		Raw: map[string]string{"type": did, "processing_status": info.Str("processingStatus")}}
	sdk.Require(o.TransactionID != "" && (kind == "" || did == kind), sdk.ErrAnswer)
	resolved := kind != "" || first.Of(did) != "" || did == "CAPTURE" && c.Request.Resolves == sdk.OpCapture ||
		did == "AUTH_REVERSAL" && c.Request.Resolves == sdk.OpVoid
	switch strings.ToUpper(info.Str("processingStatus")) {
	case "PENDING":
		o.Status = sdk.StatusPending
	case "PENDING_MERCHANT_REVIEW": // until the merchant approves or declines (reference/merchant-approval)
		o.Status = sdk.StatusReview
	case "FAIL":
		if did == "CAPTURE" {
			o.CaptureID = o.TransactionID
		}
		o.Status, o.Decline = sdk.StatusDeclined, declineOf("FAIL", "FAIL", info.Text("processorResponseCode"))
	case "SUCCESS":
		// the amount of a refund is not the payment's
		if o.Status = types.Of(did); o.Status != sdk.StatusVoided && (did != "REFUND" || kind != "") {
			o.Amount = amount
		}
	}
	sdk.Expect(o.Status != "", "the status of the answer decides nothing")
	// A capture, reversal or refund that has not succeeded proves nothing about the payment.
	sdk.Require(resolved || o.Status == sdk.StatusCaptured || o.Status == sdk.StatusVoided, errLater)
	if kind == "" && did == "REFUND" { // a refund does not show the captured amount
		sdk.Require(c.Request.Known().Captured > 0, errLater)
		o.Amount = &sdk.Money{Minor: c.Request.Known().Captured, Currency: c.Request.Amount.Currency}
	}
	return o
}

var errLater = errors.New("a later operation that has not succeeded does not show the state of the payment")

// first are the transaction types that make a payment.
var first = sdk.Names{{"payment", "AUTH_ONLY AUTH_CAPTURE"}}

// types are the effects of transaction types on the payment. A refunded payment was captured.
var types = sdk.Statuses{{sdk.StatusAuthorized, "AUTH_ONLY"}, {sdk.StatusCaptured, "AUTH_CAPTURE CAPTURE REFUND"},
	{sdk.StatusVoided, "AUTH_REVERSAL"}}

// BlueSnap's CVV and AVS response codes.
var (
	avs    = sdk.Results{{sdk.CheckPass, "M"}, {sdk.CheckFail, "N"}, {sdk.CheckUnavailable, "U"}}
	checks = sdk.CheckCodes{Line1: avs, PostalCode: avs, CVC: sdk.Results{{sdk.CheckPass, "MA"},
		{sdk.CheckFail, "NM"}, {sdk.CheckUnchecked, "NC NP"}, {sdk.CheckUnavailable, "NR ND"}}}
)

func checksOf(info sdk.JSON) *sdk.Checks {
	return checks.At(info, "cvvResponseCode", "avsResponseCodeAddress", "avsResponseCodeZip")
}

func declineOf(code, name, text string) *sdk.Decline {
	d := declines.New(name, cmp.Or(text, name), "")
	d.Code = code
	return d
}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string

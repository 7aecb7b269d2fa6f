package authorizedotnet

import (
	"errors"
	"time"

	"payswitch/sdk"
)

// lookUp asks for a transaction by the processor's id, or by our reference where that is not known. Where there is none of our reference, the
// operation ends with that; an id that the processor gave and does not know is another account's.
func lookUp(c *sdk.Call, id string) sdk.JSON {
	r, lost := c.Request, id == ""
	if lost {
		sdk.Require(r.Reference != "" && r.Payment != nil && r.Payment.CreatedAt != 0, errors.New("neither an id nor a reference and its time are known"))
		if id = find(c, r.Reference, time.UnixMilli(r.Payment.CreatedAt)); id == "" {
			c.End(&sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: r.TransactionID})
		}
	}
	j := post(c, "getTransactionDetailsRequest", request(c).Str("transId", id))
	if code, _ := message(j); failed(j) && code == "E00040" && !lost {
		c.End(c.OtherAccount())
	}
	t := j.Get("transaction")
	ours := r.Reference != "" && t.Str("order.invoiceNumber") == r.Reference
	sdk.Require(!failed(j) && t.Text("transId") != "", errAnswer)
	sdk.Require(ours || !lost && t.Text("transId") == id, errors.New("the transaction found is another one"))
	return t
}

// statuses of payments. An authorization that has expired is let go. Some say nothing about where the payment is, and decide nothing: couldNotVoid,
// those of refunds, communicationError (the processor may have acted) and settlementError (the batch can be reset and settle).
var statuses = sdk.Statuses{
	{sdk.StatusAuthorized, "authorizedPendingCapture"},
	{sdk.StatusCaptured, "capturedPendingSettlement settledSuccessfully returnedItem chargeback"},
	{sdk.StatusDeclined, "declined failedReview generalError"},
	{sdk.StatusVoided, "voided expired"},
	{sdk.StatusReview, "FDSPendingReview FDSAuthorizedPendingReview underReview"},
	{sdk.StatusPending, "approvedReview"},
}

// sync asks what has become of a payment.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	t := lookUp(c, r.TransactionID)
	c.About(t.Text("transId"))
	o := &sdk.Outcome{Status: statuses.Must(t.Str("transactionStatus")), TransactionID: t.Text("transId"), NetworkTransactionID: t.Text("networkTransId"),
		Checks: checks.Read(t.Str("cardCodeResponse"), t.Str("AVSResponse")), Raw: t.Pick("transactionStatus")}
	held, taken := t.Told("authAmount", "currency", r.Amount.Currency), t.Told("settleAmount", "currency", r.Amount.Currency)
	switch {
	case o.Status == sdk.StatusDeclined:
		o.Decline = ended(t)
	case o.Status == sdk.StatusAuthorized && held != nil && held.Minor == 0: // was only to be checked
		o.Status = sdk.StatusVerified
		return o, nil
	case o.Status == sdk.StatusAuthorized && held != nil:
		o.Amount, o.Totals = held, &sdk.Totals{Authorized: held.Minor, Refunded: r.Known().Refunded}
	case o.Status == sdk.StatusCaptured && held != nil && taken != nil && taken.Minor > 0: // which may be less than was authorized
		o.Amount, o.Totals = taken, &sdk.Totals{Authorized: max(held.Minor, taken.Minor), Captured: taken.Minor, Refunded: r.Known().Refunded}
	case o.Status == sdk.StatusAuthorized, o.Status == sdk.StatusCaptured:
		return nil, errors.New("a transaction without its amounts")
	}
	o.AuthCode = t.Text("authCode")
	return o, nil
}

// ended is why a transaction came to nothing. An error whose reason is not known, or is one after which the processor may have acted, is no end.
func ended(t sdk.JSON) *sdk.Decline {
	code, status := t.Text("responseReasonCode"), t.Str("transactionStatus")
	sdk.Require(inDoubt.Of(code) == "" && (status != "generalError" || declines.Of(code) != ""), errors.New(status+" with reason code "+code+": the processor may have acted"))
	return declines.New(code, t.Str("responseReasonDescription"), "")
}

// refundStatuses are those of refunds.
var refundStatuses = sdk.Statuses{{sdk.StatusRefunded, "refundSettledSuccessfully"}, {sdk.StatusPending, "refundPendingSettlement"},
	{sdk.StatusDeclined, "declined generalError voided"}}

// refundSync asks what has become of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	t := lookUp(c, c.Request.RefundID)
	o := &sdk.Outcome{Status: refundStatuses.Must(t.Str("transactionStatus")), TransactionID: c.Request.TransactionID, RefundID: t.Text("transId"),
		Raw: t.Pick("transactionStatus")}
	switch o.Status {
	case sdk.StatusDeclined:
		o.Decline = ended(t)
	case sdk.StatusRefunded:
		o.Amount = t.NeedMajor("settleAmount", "currency", c.Request.Amount.Currency)
	}
	return o, nil
}

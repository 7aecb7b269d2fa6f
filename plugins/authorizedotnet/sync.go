package authorizedotnet

import (
	"errors"
	"time"

	"payswitch/sdk"
)

const notFound = "E00040"

// details asks for a transaction. Where the processor says that there is none, the operation ends with that.
func details(c *sdk.Call, id string) sdk.JSON {
	j := post(c, getTransactionDetails, request(c).Str("transId", id), true)
	if code, _ := message(j); failed(j) && code == notFound {
		c.End(none(c))
	}
	t := j.Get("transaction")
	if failed(j) || t.Text("transId") == "" {
		sdk.Check(errAnswer)
	}
	return t
}

// none is the outcome where there is no such transaction.
func none(c *sdk.Call) *sdk.Outcome {
	o := &sdk.Outcome{Status: sdk.StatusNotFound}
	if c.Operation() == sdk.OpRefundSync {
		o.TransactionID = c.Request.TransactionID
	}
	return o
}

// lookUp asks for a transaction by the processor's id, or by our reference where that is not known.
func lookUp(c *sdk.Call, id string) sdk.JSON {
	r := c.Request
	if id != "" {
		return details(c, id)
	}
	sdk.Require(r.Reference != "" && r.Payment != nil && r.Payment.CreatedAt != 0, errors.New("neither an id nor a reference and its time are known"))
	if id = find(c, r.Reference, time.UnixMilli(r.Payment.CreatedAt)); id == "" {
		c.End(none(c))
	}
	t := details(c, id)
	sdk.Require(t.Str("order.invoiceNumber") == r.Reference, errors.New("the transaction found is another one"))
	return t
}

// statuses of payments. An authorization that has expired is let go; couldNotVoid and those of refunds say nothing about where the payment is.
var statuses = sdk.Statuses{
	{sdk.StatusAuthorized, "authorizedPendingCapture"},
	{sdk.StatusCaptured, "capturedPendingSettlement settledSuccessfully returnedItem chargeback"},
	{sdk.StatusDeclined, "declined failedReview generalError communicationError settlementError"},
	{sdk.StatusVoided, "voided expired"},
	{sdk.StatusReview, "FDSPendingReview FDSAuthorizedPendingReview underReview"},
	{sdk.StatusPending, "approvedReview"},
}

// sync asks what has become of a payment.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	t := lookUp(c, r.TransactionID)
	o := &sdk.Outcome{Status: statuses.Must(t.Str("transactionStatus")), TransactionID: t.Text("transId"), NetworkTransactionID: t.Text("networkTransId"),
		Checks: checks(t.Str("AVSResponse"), t.Str("cardCodeResponse")), Raw: t.Pick("transactionStatus")}
	held, taken := t.Major("authAmount", r.Amount.Currency), t.Major("settleAmount", r.Amount.Currency)
	switch o.Status {
	case sdk.StatusDeclined:
		o.Decline = ended(t)
	case sdk.StatusAuthorized:
		if held == nil {
			return nil, errAmount
		}
		if held.Minor == 0 { // was only to be checked
			o.Status = sdk.StatusVerified
			return o, nil
		}
		o.Amount, o.Totals = held, &sdk.Totals{Authorized: held.Minor, Refunded: refunded(r)}
	case sdk.StatusCaptured: // which may be less than was authorized
		if held == nil || taken == nil {
			return nil, errAmount
		}
		o.Amount, o.Totals = taken, &sdk.Totals{Authorized: max(held.Minor, taken.Minor), Captured: taken.Minor, Refunded: refunded(r)}
	}
	o.AuthCode = t.Text("authCode")
	return o, nil
}

var errAmount = errors.New("a transaction without its amounts")

// ended is why a transaction came to nothing.
func ended(t sdk.JSON) *sdk.Decline {
	code := t.Text("responseReasonCode")
	return declines.New(code, t.Str("responseReasonDescription"), "")
}

// refunded is what is known to be refunded: refunds are transactions of their own.
func refunded(r *sdk.Request) int64 {
	if r.Payment == nil {
		return 0
	}
	return r.Payment.Refunded
}

// refundStatuses are those of refunds.
var refundStatuses = sdk.Statuses{{sdk.StatusRefunded, "refundSettledSuccessfully"}, {sdk.StatusPending, "refundPendingSettlement"},
	{sdk.StatusDeclined, "declined generalError communicationError voided"}}

// refundSync asks what has become of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	t := lookUp(c, c.Request.RefundID)
	o := &sdk.Outcome{Status: refundStatuses.Must(t.Str("transactionStatus")), TransactionID: c.Request.TransactionID, RefundID: t.Text("transId"),
		Raw: t.Pick("transactionStatus")}
	if o.Status == sdk.StatusDeclined {
		o.Decline = ended(t)
	}
	return o, nil
}

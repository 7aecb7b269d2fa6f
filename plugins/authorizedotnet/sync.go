package authorizedotnet

import (
	"time"

	"payswitch/sdk"
)

// lookUp asks for a transaction by the processor's id, or by our reference if that is unknown. If no transaction has
// our reference, the operation ends with that; an id of the processor's own that it does not know belongs to another
// account.
func lookUp(c *sdk.Call, id string) sdk.JSON {
	r, lost := c.Request, id == ""
	if lost {
		sdk.Expect(r.Reference != "" && r.Payment != nil && r.Payment.CreatedAt != 0,
			"the request lacks the id of the transaction, and a reference with its time")
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
	sdk.Expect(ours || !lost && t.Text("transId") == id, "the answer holds another transaction")
	return t
}

// statuses of payments. An expired authorization counts as voided. Some statuses do not show the state of the payment
// and decide nothing: couldNotVoid, those of refunds, communicationError (the processor may have acted) and
// settlementError (the batch can be reset and settle).
var statuses = sdk.Statuses{
	{sdk.StatusAuthorized, "authorizedPendingCapture"},
	{sdk.StatusCaptured, "capturedPendingSettlement settledSuccessfully returnedItem chargeback"},
	{sdk.StatusDeclined, "declined failedReview generalError"},
	{sdk.StatusVoided, "voided expired"},
	{sdk.StatusReview, "FDSPendingReview FDSAuthorizedPendingReview underReview"},
	{sdk.StatusPending, "approvedReview"},
}

func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	t := lookUp(c, r.TransactionID)
	c.About(t.Text("transId"))
	o := &sdk.Outcome{Status: statuses.Must(t.Str("transactionStatus")), TransactionID: t.Text("transId"),
		NetworkTransactionID: t.Text("networkTransId"),
		Checks:               checks.Read(t.Str("cardCodeResponse"), t.Str("AVSResponse")), Raw: t.Pick("transactionStatus")}
	held, taken := t.Stated("authAmount", "currency", r.Amount.Currency),
		t.Stated("settleAmount", "currency", r.Amount.Currency)
	switch {
	case o.Status == sdk.StatusDeclined:
		o.Decline = ended(t)
	case o.Status == sdk.StatusAuthorized && held != nil && held.Minor == 0: // a check of the card
		o.Status = sdk.StatusVerified
		return o, nil
	case o.Status == sdk.StatusAuthorized && held != nil:
		o.Amount, o.Totals = held, &sdk.Totals{Authorized: held.Minor, Refunded: r.Known().Refunded}
	// may be lower than the authorized amount
	case o.Status == sdk.StatusCaptured && held != nil && taken != nil && taken.Minor > 0:
		o.Amount, o.Totals = taken, &sdk.Totals{Authorized: max(held.Minor, taken.Minor), Captured: taken.Minor,
			Refunded: r.Known().Refunded}
	default:
		sdk.Expect(o.Status != sdk.StatusAuthorized && o.Status != sdk.StatusCaptured,
			"the answer holds a transaction without its amounts")
	}
	o.AuthCode = t.Text("authCode")
	return o, nil
}

// ended returns the reason of a failed transaction. An unknown error, or one after which the processor may have acted,
// is not an end.
func ended(t sdk.JSON) *sdk.Decline {
	code, status := t.Text("responseReasonCode"), t.Str("transactionStatus")
	sdk.Expect(inDoubt.Of(code) == "" && (status != "generalError" || declines.Of(code) != ""),
		status+" with reason code "+code+": the processor may have acted")
	return declines.New(code, t.Str("responseReasonDescription"), "")
}

var refundStatuses = sdk.Statuses{{sdk.StatusRefunded, "refundSettledSuccessfully"},
	{sdk.StatusPending, "refundPendingSettlement"}, {sdk.StatusDeclined, "declined generalError voided"}}

// refundSync asks for the state of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	t := lookUp(c, c.Request.RefundID)
	o := &sdk.Outcome{Status: refundStatuses.Must(t.Str("transactionStatus")), TransactionID: c.Request.TransactionID,
		RefundID: t.Text("transId"), Raw: t.Pick("transactionStatus")}
	switch o.Status {
	case sdk.StatusDeclined:
		o.Decline = ended(t)
	case sdk.StatusRefunded:
		o.Amount = t.NeedMajor("settleAmount", "currency", c.Request.Amount.Currency)
	}
	return o, nil
}

package authorizedotnet

import (
	"errors"
	"time"

	"payswitch/sdk"
)

const notFound = "E00040"

// details asks for a transaction; ok is false where the processor says that there is none.
func details(c *sdk.Call, id string) (t sdk.JSON, ok bool, err error) {
	j, err := post(c, getTransactionDetails, request(c).Str("transId", id), true)
	if err != nil {
		return t, false, err
	}
	if failed(j) {
		if code, _ := message(j); code == notFound {
			return t, false, nil
		}
		return t, false, errAnswer
	}
	if t = j.Get("transaction"); t.Text("transId") == "" {
		return t, false, errAnswer
	}
	return t, true, nil
}

// lookUp asks for a transaction by the processor's id, or by our reference where that is not known.
func lookUp(c *sdk.Call, id string) (t sdk.JSON, ok bool, err error) {
	r := c.Request
	if id != "" {
		return details(c, id)
	}
	if r.Reference == "" || r.Payment == nil || r.Payment.CreatedAt == 0 {
		return t, false, errors.New("neither an id nor a reference and its time are known")
	}
	if id, err = find(c, r.Reference, time.UnixMilli(r.Payment.CreatedAt)); err != nil || id == "" {
		return t, false, err
	}
	if t, ok, err = details(c, id); ok && t.Str("order.invoiceNumber") != r.Reference {
		return t, false, errors.New("the transaction found is another one")
	}
	return t, ok, err
}

// sync asks what has become of a payment.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	t, ok, err := lookUp(c, r.TransactionID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
	}
	status := t.Str("transactionStatus")
	o := &sdk.Outcome{TransactionID: t.Text("transId"), AuthCode: t.Text("authCode"), NetworkTransactionID: t.Text("networkTransId"),
		Checks: checks(t.Str("AVSResponse"), t.Str("cardCodeResponse")), Raw: map[string]string{"transactionStatus": status}}
	switch status {
	case "authorizedPendingCapture":
		return held(o, t, r)
	case "capturedPendingSettlement", "settledSuccessfully", "returnedItem", "chargeback":
		return taken(o, t, r)
	case "declined", "failedReview", "generalError", "communicationError", "settlementError":
		o.Status, o.Decline = sdk.StatusDeclined, ended(t)
	case "voided", "expired": // an authorization that has expired is let go
		o.Status = sdk.StatusVoided
	case "FDSPendingReview", "FDSAuthorizedPendingReview", "underReview":
		o.Status = sdk.StatusReview
	case "approvedReview":
		o.Status = sdk.StatusPending
	default: // couldNotVoid and what is of refunds say nothing about where the payment is
		return nil, errors.New("a status that says nothing about the payment")
	}
	return o, nil
}

// ended is why a transaction came to nothing.
func ended(t sdk.JSON) *sdk.Decline {
	code := t.Text("responseReasonCode")
	return sdk.NewDecline(code, t.Str("responseReasonDescription"), reasons.Of(code))
}

// held is what is authorized; an amount of zero was only to be checked.
func held(o *sdk.Outcome, t sdk.JSON, r *sdk.Request) (*sdk.Outcome, error) {
	o.Amount = t.Major("authAmount", r.Amount.Currency)
	switch {
	case o.Amount == nil:
		return nil, errAmount
	case o.Amount.Minor == 0:
		return &sdk.Outcome{Status: sdk.StatusVerified, TransactionID: o.TransactionID, NetworkTransactionID: o.NetworkTransactionID, Checks: o.Checks, Raw: o.Raw}, nil
	}
	o.Status, o.Totals = sdk.StatusAuthorized, &sdk.Totals{Authorized: o.Amount.Minor, Refunded: refunded(r)}
	return o, nil
}

// taken is what is captured, which may be less than was authorized.
func taken(o *sdk.Outcome, t sdk.JSON, r *sdk.Request) (*sdk.Outcome, error) {
	authorized := t.Major("authAmount", r.Amount.Currency)
	if o.Amount = t.Major("settleAmount", r.Amount.Currency); o.Amount == nil || authorized == nil {
		return nil, errAmount
	}
	o.Status, o.Totals = sdk.StatusCaptured, &sdk.Totals{Authorized: max(authorized.Minor, o.Amount.Minor), Captured: o.Amount.Minor, Refunded: refunded(r)}
	return o, nil
}

var errAmount = errors.New("a transaction without its amounts")

// refunded is what is known to be refunded: refunds are transactions of their own.
func refunded(r *sdk.Request) int64 {
	if r.Payment == nil {
		return 0
	}
	return r.Payment.Refunded
}

// refundSync asks what has become of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	t, ok, err := lookUp(c, r.RefundID)
	if err != nil {
		return nil, err
	}
	o := &sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: r.TransactionID}
	if !ok {
		return o, nil
	}
	status := t.Str("transactionStatus")
	o.RefundID, o.Raw = t.Text("transId"), map[string]string{"transactionStatus": status}
	switch status {
	case "refundSettledSuccessfully":
		o.Status = sdk.StatusRefunded
	case "refundPendingSettlement":
		o.Status = sdk.StatusPending
	case "declined", "generalError", "communicationError", "voided":
		o.Status, o.Decline = sdk.StatusDeclined, ended(t)
	default:
		return nil, errors.New("a status that says nothing about the refund")
	}
	return o, nil
}

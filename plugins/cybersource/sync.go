package cybersource

import (
	"cmp"
	"errors"
	"strings"

	"payswitch/sdk"
)

// Services by the names of Transaction Search.
const (
	serviceAuthorize = "ics_auth"
	serviceCapture   = "ics_bill"
	serviceReverse   = "ics_auth_reversal"
	serviceRefund    = "ics_credit"
)

var (
	errAmbiguous = errors.New("more than one transaction has this reference")
	errIncrement = errors.New("what is held is not the new total")
)

// captureID is the id of the payment's capture, "" where it has none of its own.
func captureID(r *sdk.Request) string {
	id, after := strings.CutPrefix(r.Kept().Payment, afterCapture)
	if !after {
		return ""
	}
	return id
}

// sync asks what has become of a payment, or of what was done to it: captures and reversals are transactions of their own.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	captured := captureID(r)
	switch {
	case r.Resolves == sdk.OpVoid:
		a := transaction(c, "", serviceReverse)
		return voidOutcome(r, a, statusOf(a, "REVERSED")), nil
	case r.Resolves == sdk.OpCapture, captured != "":
		a := transaction(c, captured, serviceCapture)
		o := captureOutcome(r, a, statusOf(a, "PENDING"))
		if r.Resolves != sdk.OpCapture && o.Status == sdk.StatusCaptured {
			o.Amount = taken(r, a)
		}
		return o, nil
	}
	a := transaction(c, r.TransactionID, serviceAuthorize)
	o, err := paymentOutcome(r, a, statusOf(a, "AUTHORIZED"))
	if err == nil && r.Resolves == sdk.OpIncrementalAuthorize && o.Status == sdk.StatusAuthorized {
		held := a.Major("orderInformation.amountDetails.authorizedAmount", r.Amount.Currency)
		sdk.Require(held != nil && *held == r.Amount, errIncrement)
	}
	return o, err
}

// taken is the amount of a capture that was smaller than the payment.
func taken(r *sdk.Request, a sdk.JSON) *sdk.Money {
	if m := a.Major("orderInformation.amountDetails.totalAmount", r.Amount.Currency).Part(r.Amount); m != nil || r.Payment == nil {
		return m
	}
	return (&sdk.Money{Minor: r.Payment.Captured, Currency: r.Amount.Currency}).Part(r.Amount)
}

// refundSync asks what has become of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	a := transaction(c, c.Request.RefundID, serviceRefund)
	return refundOutcome(c.Request, a, statusOf(a, "PENDING")), nil
}

// transaction fetches the details of a transaction by its id, or of the one that performed a service under our reference. Where Cybersource
// has not heard of one, the operation ends with that.
func transaction(c *sdk.Call, id, service string) sdk.JSON {
	missing := &sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: c.Request.TransactionID}
	if id == "" {
		if id = search(c, service); id == "" {
			c.End(missing)
		}
	}
	response := send(c, "GET", transactionsPath+sdk.PathEscape(id), nil)
	a := response.JSON()
	switch {
	case response.Status == 404 && (a.Str("status") == "NOT_FOUND" || a.Str("reason") == "NOT_FOUND"):
		c.End(missing)
	case !response.OK() || a.Str("id") == "":
		sdk.Check(errAnswer)
	}
	return a
}

// search is the id of the transaction that performed a service under our reference, "" where there is none.
func search(c *sdk.Call, service string) (found string) {
	reference := c.Request.Reference
	sdk.Require(reference != "", sdk.Missing("connector_transaction_id", "an id or a reference is needed"))
	response := send(c, "POST", searchesPath, sdk.NewObject().Bool("save", false).Str("query", "clientReferenceInformation.code:"+reference).
		Int("offset", 0).Int("limit", 100).Str("sort", "submitTimeUtc:desc"))
	a := response.JSON()
	sdk.Require(response.OK() && a.Number("totalCount") != "", errAnswer)
	for t := range a.Get("_embedded.transactionSummaries").All() {
		performed := t.Get("applicationInformation.applications").Where("name", service)
		if t.Str("clientReferenceInformation.code") != reference || !performed.Exists() {
			continue
		}
		sdk.Require(found == "" && t.Str("id") != "", errAmbiguous)
		found = t.Str("id")
	}
	if found == "" && a.Int("totalCount") > 100 {
		sdk.Check(errAmbiguous)
	}
	return found
}

// statusOf is the status of a transaction's details. Where they hold a reason code alone, 100 means what is given for it.
func statusOf(a sdk.JSON, accepted string) string {
	code := a.Text("applicationInformation.reasonCode")
	known := sdk.Names{{accepted, "100"}, {"PARTIAL_AUTHORIZED", "110"}, {"PENDING_REVIEW", "480"}}.Of(code)
	if known == "" && declines.Of(code) != "" {
		known = "DECLINED"
	}
	return cmp.Or(a.Str("applicationInformation.status"), known)
}

package cybersource

import (
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
		a, err := transaction(c, "", serviceReverse)
		if err != nil || !a.Exists() {
			return notFound(r, err)
		}
		return voidOutcome(r, a, statusOf(a, "REVERSED"))
	case r.Resolves == sdk.OpCapture, captured != "":
		a, err := transaction(c, captured, serviceCapture)
		if err != nil || !a.Exists() {
			return notFound(r, err)
		}
		o, err := captureOutcome(r, a, statusOf(a, "PENDING"))
		if err == nil && r.Resolves != sdk.OpCapture && o.Status == sdk.StatusCaptured {
			o.Amount = taken(r, a)
		}
		return o, err
	}
	a, err := transaction(c, r.TransactionID, serviceAuthorize)
	if err != nil || !a.Exists() {
		return notFound(r, err)
	}
	o, err := paymentOutcome(r, a, statusOf(a, "AUTHORIZED"))
	if err == nil && r.Resolves == sdk.OpIncrementalAuthorize && o.Status == sdk.StatusAuthorized {
		if m := a.Get("orderInformation.amountDetails").Major("authorizedAmount", r.Amount.Currency); m == nil || *m != r.Amount {
			return nil, errIncrement
		}
	}
	return o, err
}

// taken is the amount of a capture that was smaller than the payment.
func taken(r *sdk.Request, a sdk.JSON) *sdk.Money {
	m := a.Get("orderInformation.amountDetails").Major("totalAmount", r.Amount.Currency)
	if m != nil && m.Minor > 0 && m.Minor < r.Amount.Minor {
		return m
	}
	if p := r.Payment; p != nil && p.Captured > 0 && p.Captured < r.Amount.Minor {
		return &sdk.Money{Minor: p.Captured, Currency: r.Amount.Currency}
	}
	return nil
}

// refundSync asks what has become of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	a, err := transaction(c, r.RefundID, serviceRefund)
	if err != nil || !a.Exists() {
		return notFound(r, err)
	}
	return refundOutcome(r, a, statusOf(a, "PENDING"))
}

func notFound(r *sdk.Request, err error) (*sdk.Outcome, error) {
	if err != nil {
		return nil, err
	}
	return &sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: r.TransactionID}, nil
}

// transaction fetches the details of a transaction by its id, or of the one that performed a service under our reference. It is missing
// where Cybersource has not heard of one.
func transaction(c *sdk.Call, id, service string) (sdk.JSON, error) {
	if id == "" {
		found, err := search(c, service)
		if err != nil || found == "" {
			return sdk.JSON{}, err
		}
		id = found
	}
	response, err := send(c, "GET", transactionsPath+sdk.PathEscape(id), nil)
	if err != nil {
		return sdk.JSON{}, err
	}
	a := response.JSON()
	switch {
	case response.Status == 404 && (a.Str("status") == "NOT_FOUND" || a.Str("reason") == "NOT_FOUND"):
		return sdk.JSON{}, nil
	case !response.OK() || a.Str("id") == "":
		return sdk.JSON{}, errAnswer
	}
	return a, nil
}

// search is the id of the transaction that performed a service under our reference, "" where there is none.
func search(c *sdk.Call, service string) (string, error) {
	reference := c.Request.Reference
	if reference == "" {
		return "", sdk.Missing("connector_transaction_id", "an id or a reference is needed")
	}
	response, err := send(c, "POST", searchesPath, sdk.NewObject().Bool("save", false).Str("query", "clientReferenceInformation.code:"+reference).
		Int("offset", 0).Int("limit", 100).Str("sort", "submitTimeUtc:desc"))
	if err != nil {
		return "", err
	}
	a := response.JSON()
	if !response.OK() || a.Number("totalCount") == "" {
		return "", errAnswer
	}
	found := ""
	for t := range a.Get("_embedded.transactionSummaries").All() {
		if t.Str("clientReferenceInformation.code") != reference || !performed(t, service) {
			continue
		}
		if found != "" || t.Str("id") == "" {
			return "", errAmbiguous
		}
		found = t.Str("id")
	}
	if found == "" && a.Int("totalCount") > 100 {
		return "", errAmbiguous
	}
	return found, nil
}

func performed(t sdk.JSON, service string) bool {
	for x := range t.Get("applicationInformation.applications").All() {
		if x.Str("name") == service {
			return true
		}
	}
	return false
}

// statusOf is the status of a transaction's details. Where they hold a reason code alone, 100 means what is given for it.
func statusOf(a sdk.JSON, accepted string) string {
	if s := a.Str("applicationInformation.status"); s != "" {
		return s
	}
	switch code := a.Text("applicationInformation.reasonCode"); {
	case code == "100":
		return accepted
	case code == "110":
		return "PARTIAL_AUTHORIZED"
	case code == "480":
		return "PENDING_REVIEW"
	case reasons.Of(code) != "":
		return "DECLINED"
	}
	return ""
}

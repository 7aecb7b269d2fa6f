package cybersource

import (
	"cmp"

	"payswitch/sdk"
)

// A change is an operation on a payment: a transaction of its own, with an id of its own.
type change struct {
	service  string // its name in Transaction Search
	accepted string // its status there if the details hold only the reason code of success
	statuses sdk.Statuses
}

// The changes of a payment. A partial approval of an increment does not show the new total.
var (
	captures = &change{"ics_bill", "PENDING", sdk.Statuses{{sdk.StatusDeclined, refusals + " " + releases},
		{sdk.StatusPending, "PENDING"}, {sdk.StatusCaptured, finished}}}
	reversals = &change{"ics_auth_reversal", "REVERSED", sdk.Statuses{{sdk.StatusDeclined, refusals},
		{sdk.StatusVoided, releases}, {sdk.StatusPending, "PENDING"}}}
	refunds = &change{"ics_credit", "PENDING", sdk.Statuses{{sdk.StatusDeclined, refusals + " " + releases},
		{sdk.StatusPending, "PENDING"}, {sdk.StatusRefunded, finished}}}
	increments = &change{"", "", sdk.Statuses{{sdk.StatusDeclined, refusals}, {sdk.StatusAuthorized, "AUTHORIZED"},
		{sdk.StatusPending, "PENDING " + reviews}}}
)

// captured returns the ids of a payment's captures by our references. The data also names the last one, as "capture".
func captured(r *sdk.Request) sdk.JSON {
	kept, _ := sdk.ParseJSON([]byte(r.Kept().Payment))
	return kept.Get("captures")
}

// keepCapture stores the id of a capture with those before it. Captures of earlier versions have no reference.
func keepCapture(r *sdk.Request, id string) *sdk.ConnectorData {
	all := sdk.NewObject()
	for reference, other := range captured(r).Members() {
		if reference != r.CaptureReference {
			all.Str(reference, other.Str(""))
		}
	}
	if r.CaptureReference != "" {
		all.Str(r.CaptureReference, id)
	}
	return &sdk.ConnectorData{Version: 1, Payment: sdk.NewObject().Str("capture", id).OptObj("captures", all).String()}
}

// read returns the outcome of the change. The payment keeps its id.
func (k *change) read(r *sdk.Request, a sdk.JSON, status string) *sdk.Outcome {
	o := outcome(a, status, k.statuses)
	id := o.TransactionID
	o.TransactionID = r.TransactionID
	if o.Status == sdk.StatusDeclined {
		o.Reference, o.Checks = "", nil
	}
	switch {
	case k == refunds:
		o.RefundID, o.Amount = id, a.Get("refundAmountDetails").Stated("refundAmount", "currency", r.Amount.Currency)
	case o.Status == sdk.StatusDeclined:
	case k == captures: // to which refunds refer
		o.CaptureID, o.ConnectorData, o.Amount = id, keepCapture(r, id), stated(r, a, "totalAmount")
	case k == reversals:
		o.Reference = id // for the merchant's own search
	}
	return o
}

// do sends the change.
func (k *change) do(c *sdk.Call, method, path string, body *sdk.Object) (*sdk.Outcome, error) {
	a := ask(c, method, path, body)
	return k.read(c.Request, a, a.Str("status")), nil
}

// payment returns the path of the operation's payment.
func payment(r *sdk.Request) string { return paymentsPath + sdk.PathEscape(r.TransactionID) }

// capture captures all or a part of an authorization: Cybersource forwards it with the day's batch. A capture whose
// number is the total count releases the rest.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	number := int64(captured(r).Len() + 1)
	total := sdk.Choose(r.FinalCapture, number, number+1) // the count of captures that follow is unknown
	return captures.do(c, "POST", payment(r)+"/captures", sdk.NewObject().
		Obj("processingInformation", sdk.NewObject().Str("commerceIndicator", "internet").
			Obj("captureOptions", sdk.NewObject().Int("captureSequenceNumber", number).Int("totalCaptureCount", total))).
		At("orderInformation.amountDetails", amount(r.Amount)).
		Obj("clientReferenceInformation", reference(r)))
}

// void reverses the whole authorization.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	r, p := c.Request, c.Request.Payment
	sdk.Require(p != nil && max(p.Authorized, p.Requested) > 0,
		sdk.Missing("amount", "the request lacks the authorized amount"))
	held := sdk.Money{Minor: cmp.Or(p.Authorized, p.Requested), Currency: p.Currency}
	return reversals.do(c, "POST", payment(r)+"/reversals",
		sdk.NewObject().Obj("clientReferenceInformation", reference(r)).
			Obj("reversalInformation", sdk.NewObject().Obj("amountDetails", amount(held)).OptStr("reason", r.Reason)))
}

// refund refunds the capture, or the payment if it was captured at once.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r, path := c.Request, payment(c.Request)
	if id := r.KeptText("capture"); id != "" {
		path = "/pts/v2/captures/" + sdk.PathEscape(id)
	}
	return refunds.do(c, "POST", path+"/refunds", sdk.NewObject().
		At("orderInformation.amountDetails", amount(r.Amount)).
		Obj("clientReferenceInformation", reference(r)))
}

// incrementalAuthorize raises the authorized amount by the difference.
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	more := c.Request.Increase()
	return increments.do(c, "PATCH", payment(c.Request), sdk.NewObject().
		Obj("processingInformation", sdk.NewObject().
			At("authorizationOptions.initiator", sdk.NewObject().Bool("storedCredentialUsed", true)).
			Str("commerceIndicator", "internet")).
		At("orderInformation.amountDetails",
			sdk.NewObject().Str("additionalAmount", more.Major()).Str("currency", string(more.Currency))))
}

// sync asks for the state of a payment, or of a change of it.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	last, all := r.KeptText("capture"), captured(r)
	switch {
	case r.Resolves == sdk.OpVoid:
		return reversals.find(c, ""), nil
	case r.Resolves == sdk.OpCapture && r.CaptureReference != "" && all.Len() > 0:
		return captures.find(c, all.Key(r.CaptureReference).Str("")), nil
	case all.Len() > 1: // each capture has been asked for by itself
		sdk.Expect(r.Known().Captured > 0, "the request lacks the captured amount")
		o := captures.find(c, last)
		o.Status, o.Amount = sdk.StatusCaptured, &sdk.Money{Minor: r.Payment.Captured, Currency: r.Amount.Currency}
		o.CaptureID, o.ConnectorData, o.Decline, o.Raw = "", nil, nil, nil
		return o, nil
	case r.Resolves == sdk.OpCapture, last != "":
		o := captures.find(c, last)
		// A failed capture proves nothing about the payment, which may still be authorized.
		sdk.Expect(r.Resolves == sdk.OpCapture || o.Status != sdk.StatusDeclined,
			"the capture failed, which does not show the state of the payment")
		if r.Resolves != sdk.OpCapture && o.Status == sdk.StatusCaptured && o.Amount == nil && r.Known().Captured > 0 {
			o.Amount = &sdk.Money{Minor: r.Payment.Captured, Currency: r.Amount.Currency}
		}
		return o, nil
	}
	a := transaction(c, r.TransactionID, "ics_auth")
	c.About(a.Str("id"))
	status := statusOf(a, "AUTHORIZED")
	o := paymentOutcome(r, a, status)
	if o.Status == sdk.StatusCaptured {
		o.Status = billed(a, status)
	}
	if r.Resolves == sdk.OpIncrementalAuthorize && o.Status == sdk.StatusAuthorized {
		sdk.Expect(o.Amount != nil && *o.Amount == r.Amount, "the authorized amount is not the new total")
	}
	return o, nil
}

// billed reads the service ics_bill in the details of a payment with automatic capture: without a successful one the
// payment is authorized. If the status shows that the payment was forwarded, the services do not matter.
func billed(a sdk.JSON, status string) sdk.OutcomeStatus {
	services := a.Get("applicationInformation.applications")
	bill := services.Where("name", "ics_bill")
	done := bill.Text("rCode") == "1" || !services.Exists() && status != "AUTHORIZED"
	failed := bill.Text("rCode") == "0" || !bill.Exists() && services.Text("0.name") != ""
	sdk.Expect(done || failed && status == "AUTHORIZED", "the details do not show whether the payment was captured")
	return sdk.Choose(done, sdk.StatusCaptured, sdk.StatusAuthorized)
}

func refundSync(c *sdk.Call) (*sdk.Outcome, error) { return refunds.find(c, c.Request.RefundID), nil }

// Transaction Search finds a transaction by its id, or by our reference and the transaction's service.
const searchesPath = "/tss/v2/searches"

// find asks for the result of a change, by its id if that is known.
func (k *change) find(c *sdk.Call, id string) *sdk.Outcome {
	a := transaction(c, id, k.service)
	return k.read(c.Request, a, statusOf(a, k.accepted))
}

// transaction fetches a transaction by its id, or by our reference and its service. Without one the operation ends.
func transaction(c *sdk.Call, id, service string) sdk.JSON {
	given := id != ""
	if !given {
		id = search(c, service)
	}
	c.EndIf(id == "", func() *sdk.Outcome {
		return &sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: c.Request.TransactionID}
	})
	response := send(c, "GET", "/tss/v2/transactions/"+sdk.PathEscape(id), nil)
	a := response.JSON()
	absent := a.Str("status") == "NOT_FOUND" || a.Str("reason") == "NOT_FOUND"
	c.EndIf(given && response.Status == 404 && absent, c.OtherAccount)
	sdk.Require(response.OK() && (a.Str("id") == id || a.Has("id") &&
		a.Str("clientReferenceInformation.code") == named(c.Request, service)), sdk.ErrAnswer)
	return a
}

// search returns the id of the transaction with our reference that performed a service; "" for none.
func search(c *sdk.Call, service string) string {
	reference := named(c.Request, service)
	sdk.Require(reference != "", sdk.Missing("connector_transaction_id", "the request lacks both an id and a reference"))
	response := send(c, "POST", searchesPath, sdk.NewObject().Bool("save", false).
		Str("query", "clientReferenceInformation.code:"+reference).
		Int("offset", 0).Int("limit", 100).Str("sort", "submitTimeUtc:desc"))
	a := response.JSON()
	sdk.Require(response.OK() && a.Number("totalCount") != "", sdk.ErrAnswer)
	all := a.Get("_embedded.transactionSummaries")
	found := all.Only(func(t sdk.JSON) bool {
		performed := t.Get("applicationInformation.applications")
		performed.Need("0.name") // a transaction without a service could be the wanted one
		return t.Need("clientReferenceInformation.code") == reference && performed.Where("name", service).Exists()
	})
	id := found.Str("id")
	sdk.Expect(id != "" || !found.Exists() && int64(all.Len()) == a.Int("totalCount"),
		"the search did not return every transaction with this reference")
	return id
}

// named returns our reference of the transaction that performed a service.
func named(r *sdk.Request, service string) string {
	if service == captures.service {
		return cmp.Or(r.CaptureReference, r.Reference)
	}
	return r.Reference
}

// statusOf returns the status of a transaction's details, or the meaning of their reason code: 100 is accepted. 200 and
// 230 are checks that failed after the issuer's approval: the funds are held (support.cybersource.com, 000002478).
func statusOf(a sdk.JSON, accepted string) string {
	code := a.Text("applicationInformation.reasonCode")
	known := sdk.Names{{accepted, "100"}, {"PARTIAL_AUTHORIZED", "110"}, {"PENDING_REVIEW", "480"},
		{"AUTHORIZED_PENDING_REVIEW", "200 230"}}.Of(code)
	return cmp.Or(a.Str("applicationInformation.status"), known, sdk.When(declines.Of(code) != "", "DECLINED"))
}

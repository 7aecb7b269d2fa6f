package mollie

import (
	"cmp"
	_ "embed"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// sync fetches the payment. complete does the same after the redirect: Mollie adds nothing to the return URL.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	return readPayment(c, query(c, payment(c, ""))), nil
}

// query fetches an object by Mollie's own id. A refused query proves nothing about the payment.
func query(c *sdk.Call, url string) *sdk.Response {
	answer := request(c, "GET", url, nil)
	if d := refusal(answer); d != nil {
		sdk.Expect(answer.Status == 404, "the query was refused: "+d.Code)
		c.End(c.OtherAccount())
	}
	return answer
}

// readPayment reads a payment object as the answer to the operation.
func readPayment(c *sdk.Call, answer *sdk.Response) *sdk.Outcome {
	j := answer.JSON()
	sdk.Require(j.Str("resource") == "payment", sdk.ErrAnswer)
	c.About(j.Str("id"))
	sdk.Require(answer.OK() && j.Str("id") != "", sdk.ErrAnswer)
	status := j.Str("status")
	o := &sdk.Outcome{TransactionID: j.Str("id"), Raw: map[string]string{"status": status}}
	switch status {
	case "open":
		o.Redirect(j.Str("_links.checkout.href"))
	case "pending":
		o.Status = sdk.StatusPending
	case "authorized":
		o.Status, o.Amount, o.Totals = sdk.StatusAuthorized, part(c, j, "amount"), totals(c, j)
	case "paid":
		o.Status, o.Amount, o.Totals = sdk.StatusCaptured, part(c, j, "amount"), totals(c, j)
		if o.Amount.Minor = o.Totals.Captured; o.Totals.Authorized == 0 {
			o.Status, o.Amount, o.Totals = sdk.StatusVerified, nil, nil
		} else {
			sdk.Require(o.Totals.Captured > 0, sdk.ErrAnswer)
		}
	case "canceled", "expired":
		// canceled, though a part was captured
		sdk.Require(!j.Has("amountCaptured") || part(c, j, "amountCaptured").Minor == 0, sdk.ErrAnswer)
		// the authorization was canceled
		if c.Request.Known().Authorized > 0 && c.Operation() != sdk.OpComplete {
			o.Status = sdk.StatusVoided
		} else {
			o.Status, o.Decline = sdk.StatusDeclined, reasonOf(j, status)
		}
	case "failed":
		o.Status, o.Decline = sdk.StatusDeclined, reasonOf(j, status)
	default:
		sdk.Check(sdk.ErrAnswer)
	}
	customer, mandate := j.Str("customerId"), j.Str("mandateId")
	if approved := status == "authorized" || status == "paid"; approved && customer != "" && mandate != "" {
		o.StoredCredential = sdk.StoredAs(customer+"/"+mandate, customer)
	}
	return forVoid(c, o)
}

// forVoid reads a payment as the result of a void.
func forVoid(c *sdk.Call, o *sdk.Outcome) *sdk.Outcome {
	r, op := c.Request, c.Operation()
	switch {
	case op == sdk.OpVoid && o.Status != sdk.StatusVoided: // canceled only if the status says so
		return &sdk.Outcome{Status: sdk.StatusPending, TransactionID: o.TransactionID, Raw: o.Raw}
	// after a capture, a released payment counts as paid
	case op == sdk.OpSync && r.Resolves == sdk.OpVoid && o.Status == sdk.StatusCaptured && r.Known().Captured > 0:
		o.Status, o.Amount = sdk.StatusVoided, nil
	}
	return o
}

// totals returns the payment's amounts. Only payments with a separate capture have amountCaptured.
func totals(c *sdk.Call, j sdk.JSON) *sdk.Totals {
	t := &sdk.Totals{Authorized: part(c, j, "amount").Minor}
	switch {
	case j.Has("amountCaptured"):
		t.Captured = part(c, j, "amountCaptured").Minor
	case j.Str("status") == "paid": // the whole amount, unless captured manually
		sdk.Require(t.Authorized == 0 || c.Operation() == sdk.OpAuthorize || !c.Request.Manual(), sdk.ErrAnswer)
		t.Captured = t.Authorized
	}
	if j.Has("amountRefunded") {
		t.Refunded = part(c, j, "amountRefunded").Minor
	}
	return t
}

// part returns an amount of a payment, which must be in the requested currency.
func part(c *sdk.Call, j sdk.JSON, name string) *sdk.Money {
	amount, asked := j.Get(name), c.Request.Amount.Currency
	m := amount.Major("value", sdk.Currency(amount.Str("currency")))
	sdk.Require(m != nil && m.Minor >= 0 && (asked == "" || asked == m.Currency), sdk.ErrAnswer)
	return m
}

// webhook reads the form id=tr_…, which is unsigned: the payment is fetched, also for captures and refunds.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	o := &sdk.Outcome{Status: sdk.StatusHandled}
	pairs, _ := sdk.ParseForm(string(c.Request.Webhook.Body))
	if id := sdk.HeaderValue(pairs, "id"); strings.HasPrefix(id, "tr_") && len(id) < 64 {
		o.Events = []sdk.Event{{Object: "payment", TransactionID: id, Sync: true}}
	}
	return o, nil
}

// reasonOf returns the reason of an object's failure, or its status. The card network's code decides if it says more.
func reasonOf(j sdk.JSON, status string) *sdk.Decline {
	code, text, network := j.Str("details.failureReason"), j.Str("details.failureMessage"), j.Str("statusReason.code")
	reason := declines.Of(code)
	if reason == "" || reason == sdk.DeclineGeneric {
		reason = cmp.Or(declines.Of(network), reason)
	}
	switch {
	case code != "":
	case network != "":
		code, text = network, j.Str("statusReason.message")
	default:
		code, text, reason = status, status, declines.Of(status)
	}
	return sdk.NewDecline(code, cmp.Or(text, code), reason)
}

// refusal reads Mollie's error object, {"status":422,"title":…,"detail":…,"field":…}. The result is nil for any other
// answer. It is nil for 408, 409 (a request with the key is in progress) and 5xx too: Mollie may have acted.
func refusal(answer *sdk.Response) *sdk.Decline {
	j := answer.JSON()
	title := j.Str("title")
	if !answer.Refuses() || title == "" || j.Number("status") != strconv.Itoa(answer.Status) {
		return nil
	}
	reason := answer.Reason(cmp.Or(declines.Of(j.Str("field")), sdk.DeclineProcessingError))
	return sdk.NewDecline(title, cmp.Or(j.Str("detail"), title), reason)
}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string

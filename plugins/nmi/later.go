package nmi

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// capture captures all or a part of an auth. An auth has one capture, which releases the rest.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	a := transact(c, "capture", request(c, "capture").Add("transactionid", r.TransactionID).
		Add("amount", amount(r.Amount)))
	o := a.outcome(sdk.StatusCaptured)
	if a.decline == nil {
		o.CaptureID, o.Released = o.TransactionID, r.Amount.Minor < r.Known().Authorized
	}
	return o, nil
}

// void cancels an unsettled payment.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	a := transact(c, "void", request(c, "void").Add("transactionid", c.Request.TransactionID).
		Add("void_reason", "user_cancel"))
	return a.outcome(sdk.StatusVoided), nil
}

// refund refunds a settled payment. A query finds it by its orderid, which is the refund's id here.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	form := request(c, "refund").Add("transactionid", r.TransactionID).Add("orderid", r.Reference).
		Add("amount", amount(r.Amount))
	a := transact(c, "refund", form)
	o := a.outcome(sdk.StatusRefunded)
	o.Reference, o.TransactionID = o.TransactionID, r.TransactionID
	if a.decline == nil {
		o.RefundID = cmp.Or(a.get("orderid"), r.Reference)
	}
	return o, nil
}

// query asks for the transaction of one order; if it has several, the id decides. Without one the operation ends.
func query(c *sdk.Call, name, value, id string) (found sdk.XML) {
	form := sdk.NewForm().Add("security_key", c.Account.Credentials["api_key"]).Add(name, value)
	r := sdk.Must(c.Do(sdk.FormSend(queryPath, form).Safe()))
	sdk.Require(r.OK(), sdk.ErrAnswer)
	root := sdk.Must(sdk.ParseXML(r.Body))
	sdk.Expect(root.Name() == "nm_response" && root.Get("error_response").Name() == "",
		"the answer is not one of the Query API, or refuses the query")
	several, chosen := false, false
	for t := range root.All("transaction") {
		several = several || found.Name() != ""
		if !chosen {
			found, chosen = t, id != "" && t.Text("transaction_id") == id
		}
	}
	sdk.Expect(chosen || !several, "the order has several transactions")
	c.EndIf(found.Name() == "", func() *sdk.Outcome {
		o := c.NotFound() // NMI named this transaction when it approved it, so it exists
		o.TransactionID = c.Request.TransactionID
		return o
	})
	return found
}

// sync asks for the state of a payment by our reference, which is known even if the answer with NMI's id was lost.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	switch {
	case r.Reference != "":
		return payment(query(c, "order_id", r.Reference, r.TransactionID), r)
	case r.TransactionID != "":
		return payment(query(c, "transaction_id", r.TransactionID, r.TransactionID), r)
	}
	return nil, sdk.Missing("connector_transaction_id", "the request lacks both a reference and a transaction id")
}

var refunds = sdk.Statuses{{sdk.StatusRefunded, "complete pendingsettlement"},
	{sdk.StatusPending, "pending in_progress"}, {sdk.StatusDeclined, "failed abandoned canceled cancelled"}}

// refundSync asks for the state of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	id := cmp.Or(c.Request.RefundID, c.Request.Reference)
	sdk.Require(id != "", sdk.Missing("connector_refund_id", "the request lacks both the refund's id and our reference"))
	t := query(c, "order_id", id, "")
	o := &sdk.Outcome{Status: refunds.Must(t.Text("condition")), TransactionID: c.Request.TransactionID, RefundID: id,
		Reference: t.Text("transaction_id")}
	return o.With(func() *sdk.Money { return givenBack(t, c.Request.Amount.Currency) },
		func() *sdk.Decline { return refusal(t) }), nil
}

// givenBack returns the amount of a refund, which NMI writes with or without a sign.
func givenBack(t sdk.XML, currency sdk.Currency) *sdk.Money {
	sum := &sdk.Money{Currency: currency}
	for a := range t.All("action") {
		if kind := a.Text("action_type"); a.Text("success") != "1" || kind != "refund" && kind != "credit" {
			continue
		}
		m := sdk.Must(sdk.ParseMajor(strings.TrimPrefix(a.Text("amount"), "-"), currency))
		sum.Minor += m.Minor
	}
	sdk.Expect(sum.Minor > 0, "the answer holds a refund without its amount")
	return sum
}

// conditions of payments. One that has settled or will settle is captured, if its actions agree.
var conditions = sdk.Statuses{{sdk.StatusAuthorized, "pending"}, {sdk.StatusCaptured, "pendingsettlement complete"},
	{sdk.StatusPending, "in_progress"}, {sdk.StatusVoided, "canceled cancelled"}, {sdk.StatusDeclined, "failed abandoned"}}

// payment reads a transaction: its condition, and the amounts of its actions.
func payment(t sdk.XML, r *sdk.Request) (*sdk.Outcome, error) {
	currency := r.Amount.Currency
	said := t.Text("currency")
	sdk.Expect(said == "" || said == string(currency), "the transaction is in another currency than the payment")
	held, taken, validated := actions(t, currency)
	o := &sdk.Outcome{Status: conditions.Must(t.Text("condition")), TransactionID: t.Text("transaction_id"),
		AuthCode: t.Text("authorization_code"), Checks: checks.Read(t.Text("csc_response"), t.Text("avs_response")),
		Raw: map[string]string{"condition": t.Text("condition")}}
	moved := taken
	switch o.Status {
	case sdk.StatusDeclined:
		sdk.Expect(held == 0 && taken == 0, "the transaction failed, but one of its actions succeeded")
		o.Decline = refusal(t)
		return o, nil
	case sdk.StatusAuthorized: // nothing is captured, whatever the action's name
		held, taken = max(held, taken), 0
		moved = held
	case sdk.StatusCaptured:
		if taken == 0 && validated {
			o.Status = sdk.StatusVerified
			return o, nil
		}
	default:
		return o, nil
	}
	sdk.Expect(moved != 0, "the transaction lacks the actions that its condition implies")
	// refunds are transactions of their own
	o.Totals = &sdk.Totals{Authorized: max(held, taken), Captured: taken, Refunded: r.Known().Refunded}
	o.Amount = &sdk.Money{Minor: cmp.Or(taken, held), Currency: currency}
	return o, nil
}

// actions adds up the successful actions of a transaction, in minor units.
func actions(t sdk.XML, currency sdk.Currency) (held, taken int64, validated bool) {
	for a := range t.All("action") {
		if a.Text("success") != "1" {
			continue
		}
		switch a.Text("action_type") {
		case "validate":
			validated = true
		case "auth":
			held += sdk.Must(sdk.ParseMajor(a.Text("amount"), currency)).Minor
		case "sale", "capture":
			taken += sdk.Must(sdk.ParseMajor(a.Text("amount"), currency)).Minor
		}
	}
	return held, taken, validated
}

// refusal returns the reason of a failed transaction, from its last failed action.
func refusal(t sdk.XML) *sdk.Decline {
	code, text, condition := "", "", t.Text("condition")
	for a := range t.All("action") {
		if said := a.Text("response_code"); refuses(said) && a.Text("success") != "1" {
			code, text = said, a.Text("response_text")
		}
	}
	if d := declineOf(code, text); d != nil {
		return d
	}
	reason := sdk.Choose(condition == "abandoned", sdk.DeclineAbandoned, sdk.DeclineGeneric)
	return &sdk.Decline{Code: condition, Message: condition, Reason: reason}
}

package nmi

import (
	"errors"

	"payswitch/sdk"
)

// query asks for the transactions of one order. None means that NMI has not heard of it.
func query(c *sdk.Call, name, value string) ([]sdk.XML, error) {
	form := sdk.NewForm().Add("security_key", c.Account.Credentials[apiKey]).Add(name, value)
	r, err := c.Do(&sdk.Send{Method: "POST", URL: queryPath, Headers: []sdk.Header{sdk.H("Content-Type", formType)}, Body: form.Bytes(), SafeToRepeat: true})
	if err != nil {
		return nil, err
	}
	if !r.OK() {
		return nil, errStatus
	}
	root, err := sdk.ParseXML(r.Body)
	if err != nil {
		return nil, err
	}
	if root.Name() != "nm_response" {
		return nil, errors.New("not an answer of the Query API")
	}
	for range root.All("error_response") {
		return nil, errors.New("the Query API refuses to answer")
	}
	var found []sdk.XML
	for t := range root.All("transaction") {
		found = append(found, t)
	}
	return found, nil
}

// sync asks what has become of a payment, by our reference: it is known even where the answer with NMI's id was lost.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	name, value := "order_id", r.Reference
	if value == "" {
		name, value = "transaction_id", r.TransactionID
	}
	if value == "" {
		return nil, sdk.Missing("connector_transaction_id", "a reference or a transaction id is needed")
	}
	found, err := query(c, name, value)
	if err != nil {
		return nil, err
	}
	t, err := one(found, r.TransactionID)
	if err != nil {
		return nil, err
	}
	if t.Name() == "" {
		return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
	}
	return payment(t, r)
}

// refundSync asks what has become of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	id := r.RefundID
	if id == "" {
		id = r.Reference
	}
	found, err := query(c, "order_id", id)
	if err != nil {
		return nil, err
	}
	t, err := one(found, "")
	if err != nil {
		return nil, err
	}
	o := &sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: r.TransactionID}
	if t.Name() == "" {
		return o, nil
	}
	o.RefundID, o.Reference = id, t.Text("transaction_id")
	switch t.Text("condition") {
	case "complete", "pendingsettlement":
		o.Status = sdk.StatusRefunded
	case "pending", "in_progress":
		o.Status = sdk.StatusPending
	case "failed", "abandoned", "canceled", "cancelled":
		o.Status, o.Decline = sdk.StatusDeclined, refusal(t)
	default:
		return nil, errCondition
	}
	return o, nil
}

var errCondition = errors.New("a condition of a transaction that is not known")

// one is the transaction that is meant, missing if there is none. One order has one transaction; where it has more, the id must tell.
func one(found []sdk.XML, id string) (sdk.XML, error) {
	for _, t := range found {
		if len(found) == 1 || t.Text("transaction_id") == id {
			return t, nil
		}
	}
	if len(found) > 1 {
		return sdk.XML{}, errors.New("several transactions of one order")
	}
	return sdk.XML{}, nil
}

// payment reads a transaction: its condition, and what its actions have moved.
func payment(t sdk.XML, r *sdk.Request) (*sdk.Outcome, error) {
	currency := r.Amount.Currency
	if c := t.Text("currency"); c != "" && c != string(currency) {
		return nil, errors.New("a transaction in another currency")
	}
	moved, err := actions(t, currency)
	if err != nil {
		return nil, err
	}
	o := &sdk.Outcome{TransactionID: t.Text("transaction_id"), AuthCode: t.Text("authorization_code"), Checks: checks(t.Text("avs_response"), t.Text("csc_response")),
		Raw: map[string]string{"condition": t.Text("condition")}}
	switch t.Text("condition") {
	case "pending":
		if moved.held == 0 {
			return nil, errActions
		}
		o.Status = sdk.StatusAuthorized
	case "pendingsettlement", "complete":
		switch {
		case moved.taken > 0:
			o.Status = sdk.StatusCaptured
		case moved.validated:
			o.Status = sdk.StatusVerified
			return o, nil
		default:
			return nil, errActions
		}
	case "in_progress":
		o.Status = sdk.StatusPending
		return o, nil
	case "canceled", "cancelled":
		o.Status = sdk.StatusVoided
		return o, nil
	case "failed", "abandoned":
		o.Status, o.Decline = sdk.StatusDeclined, refusal(t)
		return o, nil
	default:
		return nil, errCondition
	}
	o.Totals = &sdk.Totals{Authorized: max(moved.held, moved.taken), Captured: moved.taken}
	if r.Payment != nil { // refunds are transactions of their own
		o.Totals.Refunded = r.Payment.Refunded
	}
	o.Amount = &sdk.Money{Minor: moved.held, Currency: currency}
	if moved.taken > 0 {
		o.Amount.Minor = moved.taken
	}
	return o, nil
}

var errActions = errors.New("a transaction without the actions that its condition speaks of")

type movement struct {
	held, taken int64 // minor units
	validated   bool
}

// actions adds up what went through of a transaction.
func actions(t sdk.XML, currency sdk.Currency) (m movement, err error) {
	for a := range t.All("action") {
		if a.Text("success") != "1" {
			continue
		}
		kind := a.Text("action_type")
		if kind == "validate" {
			m.validated = true
		}
		if kind != "auth" && kind != "sale" && kind != "capture" {
			continue
		}
		amount, err := sdk.ParseMajor(a.Text("amount"), currency)
		if err != nil {
			return m, err
		}
		if kind == "auth" {
			m.held += amount.Minor
		} else {
			m.taken += amount.Minor
		}
	}
	return m, nil
}

// refusal is why a transaction failed: what its last failed action says.
func refusal(t sdk.XML) *sdk.Decline {
	d := &sdk.Decline{Code: t.Text("condition"), Message: t.Text("condition"), Reason: sdk.DeclineGeneric}
	if d.Code == "abandoned" {
		d.Reason = sdk.DeclineAbandoned
	}
	for a := range t.All("action") {
		if said := declineOf(a.Text("response_code"), a.Text("response_text")); said != nil && a.Text("success") != "1" {
			d = said
		}
	}
	return d
}

package paypal

import (
	"errors"
	"strconv"

	"payswitch/sdk"
)

var (
	errCurrency = errors.New("an amount in another currency than the payment's, or none")
	errStatus   = errors.New("a status nobody has heard of")
	errCaptures = errors.New("the order does not show how much of the authorization has been captured")
)

// failed is the error for an answer that decides nothing.
func failed(what string, r *sdk.Response) error {
	j := r.JSON()
	return errors.New(what + ": HTTP " + strconv.Itoa(r.Status) + " " + j.Str("name") + j.Str("error") + " " + j.Str("details.0.issue"))
}

// ids are what later operations go by: kept with the payment as ConnectorData.
type ids struct{ authorization, capture string }

func (i ids) data() *sdk.ConnectorData {
	if i == (ids{}) {
		return nil
	}
	return &sdk.ConnectorData{Version: 1, Payment: sdk.NewObject().OptStr("authorize_id", i.authorization).OptStr("capture_id", i.capture).String()}
}

// kept are the ids of the payment's ConnectorData.
func kept(r *sdk.Request) ids {
	if r.ConnectorData == nil {
		return ids{}
	}
	j, _ := sdk.ParseJSON([]byte(r.ConnectorData.Payment))
	return ids{j.Str("authorize_id"), j.Str("capture_id")}
}

// orderAnswer reads an answer that is an order, or the refusal of one.
func orderAnswer(c *sdk.Call, a *sdk.Response) (*sdk.Outcome, error) {
	j := a.JSON()
	if !a.OK() || j.Str("id") == "" {
		return refused(a)
	}
	return order(c, j)
}

// order reads what has become of an order. COMPLETED says that there is a payment, not that it went well: the payment tells.
func order(c *sdk.Call, j sdk.JSON) (o *sdk.Outcome, err error) {
	payments := j.Get("purchase_units.0.payments")
	authorization, captured := last(payments.Get("authorizations")), last(payments.Get("captures"))
	known := ids{authorization.Str("id"), captured.Str("id")}
	switch {
	case captured.Exists() && (!authorization.Exists() || !lost(captured) || c.Request.Resolves == sdk.OpCapture):
		o, err = payment(c, captured)
	case authorization.Exists():
		if o, err = payment(c, authorization); err == nil && o.Status == sdk.StatusCaptured {
			return nil, errCaptures
		}
	default:
		o, err = unpaid(c, j)
	}
	if err != nil {
		return nil, err
	}
	o.TransactionID, o.ConnectorData = j.Str("id"), known.data()
	o.Raw["order_status"] = j.Str("status")
	if v := j.Get("payment_source.card.attributes.vault"); first(c.Request) && v.Str("status") == "VAULTED" && v.Str("id") != "" {
		o.StoredCredential = &sdk.StoredCredential{ID: v.Str("id"), CustomerID: v.Str("customer.id")}
	}
	return o, nil
}

// last is the last of the payments that was not lost, else the last.
func last(all sdk.JSON) (found sdk.JSON) {
	for p := range all.All() {
		if !found.Exists() || lost(found) || !lost(p) {
			found = p
		}
	}
	return found
}

// lost says that a payment came to nothing.
func lost(p sdk.JSON) bool {
	switch p.Str("status") {
	case "DECLINED", "DENIED", "FAILED", "VOIDED", "EXPIRED":
		return true
	}
	return false
}

// unpaid is an order without a payment.
func unpaid(c *sdk.Call, j sdk.JSON) (*sdk.Outcome, error) {
	o := &sdk.Outcome{Raw: map[string]string{}}
	switch j.Str("status") {
	case "PAYER_ACTION_REQUIRED":
		for l := range j.Get("links").All() {
			if l.Str("rel") == "payer-action" {
				o.Status, o.NextAction = sdk.StatusCustomerAction, &sdk.NextAction{Type: "redirect", URL: l.Str("href")}
				return o, nil
			}
		}
		o.Status = sdk.StatusPending
	case "CREATED", "SAVED", "APPROVED", "PENDING":
		o.Status = sdk.StatusPending
	case "VOIDED":
		o.Status, o.Decline = gone(c), &sdk.Decline{Code: "VOIDED", Message: "the order has been voided", Reason: sdk.DeclineAbandoned}
	default:
		return nil, errStatus
	}
	return o, nil
}

// gone is what a payment that is held no more means to the operation: only a sync or void ends so.
func gone(c *sdk.Call) sdk.OutcomeStatus {
	if op := c.Operation(); op == sdk.OpSync || op == sdk.OpVoid {
		return sdk.StatusVoided
	}
	return sdk.StatusDeclined
}

// payment reads an authorization or a capture.
func payment(c *sdk.Call, p sdk.JSON) (*sdk.Outcome, error) {
	currency := c.Request.Amount.Currency
	status, response := p.Str("status"), p.Get("processor_response")
	o := &sdk.Outcome{NetworkTransactionID: p.Str("network_transaction_reference.id"), Checks: checks(response), Raw: map[string]string{"status": status}}
	for _, name := range []string{"response_code", "avs_code", "cvv_code", "payment_advice_code"} {
		if v := response.Str(name); v != "" {
			o.Raw[name] = v
		}
	}
	if reason := p.Str("status_details.reason"); reason != "" {
		o.Raw["reason"] = reason
	}
	switch status {
	case "CREATED":
		o.Status = sdk.StatusAuthorized
	case "CAPTURED", "COMPLETED", "PARTIALLY_CAPTURED", "REFUNDED", "PARTIALLY_REFUNDED":
		o.Status = sdk.StatusCaptured
	case "PENDING":
		o.Status = sdk.StatusPending
		if o.Raw["reason"] == "PENDING_REVIEW" {
			o.Status = sdk.StatusReview
		}
	case "DECLINED", "DENIED", "FAILED":
		o.Status, o.Decline = sdk.StatusDeclined, declineOf(o.Raw)
	case "VOIDED", "EXPIRED":
		o.Status = gone(c)
		if o.Status == sdk.StatusDeclined {
			o.Decline = declineOf(o.Raw)
		}
	default:
		return nil, errStatus
	}
	if o.Status == sdk.StatusAuthorized || o.Status == sdk.StatusCaptured {
		if o.Amount = p.Major("amount.value", currency); o.Amount == nil || o.Amount.Minor < 0 || p.Str("amount.currency_code") != string(currency) {
			return nil, errCurrency
		}
	}
	if o.Status == sdk.StatusCaptured {
		o.CaptureID = p.Str("id")
	}
	return o, nil
}

// checks are the results of address and CVC checks; nil where PayPal tells none.
func checks(response sdk.JSON) *sdk.Checks {
	avs, cvv := response.Str("avs_code"), response.Str("cvv_code")
	if avs == "" && cvv == "" {
		return nil
	}
	k := &sdk.Checks{}
	switch cvv {
	case "":
	case "M", "Y":
		k.CVC = "pass"
	case "N", "E":
		k.CVC = "fail"
	case "P":
		k.CVC = "unchecked"
	default:
		k.CVC = "unavailable"
	}
	switch avs {
	case "":
	case "D", "F", "M", "X", "Y":
		k.AddressLine1, k.PostalCode = "pass", "pass"
	case "A", "B":
		k.AddressLine1, k.PostalCode = "pass", "fail"
	case "P", "W", "Z":
		k.AddressLine1, k.PostalCode = "fail", "pass"
	case "C", "N":
		k.AddressLine1, k.PostalCode = "fail", "fail"
	default:
		k.AddressLine1, k.PostalCode = "unavailable", "unavailable"
	}
	return k
}

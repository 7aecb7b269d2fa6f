package globalpay

import (
	"errors"

	"payswitch/sdk"
)

var (
	errStatus   = errors.New("a status nobody has heard of")
	errCurrency = errors.New("another currency than the payment's, or no amount")
)

// transaction reads an answer that is a payment, or the refusal of one.
func transaction(c *sdk.Call, a *sdk.Response) (*sdk.Outcome, error) {
	if !a.OK() || a.JSON().Str("id") == "" {
		return refused(a)
	}
	return payment(c, a.JSON())
}

// payment reads a transaction that is no refund.
func payment(c *sdk.Call, j sdk.JSON) (*sdk.Outcome, error) {
	r, card := c.Request, j.Get("payment_method.card")
	o := &sdk.Outcome{TransactionID: j.Str("id"), NetworkTransactionID: card.Str("brand_reference"), AuthCode: card.Str("authcode"), Checks: checks(card), Raw: raw(j)}
	if j.Str("type") == "REFUND" {
		return nil, errors.New("a refund in place of a payment")
	}
	switch j.Str("status") {
	case "PREAUTHORIZED":
		o.Status = sdk.StatusAuthorized
	case "CAPTURED", "FUNDED":
		o.Status = sdk.StatusCaptured
	case "PENDING", "INITIATED", "FOR_REVIEW":
		o.Status = sdk.StatusPending
	case "REVERSED":
		o.Status = sdk.StatusVoided
		if op := c.Operation(); op != sdk.OpSync && op != sdk.OpVoid {
			o.Status, o.Decline = sdk.StatusDeclined, declineOf(j)
		}
	case "DECLINED", "FAILED", "REJECTED":
		o.Status, o.Decline = sdk.StatusDeclined, declineOf(j)
	default:
		return nil, errStatus
	}
	if (o.Status == sdk.StatusAuthorized || o.Status == sdk.StatusCaptured) && r.Amount.Currency != "" {
		o.Amount = j.Money("amount", r.Amount.Currency)
		if o.Amount == nil || o.Amount.Minor < 0 || j.Str("currency") != string(r.Amount.Currency) {
			return nil, errCurrency
		}
		if p := r.Payment; o.Status == sdk.StatusCaptured && p != nil && p.Capture == sdk.CaptureManual {
			o.Amount = captured(r, *o.Amount)
		}
	}
	return o, nil
}

// captured is what has been taken of a payment that we capture. The transaction shows what was authorized, also after a smaller capture:
// then it is what was asked for (nil), or what is known to have been taken.
func captured(r *sdk.Request, shown sdk.Money) *sdk.Money {
	known := r.Payment.Captured
	switch {
	case r.Resolves != sdk.OpCapture && known > 0 && known < shown.Minor:
		return &sdk.Money{Minor: known, Currency: shown.Currency}
	case shown.Minor > r.Amount.Minor:
		return nil
	}
	return &shown
}

// raw are the codes that support may ask for.
func raw(j sdk.JSON) map[string]string {
	all := map[string]string{"status": j.Str("status")}
	for name, path := range map[string]string{"result": "payment_method.result", "action_id": "action.id", "result_code": "action.result_code"} {
		if v := j.Str(path); v != "" {
			all[name] = v
		}
	}
	return all
}

// declineOf is why a transaction was declined. Codes of two characters are the issuer's, of three Global Payments' own.
func declineOf(j sdk.JSON) *sdk.Decline {
	code := j.Str("payment_method.result")
	d := &sdk.Decline{Code: code, Message: j.Str("payment_method.message"), Reason: sdk.DeclineGeneric}
	switch {
	case code == "" || code == "00":
		d.Code = j.Str("status")
		if d.Message == "" {
			d.Message = d.Code
		}
	case len(code) == 2:
		d.NetworkCode, d.Reason = code, sdk.DeclineByCode(code)
	default:
		for _, known := range results {
			if known.code == code {
				d.Reason = known.reason
			}
		}
	}
	d.RetryElsewhere = elsewhere(d.Reason)
	return d
}

// results are Global Payments' own results.
var results = []struct {
	code   string
	reason sdk.DeclineReason
}{
	{"101", sdk.DeclineGeneric}, {"102", sdk.DeclineDoNotHonor}, {"103", sdk.DeclineStolenCard}, {"107", sdk.DeclineFraud},
	{"200", sdk.DeclineProcessingError}, {"205", sdk.DeclineProcessingError},
}

// checks are the results of address and CVC checks; nil where GP API tells none.
func checks(card sdk.JSON) *sdk.Checks {
	k := sdk.Checks{CVC: check(card.Str("cvv_result")), AddressLine1: check(card.Str("avs_address_result")), PostalCode: check(card.Str("avs_postal_code_result"))}
	if k == (sdk.Checks{}) {
		return nil
	}
	return &k
}

func check(result string) string {
	switch result {
	case "":
		return ""
	case "MATCHED":
		return "pass"
	case "NOT_MATCHED":
		return "fail"
	case "NOT_CHECKED":
		return "unchecked"
	}
	return "unavailable"
}

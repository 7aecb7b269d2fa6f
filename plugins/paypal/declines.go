package paypal

import (
	"cmp"
	_ "embed"

	"payswitch/sdk"
)

// declineOf is why a payment was declined, by what PayPal said of it: the card's response code, else the reason of its status.
func declineOf(raw map[string]string) *sdk.Decline {
	code := raw["response_code"]
	if code == "" || code == "0000" { // approved by the issuer, and refused all the same
		code = cmp.Or(raw["reason"], raw["status"])
	}
	d := declines.New(code, raw["reason"], "")
	d.Message, d.AdviceCode = cmp.Or(d.Message, raw["status"]), raw["payment_advice_code"]
	return d
}

// inDoubt are the issues that say that another request of the same payment has been or is being worked on: no answer to that one.
var inDoubt = sdk.Names{{"in doubt", "PREVIOUS_REQUEST_IN_PROGRESS DUPLICATE_INVOICE_ID DUPLICATE_REQUEST_ID ORDER_ALREADY_CAPTURED " +
	"ORDER_ALREADY_AUTHORIZED ORDER_ALREADY_COMPLETED ORDER_COMPLETION_IN_PROGRESS AUTHORIZATION_ALREADY_CAPTURED"}}

// refused reads an answer that is not what was asked for. PayPal's own error with a 4xx is a refusal; everything else decides nothing.
func refused(a *sdk.Response) (*sdk.Outcome, error) {
	j := a.JSON()
	name, issue, message := j.Str("name"), j.Str("details.0.issue"), j.Str("details.0.description")
	if name == "" && a.Status == 401 { // errors of OAuth have another form
		name, message = j.Str("error"), j.Str("error_description")
	}
	if !a.Refuses() || name == "" || inDoubt.Of(issue) != "" {
		return nil, undecided(a)
	}
	o := sdk.Declined(declines.New(cmp.Or(issue, name), cmp.Or(message, j.Str("message")), declines.Of(name)))
	o.Raw = map[string]string{"name": name, "debug_id": j.Str("debug_id")}
	return o, nil
}

// declines are decline codes and what they mean.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string

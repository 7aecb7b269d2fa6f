package stripe

import (
	_ "embed"

	"payswitch/sdk"
)

// refusal reads an error of Stripe's. An error is a refusal only where it says that nothing was done and will be.
func refusal(answer *sdk.Response) *sdk.Outcome {
	e := answer.JSON().Get("error")
	switch kind := e.Str("type"); {
	case answer.Status < 400 || answer.Status >= 500, answer.Status == 409, answer.Status == 429: // of 409 and 429 the first request is still to be answered
		return unknown(answer)
	case kind != "card_error" && kind != "invalid_request_error": // api_error; idempotency_error: the key has been used for something else
		return unknown(answer)
	}
	o := sdk.Declined(decline(e, ""))
	o.TransactionID, o.Raw = e.First("payment_intent.id", "setup_intent.id"), e.Pick("type", "decline_code", "param", "charge")
	if answer.Status == 401 || answer.Status == 403 {
		o.Decline.Reason = sdk.DeclineInvalidMerchant
		o.Decline.RetryElsewhere = true
	}
	return o
}

// unknown is what an answer without evidence means.
func unknown(answer *sdk.Response) *sdk.Outcome {
	o := &sdk.Outcome{Status: sdk.StatusUnknown, Raw: answer.JSON().Get("error").Pick("type", "code")}
	o.Raw["http_status"] = sdk.Decimal(int64(answer.Status), 0)
	return o
}

// missing says that Stripe has no object of that id.
func missing(answer *sdk.Response) bool {
	return answer.Status == 404 && answer.JSON().Str("error.code") == "resource_missing"
}

// decline reads an error object; code is what stands for one that is missing.
func decline(e sdk.JSON, code string) *sdk.Decline {
	reason := declines.Of(e.First("decline_code", "code"))
	switch {
	case reason != "":
	case e.Str("type") == "card_error", e.Str("code") == "" && code != "":
		reason = sdk.DeclineGeneric
	default:
		reason = sdk.DeclineProcessingError
	}
	d := sdk.NewDecline(e.Str("code"), e.Str("message"), reason)
	switch d.NetworkCode, d.AdviceCode = e.Str("network_decline_code"), e.Str("network_advice_code"); {
	case d.Code == "" && code != "":
		d.Code, d.Message = code, code
	case d.Code == "":
		d.Code = e.Str("type")
	}
	return d
}

// declines are decline codes and what they mean.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string

package globalpay

import (
	"cmp"
	_ "embed"
	"errors"

	"payswitch/sdk"
)

var (
	errStatus   = errors.New("the status of the answer is unknown")
	errCurrency = errors.New("the answer lacks an amount in the payment's currency")
)

// transaction reads an answer that holds a payment, or refuses one.
func transaction(c *sdk.Call, a *sdk.Response) *sdk.Outcome {
	if a.JSON().Str("type") != "REFUND" {
		c.About(a.JSON().Str("id"))
	}
	if !a.OK() || a.JSON().Str("id") == "" {
		return refused(a)
	}
	return payment(c, a.JSON())
}

// payment reads a transaction that is not a refund.
func payment(c *sdk.Call, j sdk.JSON) *sdk.Outcome {
	r, card := c.Request, j.Get("payment_method.card")
	o := &sdk.Outcome{Status: statuses.Of(j.Str("status")), TransactionID: j.Str("id"),
		NetworkTransactionID: card.Str("brand_reference"), AuthCode: card.Str("authcode"), Checks: checks(card), Raw: raw(j)}
	sdk.Expect(j.Str("type") != "REFUND", "the answer holds a refund instead of a payment")
	if op := c.Operation(); o.Status == sdk.StatusVoided && op != sdk.OpSync && op != sdk.OpVoid {
		o.Status = sdk.StatusDeclined
	}
	sdk.Require(o.Status != "", errStatus)
	if o.Status == sdk.StatusDeclined {
		sdk.Require(!inDoubt(j), errInDoubt)
		o.Decline = declineOf(j)
	}
	if (o.Status == sdk.StatusAuthorized || o.Status == sdk.StatusCaptured) && r.Amount.Currency != "" {
		o.Amount = j.Money("amount", r.Amount.Currency)
		sdk.Require(o.Amount != nil && o.Amount.Minor >= 0 && j.Str("currency") == string(r.Amount.Currency), errCurrency)
		if p := r.Payment; o.Status == sdk.StatusCaptured && p != nil && p.Capture == sdk.CaptureManual {
			o.Amount = captured(r, *o.Amount)
		}
	}
	return o
}

// statuses of transactions that are not refunds.
var statuses = sdk.Statuses{
	{sdk.StatusAuthorized, "PREAUTHORIZED"},
	{sdk.StatusCaptured, "CAPTURED BATCHED FUNDED"},
	{sdk.StatusPending, "PENDING INITIATED FOR_REVIEW"},
	{sdk.StatusVoided, "REVERSED"},
	{sdk.StatusDeclined, "DECLINED FAILED REJECTED"},
}

// captured returns the captured amount of a manually captured payment. The transaction shows the authorized amount,
// even after a smaller capture. So the result is the requested amount (nil), or the recorded captured amount.
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

// raw are codes that support may need.
func raw(j sdk.JSON) map[string]string {
	return j.Pick("status", "result=payment_method.result", "action_id=action.id", "result_code=action.result_code")
}

// inDoubt reports whether a refusal is an error of communication with the bank (2xx) or of Global Payments' systems
// (3xx). The bank may still have acted, so it is not a refusal.
func inDoubt(j sdk.JSON) bool {
	code := j.Text("payment_method.result")
	return len(code) == 3 && (code[0] == '2' || code[0] == '3')
}

var errInDoubt = errors.New("the bank may have acted before the error")

// declineOf returns the reason of a decline. Codes of two characters are the issuer's, codes of three are Global
// Payments'.
func declineOf(j sdk.JSON) *sdk.Decline {
	code, text := j.Text("payment_method.result"), j.Str("payment_method.message")
	switch {
	case code == "" || code == "00":
		status := j.Str("status")
		return sdk.NewDecline(status, cmp.Or(text, status), sdk.DeclineGeneric)
	case len(code) == 2:
		reason := sdk.DeclineByCode(code)
		if j.Str("payment_method.card.brand") == "MASTERCARD" {
			reason = sdk.DeclineByMastercard(code)
		}
		d := sdk.NewDecline(code, text, reason)
		d.NetworkCode = code
		return d
	}
	return declines.New(code, text, "")
}

// matches are the results of address and CVC checks; any other code means that there was no check.
var matches = sdk.Results{{sdk.CheckPass, "MATCHED"}, {sdk.CheckFail, "NOT_MATCHED"},
	{sdk.CheckUnchecked, "NOT_CHECKED"}}

func checks(card sdk.JSON) *sdk.Checks {
	result := func(path string) sdk.CheckResult {
		if card.Str(path) == "" {
			return ""
		}
		return cmp.Or(matches.Of(card.Str(path)), sdk.CheckUnavailable)
	}
	return sdk.NewChecks(result("cvv_result"), result("avs_address_result"), result("avs_postal_code_result"))
}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string

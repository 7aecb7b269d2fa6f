package globalpay

import (
	"cmp"
	_ "embed"

	"payswitch/sdk"
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
	o := &sdk.Outcome{Status: statuses.Must(j.Str("status")), TransactionID: j.Str("id"),
		NetworkTransactionID: card.Str("brand_reference"), AuthCode: card.Str("authcode"), Raw: raw(j),
		Checks: checks.At(card, "cvv_result", "avs_address_result", "avs_postal_code_result")}
	sdk.Expect(j.Str("type") != "REFUND", "the answer holds a refund instead of a payment")
	if o.Status == sdk.StatusVoided {
		o.Status = c.Gone()
	}
	if o.Status == sdk.StatusDeclined {
		sdk.Expect(!inDoubt(j), "the bank may have acted before the error")
		o.Decline = declineOf(j)
	}
	if o.Status.Approves() && r.Amount.Currency != "" {
		o.Amount = stated(j, r.Amount.Currency)
		sdk.Require(o.Amount != nil, sdk.ErrNoAmount)
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

// stated returns the amount of a transaction; nil if it is not in the currency.
func stated(j sdk.JSON, currency sdk.Currency) *sdk.Money {
	m := j.Money("amount", currency)
	return sdk.When(m != nil && m.Minor >= 0 && currency != "" && j.Str("currency") == string(currency), m)
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

// inDoubt reports whether the bank may have acted: an error of communication (2xx) or of Global Payments' own (3xx).
func inDoubt(j sdk.JSON) bool {
	code := j.Text("payment_method.result")
	return len(code) == 3 && (code[0] == '2' || code[0] == '3')
}

// declineOf returns the reason of a decline. Codes of two characters are the issuer's, of three Global Payments'.
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

// checks are the results of address and CVC checks.
var checks = sdk.CheckCodes{Other: sdk.CheckUnavailable, CVC: sdk.Results{{sdk.CheckPass, "MATCHED"},
	{sdk.CheckFail, "NOT_MATCHED"}, {sdk.CheckUnchecked, "NOT_CHECKED"}}}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string

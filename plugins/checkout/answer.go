package checkout

import (
	"cmp"
	_ "embed"
	"strings"

	"payswitch/sdk"
)

// result reads a payment: the answer to POST /payments and GET /payments/{id}.
func result(c *sdk.Call, j sdk.JSON) *sdk.Outcome {
	r, status := c.Request, j.Str("status")
	o := &sdk.Outcome{TransactionID: j.Need("id"), AuthCode: j.Str("auth_code"), NetworkTransactionID: j.Str("scheme_id"),
		Checks: checks.Read(j.Str("source.cvv_check"), j.Str("source.avs_check")),
		Amount: stated(c, j, "amount"), Raw: map[string]string{"status": status, "response_code": j.Str("response_code")}}
	c.About(o.TransactionID)
	held, taken := stated(c, j, "balances.total_authorized"), stated(c, j, "balances.total_captured")
	// a partial approval: amount_requested is what was asked for (checkout.com/docs, "Authorize a payment")
	if j.Has("amount_requested") && held != nil {
		o.Amount = held
	}
	if given := stated(c, j, "balances.total_refunded"); held != nil && taken != nil && given != nil {
		o.Totals = &sdk.Totals{Authorized: held.Minor, Captured: taken.Minor, Refunded: given.Minor}
	}
	switch status {
	case "Authorized", "Card Verified":
		sdk.Expect(j.Text("approved") != "false" && (status == "Authorized" || r.Amount.Minor == 0),
			status+" contradicts the request")
		o.Status = sdk.StatusAuthorized
		if r.Amount.Minor == 0 {
			o.Status = sdk.StatusVerified
		} else if r.Resolves == sdk.OpIncrementalAuthorize {
			sdk.Expect(held != nil && *held == r.Amount, "the authorized amount is not the new total")
			o.Amount = held
		} else if sdk.Require(o.Amount != nil, sdk.ErrNoAmount); captured(r) {
			automatic(c, o, held, taken, stated(c, j, "balances.total_voided"))
		}
		o.StoredCredential, o.ConnectorData = stored(c, j)
	case "Captured":
		o.Status, o.Amount = sdk.StatusCaptured, cmp.Or(taken, o.Amount)
		sdk.Require(o.Amount.Positive(), sdk.ErrNoAmount)
		o.StoredCredential, o.ConnectorData = stored(c, j)
	case "Refunded", "Partially Refunded": // automatic capture took the whole amount
		if taken == nil && captured(r) {
			taken = o.Amount
		}
		fallthrough
	case "Partially Captured":
		sdk.Expect(taken.Positive(), status+" without the captured amount")
		o.Status, o.Amount = sdk.StatusCaptured, taken
	case "Pending":
		o.Amount = nil
		o.Redirect(sdk.When(c.Operation() != sdk.OpComplete, j.Str("_links.redirect.href")))
	case "Retry Scheduled":
		o.Status, o.Amount = sdk.StatusPending, nil
	case "Declined":
		o.Status, o.Amount, o.Decline = sdk.StatusDeclined, nil, decline(j)
	case "Voided", "Canceled", "Expired":
		sdk.Expect(!taken.Positive(), status+" with a captured amount")
		o.Amount = nil
		if c.Operation() == sdk.OpSync && (status != "Expired" || r.Payment != nil && r.Payment.Authorized > 0) {
			o.Status = sdk.StatusVoided
			break
		}
		o.Status, o.Decline = sdk.StatusDeclined,
			sdk.NewDecline(status, "The payment is "+strings.ToLower(status)+".", sdk.DeclineAbandoned)
	default:
		sdk.Expect(false, "unknown status: "+status)
	}
	return o
}

// captured reports whether the payment was requested with automatic capture.
func captured(r *sdk.Request) bool {
	if r.Capture == "" && r.Payment != nil {
		return r.Payment.Capture == sdk.CaptureAutomatic
	}
	return r.Capture != sdk.CaptureManual
}

// automatic decides about an authorized payment that Checkout.com captures by itself, within seconds or by a schedule.
// The answer to the payment request comes earlier and has no balances: the capture is under way. Later the balances
// decide. If they show no capture, the payment's actions do: after a declined capture the payment is authorized.
func automatic(c *sdk.Call, o *sdk.Outcome, held, taken, voided *sdk.Money) {
	switch {
	case taken.Positive():
		o.Status, o.Amount = sdk.StatusCaptured, taken
	case voided.Positive() && held != nil && voided.Minor >= held.Minor:
		o.Status, o.Amount = sdk.StatusVoided, nil
	case c.Operation() == sdk.OpAuthorize:
		o.Status, o.Totals = sdk.StatusCaptured, nil
	default:
		afterActions(c, o)
	}
	if o.Status == sdk.StatusVoided && c.Gone() == sdk.StatusDeclined {
		o.Status, o.Decline = sdk.StatusDeclined, sdk.NewDecline("Voided", "The payment is voided.", sdk.DeclineAbandoned)
	}
}

// afterActions asks for the actions of an authorized payment and applies them to the outcome.
func afterActions(c *sdk.Call, o *sdk.Outcome) {
	resp := sdk.Must(c.Get("/payments/"+sdk.PathEscape(o.TransactionID)+"/actions", c.Bearer(secretKey)))
	list := resp.JSON()
	// every payment has at least its authorization
	sdk.Expect(resp.OK() && list.IsArray() && list.Len() > 0, "the answer holds no actions of the payment")
	taken := sdk.Money{Currency: c.Request.Amount.Currency}
	captured, refused, voided := false, false, false
	for a := range list.All() {
		switch a.Need("type") + " " + a.Raw("approved") {
		case "Capture true":
			captured, taken.Minor = true, taken.Minor+decimals.Need(a, "amount", "currency", taken.Currency).Minor
		case "Capture false":
			refused = true
		case "Void true":
			voided = true
		}
	}
	o.Totals = nil
	switch {
	case captured:
		sdk.Require(taken.Positive(), sdk.ErrNoAmount)
		o.Status, o.Amount = sdk.StatusCaptured, &taken
	case voided:
		o.Status, o.Amount = sdk.StatusVoided, nil
	case !refused: // the capture is still to come
		o.Status, o.Amount = sdk.StatusPending, nil
	}
}

// stored returns the source that Checkout.com keeps, and the payment that stored it, which later payments name. A sync
// does not know the purpose of the payment; the payment type shows it.
func stored(c *sdk.Call, j sdk.JSON) (*sdk.StoredCredential, *sdk.ConnectorData) {
	use, kind := c.Request.StoredCredential, j.Str("payment_type")
	keeps := use != nil || c.Operation() == sdk.OpSync && kind != "" && kind != "Regular"
	credential := sdk.When(keeps, sdk.StoredAs(j.Str("source.id"), j.Str("customer.id")))
	data := &sdk.ConnectorData{Version: 1, Method: j.Str("id")}
	return credential, sdk.When(credential != nil && c.Request.Stores(), data)
}

var checks = sdk.CheckCodes{
	CVC: sdk.Results{{sdk.CheckPass, "Y"}, {sdk.CheckFail, "N"}, {sdk.CheckUnchecked, "P"},
		{sdk.CheckUnavailable, "U X"}},
	Line1: sdk.Results{{sdk.CheckPass, "Y X D F M A B"}, {sdk.CheckFail, "Z W N"}, {sdk.CheckUnchecked, "P C"},
		{sdk.CheckUnavailable, "E G I R S U"}},
	PostalCode: sdk.Results{{sdk.CheckPass, "Y X D F M Z W P"}, {sdk.CheckFail, "A N"}, {sdk.CheckUnchecked, "B C"},
		{sdk.CheckUnavailable, "E G I R S U"}},
}

// decline returns the reason of a refused payment or action. A sync has the code in the payment's first action.
func decline(at sdk.JSON) *sdk.Decline {
	if !at.Has("response_code") && at.Has("actions.0.response_code") {
		at = at.Get("actions.0")
	}
	code, network := at.Text("response_code"), at.Text("processing.partner_response_code")
	d := declines.New(code, at.Str("response_summary"), sdk.DeclineByCode(network))
	// a hard decline: issuer or cardholder must act before another attempt (checkout.com/docs, "API response codes")
	d.RetryElsewhere = d.RetryElsewhere && !strings.HasPrefix(code, "30")
	d.NetworkCode, d.AdviceCode = network, at.Text("processing.partner_merchant_advice_code")
	return d
}

// refusal reads an answer that is not 2xx. A 4xx with error codes proves that nothing was done, except 409 and 429.
func refusal(resp *sdk.Response) *sdk.Outcome {
	code := resp.JSON().Str("error_codes.0")
	sdk.Require(resp.Refuses() && resp.Status != 429 && code != "",
		resp.Undecided("no decision", "error_type", "error_codes.0"))
	var all []string
	for v := range resp.JSON().Get("error_codes").All() {
		all = append(all, v.Str(""))
	}
	o := sdk.Declined(declines.New(code, strings.Join(all, ", "), sdk.DeclineProcessingError))
	o.Raw = map[string]string{"error_type": resp.JSON().Str("error_type")}
	return o
}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string

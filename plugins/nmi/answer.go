package nmi

import (
	_ "embed"
	"strings"

	"payswitch/sdk"
)

// An answer of the Payment API: a form with response 1 (approved), 2 (declined) or 3 (error), and a response_code.
type answer struct {
	pairs   []sdk.Header
	decline *sdk.Decline // nil: approved
}

func (a *answer) get(name string) string { return sdk.HeaderValue(a.pairs, name) }

// transact sends a transaction. An error leaves the result unknown.
func transact(c *sdk.Call, kind string, form *sdk.Form) *answer {
	r := sdk.Must(c.Do(sdk.FormSend(transactPath, form)))
	sdk.Require(r.OK() || r.Refuses(), sdk.ErrAnswer)
	pairs, whole := sdk.ParseForm(string(r.Body))
	a := &answer{pairs: pairs}
	if kind != "refund" && a.get("response_code") != "" { // response_code follows the id, so the id is complete
		c.About(a.get("transactionid"))
	}
	switch code := a.get("response_code"); a.get("response") {
	case "1":
		t := a.get("type")
		sdk.Expect(t == "" || t == kind, "the answer approves another kind of transaction")
		whole = whole && code == approvedCode && r.OK() && a.get("transactionid") != ""
	case "2", "3": // the verdict; the code only explains it
		if a.decline = declineOf(code, a.get("responsetext")); code == approvedCode {
			a.decline = sdk.NewDecline(code, a.get("responsetext"), sdk.DeclineGeneric)
		}
		whole = whole && a.decline != nil
	default:
		whole = false
	}
	sdk.Require(whole, sdk.ErrAnswer)
	return a
}

// outcome returns the outcome of a payment: approved, or the decline.
func (a *answer) outcome(approved sdk.OutcomeStatus) *sdk.Outcome {
	o := &sdk.Outcome{Status: approved, TransactionID: a.get("transactionid"), AuthCode: a.get("authcode"),
		Decline: a.decline, Checks: checks.Read(a.get("cvvresponse"), a.get("avsresponse")), Raw: map[string]string{}}
	if a.decline != nil {
		o.Status, o.AuthCode = sdk.StatusDeclined, ""
	}
	for _, name := range []string{"response", "response_code", "avsresponse", "cvvresponse"} {
		if v := a.get(name); v != "" {
			o.Raw[name] = v
		}
	}
	return o
}

// checks are NMI's CVV and AVS response codes.
var checks = sdk.CheckCodes{
	CVC: sdk.Results{{sdk.CheckPass, "M"}, {sdk.CheckFail, "N"}, {sdk.CheckUnchecked, "P S"}, {sdk.CheckUnavailable, "U"}},
	Line1: sdk.Results{{sdk.CheckPass, "X Y D M 2 6 A B 3 7"}, {sdk.CheckFail, "W Z P L 1 5 N C 4 8"},
		{sdk.CheckUnavailable, "U G I R E S"}, {sdk.CheckUnchecked, "0 O"}},
	PostalCode: sdk.Results{{sdk.CheckPass, "X Y D M 2 6 W Z P L 1 5"}, {sdk.CheckFail, "A B 3 7 N C 4 8"},
		{sdk.CheckUnavailable, "U G I R E S"}, {sdk.CheckUnchecked, "0 O"}},
}

// approvedCode is the only response_code of an approval.
const approvedCode = "100"

// refuses reports whether a response code is one of a refusal; false for example in a cut answer.
func refuses(code string) bool {
	return len(code) == 3 && code[0] >= '2' && code[0] <= '4' && code[1]-'0' <= 9 && code[2]-'0' <= 9
}

// declineOf returns the decline of a response code; nil if the code is not one of a refusal.
func declineOf(code, text string) *sdk.Decline {
	if !refuses(code) {
		return nil
	}
	// the gateway's own duplicate check has no code of its own
	if code == "300" && strings.HasPrefix(text, "Duplicate transaction") {
		return sdk.NewDecline(code, text, sdk.DeclineDuplicate)
	}
	return declines.New(code, text, "")
}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string

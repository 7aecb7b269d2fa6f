package cybersource

import (
	"cmp"
	_ "embed"

	"payswitch/sdk"
)

// ask sends a request and reads a meaningful answer. A 5xx means nothing, whatever its body: the money may have moved.
// A refusal by the gateway in front of the API, which does not know the account, ends the operation.
func ask(c *sdk.Call, method, path string, body *sdk.Object, captures ...sdk.Capture) sdk.JSON {
	r := send(c, method, path, body, captures...)
	j := r.JSON()
	gate := j.Str("response.rmsg")
	c.EndIf(r.Refuses() && j.Str("status") == "" && gate != "", func() *sdk.Outcome {
		return sdk.Declined(declines.New("UNAUTHORIZED", gate, ""))
	})
	sdk.Require(j.IsObject() && (r.OK() || r.Refuses() && declined(j.Str("status"))), sdk.ErrAnswer)
	sdk.Expect(j.Str("reason") != "DUPLICATE_REQUEST", "an earlier request had this reference: a query finds its result")
	return j
}

// Statuses with the same meaning for all objects.
const (
	refusals = "DECLINED REJECTED FAILED INVALID_REQUEST AUTHORIZED_RISK_DECLINED AUTHENTICATION_FAILED"
	releases = "VOIDED REVERSED CANCELLED"
	reviews  = "AUTHORIZED_PENDING_REVIEW PENDING_REVIEW"
	finished = "SUCCEEDED TRANSMITTED"
)

// payments are the meanings of payment statuses. AUTHORIZED means captured for a payment with automatic capture.
var payments = sdk.Statuses{{sdk.StatusDeclined, refusals}, {sdk.StatusAuthorized, "AUTHORIZED PARTIAL_AUTHORIZED"},
	{sdk.StatusCaptured, finished}, {sdk.StatusReview, reviews},
	{sdk.StatusPending, "PENDING ACCEPTED CHALLENGE STATUS_NOT_RECEIVED"}, {sdk.StatusVoided, releases}}

// declined reports whether a status is a refusal.
func declined(status string) bool { return payments.Of(status) == sdk.StatusDeclined }

// paymentOutcome returns the outcome of a payment, from its answer or from Transaction Search.
func paymentOutcome(r *sdk.Request, a sdk.JSON, status string) *sdk.Outcome {
	o := outcome(a, status, payments)
	if o.Status == sdk.StatusDeclined || o.Status == sdk.StatusVoided {
		return o
	}
	zero := r.Amount.Minor == 0 && r.Amount.Currency != ""
	if o.Amount = stated(r, a, "authorizedAmount"); o.Amount == nil && status != "PARTIAL_AUTHORIZED" {
		o.Amount = stated(r, a, "totalAmount")
	}
	sdk.Require(zero || o.Amount == nil && status != "PARTIAL_AUTHORIZED" || o.Amount.Positive(), sdk.ErrNoAmount)
	switch {
	case zero && o.Status.Approves():
		o.Status, o.Amount = sdk.StatusVerified, nil
	case zero && o.Status == sdk.StatusReview: // a check of a card has no review
		o.Status = sdk.StatusPending
	case status == "AUTHORIZED" && !r.Manual(): // Cybersource does not capture a partial approval by itself
		o.Status = sdk.StatusCaptured
	}
	tokens := a.Get("tokenInformation")
	o.StoredCredential = sdk.StoredAs(tokens.Str("paymentInstrument.id"), tokens.Str("customer.id"))
	return o
}

// stated returns an amount of an answer; nil if the answer lacks it.
func stated(r *sdk.Request, a sdk.JSON, name string) *sdk.Money {
	return a.Get("orderInformation.amountDetails").Stated(name, "currency", r.Amount.Currency)
}

// outcome reads what answers about a transaction have in common. All but refusals need an id and a known status.
func outcome(a sdk.JSON, status string, means sdk.Statuses) *sdk.Outcome {
	o := &sdk.Outcome{TransactionID: a.Str("id"), Reference: a.Str("reconciliationId"),
		Checks: checks.Read(a.Text("processorInformation.cardVerification.resultCode"),
			a.Text("processorInformation.avs.code"))}
	if o.Status = means.Of(status); o.Status == sdk.StatusDeclined {
		d := refused(a)
		d.TransactionID, d.Reference, d.Checks = o.TransactionID, o.Reference, o.Checks
		return d
	}
	a.Need("id")
	means.Must(status)
	o.AuthCode = a.Str("processorInformation.approvalCode")
	o.NetworkTransactionID = a.First("processorInformation.networkTransactionId", "processorInformation.transactionId")
	o.Raw = a.Pick("reason=errorInformation.reason", "response_code=processorInformation.responseCode",
		"avs=processorInformation.avs.code", "cvn=processorInformation.cardVerification.resultCode")
	o.Raw["status"] = status
	return o
}

// checks are Cybersource's CVN and AVS codes. Some codes concern only the street or only the postal code.
var checks = sdk.CheckCodes{
	CVC: sdk.Results{{sdk.CheckPass, "M"}, {sdk.CheckFail, "N D I"}, {sdk.CheckUnchecked, "P S"},
		{sdk.CheckUnavailable, "U X 1 2 3"}},
	Line1: sdk.Results{{sdk.CheckPass, "X Y D M H V A O B T"}, {sdk.CheckFail, "W Z L N C K"},
		{sdk.CheckUnavailable, "P U G I R E S 1 2"}},
	PostalCode: sdk.Results{{sdk.CheckPass, "X Y D M H V W Z L P F"}, {sdk.CheckFail, "A O N C K"},
		{sdk.CheckUnavailable, "B U G I R E S 1 2"}},
}

// refused returns the outcome of a refusal. Transaction Search has a number for the reason.
func refused(a sdk.JSON) *sdk.Outcome {
	status := a.First("status", "applicationInformation.status")
	code := a.First("errorInformation.reason", "reason", "applicationInformation.reasonCode")
	message := a.First("errorInformation.message", "message")
	for _, path := range []string{"errorInformation.details", "details"} {
		for x := range a.Get(path).All() {
			message += " (" + x.Str("field") + ": " + x.Str("reason") + ")"
		}
	}
	o := sdk.Declined(declines.New(cmp.Or(code, status), message, declines.Of(status)))
	o.Decline.NetworkCode = a.Text("processorInformation.responseCode")
	o.Decline.AdviceCode = adviceCode(a.Get("processorInformation.merchantAdvice"))
	o.Raw = map[string]string{"status": status}
	return o
}

// adviceCode returns the network's advice: the raw code if it has the network's two digits, else Cybersource's own.
// Barclays' raw codes mean something else (developer.cybersource.com, ccAuthReply_merchantAdviceCodeRaw).
func adviceCode(advice sdk.JSON) string {
	if raw := advice.Text("codeRaw"); len(raw) == 2 {
		return raw
	}
	return advice.First("code", "codeRaw")
}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string

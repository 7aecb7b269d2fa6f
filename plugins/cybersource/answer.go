package cybersource

import (
	"errors"

	"payswitch/sdk"
)

var (
	errAnswer = errors.New("not an answer to the request")
	errStatus = errors.New("a status that decides nothing")
)

// ask sends a request and reads the answer.
func ask(c *sdk.Call, method, path string, body *sdk.Object, captures ...sdk.Capture) (sdk.JSON, error) {
	response, err := send(c, method, path, body, captures...)
	if err != nil {
		return sdk.JSON{}, err
	}
	return read(response)
}

// read is the answer where there is one that says something. 5xx say nothing, whatever their body: the money may have moved.
func read(r *sdk.Response) (sdk.JSON, error) {
	j := r.JSON()
	switch {
	case !j.IsObject(), !r.OK() && r.Status/100 != 4:
		return sdk.JSON{}, errAnswer
	case r.OK():
		return j, nil
	case r.Status == 408, !declined(j.Str("status")) && j.Str("response.rmsg") == "":
		return sdk.JSON{}, errAnswer
	}
	return j, nil
}

// statuses of payments. AUTHORIZED is captured where the payment was asked for so.
var statuses = sdk.Statuses{
	{sdk.StatusDeclined, "DECLINED REJECTED FAILED INVALID_REQUEST AUTHORIZED_RISK_DECLINED AUTHENTICATION_FAILED"},
	{sdk.StatusAuthorized, "AUTHORIZED PARTIAL_AUTHORIZED"},
	{sdk.StatusCaptured, "SUCCEEDED TRANSMITTED"},
	{sdk.StatusPending, "PENDING AUTHORIZED_PENDING_REVIEW PENDING_REVIEW ACCEPTED CHALLENGE STATUS_NOT_RECEIVED"},
	{sdk.StatusVoided, "VOIDED REVERSED CANCELLED"},
}

// declined says that a status is a refusal.
func declined(status string) bool { return statuses.Of(status) == sdk.StatusDeclined }

// released says that a status is of a transaction that was taken back.
func released(status string) bool { return statuses.Of(status) == sdk.StatusVoided }

// paymentOutcome is what has become of a payment: the answer to it, or what Transaction Search says of it.
func paymentOutcome(r *sdk.Request, a sdk.JSON, status string) (*sdk.Outcome, error) {
	o := base(a, status)
	o.Amount = lessApproved(r, a)
	switch {
	case isRefusal(a, status):
		d := refused(a)
		d.TransactionID, d.Reference, d.Checks = o.TransactionID, o.Reference, o.Checks
		return d, nil
	case o.TransactionID == "":
		return nil, errAnswer
	}
	switch o.Status = statuses.Of(status); {
	case o.Status == "", status == "PARTIAL_AUTHORIZED" && o.Amount == nil:
		return nil, errStatus
	case status == "AUTHORIZED" && !manual(r): // of a part, nobody captures but we
		o.Status = sdk.StatusCaptured
	}
	zero := r.Amount.Minor == 0 && r.Amount.Currency != ""
	if zero && (o.Status == sdk.StatusAuthorized || o.Status == sdk.StatusCaptured) {
		o.Status, o.Amount = sdk.StatusVerified, nil
	}
	if id := a.Str("tokenInformation.paymentInstrument.id"); id != "" {
		o.StoredCredential = &sdk.StoredCredential{ID: id, CustomerID: a.Str("tokenInformation.customer.id")}
	}
	return o, nil
}

// manual says that the payment is only held by its authorization.
func manual(r *sdk.Request) bool {
	if r.Capture == "" && r.Payment != nil {
		return r.Payment.Capture == sdk.CaptureManual
	}
	return r.Capture == sdk.CaptureManual
}

// isRefusal says that the answer refuses what was asked for.
func isRefusal(a sdk.JSON, status string) bool { return gate(a) || declined(status) }

// gate says that the answer is of the gate before the API, which knows the account or does not.
func gate(a sdk.JSON) bool { return a.Str("status") == "" && a.Str("response.rmsg") != "" }

// base is what every answer about a transaction may hold.
func base(a sdk.JSON, status string) *sdk.Outcome {
	o := &sdk.Outcome{TransactionID: a.Str("id"), Reference: a.Str("reconciliationId"), AuthCode: a.Str("processorInformation.approvalCode"),
		NetworkTransactionID: a.First("processorInformation.networkTransactionId", "processorInformation.transactionId"), Checks: checks(a.Get("processorInformation")),
		Raw: a.Pick("reason=errorInformation.reason", "response_code=processorInformation.responseCode", "avs=processorInformation.avs.code",
			"cvn=processorInformation.cardVerification.resultCode")}
	o.Raw["status"] = status
	return o
}

// lessApproved is the amount of a partial approval, nil where all was approved.
func lessApproved(r *sdk.Request, a sdk.JSON) *sdk.Money {
	details := a.Get("orderInformation.amountDetails")
	if details.Str("currency") != string(r.Amount.Currency) {
		return nil
	}
	m := details.Major("authorizedAmount", r.Amount.Currency)
	if m == nil || m.Minor <= 0 || m.Minor >= r.Amount.Minor {
		return nil
	}
	return m
}

// Cybersource's CVN and AVS codes. Some tell of the street or of the postal code alone.
var (
	cvn    = sdk.Results{{sdk.CheckPass, "M"}, {sdk.CheckFail, "N D I"}, {sdk.CheckUnchecked, "P S"}, {sdk.CheckUnavailable, "U X 1 2 3"}}
	street = sdk.Results{{sdk.CheckPass, "X Y D M H V A O B T"}, {sdk.CheckFail, "W Z L N C K"}, {sdk.CheckUnavailable, "P U G I R E S 1 2"}}
	postal = sdk.Results{{sdk.CheckPass, "X Y D M H V W Z L P F"}, {sdk.CheckFail, "A O N C K"}, {sdk.CheckUnavailable, "B U G I R E S 1 2"}}
)

func checks(p sdk.JSON) *sdk.Checks {
	avs := p.Text("avs.code")
	return sdk.NewChecks(cvn.Of(p.Text("cardVerification.resultCode")), street.Of(avs), postal.Of(avs))
}

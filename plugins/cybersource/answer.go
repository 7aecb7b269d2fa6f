package cybersource

import (
	"errors"

	"payswitch/sdk"
)

var (
	errAnswer = errors.New("not an answer to the request")
	errStatus = errors.New("a status that decides nothing")
)

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

// declined says that a status is a refusal.
func declined(status string) bool {
	switch status {
	case "DECLINED", "REJECTED", "FAILED", "INVALID_REQUEST", "AUTHORIZED_RISK_DECLINED", "AUTHENTICATION_FAILED":
		return true
	}
	return false
}

// released says that a status is of a transaction that was taken back.
func released(status string) bool {
	return status == "VOIDED" || status == "REVERSED" || status == "CANCELLED"
}

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
	switch status {
	case "PARTIAL_AUTHORIZED": // a part that nobody captures but we
		if o.Amount == nil {
			return nil, errStatus
		}
		o.Status = sdk.StatusAuthorized
	case "AUTHORIZED":
		o.Status = sdk.StatusCaptured
		if manual(r) {
			o.Status = sdk.StatusAuthorized
		}
	case "SUCCEEDED", "TRANSMITTED":
		o.Status = sdk.StatusCaptured
	case "PENDING", "AUTHORIZED_PENDING_REVIEW", "PENDING_REVIEW", "ACCEPTED", "CHALLENGE", "STATUS_NOT_RECEIVED":
		o.Status = sdk.StatusPending
	case "VOIDED", "REVERSED", "CANCELLED":
		o.Status = sdk.StatusVoided
	default:
		return nil, errStatus
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
		NetworkTransactionID: a.Text("processorInformation.networkTransactionId"), Checks: checks(a.Get("processorInformation")),
		Raw: map[string]string{"status": status}}
	if o.NetworkTransactionID == "" {
		o.NetworkTransactionID = a.Text("processorInformation.transactionId")
	}
	for name, path := range map[string]string{"reason": "errorInformation.reason", "response_code": "processorInformation.responseCode",
		"avs": "processorInformation.avs.code", "cvn": "processorInformation.cardVerification.resultCode"} {
		if v := a.Text(path); v != "" {
			o.Raw[name] = v
		}
	}
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

// checks reads Cybersource's AVS and CVN codes.
func checks(p sdk.JSON) *sdk.Checks {
	c := &sdk.Checks{}
	switch p.Text("cardVerification.resultCode") {
	case "M":
		c.CVC = "pass"
	case "N", "D", "I":
		c.CVC = "fail"
	case "P", "S":
		c.CVC = "unchecked"
	case "U", "X", "1", "2", "3":
		c.CVC = "unavailable"
	}
	switch p.Text("avs.code") {
	case "X", "Y", "D", "M", "H", "V":
		c.AddressLine1, c.PostalCode = "pass", "pass"
	case "A", "O":
		c.AddressLine1, c.PostalCode = "pass", "fail"
	case "W", "Z", "L":
		c.AddressLine1, c.PostalCode = "fail", "pass"
	case "B":
		c.AddressLine1, c.PostalCode = "pass", "unavailable"
	case "P":
		c.AddressLine1, c.PostalCode = "unavailable", "pass"
	case "T":
		c.AddressLine1 = "pass"
	case "F":
		c.PostalCode = "pass"
	case "N", "C", "K":
		c.AddressLine1, c.PostalCode = "fail", "fail"
	case "U", "G", "I", "R", "E", "S", "1", "2":
		c.AddressLine1, c.PostalCode = "unavailable", "unavailable"
	}
	if *c == (sdk.Checks{}) {
		return nil
	}
	return c
}

package wire

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"payswitch/sdk"
)

// statuses maps a status of the format to the outcomes that a payment may have then.
var statuses = map[string][]sdk.OutcomeStatus{
	"authorized":                     {sdk.StatusAuthorized},
	"charged":                        {sdk.StatusCaptured},
	"partial_charged":                {sdk.StatusCaptured},
	"pending":                        {sdk.StatusPending},
	"authorizing":                    {sdk.StatusPending},
	"authentication_pending":         {sdk.StatusCustomerAction},
	"device_data_collection_pending": {sdk.StatusCustomerAction},
	"authentication_successful":      {sdk.StatusPending, sdk.StatusCustomerAction, sdk.StatusUnknown},
	"confirmation_awaited":           {sdk.StatusPending, sdk.StatusCustomerAction, sdk.StatusUnknown},
	"authentication_failed":          {sdk.StatusDeclined},
	"capture_initiated":              {sdk.StatusPending},
	"capture_failed":                 {sdk.StatusDeclined},
	"void_initiated":                 {sdk.StatusPending},
	"void_failed":                    {sdk.StatusDeclined},
	"voided":                         {sdk.StatusVoided},
	"auto_refunded":                  {sdk.StatusRefunded, sdk.StatusVoided, sdk.StatusDeclined},
	"authorization_failed":           {sdk.StatusDeclined},
	"failure":                        {sdk.StatusDeclined},
	"expired":                        {sdk.StatusDeclined, sdk.StatusVoided},
	"unresolved":                     {sdk.StatusReview},
	"unknown":                        {sdk.StatusUnknown, sdk.StatusNotFound},
	"refund_pending":                 {sdk.StatusPending},
	"refund_success":                 {sdk.StatusRefunded},
	"refund_failure":                 {sdk.StatusDeclined},
	"refund_manual_review":           {sdk.StatusReview, sdk.StatusPending},
}

// allowedStatuses returns the outcomes that a status may have in a flow. An operation ends only in its own statuses: a payment found voided
// by an authorize is declined, and a payment found authorized by a capture is not captured yet.
func allowedStatuses(status, flow string) []sdk.OutcomeStatus {
	all := statuses[status]
	if slices.Contains(authentications, Operation(flow)) || flow == "webhook" {
		return []sdk.OutcomeStatus{sdk.OutcomeStatus(status)}
	}
	switch op := Operation(flow); {
	case op == sdk.OpVerify && (status == "charged" || status == "authorized"):
		return []sdk.OutcomeStatus{sdk.StatusVerified}
	case (op == sdk.OpAuthorize || op == sdk.OpVerify || op == sdk.OpComplete || op == sdk.OpCapture) && status == "voided":
		return append(slices.Clone(all), sdk.StatusDeclined)
	case op == sdk.OpCapture && (status == "authorized" || status == "authorizing"):
		return []sdk.OutcomeStatus{sdk.StatusPending, sdk.StatusUnknown, sdk.StatusDeclined}
	case op == sdk.OpSync && status == "charged":
		return append(slices.Clone(all), sdk.StatusRefunded)
	case op == sdk.OpVoid && status == "charged":
		return []sdk.OutcomeStatus{sdk.StatusDeclined, sdk.StatusUnknown}
	case status == "authentication_pending":
		return append(slices.Clone(all), sdk.StatusPending)
	}
	return all
}

// wrongs compares an outcome with the expectation of a sample.
func wrongs(c *Case, step *sdk.Step, o *sdk.Outcome) (all []difference) {
	e := &c.Expected
	differs := func(what, want string, got ...string) {
		if want != "" && !slices.Contains(got, want) {
			all = append(all, difference{what, want, strings.Join(got, " or ")})
		}
	}
	if e.Status != "" && !slices.Contains(allowedStatuses(e.Status, c.Flow), o.Status) {
		differs("status", fmt.Sprint(e.Status, " = ", allowedStatuses(e.Status, c.Flow)), string(o.Status)+rawText(o))
	}
	all = append(all, wrongAuthentication(e.Authentication, o)...)
	// The outcome need not repeat an id of the request. If it does, and the answer holds the id, the outcome must be right.
	if stated := e.TransactionID == input(c.Input).str("connector_transaction_id"); !stated {
		differs("transaction_id", e.TransactionID, o.TransactionID, o.CaptureID)
	} else if o.TransactionID != "" && bytes.Contains(c.Response.bytes(), []byte(e.TransactionID)) {
		differs("transaction_id", e.TransactionID, o.TransactionID)
	}
	differs("refund_id", e.RefundID, o.RefundID, step.Request.RefundID)
	if Operation(c.Flow) != sdk.OpCapture {
		differs("network_transaction_id", e.NetworkTransactionID, o.NetworkTransactionID)
	}
	all = append(all, wrongStored(c, step, o)...)
	if e.CapturedAmount != nil && o.Status == sdk.StatusCaptured {
		amount := step.Request.Amount.Minor
		if o.Amount != nil {
			amount = o.Amount.Minor
		}
		differs("captured_amount", fmt.Sprint(*e.CapturedAmount), fmt.Sprint(amount))
	}
	if r := e.Redirect; r != nil {
		all = append(all, wrongRedirect(r, o.NextAction)...)
	}
	if e.Error != nil {
		all = append(all, wrongError(e.Error, o)...)
	}
	if e.AccessToken != "" {
		token := o.Token
		if token == nil {
			token = &sdk.AccessToken{}
		}
		differs("access_token", e.AccessToken, token.Value)
		differs("expires_in", fmt.Sprint(e.ExpiresIn), fmt.Sprint(token.ExpiresIn))
	}
	return all
}

// wrongStored compares the stored credential. A charge of a stored credential need not repeat it.
func wrongStored(c *Case, step *sdk.Step, o *sdk.Outcome) (all []difference) {
	stores := step.Request.StoredCredential != nil && step.Request.StoredCredential.First
	want, _ := c.Expected.Mandate["id"].(string)
	if want == "" || o.StoredCredential == nil && !stores {
		return nil
	}
	got := sdk.StoredCredential{}
	if o.StoredCredential != nil {
		got = *o.StoredCredential
	}
	if got.ID != want {
		all = append(all, difference{"stored_credential", want, got.ID})
	}
	if customer := c.Expected.CustomerID; got.CustomerID != customer && customer != "" && bytes.Contains(c.Response.bytes(), []byte(customer)) {
		all = append(all, difference{"customer_id", customer, got.CustomerID})
	}
	return all
}

func wrongRedirect(r *Redirect, n *sdk.NextAction) (all []difference) {
	if n == nil {
		return []difference{{"redirect", r.URL, ""}}
	}
	kind := sdk.NextActionRedirect
	if r.Method == "POST" {
		kind = sdk.NextActionFormPost
	}
	if n.Type != kind {
		all = append(all, difference{"redirect type", string(kind), string(n.Type)})
	}
	if n.URL != r.URL {
		all = append(all, difference{"redirect", r.URL, n.URL})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Form)) {
		if got := sdk.HeaderValue(n.Fields, name); got != r.Form[name] {
			all = append(all, difference{"redirect field " + name, r.Form[name], got})
		}
	}
	return all
}

func wrongError(e *Error, o *sdk.Outcome) (all []difference) {
	d := o.Decline
	if d == nil {
		d = &sdk.Decline{}
		if e.Code == "" && e.Message == "" || o.Status != sdk.StatusDeclined {
			return nil // the difference of the status is enough
		}
	}
	differs := func(what, want, got string, ok bool) {
		if want != "" && !ok {
			all = append(all, difference{what, want, got})
		}
	}
	differs("code", e.Code, d.Code, d.Code == e.Code)
	differs("message", e.Message, d.Message, strings.Contains(d.Message, e.Message))
	differs("network_code", e.NetworkCode, d.NetworkCode, d.NetworkCode == e.NetworkCode)
	differs("advice_code", e.AdviceCode, d.AdviceCode, d.AdviceCode == e.AdviceCode)
	differs("transaction_id", e.TransactionID, o.TransactionID, o.TransactionID == e.TransactionID)
	differs("decline_code", e.DeclineCode, d.Code, d.Code == e.DeclineCode || strings.Contains(d.Message, e.DeclineCode) ||
		slices.Contains(slices.Collect(maps.Values(o.Raw)), e.DeclineCode))
	differs("reason", e.DeclineReason, string(d.Reason), slices.Contains(reasons[e.DeclineReason], d.Reason))
	return all
}

func rawText(o *sdk.Outcome) string {
	if text := o.Raw["error"]; text != "" {
		return " (" + text + ")"
	}
	return ""
}

// reasons maps the format's names to decline reasons. Some names of the format cover several reasons.
var reasons = map[string][]sdk.DeclineReason{
	"insufficient_funds":      {sdk.DeclineInsufficientFunds},
	"do_not_honor":            {sdk.DeclineDoNotHonor},
	"expired_card":            {sdk.DeclineExpiredCard},
	"invalid_card":            {sdk.DeclineIncorrectNumber, sdk.DeclineClosedAccount},
	"invalid_cvc":             {sdk.DeclineIncorrectCVC},
	"invalid_expiry":          {sdk.DeclineIncorrectExpiry},
	"avs_mismatch":            {sdk.DeclineIncorrectAddress},
	"lost_card":               {sdk.DeclineLostCard},
	"stolen_card":             {sdk.DeclineStolenCard},
	"pickup_card":             {sdk.DeclinePickUpCard},
	"suspected_fraud":         {sdk.DeclineFraud, sdk.DeclineSecurityViolation, sdk.DeclineBlocked},
	"restricted_card":         {sdk.DeclineRestrictedCard, sdk.DeclineBlocked},
	"limit_exceeded":          {sdk.DeclineLimitExceeded},
	"not_permitted":           {sdk.DeclineNotPermitted, sdk.DeclineCardNotSupported, sdk.DeclineCurrency, sdk.DeclineInvalidMerchant, sdk.DeclineRestrictedCard},
	"authentication_required": {sdk.DeclineAuthenticationNeeded},
	"authentication_failed":   {sdk.DeclineAuthenticationFailed, sdk.DeclineAbandoned},
	"call_issuer":             {sdk.DeclineDoNotHonor, sdk.DeclineGeneric},
	"issuer_unavailable":      {sdk.DeclineIssuerUnavailable, sdk.DeclineTryLater},
	"stop_recurring":          {sdk.DeclineStopRecurring},
	"duplicate":               {sdk.DeclineDuplicate},
	"processing_error":        {sdk.DeclineProcessingError, sdk.DeclineInvalidAmount, sdk.DeclineInvalidMerchant, sdk.DeclineTryLater, sdk.DeclineCurrency},
	"generic_decline":         {sdk.DeclineGeneric, sdk.DeclineDoNotHonor},
}

package router

import (
	"context"
	"math"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// PaymentDecisions are the engine's use cases of an operator's word on payments. *engine.Engine implements them.
type PaymentDecisions interface {
	DecideAttempt(ctx context.Context, a account.Auth, id string, in request.AttemptDecision) (*change.View, error)
}

func (s *Server) paymentDecisionRoutes() []route {
	return []route{
		{method: "PUT", pattern: "/payments/{payment_id}/manual-update", who: admin, handle: s.decideAttempt},
		{method: "POST", pattern: "/payments/{payment_id}/manual-status-update", who: secretField, handle: s.decideReview},
	}
}

// attemptStatuses are the statuses that an operator can give an attempt.
var attemptStatuses = []payment.AttemptStatus{payment.PaymentMethodAwaited, payment.ConfirmationAwaited, payment.AuthenticationPending, payment.DeviceDataPending,
	payment.Authorizing, payment.Pending, payment.Authorized, payment.PartiallyAuthorized, payment.CaptureInitiated, payment.VoidInitiated, payment.Charged,
	payment.PartialCharged, payment.PartialChargedAndChargeable, payment.AuthenticationFailed, payment.AuthorizationFailed, payment.RouterDeclined,
	payment.AttemptFailure, payment.VoidFailure, payment.CaptureFailure, payment.Voided, payment.VoidedPostCharge, payment.Unresolved, payment.IntegrityFailure, payment.CaptureReview, payment.AttemptExpired,
	"started", "authentication_successful", "cod_initiated", "auto_refunded"}

// otherAttemptStatuses are names of the API for statuses that payswitch does not tell apart.
var otherAttemptStatuses = map[payment.AttemptStatus]payment.AttemptStatus{"started": payment.Authorizing, "authentication_successful": payment.Authorizing,
	"cod_initiated": payment.Pending, "auto_refunded": payment.Charged}

// attemptDecision is the body of an operator's word on an attempt.
type attemptDecision struct {
	request.AttemptDecision
	merchant string
}

var attemptDecisionFields = openObject(
	must(at("attempt_id", identifier, func(d *attemptDecision) *string { return &d.AttemptID })),
	must(at("merchant_id", identifier, func(d *attemptDecision) *string { return &d.merchant })),
	at("attempt_status", oneOf(attemptStatuses), func(d *attemptDecision) *payment.AttemptStatus { return &d.Status }),
	at("error_code", text, func(d *attemptDecision) *string { return &d.ErrorCode }),
	at("error_message", text, func(d *attemptDecision) *string { return &d.ErrorMessage }),
	at("error_reason", text, func(d *attemptDecision) *string { return &d.ErrorReason }),
	at("connector_transaction_id", apart(text), func(d *attemptDecision) *string { return &d.TransactionID }),
	opt("amount_capturable", integer(0, math.MaxInt64), func(d *attemptDecision) **int64 { return &d.Capturable }),
)

// decideAttempt books what an operator says of an attempt.
func (s *Server) decideAttempt(c *call) (answer, error) {
	merchant := c.r.Header.Get("X-Merchant-Id")
	if merchant == "" {
		return answer{}, fault.Unprocessable("X-Merchant-Id", "Missing header key: `X-Merchant-Id`").WithHint("Send the header with the merchant's id.")
	}
	if err := checkID(merchant); err != nil {
		return answer{}, fault.NotFound("Merchant account")
	}
	var in attemptDecision
	if err := decode(c, attemptDecisionFields, &in); err != nil {
		return answer{}, err
	}
	for _, id := range []string{merchant, in.merchant} {
		if _, err := s.Admin.Merchant(c.ctx(), id); err != nil {
			return answer{}, err
		}
	}
	if in.merchant != merchant { // that merchant has no such payment
		return answer{}, fault.NotFound("Payment").WithParam("merchant_id")
	}
	lengths := []length{{"error_code", in.ErrorCode, 255}, {"error_message", in.ErrorMessage, 255}, {"error_reason", in.ErrorReason, 255},
		{"connector_transaction_id", in.TransactionID, 255}}
	if err := checkLengths(lengths...); err != nil {
		return answer{}, err
	}
	if other := otherAttemptStatuses[in.Status]; other != "" {
		in.Status = other
	}
	v, err := s.Payments.DecideAttempt(c.ctx(), account.Auth{MerchantID: merchant}, c.param("payment_id"), in.AttemptDecision)
	if err != nil {
		return answer{}, err
	}
	said := payment.AttemptError{}
	if e := v.Attempt.Details.Error; e != nil {
		said = *e
	}
	return new(writer).open().str("payment_id", v.Payment.ID).str("attempt_id", v.Attempt.ID).str("merchant_id", merchant).
		str("attempt_status", string(v.Attempt.Status)).text("error_code", said.Code).text("error_message", said.Message).text("error_reason", said.Said).
		text("connector_transaction_id", v.Attempt.TransactionID).int("amount_capturable", v.Payment.Capturable).close().answer(), nil
}

// reviewStatuses are the ends of a review.
var reviewStatuses = map[string]payment.AttemptStatus{"succeeded": payment.Charged, "failed": payment.AttemptFailure}

var reviewFields = openObject(must(at("intent_status", oneOf([]string{"succeeded", "failed"}), func(s *string) *string { return s })))

// decideReview ends the review of a payment.
func (s *Server) decideReview(c *call) (answer, error) {
	var status string
	if err := decode(c, reviewFields, &status); err != nil {
		return answer{}, err
	}
	v, err := s.Payments.DecideAttempt(c.ctx(), c.auth, c.param("payment_id"), request.AttemptDecision{Status: reviewStatuses[status], OnlyReview: true})
	if err != nil {
		return answer{}, err
	}
	return new(writer).open().str("payment_id", v.Payment.ID).str("attempt_id", v.Attempt.ID).str("intent_status", string(v.Payment.Status)).
		str("attempt_status", string(v.Attempt.Status)).close().answer(), nil
}

package router

import (
	"math"
	"time"

	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// incrementFields reads the body of a raise. amount is the new total.
var incrementFields = openObject(
	must(at("amount", integer(math.MinInt64, math.MaxInt64), func(in *request.IncrementInput) *int64 { return &in.Amount })),
	at("reason", text, func(in *request.IncrementInput) *string { return &in.Reason }),
)

func (s *Server) incrementAuthorization(c *call) (answer, error) {
	var in request.IncrementInput
	if err := decode(c, incrementFields, &in); err != nil {
		return answer{}, err
	}
	if err := checkLengths(length{"reason", in.Reason, 255}); err != nil {
		return answer{}, err
	}
	return s.paymentAnswer(s.Payments.IncrementAuthorization(c.ctx(), c.auth, c.param("payment_id"), in))
}

// extendedCardInfo answers with the card of a payment, encrypted for the merchant's own key.
func (s *Server) extendedCardInfo(c *call) (answer, error) {
	payload, err := s.Payments.ExtendedCardInfo(c.ctx(), c.auth, c.param("payment_id"))
	if err != nil {
		return answer{}, err
	}
	return new(writer).open().str("payload", payload).close().answer(), nil
}

// writeIncrements writes whether the held amount can be raised, and the tries to raise it.
func writeIncrements(w *writer, p *payment.Payment, a *payment.Attempt, listed bool) {
	tries := a.Details.Increments
	w.flag("incremental_authorization_allowed", payment.IncrementAllowed(p, a))
	if len(tries) == 0 {
		w.null("authorization_count", "incremental_authorizations")
		return
	}
	w.int("authorization_count", int64(len(tries)))
	if listed {
		w.null("incremental_authorizations")
		return
	}
	w.key("incremental_authorizations").openList()
	for i := range tries {
		r := &tries[i]
		w.open().str("authorization_id", r.ID).int("amount", r.Amount).str("status", string(r.Shown(a)))
		w.text("error_code", r.ErrorCode).text("error_message", r.ErrorText).int("previously_authorized_amount", r.Previous).close()
	}
	w.closeList()
}

// writeExtension writes what is asked of the hold's duration, and what the processor says of it.
func writeExtension(w *writer, p *payment.Payment, a *payment.Attempt) {
	h := a.Details.Hold
	if h == nil {
		h = &sdk.Hold{}
	}
	w.flag("extended_authorization_applied", h.Extended)
	if at := a.Details.ExtendedAt; at.IsZero() {
		w.null("extended_authorization_last_applied_at")
	} else {
		w.time("extended_authorization_last_applied_at", at)
	}
	if p.Status == payment.RequiresPaymentMethod || p.Status == payment.RequiresConfirmation || a.AccountID == "" { // not confirmed
		w.null("request_extended_authorization")
	} else {
		w.flag("request_extended_authorization", p.Details.Extended)
	}
	if h.CaptureBefore == 0 {
		w.null("capture_before")
	} else {
		w.time("capture_before", time.UnixMilli(h.CaptureBefore).UTC())
	}
}

// extendAuthorization ignores its body: the contract takes any or none.
func (s *Server) extendAuthorization(c *call) (answer, error) {
	return s.paymentAnswer(s.Payments.ExtendAuthorization(c.ctx(), c.auth, c.param("payment_id")))
}

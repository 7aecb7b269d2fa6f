package router

import (
	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/routing"
)

// The unified code and message of a refusal for which the operator has set no error rule.
const (
	unifiedCode    = "UE_9000"
	unifiedMessage = "Something went wrong"
)

// writeError writes why the processor refused the latest operation.
func writeError(w *writer, e *payment.AttemptError, listed bool) {
	if e == nil || listed {
		w.null("error_code", "error_message", "unified_code", "unified_message", "error_details")
		return
	}
	code, message := orElse(e.UnifiedCode, unifiedCode), orElse(e.UnifiedMessage, unifiedMessage)
	w.text("error_code", e.Code).text("error_message", e.Message).str("unified_code", code).str("unified_message", message)
	w.key("error_details").open()
	w.key("unified_details").open().str("category", code).str("message", message)
	w.text("standardised_code", routing.StandardCode(e.Reason)).null("description", "user_guidance_message", "recommended_action").close()
	if e.NetworkCode == "" && e.AdviceCode == "" {
		w.null("issuer_details")
	} else {
		w.key("issuer_details").open().text("code", e.NetworkCode).null("message")
		w.key("network_details").open().null("name").text("advice_code", e.AdviceCode).null("advice_message").close().close()
	}
	w.key("connector_details").open().text("code", e.Code).text("message", e.Message).text("reason", e.Message).close()
	w.close()
}

// writeIssuerError writes the codes of the card's issuer and network.
func writeIssuerError(w *writer, e *payment.AttemptError) {
	if e == nil {
		w.null("issuer_error_code", "issuer_error_message", "network_details")
		return
	}
	w.text("issuer_error_code", e.NetworkCode).null("issuer_error_message")
	if e.AdviceCode == "" {
		w.null("network_details")
		return
	}
	w.key("network_details").open().text("network_advice_code", e.AdviceCode).close()
}

// writeAttempts writes attempts[], oldest first.
func writeAttempts(w *writer, v *change.View) {
	d := &v.Payment.Details
	w.key("attempts").openList()
	for _, a := range v.Attempts {
		e := a.Details.Error
		if e == nil {
			e = &payment.AttemptError{}
		}
		authentication := d.AuthenticationOf(a.Number)
		if ran := a.Details.Authentication; ran != nil && ran.Connector != "" { // a soft decline leads to one whatever the payment asks for
			authentication = payment.AuthenticationThreeDS
		}
		w.open().str("attempt_id", a.ID).str("status", string(a.Status)).int("amount", a.Amount).number("order_tax_amount", d.OrderTaxAmount)
		w.str("currency", string(v.Payment.Currency)).text("connector", a.Connector).text("error_message", e.Message)
		w.text("payment_method", a.Details.PaymentMethod).text("connector_transaction_id", a.TransactionID)
		w.text("capture_method", string(d.CaptureMethod)).str("authentication_type", string(authentication))
		w.time("created_at", a.CreatedAt).time("modified_at", a.ModifiedAt).text("cancellation_reason", a.Details.CancelReason)
		w.null("mandate_id").text("error_code", e.Code).null("payment_token", "connector_metadata").raw("payment_experience", d.Echo["payment_experience"])
		w.text("payment_method_type", a.Details.PaymentMethodType).text("reference_id", a.Details.ProcessorReference)
		if a.Details.Error == nil {
			w.null("unified_code", "unified_message")
		} else {
			w.str("unified_code", orElse(e.UnifiedCode, unifiedCode)).str("unified_message", orElse(e.UnifiedMessage, unifiedMessage))
		}
		w.null("client_source", "client_version", "error_details").close()
	}
	w.closeList()
}

// writeCaptures writes captures[] of the latest attempt, in order.
func writeCaptures(w *writer, p *payment.Payment, a *payment.Attempt) {
	w.key("captures").openList()
	for _, c := range a.Details.Captures {
		w.open().str("capture_id", c.ID).str("status", string(c.Status)).int("amount", c.Amount).str("currency", string(p.Currency))
		w.str("connector", a.Connector).str("authorized_attempt_id", a.ID).text("connector_capture_id", c.ProcessorID)
		w.int("capture_sequence", int64(c.Sequence)).text("error_message", c.ErrorText).text("error_code", c.ErrorCode)
		w.text("error_reason", c.ErrorText).text("reference_id", c.ProcessorReference).close()
	}
	w.closeList()
}

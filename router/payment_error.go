package router

import (
	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// The unified code and message of every refusal. Merchants cannot set a mapping of their own yet.
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
	w.text("error_code", e.Code).text("error_message", e.Message).str("unified_code", unifiedCode).str("unified_message", unifiedMessage)
	w.key("error_details").open()
	w.key("unified_details").open().str("category", unifiedCode).str("message", unifiedMessage)
	w.text("standardised_code", standardCodes[e.Reason]).null("description", "user_guidance_message", "recommended_action").close()
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

// standardCodes maps decline reasons to the API's standardised_code. A reason without an entry is shown as null.
var standardCodes = map[sdk.DeclineReason]string{
	sdk.DeclineGeneric:              "generic_unknown_error",
	sdk.DeclineDoNotHonor:           "do_not_honor",
	sdk.DeclineInsufficientFunds:    "insufficient_funds",
	sdk.DeclineLostCard:             "card_lost_or_stolen",
	sdk.DeclineStolenCard:           "card_lost_or_stolen",
	sdk.DeclinePickUpCard:           "card_lost_or_stolen",
	sdk.DeclineExpiredCard:          "invalid_expiry_date",
	sdk.DeclineIncorrectNumber:      "invalid_card_number",
	sdk.DeclineIncorrectCVC:         "invalid_cvv",
	sdk.DeclineIncorrectExpiry:      "invalid_expiry_date",
	sdk.DeclineIncorrectAddress:     "pm_address_mismatch",
	sdk.DeclineLimitExceeded:        "velocity_limit_exceeded",
	sdk.DeclineNotPermitted:         "transaction_not_permitted",
	sdk.DeclineRestrictedCard:       "card_not_supported_restricted",
	sdk.DeclineClosedAccount:        "account_closed_or_invalid",
	sdk.DeclineIssuerUnavailable:    "issuer_unavailable",
	sdk.DeclineProcessingError:      "psp_acquirer_error",
	sdk.DeclineFraud:                "suspected_fraud",
	sdk.DeclineAuthenticationNeeded: "authentication_required",
	sdk.DeclineAuthenticationFailed: "authentication_failed",
	sdk.DeclineStopRecurring:        "authorization_missing_or_revoked",
	sdk.DeclineDuplicate:            "duplicate_request",
	sdk.DeclineCurrency:             "currency_or_corridor_not_enabled",
	sdk.DeclineCardNotSupported:     "card_not_supported_restricted",
	sdk.DeclineInvalidMerchant:      "merchant_inactive",
	sdk.DeclineAbandoned:            "payment_cancelled_by_user",
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
		w.open().str("attempt_id", a.ID).str("status", string(a.Status)).int("amount", a.Amount).number("order_tax_amount", d.OrderTaxAmount)
		w.str("currency", string(v.Payment.Currency)).text("connector", a.Connector).text("error_message", e.Message)
		w.text("payment_method", a.Details.PaymentMethod).text("connector_transaction_id", a.TransactionID)
		w.text("capture_method", string(d.CaptureMethod)).text("authentication_type", string(d.AuthenticationType))
		w.time("created_at", a.CreatedAt).time("modified_at", a.ModifiedAt).text("cancellation_reason", a.Details.CancelReason)
		w.null("mandate_id").text("error_code", e.Code).null("payment_token", "connector_metadata").raw("payment_experience", d.Echo["payment_experience"])
		w.text("payment_method_type", a.Details.PaymentMethodType).text("reference_id", a.Details.ProcessorReference)
		if a.Details.Error == nil {
			w.null("unified_code", "unified_message")
		} else {
			w.str("unified_code", unifiedCode).str("unified_message", unifiedMessage)
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
		w.text("error_reason", c.ErrorText).null("reference_id").close()
	}
	w.closeList()
}

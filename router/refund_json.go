package router

import (
	"time"

	"payswitch/engine/payment"
)

// RefundEvent returns the body of a webhook. The refund in it is the same as in the answer to GET /refunds/{id}.
func (Presenter) RefundEvent(eventID, eventType string, at time.Time, r *payment.Refund) ([]byte, error) {
	return event{r.MerchantID, eventID, eventType, at}.about("refund_details", func(w *writer) { writeRefund(w, r) })
}

// writeRefund writes the refund object. It always has every key: null where there is nothing.
func writeRefund(w *writer, r *payment.Refund) {
	d := &r.Details
	w.open().str("refund_id", r.ID).str("payment_id", r.PaymentID).int("amount", r.Amount).str("currency", string(r.Currency))
	w.str("status", string(r.Status)).text("reason", d.Reason).raw("metadata", d.Metadata)
	if e := d.Error; e != nil {
		w.text("error_message", e.Message).text("error_code", e.Code).str("unified_code", unifiedCode).str("unified_message", unifiedMessage)
		w.text("issuer_error_code", e.NetworkCode).null("issuer_error_message")
	} else {
		w.null("error_message", "error_code", "unified_code", "unified_message", "issuer_error_code", "issuer_error_message")
	}
	w.time("created_at", r.CreatedAt).time("updated_at", r.ModifiedAt).str("connector", r.Connector).str("profile_id", r.ProfileID)
	w.str("merchant_connector_id", r.AccountID).text("connector_refund_id", r.ProcessorID).null("split_refunds", "raw_connector_response").close()
}

// writeRefunds writes the refunds of a payment, oldest first; null without refunds.
func writeRefunds(w *writer, list []*payment.Refund) {
	if len(list) == 0 {
		w.null("refunds")
		return
	}
	w.key("refunds")
	listOfAnswers(w, list, writeRefund)
}

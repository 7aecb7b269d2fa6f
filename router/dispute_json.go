package router

import (
	"strconv"
	"time"

	"payswitch/engine/disputed"
)

// DisputeEvent returns the body of a webhook. The dispute in it is the same as in the answer to GET /disputes/{id}.
func (Presenter) DisputeEvent(eventID, eventType string, at time.Time, d *disputed.Record) ([]byte, error) {
	return event{d.MerchantID, eventID, eventType, at}.about("dispute_details", func(w *writer) { writeDispute(w, d) })
}

func disputeAnswer(d *disputed.Record, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	writeDispute(w, d)
	return w.answer(), nil
}

// writeDispute writes the dispute object. It always has every key of the contract: null where there is nothing. answer is there once the merchant has
// answered.
func writeDispute(w *writer, d *disputed.Record) {
	w.open().str("dispute_id", d.ID).str("payment_id", d.PaymentID).str("attempt_id", d.AttemptID).str("amount", strconv.FormatInt(d.Amount, 10))
	w.str("currency", string(d.Currency)).str("dispute_stage", string(d.Stage)).str("dispute_status", disputePrefix+string(d.Status)).str("connector", d.Connector)
	writeDisputeDetails(w, d)
	w.str("profile_id", d.ProfileID).str("merchant_connector_id", d.AccountID).bool("is_already_refunded", d.Details.Refunded)
	if a := d.Details.Answer; a != nil {
		w.key("answer").open().str("operation", string(a.Kind)).str("status", string(a.Status)).text("error_code", a.ErrorCode).text("error_message", a.ErrorText)
		w.time("at", a.At).close()
	}
	w.close()
}

// writePaymentDispute writes a dispute as an answer about its payment has it.
func writePaymentDispute(w *writer, d *disputed.Record) {
	w.open().str("dispute_id", d.ID).str("amount", strconv.FormatInt(d.Amount, 10)).str("dispute_stage", string(d.Stage))
	w.str("dispute_status", disputePrefix+string(d.Status))
	writeDisputeDetails(w, d)
	w.close()
}

func writeDisputeDetails(w *writer, d *disputed.Record) {
	i := &d.Details
	w.str("connector_status", i.ConnectorStatus).str("connector_dispute_id", d.ProcessorID).text("connector_reason", i.Reason)
	w.text("connector_reason_code", i.ReasonCode).time("challenge_required_by", i.RespondBy).time("connector_created_at", i.CreatedThere)
	w.time("connector_updated_at", i.UpdatedThere).time("created_at", d.CreatedAt)
}

// writeDisputes writes the disputes of a payment, oldest first; null without disputes.
func writeDisputes(w *writer, list []*disputed.Record) {
	if len(list) == 0 {
		w.null("disputes")
		return
	}
	w.key("disputes")
	listOfAnswers(w, list, writePaymentDispute)
}

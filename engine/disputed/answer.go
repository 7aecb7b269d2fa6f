package disputed

import (
	"time"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Answer is the merchant's latest answer to a dispute. The json names are storage format.
type Answer struct {
	OperationID string            `json:"operation_id"`
	Kind        sdk.Operation     `json:"kind"` // accept_dispute or submit_evidence
	From        sdk.DisputeStatus `json:"from"` // the dispute's status before
	Status      AnswerStatus      `json:"status"`
	ErrorCode   string            `json:"error_code,omitempty"`
	ErrorText   string            `json:"error_text,omitempty"`
	At          time.Time         `json:"at"`
}

// AnswerStatus is the state of an answer to a dispute. Its constants are storage format and the API's values.
type AnswerStatus string

const (
	AnswerProcessing AnswerStatus = "processing" // the result is not known yet
	AnswerDone       AnswerStatus = "done"       // the processor has taken it
	AnswerFailed     AnswerStatus = "failed"     // the processor has refused it, or never got it
)

// Answering reports whether an answer is under way, or of an unknown result.
func (d *Record) Answering() bool {
	return d.Details.Answer != nil && d.Details.Answer.Status == AnswerProcessing
}

// TakesAnswer reports whether the merchant may accept the dispute, or answer it with evidence.
func (d *Record) TakesAnswer() bool {
	return d.Stage != sdk.StageReversal && (d.Status == sdk.DisputeOpened || d.Status == sdk.DisputeChallenged)
}

// MayMove reports whether the processor can be asked for a new status of the dispute.
func (d *Record) MayMove() bool {
	return d.Status == sdk.DisputeOpened || d.Status == sdk.DisputeChallenged || d.Status == sdk.DisputeAccepted
}

// BeginAnswer records that op is about to answer the dispute.
func (d *Record) BeginAnswer(op *payment.Operation, now time.Time) {
	d.Details.Answer = &Answer{OperationID: op.ID, Kind: op.Kind, From: d.Status, Status: AnswerProcessing, At: now}
	d.ModifiedAt = now
}

// Shown returns the dispute as it is booked, in the form of a report of the processor: its messages have made the record.
func (d *Record) Shown() *sdk.Outcome {
	return &sdk.Outcome{Status: sdk.StatusDisputed, Dispute: &sdk.Dispute{ID: d.ProcessorID, Status: d.Status, Stage: d.Stage,
		Amount: sdk.Money{Minor: d.Amount, Currency: d.Currency}, ConnectorStatus: d.Details.ConnectorStatus}}
}

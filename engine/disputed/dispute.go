package disputed

import (
	"slices"
	"strings"
	"time"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Record is the record of a dispute of a payment, as the processor's latest message has it. MerchantID and ID are the key.
type Record struct {
	MerchantID string
	ID         string // dp_…
	PaymentID  string
	AttemptID  string
	ProfileID  string
	AccountID  string
	Connector  string
	Stage      sdk.DisputeStage
	Status     sdk.DisputeStatus
	Currency   sdk.Currency
	Amount     int64 // minor units of Currency
	// ProcessorID is the processor's id. It is unique among the disputes of an attempt.
	ProcessorID string
	CreatedAt   time.Time
	ModifiedAt  time.Time
	// Version counts changes; every update is a compare-and-set on it.
	Version int64

	Details Details
}

// Details are the fields of a dispute that only inform. The json names are storage format.
type Details struct {
	ConnectorStatus string    `json:"connector_status,omitempty"` // the processor's word for the status
	Reason          string    `json:"reason,omitempty"`
	ReasonCode      string    `json:"reason_code,omitempty"`
	RespondBy       time.Time `json:"respond_by,omitzero"`    // zero if the processor names no time
	CreatedThere    time.Time `json:"created_there,omitzero"` // beginning at the processor
	UpdatedThere    time.Time `json:"updated_there,omitzero"` // time of the latest message
	// Refunded is true if the disputed amount had been refunded before the dispute was opened.
	Refunded bool `json:"refunded,omitempty"`
	// Answer is the merchant's latest answer, nil before the first.
	Answer *Answer `json:"answer,omitempty"`
	// Files are the files for the next answer that the processor has: one of each type.
	Files []EvidenceFile `json:"files,omitempty"`
}

// EvidenceFile is the record of a file that the processor has. payswitch does not keep its content. The json names are storage format.
type EvidenceFile struct {
	ID          string           `json:"id"` // file_…
	Type        sdk.EvidenceType `json:"type"`
	Name        string           `json:"name"`
	ContentType string           `json:"content_type"`
	Size        int              `json:"size"`
	ProcessorID string           `json:"processor_id,omitempty"`
	At          time.Time        `json:"at"`
}

// Attach adds a file in the place of one of the same type.
func (d *Record) Attach(f EvidenceFile) {
	d.Detach(f.Type)
	d.Details.Files = append(d.Details.Files, f)
}

// Detach removes the file of a type.
func (d *Record) Detach(kind sdk.EvidenceType) {
	d.Details.Files = slices.DeleteFunc(slices.Clone(d.Details.Files), func(f EvidenceFile) bool { return f.Type == kind })
}

// Clone returns a copy, so that a computation can be thrown away without a trace.
func (d *Record) Clone() *Record {
	c := *d
	return &c
}

// Event returns the event type for merchants.
func (d *Record) Event() string { return "dispute_" + string(d.Status) }

// MaxText bounds the texts of a dispute that a processor sends, in bytes.
const MaxText = 255

// Take writes what a message of the time at says into the record. claim is the message as BookDispute booked it.
func (d *Record) Take(claim payment.Claim, said *sdk.Dispute, now time.Time) {
	d.Stage, d.Status, d.Amount, d.Currency, d.ModifiedAt = claim.StageReached(), claim.Status, claim.Amount, said.Amount.Currency, now
	i := &d.Details
	i.ConnectorStatus, i.UpdatedThere = cut(said.ConnectorStatus), claim.At
	setShort(&i.Reason, said.Reason)
	setShort(&i.ReasonCode, said.ReasonCode)
	setMoment(&i.RespondBy, said.RespondBy)
	setMoment(&i.CreatedThere, said.CreatedAt)
}

func setShort(to *string, text string) {
	if text != "" {
		*to = cut(text)
	}
}

// setMoment sets a time that the processor states. It ignores 0 and times that no calendar has.
func setMoment(to *time.Time, ms int64) {
	const lastYear = 253402300799000 // the end of the year 9999: JSON has no later time
	if ms > 0 && ms <= lastYear {
		*to = time.UnixMilli(ms).UTC()
	}
}

// cut shortens a text to MaxText bytes, without half a character.
func cut(text string) string {
	if len(text) <= MaxText {
		return text
	}
	n := MaxText
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n]
}

// Stages are the stages of disputes, in their order. DisputeStatuses are their statuses.
var (
	Stages          = []sdk.DisputeStage{sdk.StagePreDispute, sdk.StageDispute, sdk.StagePreArbitration, sdk.StageArbitration, sdk.StageReversal}
	DisputeStatuses = []sdk.DisputeStatus{sdk.DisputeOpened, sdk.DisputeExpired, sdk.DisputeAccepted, sdk.DisputeCancelled, sdk.DisputeChallenged,
		sdk.DisputeWon, sdk.DisputeLost}
)

// ReasonWord returns the reason by which lists filter: a text without the byte 0, which PostgreSQL refuses.
func (d *Record) ReasonWord() string { return strings.ReplaceAll(d.Details.Reason, "\x00", "") }

package payment

import (
	"slices"
	"strings"
	"time"

	"payswitch/sdk"
)

// Dispute is the record of a dispute of a payment, as the processor's latest message has it. MerchantID and ID are the key.
type Dispute struct {
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

	Details DisputeDetails
}

// DisputeDetails are the fields of a dispute that only inform. The json names are storage format.
type DisputeDetails struct {
	ConnectorStatus string    `json:"connector_status,omitempty"` // the processor's word for the status
	Reason          string    `json:"reason,omitempty"`
	ReasonCode      string    `json:"reason_code,omitempty"`
	RespondBy       time.Time `json:"respond_by,omitzero"`    // zero if the processor names no time
	CreatedThere    time.Time `json:"created_there,omitzero"` // beginning at the processor
	UpdatedThere    time.Time `json:"updated_there,omitzero"` // time of the latest message
	// Refunded is true if the disputed amount had been refunded before the dispute was opened.
	Refunded bool `json:"refunded,omitempty"`
}

// Clone returns a copy, so that a computation can be thrown away without a trace.
func (d *Dispute) Clone() *Dispute {
	c := *d
	return &c
}

// Event returns the event type for merchants.
func (d *Dispute) Event() string { return "dispute_" + string(d.Status) }

// maxDisputeText bounds the texts of a dispute that a processor sends.
const maxDisputeText = 255

// Take writes what a message of the time at says into the record. claim is the message as BookDispute booked it.
func (d *Dispute) Take(claim Claim, said *sdk.Dispute, now time.Time) {
	d.Stage, d.Status, d.Amount, d.Currency, d.ModifiedAt = claim.stage(), claim.Status, claim.Amount, said.Amount.Currency, now
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

// setMoment sets a time that the processor states; 0 and times that no calendar has leave it.
func setMoment(to *time.Time, ms int64) {
	const lastYear = 253402300799000 // the end of the year 9999: JSON has no later time
	if ms > 0 && ms <= lastYear {
		*to = time.UnixMilli(ms).UTC()
	}
}

// cut shortens a text to maxDisputeText bytes, without half a character.
func cut(text string) string {
	if len(text) <= maxDisputeText {
		return text
	}
	n := maxDisputeText
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n]
}

// Claim is what a dispute claims of its payment. It is a part of the payment's row, so that refunds and disputes that come at once are decided by
// one compare-and-set. The json names are storage format.
type Claim struct {
	ID        string            `json:"id"` // the processor's
	AttemptID string            `json:"attempt_id"`
	Status    sdk.DisputeStatus `json:"status"`
	Stage     sdk.DisputeStage  `json:"stage,omitempty"` // "" is the stage dispute
	Amount    int64             `json:"amount"`
	At        time.Time         `json:"at,omitzero"` // time of the message at the processor, zero if it names none
}

// maxDisputes bounds the disputes that a payment keeps. Further ones raise the alarm and are not booked.
const maxDisputes = 50

// AlarmDispute counts disputes that a person must look at: their amount was refunded already, or payswitch cannot book them.
const AlarmDispute = "dispute_needs_look"

// AlarmUnprovenDispute counts attempts of which a message without proof says that a dispute exists.
const AlarmUnprovenDispute = "dispute_unproven"

// Stages are the stages of disputes, in their order. DisputeStatuses are their statuses.
var (
	Stages          = []sdk.DisputeStage{sdk.StagePreDispute, sdk.StageDispute, sdk.StagePreArbitration, sdk.StageArbitration, sdk.StageReversal}
	DisputeStatuses = []sdk.DisputeStatus{sdk.DisputeOpened, sdk.DisputeExpired, sdk.DisputeAccepted, sdk.DisputeCancelled, sdk.DisputeChallenged,
		sdk.DisputeWon, sdk.DisputeLost}
)

func (c *Claim) stage() sdk.DisputeStage {
	if c.Stage == "" {
		return sdk.StageDispute
	}
	return c.Stage
}

// holds reports whether the amount is claimed back, or with the customer. An open question of the issuer claims nothing: a refund may answer it.
func (c *Claim) holds() bool {
	switch c.Status {
	case sdk.DisputeWon, sdk.DisputeCancelled:
		return false
	case sdk.DisputeLost, sdk.DisputeAccepted:
		return true
	}
	return c.stage() != sdk.StagePreDispute
}

// Disputed returns the amount that is claimed back or lost. It cannot be refunded.
func (p *Payment) Disputed() (sum int64) {
	for _, d := range p.Details.Disputes {
		if d.holds() {
			sum += d.Amount
		}
	}
	return sum
}

// LostDisputes returns the amount of the disputes that are lost.
func (p *Payment) LostDisputes() (sum int64) {
	for _, d := range p.Details.Disputes {
		if d.Status == sdk.DisputeLost {
			sum += d.Amount
		}
	}
	return sum
}

// DisputeBooking is the result of a message about a dispute.
type DisputeBooking struct {
	Payment *Payment // a changed copy, nil if the message tells nothing new or cannot be booked
	Claim   Claim    // what the message says, if Payment is set
	Moved   bool     // the dispute is new, or has another stage or status
	Alarm   string   // the alarm to raise, "" for none
}

// BookDispute books a verified message about a dispute of an attempt on a copy of the payment. Messages repeat, and come in any order: an older one
// changes nothing, and the stage never goes back. It is pure.
func BookDispute(p *Payment, attemptID string, said *sdk.Dispute, at, now time.Time) DisputeBooking {
	known := slices.Contains(DisputeStatuses, said.Status) && (said.Stage == "" || slices.Contains(Stages, said.Stage))
	named := said.ID != "" && len(said.ID) <= maxDisputeText && !strings.ContainsRune(said.ID, 0)
	if !known || !named || said.Amount.Minor <= 0 || said.Amount.Minor > MaxAmount || said.Amount.Currency != p.Currency {
		return DisputeBooking{Alarm: AlarmDispute}
	}
	n := p.Clone()
	list := slices.Clone(p.Details.Disputes)
	b := DisputeBooking{Payment: n, Moved: true,
		Claim: Claim{ID: said.ID, AttemptID: attemptID, Status: said.Status, Stage: said.Stage, Amount: said.Amount.Minor, At: at}}
	if i := slices.IndexFunc(list, func(d Claim) bool { return d.ID == said.ID && d.AttemptID == attemptID }); i >= 0 {
		was := &list[i]
		if b.Claim.Stage == "" {
			b.Claim.Stage = was.Stage
		}
		if !b.Claim.isNews(was) {
			return DisputeBooking{}
		}
		b.Moved = was.Status != b.Claim.Status || was.stage() != b.Claim.stage()
		if b.Claim.At.IsZero() {
			b.Claim.At = was.At
		}
		list[i] = b.Claim
	} else if len(list) >= maxDisputes {
		return DisputeBooking{Alarm: AlarmDispute}
	} else {
		list = append(list, b.Claim)
	}
	n.Details.Disputes, n.ModifiedAt = list, now
	if n.Disputed() > p.Disputed() && n.Refundable() < 0 { // the customer gets the money twice unless the merchant answers
		b.Alarm = AlarmDispute
	}
	return b
}

// isNews reports whether c tells more than was: it is of a later stage, or within the stage of a later time. Without times a status follows those
// that come before it in a dispute's life, and of two ends the one that arrives last counts.
func (c *Claim) isNews(was *Claim) bool {
	if now, before := slices.Index(Stages, c.stage()), slices.Index(Stages, was.stage()); now != before {
		return now > before
	}
	if c.At.IsZero() || was.At.IsZero() || c.At.Equal(was.At) {
		if c.Status == was.Status {
			return c.Amount != was.Amount || !was.At.Equal(c.At) && was.At.IsZero()
		}
		return disputeAge(c.Status) >= disputeAge(was.Status)
	}
	return c.At.After(was.At)
}

// disputeAge orders the statuses of a dispute's life. An expired one may still be decided for the merchant.
func disputeAge(s sdk.DisputeStatus) int {
	switch s {
	case sdk.DisputeOpened:
		return 0
	case sdk.DisputeChallenged:
		return 1
	case sdk.DisputeExpired:
		return 2
	}
	return 3
}

// DisputeCount is the number of a merchant's disputes with one connector, currency, stage and status.
type DisputeCount struct {
	Connector string
	Currency  sdk.Currency
	Stage     sdk.DisputeStage
	Status    sdk.DisputeStatus
	N         int64
}

package payment

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"payswitch/sdk"
)

// CaptureRecord is one capture of an attempt.
type CaptureRecord struct {
	ID          string        `json:"id"` // {attempt id}_{sequence}, with r and random characters for a payment of a restored copy
	Sequence    int           `json:"sequence"`
	OperationID string        `json:"operation_id"`
	Amount      int64         `json:"amount"`
	Status      CaptureStatus `json:"status"`
	// Reference is our reference for the capture at the processor; "" for a capture of an older version.
	Reference   string `json:"reference,omitempty"`
	ProcessorID string `json:"processor_id,omitempty"`
	// ProcessorReference is the processor's own reference for the capture, shown to the merchant; "" without one.
	ProcessorReference string `json:"processor_reference,omitempty"`
	// Stated is the processor's id that a message states with our reference, "" for none. It is not stored: a booking has to claim it first.
	Stated    string    `json:"-"`
	ErrorCode string    `json:"error_code,omitempty"`
	ErrorText string    `json:"error_text,omitempty"`
	At        time.Time `json:"at"`
}

// CaptureStatus is the state of one capture. Its constants are the API's values.
type CaptureStatus string

const (
	CaptureStarted CaptureStatus = "started" // the engine has asked for the capture, the answer is missing
	CaptureCharged CaptureStatus = "charged"
	CapturePending CaptureStatus = "pending" // the processor has accepted the capture, and has not made it yet
	CaptureFailed  CaptureStatus = "failed"
)

// Open reports whether the capture's result is not known yet.
func (c *CaptureRecord) Open() bool { return c.Status == CaptureStarted || c.Status == CapturePending }

// MayCapture reports whether the payment's status allows a capture. A payment with several captures allows another one while the processor has not
// made the earlier ones.
func MayCapture(p *Payment, a *Attempt) bool {
	return p.Status.Facts().Capture || a.Status == CaptureInitiated && p.Details.CaptureMethod == CaptureManualMultiple
}

// AddCapture records that the operation opID is about to capture amount, and returns the record.
func (a *Attempt) AddCapture(opID string, amount int64, now time.Time) *CaptureRecord {
	n := len(a.Details.Captures) + 1
	a.Details.Captures = append(a.Details.Captures, CaptureRecord{ID: numbered(a.ID, n), Sequence: n, OperationID: opID, Amount: amount, Status: CaptureStarted, At: now})
	return &a.Details.Captures[n-1]
}

// UnsettledBut returns the sum of the captures whose result is not known yet, without that of operation but.
func (a *Attempt) UnsettledBut(but string) (sum int64) {
	for i := range a.Details.Captures {
		if c := &a.Details.Captures[i]; c.Open() && c.OperationID != but {
			sum += c.Amount
		}
	}
	return sum
}

// Unsettled returns the sum of the captures whose result is not known yet: what no other capture may take.
func (a *Attempt) Unsettled() int64 { return a.UnsettledBut("") }

// CapturesPending returns the sum of the captures that the processor has accepted and not made yet.
func (a *Attempt) CapturesPending() (sum int64) {
	for i := range a.Details.Captures {
		if c := &a.Details.Captures[i]; c.Status == CapturePending {
			sum += c.Amount
		}
	}
	return sum
}

// CaptureBy returns the capture that an operation makes, or nil.
func (a *Attempt) CaptureBy(opID string) *CaptureRecord {
	if i := slices.IndexFunc(a.Details.Captures, func(c CaptureRecord) bool { return c.OperationID == opID }); i >= 0 {
		return &a.Details.Captures[i]
	}
	return nil
}

// CaptureNamed returns the capture that has the processor's id, also as a message states it, or nil.
func (a *Attempt) CaptureNamed(processorID string) *CaptureRecord {
	i := slices.IndexFunc(a.Details.Captures, func(c CaptureRecord) bool { return c.Has(processorID) })
	if i < 0 {
		return nil
	}
	return &a.Details.Captures[i]
}

// NameCapture notes the processor's id that a message states for the capture with our reference, if no answer has brought one. The message may lie: the
// capture takes the id over when a booking has claimed it. A capture that has ended gets it too, so that the message is about no other one.
func (a *Attempt) NameCapture(reference, processorID string) {
	if reference == "" || processorID == "" || a.CaptureNamed(processorID) != nil {
		return
	}
	for i := range a.Details.Captures {
		if c := &a.Details.Captures[i]; c.Reference == reference && c.ProcessorID == "" {
			c.Stated = processorID
		}
	}
}

// AddLostCapture adds the capture that a message reports by our reference and that the attempt does not have: it was lost with a database. The capture counts as
// failed until a booking takes it over.
func (a *Attempt) AddLostCapture(reference string, o *sdk.Outcome, now time.Time) {
	number, ours := strings.CutPrefix(reference, a.Details.Reference+"_")
	if !ours || a.Details.Reference == "" || o.Status != sdk.StatusCaptured || o.CaptureID == "" || o.Amount == nil || a.CaptureNamed(o.CaptureID) != nil ||
		slices.ContainsFunc(a.Details.Captures, func(c CaptureRecord) bool { return c.Reference == reference }) {
		return
	}
	id := a.ID + "_" + number
	c := a.AddCapture(id, o.Amount.Minor, now) // its operation is lost too
	c.ID, c.Reference, c.Stated, c.Status = id, reference, o.CaptureID, CaptureFailed
}

// MayBeAnother reports whether a report on captures, without totals, may be about another capture of the attempt than that of operation opID: it brings an id
// that no capture has; and a capture that has ended has none, or a relay has captured or may have captured.
func (a *Attempt) MayBeAnother(opID, processorID string) bool {
	if processorID == "" || processorID == a.TransactionID || a.CaptureNamed(processorID) != nil {
		return false
	}
	if a.RelayTook(processorID) || a.RelayMayTake() {
		return true
	}
	return slices.ContainsFunc(a.Details.Captures, func(c CaptureRecord) bool { return c.OperationID != opID && !c.Open() && c.ProcessorID == "" })
}

// Has reports whether the processor's id is the capture's, as it is stored or as a message states it. "" is no id.
func (c *CaptureRecord) Has(processorID string) bool {
	return processorID != "" && processorID == cmp.Or(c.ProcessorID, c.Stated)
}

// CaptureReference returns our reference for the capture of an operation at the processor, "" without one.
func (a *Attempt) CaptureReference(opID string) string {
	if c := a.CaptureBy(opID); c != nil {
		return c.Reference
	}
	return ""
}

// CaptureFailed reports whether the capture with the processor's id is booked as failed.
func (a *Attempt) CaptureFailed(id string) bool {
	c := a.CaptureNamed(id)
	return c != nil && c.Status == CaptureFailed
}

// OpenCaptures returns the attempt's captures that are in flight, unknown or pending. ops are the payment's operations in order.
func (a *Attempt) OpenCaptures(ops []*Operation) (out []*Operation) {
	for _, op := range ops {
		if c := a.CaptureBy(op.ID); c != nil && c.Open() && (op.Status.Open() || op.Status == OperationPending) {
			out = append(out, op)
		}
	}
	return out
}

// ReportedOperations returns the open operations that a processor's report on the payment may be about: the one capture that it names, else all open captures,
// else the open operation. An open extension is added if the report says how long the hold lasts. The list is empty for a report that names a capture
// that has ended.
func (a *Attempt) ReportedOperations(ops []*Operation, o *sdk.Outcome) []*Operation {
	latest, captures := a.OpenOperation(ops), a.OpenCaptures(ops)
	if c := a.CaptureNamed(o.CaptureID); c != nil {
		if !c.Open() {
			return nil
		}
		captures = slices.DeleteFunc(captures, func(op *Operation) bool { return op.ID != c.OperationID })
	}
	switch {
	case o.Hold != nil && o.Hold.Extended != nil && o.CaptureID == "" && (latest == nil || latest.Kind != sdk.OpExtendAuthorization):
		for _, op := range slices.Backward(ops) {
			if op.AttemptID == a.ID && op.Kind == sdk.OpExtendAuthorization && (op.Status.Open() || op.Status == OperationPending) {
				return append(a.ReportedOperations(ops, &sdk.Outcome{Status: o.Status}), op)
			}
		}
		return a.ReportedOperations(ops, &sdk.Outcome{Status: o.Status})
	case len(captures) > 0 && (latest == nil || latest.Kind == sdk.OpCapture):
		return captures
	case latest == nil || !latest.MayBeReported(o.Status):
		return nil
	}
	return []*Operation{latest}
}

package listed

import (
	"time"

	"payswitch/engine/payment"
)

// Place is the position of a payment in lists by time: payments of the same millisecond are in the order of their insertion.
type Place struct {
	CreatedAt time.Time
	Seq       int64
}

// Scanned is a payment in a scan, with its latest attempt. Only the fields that lists filter and sort by are set. They decide which payments a list
// reads, and are not shown.
type Scanned struct {
	Place     Place
	Payment   *payment.Payment
	Connector string // of the latest attempt; "" unless its document is asked for
	AccountID string // likewise
	Attempt   payment.AttemptDetails
}

// Count is the number of payments with one status.
type Count struct {
	Status payment.Status
	N      int64
}

// Tally is how many refunds or disputes have each value. Refunds have no Stages.
type Tally struct {
	Connectors, Currencies, Stages, Statuses map[string]int64
}

// NewTally returns a Tally that counts nothing yet.
func NewTally() Tally {
	return Tally{Connectors: map[string]int64{}, Currencies: map[string]int64{}, Stages: map[string]int64{}, Statuses: map[string]int64{}}
}

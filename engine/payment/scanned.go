package payment

import "time"

// Place is the position of a payment in lists by time: payments of the same millisecond are in the order of their insertion.
type Place struct {
	CreatedAt time.Time
	Seq       int64
}

// Scanned is a payment in a scan, with its latest attempt. Only the fields that lists filter and sort by are set. They decide which payments a list
// reads, and are not shown.
type Scanned struct {
	Place     Place
	Payment   *Payment
	Connector string // of the latest attempt; "" unless its document is asked for
	Attempt   AttemptDetails
}

// Common reports whether most payments have the status at some time. Stores keep no index of such payments by status.
func (s Status) Common() bool {
	switch s {
	case Succeeded, Processing, RequiresPaymentMethod, RequiresConfirmation, RequiresCustomerAction:
		return true
	}
	return false
}

// Count is the number of payments with one status.
type Count struct {
	Status Status
	N      int64
}

package listed

import (
	"time"

	"payswitch/engine/payment"
	"payswitch/sdk"
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

// RefundCount is the number of a merchant's refunds with one connector, currency and status.
type RefundCount struct {
	Connector string
	Currency  sdk.Currency
	Status    payment.RefundStatus
	N         int64
}

// DisputeCount is the number of a merchant's disputes with one connector, currency, stage and status.
type DisputeCount struct {
	Connector string
	Currency  sdk.Currency
	Stage     sdk.DisputeStage
	Status    sdk.DisputeStatus
	N         int64
}

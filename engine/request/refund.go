package request

import (
	"encoding/json"
	"errors"
	"time"

	"payswitch/engine/payment"
)

// RefundInput is the request for a refund.
type RefundInput struct {
	PaymentID  string
	RefundID   string // "": the engine makes one
	Amount     *int64 // nil: the whole captured amount
	Reason     string
	Type       payment.RefundType
	Metadata   json.RawMessage
	MerchantID string // must be the caller's if it is set
	// Most bounds the sum of all refunds and accepted disputes of the payment, with this one; nil sets no bound. It is the limit of the person who gives the
	// money back.
	Most *int64
}

// ErrAboveMost is the error for an amount that goes beyond Most of RefundInput, AcceptInput or CaptureInput.
var ErrAboveMost = errors.New("the amount is above the limit of the person who moves it")

// Of returns the amount to give back of a payment. The caller holds the payment: refunds that are decided at the same time count as well.
func (in *RefundInput) Of(p *payment.Payment) (int64, error) {
	amount := p.Received
	if in.Amount != nil {
		amount = *in.Amount
	}
	if in.Most != nil && amount > *in.Most-p.Refunded-p.GivenUp("", "") {
		return 0, ErrAboveMost
	}
	return amount, nil
}

// RefundUpdate changes a refund. A nil field changes nothing.
type RefundUpdate struct {
	Reason   *string
	Metadata json.RawMessage
}

// RefundDecision is an operator's word on a refund. "" changes no status; a nil error field changes nothing, "" clears it.
type RefundDecision struct {
	MerchantID   string
	Status       string
	ErrorCode    *string
	ErrorMessage *string
}

// RefundListInput are the filters for the list of refunds. A zero value does not filter.
type RefundListInput struct {
	PaymentID, RefundID, ProfileID string
	Limit                          int // 1–100; 0 means 10
	Offset                         int
	From, To                       time.Time // inclusive
	MinAmount, MaxAmount           *int64    // inclusive, minor units
	Connectors, Accounts           []string
	Currencies, Statuses           []string // statuses are the wire values of payment.RefundStatus
}

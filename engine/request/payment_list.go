package request

import (
	"slices"
	"time"

	"payswitch/engine/payment"
)

// PaymentFilter are the filters of the list of payments. A zero value does not filter. The attempt is the payment's latest.
type PaymentFilter struct {
	PaymentID, ProfileID, CustomerID string
	From, To                         time.Time // inclusive
	MinAmount, MaxAmount             *int64    // inclusive, minor units
	Connectors, Accounts             []string  // of the attempt
	Currencies, Statuses             []string

	// The fields below are in documents, which stores cannot search.
	Methods, MethodTypes, AuthenticationTypes []string
	Networks, Discoveries                     []string
	OrderReference                            string
	Email                                     string // of the customer, sealed; capitals do not matter

	// Documents asks a scan for the documents although no filter needs them; Sealed asks for the sealed parts.
	Documents, Sealed bool

	Order     PaymentOrder
	Ascending bool
	Limit     int // 1–50; 0 means 10
	Offset    int
}

// PaymentOrder is what a list of payments is sorted by. Its constants are the API's values; "" is OrderCreated.
type PaymentOrder string

const (
	OrderAmount   PaymentOrder = "amount"
	OrderAttempts PaymentOrder = "attempt_count"
	OrderCreated  PaymentOrder = "created"
	OrderModified PaymentOrder = "modified"
)

// Indexed reports whether stores find the payments by an index, in the list's order, so that one statement is quick. byProfile is true for a caller
// who sees one profile alone.
func (f *PaymentFilter) Indexed(byProfile bool) bool {
	if f.InDocuments() || f.Order != "" && f.Order != OrderCreated {
		return false
	}
	if f.Exceptional() || f.PaymentID != "" || f.CustomerID != "" {
		return true
	}
	return !byProfile && f.ProfileID == "" && f.MinAmount == nil && f.MaxAmount == nil && len(f.Connectors)+len(f.Accounts)+len(f.Currencies)+len(f.Statuses) == 0
}

// Exceptional reports whether the filter is by statuses that few payments have. Stores have an index for them.
func (f *PaymentFilter) Exceptional() bool {
	return len(f.Statuses) > 0 && !slices.ContainsFunc(f.Statuses, func(s string) bool { return payment.Status(s).Common() })
}

// InIndex reports whether an index alone finds the payments (Indexed): no condition is left that a store can tell only after it has read a payment.
// A page of other filters can cost any number of reads. So can a customer's payments of one status, because no index has both.
func (f *PaymentFilter) InIndex(byProfile bool) bool {
	if f.CustomerID != "" && len(f.Statuses) > 0 {
		return false
	}
	return f.Indexed(byProfile) && !byProfile && f.ProfileID == "" && f.MinAmount == nil && f.MaxAmount == nil && len(f.Connectors)+len(f.Accounts)+len(f.Currencies) == 0
}

// InDocuments reports whether a filter is in a document.
func (f *PaymentFilter) InDocuments() bool {
	return len(f.Methods)+len(f.MethodTypes)+len(f.AuthenticationTypes)+len(f.Networks)+len(f.Discoveries) > 0 || f.OrderReference != "" || f.Email != ""
}

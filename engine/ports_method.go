package engine

import "time"

// methodReader reads what belongs to saved payment methods.
type methodReader interface {
	// PaymentMethod reads one, a deleted one too.
	PaymentMethod(merchantID, id string) (*PaymentMethod, error)
	// PaymentMethodByFingerprint finds the customer's method for a card.
	PaymentMethodByFingerprint(merchantID, customerID string, fingerprint string) (*PaymentMethod, error)
	// PaymentMethods of a customer that are active, the most recently used first; a limit of 0 is none.
	PaymentMethods(merchantID, customerID string, limit int) ([]*PaymentMethod, error)
	// AllPaymentMethods of a customer, whatever their status, by creation; deleted ones are left out.
	AllPaymentMethods(merchantID, customerID string) ([]*PaymentMethod, error)
	Mandate(merchantID, id string) (*Mandate, error)
	// Mandates by the filter, newest first.
	Mandates(merchantID string, f MandateFilter) ([]*Mandate, error)
	EphemeralKeyByHash(hash []byte) (*EphemeralKey, error)
	EphemeralKey(merchantID, id string) (*EphemeralKey, error)
	CustomerAccount(merchantID, customerID, accountID string) (*CustomerAccount, error)
}

// methodTx writes what belongs to saved payment methods, under Tx's rules.
type methodTx interface {
	// InsertPaymentMethod is ErrConflict also when the customer has another method with the fingerprint; so is UpdatePaymentMethod.
	InsertPaymentMethod(m *PaymentMethod) error
	UpdatePaymentMethod(m *PaymentMethod) error
	// TouchPaymentMethod moves LastUsedAt forward, never back. It is the only one that does, and leaves the version alone: payments
	// that use a method do not get in each other's way.
	TouchPaymentMethod(merchantID, id string, at time.Time) error
	InsertMandate(m *Mandate) error
	UpdateMandate(m *Mandate) error
	InsertEphemeralKey(k *EphemeralKey) error
	DeleteEphemeralKey(merchantID, id string) error
	PutCustomerAccount(c *CustomerAccount) error // inserts or replaces
	// DeleteCustomerAccounts removes all of a customer's; none is no error.
	DeleteCustomerAccounts(merchantID, customerID string) error
}

// MandateFilter chooses mandates. Zero values do not filter.
type MandateFilter struct {
	CustomerID string
	MethodID   string
	Status     MandateStatus
	Limit      int // 0 is none
	Offset     int
	// From and To bound the creation, both included.
	From, To time.Time
}

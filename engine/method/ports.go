package method

import (
	"time"

	"payswitch/engine/account"
	"payswitch/engine/vault"
)

// Reader reads what customers have saved. Rows come back as fresh copies, sealed parts sealed. A method that finds one row answers
// ErrNotFound where the merchant has no such row.
type Reader interface {
	// Now is the database's clock, the same throughout the transaction, whole milliseconds UTC.
	Now() time.Time

	// Customer reads one, a redacted one too.
	Customer(merchantID, id string) (*account.Customer, error)
	// Customers lists a merchant's customers by creation, the newest first, and counts all of them.
	Customers(merchantID string, limit, offset int) ([]*account.Customer, int, error)
	// CustomerAccount is what the adapter of a connector account keeps of a customer.
	CustomerAccount(merchantID, customerID, accountID string) (*CustomerAccount, error)

	// PaymentMethod reads one, a deleted one too.
	PaymentMethod(merchantID, id string) (*PaymentMethod, error)
	// PaymentMethodByFingerprint finds the customer's method for a card.
	PaymentMethodByFingerprint(merchantID, customerID string, fingerprint string) (*PaymentMethod, error)
	// PaymentMethods lists a customer's active methods, the most recently used first. A limit of 0 lists all.
	PaymentMethods(merchantID, customerID string, limit int) ([]*PaymentMethod, error)
	// AllPaymentMethods lists a customer's methods of every status by creation. It leaves out the deleted ones.
	AllPaymentMethods(merchantID, customerID string) ([]*PaymentMethod, error)

	Mandate(merchantID, id string) (*Mandate, error)
	// Mandates lists those that the filter chooses, the newest first.
	Mandates(merchantID string, f MandateFilter) ([]*Mandate, error)

	EphemeralKey(merchantID, id string) (*EphemeralKey, error)
	// EphemeralKeyByHash finds a key of any merchant by EphemeralKey.Hash.
	EphemeralKeyByHash(hash []byte) (*EphemeralKey, error)

	vault.CardReader
}

// Tx writes what customers have saved. Everything that one transaction writes becomes durable together, or not at all. Each write sees
// the writes before it. Insert answers ErrConflict when the key exists. Update compares Version with the stored row's and raises it in the
// value given: ErrConflict when another writer was faster, ErrNotFound when the row is gone.
type Tx interface {
	Reader

	InsertCustomer(c *account.Customer) error
	UpdateCustomer(c *account.Customer) error
	// PutCustomerAccount inserts or replaces. It compares nothing: the last writer wins.
	PutCustomerAccount(c *CustomerAccount) error
	// DeleteCustomerAccounts removes all of a customer's. A customer without any is no error.
	DeleteCustomerAccounts(merchantID, customerID string) error

	// InsertPaymentMethod answers ErrConflict also when the customer has another method with the fingerprint. So does UpdatePaymentMethod.
	InsertPaymentMethod(m *PaymentMethod) error
	// UpdatePaymentMethod leaves CustomerID, CreatedAt and LastUsedAt as they are.
	UpdatePaymentMethod(m *PaymentMethod) error
	// TouchPaymentMethod moves LastUsedAt forward, never back. It neither compares nor raises the version, so payments that use one method do
	// not delay each other.
	TouchPaymentMethod(merchantID, id string, at time.Time) error

	InsertMandate(m *Mandate) error
	UpdateMandate(m *Mandate) error

	InsertEphemeralKey(k *EphemeralKey) error
	// DeleteEphemeralKey answers ErrNotFound when the key is gone.
	DeleteEphemeralKey(merchantID, id string) error

	vault.CardTx
}

// MandateFilter chooses mandates. Zero values do not filter.
type MandateFilter struct {
	CustomerID string
	MethodID   string
	Status     MandateStatus
	Limit      int // 0 lists all
	Offset     int
	// From and To bound the creation, both included.
	From, To time.Time
}

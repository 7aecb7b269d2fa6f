package method

import (
	"time"

	"payswitch/engine/account"
	"payswitch/engine/vault"
)

// Reader reads the data that customers have saved. Rows are fresh copies; their sealed parts stay sealed. A method that reads one row returns
// ErrNotFound if the merchant has no such row.
type Reader interface {
	// Now returns the database's time in UTC, in whole milliseconds. It stays the same throughout the transaction.
	Now() time.Time

	// Customer reads one customer, even a redacted one.
	Customer(merchantID, id string) (*account.Customer, error)
	// CustomerUnlocked is Customer without a lock on the row, also within an Update: for an answer that shows the record, never for a decision.
	CustomerUnlocked(merchantID, id string) (*account.Customer, error)
	// Customers lists a merchant's customers by creation, newest first.
	Customers(merchantID string, limit, offset int) ([]*account.Customer, error)
	// CustomerTotal returns the number of a merchant's customers. It takes as long as they are many, about 50 ms for a million.
	CustomerTotal(merchantID string) (int, error)
	// CustomerAccount returns the data of a connector account's adapter about a customer.
	CustomerAccount(merchantID, customerID, accountID string) (*CustomerAccount, error)

	// PaymentMethod reads one method, even a deleted one.
	PaymentMethod(merchantID, id string) (*PaymentMethod, error)
	// PaymentMethodByFingerprint finds the customer's method for a card.
	PaymentMethodByFingerprint(merchantID, customerID string, fingerprint string) (*PaymentMethod, error)
	// PaymentMethods lists a customer's active methods, the most recently used first. A limit of 0 lists all.
	PaymentMethods(merchantID, customerID string, limit int) ([]*PaymentMethod, error)
	// AllPaymentMethods lists a customer's methods of every status by creation. It leaves out the deleted ones.
	AllPaymentMethods(merchantID, customerID string) ([]*PaymentMethod, error)

	Mandate(merchantID, id string) (*Mandate, error)
	// Mandates lists the mandates that the filter selects, newest first.
	Mandates(merchantID string, f MandateFilter) ([]*Mandate, error)

	EphemeralKey(merchantID, id string) (*EphemeralKey, error)
	// EphemeralKeyByHash finds a key of any merchant by EphemeralKey.Hash.
	EphemeralKeyByHash(hash []byte) (*EphemeralKey, error)

	vault.CardReader
}

// Tx writes the data that customers have saved. All writes of one transaction become durable together, or none does. Each write sees the writes
// before it. Insert returns ErrConflict if the key exists. Update compares Version with the stored row's and raises it in the given value.
// It returns ErrConflict if another writer was faster, and ErrNotFound if the row is gone.
type Tx interface {
	Reader

	InsertCustomer(c *account.Customer) error
	// KnownCustomer reads a customer that is nearly certainly there, for an answer that shows the record. found gets the record before the commit, perhaps only
	// after the function of the transaction has returned, and again if the function runs again. An error of found undoes the transaction: KnownCustomer returns
	// the error then. It returns ErrNotFound if the merchant has no such customer.
	KnownCustomer(merchantID, id string, found func(*account.Customer) error) error
	UpdateCustomer(c *account.Customer) error
	// PutCustomerAccount inserts or replaces. It compares nothing: the last writer wins.
	PutCustomerAccount(c *CustomerAccount) error
	// DeleteCustomerAccounts removes all of a customer's accounts. It is no error if the customer has none.
	DeleteCustomerAccounts(merchantID, customerID string) error

	// InsertPaymentMethod also returns ErrConflict if the customer has another method with the fingerprint. So does UpdatePaymentMethod.
	InsertPaymentMethod(m *PaymentMethod) error
	// UpdatePaymentMethod leaves CustomerID, CreatedAt and LastUsedAt as they are.
	UpdatePaymentMethod(m *PaymentMethod) error
	// TouchPaymentMethod moves LastUsedAt forward, never back. It neither compares nor raises the version, so payments that use one method do
	// not delay each other.
	TouchPaymentMethod(merchantID, id string, at time.Time) error

	InsertMandate(m *Mandate) error
	UpdateMandate(m *Mandate) error

	InsertEphemeralKey(k *EphemeralKey) error
	// DeleteEphemeralKey returns ErrNotFound if the key is gone.
	DeleteEphemeralKey(merchantID, id string) error

	vault.CardTx
}

// MandateFilter selects mandates. Zero values do not filter.
type MandateFilter struct {
	CustomerID string
	MethodID   string
	Status     MandateStatus
	Limit      int // 0 lists all
	Offset     int
	// From and To limit the time of creation, both inclusive.
	From, To time.Time
}

package engine

import "time"

// AccountStore is the part of a store that accounts need.
type AccountStore = StoreOf[AccountReader, AccountTx]

// AccountReader reads merchants with what belongs to them. Every method that names a merchant answers ErrNotFound for another merchant's rows.
// Rows come back as fresh copies, sealed parts sealed.
type AccountReader interface {
	// Now is the database's clock, the same throughout the transaction, whole milliseconds UTC.
	Now() time.Time

	Merchant(id string) (*Merchant, error)
	MerchantByPublishableKey(key string) (*Merchant, error)
	// Merchants of an organization, "" for all, by id.
	Merchants(organizationID string) ([]*Merchant, error)
	Profile(merchantID, id string) (*Profile, error)
	Profiles(merchantID string) ([]*Profile, error) // by creation
	Account(merchantID, id string) (*Account, error)
	Accounts(merchantID string) ([]*Account, error) // by creation
	APIKey(merchantID, id string) (*APIKey, error)
	APIKeyByHash(hash []byte) (*APIKey, error)
	APIKeys(merchantID string, limit, skip int) ([]*APIKey, error) // by creation
	// Violations of an account, newest first.
	Violations(merchantID, accountID string, limit int) ([]*Violation, error)
	Idempotency(merchantID, key string) (*IdempotencyRecord, error)

	// OpenOperations counts the merchant's operations that are started, unknown or pending, those of one account unless accountID is "".
	OpenOperations(merchantID, accountID string) (int, error)
	// Payments lists a merchant's payments, newest first, by the filter; ErrNotFound when a cursor names none.
	Payments(merchantID, profileID string, f ListInput) ([]*Payment, error)
	// Customers by creation, newest first, and how many there are in all.
	Customers(merchantID string, limit, offset int) ([]*Customer, int, error)
}

// AccountTx writes merchants with what belongs to them. Insert answers ErrConflict when the key exists. Update compares and sets Version where
// the row has one, and raises it in the value given: ErrConflict when another writer was faster, ErrNotFound when the row is gone.
type AccountTx interface {
	AccountReader

	InsertMerchant(m *Merchant) error
	UpdateMerchant(m *Merchant) error
	// DeleteMerchant removes it with its profiles, accounts, keys, kept cards, saved methods and counts of exemptions; payments and customers stay.
	DeleteMerchant(id string) error
	InsertProfile(p *Profile) error // ErrConflict on a second one with the same merchant and name
	UpdateProfile(p *Profile) error
	DeleteProfile(merchantID, id string) error
	InsertAccount(a *Account) error // ErrConflict on a second one with the same profile and label
	UpdateAccount(a *Account) error
	DeleteAccount(merchantID, id string) error
	InsertAPIKey(k *APIKey) error
	UpdateAPIKey(k *APIKey) error
	// InsertViolation adds one and removes the account's oldest beyond keep. ErrNotFound when there is no such account. They go with it.
	InsertViolation(v *Violation, keep int) error

	InsertIdempotency(r *IdempotencyRecord) error
	FinishIdempotency(r *IdempotencyRecord) error
	DeleteIdempotency(merchantID, key string) error
}

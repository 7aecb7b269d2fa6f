package account

import (
	"time"

	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
)

// Store is the part of a store that the account use cases need.
type Store = port.StoreOf[Reader, Tx]

// versionReader reads versions of connector accounts. In an Update the rows stay locked until the end of the transaction.
type versionReader interface {
	AccountVersion(merchantID, accountID, fingerprint string) (*Version, error)
	// AccountVersions lists the versions of an account by rank.
	AccountVersions(merchantID, accountID string) ([]*Version, error)
}

// VersionTx writes versions of connector accounts.
type VersionTx interface {
	versionReader
	// Account reads a connector account and keeps other transactions from changing it until this one ends.
	Account(merchantID, id string) (*Account, error)
	InsertAccountVersion(v *Version) error
	UpdateAccountVersion(v *Version) error
}

// Reader reads merchants, profiles, connector accounts and API keys. A method with a merchant id returns
// ErrNotFound for rows of other merchants. Returned rows are copies; their sealed parts stay sealed.
type Reader interface {
	// Now returns the database's time, in whole milliseconds UTC. It stays the same throughout the transaction.
	Now() time.Time

	Merchant(id string) (*Merchant, error)
	MerchantByPublishableKey(key string) (*Merchant, error)
	// Merchants lists the merchants of an organization by id; "" means all organizations.
	Merchants(organizationID string) ([]*Merchant, error)
	Profile(merchantID, id string) (*Profile, error)
	Profiles(merchantID string) ([]*Profile, error) // by creation
	Account(merchantID, id string) (*Account, error)
	versionReader
	Accounts(merchantID string) ([]*Account, error) // by creation
	APIKey(merchantID, id string) (*APIKey, error)
	APIKeyByHash(hash []byte) (*APIKey, error)
	APIKeys(merchantID string, limit, skip int) ([]*APIKey, error) // by creation
	// UnusedVersions lists the versions of all accounts that were last used before a time, oldest first.
	UnusedVersions(before time.Time) ([]*Version, error)
	// OpenVersions lists the versions that the open operations of an account name, in any order.
	OpenVersions(merchantID, accountID string) ([]string, error)
	// AccountUsed reports whether any attempt was routed to an account.
	AccountUsed(merchantID, accountID string) (bool, error)
	// Violations lists the violations of an account, newest first.
	Violations(merchantID, accountID string, limit int) ([]*port.Violation, error)
	// ConfigValues returns the values of those config keys that exist, by name. It leaves out altered rows, and returns an AlteredError that names them.
	ConfigValues(names [4]string) (map[string]string, error)

	// ConfigVersion returns a number that every transaction changes that writes merchants, profiles, connector accounts, API keys or config keys. It
	// may go back after a restore.
	ConfigVersion() (int64, error)

	// OpenOperations counts the merchant's operations that are started, unknown or pending. accountID limits the count to one account; ""
	// means all.
	OpenOperations(merchantID, accountID string) (int, error)
	// Payments lists a merchant's payments that match f, newest first. It returns ErrNotFound if a cursor of f names no payment.
	Payments(merchantID, profileID string, f request.ListInput) ([]*payment.Payment, error)
	// Customers lists customers by creation, newest first.
	Customers(merchantID string, limit, offset int) ([]*Customer, error)
}

// Tx writes what Reader reads. Insert returns ErrConflict if the key exists. Update compares Version, if the row has one, and
// raises it in the value given. It returns ErrConflict if the row has changed since it was read, and ErrNotFound if the row is gone.
type Tx interface {
	Reader

	InsertMerchant(m *Merchant) error
	UpdateMerchant(m *Merchant) error
	// DeleteMerchant also removes the merchant's profiles, accounts and their versions, keys, kept cards, saved methods and counts of exemptions. Payments and
	// customers stay.
	DeleteMerchant(id string) error
	InsertProfile(p *Profile) error // fault.ErrConflict if the merchant has a profile of that name
	UpdateProfile(p *Profile) error
	DeleteProfile(merchantID, id string) error
	InsertAccount(a *Account) error // fault.ErrConflict if the profile has an account of that label
	UpdateAccount(a *Account) error
	DeleteAccount(merchantID, id string) error // its versions stay
	VersionTx
	DeleteAccountVersion(merchantID, accountID, fingerprint string) error
	InsertAPIKey(k *APIKey) error
	UpdateAPIKey(k *APIKey) error
	// InsertViolation adds v and removes the account's oldest violations beyond keep. It returns ErrNotFound if the account is gone.
	// Deleting an account deletes its violations.
	InsertViolation(v *port.Violation, keep int) error
}

package routing

import (
	"encoding/json"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/routed"
)

// Store is the part of a store that routing needs.
type Store = port.StoreOf[Reader, Tx]

// Config is a routing configuration, or a program that decides about authentication or surcharges. It never changes.
type Config struct {
	MerchantID string
	ID         string // routing_…
	ProfileID  string // "" for the programs of a merchant
	// Kind is the algorithm's type, KindDynamic, kindManager or kindSurcharge.
	Kind routed.AlgorithmType
	// TransactionType is "" for the programs of a merchant.
	TransactionType routed.TransactionType
	Name            string
	Description     string
	Algorithm       json.RawMessage // as answers show it
	CreatedAt       time.Time
	ModifiedAt      time.Time
}

// ErrorKey names an error of a processor.
type ErrorKey struct {
	Connector string
	Flow      string // Payment
	SubFlow   string // Authorize …
	Code      string
	Message   string
}

// ErrorRule says what follows from an error of a processor.
type ErrorRule struct {
	ErrorKey
	Details    ErrorDetails
	CreatedAt  time.Time
	ModifiedAt time.Time
}

// ErrorDetails are the fields of an ErrorRule beyond its key. The json names are storage format. "" means that the field was not sent.
type ErrorDetails struct {
	Status           string        `json:"status,omitempty"`
	Decision         RetryDecision `json:"decision,omitempty"`
	StepUp           bool          `json:"step_up,omitempty"`
	ClearPAN         bool          `json:"clear_pan,omitempty"`
	AlternateNetwork bool          `json:"alternate_network,omitempty"`
	RouterError      string        `json:"router_error,omitempty"`
	UnifiedCode      string        `json:"unified_code,omitempty"`
	UnifiedMessage   string        `json:"unified_message,omitempty"`
	Category         string        `json:"category,omitempty"`
	Description      string        `json:"description,omitempty"`
	Guidance         string        `json:"guidance,omitempty"`
	StandardisedCode string        `json:"standardised_code,omitempty"`
}

// ConfigKey is a value by its name, for the operator.
type ConfigKey struct {
	Name       string
	Value      string
	ModifiedAt time.Time
}

// ConfigReader reads what routing stores. A method with a merchant id returns ErrNotFound for rows of other merchants.
type ConfigReader interface {
	RoutingConfig(merchantID, id string) (*Config, error)
	// RoutingConfigs lists a merchant's configurations of a transaction type, without their algorithms, the latest change first. profileID "" means
	// all profiles. A limit of 0 means no limit.
	RoutingConfigs(merchantID, profileID string, transactionType routed.TransactionType, limit, offset int) ([]*Config, error)
	// CountRoutingConfigs counts the configurations of all transaction types, without the programs of the merchant.
	CountRoutingConfigs(merchantID string) (int, error)
	// ErrorRule reads the rule of an error. ErrorRules lists all rules by key.
	ErrorRule(k ErrorKey) (*ErrorRule, error)
	ErrorRules() ([]*ErrorRule, error)
	ConfigKey(name string) (*ConfigKey, error)
}

// ConfigTx writes what ConfigReader reads. Insert returns ErrConflict if the key exists. Update and Delete return ErrNotFound if the row does
// not exist.
type ConfigTx interface {
	ConfigReader
	InsertRoutingConfig(c *Config) error
	DeleteRoutingConfig(merchantID, id string) error
	InsertErrorRule(r *ErrorRule) error
	UpdateErrorRule(r *ErrorRule) error
	DeleteErrorRule(k ErrorKey) error
	InsertConfigKey(k *ConfigKey) error
	UpdateConfigKey(k *ConfigKey) error
	DeleteConfigKey(name string) error
}

// Reader reads the rows that routing needs.
type Reader interface {
	account.Reader
	ConfigReader
	// Attempts returns a payment's attempts by number.
	Attempts(merchantID, paymentID string) ([]*payment.Attempt, error)
}

// Tx reads and writes the rows that routing needs.
type Tx interface {
	Reader
	account.Tx
	ConfigTx
}

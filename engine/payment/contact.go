package payment

import (
	"encoding/json"
	"time"

	"payswitch/sdk"
)

// CustomerInput is the customer as the payment request describes them.
type CustomerInput struct {
	ID               string `json:"id,omitempty"`
	Name             string `json:"name,omitempty"`
	Email            string `json:"email,omitempty"`
	Phone            string `json:"phone,omitempty"`
	PhoneCountryCode string `json:"phone_country_code,omitempty"`
}

// Contact is a billing or shipping address with phone and e-mail. Parts that the caller did not send are nil or "".
type Contact struct {
	Address *ContactAddress `json:"address,omitempty"`
	Phone   *ContactPhone   `json:"phone,omitempty"`
	Email   string          `json:"email,omitempty"`
}

// ContactAddress is a postal address. "" means that the caller sent no value.
type ContactAddress struct {
	City      string `json:"city,omitempty"`
	Country   string `json:"country,omitempty"`
	Line1     string `json:"line1,omitempty"`
	Line2     string `json:"line2,omitempty"`
	Line3     string `json:"line3,omitempty"`
	Zip       string `json:"zip,omitempty"`
	State     string `json:"state,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	OriginZip string `json:"origin_zip,omitempty"`
}

// ContactPhone is a telephone number.
type ContactPhone struct {
	Number      string `json:"number,omitempty"`
	CountryCode string `json:"country_code,omitempty"`
}

// Routing is the routing field of a payment, or a profile's routing rule.
type Routing struct {
	Type    string          `json:"type"` // single, priority, volume_split
	Choices []RoutingChoice `json:"choices"`
	// Only limits the accounts to these connectors, in any order; empty for no limit. With Only, Type may be "" and Choices empty.
	Only []string `json:"only,omitempty"`
}

// RoutingChoice is one connector, or one account of it.
type RoutingChoice struct {
	Connector string `json:"connector"`
	AccountID string `json:"account_id,omitempty"`
	Split     int    `json:"split,omitempty"`
}

// Acceptance is customer_acceptance.
type Acceptance struct {
	Type       string     `json:"type"` // online, offline
	AcceptedAt *time.Time `json:"accepted_at,omitempty"`
	IP         string     `json:"ip,omitempty"`
	UserAgent  string     `json:"user_agent,omitempty"`
	Online     bool       `json:"online,omitempty"` // the caller sent the online object
}

// MandateTerms are the limits of a mandate. They apply to each charge, but not to the payment that sets the mandate up.
type MandateTerms struct {
	SingleUse bool `json:"single_use,omitempty"` // one charge only
	// Amount is the maximum of one charge, in minor units of Currency. A multi-use mandate without an amount is unlimited; its Currency is
	// "".
	Amount   int64           `json:"amount,omitempty"`
	Currency sdk.Currency    `json:"currency,omitempty"`
	Start    *time.Time      `json:"start,omitempty"` // nil: valid at once
	End      *time.Time      `json:"end,omitempty"`   // nil: no end
	Metadata json.RawMessage `json:"metadata,omitempty"`
}

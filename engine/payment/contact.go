package payment

import (
	"encoding/json"
	"time"

	"payswitch/sdk"
)

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

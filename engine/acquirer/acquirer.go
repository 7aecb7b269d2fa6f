package acquirer

import (
	"encoding/json"
	"fmt"
	"strings"

	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/sdk"
)

// Lengths of the fields as EMV 3-D Secure limits them, and the number of acquirers of a profile.
const (
	maxBIN          = 11
	maxMID          = 35
	maxMerchantName = 40
	maxAcquirers    = 32
)

// Acquirer is a profile's acquirer with its data for 3-D Secure: one entry per card network.
type Acquirer struct {
	ID string `json:"id"` // pro_acq_…
	// Default marks the acquirer that is used first. At most one acquirer of a profile is the default.
	Default  bool      `json:"default,omitempty"`
	Networks []Network `json:"networks"`
}

// Network is an acquirer's data at one card network.
type Network struct {
	Network sdk.CardNetwork `json:"network"`
	BIN     string          `json:"bin"`           // acquirerBIN, up to 11 digits
	MID     string          `json:"mid"`           // acquirerMerchantID, up to 35 characters
	Name    string          `json:"merchant_name"` // merchantName, up to 40 characters
	ICA     string          `json:"ica,omitempty"`
	Country string          `json:"country,omitempty"` // ISO 3166-1 alpha-2
	// FraudRate is a JSON number as it was sent; nil: not sent.
	FraudRate json.RawMessage `json:"fraud_rate,omitempty"`
}

// Input is one entry of an acquirer as sent. A nil field was not sent. The caller must refuse unknown networks and countries.
type Input struct {
	ProfileID string // only for creation
	Network   sdk.CardNetwork
	BIN, MID  *string
	Name, ICA *string
	Country   *string
	FraudRate json.RawMessage
	Default   *bool
}

// View is one entry of a profile's acquirer. Entry is nil if a change named no network and the acquirer has several entries.
type View struct {
	ID, ProfileID string
	Default       bool
	Entry         *Network
}

// NewEntry returns the entry of a new acquirer. Errors: IR_04 for a missing field; IR_06 (422) for a field beyond EMV's limits.
func NewEntry(in Input) (Network, error) {
	n := Network{Network: in.Network}
	err := n.take(in)
	return n, err
}

// take applies the fields that were sent to an entry, and checks the result.
func (n *Network) take(in Input) error {
	optional.SetValue(&n.BIN, in.BIN)
	optional.SetValue(&n.MID, in.MID)
	optional.SetValue(&n.Name, in.Name)
	optional.SetValue(&n.ICA, in.ICA)
	optional.SetValue(&n.Country, in.Country)
	if in.FraudRate != nil {
		n.FraudRate = in.FraudRate
	}
	switch {
	case n.Network == "":
		return fault.Missing("network")
	case n.MID == "":
		return fault.Missing("acquirer_assigned_merchant_id")
	case n.Name == "":
		return fault.Missing("merchant_name")
	case n.BIN == "":
		return fault.Missing("acquirer_bin")
	case !allDigits(n.BIN) || len(n.BIN) > maxBIN:
		return fault.Unprocessable("acquirer_bin", fmt.Sprintf("acquirer_bin must be at most %d digits", maxBIN)).WithHint("Shorten the number.")
	case !allDigits(n.ICA) || len(n.ICA) > maxBIN:
		return fault.Unprocessable("acquirer_ica", fmt.Sprintf("acquirer_ica must be at most %d digits", maxBIN)).WithHint("Shorten the number.")
	}
	if err := fault.CheckLength("acquirer_assigned_merchant_id", n.MID, maxMID); err != nil {
		return err
	}
	if err := fault.CheckLength("merchant_name", n.Name, maxMerchantName); err != nil {
		return err
	}
	if n.FraudRate == nil {
		return nil
	}
	var rate float64
	if json.Unmarshal(n.FraudRate, &rate) != nil || rate < 0 || rate > 100 {
		return fault.Unprocessable("acquirer_fraud_rate", "acquirer_fraud_rate must be a percentage from 0 to 100").WithHint("Send a number from 0 to 100.")
	}
	return nil
}

func allDigits(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < '0' || c > '9' })
}

// empty reports whether in has no field of an entry.
func (in *Input) empty() bool {
	return in.BIN == nil && in.MID == nil && in.Name == nil && in.ICA == nil && in.Country == nil && in.FraudRate == nil
}

// change applies in to the entry that it names, and returns the entry.
func (q *Acquirer) change(in Input) (*Network, error) {
	entry := q.network(in.Network)
	switch {
	case in.Network == "" && len(q.Networks) == 1:
		entry = &q.Networks[0]
	case in.Network == "" && in.empty():
		return nil, nil
	case in.Network == "":
		return nil, fault.Missing("network")
	case entry == nil:
		added := Network{Network: in.Network}
		if err := added.take(in); err != nil {
			return nil, err
		}
		q.Networks = append(q.Networks, added)
		return &added, nil
	}
	return entry, entry.take(in)
}

// network returns the acquirer's entry for a network, or nil.
func (q *Acquirer) network(n sdk.CardNetwork) *Network {
	for i := range q.Networks {
		if q.Networks[i].Network == n && n != "" {
			return &q.Networks[i]
		}
	}
	return nil
}

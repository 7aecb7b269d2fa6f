package account

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/sdk"
)

// Acquirer is a profile's acquirer with its data for 3-D Secure: one entry per card network.
type Acquirer struct {
	ID string `json:"id"` // pro_acq_…
	// Default marks the acquirer that is used first. At most one acquirer of a profile is the default.
	Default  bool              `json:"default,omitempty"`
	Networks []AcquirerNetwork `json:"networks"`
}

// AcquirerNetwork is an acquirer's data at one card network.
type AcquirerNetwork struct {
	Network sdk.CardNetwork `json:"network"`
	BIN     string          `json:"bin"`           // acquirerBIN, up to 11 digits
	MID     string          `json:"mid"`           // acquirerMerchantID, up to 35 characters
	Name    string          `json:"merchant_name"` // merchantName, up to 40 characters
	ICA     string          `json:"ica,omitempty"`
	Country string          `json:"country,omitempty"` // ISO 3166-1 alpha-2
	// FraudRate is a JSON number as it was sent; nil: not sent.
	FraudRate json.RawMessage `json:"fraud_rate,omitempty"`
}

// AcquirerInput is one entry of an acquirer as sent. A nil field was not sent. The caller must refuse unknown networks and countries.
type AcquirerInput struct {
	ProfileID string // only for creation
	Network   sdk.CardNetwork
	BIN, MID  *string
	Name, ICA *string
	Country   *string
	FraudRate json.RawMessage
	Default   *bool
}

// AcquirerView is one entry of a profile's acquirer. Entry is nil if a change named no network and the acquirer has several entries.
type AcquirerView struct {
	ID, ProfileID string
	Default       bool
	Entry         *AcquirerNetwork
}

// Lengths of the fields as EMV 3-D Secure limits them, and the number of acquirers of a profile.
const (
	maxAcquirerBIN  = 11
	maxAcquirerMID  = 35
	maxMerchantName = 40
	maxAcquirers    = 32
)

// CreateAcquirer adds an acquirer with one network to a profile. A new default replaces the earlier default. Errors: IR_04 for a missing
// field; IR_06 (422) for a field beyond EMV's limits; HE_02 for the profile; IR_16 if the profile has the maximum number of acquirers.
func (e *Registry) CreateAcquirer(ctx context.Context, a Auth, in AcquirerInput) (*AcquirerView, error) {
	if in.ProfileID == "" {
		return nil, fault.Missing("profile_id")
	}
	entry := AcquirerNetwork{Network: in.Network}
	if err := entry.take(in); err != nil {
		return nil, err
	}
	var v *AcquirerView
	err := e.changeAcquirers(ctx, a, in.ProfileID, "create profile acquirer", func(s *ProfileSettings) error {
		if len(s.Acquirers) >= maxAcquirers {
			return fault.Refused(fmt.Sprintf("A business profile has at most %d acquirers: update one of them instead", maxAcquirers)).WithParam("profile_id").WithHint("Update or delete one of the profile's acquirers.")
		}
		acquirer := Acquirer{ID: ids.New("pro_acq_"), Networks: []AcquirerNetwork{entry}}
		v = &AcquirerView{ID: acquirer.ID, ProfileID: in.ProfileID, Default: in.Default != nil && *in.Default, Entry: &entry}
		s.Acquirers = append(s.Acquirers, acquirer)
		if in.Default != nil {
			s.setDefault(acquirer.ID, *in.Default)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// UpdateAcquirer changes an acquirer's entry for a network, or adds that entry. Without a network it changes the only entry. Errors: IR_04
// for a missing network or a missing field of a new entry; IR_06 (422) as in CreateAcquirer; HE_02 for the profile or acquirer.
func (e *Registry) UpdateAcquirer(ctx context.Context, a Auth, profileID, id string, in AcquirerInput) (*AcquirerView, error) {
	var v *AcquirerView
	err := e.changeAcquirers(ctx, a, profileID, "update profile acquirer", func(s *ProfileSettings) error {
		i := slices.IndexFunc(s.Acquirers, func(q Acquirer) bool { return q.ID == id })
		if i < 0 {
			return acquirerNotFound()
		}
		q := &s.Acquirers[i]
		entry, err := q.change(in)
		if err != nil {
			return err
		}
		if in.Default != nil {
			s.setDefault(id, *in.Default)
		}
		v = &AcquirerView{ID: id, ProfileID: profileID, Default: q.Default, Entry: entry}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

func acquirerNotFound() *fault.Error { return fault.NotFound("Profile acquirer") }

func (e *Registry) changeAcquirers(ctx context.Context, a Auth, profileID, doing string, f func(s *ProfileSettings) error) error {
	return e.change(ctx, doing, func(tx Tx) error {
		p, err := profileOf(tx, a, profileID)
		if err != nil {
			return err
		}
		if err := f(&p.Settings); err != nil {
			return err
		}
		p.ModifiedAt = tx.Now()
		return tx.UpdateProfile(p)
	})
}

// setDefault makes an acquirer the default, or makes it an ordinary one again.
func (s *ProfileSettings) setDefault(id string, on bool) {
	for i := range s.Acquirers {
		if q := &s.Acquirers[i]; q.ID == id {
			q.Default = on
		} else if on {
			q.Default = false
		}
	}
}

// change applies in to the entry that it names, and returns the entry.
func (q *Acquirer) change(in AcquirerInput) (*AcquirerNetwork, error) {
	entry := q.network(in.Network)
	switch {
	case in.Network == "" && len(q.Networks) == 1:
		entry = &q.Networks[0]
	case in.Network == "" && in.empty():
		return nil, nil
	case in.Network == "":
		return nil, fault.Missing("network")
	case entry == nil:
		added := AcquirerNetwork{Network: in.Network}
		if err := added.take(in); err != nil {
			return nil, err
		}
		q.Networks = append(q.Networks, added)
		return &added, nil
	}
	return entry, entry.take(in)
}

// network returns the acquirer's entry for a network, or nil.
func (q *Acquirer) network(n sdk.CardNetwork) *AcquirerNetwork {
	for i := range q.Networks {
		if q.Networks[i].Network == n && n != "" {
			return &q.Networks[i]
		}
	}
	return nil
}

// empty reports whether in has no field of an entry.
func (in *AcquirerInput) empty() bool {
	return in.BIN == nil && in.MID == nil && in.Name == nil && in.ICA == nil && in.Country == nil && in.FraudRate == nil
}

// take applies the fields that were sent to an entry, and checks the result.
func (n *AcquirerNetwork) take(in AcquirerInput) error {
	Assign(&n.BIN, in.BIN)
	Assign(&n.MID, in.MID)
	Assign(&n.Name, in.Name)
	Assign(&n.ICA, in.ICA)
	Assign(&n.Country, in.Country)
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
	case !allDigits(n.BIN) || len(n.BIN) > maxAcquirerBIN:
		return fault.Unprocessable("acquirer_bin", fmt.Sprintf("acquirer_bin must be at most %d digits", maxAcquirerBIN)).WithHint("Shorten the number.")
	case !allDigits(n.ICA) || len(n.ICA) > maxAcquirerBIN:
		return fault.Unprocessable("acquirer_ica", fmt.Sprintf("acquirer_ica must be at most %d digits", maxAcquirerBIN)).WithHint("Shorten the number.")
	}
	if err := CheckLength("acquirer_assigned_merchant_id", n.MID, maxAcquirerMID); err != nil {
		return err
	}
	if err := CheckLength("merchant_name", n.Name, maxMerchantName); err != nil {
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

// AcquirerFor returns a profile's acquirer entry for a network. If the payment names an acquirer, only that one counts: HE_02 if it is
// unknown, IR_16 if it lacks the network. Otherwise the default comes first, then the first acquirer with an entry. The result is nil if no
// acquirer has one.
func (s *ProfileSettings) AcquirerFor(network sdk.CardNetwork, named string) (*AcquirerNetwork, error) {
	if named != "" {
		i := slices.IndexFunc(s.Acquirers, func(q Acquirer) bool { return q.ID == named })
		if i < 0 {
			return nil, acquirerNotFound()
		}
		entry := s.Acquirers[i].network(network)
		if entry == nil && network != "" {
			return nil, fault.Refused("The profile acquirer " + named + " has no entry for the card network " + string(network) + ": add one, or name another acquirer").WithHint("Add an acquirer for this card network to the profile.").WithParam("profile_acquirer_id")
		}
		return entry, nil
	}
	var found *AcquirerNetwork
	for i := range s.Acquirers {
		if entry := s.Acquirers[i].network(network); entry != nil && (found == nil || s.Acquirers[i].Default) {
			found = entry
		}
	}
	return found, nil
}

// acquirerJSON is an entry in the form of answers.
type acquirerJSON struct {
	ID        string          `json:"profile_acquirer_id,omitempty"`
	MID       string          `json:"acquirer_assigned_merchant_id"`
	Name      string          `json:"merchant_name"`
	Network   sdk.CardNetwork `json:"network"`
	BIN       string          `json:"acquirer_bin"`
	ICA       *string         `json:"acquirer_ica"`
	FraudRate json.RawMessage `json:"acquirer_fraud_rate"`
	Country   *string         `json:"acquirer_country_code"`
	ProfileID string          `json:"profile_id,omitempty"`
	Default   *bool           `json:"is_default,omitempty"`
}

// showAcquirers adds acquirer_configs (one per entry) and acquirer_config_bucket (by acquirer) to the profile's fields for answers.
func (p *Profile) showAcquirers(f Fields) {
	if len(p.Settings.Acquirers) == 0 {
		return
	}
	type bucket struct {
		Default *string                   `json:"default_acquirer_config"`
		Configs map[string][]acquirerJSON `json:"configs"`
	}
	var list []acquirerJSON
	b := bucket{Configs: map[string][]acquirerJSON{}}
	for i := range p.Settings.Acquirers {
		q := &p.Settings.Acquirers[i]
		if q.Default {
			b.Default = &q.ID
		}
		for _, n := range q.Networks {
			entry := acquirerJSON{MID: n.MID, Name: n.Name, Network: n.Network, BIN: n.BIN, ICA: orNull(n.ICA), FraudRate: n.FraudRate, Country: orNull(n.Country)}
			b.Configs[q.ID] = append(b.Configs[q.ID], entry)
			entry.ID, entry.ProfileID, entry.Default = q.ID, p.ID, &q.Default
			list = append(list, entry)
		}
	}
	for name, v := range map[string]any{"acquirer_configs": list, "acquirer_config_bucket": b} {
		if raw, err := json.Marshal(v); err == nil { // texts and checked numbers always encode
			f[name] = raw
		}
	}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

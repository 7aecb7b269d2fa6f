package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"payswitch/sdk"
)

// Acquirer is a profile's acquirer as 3-D Secure needs it told: one entry for each card network.
type Acquirer struct {
	ID string `json:"id"` // pro_acq_…
	// Default says that it is looked at first; one of a profile's is at most.
	Default  bool              `json:"default,omitempty"`
	Networks []AcquirerNetwork `json:"networks"`
}

// AcquirerNetwork is what an acquirer is known by at one card network.
type AcquirerNetwork struct {
	Network sdk.CardNetwork `json:"network"`
	BIN     string          `json:"bin"`           // acquirerBIN, up to 11 digits
	MID     string          `json:"mid"`           // acquirerMerchantID, up to 35 characters
	Name    string          `json:"merchant_name"` // merchantName, up to 40 characters
	ICA     string          `json:"ica,omitempty"`
	Country string          `json:"country,omitempty"` // ISO 3166-1 alpha-2
	// FraudRate is a JSON number as it was sent, nil for none.
	FraudRate json.RawMessage `json:"fraud_rate,omitempty"`
}

// AcquirerInput is one entry of an acquirer as sent; nil is not sent. Values of a network or country that does not exist are the caller's to
// refuse.
type AcquirerInput struct {
	ProfileID string // create only
	Network   sdk.CardNetwork
	BIN, MID  *string
	Name, ICA *string
	Country   *string
	FraudRate json.RawMessage
	Default   *bool
}

// AcquirerView is one entry of a profile's acquirer: Entry is nil where a change named no network and there are several.
type AcquirerView struct {
	ID, ProfileID string
	Default       bool
	Entry         *AcquirerNetwork
}

// Limits of EMV 3-D Secure's fields, and of how many acquirers a profile keeps.
const (
	maxAcquirerBIN  = 11
	maxAcquirerMID  = 35
	maxMerchantName = 40
	maxAcquirers    = 32
)

// CreateAcquirer adds an acquirer with one network to a profile. The default takes the place of the one before. Errors: IR_04 for what is missing, IR_06
// (422) for what does not fit the schemes' fields, HE_02 for the profile, IR_16 when it has as many as it may.
func (e *Registry) CreateAcquirer(ctx context.Context, a Auth, in AcquirerInput) (*AcquirerView, error) {
	if in.ProfileID == "" {
		return nil, Missing("profile_id")
	}
	entry := AcquirerNetwork{Network: in.Network}
	if err := entry.take(in); err != nil {
		return nil, err
	}
	var v *AcquirerView
	err := e.changeAcquirers(ctx, a, in.ProfileID, "create profile acquirer", func(s *ProfileSettings) error {
		if len(s.Acquirers) >= maxAcquirers {
			return Refused(fmt.Sprintf("A business profile has at most %d acquirers: update one of them", maxAcquirers))
		}
		acquirer := Acquirer{ID: newID("pro_acq_"), Networks: []AcquirerNetwork{entry}}
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

// UpdateAcquirer changes what was sent of an acquirer's entry for a network, or adds the entry; without a network, of the only one. Errors:
// IR_04 for a network or a new entry's field that is missing, IR_06 (422) as in CreateAcquirer, HE_02 for profile and acquirer.
func (e *Registry) UpdateAcquirer(ctx context.Context, a Auth, profileID, id string, in AcquirerInput) (*AcquirerView, error) {
	var v *AcquirerView
	err := e.changeAcquirers(ctx, a, profileID, "update profile acquirer", func(s *ProfileSettings) error {
		i := slices.IndexFunc(s.Acquirers, func(q Acquirer) bool { return q.ID == id })
		if i < 0 {
			return noAcquirer()
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

func noAcquirer() *Error { return NotFound("Profile acquirer") }

func (e *Registry) changeAcquirers(ctx context.Context, a Auth, profileID, doing string, f func(s *ProfileSettings) error) error {
	return e.change(ctx, doing, func(tx AccountTx) error {
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

// setDefault makes an acquirer the one looked at first, or no longer.
func (s *ProfileSettings) setDefault(id string, on bool) {
	for i := range s.Acquirers {
		if q := &s.Acquirers[i]; q.ID == id {
			q.Default = on
		} else if on {
			q.Default = false
		}
	}
}

// change changes the entry that an input is about and returns it.
func (q *Acquirer) change(in AcquirerInput) (*AcquirerNetwork, error) {
	entry := q.network(in.Network)
	switch {
	case in.Network == "" && len(q.Networks) == 1:
		entry = &q.Networks[0]
	case in.Network == "" && in.empty():
		return nil, nil
	case in.Network == "":
		return nil, Missing("network")
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

// network is an acquirer's entry for a network, nil where it has none.
func (q *Acquirer) network(n sdk.CardNetwork) *AcquirerNetwork {
	for i := range q.Networks {
		if q.Networks[i].Network == n && n != "" {
			return &q.Networks[i]
		}
	}
	return nil
}

// empty says that nothing of an entry was sent.
func (in *AcquirerInput) empty() bool {
	return in.BIN == nil && in.MID == nil && in.Name == nil && in.ICA == nil && in.Country == nil && in.FraudRate == nil
}

// take takes what was sent over into an entry and checks the entry as it is then.
func (n *AcquirerNetwork) take(in AcquirerInput) error {
	assign(&n.BIN, in.BIN)
	assign(&n.MID, in.MID)
	assign(&n.Name, in.Name)
	assign(&n.ICA, in.ICA)
	assign(&n.Country, in.Country)
	if in.FraudRate != nil {
		n.FraudRate = in.FraudRate
	}
	switch {
	case n.Network == "":
		return Missing("network")
	case n.MID == "":
		return Missing("acquirer_assigned_merchant_id")
	case n.Name == "":
		return Missing("merchant_name")
	case n.BIN == "":
		return Missing("acquirer_bin")
	case !allDigits(n.BIN) || len(n.BIN) > maxAcquirerBIN:
		return Unprocessable("acquirer_bin", fmt.Sprintf("acquirer_bin must be at most %d digits", maxAcquirerBIN))
	case !allDigits(n.ICA) || len(n.ICA) > maxAcquirerBIN:
		return Unprocessable("acquirer_ica", fmt.Sprintf("acquirer_ica must be at most %d digits", maxAcquirerBIN))
	}
	if err := checkLength("acquirer_assigned_merchant_id", n.MID, maxAcquirerMID); err != nil {
		return err
	}
	if err := checkLength("merchant_name", n.Name, maxMerchantName); err != nil {
		return err
	}
	if n.FraudRate == nil {
		return nil
	}
	var rate float64
	if json.Unmarshal(n.FraudRate, &rate) != nil || rate < 0 || rate > 100 {
		return Unprocessable("acquirer_fraud_rate", "acquirer_fraud_rate must be a percentage from 0 to 100")
	}
	return nil
}

func allDigits(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < '0' || c > '9' })
}

// acquirerFor is the entry for a network among a profile's acquirers: of the one that a payment names (HE_02, and IR_16 where that has no such
// entry), else of the default, else of the first that has one; nil where none has.
func (s *ProfileSettings) acquirerFor(network sdk.CardNetwork, named string) (*AcquirerNetwork, error) {
	if named != "" {
		i := slices.IndexFunc(s.Acquirers, func(q Acquirer) bool { return q.ID == named })
		if i < 0 {
			return nil, noAcquirer()
		}
		entry := s.Acquirers[i].network(network)
		if entry == nil && network != "" {
			return nil, Refused("The profile acquirer " + named + " has no entry for the card network " + string(network) + ": add one, or name another acquirer").About("profile_acquirer_id")
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

// acquirerJSON is an entry as answers show it.
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

// showAcquirers adds acquirer_configs (one for each entry) and acquirer_config_bucket (by acquirer) to what answers show of a profile.
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
		if raw, err := json.Marshal(v); err == nil { // of texts and checked numbers
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

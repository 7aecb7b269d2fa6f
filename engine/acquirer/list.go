package acquirer

import (
	"encoding/json"
	"fmt"
	"slices"

	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/optional"
	"payswitch/sdk"
)

// List holds the acquirers of a profile, in the order of creation. They were made with /profile_acquirer.
type List []Acquirer

func notFound() *fault.Error { return fault.NotFound("Profile acquirer") }

// Add adds an acquirer with one entry. A new default replaces the earlier default. Errors: IR_16 if the list is full.
func (l *List) Add(profileID string, entry Network, isDefault *bool) (*View, error) {
	if len(*l) >= maxAcquirers {
		return nil, fault.Refused(fmt.Sprintf("A business profile has at most %d acquirers: update one of them instead", maxAcquirers)).WithParam("profile_id").WithHint("Update or delete one of the profile's acquirers.")
	}
	q := Acquirer{ID: ids.New("pro_acq_"), Networks: []Network{entry}}
	*l = append(*l, q)
	if isDefault != nil {
		l.setDefault(q.ID, *isDefault)
	}
	return &View{ID: q.ID, ProfileID: profileID, Default: isDefault != nil && *isDefault, Entry: &entry}, nil
}

// Change changes the entry of an acquirer that in names, or adds that entry. Errors: HE_02 for an unknown acquirer; IR_04 and IR_06 (422) as NewEntry.
func (l List) Change(profileID, id string, in Input) (*View, error) {
	i := slices.IndexFunc(l, func(q Acquirer) bool { return q.ID == id })
	if i < 0 {
		return nil, notFound()
	}
	q := &l[i]
	entry, err := q.change(in)
	if err != nil {
		return nil, err
	}
	if in.Default != nil {
		l.setDefault(id, *in.Default)
	}
	return &View{ID: id, ProfileID: profileID, Default: q.Default, Entry: entry}, nil
}

// setDefault makes an acquirer the default, or makes it an ordinary one again.
func (l List) setDefault(id string, on bool) {
	for i := range l {
		if q := &l[i]; q.ID == id {
			q.Default = on
		} else if on {
			q.Default = false
		}
	}
}

// For returns the entry for a network. If the payment names an acquirer, only that one counts: HE_02 if it is unknown, IR_16 if it lacks the network.
// Otherwise the default comes first, then the first acquirer with an entry. The result is nil if no acquirer has one.
func (l List) For(network sdk.CardNetwork, named string) (*Network, error) {
	if named != "" {
		i := slices.IndexFunc(l, func(q Acquirer) bool { return q.ID == named })
		if i < 0 {
			return nil, notFound()
		}
		entry := l[i].network(network)
		if entry == nil && network != "" {
			return nil, fault.Refused("The profile acquirer " + named + " has no entry for the card network " + string(network) + ": add one, or name another acquirer").WithHint("Add an acquirer for this card network to the profile.").WithParam("profile_acquirer_id")
		}
		return entry, nil
	}
	var found *Network
	for i := range l {
		if entry := l[i].network(network); entry != nil && (found == nil || l[i].Default) {
			found = entry
		}
	}
	return found, nil
}

// entryJSON is an entry in the form of answers.
type entryJSON struct {
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

// Shown returns the fields that a profile's answers show of its acquirers: acquirer_configs (one object for each entry) and acquirer_config_bucket
// (by acquirer). It is nil for an empty list.
func (l List) Shown(profileID string) map[string]any {
	if len(l) == 0 {
		return nil
	}
	type bucket struct {
		Default *string                `json:"default_acquirer_config"`
		Configs map[string][]entryJSON `json:"configs"`
	}
	var list []entryJSON
	b := bucket{Configs: map[string][]entryJSON{}}
	for i := range l {
		q := &l[i]
		if q.Default {
			b.Default = &q.ID
		}
		for _, n := range q.Networks {
			entry := entryJSON{MID: n.MID, Name: n.Name, Network: n.Network, BIN: n.BIN, ICA: optional.OrNil(n.ICA), FraudRate: n.FraudRate, Country: optional.OrNil(n.Country)}
			b.Configs[q.ID] = append(b.Configs[q.ID], entry)
			entry.ID, entry.ProfileID, entry.Default = q.ID, profileID, &q.Default
			list = append(list, entry)
		}
	}
	return map[string]any{"acquirer_configs": list, "acquirer_config_bucket": b}
}

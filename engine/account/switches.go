package account

import (
	"context"
	"encoding/json"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/optional"
)

// The switches of a merchant are config keys: one of these prefixes, and the merchant's id.
const (
	SwitchBlocklist     = "guard_blocklist_for_"
	SwitchClientSession = "client_session_validation_enabled_"
	SwitchEligibility   = "should_perform_eligibility_"
	SwitchCardOnly      = "should_enable_mit_with_limited_card_data_"
)

// Switches lists the prefixes of the switches.
var Switches = [...]string{SwitchBlocklist, SwitchClientSession, SwitchEligibility, SwitchCardOnly}

// Switch returns the value of a switch, "" without one. It costs no statement. A value that another node has just set counts within staleAfter, and the
// answer to its setting waits so long (Spread).
func (d *Directory) Switch(ctx context.Context, merchantID, prefix string) (string, error) {
	e, err := d.entry(ctx, merchantID)
	if err != nil {
		return "", err
	}
	if e.altered.Names("config_keys", prefix+merchantID) {
		return "", fault.Internal(e.altered, "read a switch")
	}
	return e.switches[prefix+merchantID], nil
}

// switchNames returns the names of a merchant's switches.
func switchNames(merchantID string) [len(Switches)]string {
	var names [len(Switches)]string
	for i, prefix := range Switches {
		names[i] = prefix + merchantID
	}
	return names
}

// Spread waits until every node of the database has read what was committed before. It returns at once where this process is the only node. The error
// is that of ctx.
func (s *Registry) Spread(ctx context.Context) error {
	if s.SoleNode {
		return nil
	}
	t := time.NewTimer(staleAfter)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "The switch is set, and other nodes know of it within a second", Err: ctx.Err()}
	}
}

// CardBlocking is payment_method_blocking.card of a profile: facts of issuers whose cards the profile does not accept.
type CardBlocking struct {
	Countries  []string `json:"issuing_country"` // ISO 3166-1 alpha-2
	Types      []string `json:"card_types"`      // credit, debit
	Subtypes   []string `json:"card_subtypes"`   // as of card.Subtypes
	Issuers    []string `json:"issuers"`         // ids of the register of issuers
	UnknownBIN bool     `json:"block_if_bin_info_unavailable"`
}

// TestingGuard is card_testing_guard_config of a profile. The zero value counts nothing.
type TestingGuard struct {
	CardIP, GuestCard, Customer, GuestIP GuardRule
	Expiry                               time.Duration // how long a failure counts after the latest one
}

// GuardRule is one counter of the guard.
type GuardRule struct {
	On        bool
	Threshold int // the number of failures at which payments are refused
}

// Any reports whether a counter is on.
func (g *TestingGuard) Any() bool {
	return g != nil && (g.CardIP.On || g.GuestCard.On || g.Customer.On || g.GuestIP.On)
}

// riskFields are the fields of a profile that decide about risk and about the merchant's sight of cards, as the API has them.
type riskFields struct {
	Blocking struct {
		Card *CardBlocking `json:"card"`
	} `json:"payment_method_blocking"`
	Guard *struct {
		CardIP             string `json:"card_ip_blocking_status"`
		CardIPThreshold    int    `json:"card_ip_blocking_threshold"`
		GuestCard          string `json:"guest_user_card_blocking_status"`
		GuestCardThreshold int    `json:"guest_user_card_blocking_threshold"`
		Customer           string `json:"customer_id_blocking_status"`
		CustomerThreshold  int    `json:"customer_id_blocking_threshold"`
		GuestIP            string `json:"guest_ip_blocking_status"`
		GuestIPThreshold   *int   `json:"guest_ip_blocking_threshold"`
		Expiry             int64  `json:"card_testing_guard_expiry"`
	} `json:"card_testing_guard_config"`
	CardInfo   *CardInfo `json:"extended_card_info_config"`
	CardInfoOn bool      `json:"is_extended_card_info_enabled"`
}

// CardInfo is extended_card_info_config of a profile: cards of payments are kept for a while, encrypted for the merchant's own key.
type CardInfo struct {
	PublicKey string `json:"public_key"`  // PEM; may be no key at all
	Seconds   int64  `json:"ttl_in_secs"` // how long a card is kept
}

// defaultGuestIP is guest_ip_blocking_threshold where it was not sent.
const defaultGuestIP = 10

// takeRisk sets the settings that follow from the profile's fields.
func (p *Profile) takeRisk() error {
	p.Settings.Blocking, p.Settings.Guard, p.Settings.CardInfo = nil, nil, nil
	if len(p.Details) == 0 {
		return nil
	}
	var f riskFields
	if err := json.Unmarshal(p.Details, &f); err != nil {
		return fault.Internal(err, "read settings of profile "+p.ID)
	}
	if f.CardInfoOn {
		p.Settings.CardInfo = f.CardInfo
	}
	p.Settings.Blocking = f.Blocking.Card
	if g := f.Guard; g != nil {
		rule := func(status string, threshold int) GuardRule { return GuardRule{status == "enabled", threshold} }
		guestIP := defaultGuestIP
		optional.SetValue(&guestIP, g.GuestIPThreshold)
		p.Settings.Guard = &TestingGuard{CardIP: rule(g.CardIP, g.CardIPThreshold), GuestCard: rule(g.GuestCard, g.GuestCardThreshold),
			Customer: rule(g.Customer, g.CustomerThreshold), GuestIP: rule(g.GuestIP, guestIP), Expiry: time.Duration(g.Expiry) * time.Second}
	}
	return nil
}

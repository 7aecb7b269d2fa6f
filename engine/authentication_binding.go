package engine

import (
	"encoding/json"
	"strings"

	"payswitch/sdk"
)

// bind says what an authentication will be good for: amount, currency, card, processor's account, and the acquirer behind it where it is
// known (contract: optional, unless nothing tells the network either).
func (e *Engine) bind(w *work, c *card) (b AuthenticationBinding, m AuthenticationMerchant, err error) {
	b = AuthenticationBinding{Amount: w.p.NetAmount, Currency: w.p.Currency, Card: e.cardHash(w.p.MerchantID, c.secrets.Number), AccountID: w.account.ID}
	acquirer := acquirerOf(w.account, w.profile, c.facts.Network)
	if acquirer == (acquirerConfig{}) && c.facts.Network == "" {
		return b, m, Refused("Card network not found")
	}
	b.AcquirerBIN, b.AcquirerMID = acquirer.BIN, acquirer.MID
	fields := detailsOf(w.profile.Details)
	m = AuthenticationMerchant{AcquirerCountry: acquirer.Country, Name: acquirer.Name, Country: textField(fields["merchant_country_code"]),
		MCC: textField(fields["merchant_category_code"])}
	return b, m, nil
}

// cardHash tells cards apart without telling their numbers.
func (e *Engine) cardHash(merchantID string, number Secret) []byte {
	return e.vault.Hash("authenticated card", []byte(merchantID+"/"+number.Reveal()))
}

// acquirerConfig is who acquires at a processor's account.
type acquirerConfig struct {
	BIN     string `json:"acquirer_bin"`
	MID     string `json:"acquirer_merchant_id"`
	Country string `json:"acquirer_country_code"`
	Name    string `json:"merchant_name"`
	// As profiles call them.
	AssignedMID string `json:"acquirer_assigned_merchant_id"`
	Network     string `json:"network"`
}

// acquirerOf is the acquirer of a card network: of the processor's account metadata (acquirer_details, or the same keys at its top), else
// of the profile's acquirer_configs.
func acquirerOf(account *Account, profile *Profile, network sdk.CardNetwork) acquirerConfig {
	var meta struct {
		Details *acquirerConfig `json:"acquirer_details"`
		acquirerConfig
	}
	if len(account.Metadata) > 0 && json.Unmarshal(account.Metadata, &meta) == nil {
		if meta.Details != nil {
			return *meta.Details
		}
		if meta.BIN != "" || meta.MID != "" {
			return meta.acquirerConfig
		}
	}
	raw := detailsOf(profile.Details)["acquirer_configs"]
	var list []acquirerConfig
	if json.Unmarshal(raw, &list) != nil {
		var byID map[string]acquirerConfig
		if json.Unmarshal(raw, &byID) != nil {
			return acquirerConfig{}
		}
		for _, c := range byID {
			list = append(list, c)
		}
	}
	for _, c := range list {
		if network != "" && strings.EqualFold(c.Network, string(network)) {
			if c.MID == "" {
				c.MID = c.AssignedMID
			}
			return c
		}
	}
	return acquirerConfig{}
}

func textField(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

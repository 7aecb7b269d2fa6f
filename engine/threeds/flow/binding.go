package flow

import (
	"encoding/json"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// bind returns the limits of an authentication's use: amount, currency, card, processor account and, if known, the acquirer. The acquirer is
// optional, unless the card's network is unknown too.
func (s *Authentications) bind(w *change.Loaded, c *card.Card) (b authentication.Binding, m authentication.Merchant, err error) {
	b = authentication.Binding{Amount: w.Payment.NetAmount, Currency: w.Payment.Currency, Card: s.cardHash(w.Payment.MerchantID, c.Secrets.Number), AccountID: w.Account.ID}
	acquirer, err := acquirerOf(w, c.Facts.Network)
	if err != nil {
		return b, m, err
	}
	if acquirer == (acquirerConfig{}) && c.Facts.Network == "" {
		return b, m, fault.Refused("Card network not found").WithParam("card_network").WithHint("Send card_network, or another card.")
	}
	b.AcquirerBIN, b.AcquirerMID = acquirer.BIN, acquirer.MID
	fields := account.DetailsOf(w.Profile.Details)
	m = authentication.Merchant{AcquirerCountry: acquirer.Country, Name: acquirer.Name, Country: textField(fields["merchant_country_code"]),
		MCC: textField(fields["merchant_category_code"])}
	return b, m, nil
}

// cardHash returns a keyed hash that distinguishes cards without revealing their numbers.
func (s *Authentications) cardHash(merchantID string, number secret.Value) []byte {
	return s.Vault.Hash("authenticated card", []byte(merchantID+"/"+number.Reveal()))
}

// acquirerConfig is the acquirer of a processor's account, from the account's metadata.
type acquirerConfig struct {
	BIN     string `json:"acquirer_bin"`
	MID     string `json:"acquirer_merchant_id"`
	Country string `json:"acquirer_country_code"`
	Name    string `json:"merchant_name"`
	// FraudRate is the fraud rate of the acquirer's card payments in percent of their value, nil if unknown.
	FraudRate *float64 `json:"acquirer_fraud_rate"`
}

// acquirerOf returns the acquirer for a card network. The profile's acquirer that the payment names comes first. Next comes the one in the
// metadata of the processor's account (acquirer_details, or the same keys at its top level). Then comes the profile's acquirer for the network.
func acquirerOf(w *change.Loaded, network sdk.CardNetwork) (acquirerConfig, error) {
	named := ""
	if id := w.Payment.Details.ProfileAcquirerID; id != nil {
		named = *id
	}
	if named == "" {
		if c := acquirerOfAccount(w.Account); c != (acquirerConfig{}) {
			return c, nil
		}
	}
	n, err := w.Profile.Settings.Acquirers.For(network, named)
	if n == nil || err != nil {
		return acquirerConfig{}, err
	}
	c := acquirerConfig{BIN: n.BIN, MID: n.MID, Country: n.Country, Name: n.Name}
	if n.FraudRate != nil && json.Unmarshal(n.FraudRate, &c.FraudRate) != nil {
		c.FraudRate = nil // the profile's update has checked it
	}
	return c, nil
}

func acquirerOfAccount(account *account.Account) (none acquirerConfig) {
	var meta struct {
		Details *acquirerConfig `json:"acquirer_details"`
		acquirerConfig
	}
	switch {
	case len(account.Metadata) == 0 || json.Unmarshal(account.Metadata, &meta) != nil:
		return none
	case meta.Details != nil:
		return *meta.Details
	case meta.BIN != "" || meta.MID != "":
		return meta.acquirerConfig
	}
	return none
}

func textField(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

package account

import (
	"encoding/json"
	"time"
)

// Customer is a merchant's customer. Personal data is sealed at rest.
type Customer struct {
	ID         string
	MerchantID string
	Sealed     []byte
	Personal   *CustomerPersonal // nil until opened
	Metadata   json.RawMessage
	// DefaultMethodID is the default saved payment method; "" means there is no default.
	DefaultMethodID string
	Redacted        bool
	CreatedAt       time.Time
	ModifiedAt      time.Time
	Version         int64
}

// CustomerPersonal is a customer's personal data. "" means that a value is not known.
type CustomerPersonal struct {
	Name              string          `json:"name,omitempty"`
	Email             string          `json:"email,omitempty"`
	Phone             string          `json:"phone,omitempty"`
	PhoneCountryCode  string          `json:"phone_country_code,omitempty"`
	Description       string          `json:"description,omitempty"`
	Address           json.RawMessage `json:"address,omitempty"` // as sent
	TaxRegistrationID string          `json:"tax_registration_id,omitempty"`
	DocumentDetails   json.RawMessage `json:"document_details,omitempty"`
}

// Redact replaces the personal data. An address keeps its fields, but loses the country, because a country code cannot be "Redacted".
func (c *Customer) Redact() {
	p := &CustomerPersonal{Name: redactedText, Email: redactedText, Phone: redactedText, PhoneCountryCode: redactedText,
		Description: redactedText, TaxRegistrationID: redactedText}
	var address map[string]any
	if len(c.Personal.Address) > 0 && json.Unmarshal(c.Personal.Address, &address) == nil {
		for key, v := range address {
			if _, isText := v.(string); key == "country" || !isText {
				address[key] = nil
			} else {
				address[key] = redactedText
			}
		}
		p.Address, _ = json.Marshal(address) // texts and nulls always encode
	}
	c.Personal, c.Metadata, c.Redacted = p, nil, true
}

const redactedText = "Redacted"

package contact

import "strings"

// Customer is the customer as the payment request describes them.
type Customer struct {
	ID               string `json:"id,omitempty"`
	Name             string `json:"name,omitempty"`
	Email            string `json:"email,omitempty"`
	Phone            string `json:"phone,omitempty"`
	PhoneCountryCode string `json:"phone_country_code,omitempty"`
}

// Contact is a billing or shipping address with phone and e-mail. Parts that the caller did not send are nil or "".
type Contact struct {
	Address *Address `json:"address,omitempty"`
	Phone   *Phone   `json:"phone,omitempty"`
	Email   string   `json:"email,omitempty"`
}

// Address is a postal address. "" means that the caller sent no value.
type Address struct {
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

// Phone is a telephone number.
type Phone struct {
	Number      string `json:"number,omitempty"`
	CountryCode string `json:"country_code,omitempty"`
}

// HolderOf returns the card holder's name: the typed one, else the name of the billing address.
func HolderOf(typed string, billing *Contact) string {
	if typed != "" || billing == nil || billing.Address == nil {
		return typed
	}
	return strings.TrimSpace(billing.Address.FirstName + " " + billing.Address.LastName)
}

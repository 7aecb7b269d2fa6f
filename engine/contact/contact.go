package contact

import (
	"cmp"
	"strings"
)

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

// HolderOf returns the card holder's name: the typed one, else the name of the first billing address that has one. Each of billing may be nil.
func HolderOf(typed string, billing ...*Contact) string {
	for _, b := range billing {
		if typed == "" && b != nil && b.Address != nil {
			typed = strings.TrimSpace(b.Address.FirstName + " " + b.Address.LastName)
		}
	}
	return typed
}

// Or returns a contact with what c lacks taken from other, field by field. Number and country code of a telephone belong together. c and other may be
// nil, and stay as they are.
func (c *Contact) Or(other *Contact) *Contact {
	if c == nil || other == nil {
		return cmp.Or(c, other)
	}
	out := *c
	out.Email = cmp.Or(c.Email, other.Email)
	if out.Phone == nil || *out.Phone == (Phone{}) {
		out.Phone = other.Phone
	}
	if c.Address == nil || other.Address == nil {
		out.Address = cmp.Or(c.Address, other.Address)
		return &out
	}
	a, b := *c.Address, other.Address
	a.City, a.Country, a.State, a.Zip = cmp.Or(a.City, b.City), cmp.Or(a.Country, b.Country), cmp.Or(a.State, b.State), cmp.Or(a.Zip, b.Zip)
	a.Line1, a.Line2, a.Line3 = cmp.Or(a.Line1, b.Line1), cmp.Or(a.Line2, b.Line2), cmp.Or(a.Line3, b.Line3)
	a.FirstName, a.LastName, a.OriginZip = cmp.Or(a.FirstName, b.FirstName), cmp.Or(a.LastName, b.LastName), cmp.Or(a.OriginZip, b.OriginZip)
	out.Address = &a
	return &out
}

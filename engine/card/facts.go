package card

import (
	"strconv"
	"strings"
	"time"

	"payswitch/engine/secret"
	"payswitch/sdk"
)

// Facts are the facts of a card that payswitch stores and shows. They never include the number or the CVC.
type Facts struct {
	BIN      string          `json:"bin"` // six digits
	LastFour string          `json:"last_four"`
	Length   int             `json:"length"`
	ExpMonth string          `json:"exp_month"` // as the caller sent it
	ExpYear  string          `json:"exp_year"`  // as the caller sent it: two or four digits
	Network  sdk.CardNetwork `json:"network,omitempty"`
	Type     string          `json:"type,omitempty"` // CREDIT, DEBIT, PREPAID
	Issuer   string          `json:"issuer,omitempty"`
	Country  string          `json:"country,omitempty"` // name of the issuer's country
	// CountryCode is the issuer's country, ISO 3166-1 alpha-2.
	CountryCode string `json:"country_code,omitempty"`
}

// Secrets are the values that the host replaces by stand-ins before an adapter sees them.
type Secrets struct {
	Number secret.Value
	CVC    secret.Value
	CAVV   secret.Value
}

// Expiry returns the month and the year with four digits, or zeros if they are not known.
func (f *Facts) Expiry() (month, year int) {
	month, _ = strconv.Atoi(f.ExpMonth)
	year, _ = strconv.Atoi(f.ExpYear)
	if len(f.ExpYear) == 2 {
		year += 2000
	}
	return month, year
}

// Expired reports whether the card's last month is over at now. It is false for a card without a known expiry.
func (f *Facts) Expired(now time.Time) bool {
	month, year := f.Expiry()
	now = now.UTC()
	return year != 0 && (year < now.Year() || year == now.Year() && month < int(now.Month()))
}

func (f *Facts) ForAdapter(holder string) *sdk.Card {
	month, year := f.Expiry()
	return &sdk.Card{ExpMonth: month, ExpYear: year, Holder: holder, BIN: f.BIN, LastFour: f.LastFour, Length: f.Length, Network: f.Network,
		Country: f.CountryCode, Funding: strings.ToLower(f.Type)}
}

package engine

import (
	"strconv"
	"strings"
	"time"

	"payswitch/sdk"
)

// CardFacts is what is kept and shown of a card; never the number or the CVC.
type CardFacts struct {
	BIN      string          `json:"bin"` // six digits
	LastFour string          `json:"last_four"`
	Length   int             `json:"length"`
	ExpMonth string          `json:"exp_month"` // as sent
	ExpYear  string          `json:"exp_year"`  // as sent: two or four digits
	Network  sdk.CardNetwork `json:"network,omitempty"`
	Type     string          `json:"type,omitempty"` // CREDIT, DEBIT, PREPAID
	Issuer   string          `json:"issuer,omitempty"`
	Country  string          `json:"country,omitempty"` // issuing country's name
	// CountryCode is ISO 3166 alpha-2.
	CountryCode string `json:"country_code,omitempty"`
}

// InstrumentSecrets are the values that adapters see stand-ins for.
type InstrumentSecrets struct {
	Number Secret
	CVC    Secret
	CAVV   Secret
}

// expiry is the card's, the year with four digits; zeros where it is not known.
func (f *CardFacts) expiry() (month, year int) {
	month, _ = strconv.Atoi(f.ExpMonth)
	year, _ = strconv.Atoi(f.ExpYear)
	if len(f.ExpYear) == 2 {
		year += 2000
	}
	return month, year
}

// Expired says that the card's last month is over. A card whose expiry is not known has not expired.
func (f *CardFacts) Expired(now time.Time) bool {
	month, year := f.expiry()
	now = now.UTC()
	return year != 0 && (year < now.Year() || year == now.Year() && month < int(now.Month()))
}

func (f *CardFacts) forAdapter(holder string) *sdk.Card {
	month, year := f.expiry()
	return &sdk.Card{ExpMonth: month, ExpYear: year, Holder: holder, BIN: f.BIN, LastFour: f.LastFour, Length: f.Length, Network: f.Network,
		Country: f.CountryCode, Funding: strings.ToLower(f.Type)}
}

package card

import (
	"strconv"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// Card is a typed card after the engine's checks: the facts that may be kept, the holder's name, and the secrets.
type Card struct {
	Facts   Facts
	Holder  string
	Secrets Secrets
}

// Read checks a typed card in the order that the API promises: CVC, month, year, expired. cvc applies if the card itself has no CVC.
// Read refuses a card without any CVC, since a typed card needs one.
func (t *BINTable) Read(in *Input, cvc secret.Value, now time.Time) (*Card, error) {
	if in.CVC.IsZero() {
		in.CVC = cvc
	}
	if in.CVC.IsZero() {
		return nil, fault.Missing("payment_method_data.card.card_cvc")
	}
	if err := CheckCVC(in.CVC); err != nil {
		return nil, err
	}
	return t.ReadWithoutCVC(in, now)
}

// ReadAlone is ReadWithoutCVC for a card whose expiry need not be known. Half an expiry is refused.
func (t *BINTable) ReadAlone(in *Input, now time.Time) (*Card, error) {
	switch {
	case in.ExpMonth == "" && in.ExpYear == "":
		return t.read(in), nil
	case in.ExpMonth == "":
		return nil, fault.Missing("card_exp_month")
	case in.ExpYear == "":
		return nil, fault.Missing("card_exp_year")
	}
	return t.ReadWithoutCVC(in, now)
}

// ReadWithoutCVC is Read without the check of the CVC: for a card that is charged without the payer, or only stored.
func (t *BINTable) ReadWithoutCVC(in *Input, now time.Time) (*Card, error) {
	if err := CheckExpiry(in.ExpMonth, in.ExpYear, now); err != nil {
		return nil, err
	}
	return t.read(in), nil
}

// read takes a card as it is.
func (t *BINTable) read(in *Input) *Card {
	n := in.Number.Reveal()
	b := t.facts(n)
	c := &Card{Holder: in.Holder.Reveal(), Secrets: Secrets{Number: in.Number, CVC: in.CVC},
		Facts: Facts{BIN: n[:6], LastFour: n[len(n)-4:], Length: len(n), ExpMonth: in.ExpMonth, ExpYear: in.ExpYear,
			Network: b.Network, Type: b.Type, Issuer: b.Issuer, Country: b.Country, CountryCode: b.CountryCode}}
	c.Facts.Network = b.chosen(in.Network)
	if c.Facts.Type == "" {
		c.Facts.Type = strings.ToUpper(in.Type)
	}
	if c.Facts.Issuer == "" {
		c.Facts.Issuer = in.Issuer
	}
	if c.Facts.Country == "" {
		c.Facts.Country = in.Country
	}
	return c
}

// CheckExpiry refuses an expiry that is not a month and a year, or that has passed. Both are texts as the caller sent them.
func CheckExpiry(expMonth, expYear string, now time.Time) error {
	month, err := digits("card_exp_month", expMonth)
	if err != nil {
		return err
	}
	if month < 1 || month > 12 {
		return fault.Refused("Invalid Expiry Month").WithParam("card_exp_month").WithHint("Send 01 to 12.")
	}
	year, err := digits("card_exp_year", expYear)
	if err != nil {
		return err
	}
	if len(expYear) == 2 {
		year += 2000
	}
	now = now.UTC()
	if year < now.Year() || year > 9999 || len(expYear) != 2 && len(expYear) != 4 {
		return fault.Refused("Invalid Expiry Year").WithParam("card_exp_year").WithHint("Send this year or a later one, with two or four digits.")
	}
	if year == now.Year() && month < int(now.Month()) {
		return fault.Refused("Card Expired").WithHint("Ask the payer for a card that is still valid.").WithParam("card_exp_month")
	}
	return nil
}

func CheckCVC(cvc secret.Value) error {
	v := cvc.Reveal()
	if len(v) < 3 || len(v) > 4 {
		return fault.Refused("Invalid card_cvc length").WithParam("card_cvc").WithHint("Send three or four digits.")
	}
	if _, err := strconv.ParseUint(v, 10, 16); err != nil {
		return fault.Refused("Invalid Card CVC").WithParam("card_cvc").WithHint("Send three or four digits.")
	}
	return nil
}

func digits(field, v string) (int, error) {
	n, err := strconv.ParseUint(v, 10, 16)
	if err != nil {
		return 0, fault.InvalidValue(field).WithHint("Send digits alone.")
	}
	return int(n), nil
}

// MethodType returns credit or debit. It takes said, else the type by the BIN, else credit: saved methods and refunds need a value.
func (c *Card) MethodType(said string) string {
	switch {
	case said != "":
		return said
	case c.Facts.Type == "DEBIT":
		return "debit"
	}
	return "credit"
}

// ForAdapter returns the card for adapters, without number and CVC: the host puts stand-ins in their place.
func (c *Card) ForAdapter() *sdk.Card { return c.Facts.ForAdapter(c.Holder) }

// Sealed is the storage form of a card: in the vault, while it waits for confirmation, and as an operation's secrets. The vault encrypts it.
type Sealed struct {
	Number   string          `json:"number,omitempty"`
	CVC      string          `json:"cvc,omitempty"`
	CAVV     string          `json:"cavv,omitempty"`
	ExpMonth string          `json:"exp_month,omitempty"`
	ExpYear  string          `json:"exp_year,omitempty"`
	Holder   string          `json:"holder,omitempty"`
	Network  sdk.CardNetwork `json:"network,omitempty"`
	Issuer   string          `json:"issuer,omitempty"`
	Country  string          `json:"country,omitempty"`
	Type     string          `json:"type,omitempty"`
}

func SealedOf(in *Input) Sealed {
	return Sealed{Number: in.Number.Reveal(), CVC: in.CVC.Reveal(), ExpMonth: in.ExpMonth, ExpYear: in.ExpYear, Holder: in.Holder.Reveal(),
		Network: in.Network, Issuer: in.Issuer, Country: in.Country, Type: in.Type}
}

func (s *Sealed) Input() *Input {
	return &Input{Number: secret.New(s.Number), CVC: secret.New(s.CVC), ExpMonth: s.ExpMonth, ExpYear: s.ExpYear, Holder: secret.New(s.Holder),
		Network: s.Network, Issuer: s.Issuer, Country: s.Country, Type: s.Type}
}

package engine

import (
	"strconv"
	"strings"
	"time"

	"payswitch/sdk"
)

// card is a typed card after the engine's checks: the facts that may be kept, the holder's name, and the secrets.
type card struct {
	facts   CardFacts
	holder  string
	secrets InstrumentSecrets
}

// readCard checks a typed card in the order that the API promises: CVC, month, year, expired. cvc applies if the card itself has no CVC.
// readCard refuses a card without any CVC, since a typed card needs one.
func (t *BINTable) readCard(in *CardInput, cvc Secret, now time.Time) (*card, error) {
	if in.CVC.IsZero() {
		in.CVC = cvc
	}
	if in.CVC.IsZero() {
		return nil, Missing("payment_method_data.card.card_cvc")
	}
	if err := checkCVC(in.CVC); err != nil {
		return nil, err
	}
	return t.readExpiry(in, now)
}

// readExpiry is readCard without the check of the CVC: for a card that is charged without the payer, or only stored.
func (t *BINTable) readExpiry(in *CardInput, now time.Time) (*card, error) {
	if err := checkExpiry(in.ExpMonth, in.ExpYear, now); err != nil {
		return nil, err
	}
	n := in.Number.Reveal()
	b := t.facts(n)
	c := &card{holder: in.Holder, secrets: InstrumentSecrets{Number: in.Number, CVC: in.CVC},
		facts: CardFacts{BIN: n[:6], LastFour: n[len(n)-4:], Length: len(n), ExpMonth: in.ExpMonth, ExpYear: in.ExpYear,
			Network: b.Network, Type: b.Type, Issuer: b.Issuer, Country: b.Country, CountryCode: b.CountryCode}}
	if c.facts.Network == "" {
		c.facts.Network = in.Network
	}
	if c.facts.Type == "" {
		c.facts.Type = strings.ToUpper(in.Type)
	}
	if c.facts.Issuer == "" {
		c.facts.Issuer = in.Issuer
	}
	if c.facts.Country == "" {
		c.facts.Country = in.Country
	}
	return c, nil
}

// checkExpiry refuses an expiry that is not a month and a year, or that has passed. Both are texts as the caller sent them.
func checkExpiry(expMonth, expYear string, now time.Time) error {
	month, err := digits("card_exp_month", expMonth)
	if err != nil {
		return err
	}
	if month < 1 || month > 12 {
		return Refused("Invalid Expiry Month").About("card_exp_month").WithHint("Send 01 to 12.")
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
		return Refused("Invalid Expiry Year").About("card_exp_year").WithHint("Send this year or a later one, with two or four digits.")
	}
	if year == now.Year() && month < int(now.Month()) {
		return Refused("Card Expired").About("card_exp_month")
	}
	return nil
}

func checkCVC(cvc Secret) error {
	v := cvc.Reveal()
	if len(v) < 3 || len(v) > 4 {
		return Refused("Invalid card_cvc length").About("card_cvc").WithHint("Send three or four digits.")
	}
	if _, err := strconv.ParseUint(v, 10, 16); err != nil {
		return Refused("Invalid Card CVC").About("card_cvc").WithHint("Send three or four digits.")
	}
	return nil
}

func digits(field, v string) (int, error) {
	n, err := strconv.ParseUint(v, 10, 16)
	if err != nil {
		return 0, InvalidValue(field).WithHint("Send digits alone.")
	}
	return int(n), nil
}

// methodType returns credit or debit. It takes said, else the type by the BIN, else credit: saved methods and refunds need a value.
func (c *card) methodType(said string) string {
	switch {
	case said != "":
		return said
	case c.facts.Type == "DEBIT":
		return "debit"
	}
	return "credit"
}

// forAdapter returns the card for adapters, without number and CVC: the host puts stand-ins in their place.
func (c *card) forAdapter() *sdk.Card { return c.facts.forAdapter(c.holder) }

// sealedCard is the storage form of a card that waits for confirmation, and of an operation's secrets. The vault encrypts it.
type sealedCard struct {
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

func sealedOfInput(in *CardInput) sealedCard {
	return sealedCard{Number: in.Number.Reveal(), CVC: in.CVC.Reveal(), ExpMonth: in.ExpMonth, ExpYear: in.ExpYear, Holder: in.Holder,
		Network: in.Network, Issuer: in.Issuer, Country: in.Country, Type: in.Type}
}

func (s *sealedCard) input() *CardInput {
	return &CardInput{Number: NewSecret(s.Number), CVC: NewSecret(s.CVC), ExpMonth: s.ExpMonth, ExpYear: s.ExpYear, Holder: s.Holder,
		Network: s.Network, Issuer: s.Issuer, Country: s.Country, Type: s.Type}
}

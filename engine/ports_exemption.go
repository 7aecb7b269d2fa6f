package engine

import "time"

// LowValueUse is what a card has paid under the low-value exemption since its payer was last seen authenticated; the zero value is nothing.
type LowValueUse struct {
	Count    int
	EURCents int64
}

// ExemptionRate is how often the issuer of a BIN was asked for an exemption, and how often it declined for want of authentication. Old
// answers weigh less: both are halved each time that 200 claims have come together.
type ExemptionRate struct {
	Exemption    string
	Claimed      int
	SoftDeclined int
}

type exemptionReader interface {
	// LowValue is the use of a card, named by the vault's keyed fingerprint; zero where there is none, or where its time has passed.
	LowValue(merchantID, card string) (LowValueUse, error)
	// ExemptionRates of a BIN, by exemption; none where their time has passed.
	ExemptionRates(merchantID, bin string) ([]ExemptionRate, error)
}

type exemptionTx interface {
	// CountLowValue adds one payment to a card's use, and keeps it until then. Any number may count at once: none is lost.
	CountLowValue(merchantID, card string, eurCents int64, until time.Time) error
	// ResetLowValue forgets a card's use: its payer was authenticated. There need not be any.
	ResetLowValue(merchantID, card string) error
	// CountExemption adds one claim to a BIN's rate, and keeps it until then.
	CountExemption(merchantID, bin, exemption string, softDeclined bool, until time.Time) error
}

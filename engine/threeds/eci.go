package threeds

import (
	"slices"

	"payswitch/sdk"
)

// family is a group of schemes with a common table of ECIs.
type family int

const (
	unknownFamily family = iota
	visaFamily
	mastercardFamily
	cartesBancaires
)

func familyOf(scheme sdk.CardNetwork) family {
	switch scheme {
	case sdk.Visa, sdk.AmericanExpress, sdk.JCB, sdk.Discover, sdk.DinersClub, sdk.UnionPay:
		return visaFamily
	case sdk.Mastercard, sdk.Maestro:
		return mastercardFamily
	case sdk.CartesBancaires:
		return cartesBancaires
	}
	return unknownFamily
}

// Kinds of results with an ECI of their own. They index eciTable.
const (
	eciFull = iota
	eciAttempted
	eciNone // U, N or no authentication
	eciExempted
	eciDataOnly
	eciKinds
)

// eciTable holds, by family and kind, the ECI that authenticators send and that payswitch derives if they send none. Cartes Bancaires follows
// its co-brand, which only the directory server knows.
var eciTable = map[family][eciKinds]string{
	visaFamily:       {"05", "06", "07", "07", "07"},
	mastercardFamily: {"02", "01", "00", "06", "04"},
}

// deriveECI returns the scheme's ECI for a kind of result, "" without a table.
func deriveECI(scheme sdk.CardNetwork, category string, kind int) string {
	f := familyOf(scheme)
	if f == mastercardFamily && category == NonPayment {
		if kind == eciFull {
			return "N2"
		}
		return "N0"
	}
	return eciTable[f][kind]
}

// normalECI gives an ECI its two characters: some authenticators send "5".
func normalECI(eci string) string {
	if len(eci) == 1 && eci[0] >= '0' && eci[0] <= '9' {
		return "0" + eci
	}
	return eci
}

// expectedECI reports whether an authenticator's ECI fits scheme and kind.
func expectedECI(run Run, kind int, eci string) bool {
	switch f := familyOf(run.Scheme); {
	case f == unknownFamily:
		return true
	case f == cartesBancaires: // the ECI of either co-brand
		return slices.ContainsFunc([]family{visaFamily, mastercardFamily}, func(f family) bool { return eciTable[f][kind] == eci })
	case eci == deriveECI(run.Scheme, run.category(), kind):
		return true
	case f == mastercardFamily && kind == eciFull:
		return eci == "07" // authenticated recurring
	case run.Scheme == sdk.UnionPay && kind <= eciAttempted: // UnionPay: authenticators on some routes send the ECIs of the other table
		return eci == eciTable[mastercardFamily][kind]
	case run.Channel == ThreeRI && kind == eciFull: // a merchant-initiated payment: no shift
		return eci == "07"
	}
	return false
}

// shifts reports whether an ECI claims a liability shift. Without an authentication value it must not.
func shifts(scheme sdk.CardNetwork, eci string) bool {
	switch familyOf(scheme) {
	case visaFamily:
		return eci == "05" || eci == "06" || scheme == sdk.UnionPay && (eci == "02" || eci == "01")
	case mastercardFamily:
		return eci == "02" || eci == "01" || eci == "07"
	case cartesBancaires, unknownFamily:
		return slices.Contains([]string{"05", "06", "02", "01"}, eci)
	}
	return false
}

// liability returns the expected liability with a proof. fits is true if the proof's ECI fits scheme and status.
func liability(run Run, kind int, eci string, hasValue, fits bool) Liability {
	f := familyOf(run.Scheme)
	switch {
	case run.category() != Payment, kind > eciAttempted, !fits:
		return ShiftNotExpected
	case f == unknownFamily:
		return ShiftUnknown
	case f == cartesBancaires:
		if hasValue || kind == eciAttempted {
			return ShiftExpected
		}
		return ShiftNotExpected
	case hasValue && shifts(run.Scheme, eci):
		return ShiftExpected
	}
	return ShiftNotExpected
}

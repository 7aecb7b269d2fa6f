package threeds

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// TestECI checks the schemes' tables: the ECI derived for answers without one, the other ECIs that a scheme allows, and the resulting shift.
func TestECI(t *testing.T) {
	for _, tc := range []struct {
		scheme   sdk.CardNetwork
		category string
		channel  Channel
		status   string
		told     string
		value    bool
		eci      string // sent
		shift    Liability
		fits     bool
	}{
		{sdk.Visa, Payment, Browser, "Y", "", true, "05", ShiftExpected, true},
		{sdk.Visa, Payment, Browser, "Y", "5", true, "05", ShiftExpected, true},
		{sdk.Visa, Payment, Browser, "Y", "07", true, "07", ShiftNotExpected, false},
		{sdk.Visa, Payment, ThreeRI, "Y", "07", true, "07", ShiftNotExpected, true},
		{sdk.Visa, Payment, ThreeRI, "A", "07", true, "07", ShiftNotExpected, false},
		{sdk.Visa, Payment, Browser, "A", "05", true, "05", ShiftNotExpected, false},
		{sdk.Visa, Payment, Browser, "A", "01", true, "01", ShiftNotExpected, false},
		{sdk.Mastercard, Payment, Browser, "A", "", true, "01", ShiftExpected, true},
		{sdk.Mastercard, Payment, Browser, "A", "07", true, "07", ShiftNotExpected, false},
		{sdk.Mastercard, Payment, Browser, "Y", "05", true, "05", ShiftNotExpected, false},
		{sdk.Maestro, Payment, Browser, "Y", "", true, "02", ShiftExpected, true},
		{sdk.Mastercard, NonPayment, Browser, "Y", "", false, "N2", ShiftNotExpected, true},
		{sdk.Mastercard, NonPayment, Browser, "A", "", false, "N0", ShiftNotExpected, true},
		{sdk.JCB, NonPayment, Browser, "A", "", false, "06", ShiftNotExpected, true},
		{sdk.UnionPay, Payment, Browser, "Y", "02", true, "02", ShiftExpected, true},
		{sdk.UnionPay, Payment, Browser, "A", "01", true, "01", ShiftExpected, true},
		{sdk.UnionPay, Payment, Browser, "Y", "01", true, "01", ShiftNotExpected, false},
		{sdk.AmericanExpress, Payment, Browser, "Y", "02", true, "02", ShiftNotExpected, false},
		{sdk.CartesBancaires, Payment, Browser, "Y", "02", true, "02", ShiftExpected, true}, // the co-brand's ECI
		{sdk.CartesBancaires, Payment, Browser, "Y", "05", true, "05", ShiftExpected, true},
		{sdk.CartesBancaires, Payment, Browser, "Y", "07", true, "07", ShiftNotExpected, false},
		{sdk.CartesBancaires, Payment, Browser, "Y", "", true, "", ShiftExpected, true},
		{sdk.CartesBancaires, Payment, Browser, "A", "", false, "", ShiftExpected, true},
		{sdk.Star, Payment, Browser, "Y", "05", true, "05", ShiftUnknown, true}, // no table
		{sdk.Star, Payment, Browser, "Y", "", true, "", ShiftUnknown, true},
	} {
		run := Run{Phase: Authenticate, Channel: tc.channel, Category: tc.category, Scheme: tc.scheme, MessageVersion: "2.2.0"}
		d := Decide(Default(), run, Result{TransStatus: TransStatus(tc.status), ECI: tc.told, HasValue: tc.value, DSTransID: "d"})
		require.Equal(t, Authorize, d.Action, "%+v", tc)
		require.Equal(t, tc.eci, d.Proof.ECI, "%+v", tc)
		require.Equal(t, tc.eci, d.ECI, "%+v", tc)
		require.Equal(t, tc.shift, d.Liability, "%+v", tc)
		require.Equal(t, !tc.fits, len(d.Flags) == 1 && d.Flags[0] == FlagECIUnexpected, "%+v", tc)
	}
}

func TestDeriveECI(t *testing.T) {
	for _, tc := range []struct {
		scheme   sdk.CardNetwork
		category string
		kind     int
		want     string
	}{
		{sdk.Visa, Payment, eciFull, "05"}, {sdk.Visa, Payment, eciAttempted, "06"}, {sdk.Visa, Payment, eciExempted, "07"}, {sdk.Visa, Payment, eciNone, "07"},
		{sdk.Mastercard, Payment, eciFull, "02"}, {sdk.Mastercard, Payment, eciAttempted, "01"}, {sdk.Mastercard, Payment, eciExempted, "06"},
		{sdk.Mastercard, Payment, eciNone, "00"}, {sdk.Mastercard, NonPayment, eciFull, "N2"}, {sdk.Mastercard, NonPayment, eciNone, "N0"},
		{sdk.CartesBancaires, Payment, eciFull, ""}, {"", Payment, eciFull, ""},
	} {
		require.Equal(t, tc.want, deriveECI(tc.scheme, tc.category, tc.kind), "%+v", tc)
	}
}

// TestNoShiftWithoutValue: the answer to an exemption may claim a shift without a value. The authorization then sends the exemption's own
// ECI.
func TestNoShiftWithoutValue(t *testing.T) {
	for scheme, want := range map[sdk.CardNetwork][2]string{sdk.Visa: {"05", "07"}, sdk.AmericanExpress: {"06", "07"}, sdk.Mastercard: {"02", "06"},
		sdk.UnionPay: {"02", "07"}, sdk.CartesBancaires: {"05", ""}} {
		run := Run{Phase: Authenticate, Scheme: scheme, ChallengeInds: []string{"05"}}
		d := Decide(Default(), run, Result{TransStatus: "I", ECI: want[0], DSTransID: "d"})
		require.Equal(t, Authorize, d.Action)
		require.Equal(t, want[1], d.Proof.ECI, scheme)
		require.Equal(t, []Flag{FlagECIUnexpected}, d.Flags, scheme)
		require.Equal(t, ShiftNotExpected, d.Liability)
	}
}

package sdk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	statuses := Statuses{
		{StatusAuthorized, "202"},
		{StatusCaptured, "410:settled 411:paid_out 20"},
		{StatusDeclined, "411"},
	}
	for code, want := range map[string]OutcomeStatus{"202": StatusAuthorized, "410": StatusCaptured, "411": StatusCaptured,
		"20": StatusCaptured, "2": "", "41": "", "2020": "", "": "", "settled": "", " ": ""} {
		require.Equal(t, want, statuses.Of(code), code)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { statuses.Of("411") }))
	require.Equal(t, StatusCaptured, Statuses{{StatusCaptured, "SETTLED SETTLING"}}.Of("SETTLING"))
}

func TestNewDecline(t *testing.T) {
	require.Equal(t, &Decline{Code: "1", Message: "m", Reason: DeclineInvalidMerchant, RetryElsewhere: true}, NewDecline("1", "m", DeclineInvalidMerchant))
	require.Equal(t, &Decline{Code: "1", Reason: DeclineStolenCard}, NewDecline("1", "", DeclineStolenCard))
	require.Equal(t, &Decline{Code: "1", Reason: DeclineGeneric, RetryElsewhere: true}, NewDecline("1", "", ""))
	require.Equal(t, StatusDeclined, Declined(NewDecline("1", "", "")).Status)
	require.Nil(t, NewChecks("", "", ""))
	require.Equal(t, &Checks{PostalCode: CheckFail}, NewChecks("", "", CheckFail))
}

func TestCheckCodes(t *testing.T) {
	codes := CheckCodes{CVC: Results{{CheckPass, "M"}, {CheckFail, "N"}}, Line1: Results{{CheckPass, "Y A"}, {CheckFail, "Z"}}, PostalCode: Results{{CheckPass, "Y Z"}, {CheckFail, "A"}},
		Other: CheckUnavailable}
	require.Equal(t, &Checks{CVC: CheckFail, AddressLine1: CheckPass, PostalCode: CheckFail}, codes.Read("N", "A"))
	require.Equal(t, &Checks{CVC: CheckUnavailable}, codes.Read("X", ""))
	require.Equal(t, &Checks{AddressLine1: CheckFail, PostalCode: CheckPass}, codes.Read("", "Z"))
	require.Nil(t, codes.Read("", ""))
	codes.Other = ""
	require.Nil(t, codes.Read("X", "X"))
}

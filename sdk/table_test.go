package sdk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	reasons := Reasons{
		{DeclineInsufficientFunds, "202"},
		{DeclineInvalidMerchant, "410:merchant_configuration 411:account_inactive 20"},
		{DeclineGeneric, "411"},
	}
	for code, want := range map[string]DeclineReason{"202": DeclineInsufficientFunds, "410": DeclineInvalidMerchant, "411": DeclineInvalidMerchant,
		"20": DeclineInvalidMerchant, "2": "", "41": "", "2020": "", "": "", "merchant_configuration": "", " ": ""} {
		require.Equal(t, want, reasons.Of(code), code)
	}
	require.Equal(t, "account_inactive", reasons.Name("411"))
	require.Empty(t, reasons.Name("202"))
	require.Empty(t, reasons.Name("999"))
	require.Zero(t, testing.AllocsPerRun(10, func() { reasons.Of("411") }))
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

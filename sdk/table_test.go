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

// A page of the processor's is a redirect only if it is an https URL.
func TestRedirect(t *testing.T) {
	for url, want := range map[string]Outcome{
		"https://p.example/1": {Status: StatusCustomerAction, NextAction: &NextAction{Type: NextActionRedirect, URL: "https://p.example/1"}},
		"":                    {Status: StatusPending}, "http://p.example/1": {Status: StatusPending}, "javascript:0": {Status: StatusPending},
	} {
		o := Outcome{}
		o.Redirect(url)
		require.Equal(t, want, o, url)
	}
}

func TestReasonOfAStatus(t *testing.T) {
	for status, want := range map[int]DeclineReason{401: DeclineInvalidMerchant, 403: DeclineInvalidMerchant, 429: DeclineTryLater, 400: DeclineFraud, 422: DeclineFraud} {
		require.Equal(t, want, (&Response{Status: status}).Reason(DeclineFraud), status)
	}
}

func TestTestAndLive(t *testing.T) {
	all := TestAndLive("https://test.p.example/v1", "https://p.example", "files.p.example")
	require.Equal(t, map[string]Environment{"test": {BaseURL: "https://test.p.example/v1", Hosts: []string{"test.p.example", "files.p.example"}},
		"live": {BaseURL: "https://p.example", Hosts: []string{"p.example", "files.p.example"}}}, all)
}

func TestCurrenciesExcept(t *testing.T) {
	some := CurrenciesExcept("ISK", "CLF")
	require.Len(t, some, len(Currencies())-2)
	require.NotContains(t, some, Currency("ISK"))
	require.Contains(t, some, Currency("JPY"))
	require.Contains(t, Currencies(), Currency("ISK"))
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

package sdk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDeclines(t *testing.T) {
	table := ParseDeclines(`
# Codes of the issuer's.
202          insufficient_funds
410,411      invalid_merchant         Account is inactive
264          try_again_later:final    Retry in a few days
41           stolen_card:elsewhere
card_number* incorrect_number
card*        card_not_supported
420,421      in_doubt                 Communication error
`)
	for code, want := range map[string]DeclineReason{"202": DeclineInsufficientFunds, "410": DeclineInvalidMerchant, "411": DeclineInvalidMerchant,
		"264": DeclineTryLater, "41": DeclineStolenCard, "card_number": DeclineIncorrectNumber, "card_number_invalid": DeclineIncorrectNumber,
		"cardiac": DeclineCardNotSupported, "2": "", "2020": "", "": "", "#": "", "stolen_card": "", "410,411": "", "car": "", "420": "", "421": ""} {
		require.Equal(t, want, table.Of(code), code)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { table.Of("nowhere") }))

	require.Equal(t, &Decline{Code: "411", Message: "Account is inactive", Reason: DeclineInvalidMerchant, RetryElsewhere: true}, table.New("411", "", ""))
	require.Equal(t, &Decline{Code: "411", Message: "m", Reason: DeclineInvalidMerchant, RetryElsewhere: true}, table.New("411", "m", DeclineGeneric))
	require.Equal(t, &Decline{Code: "264", Message: "Retry in a few days", Reason: DeclineTryLater}, table.New("264", "", ""))
	require.Equal(t, &Decline{Code: "41", Reason: DeclineStolenCard, RetryElsewhere: true}, table.New("41", "", ""))
	require.Equal(t, NewDecline("9", "m", DeclineProcessingError), table.New("9", "m", DeclineProcessingError))
	require.Equal(t, DeclineGeneric, table.New("9", "m", "").Reason)
	require.Equal(t, DeclineGeneric, Declines{}.New("9", "m", "").Reason)
	require.Empty(t, ParseDeclines(""))
	for code, doubt := range map[string]bool{"420": true, "421": true, "410": false, "42": false, "": false} {
		require.Equal(t, doubt, table.InDoubt(code), code)
	}

	for text, want := range map[string]string{
		"1":                          "decline codes, line 1: \"\" is not a decline reason: see sdk.DeclineReason",
		"# 1\n\n1 insufficient_fund": "decline codes, line 3: \"insufficient_fund\" is not a decline reason: see sdk.DeclineReason",
		"1 lost_card:never":          "decline codes, line 1: \"never\" after the colon is neither final nor elsewhere",
		"1 in_doubt:final":           "decline codes, line 1: a code in doubt has neither final nor elsewhere",
		"1,,2 lost_card":             "decline codes, line 1: a code is empty",
		"* lost_card":                "decline codes, line 1: a code is empty",
		"1 lost_card\n2,1 lost_card": "decline codes, line 2: the code 1 stands in an earlier line too",
		"card* lost_card\ncard_number* stolen_card":  "decline codes, line 2: the code card_number stands in an earlier line too",
		"card_number* lost_card\ncard_n stolen_card": "",
	} {
		if want == "" {
			require.NotPanics(t, func() { ParseDeclines(text) }, text)
		} else {
			require.PanicsWithValue(t, want, func() { ParseDeclines(text) }, text)
		}
	}
}

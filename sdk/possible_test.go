package sdk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestImpossibleOutcomes(t *testing.T) {
	asked := Money{Minor: 2499, Currency: "USD"}
	amount := func(minor int64, c Currency) *Money { return &Money{Minor: minor, Currency: c} }
	for _, tc := range []struct {
		op   Operation
		o    Outcome
		want string
	}{
		{OpAuthorize, Outcome{Status: StatusAuthorized}, ""},
		{OpAuthorize, Outcome{Status: StatusUnknown}, ""},
		{OpAuthorize, Outcome{Status: StatusVoided}, "authorize cannot end with the outcome voided: use authorized, captured, pending"},
		{OpCapture, Outcome{Status: StatusAuthorized}, "capture cannot end with the outcome authorized: use captured, pending, declined or unknown"},
		{OpVerify, Outcome{Status: StatusAuthorized}, "verify cannot end with the outcome authorized: use verified"},
		{OpRefund, Outcome{Status: StatusNotFound}, "refund cannot end with the outcome not_found: use refunded"},
		{OpWebhook, Outcome{Status: StatusCaptured}, "webhook cannot end with the outcome captured: use handled or unknown"},
		{OpCapture, Outcome{Status: StatusCaptured, Amount: amount(2499, "USD")}, ""},
		{OpCapture, Outcome{Status: StatusCaptured, Amount: amount(2500, "USD")}, "25.00 USD is more than the requested 24.99 USD"},
		{OpCapture, Outcome{Status: StatusCaptured, Amount: amount(2499, "EUR")}, "24.99 EUR is not in the request's currency USD"},
		{OpCapture, Outcome{Status: StatusCaptured, Amount: amount(0, "USD")}, "captured with an amount of zero"},
		{OpRefund, Outcome{Status: StatusRefunded, Amount: amount(-1, "USD")}, "is negative"},
		{OpAuthorize, Outcome{Status: StatusAuthorized, Amount: amount(1000, "USD")}, ""}, // approved in part
		{OpSync, Outcome{Status: StatusCaptured, Amount: amount(9999, "USD")}, ""},
		{OpSync, Outcome{Status: StatusCaptured, Amount: amount(9999, "EUR")}, "is not in the request's currency"},
		{OpVoid, Outcome{Status: StatusVoided, Amount: amount(2499, "USD")}, ""},
		{OpAccessToken, Outcome{Status: StatusToken, Token: &AccessToken{Value: "t", ExpiresIn: 1}}, ""},
		{OpAccessToken, Outcome{Status: StatusToken}, "the outcome token needs token.value"},
		{OpAccessToken, Outcome{Status: StatusToken, Token: &AccessToken{ExpiresIn: 60}}, "the outcome token needs token.value"},
		{OpAccessToken, Outcome{Status: StatusToken, Token: &AccessToken{Value: "t"}}, "token.expires_in: the token's lifetime of 0 s is not between"},
		{OpAccessToken, Outcome{Status: StatusToken, Token: &AccessToken{Value: "t", ExpiresIn: -60}},
			"token.expires_in: the token's lifetime of -60 s is not between 1 s and 315360000 s: give the seconds from now until it ends"},
		{OpAccessToken, Outcome{Status: StatusToken, Token: &AccessToken{Value: "t", ExpiresIn: 1_768_472_430}}, "lifetime of 1768472430 s is not between"},
	} {
		got := tc.o.Impossible(tc.op, asked)
		if tc.want == "" {
			require.Empty(t, got, "%s %+v", tc.op, tc.o)
			continue
		}
		require.Contains(t, got, tc.want, "%s %+v", tc.op, tc.o)
	}
	for _, op := range Operations() {
		require.NotEmpty(t, op.Outcomes(), op)
		require.NotContains(t, op.Outcomes(), StatusUnknown, op)
	}
}

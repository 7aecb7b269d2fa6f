package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/engine/routing"
	"payswitch/sdk"
)

// TestRetryObeysSchemes: after a decline, codes of the network decide whether another account may try, whatever the adapter and the operator's rule say.
func TestRetryObeysSchemes(t *testing.T) {
	t.Parallel()
	const mastercard = "5555555555554444"
	var answer *sdk.Outcome
	p := newBooth(t, answers(402))
	w := newCounters(t, p.URL, clerk("first", func(c *sdk.Call) (*sdk.Outcome, error) {
		ask(c, "POST", "/pay")
		o := *answer
		return &o, nil
	}))
	w.profileFields(`{"scheme_retry_limits":"ignore"}`) // one decline must not decide about the next payment
	_, err := w.CreateErrorRule(t.Context(), routing.ErrorRule{ErrorKey: routing.ErrorKey{Connector: "first", Flow: "Payment", SubFlow: "Authorize", Code: "05", Message: "no"},
		Details: routing.ErrorDetails{Status: "failure", Decision: "retry", StepUp: true}})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		number   string
		decline  sdk.Decline
		attempts int
	}{
		"no code":                             {visa, sdk.Decline{}, 2},
		"insufficient funds":                  {visa, sdk.Decline{NetworkCode: "51"}, 2},
		"Visa: do not honor":                  {visa, sdk.Decline{NetworkCode: "05"}, 2},
		"Visa: pick up":                       {visa, sdk.Decline{NetworkCode: "04"}, 1},
		"Visa: invalid transaction":           {visa, sdk.Decline{NetworkCode: "12"}, 1},
		"Visa: no such account":               {visa, sdk.Decline{NetworkCode: "14"}, 1},
		"Visa: no such issuer":                {visa, sdk.Decline{NetworkCode: "15"}, 1},
		"Visa: closed account":                {visa, sdk.Decline{NetworkCode: "46"}, 1},
		"Visa: not permitted":                 {visa, sdk.Decline{NetworkCode: "57"}, 1},
		"Visa: the series was stopped":        {visa, sdk.Decline{NetworkCode: "R1"}, 1},
		"Visa: category 1 as advice":          {visa, sdk.Decline{AdviceCode: "1"}, 1},
		"Mastercard: not permitted":           {mastercard, sdk.Decline{NetworkCode: "57"}, 2},
		"Mastercard: category 1 is Visa's":    {mastercard, sdk.Decline{AdviceCode: "1"}, 2},
		"Mastercard: new account information": {mastercard, sdk.Decline{AdviceCode: "01"}, 2},
		"Mastercard: do not try again":        {mastercard, sdk.Decline{AdviceCode: "03"}, 1},
		"Mastercard: cancelled":               {mastercard, sdk.Decline{AdviceCode: "21"}, 1},
		"Mastercard: try again later":         {mastercard, sdk.Decline{AdviceCode: "02"}, 1},
		"Mastercard: after an hour":           {mastercard, sdk.Decline{AdviceCode: "24"}, 1},
		"Mastercard: after ten days":          {mastercard, sdk.Decline{AdviceCode: "30"}, 1},
		"the reason alone":                    {visa, sdk.Decline{Reason: sdk.DeclineStolenCard}, 1},
	} {
		d := c.decline
		d.Code, d.Message, d.RetryElsewhere = "05", "no", true
		if d.Reason == "" {
			d.Reason = sdk.DeclineDoNotHonor
		}
		answer = &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &d}
		v := w.pay(sale(1200, c.number))
		require.Equal(t, c.attempts, v.Payment.AttemptCount, name)
		require.Equal(t, map[int]payment.Status{1: payment.Failed, 2: payment.Succeeded}[c.attempts], v.Payment.Status, name)
	}
}

// TestReuseStepsUpNever: a card that must not be tried again is not tried with 3-D Secure either.
func TestReuseStepsUpNever(t *testing.T) {
	t.Parallel()
	p := newBooth(t, answers(402))
	final := refusal()
	final.Decline.AdviceCode = "03"
	stepping := clerk("first", says(final))
	stepping.Manifest.Features.Processor3DS = true
	stepping.Complete = says(final)
	w := newCounters(t, p.URL, stepping)
	_, err := w.CreateErrorRule(t.Context(), routing.ErrorRule{ErrorKey: routing.ErrorKey{Connector: "first", Flow: "Payment", SubFlow: "Authorize", Code: "05", Message: "no"},
		Details: routing.ErrorDetails{Status: "failure", Decision: "retry", StepUp: true}})
	require.NoError(t, err)
	_, err = w.CreateConfigKey(t.Context(), "step_up_enabled_m1", `["first"]`)
	require.NoError(t, err)
	for advice, number := range map[string]string{"03": visa, "24": "5555555555554444"} {
		final.Decline.AdviceCode = advice
		require.Equal(t, 1, w.pay(sale(1200, number)).Payment.AttemptCount, advice)
	}
	require.EqualValues(t, 2, p.count.Load())
}

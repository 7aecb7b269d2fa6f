package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	acquirers "payswitch/engine/acquirer"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// The rule claims risk analysis if the merchant's own analysis accepted the payment, up to the limits of the profile and the acquirer's fraud
// rate.
func TestRiskAnalysis(t *testing.T) {
	t.Parallel()
	const accepted, refused = `{"risk_accepted":true,"score":12}`, `{"risk_accepted":false}`
	for name, c := range map[string]struct {
		amount    int64
		frm, rate string
		claimed   sdk.Exemption
	}{
		"accepted":                    {200_00, accepted, "", sdk.ExemptionRiskAnalysis},
		"the acquirer's rate allows":  {250_00, accepted, "0.06", sdk.ExemptionRiskAnalysis},
		"the acquirer's rate forbids": {200_00, accepted, "0.07", ""},
		"too much for the profile":    {250_01, accepted, "0.001", ""},
		"refused":                     {200_00, refused, "", ""},
		"nothing said":                {200_00, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := exemptWorld(t, `{"external_three_ds_policy":{"exemption_policy":"rules","exemption_rules":{"transaction_risk_analysis_threshold_eur":250}}}`, sdk.ExemptionRiskAnalysis)
			in := sale(c.amount, visa, euros)
			if c.frm != "" {
				in.RiskAccepted = ptr(payment.RiskAccepted(json.RawMessage(c.frm)))
			}
			if c.rate != "" {
				acquirer, err := w.CreateAcquirer(t.Context(), w.auth, acquirers.Input{ProfileID: w.profile.ID, Network: sdk.Visa, BIN: ptr("412345"), MID: ptr("MID1"),
					Name: ptr("Shop"), Country: ptr("DK"), FraudRate: json.RawMessage(c.rate)})
				require.NoError(t, err)
				in.ProfileAcquirerID = &acquirer.ID
			}
			v := w.pay(in)
			require.Equal(t, payment.Succeeded, v.Payment.Status)
			require.Equal(t, c.claimed, w.bank.last(t).Exemption)
		})
	}
}

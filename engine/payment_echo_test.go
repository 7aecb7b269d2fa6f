package engine

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// A payment that an older version stored has the values that decide in Echo alone.
func TestFillFromEcho(t *testing.T) {
	t.Parallel()
	yes, no, acquirer, other := true, false, "pro_acq_1", ""
	for name, c := range map[string]struct{ stored, want payment.Details }{
		"all": {
			payment.Details{Echo: echoOf("mit_category", `"recurring"`, "psd2_sca_exemption_type", `"low_value"`, "is_stored_credential", `false`,
				"force_3ds_challenge", `true`, "frm_metadata", `{"risk_accepted":true,"score":12}`, "profile_acquirer_id", `"pro_acq_1"`,
				"business_country", `"FR"`, "business_label", `"shop"`, "skip_external_tax_calculation", `true`, "surcharge_details", `{"surcharge_amount":0}`)},
			payment.Details{MITCategory: sdk.MITRecurring, SCAExemption: sdk.ExemptionLowValue, StoredCredential: &no, Force3DSChallenge: &yes, RiskAccepted: &yes,
				ProfileAcquirerID: &acquirer, BusinessCountry: "FR", BusinessLabel: "shop", SkipTax: &yes, SurchargeNamed: true},
		},
		"nothing that decides":     {payment.Details{Echo: echoOf("order_details", `[]`, "feature_metadata", `{}`)}, payment.Details{}},
		"the surcharge of rules":   {payment.Details{SurchargeRuled: true, Echo: echoOf("surcharge_details", `{"surcharge_amount":5}`)}, payment.Details{SurchargeRuled: true}},
		"a risk that was refused":  {payment.Details{Echo: echoOf("frm_metadata", `{"risk_accepted":false}`)}, payment.Details{RiskAccepted: &no}},
		"a risk without a verdict": {payment.Details{Echo: echoOf("frm_metadata", `{"risk_accepted":"yes"}`)}, payment.Details{RiskAccepted: &no}},
		"a null":                   {payment.Details{Echo: echoOf("mit_category", `null`, "force_3ds_challenge", `null`)}, payment.Details{}},
		"typed fields stay": {
			payment.Details{MITCategory: sdk.MITUnscheduled, SCAExemption: sdk.ExemptionRiskAnalysis, StoredCredential: &yes, Force3DSChallenge: &no, RiskAccepted: &no,
				ProfileAcquirerID: &other, Echo: echoOf("mit_category", `"recurring"`, "psd2_sca_exemption_type", `"low_value"`, "is_stored_credential", `false`,
					"force_3ds_challenge", `true`, "frm_metadata", `{"risk_accepted":true}`, "profile_acquirer_id", `"pro_acq_1"`)},
			payment.Details{MITCategory: sdk.MITUnscheduled, SCAExemption: sdk.ExemptionRiskAnalysis, StoredCredential: &yes, Force3DSChallenge: &no, RiskAccepted: &no,
				ProfileAcquirerID: &other},
		},
	} {
		got := c.stored
		got.FillFromEcho()
		c.want.Echo = c.stored.Echo
		require.Equal(t, c.want, got, name)
	}
}

func echoOf(pairs ...string) map[string]json.RawMessage {
	echo := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		echo[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return echo
}

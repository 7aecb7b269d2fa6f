package threeri

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/threeds"
)

func TestPlanThreeRI(t *testing.T) {
	on, mandatory := threeds.Default(), threeds.Default()
	on.ThreeRIForMIT, mandatory.ThreeRIForMIT = threeds.RuleOn, threeds.RuleMandatory
	good := Request{Kind: MITRecurring, Supported: true, PriorReference: "acs", ProcessorTakes: true}
	require.Equal(t, Plan{Run: true, Indicator: "01", Category: threeds.Payment}, NewPlan(on, good))
	require.Equal(t, Plan{Run: true, Indicator: "01", Category: threeds.Payment}, NewPlan(mandatory, good))
	require.Equal(t, Plan{Reason: "three_ri_off"}, NewPlan(threeds.Default(), good))
	require.Equal(t, Plan{Reason: "three_ri_off"}, NewPlan(threeds.Config{}, good))
	for reason, change := range map[string]func(r *Request){
		"not_supported_by_authenticator": func(r *Request) { r.Supported = false },
		"not_supported_by_processor":     func(r *Request) { r.ProcessorTakes = false },
		"first_use_not_authenticated":    func(r *Request) { r.PriorReference = "" },
	} {
		r := good
		change(&r)
		require.Equal(t, Plan{Reason: reason}, NewPlan(on, r))
		require.Equal(t, Plan{Reason: reason, ErrorCode: threeds.CodeUnavailable}, NewPlan(mandatory, r))
	}
	for kind, ind := range map[MIT]string{MITInstallment: "02", MITUnscheduled: "11", MITResubmission: "11", MITSplit: "06", MITTopUp: "07", "": "11"} {
		r := good
		r.Kind = kind
		require.Equal(t, ind, NewPlan(on, r).Indicator, kind)
	}
	check := good
	check.Kind, check.ZeroAmount = MITUnscheduled, true
	require.Equal(t, Plan{Run: true, Indicator: "05", Category: threeds.NonPayment}, NewPlan(on, check))
}

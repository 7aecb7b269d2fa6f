package threeds

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/threeds/internal/vector"
	"payswitch/sdk"
)

// schemes are the vectors' names of card schemes.
var schemes = map[string]sdk.CardNetwork{"": sdk.Visa, "visa": sdk.Visa, "mastercard": sdk.Mastercard, "amex": sdk.AmericanExpress,
	"jcb": sdk.JCB, "discover": sdk.Discover, "diners": sdk.DinersClub, "unionpay": sdk.UnionPay, "cb": sdk.CartesBancaires}

// channels are EMV's deviceChannel values.
var channels = map[string]Channel{"": Browser, "01": App, "02": Browser, "03": ThreeRI}

// TestGroups: some test runs each group of cases.
func TestGroups(t *testing.T) {
	tested := []string{"policy", "comp_ind", "encoding", "cres", "reconcile", "binding", "normalise", "challenge_ind", "soft_decline",
		"e2e"} // the last group runs over HTTP, with an authenticator and a processor
	for _, c := range vector.Read(t).Cases {
		require.Contains(t, tested, c.Group, c.ID)
	}
}

// overrides returns a case's changes to the defaults.
func overrides(t *testing.T, defaults, knobs json.RawMessage) Config {
	t.Helper()
	merged := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal(defaults, &merged))
	if knobs != nil {
		require.NoError(t, json.Unmarshal(knobs, &merged))
	}
	raw, err := json.Marshal(merged)
	require.NoError(t, err)
	cfg, err := ParseConfig(raw)
	require.NoError(t, err)
	return cfg
}

// paymentStatus returns the status that follows from an action at a processor that answers as given.
func paymentStatus(a Action, processor, capture string) (status, code string) {
	switch {
	case a.WaitsForCustomer():
		return "requires_customer_action", ""
	case a.Authorizes():
		switch {
		case processor == "declined":
			return "failed", "processor_declined"
		case processor == "pending":
			return "processing", ""
		case capture == "manual":
			return "requires_capture", ""
		}
		return "succeeded", ""
	}
	return "failed", ""
}

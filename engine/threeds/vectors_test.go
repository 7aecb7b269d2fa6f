package threeds

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// vectors are the cases of testdata/vectors.json.
type vectors struct {
	KnobDefaults json.RawMessage `json:"knob_defaults"`
	IDs          struct {
		Server string `json:"server_trans_id"`
		ACS    string `json:"acs_trans_id"`
		DS     string `json:"ds_trans_id"`
	} `json:"ids"`
	Cases []vector `json:"cases"`
}

type vector struct {
	ID     string          `json:"id"`
	Group  string          `json:"group"`
	Title  string          `json:"title"`
	Input  json.RawMessage `json:"input"`
	Expect json.RawMessage `json:"expect"`
}

func readVectors(t testing.TB) vectors {
	t.Helper()
	raw, err := os.ReadFile("testdata/vectors.json")
	require.NoError(t, err)
	var v vectors
	require.NoError(t, json.Unmarshal(raw, &v))
	return v
}

// eachVector runs a group's cases. Every key of input and expect must have a field, so that no key is ignored.
func eachVector[I, E any](t *testing.T, group string, check func(t *testing.T, v vectors, in I, want E)) {
	t.Helper()
	all := readVectors(t)
	n := 0
	for _, c := range all.Cases {
		if c.Group != group {
			continue
		}
		n++
		t.Run(c.ID+" "+c.Title, func(t *testing.T) {
			var in I
			var want E
			require.NoError(t, strict(c.Input, &in))
			require.NoError(t, strict(c.Expect, &want))
			check(t, all, in, want)
		})
	}
	require.NotZero(t, n, "no cases of group %s", group)
}

func strict(raw []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// schemes are the vectors' names of card schemes.
var schemes = map[string]sdk.CardNetwork{"": sdk.Visa, "visa": sdk.Visa, "mastercard": sdk.Mastercard, "amex": sdk.AmericanExpress,
	"jcb": sdk.JCB, "discover": sdk.Discover, "diners": sdk.DinersClub, "unionpay": sdk.UnionPay, "cb": sdk.CartesBancaires}

// channels are EMV's deviceChannel values.
var channels = map[string]Channel{"": Browser, "01": App, "02": Browser, "03": ThreeRI}

// TestGroups: some test runs each group of cases.
func TestGroups(t *testing.T) {
	tested := []string{"policy", "comp_ind", "encoding", "cres", "reconcile", "binding", "normalise", "challenge_ind", "soft_decline",
		"e2e"} // the last group runs over HTTP, with an authenticator and a processor
	for _, c := range readVectors(t).Cases {
		require.Contains(t, tested, c.Group, c.ID)
	}
}

// overrides are a case's changes to the defaults.
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

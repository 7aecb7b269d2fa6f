package router_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The payment's billing fills what that of the payment method lacks, and the profile can switch that off. bankofamerica refuses a payment without an
// address.
func TestBillingOfTheMethod(t *testing.T) {
	t.Parallel()
	w := simulators(t, "bankofamerica")
	const street, mail = `{"address":{"line1":"1 Main St","country":"US"}}`, `{"email":"ada@example.com"}`
	pay := func(changes ...string) map[string]any { return w.held("bankofamerica", changes...) }
	outcome := func(p map[string]any) []any { return []any{p["status"], p["error_code"]} }
	refused, held := []any{"failed", "MISSING_FIELD"}, []any{"requires_capture", nil}
	for _, c := range []struct {
		fill    bool
		changes []string
		want    []any
	}{
		{true, nil, refused},
		{true, []string{"billing", street}, held},
		{true, []string{"payment_method_data.billing", street}, held},
		{true, []string{"billing", street, "payment_method_data.billing", mail}, held},
		{false, []string{"billing", street}, refused},
		{false, []string{"billing", street, "payment_method_data.billing", mail}, refused},
		{false, []string{"billing", mail, "payment_method_data.billing", street}, held},
	} {
		setting := map[bool]string{true: "true", false: "false"}[c.fill]
		w.post("/account/m1/business_profile/"+w.profile, `{"use_billing_as_payment_method_billing":`+setting+`}`).ok()
		p := pay(c.changes...)
		require.Equal(t, c.want, outcome(p), "%v %v", c.fill, c.changes)
		if len(c.changes) > 0 && c.changes[0] == "billing" {
			require.NotNil(t, p["billing"], "it is shown in any case")
		}
	}
}

// The keys that say whether the unified authentication service is used are kept and shown. No answer to a payment depends on them.
func TestAuthenticationServiceKeys(t *testing.T) {
	t.Parallel()
	w := simulators(t)
	kinds := map[string]string{"three_ds": "requires_customer_action", "no_three_ds": "succeeded"}
	check := func(state string) {
		for kind, want := range kinds {
			p := w.post("/payments", `{"amount":1000,"currency":"USD","confirm":true,"return_url":"https://shop.example/r","authentication_type":"`+kind+`",`+tableCard+`}`).ok()
			require.Equal(t, []any{want, kind}, []any{p["status"], p["authentication_type"]}, state)
		}
	}
	check("without keys")
	keys := []string{"authentication_service_eligible_org_1", "authentication_service_eligible_m1", "should_store_eligibility_check_data_for_authentication_m1"}
	for _, value := range []string{"true", "false", "TRUE"} {
		for _, key := range keys {
			require.Equal(t, value, w.admin("POST", "/configs", `{"key":"`+key+`","value":"`+value+`"}`).ok()["value"])
		}
		check(value)
		for _, key := range keys {
			require.Equal(t, value, w.admin("GET", "/configs/"+key, "").ok()["value"])
			require.Equal(t, value, w.admin("DELETE", "/configs/"+key, "").ok()["value"])
		}
	}
}

// The hint of a refused config key names the length that a config key may have, which is more than that of an id.
func TestConfigKeyHints(t *testing.T) {
	t.Parallel()
	w := simulators(t)
	for key, hint := range map[string]string{"a b": "Send 1 to 128 characters of A-Z, a-z, 0-9, _ and -.", strings.Repeat("k", 129): "Shorten the key to 128 characters."} {
		e := w.admin("POST", "/configs", `{"key":"`+key+`","value":"x"}`).object()["error"].(map[string]any)
		require.Equal(t, []any{"key", hint}, []any{e["param"], e["hint"]})
	}
}

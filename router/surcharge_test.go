package router_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// surchargeProgram has a rate with tax for Visa, a fixed amount for Mastercard, other terms for large and for British payments; nothing for other cards.
func surchargeProgram() string {
	rule := func(name, terms, conditions string) string {
		return fmt.Sprintf(`{"name":%q,"connectorSelection":{"surcharge_details":%s},"statements":[{"condition":[%s]}]}`, name, terms, conditions)
	}
	rate := func(percentage, tax string) string {
		return `{"surcharge":{"type":"rate","value":{"percentage":` + percentage + `}},"tax_on_surcharge":` + tax + `}`
	}
	return `{"defaultSelection":{"surcharge_details":null},"metadata":{},"rules":[` +
		rule("waived", "null", condition("metadata", "equal", "metadata_variant", `{"key":"class","value":"friend"}`)) + "," +
		rule("large", rate("0.01", "null"), condition("amount", "greater_than", "number", "100000")) + "," +
		rule("british", `{"surcharge":{"type":"fixed","value":{"amount":7}},"tax_on_surcharge":null}`, condition("billing_country", "equal", "enum_variant", `"UnitedKingdomOfGreatBritainAndNorthernIreland"`)) + "," +
		rule("visa", rate("2.5", `{"percentage":19}`), condition("card_network", "equal", "enum_variant", `"Visa"`)) + "," +
		rule("mastercard", `{"surcharge":{"type":"fixed","value":{"amount":30}},"tax_on_surcharge":null}`, condition("card_network", "equal", "enum_variant", `"Mastercard"`)+","+condition("payment_method", "equal", "enum_variant", `"card"`)) +
		`]}`
}

const (
	masterCard = `"5555555555554444"`
	amexCard   = `"378282246310005"`
	numberOf   = "payment_method_data.card.card_number"
)

func charging(t *testing.T) *routedWorld {
	w := newRouted(t)
	w.put("/routing/decision/surcharge", `{"name":"n","merchant_surcharge_configs":{"show_surcharge_breakup_screen":true},"algorithm":`+surchargeProgram()+`}`).ok()
	return w
}

// TestSurchargeInPayments: the merchant's surcharge rules add to the net amount of a payment at confirm.
func TestSurchargeInPayments(t *testing.T) {
	t.Parallel()
	w := charging(t)
	ruled := func(amount, tax float64) any { return map[string]any{"surcharge_amount": amount, "tax_amount": tax} }
	for name, c := range map[string]struct {
		changes []string
		net     float64
		details any
	}{
		"a rate and its tax, each rounded up":      {nil, 1030, ruled(25, 5)},
		"a rate of an odd amount":                  {[]string{"amount", "999"}, 1029, ruled(25, 5)},
		"a rate of order, shipping and tax":        {[]string{"shipping_cost", "600", "order_tax_amount", "400"}, 2060, ruled(50, 10)},
		"a fixed amount":                           {[]string{numberOf, masterCard}, 1030, ruled(30, 0)},
		"no rule for the network":                  {[]string{numberOf, amexCard}, 1000, nil},
		"by amount":                                {[]string{"amount", "100001"}, 100012, ruled(11, 0)},
		"by billing country":                       {[]string{"billing.address.country", `"GB"`}, 1007, ruled(7, 0)},
		"a rule that waives":                       {[]string{"metadata.class", `"friend"`}, 1000, nil},
		"the request's own wins":                   {[]string{"surcharge_details", `{"surcharge_amount":90,"tax_amount":9}`}, 1099, ruled(90, 9)},
		"even a zero of the request wins":          {[]string{"surcharge_details", `{"surcharge_amount":0}`}, 1000, map[string]any{"surcharge_amount": 0.0}},
		"null in the request is no word":           {[]string{"surcharge_details", `null`}, 1030, ruled(25, 5)},
		"a check of the card costs nothing":        {[]string{"amount", "0", "setup_future_usage", `"off_session"`, "customer_id", `"c1"`, "customer_acceptance", `{"acceptance_type":"online"}`}, 0, nil},
		"nobody is there to agree to the amount":   {[]string{"off_session", "true"}, 1000, nil},
		"held amounts have the surcharge in them":  {[]string{"capture_method", `"manual"`}, 1030, ruled(25, 5)},
		"a threshold counts the amount without it": {[]string{"amount", "100000"}, 102975, ruled(2500, 475)},
	} {
		p := w.post("/payments", with(plain, c.changes...)).ok()
		require.Equal(t, []any{c.net, c.details}, []any{p["net_amount"], p["surcharge_details"]}, name)
		if p["status"] == "requires_capture" {
			require.Equal(t, c.net, p["amount_capturable"], name)
			p = w.post("/payments/"+p["payment_id"].(string)+"/capture", `{}`).ok()
		}
		require.Contains(t, []any{"succeeded", "processing"}, p["status"], name)
		if p["status"] == "succeeded" {
			require.Equal(t, c.net, p["amount_received"], name)
		}
	}
	w.put("/routing/decision/surcharge", `{"name":"n","merchant_surcharge_configs":{},"algorithm":{"defaultSelection":{"surcharge_details":null},"metadata":{},"rules":[]}}`).ok()
	require.Nil(t, w.post("/payments", plain).ok()["surcharge_details"], "the next confirm meets the new rules")
}

// TestSurchargeIsDecidedAnew: each confirm asks the rules for its card. A surcharge of an earlier confirm does not stay.
func TestSurchargeIsDecidedAnew(t *testing.T) {
	t.Parallel()
	w := charging(t)
	w.post("/account/m1/business_profile/"+w.profile, `{"is_manual_retry_enabled":true}`).ok()
	p := w.post("/payments", with(plain, "routing", `{"type":"single","data":"stripe"}`, numberOf, `"4000000000000002"`)).ok()
	require.Equal(t, []any{"failed", 1030.0}, []any{p["status"], p["net_amount"]})
	path := "/payments/" + p["payment_id"].(string)
	method := func(number string) string {
		return `{"payment_method":"card","payment_method_data":{"card":{"card_number":` + number + `,"card_exp_month":"10","card_exp_year":"2050","card_cvc":"123"}}`
	}
	repeated := method(amexCard) + `,"client_secret":"` + p["client_secret"].(string) + `","surcharge_details":{"tax_amount":5,"surcharge_amount":25}}`
	p = w.send("POST", path+"/confirm", w.publishable, repeated).ok()
	require.Equal(t, []any{"succeeded", 1000.0, nil, 1000.0}, []any{p["status"], p["net_amount"], p["surcharge_details"], p["amount_received"]}, "the client repeats what it read")

	p = w.post("/payments", with(plain, "confirm", "-", "payment_method", "-", "payment_method_data", "-")).ok()
	require.Equal(t, []any{1000.0, nil}, []any{p["net_amount"], p["surcharge_details"]}, "no card, no surcharge")
	path = "/payments/" + p["payment_id"].(string)
	secret := `,"client_secret":"` + p["client_secret"].(string) + `"`
	w.send("POST", path+"/confirm", w.publishable, method(`"4242424242424242"`)+secret+`,"surcharge_details":{"surcharge_amount":0}}`).refused(422, "IR_06", "surcharge_details is for the merchant's server")
	p = w.send("POST", path+"/confirm", w.publishable, method(`"4242424242424242"`)+secret+`}`).ok()
	require.Equal(t, []any{"succeeded", 1030.0}, []any{p["status"], p["net_amount"]})
	w.post("/refunds", fmt.Sprintf(`{"payment_id":%q,"amount":1031}`, p["payment_id"])).refused(400, "IR_13", "")
	require.Equal(t, 1030.0, w.post("/refunds", fmt.Sprintf(`{"payment_id":%q}`, p["payment_id"])).ok()["amount"])
}

// TestSurchargeAndRouting: rules of routing see the amount with the surcharge, and a further attempt costs what the first one did.
func TestSurchargeAndRouting(t *testing.T) {
	t.Parallel()
	w := charging(t)
	w.activated(oneRule(condition("amount", "greater_than", "number", "1000")))
	require.Equal(t, "adyen", w.post("/payments", plain).ok()["connector"])
	require.Equal(t, "stripe", w.post("/payments", with(plain, numberOf, amexCard)).ok()["connector"])
	w.post("/account/m1/business_profile/"+w.profile, `{"is_auto_retries_enabled":true,"max_auto_retries_enabled":2}`).ok()
	p := w.post("/payments", with(plain, "currency", `"USD"`, "routing", `{"type":"single","data":"stripe"}`, numberOf, `"4000000000000119"`)).ok()
	require.Equal(t, []any{2.0, 1030.0}, []any{p["attempt_count"], p["net_amount"]})
	for _, a := range w.get("/payments/" + p["payment_id"].(string) + "?expand_attempts=true").ok()["attempts"].([]any) {
		require.Equal(t, 1030.0, a.(map[string]any)["amount"])
	}
}

// TestSurchargeInMethodList: the list of methods shows what each network costs, before the payer chooses.
func TestSurchargeInMethodList(t *testing.T) {
	t.Parallel()
	w := &routedWorld{world: offering(t, `"connector_name":"stripe","connector_label":"c","payment_methods_enabled":`+cards)}
	require.Equal(t, false, w.asked()["show_surcharge_breakup_screen"])
	w.put("/routing/decision/surcharge", `{"name":"n","merchant_surcharge_configs":{"show_surcharge_breakup_screen":true},"algorithm":`+surchargeProgram()+`}`).ok()
	list := w.asked()
	require.Equal(t, true, list["show_surcharge_breakup_screen"])
	networks := list["payment_methods"].([]any)[0].(map[string]any)["payment_method_types"].([]any)[0].(map[string]any)["card_networks"].([]any)
	require.Equal(t, []any{"Visa", map[string]any{"surcharge": map[string]any{"type": "rate", "value": map[string]any{"percentage": 2.5}}, "tax_on_surcharge": map[string]any{"percentage": 19.0},
		"display_surcharge_amount": 0.25, "display_tax_on_surcharge_amount": 0.05, "display_total_surcharge_amount": 0.30}},
		[]any{networks[0].(map[string]any)["card_network"], networks[0].(map[string]any)["surcharge_details"]})
	require.Equal(t, map[string]any{"surcharge": map[string]any{"type": "fixed", "value": 30.0}, "tax_on_surcharge": nil,
		"display_surcharge_amount": 0.30, "display_tax_on_surcharge_amount": 0.0, "display_total_surcharge_amount": 0.30}, networks[1].(map[string]any)["surcharge_details"])
	list = w.asked("surcharge_details", `{"surcharge_amount":5}`)
	require.Equal(t, false, list["show_surcharge_breakup_screen"], "the request's own surcharge is in the amount already")
	require.Nil(t, list["payment_methods"].([]any)[0].(map[string]any)["payment_method_types"].([]any)[0].(map[string]any)["card_networks"].([]any)[0].(map[string]any)["surcharge_details"])
}

// TestSurchargeTermsRefused: terms that no payment could use are refused when they are stored.
func TestSurchargeTermsRefused(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	for name, terms := range map[string]string{
		"over 100 percent":   `{"type":"rate","value":{"percentage":100.01}}`,
		"three decimals":     `{"type":"rate","value":{"percentage":2.125}}`,
		"below zero":         `{"type":"rate","value":{"percentage":-1}}`,
		"a power of ten":     `{"type":"rate","value":{"percentage":1e1}}`,
		"text":               `{"type":"rate","value":{"percentage":"2"}}`,
		"a fraction of cent": `{"type":"fixed","value":{"amount":1.5}}`,
		"overflows":          `{"type":"fixed","value":{"amount":9223372036854775807}}`,
		"unknown type":       `{"type":"share","value":{"amount":1}}`,
	} {
		program := `{"defaultSelection":{"surcharge_details":{"surcharge":` + terms + `}},"metadata":{},"rules":[]}`
		t.Log(name)
		w.put("/routing/decision/surcharge", `{"name":"n","merchant_surcharge_configs":{},"algorithm":`+program+`}`).refused(422, "IR_06", "Invalid Request Data")
	}
}

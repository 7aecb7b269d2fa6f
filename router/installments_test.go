package router_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// plansAt5 are plans of 3, 6 and 12 parts at 5 percent.
const plansAt5 = `[{"payment_method":"card","installments":[{"number_of_installments":[3,6],"billing_frequency":"month","interest_rate":5},` +
	`{"number_of_installments":[12],"billing_frequency":"month","interest_rate":5.00},{"number_of_installments":[2],"billing_frequency":"month","interest_rate":0}]}]`

// inParts is a payment of 60.00 that offers plans, not confirmed.
const inParts = `{"amount":6000,"currency":"BRL","installment_options":` + plansAt5 + `}`

func chosen(n int) string {
	return fmt.Sprintf(`{%s,"installment_data":{"number_of_installments":%d,"billing_frequency":"month"}}`, tableCard, n)
}

// The payer chooses a plan in the confirm: its interest is added to the net amount, and the adapter hears of the number.
func TestInstallments(t *testing.T) {
	t.Parallel()
	w := simulators(t)
	for n, interest := range map[int]float64{2: 0, 3: 610, 6: 1093, 12: 2124} {
		p := w.post("/payments", with(inParts, "routing", `{"type":"single","data":"adyen"}`)).ok()
		require.JSONEq(t, plansAt5, mustJSON(t, p["installment_options"]))
		require.Nil(t, p["installment_data"])
		require.Equal(t, 6000.0, p["net_amount"])
		c := w.payment(p, "/confirm", chosen(n)).ok()
		require.Equal(t, []any{"succeeded", 6000.0, 6000 + interest, 6000 + interest}, []any{c["status"], c["amount"], c["net_amount"], c["amount_received"]}, n)
		got := w.get("/payments/" + p["payment_id"].(string)).ok()
		require.Equal(t, map[string]any{"number_of_installments": float64(n), "billing_frequency": "month", "installment_interest": interest}, got["installment_data"])
		require.JSONEq(t, plansAt5, mustJSON(t, got["installment_options"]))
		require.Equal(t, n, w.counted.asked(p["payment_id"].(string), sdk.OpAuthorize).Installments)
	}

	// Shipping, tax and surcharge carry no interest. A capture takes the interest, too.
	p := w.post("/payments", with(inParts, "shipping_cost", "100", "order_tax_amount", "20", "surcharge_details", `{"surcharge_amount":3}`, "capture_method", `"manual"`,
		"routing", `{"type":"single","data":"stripe"}`)).ok()
	c := w.payment(p, "/confirm", chosen(3)).ok()
	require.Equal(t, "requires_capture 6000 6733 6733 -", money(c))
	require.Zero(t, w.counted.asked(p["payment_id"].(string), sdk.OpAuthorize).Installments, "stripe takes no installments in BRL")
	require.Equal(t, "succeeded 6000 6733 0 6733", money(w.payment(p, "/capture", `{}`).ok()))
	require.Equal(t, "IR_13", w.post("/refunds", `{"payment_id":"`+p["payment_id"].(string)+`","amount":6734}`).error()["code"])

	// Without a choice the payer pays at once. An update replaces the plans, one without the field keeps them.
	p = w.post("/payments", inParts).ok()
	require.Equal(t, "succeeded 6000 6000 0 6000", money(w.payment(p, "/confirm", `{`+tableCard+`}`).ok()))
	p = w.post("/payments", inParts).ok()
	require.JSONEq(t, plansAt5, mustJSON(t, w.payment(p, "", `{"description":"x"}`).ok()["installment_options"]))
	other := `[{"payment_method":"card","installments":[{"number_of_installments":[4],"billing_frequency":"month","interest_rate":0.25}]}]`
	require.JSONEq(t, other, mustJSON(t, w.payment(p, "", `{"installment_options":`+other+`}`).ok()["installment_options"]))
	w.payment(p, "/confirm", chosen(3)).refused(422, "IR_06", "No installment plan found for 3 installments with Month billing frequency")
	w.payment(p, "/confirm", with(chosen(5), "installment_options", plansAt5)).refused(422, "IR_06", "No installment plan found for 5 installments with Month billing frequency")
	require.JSONEq(t, other, mustJSON(t, w.payment(p, "/confirm", with(chosen(4), "installment_options", plansAt5)).ok()["installment_options"]), "a confirm offers no plans")
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// A payment that failed keeps no plan: the next confirm chooses anew.
func TestInstallmentsOfARetry(t *testing.T) {
	t.Parallel()
	w := simulators(t)
	w.post("/account/m1/business_profile/"+w.profile, `{"is_manual_retry_enabled":true}`).ok()
	p := w.post("/payments", with(inParts, "routing", `{"type":"single","data":"adyen"}`)).ok()
	bad := with(chosen(12), "payment_method_data.card.card_number", `"4000000000000002"`)
	c := w.payment(p, "/confirm", bad).ok()
	require.Equal(t, []any{"failed", 8124.0}, []any{c["status"], c["net_amount"]})
	require.Equal(t, "succeeded 6000 6610 0 6610", money(w.payment(p, "/confirm", chosen(3)).ok()))
	p = w.post("/payments", with(inParts, "routing", `{"type":"single","data":"adyen"}`)).ok()
	w.payment(p, "/confirm", bad).ok()
	c = w.payment(p, "/confirm", `{`+tableCard+`}`).ok()
	require.Equal(t, "succeeded 6000 6000 0 6000", money(c))
	require.Nil(t, c["installment_data"])
}

func TestInstallmentsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := func(counts, frequency, rate string) string {
		return `[{"payment_method":"card","installments":[` + entry(counts, frequency, rate) + `]}]`
	}
	for name, row := range map[string]struct {
		options string
		status  int
		says    string
	}{
		"wallet":            {`[{"payment_method":"wallet","installments":[]}]`, 422, "invalid installment options: installment_options is only supported for payment method card."},
		"twice":             {`[{"payment_method":"card","installments":[]},{"payment_method":"card","installments":[]}]`, 422, "invalid installment options: duplicate payment_method 'card' in installment_options."},
		"empty":             {one(`[]`, `"month"`, `5`), 400, "number_of_installments must not be empty."},
		"not unique":        {one(`[3,6,3]`, `"month"`, `5`), 400, "number_of_installments must contain unique values."},
		"two entries":       {`[{"payment_method":"card","installments":[` + entry(`[3]`, `"month"`, `5`) + `,` + entry(`[6,3]`, `"month"`, `4`) + `]}]`, 400, "installment count 3 appears in multiple entries with the same billing frequency."},
		"negative":          {one(`[3]`, `"month"`, `-1`), 400, "interest_rate must not be negative."},
		"three decimals":    {one(`[3]`, `"month"`, `1.005`), 400, "interest_rate must have at most 2 decimal places."},
		"tiny":              {one(`[3]`, `"month"`, `1e-9`), 400, "interest_rate must have at most 2 decimal places."},
		"too high":          {one(`[3]`, `"month"`, `1e300`), 400, "interest_rate must be at most 10000."},
		"text":              {one(`[3]`, `"month"`, `"5"`), 400, "invalid type: string"},
		"count 0":           {one(`[0]`, `"month"`, `5`), 400, "expected an integer between 1 and 255"},
		"count 256":         {one(`[256]`, `"month"`, `5`), 400, "expected an integer between 1 and 255"},
		"week":              {one(`[3]`, `"week"`, `5`), 400, "unknown variant `week`"},
		"no rate":           {`[{"payment_method":"card","installments":[{"number_of_installments":[3],"billing_frequency":"month"}]}]`, 400, "missing field `interest_rate`"},
		"no installments":   {`[{"payment_method":"card"}]`, 400, "missing field `installments`"},
		"no payment method": {`[{"installments":[]}]`, 400, "missing field `payment_method`"},
		"unknown method":    {`[{"payment_method":"cards","installments":[]}]`, 400, "unknown variant `cards`"},
		"no list":           {`{}`, 400, "invalid type: map"},
	} {
		r := w.post("/payments", `{"amount":6000,"currency":"BRL","installment_options":`+row.options+`}`)
		require.Equal(t, []any{row.status, "IR_06"}, []any{r.status, r.error()["code"]}, name)
		require.Contains(t, r.error()["message"], row.says, name)
		p := w.post("/payments", `{"amount":6000,"currency":"BRL"}`).ok()
		require.Equal(t, row.status, w.payment(p, "", `{"installment_options":`+row.options+`}`).status, name)
	}
	w.post("/payments", `{"amount":6000,"currency":"BRL","installment_options":`+one(`[3]`, `"month"`, `1e1`)+`}`).ok()

	for name, body := range map[string]string{
		"options":       `{"amount":6000,"currency":"BRL","confirm":true,"installment_options":` + plansAt5 + `}`,
		"data":          `{"amount":6000,"currency":"BRL","confirm":true,"installment_data":{"number_of_installments":3,"billing_frequency":"month"}}`,
		"with the card": with(`{"amount":6000,"currency":"BRL","confirm":true,`+tableCard+`}`, "installment_options", plansAt5),
	} {
		r := w.post("/payments", body)
		require.Equal(t, []any{422, "IR_06", "installment_options and installment_data are not supported when confirm is true."},
			[]any{r.status, r.error()["code"], r.error()["message"]}, name)
	}

	p := w.post("/payments", `{"amount":6000,"currency":"BRL"}`).ok()
	w.payment(p, "/confirm", chosen(3)).refused(422, "IR_06", "Installment options are not configured for this payment")
	for _, bad := range []string{`{}`, `{"number_of_installments":3}`, `{"number_of_installments":0,"billing_frequency":"month"}`, `{"number_of_installments":3,"billing_frequency":"year"}`} {
		require.Equal(t, 400, w.payment(p, "/confirm", with(`{`+tableCard+`}`, "installment_data", bad)).status, bad)
	}
	require.Equal(t, "requires_payment_method", w.get("/payments/" + p["payment_id"].(string)).ok()["status"])
}

func entry(counts, frequency, rate string) string {
	return `{"number_of_installments":` + counts + `,"billing_frequency":` + frequency + `,"interest_rate":` + rate + `}`
}

// The list of methods says what each plan costs, where an account on the list takes installments in the currency.
func TestOfferedInstallments(t *testing.T) {
	t.Parallel()
	adyen, stripe := `"connector_name":"adyen","connector_label":"a","payment_methods_enabled":`+cards, `"connector_name":"stripe","connector_label":"b","payment_methods_enabled":`+cards
	listed := func(w *world, changes ...string) any {
		p := w.post("/payments", with(inParts, changes...)).ok()
		list := w.send("GET", "/account/payment_methods?client_secret="+p["client_secret"].(string), w.publishable, "").ok()["intent_data"].(map[string]any)
		client := w.send("GET", "/payments/"+p["payment_id"].(string)+"/client?client_secret="+p["client_secret"].(string), w.publishable, "").ok()["intent_data"].(map[string]any)
		require.Equal(t, list["installment_options"], client["installment_options"])
		return list["installment_options"]
	}
	w := offering(t, adyen, stripe)
	plan := func(n int, rate float64, each, total string) string {
		return fmt.Sprintf(`{"number_of_installments":%d,"billing_frequency":"month","interest_rate":%v,"amount_details":{"amount_per_installment":%s,"total_amount":%s}}`, n, rate, each, total)
	}
	require.JSONEq(t, `[{"payment_method":"card","available_plans":[`+plan(3, 5, "22.04", "66.1")+`,`+plan(6, 5, "11.83", "70.93")+`,`+plan(12, 5, "6.77", "81.24")+`,`+plan(2, 0, "30", "60")+`]}]`,
		mustJSON(t, listed(w)))
	require.JSONEq(t, `[{"payment_method":"card","available_plans":[`+plan(3, 5, "22.38", "67.12")+`]}]`,
		mustJSON(t, listed(w, "shipping_cost", "102", "installment_options", `[{"payment_method":"card","installments":[`+entry(`[3]`, `"month"`, `5`)+`]}]`)), "shipping carries no interest")
	require.JSONEq(t, `[{"payment_method":"card","available_plans":[`+plan(3, 5, "2204", "6610")+`]}]`,
		mustJSON(t, listed(w, "currency", `"JPY"`, "installment_options", `[{"payment_method":"card","installments":[`+entry(`[3]`, `"month"`, `5`)+`]}]`)))
	require.NotNil(t, listed(w, "currency", `"MXN"`))
	require.Nil(t, listed(w, "currency", `"USD"`))
	require.Nil(t, listed(w, "installment_options", "-"))
	require.Nil(t, listed(offering(t, stripe)), "adyen is not on the list")
}

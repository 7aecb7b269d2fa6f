package router_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// payerMaySend are the fields of a confirm that the payer's device may send, with the reasons.
var payerMaySend = map[string]string{
	"client_secret":                 "it is the payer's credential",
	"confirm":                       "a confirm is what is asked for",
	"amount":                        "v1 clients send it, and it changes nothing",
	"payment_method":                "the payer chooses how to pay",
	"payment_method_type":           "the payer chooses how to pay",
	"payment_method_data":           "the payer types the card",
	"payment_token":                 "the payer chooses a saved card of the payment's own customer",
	"card_cvc":                      "the payer types the CVC of a saved card",
	"browser_info":                  "it describes the payer's browser",
	"billing":                       "the payer types the address",
	"shipping":                      "the payer types the address",
	"email":                         "the payer types it; the stored customer keeps its own",
	"phone":                         "the payer types it; the stored customer keeps its own",
	"name":                          "the payer types it; the stored customer keeps its own",
	"return_url":                    "the checkout knows its own address; http and https alone",
	"is_iframe_redirection_enabled": "the checkout knows whether it is in a frame; only how the payer comes back depends on it",
	"customer_acceptance":           "it is the payer's consent",
	"setup_future_usage":            "the payer may agree to more, with customer_acceptance",
	"mandate_data":                  "the payer may agree to a mandate, with customer_acceptance",
	"payment_type":                  "the payer may agree to a mandate, with customer_acceptance",
	"installment_data":              "the payer chooses among the merchant's plans",
	"authentication_type":           "more authentication is to the merchant's advantage",
}

// confirmField is a field of the confirm request: the value that the merchant's server stored ("" if the field is not stored), another value; and
// the fields that the payer must send together with the other value.
type confirmField struct{ stored, changed, beside string }

const payersConsent = `"customer_acceptance":{"acceptance_type":"online","online":{"user_agent":"Mozilla/5.0"}}`

var confirmFields = map[string]confirmField{
	"client_secret":       {changed: `"SECRET"`},
	"confirm":             {changed: `true`},
	"amount":              {stored: `9000`, changed: `1`},
	"currency":            {stored: `"EUR"`, changed: `"USD"`},
	"profile_id":          {changed: `"pro_of_another_shop"`},
	"payment_method":      {changed: `"card"`},
	"payment_method_type": {changed: `"debit"`},
	"payment_method_data": {changed: `{"card":{"card_number":"4242424242424242","card_exp_month":"12","card_exp_year":"2030","card_cvc":"123"}}`},
	"payment_token":       {changed: `"TOKEN"`},
	"card_cvc":            {changed: `"123"`},
	"browser_info":        {changed: `{"user_agent":"Mozilla/5.0"}`},
	"billing":             {stored: `{"address":{"city":"Rome"}}`, changed: `{"address":{"city":"Paris"}}`},
	"shipping":            {stored: `{"address":{"city":"Rome"}}`, changed: `{"address":{"city":"Paris"}}`},
	"email":               {stored: `"a@example.com"`, changed: `"b@example.com"`},
	"phone":               {stored: `"111"`, changed: `"222"`},
	"name":                {stored: `"Ada"`, changed: `"Bea"`},
	"return_url":          {stored: `"https://shop.example/a"`, changed: `"https://shop.example/b"`},
	"customer_acceptance": {changed: `{"acceptance_type":"offline"}`},
	"setup_future_usage":  {stored: `"on_session"`, changed: `"off_session"`, beside: payersConsent},
	"mandate_data":        {changed: `{"mandate_type":{"multi_use":{"amount":1000,"currency":"EUR"}}}`, beside: `"setup_future_usage":"off_session",` + payersConsent},
	"payment_type":        {stored: `"normal"`, changed: `"new_mandate"`, beside: payersConsent},
	"authentication_type": {stored: `"no_three_ds"`, changed: `"three_ds"`},

	"order_tax_amount":  {stored: `100`, changed: `0`},
	"shipping_cost":     {stored: `500`, changed: `0`},
	"amount_to_capture": {stored: `9000`, changed: `1`},
	"surcharge_details": {stored: `{"surcharge_amount":100,"tax_amount":10}`, changed: `{"surcharge_amount":0}`},
	"payment_id":        {stored: `"ID"`, changed: `"another"`},
	"routing":           {stored: `{"type":"single","data":"stripe"}`, changed: `{"type":"single","data":"adyen"}`},
	"connector":         {stored: `["stripe"]`, changed: `["adyen"]`},
	"capture_method":    {stored: `"manual"`, changed: `"automatic"`},
	"capture_on":        {changed: `"2030-01-01T00:00:00Z"`},
	"request_external_three_ds_authentication": {changed: `true`},
	"off_session":                         {stored: `false`, changed: `true`},
	"session_expiry":                      {stored: `1200`, changed: `7000000`},
	"customer_id":                         {stored: `"ada"`, changed: `"bea"`},
	"customer":                            {stored: `{"id":"ada","name":"Ada"}`, changed: `{"id":"ada","name":"Bea"}`},
	"phone_country_code":                  {stored: `"+1"`, changed: `"+2"`},
	"recurring_details":                   {changed: `{"type":"payment_method_id","data":"pm_x"}`},
	"mandate_id":                          {changed: `"man_x"`},
	"three_ds_data":                       {changed: `{"transaction_status":"Y"}`},
	"description":                         {stored: `"Order 1"`, changed: `"Order 2"`},
	"statement_descriptor_name":           {stored: `"SHOP"`, changed: `"OTHER"`},
	"statement_descriptor_suffix":         {stored: `"ONE"`, changed: `"TWO"`},
	"merchant_order_reference_id":         {stored: `"order_1"`, changed: `"order_2"`},
	"metadata":                            {stored: `{"a":1,"b":"2"}`, changed: `{"a":1}`},
	"order_details":                       {stored: `[{"product_name":"Hat","quantity":1,"amount":9000}]`, changed: `[{"product_name":"Hat","quantity":9,"amount":9000}]`},
	"allowed_payment_method_types":        {stored: `["credit"]`, changed: `["debit"]`},
	"payment_experience":                  {stored: `"redirect_to_url"`, changed: `"one_click"`},
	"connector_metadata":                  {stored: `{"a":1}`, changed: `{}`},
	"feature_metadata":                    {stored: `{"a":1}`, changed: `{}`},
	"frm_metadata":                        {stored: `{"a":1}`, changed: `{"risk_accepted":true}`},
	"split_payments":                      {stored: `{"a":1}`, changed: `{}`},
	"business_country":                    {stored: `"US"`, changed: `"FR"`},
	"business_label":                      {stored: `"one"`, changed: `"two"`},
	"payment_channel":                     {stored: `"ecommerce"`, changed: `"mail_order"`},
	"billing_descriptor":                  {stored: `{"a":1}`, changed: `{}`},
	"mit_category":                        {stored: `"recurring"`, changed: `"unscheduled"`},
	"is_stored_credential":                {stored: `true`, changed: `false`},
	"force_3ds_challenge":                 {stored: `true`, changed: `false`},
	"psd2_sca_exemption_type":             {stored: `"low_value"`, changed: `"transaction_risk_analysis"`},
	"payment_link":                        {stored: `false`, changed: `true`},
	"payment_link_config":                 {stored: `{"a":1}`, changed: `{}`},
	"payment_link_config_id":              {stored: `"one"`, changed: `"two"`},
	"request_incremental_authorization":   {stored: `false`, changed: `true`},
	"extended_authorization_days":         {changed: `30`},
	"request_extended_authorization":      {stored: `false`, changed: `true`},
	"enable_partial_authorization":        {stored: `false`, changed: `true`},
	"enable_overcapture":                  {stored: `false`, changed: `true`},
	"retry_action":                        {stored: `"manual_retry"`, changed: `"requeue"`},
	"profile_acquirer_id":                 {changed: `"pro_acq_1"`},
	"threeds_method_comp_ind":             {changed: `"Y"`},
	"tokenization":                        {changed: `"skip_psp"`},
	"all_keys_required":                   {changed: `true`},
	"skip_external_tax_calculation":       {changed: `true`},
	"is_iframe_redirection_enabled":       {changed: `true`},
	"merchant_connector_details":          {changed: `{"a":1}`},
	"ctp_service_details":                 {changed: `{"a":1}`},
	"tax_status":                          {changed: `"exempt"`},
	"discount_amount":                     {changed: `1`},
	"shipping_amount_tax":                 {changed: `1`},
	"duty_amount":                         {changed: `1`},
	"order_date":                          {changed: `"2030-01-01T00:00:00Z"`},
	"partner_merchant_identifier_details": {stored: `{"partner_details":{"name":"Shopware"}}`, changed: `{"partner_details":{"name":"Magento"}}`},
	"installment_options": {stored: `[{"payment_method":"card","installments":[{"number_of_installments":[3],"billing_frequency":"month","interest_rate":0}]}]`,
		changed: `[{"payment_method":"card","installments":[{"number_of_installments":[9],"billing_frequency":"month","interest_rate":0}]}]`},
	"installment_data":            {changed: `{"number_of_installments":3,"billing_frequency":"month"}`},
	"external_surcharge_strategy": {changed: `"waive"`},
	"business_sub_label":          {changed: `"two"`},
}

// The payer's device may send the fields of payerMaySend. Every other field of openapi.yaml is refused by name if it differs from the stored
// value, and the payment stays as it was.
func TestPayerSendsAllowedFieldsAlone(t *testing.T) {
	t.Parallel()
	doc, err := document()
	require.NoError(t, err)
	operation := doc.Paths.Value("/payments/{payment_id}/confirm").Post
	properties := operation.RequestBody.Value.Content.Get("application/json").Schema.Value.Properties
	require.ElementsMatch(t, slices.Collect(maps.Keys(properties)), slices.Collect(maps.Keys(confirmFields)),
		"a field of the confirm request is not decided on: may the payer send it?")

	w := newWorld(t)
	for _, name := range slices.Sorted(maps.Keys(confirmFields)) { // the first ones make the customer's record, which the payer does not see
		f := confirmFields[name]
		t.Run(name, func(t *testing.T) {
			w.t = t
			made := with(plain, "amount", "9000", "confirm", "false", "customer_id", `"ada"`, "payment_method_data", "-", "payment_method", "-")
			if f.stored != "" && f.stored != `"ID"` {
				made = with(made, name, f.stored)
			}
			if name == "installment_data" { // a plan that the merchant offers
				made = with(made, "installment_options", confirmFields["installment_options"].stored)
			}
			fresh := func() (id string, body string) {
				p := w.post("/payments", made).ok()
				id = p["payment_id"].(string)
				card := confirmFields["payment_method_data"].changed
				return id, with(`{}`, "client_secret", `"`+p["client_secret"].(string)+`"`, "payment_method", `"card"`, "payment_method_data", card)
			}

			id, body := fresh()
			before := w.get("/payments/" + id).ok()
			changed := body
			if name != "client_secret" && name != "payment_token" && name != "payment_method_data" {
				changed = with(body, name, f.changed)
			}
			if f.beside != "" {
				var beside map[string]json.RawMessage
				require.NoError(t, json.Unmarshal([]byte("{"+f.beside+"}"), &beside))
				for key, value := range beside {
					changed = with(changed, key, string(value))
				}
			}
			r := w.send("POST", "/payments/"+id+"/confirm", w.publishable, changed)
			after := w.get("/payments/" + id).ok()
			for _, kept := range []string{"amount", "net_amount", "shipping_cost", "order_tax_amount", "surcharge_details", "currency", "metadata", "profile_id",
				"description", "capture_method", "merchant_order_reference_id", "statement_descriptor_name", "order_details", "customer_id"} {
				require.Equal(t, before[kept], after[kept], kept)
			}
			if payerMaySend[name] != "" {
				require.Equal(t, 200, r.status, r.body)
				return
			}
			require.Equal(t, before, after)
			switch name {
			case "customer_id": // v1 has an error of its own for this one
				r.expect(401, "IR_18", "Unauthorised access to update customer")
			case "recurring_details", "mandate_id":
				r.expect(401, "IR_01", name+" is for the merchant's server: a charge without the payer needs the secret API key")
			default:
				require.Equal(t, 422, r.status, r.body)
				require.Equal(t, "IR_06", r.error()["code"])
				require.Contains(t, r.error()["message"], name+" is for the merchant's server")
			}

			if f.stored == "" {
				return
			}
			same := f.stored
			if same == `"ID"` {
				same = `"` + id + `"`
			}
			r = w.send("POST", "/payments/"+id+"/confirm", w.publishable, with(body, name, same))
			require.Equal(t, 200, r.status, r.body)
			if before[name] != nil && name != "enable_overcapture" { // a confirm sets it to null where it cannot be
				require.Equal(t, before[name], r.object()[name], "the stored value, repeated, changes nothing")
			}
		})
	}
}

// A browser with the publishable key and the client secret cannot pay less than the merchant asked for.
func TestPayerDoesNotLowerTheAmount(t *testing.T) {
	t.Parallel()
	for field, value := range map[string]string{"shipping_cost": "0", "order_tax_amount": "0", "surcharge_details": `{"surcharge_amount":0}`} {
		t.Run(field, func(t *testing.T) {
			w := newWorld(t)
			made := with(plain, "confirm", "-", "amount", "500", "shipping_cost", "8000", "order_tax_amount", "500", "surcharge_details", `{"surcharge_amount":500}`)
			p := w.post("/payments", made).ok()
			require.EqualValues(t, 9500, p["net_amount"])
			path, body := "/payments/"+p["payment_id"].(string)+"/confirm", with(`{}`, "client_secret", `"`+p["client_secret"].(string)+`"`)

			r := w.send("POST", path, w.publishable, with(body, field, value))
			r.expect(422, "IR_06", field+" is for the merchant's server: leave it out, or send it with the secret API key when the payment is created or updated")
			r = w.send("POST", path, w.publishable, with(body, "currency", `"JPY"`))
			r.refused(422, "IR_06", "currency is for the merchant's server")
			paid := w.send("POST", path, w.publishable, with(body, "amount", "1", "currency", `"EUR"`)).ok()
			require.Equal(t, []any{"succeeded", 9500., 9500., "EUR"}, []any{paid["status"], paid["net_amount"], paid["amount_received"], paid["currency"]})
		})
	}
}

// What the payer may send under a condition is refused without it.
func TestPayerNeedsTheCondition(t *testing.T) {
	t.Parallel()
	const mandate = `{"customer_acceptance":{"acceptance_type":"offline"},"mandate_type":{"multi_use":{"amount":100,"currency":"EUR"}}}`
	mandated := []string{"customer_id", `"ada"`, "setup_future_usage", `"off_session"`, "mandate_data", mandate}
	for name, c := range map[string]struct {
		made, sent []string
		names      string // the field refused, "" where the request is accepted
		says       string
	}{
		"less authentication":       {[]string{"authentication_type", `"three_ds"`}, []string{"authentication_type", `"no_three_ds"`}, "authentication_type", "raised to three_ds"},
		"an app's scheme":           {nil, []string{"return_url", `"thief://come"`}, "return_url", "http:// or https://"},
		"the merchant's app scheme": {[]string{"return_url", `"shop://done"`}, []string{"return_url", `"shop://done"`}, "", ""},
		"no consent to be charged":  {[]string{"customer_id", `"ada"`}, []string{"setup_future_usage", `"off_session"`}, "setup_future_usage", "customer_acceptance"},
		"less than the merchant's usage": {[]string{"customer_id", `"ada"`, "setup_future_usage", `"off_session"`},
			[]string{"setup_future_usage", `"on_session"`, "customer_acceptance", `{"acceptance_type":"offline"}`}, "setup_future_usage", "raised"},
		"no consent to a type":     {nil, []string{"payment_type", `"setup_mandate"`}, "payment_type", "customer_acceptance"},
		"no consent to a mandate":  {[]string{"customer_id", `"ada"`}, []string{"mandate_data", `{"mandate_type":{"multi_use":null}}`}, "mandate_data", "customer_acceptance"},
		"other terms":              {mandated, []string{"mandate_data", with(mandate, "mandate_type.multi_use.amount", "1")}, "mandate_data", "terms"},
		"the merchant's terms":     {mandated, []string{"mandate_data", mandate}, "", ""},
		"a stranger's saved cards": {nil, []string{"customer_id", `"ada"`}, "customer_id", "secret API key"},
		"a stranger by the object": {nil, []string{"customer", `{"id":"ada"}`}, "customer", "secret API key"},
		"other metadata":           {[]string{"metadata", `{"tier":"basic"}`}, []string{"metadata", `{"tier":"gold"}`}, "metadata", "secret API key"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := w.post("/payments", with(plain, append([]string{"confirm", "-"}, c.made...)...)).ok()
			path := "/payments/" + p["payment_id"].(string)
			before := w.get(path).ok()
			r := w.send("POST", path+"/confirm", w.publishable, with(`{}`, append([]string{"client_secret", `"` + p["client_secret"].(string) + `"`}, c.sent...)...))
			if c.names == "" {
				r.ok()
				return
			}
			r.refused(422, "IR_06", c.names)
			require.Contains(t, r.error()["message"], c.says)
			require.Equal(t, before, w.get(path).ok())
		})
	}
}

// Repeating a stored value does not smuggle in another: of two members with one name, the second is the stored one.
func TestPayerRepeatsNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", with(plain, "confirm", "-", "metadata", `{"tier":"basic"}`, "feature_metadata", `{"a":1}`)).ok()
	path := "/payments/" + p["payment_id"].(string)
	w.send("POST", path+"/confirm", w.publishable, `{"client_secret":"`+p["client_secret"].(string)+
		`","metadata":{"tier":"gold","tier":"basic"},"feature_metadata":{"a":2,"a":1}}`).ok()
	body := w.get(path).body
	require.NotContains(t, body, "gold")
	require.Contains(t, body, `"feature_metadata":{"a":1}`)
}

// A consent without a purpose does not allow charges of a saved card without its CVC.
func TestPayerDoesNotSpareTheCVC(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("/payments", keeping).ok()
	p := w.post("/payments", `{"amount":700,"currency":"USD","customer_id":"cus_1"}`).ok()
	path, clientSecret := "/payments/"+p["payment_id"].(string)+"/confirm", p["client_secret"].(string)
	mine := w.send("GET", "/customers/payment_methods?client_secret="+clientSecret, w.publishable, "").ok()
	token := mine["customer_payment_methods"].([]any)[0].(map[string]any)["payment_token"].(string)
	body := with(`{"payment_method":"card"}`, "client_secret", `"`+clientSecret+`"`, "payment_token", `"`+token+`"`)

	w.send("POST", path, w.publishable, with(body, "setup_future_usage", `"off_session"`)).refused(422, "IR_06", "setup_future_usage")
	w.send("POST", path, w.publishable, with(body, "setup_future_usage", `"off_session"`, "customer_acceptance", `{"acceptance_type":"offline"}`)).
		refused(400, "IR_04", "card_cvc")
}

package router_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// These tests go on where lifecycle_sections_test.go ends.

// Section 6.
func TestLifecycleInstallments(t *testing.T) {
	t.Parallel()
	const (
		choose  = "POST /payments/{payment_id}/confirm"
		options = "installment_options"
		refused = "422 IR_06 installment_options and installment_data are not supported when confirm is true."
	)
	plans := func(entries ...string) string {
		return `[{"payment_method":"card","installments":[` + strings.Join(entries, ",") + `]}]`
	}
	offers := func(options string) string {
		return `{"amount":6000,"currency":"BRL","routing":{"type":"single","data":"adyen"},"installment_options":` + options + `}`
	}
	at5 := plans(entry(`[3,6]`, `"month"`, `5`), entry(`[12]`, `"month"`, `5`))
	paid := func(count int, interest, total string) string {
		return fmt.Sprintf(`{"status":"succeeded","amount":6000,"net_amount":%s,"amount_received":%s,"amount_capturable":0,"installment_options":`+at5+
			`,"installment_data":{"number_of_installments":%d,"billing_frequency":"month","installment_interest":%s}}`, total, total, count, interest)
	}
	w := newWorld(t)
	w.section(t, nil,
		step{"create + confirm with options", "POST /payments", pay("adyen", options, at5), refused},
		step{"create + confirm with data", "POST /payments", pay("adyen", "installment_data", `{"number_of_installments":3,"billing_frequency":"month"}`), refused},
		step{"… before the missing-instrument check", "POST /payments", `{"amount":6000,"currency":"BRL","confirm":true,"installment_options":` + at5 + `}`, refused},
		step{"payment_method not card", "POST /payments", offers(`[{"payment_method":"wallet","installments":[]}]`),
			"422 IR_06 invalid installment options: installment_options is only supported for payment method card."},
		step{"payment_method twice", "POST /payments", offers(`[{"payment_method":"card","installments":[]},{"payment_method":"card","installments":[]}]`),
			"422 IR_06 invalid installment options: duplicate payment_method 'card' in installment_options."},
		step{"a number of installments is missing", "POST /payments", offers(plans(entry(`[]`, `"month"`, `5`))), "400 IR_06 number_of_installments must not be empty."},
		step{"… twice", "POST /payments", offers(plans(entry(`[3,3]`, `"month"`, `5`))), "400 IR_06 number_of_installments must contain unique values."},
		step{"… in two entries", "POST /payments", offers(plans(entry(`[3]`, `"month"`, `5`), entry(`[3]`, `"month"`, `0`))),
			"400 IR_06 installment count 3 appears in multiple entries with the same billing frequency."},
		step{"… 0", "POST /payments", offers(plans(entry(`[0]`, `"month"`, `5`))), "400 IR_06 "},
		step{"… 256", "POST /payments", offers(plans(entry(`[256]`, `"month"`, `5`))), "400 IR_06 "},
		step{"unknown frequency", "POST /payments", offers(plans(entry(`[3]`, `"week"`, `5`))), "400 IR_06 unknown variant `week`, expected `month`"},
		step{"negative interest", "POST /payments", offers(plans(entry(`[3]`, `"month"`, `-0.01`))), "400 IR_06 interest_rate must not be negative."},
		step{"three decimals", "POST /payments", offers(plans(entry(`[3]`, `"month"`, `5.123`))), "400 IR_06 interest_rate must have at most 2 decimal places."},
		step{"required: interest_rate", "POST /payments", offers(plans(`{"number_of_installments":[3],"billing_frequency":"month"}`)), "400 IR_06 missing field `interest_rate`"},
		step{"required: billing_frequency", "POST /payments", offers(plans(`{"number_of_installments":[3],"interest_rate":5}`)), "400 IR_06 missing field `billing_frequency`"},
		step{"required: number_of_installments", "POST /payments", offers(plans(`{"billing_frequency":"month","interest_rate":5}`)), "400 IR_06 missing field `number_of_installments`"},
		step{"required: installments", "POST /payments", offers(`[{"payment_method":"card"}]`), "400 IR_06 missing field `installments`"},
		step{"required: payment_method", "POST /payments", offers(`[{"installments":[]}]`), "400 IR_06 missing field `payment_method`"},

		step{"null", "POST /payments", `{"amount":6000,"currency":"BRL"}`, `{"installment_options":null,"installment_data":null}`},
		step{"confirm: no options on the payment", choose, chosen(3), "422 IR_06 Installment options are not configured for this payment"},
		step{"update sets", "POST /payments/{payment_id}", `{"installment_options":` + at5 + `}`, `{"installment_options":` + at5 + `}`},
		step{"absent keeps", "POST /payments/{payment_id}", `{"description":"x"}`, `{"installment_options":` + at5 + `,"installment_data":null}`},
		step{"update refuses as the create does", "POST /payments/{payment_id}", `{"installment_options":` + plans(entry(`[3,3]`, `"month"`, `5`)) + `}`,
			"400 IR_06 number_of_installments must contain unique values."},
		step{"confirm: required number_of_installments", choose, with(chosen(3), "installment_data", `{"billing_frequency":"month"}`), "400 IR_06 missing field `number_of_installments`"},
		step{"confirm: required billing_frequency", choose, with(chosen(3), "installment_data", `{"number_of_installments":3}`), "400 IR_06 missing field `billing_frequency`"},
		step{"confirm: 0", choose, with(chosen(3), "installment_data", `{"number_of_installments":0,"billing_frequency":"month"}`), "400 IR_06 "},
		step{"confirm: 256", choose, with(chosen(3), "installment_data", `{"number_of_installments":256,"billing_frequency":"month"}`), "400 IR_06 "},
		step{"confirm: plan not offered", choose, chosen(4), "422 IR_06 No installment plan found for 4 installments with Month billing frequency"},
		step{"… the payment is as it was", "GET /payments/{payment_id}", "", `{"status":"requires_payment_method","net_amount":6000,"installment_data":null}`},

		step{"echoed as sent", "POST /payments", offers(at5), `{"amount":6000,"net_amount":6000,"amount_capturable":6000,"installment_options":` + at5 + `}`},
		step{"interest of 3 at 5", choose, chosen(3), paid(3, "610", "6610")},
		step{"… GET", "GET /payments/{payment_id}", "", paid(3, "610", "6610")},
		step{"6 at 5", "POST /payments", offers(at5), ``},
		step{"…", choose, chosen(6), paid(6, "1093", "7093")},
		step{"12 at 5", "POST /payments", offers(at5), ``},
		step{"…", choose, chosen(12), paid(12, "2124", "8124")},
		step{"r = 0", "POST /payments", offers(plans(entry(`[255]`, `"month"`, `0`))), ``},
		step{"…", choose, chosen(255), `{"net_amount":6000,"amount_received":6000,"installment_data":{"number_of_installments":255,"installment_interest":0}}`},
		step{"USD, held", "POST /payments", with(offers(at5), "currency", `"USD"`, "capture_method", `"manual"`), ``},
		step{"… capturable follows", choose, chosen(3), `{"status":"requires_capture","amount":6000,"net_amount":6610,"amount_capturable":6610,"amount_received":null}`},
	)

	// The method list: at adyen in BRL, MXN and JPY, and nowhere else.
	listed := offering(t, `"connector_name":"adyen","connector_label":"a","payment_methods_enabled":`+cards)
	const list = "publishable GET /account/payment_methods?client_secret={client_secret}"
	plan := func(n int, each, total string) string {
		return fmt.Sprintf(`{"number_of_installments":%d,"billing_frequency":"month","interest_rate":5,"amount_details":{"amount_per_installment":%s,"total_amount":%s}}`, n, each, total)
	}
	listed.section(t, nil,
		step{"no options: intent_data is an object", "POST /payments", `{"amount":6000,"currency":"BRL"}`, ``},
		step{"…", list, "", `{"intent_data":{"installment_options":null}}`},
		step{"BRL", "POST /payments", offers(at5), ``},
		step{"… flattened, in the given order", list, "", `{"intent_data":{"installment_options":[{"payment_method":"card","available_plans":[` +
			plan(3, "22.04", "66.1") + `,` + plan(6, "11.83", "70.93") + `,` + plan(12, "6.77", "81.24") + `]}]}}`},
		step{"MXN", "POST /payments", with(offers(at5), "currency", `"MXN"`), ``},
		step{"…", list, "", `{"intent_data":{"installment_options":"*"}}`},
		step{"JPY", "POST /payments", with(offers(at5), "currency", `"JPY"`), ``},
		step{"… has no minor unit", list, "", `{"intent_data":{"installment_options":[{"available_plans":[` + plan(3, "2204", "6610") + `,` + plan(6, "1183", "7093") + `,` + plan(12, "677", "8124") + `]}]}}`},
		step{"USD", "POST /payments", with(offers(at5), "currency", `"USD"`), ``},
		step{"…", list, "", `{"intent_data":{"installment_options":null}}`},
	)
	without := offering(t, `"connector_name":"stripe","connector_label":"b","payment_methods_enabled":`+cards)
	without.section(t, nil, step{"no account of the list", "POST /payments", with(offers(at5), "routing", "-"), ``}, step{"…", list, "", `{"intent_data":{"installment_options":null}}`})
}

// Section 7.
func TestLifecycleRelay(t *testing.T) {
	t.Parallel()
	w := simulators(t, "bankofamerica", "archipel", "fiservcommercehub")
	_, other, _ := w.merchant("m2")
	n := 0 // each relay is on a transaction of its own
	relay := func(connector, kind, data string) string {
		n++
		return fmt.Sprintf(`{"connector_resource_id":"sim_theirs_%d","connector_id":"{mca:%s}","type":"%s","data":{"%s":%s}}`, n, connector, kind, kind, data)
	}
	keys := func(kind, data string) string {
		return fmt.Sprintf(`{"id":"/^relay_[0-9A-Za-z]{20}$/","status":"success","connector_resource_id":"/^sim_theirs_/","error":null,"connector_reference_id":"*","connector_id":"{mca:bankofamerica}",
			"profile_id":"{profile}","type":"%s","data":{"%s":%s}}`, kind, kind, data)
	}
	const (
		get       = "GET /relay/{relay_id}"
		refund    = `{"amount":500,"currency":"USD","reason":"broken"}`
		capture   = `{"authorized_amount":2000,"amount_to_capture":1500,"currency":"USD","capture_method":"manual"}`
		increment = `{"total_amount":8000,"additional_amount":2000,"currency":"USD"}`
		void      = `{"amount":6000,"currency":"USD","cancellation_reason":"gone"}`
		types     = "`refund`, `capture`, `incremental_authorization`, `void`, `unreferenced_refund`"
		card      = `"recipient_payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_holder_name":"Ada"}}`
		unasked   = `"amount":700,"currency":"USD",` + card
	)
	at := func(data string) string {
		return `{"connector_resource_id":"x","connector_id":"{mca:bankofamerica}",` + data + `}`
	}
	var kinds []step
	for _, k := range []struct{ kind, data string }{{"refund", refund}, {"capture", capture}, {"incremental_authorization", increment}, {"void", void}} {
		kinds = append(kinds, step{k.kind, "POST /relay", relay("bankofamerica", k.kind, k.data), keys(k.kind, k.data)}, step{k.kind + ": GET", get, "", keys(k.kind, k.data)})
	}
	w.section(t, nil, append(kinds,
		step{"reason? is optional", "POST /relay", relay("bankofamerica", "refund", `{"amount":501,"currency":"USD"}`), `{"status":"success","data":{"refund":{"reason":"-"}}}`},
		step{"void: all optional", "POST /relay", relay("bankofamerica", "void", `{}`), `{"status":"success","data":{"void":{"amount":"-"}}}`},
		step{"the caller's amounts, on a hold of 6000", "POST /payments", pay("bankofamerica", "billing", `{"address":{"line1":"1 Main St","country":"US"}}`), `{"status":"requires_capture"}`},
		step{"…", "POST /relay", `{"connector_resource_id":"{connector_transaction_id}","connector_id":"{mca:bankofamerica}","type":"capture","data":{"capture":` + capture + `}}`, `{"status":"success"}`},
		step{"… no payment changes", "GET /payments/{payment_id}", "", `{"status":"requires_capture","amount_capturable":6000,"amount_received":null,"refunds":null}`},

		step{"X-Profile-Id: unknown", "POST /relay X-Profile-Id: pro_none", relay("bankofamerica", "refund", refund), "404 HE_02 Business profile with the given id pro_none does not exist"},
		step{"X-Profile-Id: of the header", "POST /account/m1/business_profile", `{"profile_name":"second"}`, `{"profile_id":"*"}`},
		step{"…", "POST /relay X-Profile-Id: {profile_id}", relay("bankofamerica", "refund", refund), `{"status":"success","profile_id":"{profile_id}"}`},
		step{"publishable key", "publishable POST /relay", relay("bankofamerica", "refund", refund), "401 IR_01 "},

		step{"a refusal is 200", "POST /relay", relay("archipel", "refund", refund), `{"status":"failure","error":{"code":"*","message":"*"}}`},
		step{"capture refused", "POST /relay", relay("bankofamerica", "capture", `{"authorized_amount":900000300,"amount_to_capture":900000201,"currency":"USD"}`),
			`{"status":"failure","error":{"code":"*","message":"*"}}`},
		step{"increment refused", "POST /relay", relay("stripe", "incremental_authorization", `{"total_amount":900000501,"additional_amount":2,"currency":"USD"}`),
			`{"status":"failure","error":{"code":"card_declined","message":"*"}}`},
		step{"increment too soon", "POST /relay", relay("stripe", "incremental_authorization", `{"total_amount":900000502,"additional_amount":2,"currency":"USD"}`), `{"status":"pending","error":null}`},
		step{"void refused", "POST /relay", relay("stripe", "void", `{"amount":900000301,"currency":"USD"}`), `{"status":"failure","error":{"code":"*","message":"*"}}`},
		step{"void in progress", "POST /relay", relay("stripe", "void", `{"amount":900000302,"currency":"USD"}`), `{"status":"pending","error":null}`},
		step{"capture without an answer", "POST /relay", relay("stripe", "capture", `{"authorized_amount":900000300,"amount_to_capture":900000205,"currency":"USD"}`),
			`{"status":"pending","error":null}`},
		step{"capture pending", "POST /relay", relay("adyen", "capture", capture), `{"status":"pending","connector_reference_id":"*"}`},
		step{"refund pending", "POST /relay", relay("bankofamerica", "refund", `{"amount":900000402,"currency":"USD"}`), `{"status":"pending"}`},
		step{"… GET: the stored record", get, "", `{"status":"pending"}`},
		step{"… force_sync", get + "?force_sync=true", "", `{"status":"success"}`},
		step{"… stored", get, "", `{"status":"success"}`},
		step{"refund pending, refused later", "POST /relay", relay("bankofamerica", "refund", `{"amount":900000403,"currency":"USD"}`), `{"status":"pending"}`},
		step{"… force_sync", get + "?force_sync=true", "", `{"status":"failure","error":{"code":"*","message":"*"}}`},
		step{"GET: unknown", "GET /relay/relay_none", "", "404 IR_37 relay not found"},

		step{"type outside the list, before a missing key", "POST /relay", `{"type":"credit"}`, "400 IR_06 Json deserialize error: unknown variant `credit`, expected one of " + types},
		step{"missing key: the first", "POST /relay", `{}`, "400 IR_06 Json deserialize error: missing field `connector_resource_id`"},
		step{"missing key: connector_id", "POST /relay", `{"connector_resource_id":"x"}`, "400 IR_06 Json deserialize error: missing field `connector_id`"},
		step{"missing key: type", "POST /relay", at(`"data":{"refund":` + refund + `}`), "400 IR_06 Json deserialize error: missing field `type`"},
		step{"data absent", "POST /relay", at(`"type":"refund"`), "422 IR_06 Relay data is required for relay type refund"},
		step{"data null", "POST /relay", at(`"type":"capture","data":null`), "422 IR_06 Relay data is required for relay type capture"},
		step{"another type's key", "POST /relay", at(`"type":"void","data":{"refund":` + refund + `}`), "422 IR_06 Relay data is required for relay type void"},
		step{"… before an account that is unknown", "POST /relay", `{"connector_resource_id":"x","connector_id":"mca_none","type":"void","data":{"refund":` + refund + `}}`,
			"422 IR_06 Relay data is required for relay type void"},
		step{"data {}", "POST /relay", at(`"type":"refund","data":{}`), "400 IR_06 "},
		step{"data: unknown key", "POST /relay", at(`"type":"refund","data":{"credit":{}}`), "400 IR_06 "},
		step{"data: two keys", "POST /relay", at(`"type":"refund","data":{"refund":` + refund + `,"void":{}}`), "400 IR_06 "},
		step{"data.refund: required", "POST /relay", at(`"type":"refund","data":{"refund":{"amount":5}}`), "400 IR_06 missing field `currency`"},
		step{"data.capture: required", "POST /relay", at(`"type":"capture","data":{"capture":{"amount_to_capture":5,"currency":"USD"}}`), "400 IR_06 missing field `authorized_amount`"},
		step{"data.incremental_authorization: required", "POST /relay", at(`"type":"incremental_authorization","data":{"incremental_authorization":{"total_amount":5,"currency":"USD"}}`),
			"400 IR_06 missing field `additional_amount`"},
		step{"account unknown, of any form", "POST /relay", `{"connector_resource_id":"x","connector_id":"none","type":"refund","data":{"refund":` + refund + `}}`,
			`404 HE_02 Merchant connector account does not exist in our records + {"reason":"none"}`},
		step{"… before an amount of 0", "POST /relay", `{"connector_resource_id":"x","connector_id":"none","type":"refund","data":{"refund":{"amount":0,"currency":"USD"}}}`,
			"404 HE_02 Merchant connector account does not exist in our records"},
		step{"amount 0", "POST /relay", at(`"type":"refund","data":{"refund":{"amount":0,"currency":"USD"}}`), "400 IR_16 Invalid relay request"},
		step{"amount below 0", "POST /relay", at(`"type":"void","data":{"void":{"amount":-1,"currency":"USD"}}`), "400 IR_16 Invalid relay request"},
		step{"amount_to_capture > authorized_amount", "POST /relay", at(`"type":"capture","data":{"capture":{"authorized_amount":5,"amount_to_capture":6,"currency":"USD"}}`), "400 IR_16 Invalid relay request"},
		step{"connector lacks unreferenced refunds", "POST /relay", at(`"type":"unreferenced_refund","data":{"unreferenced_refund":{` + unasked + `}}`),
			"422 IR_06 Connector bankofamerica does not support unreferenced refund"},
		step{"… the other route", "POST /relay/unreferenced_refund", `{"connector_id":"{mca:stripe}",` + unasked + `}`, "422 IR_06 Connector stripe does not support unreferenced refund"},
		step{"unreferenced refund", "POST /relay", relay("fiservcommercehub", "unreferenced_refund", `{`+unasked+`}`), `{"status":"success","connector_reference_id":"*","type":"unreferenced_refund"}`},
		step{"… the other route", "POST /relay/unreferenced_refund", `{"connector_id":"{mca:fiservcommercehub}",` + unasked + `}`, `{"id":"/^relay_/","status":"success","connector":"fiservcommercehub",
			"connector_id":"{mca:fiservcommercehub}","connector_resource_id":"/^internal_[0-9a-f-]{36}$/","connector_reference_id":"*","profile_id":"{profile}","error":null,"raw_connector_response":null}`},
		step{"processor events: their address", "open POST /webhooks/relay/m1/{mca:adyen}", `{"type":"capture.updated","capture_id":"none","status":"captured","transaction_id":"none"}`, ""},
	)...)
	w.send("POST", "/relay", other, w.filled(relay("bankofamerica", "refund", refund), nil)).refused(404, "HE_02", "Merchant connector account does not exist in our records")
	w.send("POST", "/relay", w.secret, w.filled(relay("bankofamerica", "refund", refund), nil), "X-Profile-Id", w.otherProfile()).refused(404, "HE_02", "Business profile with the given id")
}

// otherProfile returns a profile of another merchant.
func (w *world) otherProfile() string {
	return w.admin("GET", "/account/m2/business_profile", "").list()[0]["profile_id"].(string)
}

// Section 8.
func TestLifecycleCardIssuers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const issuer, list, exists = "admin PUT /card_issuers/{issuer_id}", "GET /card_issuers", "400 IR_38 A card issuer with this name already exists"
	w.section(t, nil,
		step{"missing", "admin POST /card_issuers", `{}`, "400 IR_06 missing field `issuer_name`"},
		step{"empty", "admin POST /card_issuers", `{"issuer_name":""}`, "400 IR_06 "},
		step{"too long", "admin POST /card_issuers", `{"issuer_name":"` + strings.Repeat("x", 256) + `"}`, "400 IR_06 "},
		step{"not a string", "admin POST /card_issuers", `{"issuer_name":5}`, "400 IR_06 "},
		step{"255 characters", "admin POST /card_issuers", `{"issuer_name":"` + strings.Repeat("x", 255) + `"}`, `{"id":"/^[0-9A-Za-z]{5}$/"}`},
		step{"create: admin key", "POST /card_issuers", `{"issuer_name":"Bank A"}`, "401 IR_01 "},
		step{"create", "admin POST /card_issuers", `{"issuer_name":"Bank A"}`, `{"id":"/^[0-9A-Za-z]{5}$/","issuer_name":"Bank A"}`},
		step{"name exists", "admin POST /card_issuers", `{"issuer_name":"Bank A"}`, exists},
		step{"case counts", "admin POST /card_issuers", `{"issuer_name":"bank a"}`, `{"issuer_name":"bank a"}`},
		step{"update", issuer, `{"issuer_name":"bank b"}`, `{"id":"{issuer_id}","issuer_name":"bank b"}`},
		step{"name exists on update", issuer, `{"issuer_name":"Bank A"}`, exists},
		step{"update: missing", issuer, `{}`, "400 IR_06 missing field `issuer_name`"},
		step{"update: unknown", "admin PUT /card_issuers/00000", `{"issuer_name":"x"}`, "404 IR_37 Card issuer with id 00000 not found"},
		step{"list: prefix of any case, sorted, no count", list + "?query=BANK", "", `{"issuers":[{"id":"*","issuer_name":"Bank A"},{"id":"{issuer_id}","issuer_name":"bank b"}],"count":"-"}`},
		step{"list: limit", list + "?query=bank&limit=1", "", `{"issuers":[{"issuer_name":"Bank A"}]}`},
		step{"list: limit 0", list + "?limit=0", "", `{"issuers":[]}`},
		step{"list: limit 255", list + "?limit=255", "", `{"issuers":"*"}`},
		step{"list: limit 256", list + "?limit=256", "", "400 "},
		step{"list: limit no number", list + "?limit=x", "", "400 "},
		step{"list: admin key", "admin " + list, "", "401 IR_01 "},
		step{"list: publishable key", "publishable " + list, "", "401 IR_01 "},
		step{"GET of one", "GET /card_issuers/{issuer_id}", "", "405 IR_03 "},
		step{"delete: merchant's key", "DELETE /card_issuers/{issuer_id}", "", "401 IR_01 "},
		step{"delete", "admin DELETE /card_issuers/{issuer_id}", "", `{"id":"{issuer_id}","deleted":true}`},
		step{"delete: unknown", "admin DELETE /card_issuers/{issuer_id}", "", "404 IR_37 Card issuer with id {issuer_id} not found"},
		step{"delete: an id of any length", "admin DELETE /card_issuers/" + strings.Repeat("z", 70), "", "404 IR_37 Card issuer with id " + strings.Repeat("z", 70) + " not found"},
	)
	for i := range 31 {
		w.admin("POST", "/card_issuers", fmt.Sprintf(`{"issuer_name":"many %d"}`, i)).ok()
	}
	require.Len(t, w.get("/card_issuers?query=many").ok()["issuers"], 30, "the default limit")
}

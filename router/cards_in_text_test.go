package router_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/router"
)

// pans are card numbers in the forms in which people write them.
var pans = []string{"4000056655665556", "5105 1051 0510 5100", "3714-496353-98431", "paid by 6011000990139424, thanks", "４０００ ０５６６ ５５６６ ５５５６",
	"40000566\u00a055665556", "4000\\u0030566 5566 5556"}

// textField is a field that accepts text: its request, with %s for a JSON value, and the path in the error.
type textField struct{ method, path, body, names string }

// textFields returns the fields whose text is stored or passed on, or might be.
func textFields(w *world, methodID, paymentID string) []textField {
	payment := func(rest, names string) textField {
		return textField{"POST", "/payments", strings.TrimSuffix(plain, "}") + "," + rest + "}", names}
	}
	list := []textField{
		{"POST", "/payments", with(plain, "payment_method_data.card.card_holder_name", `"%s"`), "payment_method_data.card.card_holder_name"},
		{"POST", "/payments", with(plain, "payment_method_data.card.nick_name", `"%s"`), "payment_method_data.card.nick_name"},
		{"POST", "/payments", with(plain, "payment_method_data.card.card_issuer", `"%s"`), "payment_method_data.card.card_issuer"},
		{"POST", "/payments", with(plain, "payment_method_data.billing.address.line1", `"%s"`), "payment_method_data.billing.address.line1"},
		payment(`"description":"%s"`, "description"),
		payment(`"statement_descriptor_name":"%s"`, "statement_descriptor_name"),
		payment(`"statement_descriptor_suffix":"%s"`, "statement_descriptor_suffix"),
		payment(`"metadata":{"note":"%s"}`, "metadata.note"),
		payment(`"metadata":{"list":[1,{"deep":["","%s"]}]}`, "metadata.list[1].deep[1]"),
		payment(`"metadata":{"%s":1}`, "metadata"),
		payment(`"feature_metadata":{"a":"%s"}`, "feature_metadata.a"),
		payment(`"connector_metadata":{"a":"%s"}`, "connector_metadata.a"),
		payment(`"frm_metadata":{"a":"%s"}`, "frm_metadata.a"),
		payment(`"order_details":[{"product_name":"Hat","quantity":1,"amount":1},{"product_name":"%s","quantity":1,"amount":1}]`, "order_details[1].product_name"),
		payment(`"order_details":[{"product_name":"Hat","quantity":1,"amount":1,"not known":"%s"}]`, "order_details[0].not known"),
		payment(`"billing":{"address":{"first_name":"%s"}}`, "billing.address.first_name"),
		payment(`"shipping":{"address":{"line2":"%s"}}`, "shipping.address.line2"),
		payment(`"billing":{"phone":{"number":"%s"}}`, "billing.phone.number"),
		payment(`"name":"%s"`, "name"), payment(`"phone":"%s"`, "phone"), payment(`"phone_country_code":"%s"`, "phone_country_code"),
		payment(`"customer":{"id":"cus_7","name":"%s"}`, "customer.name"),
		payment(`"browser_info":{"user_agent":"%s"}`, "browser_info.user_agent"),
		payment(`"customer_acceptance":{"acceptance_type":"online","online":{"user_agent":"%s"}}`, "customer_acceptance.online.user_agent"),
		payment(`"business_label":"%s"`, "business_label"),
		payment(`"payment_channel":{"other":"%s"}`, "payment_channel.other"),
		payment(`"mandate_data":{"mandate_type":{"multi_use":{"amount":1,"currency":"EUR","metadata":{"a":"%s"}}}}`, "mandate_data.mandate_type.multi_use.metadata.a"),
		{"POST", "/payments/" + paymentID, `{"description":"%s"}`, "description"},
		{"POST", "/payments/" + paymentID + "/confirm", `{"description":"%s"}`, "description"},
		{"POST", "/payments/" + paymentID + "/cancel", `{"cancellation_reason":"%s"}`, "cancellation_reason"},
		{"POST", "/payments/" + paymentID + "/capture", `{"statement_descriptor_suffix":"%s"}`, "statement_descriptor_suffix"},
		{"POST", "/payment_methods", `{"customer_id":"cus_1","payment_method":"card","metadata":{"a":"%s"}}`, "metadata.a"},
		{"POST", "/payment_methods", `{"customer_id":"cus_1","payment_method":"card","payment_method_issuer":"%s"}`, "payment_method_issuer"},
		{"POST", "/payment_methods/" + methodID + "/update", `{"card":{"nick_name":"%s"}}`, "card.nick_name"},
		{"POST", "/payment_methods/" + methodID + "/update", `{"card":{"card_holder_name":"%s"}}`, "card.card_holder_name"},
		{"POST", "/account/" + merchant + "/business_profile/" + w.profile, `{"metadata":{"a":"%s"}}`, "metadata.a"},
		{"POST", "/account/" + merchant + "/business_profile/" + w.profile, `{"profile_name":"%s"}`, "profile_name"},
	}
	for _, path := range []string{"/customers", "/customers/cus_1"} {
		for _, field := range []string{"name", "description", "phone"} {
			list = append(list, textField{"POST", path, `{"` + field + `":"%s"}`, field})
		}
		list = append(list, textField{"POST", path, `{"address":{"line1":"%s"}}`, "address.line1"}, textField{"POST", path, `{"address":{"door":"%s"}}`, "address.door"},
			textField{"POST", path, `{"metadata":{"a":"%s"}}`, "metadata.a"})
	}
	return list
}

// A card number in a wrong field is refused with the name of the field. Neither log nor database has it afterwards.
func TestCardsInTextAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	methodID := w.post("/payments", keeping).ok()["payment_method_id"].(string)
	p := w.post("/payments", with(plain, "confirm", "-")).ok()
	path := "/payments/" + p["payment_id"].(string)
	before, payments := w.get(path).ok(), w.payments()
	key := w.secret
	for _, f := range textFields(w, methodID, p["payment_id"].(string)) {
		for _, pan := range pans {
			r := w.send(f.method, f.path, key, fmt.Sprintf(strings.ReplaceAll(f.body, "%34", "%%34"), pan))
			require.Equal(t, 422, r.status, "%s %s %s: %s", f.path, f.names, pan, r.body)
			require.Equal(t, "IR_06", r.error()["code"])
			message := r.error()["message"].(string)
			require.Contains(t, message, "holds a card number: send card numbers in the card_number of a card alone")
			if f.names == "metadata" {
				require.True(t, strings.HasPrefix(message, "the name of a member of metadata "), message)
			} else {
				require.True(t, strings.HasPrefix(message, f.names+" "), message)
			}
		}
	}
	require.Equal(t, before, w.get(path).ok())
	require.Equal(t, payments, w.payments())
	w.nowhere("4000056655665556", "5105 1051 0510 5100", "5105105105105100", "3714-496353-98431", "６", "6011000990139424")
}

// nowhere checks that neither the log nor the files of the database have the texts.
func (w *world) nowhere(texts ...string) {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(w.t.TempDir()), "*", "test.db*"))
	require.NoError(w.t, err)
	require.NotEmpty(w.t, files)
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(w.t, err)
		for _, text := range texts {
			require.NotContains(w.t, string(b), text, name)
			require.NotContains(w.t, w.logs.String(), text)
		}
	}
}

// Browsers get the query of the return URL, so a card number in it is found in any encoding.
func TestCardsInURLsAndNumbers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for field, value := range map[string]string{
		"return_url":         `"https://shop.example/?pan=4242424242424242"`,
		"email":              `"4242424242424242@shop.example"`,
		"metadata.a":         `4242424242424242`,
		"metadata.b":         `-4242424242424242`,
		"metadata.c":         `4.242424242424242e15`,
		"metadata.d":         `4242424242424242.0`,
		"metadata.e":         `4.2e15`,
		"billing.email":      `"a4242424242424242@shop.example"`,
		"payment_experience": `"4242424242424242"`,
	} {
		r := w.post("/payments", with(plain, field, value))
		if field == "payment_experience" { // of a closed list: no text at all
			require.Equal(t, 400, r.status)
			require.NotContains(t, r.body, "42424242")
			continue
		}
		require.Equal(t, 422, r.status, r.body)
		require.True(t, strings.HasPrefix(r.error()["message"].(string), field+" holds a card number"), r.body)
	}
	for _, query := range []string{"%34242424242424242", "4242+4242+4242+4242", "4242%204242%204242%204242", "%EF%BC%94242424242424242"} {
		w.post("/payments", with(plain, "return_url", `"https://shop.example/?a=`+query+`"`)).refused(422, "IR_06", "return_url holds a card number")
	}
	require.Zero(t, w.payments())
}

// The rule also holds for the payer's client.
func TestPayersCardsInText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", with(plain, "confirm", "-")).ok()
	path := "/payments/" + p["payment_id"].(string) + "/confirm"
	w.send("POST", path, w.publishable, with(`{"name":"4242 4242 4242 4242"}`, "client_secret", `"`+p["client_secret"].(string)+`"`)).
		refused(422, "IR_06", "name holds a card number")
}

// A value that looks like a card number is accepted in a field for identifiers.
func TestNumbersThatAreNoCards(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("/payments", with(plain, "payment_id", `"4242424242424242"`, "customer_id", `"5555555555554444"`, "order_details",
		`[{"product_name":"Hat","quantity":1,"amount":1,"sku":"4006381333931"}]`, "phone", `"4915123456785"`, "billing", `{"phone":{"number":"+4915123456785"}}`,
		"metadata", `{"id":"0198c6f8-4539-4921-8123-456789abcdef","at":1759668012345,"micro":1759668012345678,"card":"**** **** **** 4242"}`)).ok()
	w.post("/customers", `{"customer_id":"4111111111111111","tax_registration_id":"36227206271667"}`).ok()
	w.send("POST", "/account/"+merchant+"/connectors", adminKey, `{"connector_type":"payment_processor","connector_name":"stripe","connector_label":"x",
		"connector_account_details":{"auth_type":"HeaderKey","api_key":"4242424242424242"},"metadata":{"mid":"4445012345678906"}}`).ok()
	w.post("/payment_methods", with(`{"customer_id":"4111111111111111","payment_method":"card","network_transaction_id":"371449635398431"}`,
		"card", `{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"2050"}`)).ok()
}

// With the setting mask, the request succeeds. All digits but the last four are masked before anything is stored.
func TestCardsInTextAreMasked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *router.Options) { o.CardsInText = router.MaskCards })
	methodID := w.post("/payments", keeping).ok()["payment_method_id"].(string)
	for _, f := range textFields(w, methodID, "pay_nowhere") {
		for _, pan := range pans {
			r := w.send(f.method, f.path, w.secret, fmt.Sprintf(f.body, pan))
			require.NotContains(t, r.body, "holds a card number")
			require.NotContains(t, r.body, "4000056655665556")
		}
	}
	w.nowhere("4000056655665556", "5105 1051 0510 5100", "5105105105105100", "3714-496353-98431", "4000 0566 5566 5556", "6011000990139424")

	r := w.post("/payments", with(plain, "metadata", `{"n":4000056655665556,"6011000990139424":{"x":"5105 1051 0510 5100"},"plain":"text"}`,
		"description", `"card 4000-0566-5566-5556 and 3714 496353 98431."`, "order_details", `[{"product_name":"6011000990139424","quantity":2,"amount":3}]`)).ok()
	require.Equal(t, map[string]any{"n": "************5556", "************9424": map[string]any{"x": "**** **** **** 5100"}, "plain": "text"}, r["metadata"])
	require.Equal(t, "card ****-****-****-5556 and **** ****** *8431.", r["description"])
	require.Equal(t, "************9424", r["order_details"].([]any)[0].(map[string]any)["product_name"])
	require.Equal(t, "4242", r["payment_method_data"].(map[string]any)["card"].(map[string]any)["last4"])
	require.Equal(t, "succeeded", r["status"])
}

func TestCardsInTextSetting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := router.New(w.server.Deps, router.Options{PublicURL: publicURL, CardsInText: "maks"})
	require.ErrorContains(t, err, "router: CardsInText: \"maks\" is unknown; use refuse or mask")
}

// Every field of a payment is searched, also a new one, unless it is meant for card numbers.
func TestEveryPaymentFieldIsLookedThrough(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, key := range router.PaymentKeys() {
		for _, value := range []string{`"4000056655665556"`, `{"a":"4000056655665556"}`, `["4000056655665556"]`, `[{"a":"4000056655665556"}]`} {
			r := w.post("/payments", with(plain, "confirm", "-", key, value))
			if key == "payment_id" || key == "customer_id" || key == "profile_id" || key == "merchant_order_reference_id" { // names that the merchant chooses, and are looked up by
				continue
			}
			if key == "payment_method_data" && value == `{"a":"4000056655665556"}` {
				require.Equal(t, 422, r.status)
			}
			require.NotEqual(t, 200, r.status, "%s: %s", key, value)
			require.NotContains(t, r.body, "4000056655665556", "%s: %s", key, value)
		}
	}
}

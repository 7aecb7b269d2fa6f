package router_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMethodTypes: a payment_method_type that does not belong to payment_method is 422, for every payment method.
func TestMethodTypes(t *testing.T) {
	t.Parallel()
	const refused = "422 IR_06 payment_method_type doesn't correspond to the specified payment_method"
	of := func(method, kind string) string {
		return `{"amount":1,"currency":"EUR","payment_method":"` + method + `","payment_method_type":"` + kind + `","payment_method_data":{"` + method + `":{}}}`
	}
	newWorld(t).section(t, nil,
		step{"wallet", "POST /payments", of("wallet", "credit"), refused + ` + {"param":"payment_method_type","hint":"/^For payment_method \"wallet\", send one of: bluecode, .*revolut_pay\\.$/"}`},
		step{"bank_redirect", "POST /payments", of("bank_redirect", "ach"), refused},
		step{"bank_transfer", "POST /payments", of("bank_transfer", "ideal"), refused},
		step{"voucher", "POST /payments", of("voucher", "paypal"), refused},
		step{"real_time_payment", "POST /payments", of("real_time_payment", "pix"), refused},
		step{"card", "POST /payments", with(plain, "payment_method_type", `"ideal"`), refused + ` + {"hint":"For payment_method \"card\", send one of: credit, debit."}`},
		step{"belongs", "POST /payments", of("wallet", "paypal"), `{"status":"requires_payment_method"}`},
		step{"belongs to two", "POST /payments", of("bank_debit", "ach"), `{"status":"requires_payment_method"}`},
		step{"… to the other", "POST /payments", of("bank_transfer", "ach"), `{"status":"requires_payment_method"}`},
	)
}

// TestHolderFromBilling: without a card_holder_name the billing name counts, and the method's own billing comes before the payment's.
func TestHolderFromBilling(t *testing.T) {
	t.Parallel()
	named := func(first string) string { return `{"address":{"first_name":"` + first + `","last_name":"Doe"}}` }
	made := func(changes ...string) string {
		return with(plain, append([]string{"payment_method_data.card.card_holder_name", "-"}, changes...)...)
	}
	holder := func(name string) string { return `{"payment_method_data":{"card":{"card_holder_name":` + name + `}}}` }
	newWorld(t).section(t, nil,
		step{"the method's billing", "POST /payments", made("payment_method_data.billing", named("Ann")), holder(`"Ann Doe"`)},
		step{"both", "POST /payments", made("payment_method_data.billing", named("Ann"), "billing", named("Bob")), holder(`"Ann Doe"`)},
		step{"the method's has no name", "POST /payments", made("payment_method_data.billing", `{"email":"a@b.test"}`, "billing", named("Bob")), holder(`"Bob Doe"`)},
		step{"the card's own", "POST /payments", with(plain, "payment_method_data.card.card_holder_name", `"Cy Doe"`, "payment_method_data.billing", named("Ann")), holder(`"Cy Doe"`)},
		step{"none", "POST /payments", made(), holder("null")},
	)
}

// TestMethodListQuery: the lists in the query of saved methods may be several parameters of one name.
func TestMethodListQuery(t *testing.T) {
	t.Parallel()
	const countries = "accepted_countries=DE&accepted_countries=US&accepted_currencies=EUR&accepted_currencies=USD&"
	newWorld(t).section(t, nil,
		step{"customer", "POST /customers", `{"customer_id":"cus_1"}`, `{}`},
		step{"a saved card", "POST /payment_methods", `{"customer_id":"cus_1","payment_method":"card","payment_method_data":{"card":{"card_number":"4242424242424242",` +
			`"card_exp_month":"10","card_exp_year":"50","card_cvc":"737"}}}`, `{"status":"active","card":{"last4_digits":"4242"}}`},
		step{"payment", "POST /payments", `{"amount":1,"currency":"EUR","customer_id":"cus_1"}`, `{}`},
		step{"customer's list", "GET /customers/cus_1/payment_methods?" + countries + "card_networks=Mastercard&card_networks=Visa", "", `{"customer_payment_methods":[{"customer_id":"cus_1"}]}`},
		step{"other networks", "GET /customers/cus_1/payment_methods?card_networks=Mastercard&card_networks=JCB", "", `{"customer_payment_methods":[]}`},
		step{"payment's list", "publishable GET /customers/payment_methods?" + countries + "client_secret={client_secret}", "", `{"customer_payment_methods":[{"customer_id":"cus_1"}]}`},
		step{"one value alone", "GET /customers/cus_1/payment_methods?limit=1&limit=2", "", "400 IR_06 duplicate query parameter `limit`"},
		step{"secret and key", "POST /payment_methods/{payment_method_id}/update", `{"client_secret":"{payment_method_id}_secret_x"}`,
			`422 IR_06 client_secret is not a valid parameter + {"hint":"Leave it out, or use the publishable key."}`},
	)
}

// TestSigningKeyIsNeverEmpty: payment_response_hash_key is always set.
func TestSigningKeyIsNeverEmpty(t *testing.T) {
	t.Parallel()
	const empty = `{"payment_response_hash_key":""}`
	const refused = `400 IR_06 the minimum required length for this field is 1 + {"param":"payment_response_hash_key","hint":"Send 64 random characters, or leave the field out."}`
	newWorld(t).section(t, nil,
		step{"account, create", "admin POST /accounts", `{"merchant_id":"m9","payment_response_hash_key":""}`, refused},
		step{"account, update", "admin POST /accounts/m1", empty, refused},
		step{"profile, create", "POST /account/m1/business_profile", `{"profile_name":"p","payment_response_hash_key":""}`, refused},
		step{"profile, update", "POST /account/m1/business_profile/{profile}", empty, refused},
		step{"profile, own", "POST /account/m1/business_profile/{profile}", `{"payment_response_hash_key":"own"}`, `{"payment_response_hash_key":"own"}`},
		step{"account, default", "admin POST /accounts", `{"merchant_id":"m9"}`, `{"payment_response_hash_key":"/^[0-9A-Za-z]{64}$/"}`},
		step{"account, another id in the body", "admin POST /accounts/m9", `{"merchant_id":"m1"}`,
			`400 IR_07 Invalid value provided: merchant_id + {"param":"merchant_id","hint":"Send the id that the URL has, or leave the field out."}`},
	)
}

// TestHintOfARefundTooMuch: the hint never proposes an amount that is refused too.
func TestHintOfARefundTooMuch(t *testing.T) {
	t.Parallel()
	const tooMuch = "400 IR_13 The refund amount exceeds the amount captured"
	newWorld(t).section(t, nil,
		step{"payment", "POST /payments", plain, `{"status":"succeeded"}`},
		step{"part", "POST /refunds", `{"payment_id":"{payment_id}","amount":400}`, `{"status":"succeeded"}`},
		step{"more than the rest", "POST /refunds", `{"payment_id":"{payment_id}","amount":601}`, tooMuch + ` + {"hint":"Send at most 600."}`},
		step{"rest", "POST /refunds", `{"payment_id":"{payment_id}","amount":600}`, `{"status":"succeeded"}`},
		step{"nothing left", "POST /refunds", `{"payment_id":"{payment_id}","amount":1}`, tooMuch + ` + {"hint":"Nothing of this payment is left to refund."}`},
	)
}

// TestEmptyTextsClear: an empty text of an update removes the stored one; null and a field that is left out keep it.
func TestEmptyTextsClear(t *testing.T) {
	t.Parallel()
	const texts = `{"description":"d","statement_descriptor_name":"n","statement_descriptor_suffix":"s","merchant_order_reference_id":"o"}`
	const empty = `{"description":"","statement_descriptor_name":"","statement_descriptor_suffix":"","merchant_order_reference_id":""}`
	const gone = `{"description":null,"statement_descriptor_name":null,"statement_descriptor_suffix":null,"merchant_order_reference_id":null}`
	card := func(changes ...string) string {
		return with(plain, append([]string{"amount", "-", "currency", "-", "confirm", "-", "return_url", "-"}, changes...)...)
	}
	newWorld(t).section(t, nil,
		step{"create", "POST /payments", `{"amount":1,"currency":"EUR",` + texts[1:], texts},
		step{"null keeps", "POST /payments/{payment_id}", gone, texts},
		step{"empty removes", "POST /payments/{payment_id}", empty, gone},
		step{"… for good", "GET /payments/{payment_id}", "", gone},
		step{"set again", "POST /payments/{payment_id}", texts, texts},
		step{"the payer's device removes nothing", "publishable POST /payments/{payment_id}/confirm", card("client_secret", `"{client_secret}"`, "statement_descriptor_name", `""`),
			`{"status":"succeeded","statement_descriptor_name":"n"}`},
	)
}

// TestMasksAreNoSecrets: who sends back the masked secrets of an answer changes nothing; a new secret is taken.
func TestMasksAreNoSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const profile, account = "POST /account/m1/business_profile/{profile}", "POST /account/m1/connectors/{mca:stripe}"
	const credentials = `"connector_account_details":{"auth_type":"SignatureKey","api_key":"first_key","key1":"%s","api_secret":"a<b>c&d"}`
	w.section(t, nil,
		step{"secrets", account, strings.Replace(`{`+credentials+`,"connector_webhook_details":{"merchant_secret":"whsec_1"}}`, "%s", "second_key", 1),
			`{"connector_account_details":{"auth_type":"SignatureKey","api_key":"fi*****ey","key1":"se******ey","api_secret":"a<***&d"},"connector_webhook_details":{"merchant_secret":"wh***_1"}}`},
		step{"their masks, and one new key", account, `{"connector_account_details":{"auth_type":"SignatureKey","api_key":"fi*****ey","key1":"other_key","api_secret":"a<***&d"},"connector_webhook_details":{"merchant_secret":"wh***_1"}}`,
			`{"connector_account_details":{"api_key":"fi*****ey","key1":"ot*****ey","api_secret":"a<***&d"}}`},
		step{"headers", profile, `{"outgoing_webhook_custom_http_headers":{"X-Key":"abcdefgh","X-Old":"12345678"},"webhook_details":{"webhook_url":"https://shop.test/w","webhook_password":"password"}}`,
			`{"outgoing_webhook_custom_http_headers":{"X-Key":"ab****gh","X-Old":"12****78"}}`},
		step{"their masks", profile, `{"outgoing_webhook_custom_http_headers":{"X-Key":"ab****gh","X-New":"new"},"webhook_details":{"webhook_url":"https://shop.test/w","webhook_password":"pa****rd"}}`,
			`{"outgoing_webhook_custom_http_headers":{"X-Key":"ab****gh","X-New":"***","X-Old":"-"}}`},
	)
	n, err := w.engine.Account(t.Context(), w.auth, w.accountOf("stripe"))
	require.NoError(t, err)
	require.JSONEq(t, `{"auth_type":"SignatureKey","api_key":"first_key","key1":"other_key","api_secret":"a<b>c&d"}`, n.Private["connector_account_details"].Reveal())
	require.JSONEq(t, `{"merchant_secret":"whsec_1","additional_secret":null}`, n.Private["connector_webhook_details"].Reveal())
	p, err := w.engine.Profile(t.Context(), w.auth, w.profile)
	require.NoError(t, err)
	require.JSONEq(t, `{"X-Key":"abcdefgh","X-New":"new"}`, p.Private["outgoing_webhook_custom_http_headers"].Reveal())
	require.Contains(t, p.Private["webhook_details"].Reveal(), `"password"`)
}

// TestUnknownIdsNameTheirField: param is the field of the request that the unknown id stands in.
func TestUnknownIdsNameTheirField(t *testing.T) {
	t.Parallel()
	charge := func(kind, data string) string {
		return `{"amount":1,"currency":"EUR","off_session":true,"recurring_details":{"type":"` + kind + `","data":` + data + `}}`
	}
	const account = "404 HE_02 Merchant connector account does not exist in our records"
	newWorld(t).section(t, nil,
		step{"saved method", "POST /payments", charge("payment_method_id", `"pm_x"`), `404 HE_02 Payment method does not exist in our records + {"param":"recurring_details.data"}`},
		step{"mandate", "POST /payments", charge("mandate_id", `"man_x"`), `404 HE_02 Mandate does not exist in our records + {"param":"recurring_details.data"}`},
		step{"mandate at the top level", "POST /payments", `{"amount":1,"currency":"EUR","off_session":true,"confirm":true,"mandate_id":"man_x"}`,
			`404 HE_02 Mandate does not exist in our records + {"param":"mandate_id"}`},
		step{"account of a processor's token", "POST /payments", charge("processor_payment_token", `{"processor_payment_token":"x","merchant_connector_id":"mca_x"}`),
			account + ` + {"param":"recurring_details.data.merchant_connector_id"}`},
		step{"account of a relay", "POST /relay", `{"connector_resource_id":"x","connector_id":"mca_x","type":"void","data":{"void":{}}}`, account + ` + {"param":"connector_id"}`},
		step{"customer", "POST /customers", `{"customer_id":"cus_1"}`, `{}`},
		step{"account of a reference", "POST /payment_methods", `{"customer_id":"cus_1","payment_method":"card","card":{"card_number":"4242424242424242","card_exp_month":"10",` +
			`"card_exp_year":"50"},"connector_mandate_details":{"mca_x":{"connector_mandate_id":"t"}}}`, account + ` + {"param":"connector_mandate_details"}`},
		step{"default profile", "admin POST /accounts/m1", `{"default_profile":"pro_x"}`, `404 HE_02 Business profile with the given id pro_x does not exist + {"param":"default_profile"}`},
	)
}

// TestHintsNameFieldsOfTheAPI: what looks like a field's name in a hint is a name of the API, so that a caller can send it.
func TestHintsNameFieldsOfTheAPI(t *testing.T) {
	t.Parallel()
	words := regexp.MustCompile(`[a-z0-9]+(_[a-z0-9]+)+`)
	spec, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	known := map[string]bool{"mca_1": true} // an example of an id
	for _, word := range words.FindAllString(string(spec), -1) {
		known[word] = true
	}
	hints := regexp.MustCompile("(?:WithHint\\(|Hint: *)(\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`)")
	seen := 0
	for _, pattern := range []string{"*.go", "../engine/*.go", "../engine/*/*.go", "../engine/*/*/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, hint := range hints.FindAllStringSubmatch(string(source), -1) {
				seen++
				for _, word := range words.FindAllString(hint[1], -1) {
					require.True(t, known[word], "%s: the API has no %s: %s", file, word, hint[1])
				}
			}
		}
	}
	require.Greater(t, seen, 300)
}

package router_test

import "testing"

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

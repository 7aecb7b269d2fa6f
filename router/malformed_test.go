package router_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/router"
)

// TestMalformed checks the error messages for requests that cannot be parsed. Clients compare these messages.
func TestMalformed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	currencies := "`AED`, `AFN`, `ALL`, `AMD`, `ANG`"
	cases := []struct{ name, body, message string }{
		{"empty body", "", "the request needs the header Content-Type: application/json"},
		{"no JSON", "x", "invalid character 'x' at start of value at line 1 column 1"},
		{"blank", " ", "the JSON ends before it is complete at line 1 column 1"},
		{"list", "[]", "invalid type: sequence, expected an object at line 1 column 2"},
		{"text", `"a"`, `invalid type: string "a", expected an object at line 1 column 3`},
		{"null", "null", "invalid type: null, expected an object at line 1 column 4"},
		{"cut short", `{"amount":1`, "the JSON ends before it is complete at line 1 column 11"},
		{"trailing comma", `{"amount":1,}`, "invalid character ',' at start of value at line 1 column 12"},
		{"trailing text", "{}\n  x", "unexpected text after the JSON document at line 2 column 3"},
		{"two documents", `{}{}`, "unexpected text after the JSON document at line 1 column 3"},
		{"key not text", `{1:2}`, "object member name must be a string at line 1 column 2"},
		{"no colon", `{"amount" 1}`, "invalid character '1' after object name (expecting ':') at line 1 column 11"},
		{"no comma", `{"amount":1 "currency":"USD"}`, "invalid character '\"' after object value (expecting ',' or '}') at line 1 column 13"},
		{"control character", "{\"name\":\"a\nb\"}", "invalid character '\\n' in string (expecting non-control character) at line 1 column 11"},
		{"NUL", `{"name":"a\u0000"}`, "a string contains the NUL character (\\u0000) at line 1 column 17"},
		{"NUL in metadata", `{"metadata":{"a":"\u0000"}}`, "a string contains the NUL character (\\u0000) at line 1 column 25"},
		{"bad escape", `{"name":"a\x"}`, "invalid escape sequence in string at line 1 column 11"},
		{"lone surrogate", `{"name":"\ud800 "}`, "invalid surrogate pair in string at line 1 column 10"},
		{"not UTF-8", "{\"name\":\"\xff\"}", "invalid UTF-8 at line 1 column 10"},
		{"leading zero", `{"amount":01}`, "invalid character '1' after object value (expecting ',' or '}') at line 1 column 12"},
		{"number too large", `{"metadata":{"a":1e999}}`, "number out of range at line 1 column 22"},
		{"too deep", `{"metadata":` + strings.Repeat("[", 200), "the JSON is nested deeper than 128 levels at line 1 column 140"},
		{"too deep inside", `{"metadata":{"a":` + strings.Repeat("[", 200), "the JSON is nested deeper than 128 levels at line 1 column 144"},

		{"unknown key", `{"amont":1}`, "unknown field `amont`, expected one of `amount`, `currency`, `order_tax_amount`"},
		{"unknown key, position", `{"amont":1}`, " at line 1 column 8"},
		{"unknown key in billing", `{"billing":{"adress":{}}}`, "unknown field `adress`, expected one of `address`, `phone`, `email` at line 1 column 20"},
		{"unknown key in address", `{"shipping":{"address":{"street":"x"}}}`, "unknown field `street`, expected one of `city`, `country`, `line1`"},
		{"unknown key in acceptance", `{"customer_acceptance":{"acceptance_type":"online","when":1}}`, "unknown field `when`, expected one of `acceptance_type`, `accepted_at`, `online`"},
		{"unknown key in mandate_data", `{"mandate_data":{"x":1}}`, "unknown field `x`, expected one of `update_mandate_id`, `customer_acceptance`, `mandate_type`"},
		{"key twice", `{"amount":1,"amount":2}`, "duplicate field `amount` at line 1 column 20"},
		{"key twice, once null", `{"amount":null,"amount":2}`, "duplicate field `amount` at line 1 column 23"},

		{"misspelt currency", `{"currency":"usd"}`, "unknown variant `usd`, expected one of " + currencies},
		{"currency, position", "{\n  \"currency\": \"XXX\"\n}", "`ZMW`, `ZWL` at line 2 column 19"},
		{"currency not text", `{"currency":1}`, "invalid type: integer `1`, expected a string at line 1 column 13"},
		{"capture method", `{"capture_method":"auto"}`, "unknown variant `auto`, expected one of `automatic`, `manual`, `manual_multiple`, `scheduled`, `sequential_automatic` at line 1 column 24"},
		{"authentication type", `{"authentication_type":"3ds"}`, "unknown variant `3ds`, expected `three_ds` or `no_three_ds` at line 1 column 28"},
		{"payment method", `{"payment_method":"cards"}`, "unknown variant `cards`, expected one of `card`, `card_redirect`, `pay_later`"},
		{"country", `{"billing":{"address":{"country":"us"}}}`, "unknown variant `us`, expected one of `AF`, `AX`"},
		{"recurring type", `{"recurring_details":{"type":"x","data":"y"}}`, "unknown variant `x`, expected one of `mandate_id`, `payment_method_id`"},
		{"card network", `{"payment_method_data":{"card":{"card_network":"visa"}}}`, "unknown variant `visa`, expected one of `Visa`, `Mastercard`"},

		{"fraction", `{"amount":10.5}`, "invalid type: floating point `10.5`, expected an integer at line 1 column 14"},
		{"exponent", `{"amount":1e2}`, "invalid type: floating point `1e2`, expected an integer at line 1 column 13"},
		{"amount as text", `{"amount":"1"}`, `invalid type: string "1", expected an integer at line 1 column 13`},
		{"negative amount", `{"amount":-1}`, "invalid value: integer `-1`, expected an integer between 0 and 9223372036854775807 at line 1 column 12"},
		{"amount beyond 64 bits", `{"amount":9223372036854775808}`, "invalid value: integer `*`, expected an integer between"},
		{"negative shipping", `{"shipping_cost":-5}`, "invalid value: integer `-5`"},
		{"confirm as text", `{"confirm":"true"}`, `invalid type: string "true", expected a boolean at line 1 column 17`},
		{"flag as text", `{"request_external_three_ds_authentication":"true"}`, `invalid type: string "true", expected a boolean`},
		{"metadata no object", `{"metadata":"x"}`, `invalid type: string "x", expected an object`},
		{"color depth", `{"browser_info":{"color_depth":256}}`, "invalid value: integer `256`, expected an integer between 0 and 255"},
		{"IP address", `{"browser_info":{"ip_address":"localhost"}}`, "invalid IP address syntax at line 1 column 41"},
		{"e-mail", `{"email":"guest"}`, "invalid email address format at line 1 column 16"},
		{"e-mail in billing", `{"billing":{"email":"a@"}}`, "invalid email address format"},
		{"e-mail in customer", `{"customer":{"email":""}}`, "invalid email address format"},
		{"relative URL", `{"return_url":"example.com/x"}`, `relative URL without a base: "example.com/x" at line 1 column 29`},
		{"URL without host", `{"return_url":"https:///x"}`, `empty host: "https:///x"`},
		{"script URL", `{"return_url":"javascript:alert(1)"}`, "the scheme javascript is not allowed"},
		{"id characters", `{"payment_id":"a b"}`, `value "a b" contains invalid character`},
		{"id empty", `{"customer_id":""}`, "the minimum required length for this field is 1 at line 1 column 17"},
		{"id too long", `{"payment_id":"` + strings.Repeat("a", 65) + `"}`, "the maximum allowed length for this field is 64 at line 1 column 81"},
		{"time", `{"customer_acceptance":{"acceptance_type":"online","accepted_at":"yesterday"}}`, `invalid value: "yesterday", expected an ISO 8601 time`},
		{"acceptance without type", `{"customer_acceptance":{}}`, "missing field `acceptance_type` at line 1 column 25"},
		{"online without user agent", `{"customer_acceptance":{"acceptance_type":"online","online":{"ip_address":"x"}}}`, "missing field `user_agent`"},
		{"unknown connector", `{"connector":["strype"]}`, "unknown variant `strype`, expected `adyen` or `stripe`"},

		{"card letters", with(plain, "payment_method_data.card.card_number", `"4242a24242424242"`), "invalid character found in card number at line"},
		{"card too short", with(plain, "payment_method_data.card.card_number", `"4242424"`), "invalid card number length at line"},
		{"card too long", with(plain, "payment_method_data.card.card_number", `"42424242424242424242"`), "invalid card number length at line"},
		{"card fails Luhn", with(plain, "payment_method_data.card.card_number", `"4242424242424241"`), "card number invalid at line"},
		{"card as number", with(plain, "payment_method_data.card.card_number", `4242424242424242`), "invalid type: integer, expected a string at line"},
		{"no CVC", with(plain, "payment_method_data.card.card_cvc", "-"), "missing field `card_cvc` at line"},
		{"null month", with(plain, "payment_method_data.card.card_exp_month", "null"), "missing field `card_exp_month` at line"},
		{"CVC as number", with(plain, "payment_method_data.card.card_cvc", "123"), "invalid type: integer, expected a string at line"},
		{"no transaction status", `{"three_ds_data":{"eci":"05"}}`, "missing field `transaction_status`"},
	}
	for _, path := range []string{"/payments", "/payments/pay_x", "/payments/pay_x/confirm"} {
		for _, c := range cases {
			r := w.post(path, c.body)
			require.Equal(t, 400, r.status, "%s %s: %s", path, c.name, r.body)
			e := r.error()
			require.Equal(t, "IR_06", e["code"], c.name)
			require.Equal(t, "invalid_request", e["type"], c.name)
			require.Equal(t, "invalid_request", e["error_type"], c.name)
			require.Contains(t, e["message"], c.message, c.name)
			require.True(t, strings.HasPrefix(e["message"].(string), "Json deserialize error: "), c.name)
		}
	}
	require.Zero(t, w.payments(), "nothing is stored")
}

// TestMalformedShowsNoCard: an error does not repeat a card number from a wrong field.
func TestMalformedShowsNoCard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, body := range []string{
		`{"4242424242424242":1}`, `{"currency":"4242424242424242"}`, `{"amount":"4242 4242 4242 4242"}`, `{"confirm":4242424242424242}`,
		`{"return_url":"4242-4242-4242-4242"}`, `{"email":"4242424242424242"}`, `{"payment_id":"4242424242424242!"}`,
		`{"payment_method_data":{"card":{"card_number":["4242424242424242"]}}}`, `{"payment_method_data":"4242424242424242"}`,
		`{"payment_method_data":{"card":"4242424242424242"}}`, `{"amount":4242424242424242.5}`, `{"routing":{"type":"single","data":"4242424242424242"}}`,
	} {
		r := w.post("/payments", body)
		require.Contains(t, []int{400, 422}, r.status, body)
		require.NotContains(t, r.body, "4242424242", body)
		require.NotContains(t, r.body, "4242 4242", body)
		require.NotContains(t, r.body, "4242-4242", body)
	}
	logs := regexp.MustCompile(`(took|request_id)=\S+`).ReplaceAllString(w.logs.String(), "") // any digits stand in them
	require.Contains(t, logs, "method=POST")
	require.NotContains(t, logs, "4242")
}

// TestTolerated: these unusual requests succeed.
func TestTolerated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, body := range map[string]string{
		"nulls":            with(plain, "customer_id", "null", "metadata", "null", "billing", `{"address":null,"phone":null,"email":null}`, "routing", "null"),
		"card extras":      with(plain, "payment_method_data.card.unknown", `{"a":[1]}`, "payment_method_data.other", "1"),
		"browser extras":   with(plain, "browser_info", `{"os_type":"x","ip_address":"::1","color_depth":0}`),
		"spaces in number": with(plain, "payment_method_data.card.card_number", `"4242 4242 4242 4242"`),
		"escapes":          with(plain, "description", `"\u0041\n\"\\\/\ud83d\ude00"`),
		"no Luhn":          with(plain, "payment_method_data.card.card_number", `"4000100511112003"`),
		"capture_on":       with(plain, "capture_on", `"2022-09-10T10:11:12Z"`),
		"charset":          plain,
		"empty metadata":   with(plain, "metadata", "{}"),
		"scheme":           with(plain, "return_url", `"myapp://done"`),
		"legacy connector": with(plain, "connector", `["adyen"]`, "currency", `"USD"`),
		"order":            with(plain, "order_details", `[{"product_name":"shirt","quantity":2,"amount":500,"tax_rate":1.5}]`),
	} {
		r := w.send("POST", "/payments", w.secret, body, "Content-Type", "application/json; charset=utf-8")
		require.Equal(t, 200, r.status, "%s: %s", name, r.body)
		require.Equal(t, "succeeded", r.object()["status"], name)
	}
	p := w.post("/payments", with(plain, "description", `"\u0041\n\"\\\/\ud83d\ude00"`, "connector", `["adyen"]`)).ok()
	require.Equal(t, "A\n\"\\/😀", p["description"])
	require.Equal(t, "adyen", p["connector"])
	strict := newWorld(t, func(o *router.Options) { o.TestCardsWithoutLuhn = false })
	require.Contains(t, strict.post("/payments", with(plain, "payment_method_data.card.card_number", `"4000100511112003"`)).body, "card number invalid")
}

// TestContentType: a body without a JSON Content-Type is refused.
func TestContentType(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, header := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/", ";"} {
		r := w.send("POST", "/payments", w.secret, plain, "Content-Type", header)
		require.Equal(t, 400, r.status)
		require.Equal(t, "invalid_request", r.error()["error_type"])
	}
	big := with(plain, "description", `"`+strings.Repeat("a", 33000)+`"`)
	r := w.post("/payments", big)
	require.Equal(t, 413, r.status)
	require.Equal(t, "invalid_request", r.error()["error_type"])
	require.Equal(t, "Json deserialize error: the request body is larger than 32768 bytes", r.error()["message"])
	require.Equal(t, 200, w.post("/payments", with(plain, "description", `"`+strings.Repeat("a", 32000)+`"`)).status)
	require.Equal(t, 1, w.payments())
}

package router_test

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
)

// TestParamAndHint holds the field and the hint of one error of each kind.
func TestParamAndHint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	held := w.post("/payments", with(plain, "capture_method", `"manual"`)).ok()["payment_id"].(string)
	open := w.post("/payments", with(plain, "confirm", "-")).ok()
	secretOf := open["client_secret"].(string)
	for _, c := range []struct{ name, method, path, key, body, param, hint string }{
		// Bad JSON.
		{"broken between fields", "POST", "/payments", w.secret, `{"amount":1,}`, "", "Mend the JSON at this place."},
		{"broken value", "POST", "/payments", w.secret, `{"metadata":{"a":[1,"\x"]}}`, "metadata.a[1]", "Mend the JSON at this place."},
		{"broken value in a list", "POST", "/payments", w.secret, `{"order_details":[{"product_name":"a","quantity":1,"amount":1},{"product_name":tru}]}`, "order_details[1].product_name", "Mend the JSON at this place."},
		{"cut short", "POST", "/payments", w.secret, `{"amount":1`, "", "Send the whole JSON object."},
		{"trailing text", "POST", "/payments", w.secret, `{} x`, "", "Send one JSON object alone."},
		{"NUL", "POST", "/payments", w.secret, `{"billing":{"address":{"city":"\u0000"}}}`, "billing.address.city", "Send the text without it."},
		{"number out of range", "POST", "/payments", w.secret, `{"metadata":{"a":1e999}}`, "metadata.a", "Send a number that a 64-bit float can hold."},

		// Unknown and duplicate fields.
		{"misspelt field", "POST", "/payments", w.secret, `{"amont":1}`, "amont", `Did you mean "amount"?`},
		{"other case", "POST", "/payments", w.secret, `{"captureMethod":"manual"}`, "captureMethod", `Did you mean "capture_method"?`},
		{"misspelt field inside", "POST", "/payments", w.secret, `{"billing":{"adress":{}}}`, "billing.adress", `Did you mean "address"?`},
		{"field without its id", "POST", "/refunds", w.secret, `{"payment":"pay_1"}`, "payment", `Did you mean "payment_id"?`},
		{"field like no other", "POST", "/payments", w.secret, `{"zzz":1}`, "zzz", "Leave the field out."},
		{"field twice", "POST", "/payments", w.secret, `{"billing":{"email":"a@b.example","email":"a@b.example"}}`, "billing.email", "Send the field once."},
		{"card number as a field", "POST", "/payments", w.secret, `{"4242424242424242":1}`, "************4242", "Leave the field out."},

		// Wrong types.
		{"number in quotes", "POST", "/payments", w.secret, `{"amount":"100"}`, "amount", "Send the number without quotes."},
		{"fraction", "POST", "/payments", w.secret, `{"amount":10.5}`, "amount", "Send a whole number without quotes, fraction or exponent."},
		{"number for a text", "POST", "/payments", w.secret, `{"billing":{"address":{"zip":94122}}}`, "billing.address.zip", "Put the value in quotes."},
		{"text for a boolean", "POST", "/payments", w.secret, `{"confirm":"true"}`, "confirm", "Send true without quotes."},
		{"text for an object", "POST", "/payments", w.secret, `{"customer":"x"}`, "customer", "Send an object: {...}."},
		{"object for a list", "POST", "/payments", w.secret, `{"order_details":{}}`, "order_details", "Send a list: [...]."},
		{"in a list", "POST", "/payments", w.secret, `{"order_details":[{"product_name":"a","quantity":1,"amount":1},{"product_name":"b","quantity":"1","amount":1}]}`, "order_details[1].quantity", "Send the number without quotes."},
		{"body that is no object", "POST", "/payments", w.secret, `[]`, "", "Send an object: {...}."},
		{"card number as number", "POST", "/payments", w.secret, with(plain, "payment_method_data.card.card_number", "4242424242424242"), "payment_method_data.card.card_number", "Put the value in quotes."},

		// Values out of bounds, of the wrong form, or not on a closed list.
		{"negative amount", "POST", "/payments", w.secret, `{"amount":-1}`, "amount", "Send a whole number from 0 to 9223372036854775807."},
		{"currency in lower case", "POST", "/payments", w.secret, `{"currency":"usd"}`, "currency", `Did you mean "USD"?`},
		{"currency that does not exist", "POST", "/payments", w.secret, `{"currency":"XXX"}`, "currency", "Send one of the values that the message lists."},
		{"country", "POST", "/payments", w.secret, `{"shipping":{"address":{"country":"us"}}}`, "shipping.address.country", `Did you mean "US"?`},
		{"beginning of a value", "POST", "/payments", w.secret, `{"capture_method":"auto"}`, "capture_method", `Did you mean "automatic"?`},
		{"short list", "POST", "/payments", w.secret, `{"authentication_type":"3ds"}`, "authentication_type", `Send one of "three_ds" or "no_three_ds".`},
		{"value in a list", "POST", "/payments", w.secret, `{"allowed_payment_method_types":["debit","aple_pay"]}`, "allowed_payment_method_types[1]", `Did you mean "apple_pay"?`},
		{"connector", "POST", "/payments", w.secret, `{"connector":["adyen","strype"]}`, "connector[1]", `Did you mean "stripe"?`},
		{"URL", "POST", "/payments", w.secret, `{"return_url":"example.com"}`, "return_url", `Send an absolute URL, such as "https://example.com/return".`},
		{"e-mail", "POST", "/payments", w.secret, `{"customer":{"email":"x"}}`, "customer.email", `Send an address such as "name@example.com".`},
		{"Luhn", "POST", "/payments", w.secret, with(plain, "payment_method_data.card.card_number", `"4242424242424241"`), "payment_method_data.card.card_number",
			"The last digit does not match the others (Luhn check): look for a mistyped digit."},
		{"length", "POST", "/payments", w.secret, with(plain, "customer", `{"phone_country_code":"`+strings.Repeat("1", 5)+strings.Repeat("a", 300)+`"}`), "customer.phone_country_code", "Shorten the text to 255 characters."},
		{"card number in a text", "POST", "/payments", w.secret, with(plain, "metadata", `{"list":["","4242424242424242"]}`), "metadata.list[1]", "Leave the card number out of this field."},

		// Missing fields.
		{"missing at the top", "POST", "/payments", w.secret, `{"amount":1}`, "currency", "Add the field to the request."},
		{"missing inside", "POST", "/payments", w.secret, with(plain, "payment_method_data.card.card_cvc", "-"), "payment_method_data.card.card_cvc", "Add the field to the object."},
		{"missing, misspelt", "POST", "/payments", w.secret, `{"payment_method_data":{"card":{"number":"4242424242424242"}}}`, "payment_method_data.card.card_number",
			`The field "number" is unknown here. Did you mean "card_number"?`},
		{"missing in data by type", "POST", "/payments", w.secret, `{"recurring_details":{"data":{"card_number":"4242424242424242"},"type":"network_transaction_id_and_card_details"}}`,
			"recurring_details.data.network_transaction_id", "Add the field to the object."},
		{"wrong in data by type", "POST", "/payments", w.secret, `{"recurring_details":{"data":{"processor_payment_token":1},"type":"processor_payment_token"}}`,
			"recurring_details.data.processor_payment_token", "Put the value in quotes."},

		// Routing rules.
		{"routing type", "POST", "/payments", w.secret, with(plain, "routing", `{"type":"singel","data":"adyen"}`), "routing.type", `Did you mean "single"?`},
		{"routing data", "POST", "/payments", w.secret, with(plain, "routing", `{"type":"priority","data":["adyen",{"conector":"stripe"}]}`), "routing.data[1].connector",
			`The field "conector" is unknown here. Did you mean "connector"?`},
		{"routing connector", "POST", "/payments", w.secret, with(plain, "routing", `{"type":"priority","data":["adyen","strype"]}`), "routing.data[1]", `Did you mean "stripe"?`},

		// Errors of the engine.
		{"expiry month", "POST", "/payments", w.secret, with(plain, "payment_method_data.card.card_exp_month", `"13"`), "payment_method_data.card.card_exp_month", "Send 01 to 12."},
		{"expiry year", "POST", "/payments", w.secret, with(plain, "payment_method_data.card.card_exp_year", `"20a"`), "payment_method_data.card.card_exp_year", "Send digits alone."},
		{"expiry of a card by id", "POST", "/payment_methods", w.secret, `{"customer_id":"cus_1","payment_method":"card","card":{"card_number":"4242424242424242","card_exp_month":"13","card_exp_year":"50"}}`,
			"card.card_exp_month", "Send 01 to 12."},
		{"CVC", "POST", "/payments", w.secret, with(plain, "payment_method_data.card.card_cvc", `"12"`), "payment_method_data.card.card_cvc", "Send three or four digits."},
		{"amount too large", "POST", "/payments", w.secret, with(plain, "amount", "999999999999"), "amount", "Send a whole number from 0 to 999999999."},
		{"two customers", "POST", "/payments", w.secret, with(plain, "name", `"A"`, "customer", `{"name":"B"}`), "customer.name", "Send the field once: at the top level or in customer."},
		{"payment_id in use", "POST", "/payments", w.secret, with(plain, "payment_id", `"`+held+`"`), "payment_id", "Choose another payment_id, or leave it out."},
		{"too much to capture", "POST", "/payments/" + held + "/capture", w.secret, `{"amount_to_capture":1001}`, "amount_to_capture", "Send at most 1000."},
		{"capture of nothing", "POST", "/payments/" + held + "/capture", w.secret, `{"amount_to_capture":0}`, "amount_to_capture", "Send a whole number above zero."},
		{"no connector takes it", "POST", "/payments/" + open["payment_id"].(string) + "/confirm", w.publishable, `{"client_secret":"x"}`, "client_secret", "Send the client_secret of the answer that created the payment."},
		{"not for the payer", "POST", "/payments/" + open["payment_id"].(string) + "/confirm", w.publishable, `{"client_secret":"` + secretOf + `","off_session":true}`, "off_session", "Leave the field out."},
		{"wrong state", "POST", "/payments/" + held + "/confirm", w.secret, `{}`, "status", "A payment with the status requires_capture can be captured or cancelled."},

		// Outside the body.
		{"query parameter", "GET", "/payments/list?limitt=1", w.secret, "", "limitt", `Did you mean "limit"?`},
		{"query value", "GET", "/payments/list?limit=ten", w.secret, "", "limit", "Send a whole number."},
		{"query value out of bounds", "GET", "/payments/list?limit=101", w.secret, "", "limit", "Send a whole number from 1 to 100."},
		{"path", "GET", "/payments/a%20b", w.secret, "", "payment_id", "Send 1 to 64 characters of A-Z, a-z, 0-9, _ and -."},
		{"no such payment", "GET", "/payments/none", w.secret, "", "payment_id", "Check the id, and that it belongs to this merchant."},
		{"no key", "GET", "/payments/none", "", "", "api-key", "Send a valid secret key, or the publishable key with the client_secret."},
		{"key of another merchant", "GET", "/account/another/business_profile", w.secret, "", "api-key", "Send the admin key, or a valid secret key of the merchant in the URL."},
		{"secret key where the admin's is needed", "GET", "/operations", w.secret, "", "api-key", "Send the installation's admin key."},
		{"wrong token in a URL", "POST", "/3ds/m/none", "", "", "token", "Open the URL as payswitch gave it. Its last part is secret."},
		{"no such operation", "GET", "/operations/none", adminKey, "", "operation_id", "GET /operations lists the operations."},
		{"no such error rule", "POST", "/gsm/get", adminKey, `{"connector":"adyen","flow":"Authorize","sub_flow":"sub_flow","code":"none","message":"none"}`, "code",
			"Send connector, flow, sub_flow, code and message as the entry has them, or create the entry with POST /gsm."},
		{"no kind of a blocklist", "GET", "/blocklist", w.secret, "", "data_kind", `Send one of "card_bin", "extended_card_bin" or "payment_method".`},
		{"format of a BIN", "POST", "/blocklist", w.secret, `{"type":"card_bin","data":"1"}`, "data", "Send a 6 digit number."},
		{"the root of the API", "GET", "/", w.secret, "", "", "GET /openapi.yaml lists the URLs."},
		{"no such URL", "GET", "/nothing", w.secret, "", "", "GET /openapi.yaml lists the URLs."},
		{"no such method", "PUT", "/payments", w.secret, "", "", "Use a method that the header Allow lists."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := w.send(c.method, c.path, c.key, c.body)
			r.t = t
			require.GreaterOrEqual(t, r.status, 400, r.body)
			e := r.error()
			for key, want := range map[string]string{"param": c.param, "hint": c.hint} {
				if want == "" {
					require.NotContains(t, e, key, r.body)
				} else {
					require.Equal(t, want, e[key], r.body)
				}
			}
		})
	}
	w.send("POST", "/payments", w.secret, plain, "Content-Type", "text/plain").expect(400, "IR_06", "Json deserialize error: the request needs the header Content-Type: application/json")
	const missing, blank = "Send Content-Type: application/json, and a body: {} if no field is needed.", "Send a JSON object: {} if no field is needed."
	id := open["payment_id"].(string)
	for _, path := range []string{"/payments/" + held + "/capture", "/payments/" + held + "/cancel", "/payments/" + held + "/cancel_post_capture",
		"/payments/" + held + "/incremental_authorization", "/payments/" + id + "/confirm", "/payments/" + id, "/payments", "/refunds", "/customers"} {
		for contentType, hint := range map[string]string{"": missing, "application/x-www-form-urlencoded": missing, "application/json": blank} {
			e := w.send("POST", path, w.secret, "", "Content-Type", contentType).error()
			param, _ := e["param"].(string)
			require.Equal(t, []any{"IR_06", hint, contentType != "application/json"}, []any{e["code"], e["hint"], param == "Content-Type"}, "%s %q", path, contentType)
		}
		e := w.send("POST", path, w.secret, "{}", "Content-Type", "application/x-www-form-urlencoded").error() // curl -d without -H
		require.Equal(t, []any{"Content-Type", "Send Content-Type: application/json."}, []any{e["param"], e["hint"]}, path)
	}
	r := w.send("POST", "/payments", w.secret, plain, "Idempotency-Key", strings.Repeat("k", 251))
	require.Equal(t, "Idempotency-Key", r.error()["param"])
}

// ofFields are the codes of errors that are about a field of the request.
var ofFields = map[string]bool{"IR_04": true, "IR_05": true, "IR_06": true, "IR_07": true}

// requireParam checks that an answer of 400 to 499 names the field at fault and a way out. Only what noField matches has no field.
func requireParam(t testing.TB, r *http.Request, status int, body []byte) {
	t.Helper()
	var envelope struct {
		Error *struct{ Code, Message, Param, Hint string }
	}
	if status < 400 || status >= 500 || json.Unmarshal(body, &envelope) != nil || envelope.Error == nil {
		return
	}
	e := envelope.Error
	require.NotEmpty(t, e.Hint, "%s %s: %s", r.Method, r.URL.Path, body)
	if e.Param == "" {
		require.Regexp(t, noField, e.Message, "%s %s: %s", r.Method, r.URL.Path, body)
	}
}

var noField = regexp.MustCompile(`^Json deserialize error: (invalid character|the JSON ends|unexpected text|object member name|invalid UTF-8|the JSON is nested|the request body is larger|` +
	`invalid type: \S+( "[^"]*"| .[^ ]*.)?, expected (an object|a list) at line 1 column|missing value after)|^Query deserialize error: the query string is |the form or query string is malformed|^the name of a field holds a card number|` +
	`^Unrecognized request URL$|^The HTTP method is not applicable for this API$|^the HTTP request cannot be parsed: |^Resource is busy$`)

// TestEveryRouteNamesTheField sends wrong values in every field of every route's body and query. Each error about a field names a field
// of the route, and an error about the value that was sent names that value.
func TestEveryRouteNamesTheField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc, err := document()
	require.NoError(t, err)
	w.post("/customers", `{"customer_id":"cus_1"}`).ok()
	w.post("/payments", with(plain, "payment_id", `"pay_1"`, "confirm", "-")).ok()
	ids := map[string]string{"merchant_id": merchant, "profile_id": w.profile, "customer_id": "cus_1", "payment_id": "pay_1"}
	key := w.ephemeral(t)

	// ask sends with the first key that the route takes.
	ask := func(method, path, body string) response {
		var r response
		for _, k := range []string{w.secret, adminKey, w.publishable, key} {
			if r = w.send(method, path, k, body); r.status != 401 {
				break
			}
		}
		return r
	}
	named, routes := 0, 0
	for pattern, item := range doc.Paths.Map() {
		path := regexp.MustCompile(`\{([^}]*)\}`).ReplaceAllStringFunc(pattern, func(name string) string {
			if id := ids[strings.Trim(name, "{}")]; id != "" {
				return id
			}
			return "none"
		})
		for method, op := range item.Operations() {
			fields := map[string]bool{}
			for _, p := range append(item.Parameters, op.Parameters...) {
				fields[p.Value.Name] = true
			}
			body := bodyOf(op)
			for name := range body {
				fields[name] = true
			}
			about := func(r response, sent string) {
				var envelope struct {
					Error *struct{ Code, Message, Param string }
				}
				if r.status < 400 || r.status >= 500 || json.Unmarshal([]byte(r.body), &envelope) != nil || envelope.Error == nil || !ofFields[envelope.Error.Code] {
					return
				}
				e := envelope.Error
				if strings.HasPrefix(e.Message, "Json deserialize error: the request needs") {
					require.Equal(t, "Content-Type", e.Param)
					return
				}
				require.NotEmpty(t, e.Param, "%s %s %s: %s", method, pattern, sent, r.body)
				top, _, _ := strings.Cut(e.Param, ".")
				top, _, _ = strings.Cut(top, "[")
				require.True(t, fields[top] || top == sent || fields[e.Param], "%s %s %s: %s", method, pattern, sent, r.body)
				if strings.HasPrefix(e.Message, "Json deserialize error: invalid") {
					require.Equal(t, sent, top, "%s %s: %s", method, pattern, r.body)
				}
				named++
			}
			routes++
			if body != nil {
				about(ask(method, path, `{"zz_unknown":1}`), "zz_unknown")
			}
			for name := range body {
				for _, wrong := range []string{`[[[]]]`, `{"zz_unknown":[]}`, `"zz"`, `-1.5`, `true`} {
					about(ask(method, path, `{"`+name+`":`+wrong+`}`), name)
				}
			}
			if method == "GET" {
				about(ask(method, path+"?zz_unknown=1", ""), "zz_unknown")
				for name := range fields {
					about(ask(method, path+"?"+name+"=%20", ""), name)
				}
			}
		}
	}
	require.Greater(t, routes, 50)
	require.Greater(t, named, 500)
}

// ephemeral returns a key for a customer's device.
func (w *world) ephemeral(t *testing.T) string {
	_, key, err := w.engine.CreateEphemeralKey(context.Background(), account.Auth{MerchantID: merchant}, "cus_1")
	require.NoError(t, err)
	return key.Reveal()
}

// bodyOf returns the fields of an operation's JSON body; nil where it has none.
func bodyOf(op *openapi3.Operation) map[string]bool {
	if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"] == nil {
		return nil
	}
	if op.RequestBody.Value.Content["application/json"].Schema.Value.Type.Is("array") {
		return nil // the body itself is at fault, not a field
	}
	fields := map[string]bool{}
	var walk func(s *openapi3.SchemaRef)
	walk = func(s *openapi3.SchemaRef) {
		for name := range s.Value.Properties {
			fields[name] = true
		}
		for _, list := range []openapi3.SchemaRefs{s.Value.AllOf, s.Value.AnyOf, s.Value.OneOf} {
			for _, part := range list {
				walk(part)
			}
		}
	}
	walk(op.RequestBody.Value.Content["application/json"].Schema)
	return fields
}

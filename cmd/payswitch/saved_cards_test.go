package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// recording is a processor on loopback that gives recorded answers, and keeps what it was asked. The records are the adapter's own: what
// a request must look like (<name>.json), and what the processor answered (<name>.responses.json).
type recording struct {
	*httptest.Server
	requests map[string]object // by case: the body
	answers  map[string]json.RawMessage

	mu   sync.Mutex
	seen []object // bodies; a form's fields by name
}

func newRecording(t *testing.T, name string, answerTo func(path string, body object) string) *recording {
	p := &recording{requests: map[string]object{}, answers: map[string]json.RawMessage{}}
	var requests struct {
		Cases []struct {
			Name    string
			Request struct{ Body object }
		}
	}
	var responses struct {
		Samples []struct {
			Name     string
			Response struct{ Body json.RawMessage }
		}
	}
	for file, v := range map[string]any{name + ".json": &requests, name + ".responses.json": &responses} {
		b, err := os.ReadFile(filepath.Join(root, "plugins", name, "testdata", file))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(b, v))
	}
	for _, c := range requests.Cases {
		p.requests[c.Name] = c.Request.Body
	}
	for _, s := range responses.Samples {
		p.answers[s.Name] = s.Response.Body
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		body := object{}
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
			form, _ := url.ParseQuery(string(raw))
			for k := range form {
				body[k] = form.Get(k)
			}
		} else if json.Unmarshal(raw, &body) != nil {
			body["unreadable"] = string(raw)
		}
		p.mu.Lock()
		p.seen = append(p.seen, body)
		n := len(p.seen)
		p.mu.Unlock()
		answer := answerTo(r.URL.Path, body)
		w.Header().Set("Content-Type", "application/json")
		if known, ok := p.answers[answer]; ok {
			w.Write(withOwnID(known, n))
		} else {
			io.WriteString(w, answer)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// withOwnID gives a recorded answer an id of its own: a processor has one for each payment.
func withOwnID(answer json.RawMessage, n int) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(answer, &fields) != nil {
		return answer
	}
	for _, name := range []string{"id", "pspReference"} {
		var id string
		if json.Unmarshal(fields[name], &id) == nil && id != "" {
			fields[name], _ = json.Marshal(fmt.Sprint(id, n))
		}
	}
	out, _ := json.Marshal(fields)
	return out
}

func (p *recording) last() object {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[len(p.seen)-1]
}

// likes holds the latest request against a recorded one: fields that are not the order's own must be the same; none may be missing
// or too many among those that name a credential or a card.
func (p *recording) likes(t *testing.T, recorded string, own map[string]any) {
	t.Helper()
	got, want := p.last(), p.requests[recorded]
	require.NotEmpty(t, want, recorded)
	for k, v := range own {
		require.Equal(t, v, got[k], "%s: %s", recorded, k)
	}
	for k, v := range want {
		if _, ours := own[k]; !ours && !ofTheOrder(k) {
			require.Equal(t, v, got[k], "%s: %s", recorded, k)
		}
	}
	for k := range got {
		if _, ours := own[k]; !ours && !ofTheOrder(k) {
			require.Contains(t, want, k, "%s has the field %s too", recorded, k)
		}
	}
}

// ofTheOrder says whether a field is the order's or the shopper's, which the recorded ones are not the test's.
func ofTheOrder(key string) bool {
	for _, prefix := range []string{"amount", "metadata", "reference", "return", "description", "billing", "shopper", "telephone", "country", "browser", "additionalData",
		"payment_method_data[billing_details]", "payment_method_data[ip]", "payment_method_data[user_agent]"} {
		if strings.HasPrefix(key, prefix) && key != "shopperReference" && key != "shopperInteraction" {
			return true
		}
	}
	return false
}

// storingAdapters is a folder with the two adapters and the simulator.
var storingAdapters = sync.OnceValues(func() (string, error) {
	return folderOf("storing", "stripe", "adyen")
})

// TestSavedCardsAtProcessors saves a card at Stripe and at Adyen and charges it again at either: by the processor's own reference, and at the
// other one by the card and the network's transaction id. The requests are the recorded ones.
func TestSavedCardsAtProcessors(t *testing.T) {
	t.Parallel()
	stripe := newRecording(t, "stripe", func(path string, body object) string {
		switch {
		case path == "/v1/customers":
			return `{"id":"cus_abc","object":"customer"}`
		case body["setup_future_usage"] != nil:
			return "mandate_stored"
		}
		return "mit_charged"
	})
	adyen := newRecording(t, "adyen", func(_ string, body object) string {
		if amount, _ := body["amount"].(map[string]any); amount["value"] == 0.0 {
			return "mandate_stored"
		}
		return "mit_charged"
	})
	folder, err := storingAdapters()
	require.NoError(t, err)
	r := start(t, append(testEnv(t, t.TempDir()), "PAYSWITCH_PLUGINS__DIRECTORY="+folder, "PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true"), "serve", "--config", writeConfig(t, ""))
	key := r.merchantAt("shop", "stripe", stripe.URL)
	account := r.must(key, "/account/shop/connectors", object{"connector_type": "payment_processor", "connector_name": "adyen",
		"connector_account_details": object{"auth_type": "BodyKey", "api_key": "probe_key", "key1": "probe_merchant"}})
	r.must(testAdminKey, "/account/shop/connectors/"+account["merchant_connector_id"].(string)+"/egress", object{"base_url": adyen.URL})

	at := func(connector string, body object) object {
		body["routing"] = object{"type": "single", "data": connector}
		return body
	}
	keep := func(amount int) object {
		return object{"amount": amount, "currency": "USD", "confirm": true, "customer_id": "cust_100", "email": "john.doe@example.com", "name": "John Doe",
			"setup_future_usage": "off_session", "return_url": "https://shop.example/return", "payment_method": "card",
			"customer_acceptance": object{"acceptance_type": "online", "online": object{"ip_address": "203.0.113.10", "user_agent": "Mozilla/5.0"}},
			"billing":             object{"address": object{"first_name": "John", "last_name": "Doe"}},
			"payment_method_data": object{"card": object{"card_number": "4111111111111111", "card_exp_month": "03", "card_exp_year": "2030",
				"card_holder_name": "John Doe", "card_cvc": "737"}}}
	}
	charge := func(id any) object {
		return object{"amount": 2499, "currency": "USD", "off_session": true, "mit_category": "recurring", "recurring_details": object{"type": "payment_method_id", "data": id}}
	}
	const network = "016153570198200"

	saved := r.must(key, "/payments", at("stripe", keep(2499)))
	require.Equal(t, "succeeded", saved["status"], saved)
	require.Equal(t, "pm_1PqQ2dKZ0aB1cD2e", saved["connector_mandate_id"])
	require.Equal(t, network, saved["network_transaction_id"])
	stripe.likes(t, "authorize_store_card", map[string]any{})
	id := saved["payment_method_id"]

	v := r.must(key, "/payments", charge(id))
	require.Equal(t, "succeeded", v["status"], v)
	require.Equal(t, "stripe", v["connector"])
	stripe.likes(t, "mandate_payment_by_id", map[string]any{"payment_method": "pm_1PqQ2dKZ0aB1cD2e"})

	status, refused := r.call(key, "/payments", at("adyen", charge(id)))
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, "IR_39", refused["error"].(map[string]any)["code"], "the profile does not allow it")
	profile := r.must(key, "/payments/"+saved["payment_id"].(string), nil)["profile_id"].(string)
	r.must(key, "/account/shop/business_profile/"+profile, object{"is_connector_agnostic_mit_enabled": true})
	v = r.must(key, "/payments", at("adyen", charge(id)))
	require.Equal(t, "succeeded", v["status"], v)
	require.Nil(t, v["connector_mandate_id"])
	adyen.likes(t, "mandate_payment_by_network_id", map[string]any{"shopperReference": account["merchant_connector_id"].(string) + "_cust_100"})

	saved = r.must(key, "/payments", at("adyen", with(keep(0), "payment_type", "setup_mandate", "customer_id", "cust_101")))
	require.Equal(t, "succeeded", saved["status"], saved)
	require.Equal(t, "M5N7TQ4TG5PFWR50", saved["connector_mandate_id"])
	require.EqualValues(t, 0, saved["amount_received"])
	id = saved["payment_method_id"]
	v = r.must(key, "/payments", at("adyen", charge(id)))
	require.Equal(t, "M5N7TQ4TG5PFWR50", v["connector_mandate_id"])
	adyen.likes(t, "mandate_payment_by_id", map[string]any{"paymentMethod": map[string]any{"type": "scheme", "storedPaymentMethodId": "M5N7TQ4TG5PFWR50"}})
	v = r.must(key, "/payments", at("stripe", charge(id)))
	require.Equal(t, "succeeded", v["status"], v)
	stripe.likes(t, "mandate_payment_by_network_id", map[string]any{"customer": nil})

	list := r.must(key, "/customers/cust_100/payment_methods", nil)["customer_payment_methods"].([]any)
	require.Len(t, list, 1)
	v = r.must(key, "/payments", at("stripe", object{"amount": 2499, "currency": "USD", "customer_id": "cust_100", "confirm": true, "payment_method": "card",
		"payment_token": list[0].(map[string]any)["payment_token"], "card_cvc": "999"}))
	require.Equal(t, "succeeded", v["status"], v)
	require.Equal(t, "999", stripe.last()["payment_method_data[card][cvc]"], "the customer's CVC goes with the card of the vault")
	require.Equal(t, "4111111111111111", stripe.last()["payment_method_data[card][number]"])
}

// with sets keys of an object.
func with(o object, pairs ...any) object {
	for i := 0; i < len(pairs); i += 2 {
		o[pairs[i].(string)] = pairs[i+1]
	}
	return o
}

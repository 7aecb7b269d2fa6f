package router_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPaymentSync: POST /payments/sync answers as the GET with the same parameters, byte for byte, and asks the processor only with force_sync.
func TestPaymentSync(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post("/payments", with(plain, "amount", "900000020")).ok()["payment_id"].(string)
	w.passes(6 * time.Second)
	require.Equal(t, "processing", w.post("/payments/sync", `{"payment_id":"`+id+`"}`).ok()["status"])
	require.Equal(t, "processing", w.post("/payments/sync", `{"payment_id":"`+id+`","force_sync":false}`).ok()["status"])
	require.Equal(t, "succeeded", w.post("/payments/sync", `{"payment_id":"`+id+`","force_sync":true}`).ok()["status"])
	for query, body := range map[string]string{
		"":                         ``,
		"?force_sync=true":         `,"force_sync":true`,
		"?expand_attempts=true":    `,"expand_attempts":true`,
		"?expand_captures=true":    `,"expand_captures":true`,
		"?expand=routing":          `,"expand":"routing"`,
		"?merchant_id=" + merchant: `,"merchant_id":"` + merchant + `"`,
		"?all_keys_required=true":  `,"all_keys_required":true,"merchant_connector_details":{"creds_identifier":"x"},"client_secret":null`,
	} {
		require.Equal(t, w.get("/payments/"+id+query).body, w.post("/payments/sync", `{"payment_id":"`+id+`"`+body+`}`).body, query)
	}
	require.Len(t, w.post("/payments/sync", `{"payment_id":"`+id+`","expand_attempts":true}`).ok()["attempts"], 1)

	link := w.post("/payments", with(plain, "confirm", "false", "payment_link", "true", "return_url", `"https://shop.example/done"`)).ok()
	require.NotNil(t, w.post("/payments/sync", `{"payment_id":"`+link["payment_id"].(string)+`"}`).ok()["payment_link"])
}

// TestPaymentSyncRefused: what the call refuses, with the field at fault and a remedy.
func TestPaymentSyncRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", with(plain, "confirm", "-")).ok()
	id, own := p["payment_id"].(string), `{"payment_id":"`+p["payment_id"].(string)+`"`
	_, other, _ := w.merchant("shop_2")
	for name, c := range map[string]struct {
		key, body     string
		status        int
		code, message string
		param         string
	}{
		"no payment_id":       {w.secret, `{"force_sync":true}`, 400, "IR_06", "missing field `payment_id`", "payment_id"},
		"payment_id null":     {w.secret, `{"payment_id":null}`, 400, "IR_06", "missing field `payment_id`", "payment_id"},
		"payment_id a number": {w.secret, `{"payment_id":1}`, 400, "IR_06", "invalid type: integer `1`, expected a string", "payment_id"},
		"payment_id bad":      {w.secret, `{"payment_id":"a/b"}`, 400, "IR_06", "contains invalid character", "payment_id"},
		"misspelt":            {w.secret, own + `,"forcesync":true}`, 400, "IR_06", "unknown field `forcesync`", "forcesync"},
		"force_sync a text":   {w.secret, own + `,"force_sync":"true"}`, 400, "IR_06", "expected a boolean", "force_sync"},
		"expand unknown":      {w.secret, own + `,"expand":"all"}`, 400, "IR_06", "unknown variant `all`", "expand"},
		"twice":               {w.secret, own + `,"payment_id":"x"}`, 400, "IR_06", "duplicate field `payment_id`", "payment_id"},
		"not an object":       {w.secret, `[]`, 400, "IR_06", "expected an object", ""},
		"unknown payment":     {w.secret, `{"payment_id":"none"}`, 404, "HE_02", "Payment does not exist in our records", "payment_id"},
		"foreign payment":     {other, own + `}`, 404, "HE_02", "Payment does not exist in our records", "payment_id"},
		"foreign merchant_id": {w.secret, own + `,"merchant_id":"shop_2"}`, 422, "IR_05", "Expected format is merchant_id from merchant account", "merchant_id"},
		"client_secret":       {w.secret, own + `,"client_secret":"` + p["client_secret"].(string) + `"}`, 422, "IR_06", "client_secret is not a valid parameter", "client_secret"},
		"no key":              {"", own + `}`, 401, "IR_01", "", "api-key"},
		"publishable key":     {w.publishable, own + `,"client_secret":"` + p["client_secret"].(string) + `"}`, 401, "IR_01", "", "api-key"},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.send("POST", "/payments/sync", c.key, c.body)
			r.refused(c.status, c.code, c.message)
			if c.param != "" {
				require.Equal(t, c.param, r.error()["param"])
			}
			require.NotEmpty(t, r.error()["hint"])
		})
	}
	for body, field := range map[string]string{`{"payment_id":"x","client_secret":{"a":"hush"}}`: "client_secret", `{"payment_id":"x","merchant_connector_details":"hush"}`: "merchant_connector_details"} {
		r := w.post("/payments/sync", body)
		r.refused(400, "IR_06", "invalid type")
		require.Equal(t, field, r.error()["param"])
		require.NotContains(t, r.body, "hush")
	}
	w.as(tokenOf(t, p), "POST", "/payments/sync", own+"}").refused(401, "IR_01", "")
	require.Equal(t, "requires_confirmation", w.get("/payments/" + id).ok()["status"])
}

package router_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

const (
	listed  = "We're unable to accept this card, please try another card or a different payment method"
	blocked = `{"error":{"type":"blocked","message":"` + listed + `","code":"HE_03","reason":"Blocked"}}`
)

// newRisky returns a world of one node, so that a new switch counts at once.
func newRisky(t testing.TB) *world {
	return newWorldOf(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": simulator.Adapter(), "adyen": simulator.Adapter()}),
		engine.Options{SoleNode: true})
}

func (w *world) guarded(on bool) {
	w.t.Helper()
	w.post(fmt.Sprintf("/blocklist/toggle?status=%v", on), "").ok()
}

func (w *world) block(kind, data string) response {
	return w.post("/blocklist", fmt.Sprintf(`{"type":%q,"data":%q}`, kind, data))
}

func (w *world) unblock(kind, data string) response {
	return w.send("DELETE", "/blocklist", w.secret, fmt.Sprintf(`{"type":%q,"data":%q}`, kind, data))
}

// stops requires that a confirm is blocked with the text, and that the payment has failed without an adapter's call.
func (w *world) stops(r response, text string) map[string]any {
	w.t.Helper()
	require.Equal(w.t, 200, r.status, r.body)
	require.Equal(w.t, strings.Replace(blocked, listed, text, 1), r.body)
	p := w.newest()
	require.Equal(w.t, []any{"failed", "rejected", "HE-03", text, nil, nil, nil}, []any{p["status"], p["merchant_decision"], p["error_code"], p["error_message"],
		p["connector"], p["merchant_connector_id"], p["fingerprint"]})
	for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpVerify} {
		require.Zero(w.t, w.counted.called(p["payment_id"].(string), op), "nothing left")
	}
	return p
}

// newest returns the payment that was made last.
func (w *world) newest() map[string]any {
	w.t.Helper()
	list := w.get("/payments/list?limit=1").ok()["data"].([]any)
	return w.get("/payments/" + list[0].(map[string]any)["payment_id"].(string) + "?expand_attempts=true").ok()
}

func typed(number string, more ...string) string {
	return with(plain, append([]string{"payment_method_data.card.card_number", `"` + number + `"`}, more...)...)
}

func TestBlocklist(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	e := w.block("card_bin", "411111").ok()
	require.Equal(t, []any{"411111", "card_bin"}, []any{e["fingerprint_id"], e["data_kind"]})
	require.Regexp(t, `^2\d{3}-.*Z$`, e["created_at"])
	require.Equal(t, "extended_card_bin", w.block("extended_card_bin", "42424242").ok()["data_kind"])
	require.Equal(t, "payment_method", w.block("fingerprint", "any text").ok()["data_kind"])
	for name, c := range map[string]struct {
		body          string
		status        int
		code, message string
	}{
		"type":           {`{"type":"card","data":"411111"}`, 400, "IR_06", "unknown variant `card`, expected one of `card_bin`, `extended_card_bin`, `fingerprint`"},
		"no type":        {`{"data":"411111"}`, 400, "IR_06", "missing field `type`"},
		"no data":        {`{"type":"card_bin"}`, 400, "IR_06", "missing field `data`"},
		"number":         {`{"type":"card_bin","data":411111}`, 400, "IR_06", ""},
		"short":          {`{"type":"card_bin","data":"41111"}`, 422, "IR_05", "data contains invalid data. Expected format is a 6 digit number"},
		"eight for six":  {`{"type":"card_bin","data":"41111111"}`, 422, "IR_05", "a 6 digit number"},
		"full width":     {`{"type":"card_bin","data":"４１１１１１"}`, 422, "IR_05", "a 6 digit number"},
		"spaces":         {`{"type":"card_bin","data":" 41111"}`, 422, "IR_05", "a 6 digit number"},
		"sign":           {`{"type":"card_bin","data":"+41111"}`, 422, "IR_05", "a 6 digit number"},
		"six for eight":  {`{"type":"extended_card_bin","data":"411111"}`, 422, "IR_05", "data contains invalid data. Expected format is an 8 digit number"},
		"again":          {`{"type":"card_bin","data":"411111"}`, 400, "IR_16", "provided bin is already blocked"},
		"again, 8":       {`{"type":"extended_card_bin","data":"42424242"}`, 400, "IR_16", "provided bin is already blocked"},
		"another kind":   {`{"type":"fingerprint","data":"411111"}`, 400, "IR_16", "data associated with the given fingerprint is already blocked"},
		"card number":    {`{"type":"fingerprint","data":"4242 4242 4242 4242"}`, 422, "IR_06", "card number"},
		"long":           {`{"type":"fingerprint","data":"` + strings.Repeat("x", 256) + `"}`, 422, "IR_06", "data must be at most 255 characters long. Received 256 characters"},
		"NUL":            {`{"type":"fingerprint","data":"a\u0000b"}`, 400, "IR_06", "NUL character"},
		"not an object":  {`[]`, 400, "IR_06", ""},
		"two of one key": {`{"type":"card_bin","data":"1","data":"411112"}`, 400, "IR_06", "duplicate field"},
	} {
		t.Run(name, func(t *testing.T) { w.post("/blocklist", c.body).refused(c.status, c.code, c.message) })
	}
	list := func(kind, more string) map[string]any { return w.get("/blocklist?data_kind=" + kind + more).ok() }
	for i := range 12 {
		w.block("card_bin", fmt.Sprint(500000+i)).ok()
	}
	first := list("card_bin", "")
	require.Equal(t, []any{10.0, 13.0, "500011"}, []any{first["count"], first["total_count"], first["data"].([]any)[0].(map[string]any)["fingerprint_id"]}, "newest first")
	require.Equal(t, 3.0, list("card_bin", "&offset=10&limit=65535")["count"])
	require.Equal(t, []any{0.0, 13.0}, []any{list("card_bin", "&limit=0")["count"], list("card_bin", "&limit=0")["total_count"]})
	require.Equal(t, 1.0, list("payment_method", "")["count"])
	require.Equal(t, 1.0, list("extended_card_bin", "")["total_count"])
	w.get("/blocklist?data_kind=card_bin&limit=65536").refused(400, "IR_06", "limit")
	w.get("/blocklist?data_kind=card_bin&offset=-1").refused(400, "IR_06", "offset")
	w.get("/blocklist").refused(400, "IR_06", "data_kind")

	_, other, _ := w.merchant("m2")
	require.Zero(t, w.send("GET", "/blocklist?data_kind=card_bin", other, "").ok()["total_count"], "of another merchant")
	w.send("DELETE", "/blocklist", other, `{"type":"card_bin","data":"411111"}`).refused(404, "IR_37", "could not find a blocklist entry for the given bin")
	require.Equal(t, "411111", w.unblock("fingerprint", "411111").ok()["fingerprint_id"], "looked up by data alone")
	w.unblock("card_bin", "411111").expect(404, "IR_37", "could not find a blocklist entry for the given bin")
	w.unblock("card_bin", "1").expect(404, "IR_37", "could not find a blocklist entry for the given bin")
	w.unblock("fingerprint", "a b").expect(404, "IR_37", "no blocklist record for the given fingerprint id was found")
	w.send("DELETE", "/blocklist", w.secret, `{"type":"x","data":"411111"}`).refused(400, "IR_06", "unknown variant")
	for _, key := range []string{"", w.publishable, adminKey} {
		w.send("POST", "/blocklist", key, `{"type":"card_bin","data":"411111"}`).refused(401, "IR_01", "")
		w.send("DELETE", "/blocklist", key, `{"type":"card_bin","data":"411111"}`).refused(401, "IR_01", "")
		w.send("POST", "/blocklist/toggle?status=true", key, "").refused(401, "IR_01", "")
	}
}

// TestBlocklistSwitch: the toggle and the config key are one value, and each change counts for the next payment.
func TestBlocklistSwitch(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	key := "/configs/guard_blocklist_for_" + merchant
	w.post("/blocklist/toggle", "").refused(400, "IR_06", "status")
	w.post("/blocklist/toggle?status=on", "").refused(400, "IR_06", "status")
	w.send("GET", key, adminKey, "").expect(404, "HE_02", "Config key does not exist in our records.")
	w.block("card_bin", "424242").ok()
	pays := func() bool { return w.post("/payments", plain).body != blocked }
	require.True(t, pays(), "off by default")
	require.Equal(t, `{"blocklist_guard_status":"enabled"}`, w.post("/blocklist/toggle?status=true", "").body)
	require.Equal(t, "true", w.send("GET", key, adminKey, "").ok()["value"])
	require.False(t, pays())
	w.send("POST", key, adminKey, `{"value":"false"}`).ok()
	require.True(t, pays(), "by the config key, at once")
	w.send("POST", key, adminKey, `{"value":"true"}`).ok()
	require.False(t, pays())
	require.Equal(t, "true", w.send("DELETE", key, adminKey, "").ok()["value"])
	require.True(t, pays(), "absent means off")
	w.send("POST", "/configs/", adminKey, `{"key":"guard_blocklist_for_m1","value":"true"}`).ok()
	w.send("POST", "/configs", adminKey, `{"key":"guard_blocklist_for_m1","value":"true"}`).expect(400, "HE_01", "The config with the specified key already exists in our records")
	require.False(t, pays())
	require.Equal(t, `{"blocklist_guard_status":"disabled"}`, w.post("/blocklist/toggle?status=false", "").body)
	require.True(t, pays())
	w.send("POST", key, adminKey, `{"value":"TRUE"}`).ok()
	require.True(t, pays(), "true alone is on")
}

// TestBlockedPayment: what a blocked confirm answers, leaves behind and announces.
func TestBlockedPayment(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	w.guarded(true)
	passed := w.post("/payments", plain).ok()
	fingerprint := passed["fingerprint"].(string)
	require.Regexp(t, "^[0-9a-f]{128}$", fingerprint)
	require.Nil(t, passed["merchant_decision"])
	require.Equal(t, fingerprint, w.post("/payments", with(plain, "payment_method_data.card.card_exp_year", `"2051"`)).ok()["fingerprint"], "of the number alone")
	for kind, data := range map[string]string{"card_bin": "424242", "extended_card_bin": "42424242", "fingerprint": fingerprint} {
		w.block(kind, data).ok()
		p := w.stops(w.post("/payments", plain), listed)
		require.Equal(t, []any{"failure", nil}, []any{p["attempts"].([]any)[0].(map[string]any)["status"], p["attempts"].([]any)[0].(map[string]any)["connector"]})
		w.post("/payments/"+p["payment_id"].(string)+"/confirm", with(plain, "amount", "-", "confirm", "-")).
			refused(400, "IR_16", "You cannot confirm this payment because it has status failed, you can enable `manual_retry` in profile to try this payment again")
		require.Equal(t, "succeeded", w.post("/payments", typed("4111111111111111")).ok()["status"], "another card")
		w.unblock(kind, data).ok()
		require.Equal(t, "succeeded", w.post("/payments", plain).ok()["status"])
	}
	w.block("card_bin", "424242").ok()
	open := w.post("/payments", with(plain, "confirm", "false", "payment_method", "-", "payment_method_data", "-")).ok()
	confirm := with(plain, "amount", "-", "confirm", "-", "client_secret", `"`+open["client_secret"].(string)+`"`)
	w.stops(w.send("POST", "/payments/"+open["payment_id"].(string)+"/confirm", w.publishable, confirm), listed)
	repeated := func() response {
		return w.send("POST", "/payments", w.secret, plain, "Idempotency-Key", "k1")
	}
	n := w.payments()
	require.Equal(t, blocked, repeated().body)
	require.Equal(t, blocked, repeated().body, "the stored answer")
	require.Equal(t, n+1, w.payments())
}

// TestBlockedWays: a blocked card is stopped whichever way it comes.
func TestBlockedWays(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	w.post("/account/m1/business_profile/"+w.profile, `{"is_manual_retry_enabled":true,"is_auto_retries_enabled":true,"max_auto_retries_enabled":3}`).ok()
	saved := w.post("/payments", with(plain, "customer_id", `"cus_1"`, "setup_future_usage", `"on_session"`,
		"customer_acceptance", `{"acceptance_type":"offline"}`)).ok()
	require.Equal(t, "succeeded", saved["status"])
	kept := w.post("/payments", with(plain, "confirm", "false")).ok()
	declined := w.post("/payments", typed("4000000000000002")).ok()
	require.Equal(t, "failed", declined["status"])
	w.guarded(true)
	w.block("card_bin", "424242").ok()
	w.block("card_bin", "400000").ok()

	w.stops(w.post("/payments", typed("4242 4242 4242 4242")), listed)
	w.stops(w.post("/payments", typed("0004242424242424242")), listed) // zeros in front pass the Luhn check
	for _, number := range []string{"４２４２４２４２４２４２４２４２", "4242-4242-4242-4242", "4242\u00a04242 4242 4242", "+4242424242424242"} {
		w.post("/payments", typed(number)).refused(400, "IR_06", "invalid character found in card number")
	}
	confirm := func(id string, body string) response { return w.post("/payments/"+id+"/confirm", body) }
	r := confirm(kept["payment_id"].(string), "{}")
	require.Equal(t, blocked, r.body, "the kept card of a create")
	r = confirm(declined["payment_id"].(string), with(typed("4000000000000002"), "amount", "-", "confirm", "-"))
	require.Equal(t, blocked, r.body, "a manual retry")
	list := w.get("/customers/cus_1/payment_methods").ok()["customer_payment_methods"].([]any)
	token := list[0].(map[string]any)["payment_token"].(string)
	w.stops(w.post("/payments", `{"amount":1000,"currency":"EUR","confirm":true,"customer_id":"cus_1","payment_method":"card","payment_token":"`+token+`","card_cvc":"123"}`), listed)
	w.stops(w.post("/payments", `{"amount":1000,"currency":"EUR","confirm":true,"customer_id":"cus_1","payment_method":"card","payment_token":"`+token+`"}`), listed)
	updated := w.post("/payments", with(plain, "confirm", "false", "payment_method", "-", "payment_method_data", "-")).ok()["payment_id"].(string)
	require.Equal(t, blocked, w.post("/payments/"+updated, with(plain, "amount", "-")).body, "an update that confirms")
	require.Equal(t, blocked, w.post("/payments", with(plain, "routing", `{"type":"single","data":"adyen"}`)).body, "at another account")
	require.Equal(t, blocked, w.post("/payments", with(plain, "authentication_type", `"three_ds"`)).body)
	require.Equal(t, blocked, w.post("/payments", with(plain, "amount", "0", "payment_type", `"setup_mandate"`, "setup_future_usage", `"off_session"`, "customer_id", `"cus_1"`,
		"customer_acceptance", `{"acceptance_type":"offline"}`)).body, "a check of the card")

	mit := w.post("/payments", fmt.Sprintf(`{"amount":1000,"currency":"EUR","confirm":true,"customer_id":"cus_1","off_session":true,"recurring_details":{"type":"payment_method_id","data":%q}}`,
		saved["payment_method_id"]))
	require.NotEqual(t, blocked, mit.body, "a charge without the customer is not looked at")
}

// TestFingerprintsDiffer: merchants cannot compare their fingerprints, and no fingerprint follows from the number without the vault.
func TestFingerprintsDiffer(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	_, other, _ := w.merchant("m2")
	w.guarded(true)
	w.send("POST", "/blocklist/toggle?status=true", other, "").ok()
	one := w.post("/payments", plain).ok()["fingerprint"].(string)
	two := w.send("POST", "/payments", other, plain).ok()["fingerprint"].(string)
	require.NotEqual(t, one, two)
	require.Len(t, two, 128)
	require.NotEqual(t, one, w.post("/payments", typed("4111111111111111")).ok()["fingerprint"])
	w.block("fingerprint", two).ok()
	require.Equal(t, "succeeded", w.post("/payments", plain).ok()["status"], "the fingerprint of another merchant blocks nothing")
	again := newRisky(t) // the same vault key and merchant id, another database
	again.guarded(true)
	require.NotEqual(t, one, again.post("/payments", plain).ok()["fingerprint"], "the database's own key decides")
}

// TestMethodBlocking: every row of the profile's card blocking.
func TestMethodBlocking(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	path := "/account/m1/business_profile/" + w.profile
	set := func(config string) map[string]any {
		return w.post(path, `{"payment_method_blocking":`+config+`}`).ok()["payment_method_blocking"].(map[string]any)
	}
	shown := set(`{"card":{"card_types":["credit"],"colour":1},"wallet":{"card_types":["debit"]},"x":2}`)
	require.Equal(t, map[string]any{"card": map[string]any{"issuing_country": nil, "card_types": []any{"credit"}, "card_subtypes": nil, "issuers": nil,
		"block_if_bin_info_unavailable": false}, "wallet": map[string]any{"card_types": []any{"debit"}}}, shown)
	require.Equal(t, "succeeded", w.post("/payments", plain).ok()["status"], "the guard is off")
	w.guarded(true)
	const amex, noRecord, maestro = "378282246310005", "5555555555554444", "6759649826438453"
	for name, c := range map[string]struct{ config, number, text string }{
		"credit":             {`{"card":{"card_types":["credit"]}}`, "4242424242424242", "Credit cards are not accepted for this transaction, please try a different card"},
		"debit":              {`{"card":{"card_types":["debit","credit"]}}`, "4111111111111111", "Debit cards are not accepted for this transaction, please try a different card"},
		"other type":         {`{"card":{"card_types":["debit"]}}`, "4242424242424242", ""},
		"country":            {`{"card":{"issuing_country":["US","GB"],"card_types":["credit"]}}`, "4242424242424242", "Cards issued in your region aren't supported for this transaction, please try a different card"},
		"other country":      {`{"card":{"issuing_country":["US"]}}`, "4242424242424242", ""},
		"type before kind":   {`{"card":{"card_types":["credit"],"card_subtypes":["smallcorporate"]}}`, amex, "Credit cards are not accepted for this transaction, please try a different card"},
		"subtype":            {`{"card":{"card_subtypes":["smallcorporate"]}}`, amex, "This card is not accepted for this transaction, please try a different card"},
		"missing fact":       {`{"card":{"card_subtypes":["smallcorporate"],"block_if_bin_info_unavailable":true}}`, "4242424242424242", ""},
		"no record":          {`{"card":{"issuing_country":["US","GB"],"card_types":["credit","debit"]}}`, noRecord, ""},
		"no record, refused": {`{"card":{"block_if_bin_info_unavailable":true}}`, noRecord, listed},
		"network alone":      {`{"card":{"block_if_bin_info_unavailable":true}}`, maestro, listed},
		"empty":              {`{"card":{}}`, "4242424242424242", ""},
		"null":               {`{"card":null}`, "4242424242424242", ""},
	} {
		t.Run(name, func(t *testing.T) {
			set(c.config)
			r := w.post("/payments", typed(c.number))
			if c.text == "" {
				require.Equal(t, "succeeded", r.ok()["status"])
				return
			}
			w.stops(r, c.text)
		})
	}
	set(`{"card":{"card_types":["credit"]}}`)
	w.block("card_bin", "424242").ok()
	w.stops(w.post("/payments", plain), listed) // the list comes first
	for name, bad := range map[string]string{"country": `{"card":{"issuing_country":["XX"]}}`, "type": `{"card":{"card_types":["prepaid"]}}`,
		"subtype": `{"card":{"card_subtypes":["SMALLCORPORATE"]}}`, "flag": `{"card":{"block_if_bin_info_unavailable":"yes"}}`, "list": `{"card":{"card_types":"credit"}}`,
		"wallet": `{"wallet":{"card_types":["x"]}}`} {
		t.Run("refused "+name, func(t *testing.T) {
			w.post(path, `{"payment_method_blocking":`+bad+`}`).refused(400, "IR_06", "Json deserialize error")
		})
	}
}

// upload sends a CSV file.
func (w *world) upload(csv string) response {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", "cards.csv")
	require.NoError(w.t, err)
	_, err = part.Write([]byte(csv))
	require.NoError(w.t, err)
	require.NoError(w.t, form.Close())
	return w.send("POST", "/blocklist/batch", w.secret, b.String(), "Content-Type", form.FormDataContentType())
}

func TestBlocklistBatch(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	w.guarded(true)
	w.block("card_bin", "411111").ok()
	var rows strings.Builder
	rows.WriteString("\ufefftype,data,metadata\r\ncard_bin,411111,\r\nextended_card_bin, 42424242 ,reason=fraud;ticket=7\r\nfingerprint,abc,\r\nfingerprint,abc,again=1\r\n")
	for i := range 1200 {
		fmt.Fprintf(&rows, "card_bin,%d,\n", 500000+i)
	}
	up := w.upload(rows.String()).ok()
	id := up["job_id"].(string)
	require.Regexp(t, "^blkbatch_[0-9A-Za-z]{20}$", id)
	require.Equal(t, []any{1204.0, "initiated"}, []any{up["total_rows"], up["status"]})
	j := w.get("/blocklist/batch/" + id).ok()
	require.Equal(t, []any{"initiated", merchant, 0.0, 0.0, 1204.0}, []any{j["status"], j["merchant_id"], j["succeeded_rows"], j["failed_rows"], j["total_rows"]})
	require.NoError(t, w.engine.RunJobs(t.Context()))
	j = w.get("/blocklist/batch/" + id).ok()
	require.Equal(t, []any{"completed", 1204.0, 0.0}, []any{j["status"], j["succeeded_rows"], j["failed_rows"]})
	require.Equal(t, 1201.0, w.get("/blocklist?data_kind=card_bin").ok()["total_count"])
	require.Equal(t, blocked, w.post("/payments", plain).body)
	require.NoError(t, w.engine.RunJobs(t.Context()), "nothing is left")

	second := w.upload("type,data,metadata\ncard_bin,600000,\n").ok()["job_id"]
	list := w.get("/blocklist/batch").ok()
	require.Equal(t, []any{2.0, 2.0, second}, []any{list["count"], list["total_count"], list["data"].([]any)[0].(map[string]any)["job_id"]})
	require.Equal(t, id, w.get("/blocklist/batch?limit=1&offset=1").ok()["data"].([]any)[0].(map[string]any)["job_id"])
	w.get("/blocklist/batch?limit=101").refused(400, "IR_06", "limit")
	w.get("/blocklist/batch/blkbatch_none").expect(404, "IR_37", "Batch blocklist job `blkbatch_none` not found")
	_, other, _ := w.merchant("m2")
	w.send("GET", "/blocklist/batch/"+id, other, "").expect(404, "IR_37", "Batch blocklist job `"+id+"` not found")
	require.Zero(t, w.send("GET", "/blocklist/batch", other, "").ok()["total_count"])
}

func TestBlocklistBatchRefused(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	const head = "type,data,metadata\n"
	for name, c := range map[string]struct{ csv, message string }{
		"bad row":       {head + "card_bin,411111,\ncard_bin,41111,\ncard_bin,x,\n", `{"row_index":1,"data_kind":"card_bin","data":"41111","reason":"data contains invalid data. Expected format is a 6 digit number"}`},
		"extended":      {head + "extended_card_bin,411111,\n", `{"row_index":0,"data_kind":"extended_card_bin","data":"411111","reason":"data contains invalid data. Expected format is an 8 digit number"}`},
		"type":          {head + "card,411111,\n", `{"row_index":0,"data_kind":"card","data":"411111","reason":"unknown type; expected card_bin, extended_card_bin or fingerprint"}`},
		"no data":       {head + "fingerprint,,\n", `{"row_index":0,"data_kind":"payment_method","data":"","reason":"data is empty"}`},
		"metadata":      {head + "card_bin,411111,fraud\n", `{"row_index":0,"data_kind":"card_bin","data":"411111","reason":"metadata must have the form key=value;key=value"}`},
		"columns":       {head + "card_bin,411111,a=b,c\n", `{"row_index":0,"data_kind":"card_bin","data":"411111","reason":"the row has 4 columns; the header has 3"}`},
		"no rows":       {head, "CSV must contain at least one valid data row"},
		"empty":         {"", "CSV must contain at least one valid data row"},
		"no header":     {"card_bin,411111,\n", "CSV must begin with the header type,data,metadata"},
		"too many":      {head + strings.Repeat("card_bin,411111,\n", 100_001), "CSV exceeds maximum allowed rows (100000); got 100001"},
		"open quote":    {head + "card_bin,\"411111,\n" + strings.Repeat("x", 1<<20), `{"row_index":0,"data_kind":"","data":"","reason":"the row is no CSV: extraneous or missing \" in quoted-field"}`},
		"huge cell":     {head + "fingerprint," + strings.Repeat("y", 4<<20) + ",\n", `{"row_index":0,"data_kind":"payment_method","data":"` + strings.Repeat("y", 255) + `","reason":"data must be at most 255 characters long. Received 4194304 characters"}`},
		"many columns":  {head + "card_bin,411111" + strings.Repeat(",", 1<<20) + "\n", `{"row_index":0,"data_kind":"card_bin","data":"411111","reason":"the row has 1048578 columns; the header has 3"}`},
		"a card number": {head + "card_bin,4242424242424242,\n", `{"row_index":0,"data_kind":"card_bin","data":"************4242","reason":"data contains invalid data. Expected format is a 6 digit number"}`},
		"formula":       {head + "card_bin,=1+1+1,\n", `{"row_index":0,"data_kind":"card_bin","data":"=1+1+1","reason":"data contains invalid data. Expected format is a 6 digit number"}`},
	} {
		t.Run(name, func(t *testing.T) { w.upload(c.csv).expect(422, "IR_06", c.message) })
	}
	w.upload(head+strings.Repeat("fingerprint,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,\n", 90_000)).refused(413, "IR_06", "larger than")
	w.upload(head+strings.Repeat("z", 6<<20)).refused(413, "IR_06", "larger than")
	w.send("POST", "/blocklist/batch", w.secret, head, "Content-Type", "text/csv").refused(400, "IR_06", "multipart/form-data")
	w.send("POST", "/blocklist/batch", w.secret, "--b\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--b--\r\n", "Content-Type", "multipart/form-data; boundary=b").
		refused(400, "IR_06", "missing field `file`")
	w.send("POST", "/blocklist/batch", w.secret, "nothing", "Content-Type", "multipart/form-data; boundary=b").refused(400, "IR_06", "")
	require.Zero(t, w.get("/blocklist/batch").ok()["total_count"], "nothing is stored")
}

package router_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// An operator lists what is unknown, resolves it by hand, and finds the word again.
func TestOperationsByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.paid(999_999_999)
	r := w.post("/refunds", fmt.Sprintf(`{"payment_id":"%s","refund_id":"lost","amount":900000405}`, id)).ok() // the simulator never answers
	require.Equal(t, "pending", r["status"])
	list := func(query string) []any {
		t.Helper()
		l := w.admin("GET", "/operations"+query, "").ok()
		require.EqualValues(t, len(l["data"].([]any)), l["count"])
		return l["data"].([]any)
	}
	require.Empty(t, list("?status=resolved"))
	require.Empty(t, list("?status=pending"))
	found := list("?status=unknown&limit=5")
	require.Len(t, found, 1)
	require.Equal(t, found, list(""))
	o := found[0].(map[string]any)
	require.Equal(t, []any{merchant, id, "refund", "unknown", 900_000_405.0, "USD", nil, nil},
		[]any{o["merchant_id"], o["payment_id"], o["kind"], o["status"], o["amount"], o["currency"], o["resolution"], o["closed_at"]})
	path := "/operations/" + o["operation_id"].(string)
	require.Equal(t, o, w.admin("GET", path, "").ok())

	resolve := func(body string) response { return w.admin("POST", path+"/resolve", body) }
	resolve(`{"outcome":"succeeded","why":"w"}`).refused(400, "IR_06", "missing field `by`")
	resolve(`{"outcome":"succeeded","by":"Ada"}`).refused(400, "IR_06", "missing field `why`")
	resolve(`{"outcome":"succeeded","by":"","why":"w"}`).refused(400, "IR_04", "by")
	resolve(`{"outcome":"done","by":"Ada","why":"w"}`).refused(400, "IR_06", "unknown variant `done`")
	resolve(`{"outcome":"succeeded","by":"Ada","why":"w","amount":999999999}`).refused(422, "IR_06", "amount must be between 1 and 900000405")
	resolve(`{"outcome":"declined","by":"Ada","why":"w","amount":5}`).refused(422, "IR_06", "succeeded alone")
	resolve(`{"outcome":"declined","by":"Ada","why":"w","paid":true}`).refused(400, "IR_06", "unknown field `paid`")

	done := resolve(`{"outcome":"succeeded","by":"Ada","why":"it is in the settlement report","reference":"re_77"}`).ok()
	require.Equal(t, "succeeded", done["status"])
	said := done["resolution"].(map[string]any)
	require.NotEmpty(t, said["at"])
	delete(said, "at")
	require.Equal(t, map[string]any{"outcome": "succeeded", "amount": 900_000_405.0, "reference": "re_77", "by": "Ada", "why": "it is in the settlement report",
		"was": "unknown", "second": nil}, said)
	r = w.get("/refunds/lost").ok()
	require.Equal(t, []any{"succeeded", "re_77"}, []any{r["status"], r["connector_refund_id"]})
	require.Equal(t, map[string]any{"total_refunded_amount": 900_000_405.0, "total_disputed_amount": nil, "post_capture_void": nil},
		w.get("/payments/" + id).ok()["state_metadata"])
	require.Empty(t, list(""))
	require.Len(t, list("?status=resolved"), 1)
	resolve(`{"outcome":"not_done","by":"Bob","why":"w"}`).refused(400, "IR_16", "The operation has ended with the status succeeded")

	w.admin("GET", "/operations?status=ended", "").refused(400, "IR_06", "status")
	w.admin("GET", "/operations?limit=0", "").refused(422, "IR_06", "limit should be in between 1 and 1000")
	w.admin("GET", "/operations?merchant=m1", "").refused(400, "IR_06", "unknown field `merchant`")
	w.admin("GET", "/operations/op_none", "").refused(404, "HE_02", "Operation does not exist in our records")
	w.admin("POST", "/operations/op_none/resolve", `{"outcome":"declined","by":"Ada","why":"w"}`).refused(404, "HE_02", "Operation does not exist in our records")
	for _, key := range []string{w.secret, w.publishable, ""} {
		w.send("GET", "/operations", key, "").refused(401, "IR_01", "")
		w.send("GET", path, key, "").refused(401, "IR_01", "")
		w.send("POST", path+"/resolve", key, `{"outcome":"declined","by":"Ada","why":"w"}`).refused(401, "IR_01", "")
	}
}

// TestSecondPersonByAPI: the profile asks for two people, and the admin key takes the word of one as a proposal.
func TestSecondPersonByAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	profile := "/account/" + merchant + "/business_profile/" + w.profile
	require.Nil(t, w.get(profile).ok()["second_person_for_decisions"])
	w.post(profile, `{"second_person_for_decisions":{"limits":{"USD":5}}}`).refused(400, "IR_06", "missing field `required`")
	w.post(profile, `{"second_person_for_decisions":{"required":true,"limits":{"usd":5}}}`).refused(400, "IR_06", "unknown currency `usd`")
	w.post(profile, `{"second_person_for_decisions":{"required":true,"limits":{"USD":-5}}}`).refused(400, "IR_06", "expected an integer between 0")
	rule := w.post(profile, `{"second_person_for_decisions":{"required":true,"limits":{"USD":100000}}}`).ok()["second_person_for_decisions"]
	require.Equal(t, map[string]any{"required": true, "limits": map[string]any{"USD": 100_000.0}}, rule)
	w.post("/refunds", fmt.Sprintf(`{"payment_id":"%s","refund_id":"lost","amount":900000405}`, w.paid(999_999_999))).ok() // the simulator never answers
	found := w.admin("GET", "/operations?status=unknown", "").ok()["data"].([]any)[0].(map[string]any)
	require.Equal(t, []any{true, nil}, []any{found["second_person"], found["proposal"]})
	path := "/operations/" + found["operation_id"].(string)

	word := `{"outcome":"succeeded","by":"Ada","why":"settlement report","reference":"re_77"}`
	proposed := w.admin("POST", path+"/resolve", word).ok()
	require.Equal(t, []any{"unknown", nil}, []any{proposed["status"], proposed["resolution"]})
	p := proposed["proposal"].(map[string]any)
	id := p["proposal_id"].(string)
	require.NotEmpty(t, p["at"])
	delete(p, "at")
	require.Equal(t, map[string]any{"proposal_id": id, "outcome": "succeeded", "amount": nil, "reference": "re_77", "by": "Ada", "why": "settlement report"}, p)
	second := func(act, by string) response {
		return w.admin("POST", path+act, fmt.Sprintf(`{"proposal_id":"%s","by":"%s"}`, id, by))
	}
	w.admin("POST", path+"/confirm", `{"by":"Bob"}`).refused(400, "IR_06", "missing field `proposal_id`")
	second("/confirm", "ada").refused(400, "IR_16", "another person has to confirm it")
	require.Nil(t, second("/withdraw", "Ada").ok()["proposal"])
	second("/confirm", "Bob").refused(400, "IR_16", "no such proposal")
	id = w.admin("POST", path+"/resolve", word).ok()["proposal"].(map[string]any)["proposal_id"].(string)
	done := second("/confirm", "Bob").ok()
	require.Equal(t, []any{"succeeded", nil}, []any{done["status"], done["proposal"]})
	require.Equal(t, []any{"Ada", "Bob"}, []any{done["resolution"].(map[string]any)["by"], done["resolution"].(map[string]any)["second"]})
	require.Equal(t, "succeeded", w.get("/refunds/lost").ok()["status"])
	for _, key := range []string{w.secret, w.publishable, ""} {
		w.send("POST", path+"/confirm", key, `{"proposal_id":"x","by":"Bob"}`).refused(401, "IR_01", "")
		w.send("POST", path+"/withdraw", key, `{"proposal_id":"x","by":"Bob"}`).refused(401, "IR_01", "")
	}
}

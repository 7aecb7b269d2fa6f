package router_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/disputed"
	"payswitch/router"
	"payswitch/sdk"
)

// disputed makes a captured payment of 1000 USD at an account that signs its messages. says sends a message about the payment's dispute dp_1 with
// further fields; with `"sign":false` it lacks its signature and is refused.
func underDispute(t *testing.T) (w *world, id string, says func(status, more string)) {
	return disputedOf(t, "1000", "600")
}

// signedBy returns the signature of a message to the simulator.
func signedBy(secret, message string) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(message))
	return hex.EncodeToString(h.Sum(nil))
}

// disputedOf is disputed for a payment of an amount; a part of it is disputed.
func disputedOf(t *testing.T, amount, part string) (w *world, id string, says func(status, more string)) {
	w = newWorld(t)
	account := w.get("/account/m1/connectors").list()[0]["merchant_connector_id"].(string)
	w.admin("POST", "/account/m1/connectors/"+account, `{"connector_type":"payment_processor","connector_webhook_details":{"merchant_secret":"`+messageSecret+`"}}`).ok()
	p := w.post("/payments", `{"amount":`+amount+`,"currency":"USD","confirm":true,"payment_method":"card","routing":{"type":"single","data":"stripe"},
		"payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_cvc":"123"}}}`).ok()
	return w, p["payment_id"].(string), func(status, more string) {
		t.Helper()
		message := `{"type":"dispute.updated","dispute_id":"dp_1","status":"` + status + `","amount":` + part + `,"currency":"USD","transaction_id":"` +
			p["connector_transaction_id"].(string) + `"`
		if more != "" {
			message += "," + more
		}
		message += "}"
		header := map[string]string{}
		sign := !strings.Contains(more, `"sign":false`)
		if sign {
			header["X-Simulator-Signature"] = signedBy(messageSecret, message)
		}
		got := w.hook("POST", "/webhooks/m1/"+account, message, header)
		require.Equal(t, map[bool]int{true: 200, false: 401}[sign], got.status, got.body)
	}
}

// TestDisputeGolden shows the dispute object, and the event of a dispute.
func TestDisputeGolden(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 25, 10, 11, 12, 13_000_000, time.UTC)
	d := &disputed.Record{MerchantID: "m1", ID: "dp_1", PaymentID: "pay_1", AttemptID: "pay_1_1", ProfileID: "pro_1", AccountID: "mca_1", Connector: "stripe",
		Stage: sdk.StageDispute, Status: sdk.DisputeOpened, Currency: "USD", Amount: 300, ProcessorID: "du_1", CreatedAt: at, ModifiedAt: at.Add(time.Second),
		Details: disputed.Details{ConnectorStatus: "needs_response", Reason: "fraudulent", ReasonCode: "10.4", RespondBy: at.Add(time.Hour), CreatedThere: at.Add(-time.Hour)}}
	body, err := router.Presenter{}.DisputeEvent("evt_1", "dispute_opened", at.Add(time.Minute), d)
	require.NoError(t, err)
	golden(t, "dispute_event.json", body)
}

// TestDisputeCalls makes every call on disputes, with the contract's answers.
func TestDisputeCalls(t *testing.T) {
	t.Parallel()
	w, id, says := underDispute(t)
	require.Nil(t, w.get("/payments/" + id).ok()["disputes"])
	require.Empty(t, w.get("/disputes/list").list())
	says("opened", `"sign":false`)
	require.Empty(t, w.get("/disputes/list").list(), "a message without proof makes no dispute")
	says("opened", `"stage":"pre_dispute","reason":"fraudulent","reason_code":"10.4","respond_by":1800000000,"created":1790000000`)
	d := w.get("/disputes/list").list()[0]
	p := w.get("/payments/" + id).ok()
	want := map[string]any{"dispute_id": d["dispute_id"], "payment_id": id, "attempt_id": id + "_1", "amount": "600", "currency": "USD",
		"dispute_stage": "pre_dispute", "dispute_status": "dispute_opened", "connector": p["connector"], "connector_status": "opened", "connector_dispute_id": "dp_1",
		"connector_reason": "fraudulent", "connector_reason_code": "10.4", "challenge_required_by": "2027-01-15T08:00:00.000Z", "connector_created_at": nil,
		"connector_updated_at": "2026-09-21T14:13:20.000Z", "created_at": d["created_at"], "profile_id": w.profile, "merchant_connector_id": p["merchant_connector_id"],
		"is_already_refunded": false}
	require.Equal(t, want, d)
	require.Regexp(t, `^dp_[0-9A-Za-z]{20}$`, d["dispute_id"])
	dispute := d["dispute_id"].(string)
	require.Equal(t, want, w.get("/disputes/"+dispute).ok())
	require.Equal(t, want, w.get("/disputes/"+dispute+"?force_sync=true").ok())
	shown := maps.Clone(want)
	for _, key := range []string{"payment_id", "attempt_id", "currency", "connector", "profile_id", "merchant_connector_id", "is_already_refunded"} {
		delete(shown, key)
	}
	require.Equal(t, []any{shown}, p["disputes"])
	require.Nil(t, p["state_metadata"])

	w.post("/refunds", `{"payment_id":"`+id+`","amount":100}`).ok() // a question holds nothing
	says("opened", `"stage":"dispute","created":1790000001`)
	w.post("/refunds", `{"payment_id":"`+id+`","amount":301}`).refused(400, "IR_13", "")
	says("challenged", `"created":1790000002`)
	says("won", `"stage":"pre_dispute","created":1790000009`) // the stage never goes back
	require.Equal(t, []any{"dispute", "dispute_challenged", "fraudulent"}, []any{w.get("/disputes/" + dispute).ok()["dispute_stage"],
		w.get("/disputes/" + dispute).ok()["dispute_status"], w.get("/disputes/" + dispute).ok()["connector_reason"]})
	says("lost", `"created":1790000003`)
	require.Equal(t, 600.0, w.get("/payments/" + id).ok()["state_metadata"].(map[string]any)["total_disputed_amount"])

	account := p["merchant_connector_id"].(string)
	for query, n := range map[string]int{"": 1, "dispute_id=" + dispute: 1, "dispute_id=dp_other": 0, "payment_id=" + id: 1, "payment_id=other": 0,
		"profile_id=" + w.profile: 1, "profile_id=pro_other": 0, "dispute_status=dispute_opened,dispute_lost": 1, "dispute_status=dispute_won": 0,
		"dispute_stage=pre_dispute,dispute": 1, "dispute_stage=arbitration": 0, "connector=stripe,adyen": 1, "connector=adyen": 0, "currency=EUR,USD": 1, "currency=EUR": 0,
		"reason=fraudulent": 1, "reason=other": 0, "merchant_connector_id=" + account: 1, "merchant_connector_id=mca_other": 0, "limit=1": 1, "offset=1": 0,
		"start_time=2020-01-01T00:00:00Z": 1, "end_time=2020-01-01T00:00:00Z": 0} {
		for _, path := range []string{"/disputes/list?", "/disputes/profile/list?"} {
			require.Len(t, w.get(path+query).list(), n, query)
		}
	}
	for query, message := range map[string]string{"made_up=1": "unknown field `made_up`", "dispute_status=lost": "unknown variant `lost`",
		"dispute_stage=first": "unknown variant `first`", "currency=usd": "unknown variant `usd`", "connector=": "unknown variant ``", "start_time=monday": "start_time"} {
		w.get("/disputes/list?"+query).refused(400, "IR_06", message)
	}
	for _, query := range []string{"limit=0", "limit=101"} {
		w.get("/disputes/list?"+query).refused(422, "IR_06", "limit should be in between 1 and 100")
	}
	choices := w.get("/disputes/filter").ok()
	require.Equal(t, choices, w.get("/disputes/profile/filter").ok())
	require.Len(t, choices["dispute_status"], 7)
	require.Equal(t, []any{"pre_dispute", "dispute", "pre_arbitration", "arbitration", "dispute_reversal"}, choices["dispute_stage"])
	require.Contains(t, choices["connector"], "stripe")
	for _, path := range []string{"/disputes/aggregate", "/disputes/profile/aggregate"} {
		counts := w.get(path + "?start_time=" + url.QueryEscape("2020-01-01T00:00:00Z")).ok()["status_with_count"].(map[string]any)
		require.Len(t, counts, 7)
		require.Equal(t, []any{1.0, 0.0}, []any{counts["dispute_lost"], counts["dispute_opened"]})
		w.get(path).refused(400, "IR_06", "missing field `start_time`")
	}

	w.get("/disputes/none").refused(404, "HE_04", "Dispute does not exist in our records")
	for _, path := range []string{"/disputes/" + dispute, "/disputes/list", "/disputes/filter", "/disputes/aggregate?start_time=2020-01-01T00:00:00Z"} {
		w.send("GET", path, "", "").refused(401, "IR_01", "")
		w.send("GET", path, w.publishable, "").refused(401, "IR_01", "")
	}
	_, other, _ := w.merchant("shop_2")
	w.send("GET", "/disputes/"+dispute, other, "").refused(404, "HE_04", "Dispute does not exist in our records")
	require.Empty(t, w.send("GET", "/disputes/list", other, "").list())
}

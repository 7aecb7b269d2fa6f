package router_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// These tests follow the contract of disputes row by row: the section on disputes of the lists, and those on processors' messages. news_rows_test.go names further tests.

const (
	disputeTypes = `["dispute_opened","dispute_expired","dispute_accepted","dispute_cancelled","dispute_challenged","dispute_won","dispute_lost"]`
	ofPayment    = "GET /disputes/list?payment_id={payment_id}"
	getDispute   = "GET /disputes/{dispute_id}"
	toStripe     = "POST /webhooks/m1/{mca:stripe}"
)

// disputeSays is a signed message about the dispute of the latest payment.
func disputeSays(row, status string, more ...string) step {
	return step{row, "signed " + toStripe, with(`{"type":"dispute.updated","dispute_id":"du_{payment_id}","status":"`+status+`","amount":600,"currency":"USD",
		"transaction_id":"{connector_transaction_id}"}`, more...), ``}
}

// disputing gives the account at stripe its secret, and the profile an endpoint that wants the events of disputes.
var disputing = []step{
	{"merchant_secret", "admin POST /account/m1/connectors/{mca:stripe}", `{"connector_type":"payment_processor","connector_webhook_details":{"merchant_secret":"` + messageSecret + `"}}`, ``},
	{"endpoint", toProfile + "/webhook_endpoints", `{"url":"https://shop.test/disputes","event_types":` + disputeTypes + `}`, ``},
}

var paidForDispute = step{"a payment", "POST /payments", paying(), `{"status":"succeeded"}`}

// disputeTold is the step that wants an event of the latest dispute.
func disputeTold(row, status string) step {
	return step{row, "arrives " + getDispute, "", `{"url":"https://shop.test/disputes","body":{"event_type":"dispute_` + status + `","content":{"type":"dispute_details","object":{"dispute_status":"dispute_` + status + `"}}}}`}
}

// TestDisputesMessages: a message of a dispute needs proof, makes a record and an event, and moves the record as the contract allows.
func TestDisputesMessages(t *testing.T) {
	inBubble(t, 10*time.Second, nil, func(t *testing.T, w *world) {
		ofStripe := func(row, who, kind, status string) step {
			return step{row, who + toStripe, fmt.Sprintf(`{"type":"charge.dispute.%s","created":%d,"data":{"object":{"object":"dispute","id":"du_{payment_id}","amount":600,"currency":"usd","status":%q,
				"reason":"fraudulent","payment_intent":"{connector_transaction_id}"}}}`, kind, time.Now().Unix(), status), ``}
		}
		refused := func(s step) step { s.want = "401 WE_01 Webhook authentication failed"; return s }
		unsigned := disputeSays("no merchant_secret: a dispute needs verification", "opened")
		unsigned.call = "open " + toStripe
		steps := append([]step{paidForDispute, refused(unsigned), refused(ofStripe("… in the format of stripe", "open ", "created", "needs_response")), {"… no record", ofPayment, "", `[]`}}, disputing...)
		steps = append(steps, refused(unsigned), refused(ofStripe("… without its signature", "open ", "created", "needs_response")), step{"…", ofPayment, "", `[]`}, nothing,
			step{"a payment that is unknown", "stripe " + toStripe, `{"type":"charge.dispute.created","data":{"object":{"object":"dispute","id":"du_1","amount":600,"currency":"usd","status":"needs_response",
				"payment_intent":"pi_none"}}}`, "404 WE_04 "})

		const keys = `"payment_id":"{payment_id}","attempt_id":"{payment_id}_1","amount":"600","currency":"USD","connector":"stripe","connector_dispute_id":"du_{payment_id}","connector_reason":null,
			"connector_reason_code":null,"challenge_required_by":null,"connector_created_at":null,"connector_updated_at":null,"created_at":"*","profile_id":"{profile}","merchant_connector_id":"{mca:stripe}",
			"is_already_refunded":false`
		statuses := strings.Fields("opened expired accepted cancelled challenged won lost")
		for _, s := range statuses {
			metadata := "null"
			if s == "lost" {
				metadata = `{"total_refunded_amount":null,"total_disputed_amount":600,"post_capture_void":null}`
			}
			steps = append(steps, paidForDispute, disputeSays("unknown dispute id: new record, "+s, s),
				step{"…", ofPayment, "", `[{"dispute_id":"/^dp_[0-9A-Za-z]{20}$/","dispute_stage":"dispute","dispute_status":"dispute_` + s + `","connector_status":"` + s + `",` + keys + `}]`},
				disputeTold("… event of its status", s),
				step{"… disputes[] of the payment", "GET /payments/{payment_id}", "", `{"status":"succeeded","disputes":[{"dispute_id":"{dispute_id}","dispute_status":"dispute_` + s + `"}],"state_metadata":` + metadata + `}`})
		}
		begins := func(status string) []step {
			return []step{paidForDispute, disputeSays("known: "+status, status), {"…", ofPayment, "", `[{"dispute_status":"dispute_` + status + `"}]`}, disputeTold("…", status)}
		}
		moves := func(from, to string) {
			steps = append(append(steps, begins(from)...), disputeSays("… → "+to, to), disputeTold("…", to), step{"…", getDispute, "", `{"dispute_status":"dispute_` + to + `"}`})
		}
		stays := func(from, to string, more ...string) {
			steps = append(append(steps, begins(from)...), disputeSays("… stays, not → "+to, to, more...), nothing, step{"…", getDispute, "", `{"dispute_status":"dispute_` + from + `"}`})
		}
		for _, to := range statuses[1:] {
			moves("opened", to)
		}
		for _, to := range strings.Fields("won lost accepted cancelled expired") {
			moves("challenged", to)
		}
		for _, from := range statuses[1:] {
			stays(from, "opened")
			stays(from, from)
			stays(from, "opened", "stage", `"pre_dispute"`)
		}
		for _, from := range strings.Fields("expired accepted cancelled won lost") {
			stays(from, "challenged")
		}
		at := func(row, stage, status string) []step {
			return []step{disputeSays(row+stage, status, "stage", `"`+stage+`"`), disputeTold("…", status), {"…", getDispute, "", `{"dispute_stage":"` + stage + `","dispute_status":"dispute_` + status + `"}`}}
		}
		steps = append(steps, paidForDispute, disputeSays("stages: pre_dispute", "opened", "stage", `"pre_dispute"`), step{"…", ofPayment, "", `[{"dispute_stage":"pre_dispute"}]`}, disputeTold("…", "opened"))
		for _, stage := range strings.Fields("dispute pre_arbitration arbitration dispute_reversal") {
			steps = append(append(append(steps, at("a later stage begins anew: ", stage, "opened")...), at("… ", stage, "lost")...),
				disputeSays("… the stage does not go back", "opened", "stage", `"pre_dispute"`), nothing, step{"…", getDispute, "", `{"dispute_stage":"` + stage + `","dispute_status":"dispute_lost"}`})
		}

		// The format of stripe, signed.
		for kind, c := range map[string]struct{ status, stage, want string }{
			"created": {"needs_response", "dispute", "opened"}, "updated": {"under_review", "dispute", "challenged"}, "closed": {"won", "dispute", "won"},
			"funds_withdrawn": {"needs_response", "dispute", "opened"}, "funds_reinstated": {"won", "dispute", "won"},
		} {
			steps = append(steps, paidForDispute, ofStripe("stripe: "+kind, "stripe ", kind, c.status), step{"… finds by payment_intent", ofPayment, "",
				`[{"dispute_stage":"` + c.stage + `","dispute_status":"dispute_` + c.want + `","connector_status":"` + c.status + `","connector_reason":"fraudulent","amount":"600","currency":"USD"}]`}, disputeTold("…", c.want))
		}
		for status, want := range map[string]string{"warning_needs_response": "opened", "warning_under_review": "challenged", "warning_closed": "cancelled"} {
			steps = append(steps, paidForDispute, ofStripe("stripe: "+status, "stripe ", "updated", status), step{"…", ofPayment, "", `[{"dispute_stage":"pre_dispute","dispute_status":"dispute_` + want + `"}]`}, disputeTold("…", want))
		}
		steps = append(steps, paidForDispute, ofStripe("stripe: lost", "stripe ", "closed", "lost"), step{"…", "GET /payments/{payment_id}", "", `{"state_metadata":{"total_disputed_amount":600}}`})
		w.section(t, nil, steps...)
	})
}

// TestDisputesCalls: accept, evidence and files in each state, and when a force_sync asks the processor.
func TestDisputesCalls(t *testing.T) {
	a, asked := simulator.Adapter(), 0
	query := a.DisputeSync
	a.DisputeSync = func(c *sdk.Call) (*sdk.Outcome, error) { asked++; return query(c) }
	inBubble(t, 10*time.Second, map[string]*sdk.Adapter{"stripe": a}, func(t *testing.T, w *world) {
		const failed, unknown = "400 HE_03 Dispute status validation failed", "404 HE_04 Dispute does not exist in our records"
		accept, submit := step{"accept", "POST /disputes/accept/{dispute_id}", "", ``}, step{"submit", "POST /disputes/evidence", `{"dispute_id":"{dispute_id}","uncategorized_text":"The customer has the goods."}`, ``}
		wants := func(s step, want string) step { s.want = want; return s }
		values := map[string]string{}
		attach := func(status int, code, message string) {
			t.Helper()
			body, media := upload("dispute_id", values["dispute_id"], "evidence_type", "receipt", "file", "application/pdf %PDF-1.7\nreceipt")
			r := w.send("PUT", "/disputes/evidence", w.secret, body, "Content-Type", media)
			if status == 200 {
				require.Equal(t, []string{"file_id"}, keysOf(r.ok()))
				return
			}
			r.refused(status, code, message)
		}
		begin := func(stage, status string) {
			t.Helper()
			w.section(t, values, paidForDispute, disputeSays(stage+", "+status, status, "stage", `"`+stage+`"`), step{"…", ofPayment, "", `[{"dispute_stage":"` + stage + `","dispute_status":"dispute_` + status + `"}]`},
				disputeTold("…", status))
		}
		w.section(t, values, disputing...)
		for _, stage := range strings.Fields("pre_dispute dispute pre_arbitration arbitration dispute_reversal") {
			for _, status := range strings.Fields("opened expired accepted cancelled challenged won lost") {
				begin(stage, status)
				open := stage != "dispute_reversal" && (status == "opened" || status == "challenged")
				if stage == "dispute" && status == "opened" {
					attach(200, "", "")
				} else {
					attach(400, "HE_03", "Dispute status validation failed")
				}
				before := asked
				w.section(t, values, step{"retrieve", getDispute, "", `{"dispute_status":"dispute_` + status + `"}`})
				require.Equal(t, before, asked, "no processor is asked")
				w.section(t, values, step{"force_sync", getDispute + "?force_sync=true", "", `{"dispute_stage":"` + stage + `","dispute_status":"dispute_` + status + `"}`})
				require.Equal(t, status == "opened" || status == "challenged" || status == "accepted", asked > before, "force_sync asks in opened, challenged, accepted: %s", status)
				if !open {
					w.section(t, values, wants(accept, failed), wants(submit, failed))
					continue
				}
				w.section(t, values, wants(submit, `{"dispute_id":"{dispute_id}","dispute_stage":"`+stage+`","dispute_status":"dispute_challenged"}`))
				if status == "opened" {
					w.section(t, values, disputeTold("…", "challenged"))
				}
				w.section(t, values, wants(accept, `{"dispute_id":"{dispute_id}","dispute_stage":"`+stage+`","dispute_status":"dispute_accepted"}`), disputeTold("…", "accepted"))
			}
		}
		values["dispute_id"] = "dp_none"
		w.section(t, values, wants(accept, unknown), wants(submit, unknown), step{"retrieve", getDispute, "", unknown}, step{"files", "GET /disputes/evidence/{dispute_id}", "", unknown},
			step{"delete", "DELETE /disputes/evidence", `{"dispute_id":"{dispute_id}","evidence_type":"receipt"}`, unknown})
		attach(404, "HE_04", "Dispute does not exist in our records")
	})
}

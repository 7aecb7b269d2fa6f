package router_test

import (
	"bytes"
	"mime/multipart"
	"net/textproto"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
)

// openDispute makes a captured payment of amount; a signed message says that all of it is disputed. It returns the dispute's id and says.
func openDispute(t *testing.T, amount string) (w *world, id, dispute string, says func(status, more string)) {
	w, id, says = disputedOf(t, amount, amount)
	says("opened", `"stage":"dispute","reason":"fraudulent","created":1700000000`)
	return w, id, w.get("/disputes/list").list()[0]["dispute_id"].(string), says
}

// eventsOf returns the types of the events of an object, in order.
func (w *world) eventsOf(id string) (types []string) {
	require.NoError(w.t, w.store.View(w.t.Context(), func(r engine.Reader) error {
		list, err := r.Events(merchant, id)
		for _, e := range list {
			types = append(types, e.Type)
		}
		return err
	}))
	return types
}

// TestDisputeAccepted accepts a dispute: the customer keeps the money, the merchant receives an event, and no refund can give the
// amount back a second time.
func TestDisputeAccepted(t *testing.T) {
	t.Parallel()
	w, id, dispute, says := openDispute(t, "700")
	d := w.post("/disputes/accept/"+dispute, "").ok()
	require.Equal(t, []any{"dispute_accepted", "dispute", "accepted", "700"}, []any{d["dispute_status"], d["dispute_stage"], d["connector_status"], d["amount"]})
	require.Equal(t, []any{"accept_dispute", "done", nil}, []any{d["answer"].(map[string]any)["operation"], d["answer"].(map[string]any)["status"], d["answer"].(map[string]any)["error_code"]})
	require.Equal(t, d, w.get("/disputes/"+dispute).ok())
	require.Equal(t, []string{"dispute_opened", "dispute_accepted"}, w.eventsOf(dispute))
	w.post("/refunds", `{"payment_id":"`+id+`","amount":1}`).refused(400, "IR_13", "")
	w.post("/disputes/accept/"+dispute, "").refused(400, "HE_03", "Dispute status validation failed")
	w.post("/disputes/evidence", `{"dispute_id":"`+dispute+`","uncategorized_text":"no"}`).refused(400, "HE_03", "Dispute status validation failed")
	says("opened", `"created":1700000001`) // a message from before the answer
	require.Equal(t, "dispute_accepted", w.get("/disputes/" + dispute).ok()["dispute_status"])
	require.Nil(t, w.get("/payments/" + id).ok()["state_metadata"])
	says("lost", `"created":4000000000`)
	require.Equal(t, 700.0, w.get("/payments/" + id).ok()["state_metadata"].(map[string]any)["total_disputed_amount"])
	require.Equal(t, []string{"dispute_opened", "dispute_accepted", "dispute_lost"}, w.eventsOf(dispute))
}

// TestDisputeAnswers answers disputes whose amounts decide what the simulator does.
func TestDisputeAnswers(t *testing.T) {
	t.Parallel()
	const text = `"uncategorized_text":"The customer has the goods.","shipping_carrier":"Post"`
	t.Run("evidence", func(t *testing.T) {
		t.Parallel()
		w, _, dispute, says := openDispute(t, "700")
		d := w.post("/disputes/evidence", `{"dispute_id":"`+dispute+`",`+text+`}`).ok()
		require.Equal(t, []any{"dispute_challenged", "done"}, []any{d["dispute_status"], d["answer"].(map[string]any)["status"]})
		require.Equal(t, []string{"dispute_opened", "dispute_challenged"}, w.eventsOf(dispute))
		w.post("/disputes/evidence", `{"dispute_id":"`+dispute+`",`+text+`}`).ok() // more evidence may follow
		says("won", `"created":4000000000`)
		require.Equal(t, []string{"dispute_opened", "dispute_challenged", "dispute_won"}, w.eventsOf(dispute))
		w.post("/disputes/evidence", `{"dispute_id":"`+dispute+`"}`).refused(400, "HE_03", "")
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		w, _, dispute, _ := openDispute(t, "900000601")
		for range 2 {
			w.post("/disputes/accept/"+dispute, "").refused(400, "CE_08", "Dispute operation failed while processing with connector")
		}
		d := w.get("/disputes/" + dispute).ok()
		require.Equal(t, []any{"dispute_opened", "failed"}, []any{d["dispute_status"], d["answer"].(map[string]any)["status"]})
		require.Equal(t, []string{"dispute_opened"}, w.eventsOf(dispute))
	})
	for name, c := range map[string]struct{ amount, status, answer, query, then, end string }{
		"pending":            {"900000602", "dispute_opened", "processing", "dispute_challenged", "done", ""},
		"lost answer":        {"900000603", "dispute_opened", "processing", "dispute_challenged", "done", ""},
		"it never arrived":   {"900000604", "dispute_opened", "processing", "dispute_opened", "processing", ""},
		"told by a message":  {"900000604", "dispute_opened", "processing", "dispute_challenged", "done", "challenged"},
		"ended by a message": {"900000604", "dispute_opened", "processing", "dispute_lost", "failed", "lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _, dispute, says := openDispute(t, c.amount)
			d := w.post("/disputes/evidence", `{"dispute_id":"`+dispute+`",`+text+`}`).ok()
			require.Equal(t, []any{c.status, c.answer}, []any{d["dispute_status"], d["answer"].(map[string]any)["status"]})
			w.post("/disputes/accept/"+dispute, "").refused(400, "HE_03", "")
			if c.end != "" {
				says(c.end, `"created":4000000000`)
			}
			d = w.get("/disputes/" + dispute + "?force_sync=true").ok()
			require.Equal(t, []any{c.query, c.then}, []any{d["dispute_status"], d["answer"].(map[string]any)["status"]})
		})
	}
}

// TestDisputeForceSync asks the processor about disputes.
func TestDisputeForceSync(t *testing.T) {
	t.Parallel()
	for amount, status := range map[string]string{"900000611": "dispute_won", "900000612": "dispute_lost", "500": "dispute_opened"} {
		w, _, dispute, _ := openDispute(t, amount)
		require.Equal(t, "dispute_opened", w.get("/disputes/" + dispute).ok()["dispute_status"])
		require.Equal(t, status, w.get("/disputes/" + dispute + "?force_sync=true").ok()["dispute_status"])
		require.Equal(t, status, w.get("/disputes/" + dispute).ok()["dispute_status"])
		if status != "dispute_opened" {
			require.Equal(t, []string{"dispute_opened", status}, w.eventsOf(dispute))
		}
	}
}

// upload makes a multipart body of pairs; the value of file begins with its content type and a space.
func upload(pairs ...string) (body, contentType string) {
	b := &bytes.Buffer{}
	m := multipart.NewWriter(b)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] != "file" {
			_ = m.WriteField(pairs[i], pairs[i+1])
			continue
		}
		media, content, _ := strings.Cut(pairs[i+1], " ")
		h := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="the receipt.pdf"`}}
		if media != "" {
			h.Set("Content-Type", media)
		}
		part, _ := m.CreatePart(h)
		_, _ = part.Write([]byte(content))
	}
	_ = m.Close()
	return b.String(), m.FormDataContentType()
}

// TestDisputeFiles attaches files to a dispute, and hands them in.
func TestDisputeFiles(t *testing.T) {
	t.Parallel()
	w, _, dispute, _ := openDispute(t, "700")
	put := func(pairs ...string) response {
		body, media := upload(pairs...)
		return w.send("PUT", "/disputes/evidence", w.secret, body, "Content-Type", media)
	}
	const pdf = "application/pdf %PDF-1.7\nreceipt"
	require.Empty(t, w.get("/disputes/evidence/"+dispute).list())
	id := put("dispute_id", dispute, "evidence_type", "receipt", "file", pdf).ok()["file_id"].(string)
	require.Regexp(t, `^file_[0-9A-Za-z]{20}$`, id)
	want := map[string]any{"evidence_type": "receipt", "file_metadata_response": map[string]any{"file_id": id, "file_name": "the receipt.pdf", "file_size": 16.0,
		"file_type": "application/pdf", "available": true}}
	require.Equal(t, []map[string]any{want}, w.get("/disputes/evidence/"+dispute).list())
	second := put("dispute_id", dispute, "evidence_type", "receipt", "file", pdf+" 2").ok()["file_id"].(string)
	require.Len(t, w.get("/disputes/evidence/"+dispute).list(), 1, "one of each type")
	put("dispute_id", dispute, "evidence_type", "refund_policy", "file", pdf).ok()
	w.send("DELETE", "/disputes/evidence", w.secret, `{"dispute_id":"`+dispute+`","evidence_type":"refund_policy"}`).empty()
	require.Len(t, w.get("/disputes/evidence/"+dispute).list(), 1)

	put("evidence_type", "receipt", "file", pdf).refused(400, "IR_34", "Dispute id not found in the request")
	put("dispute_id", dispute, "evidence_type", "receipt").refused(400, "IR_33", "File not found in the request")
	put("dispute_id", dispute, "evidence_type", "receipt", "file", " %PDF-1.7").refused(400, "IR_36", "File content type not found")
	put("dispute_id", dispute, "evidence_type", "receipt", "file", "text/html <html>").refused(400, "IR_07", "")
	put("dispute_id", dispute, "evidence_type", "receipt", "file", "application/pdf <html>").refused(400, "IR_07", "")
	put("dispute_id", dispute, "evidence_type", "made_up", "file", pdf).refused(400, "IR_06", "unknown variant `made_up`")
	put("dispute_id", "dp_other", "evidence_type", "receipt", "file", pdf).refused(404, "HE_04", "Dispute does not exist in our records")
	put("dispute_id", dispute, "evidence_type", "receipt", "file", pdf+strings.Repeat("x", 641<<10)).refused(422, "IR_06", "")
	w.send("PUT", "/disputes/evidence", w.secret, `{}`).refused(400, "IR_06", "")
	w.post("/disputes/evidence", `{"dispute_id":"`+dispute+`","receipt":"`+id+`"}`).refused(404, "HE_04", "File does not exist in our records")
	w.post("/disputes/evidence", `{"uncategorized_text":"x"}`).refused(400, "IR_06", "missing field `dispute_id`")
	w.post("/disputes/evidence", `{"dispute_id":"`+dispute+`","customer_name":"`+strings.Repeat("x", 20_001)+`"}`).refused(422, "IR_05", "")
	w.post("/disputes/accept/dp_other", "").refused(404, "HE_04", "")

	require.Equal(t, "dispute_challenged", w.post("/disputes/evidence", `{"dispute_id":"`+dispute+`","receipt":"`+second+`"}`).ok()["dispute_status"])
	put("dispute_id", dispute, "evidence_type", "receipt", "file", pdf).refused(400, "HE_03", "Dispute status validation failed")
	w.send("DELETE", "/disputes/evidence", w.secret, `{"dispute_id":"`+dispute+`","evidence_type":"receipt"}`).refused(400, "HE_03", "")
	for _, path := range []string{"/disputes/accept/" + dispute, "/disputes/evidence"} {
		w.send("POST", path, w.publishable, `{"dispute_id":"`+dispute+`"}`).refused(401, "IR_01", "")
	}
	_, other, _ := w.merchant("shop_2")
	w.send("POST", "/disputes/accept/"+dispute, other, "").refused(404, "HE_04", "")
}

// TestDisputeWithoutEvidence refuses an answer that says nothing.
func TestDisputeWithoutEvidence(t *testing.T) {
	t.Parallel()
	w, _, dispute, _ := openDispute(t, "700")
	w.post("/disputes/evidence", `{"dispute_id":"`+dispute+`"}`).refused(400, "IR_04", "Missing required param: evidence")
	require.NotContains(t, w.get("/disputes/"+dispute).ok(), "answer")
}

// empty requires a success without a body.
func (r response) empty() {
	r.t.Helper()
	require.Equal(r.t, []any{200, ""}, []any{r.status, r.body})
}

// TestDisputeFileNames sends a card number as a file's name and as its type. payswitch keeps and answers neither. Another merchant's key reaches no dispute.
func TestDisputeFileNames(t *testing.T) {
	t.Parallel()
	const number = "4242424242424242"
	w, _, dispute, _ := openDispute(t, "700")
	body, media := upload("dispute_id", dispute, "evidence_type", "receipt", "file", "application/pdf %PDF-1.7\nreceipt")
	named := strings.Replace(body, "the receipt.pdf", number+".pdf", 1)
	w.send("PUT", "/disputes/evidence", w.secret, named, "Content-Type", media).ok()
	kept := w.get("/disputes/evidence/" + dispute)
	require.Len(t, kept.list(), 1)
	require.NotContains(t, string(kept.body), number)
	require.Contains(t, string(kept.body), "4242.pdf")

	unknown, media := upload("dispute_id", dispute, "evidence_type", number, "file", "application/pdf %PDF-1.7\nreceipt")
	refused := w.send("PUT", "/disputes/evidence", w.secret, unknown, "Content-Type", media)
	refused.refused(400, "IR_06", "")
	require.NotContains(t, string(refused.body), number)

	_, other, _ := w.merchant("shop_2")
	body, media = upload("dispute_id", dispute, "evidence_type", "receipt", "file", "application/pdf %PDF-1.7\nreceipt")
	w.send("PUT", "/disputes/evidence", other, body, "Content-Type", media).refused(404, "HE_04", "")
	w.send("GET", "/disputes/evidence/"+dispute, other, "").refused(404, "HE_04", "")
}

package checkout

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// acceptDispute gives a dispute up. Checkout.com answers 204.
func acceptDispute(c *sdk.Call) (*sdk.Outcome, error) {
	done(c, &sdk.Send{Method: "POST", URL: pathOfDispute(c) + "/accept", Headers: []sdk.Header{c.Bearer(secretKey)}})
	return c.Disputed(sdk.DisputeAccepted, "accepted"), nil
}

// textFields and fileFields say where Checkout.com has room for a text or a file; the rest is additional evidence.
var (
	textFields = sdk.Names{
		{"proof_of_delivery_or_service_text", "shipping_address shipping_carrier shipping_tracking_number"},
		{"proof_of_delivery_or_service_date_text", "shipping_date service_date"},
		{"refund_or_cancellation_policy_text", "cancellation_policy_disclosure cancellation_rebuttal " +
			"refund_policy_disclosure refund_refusal_explanation"}}
	fileFields = sdk.Names{{"invoice_or_receipt_file", "receipt"},
		{"invoice_showing_distinct_transactions_file", "invoice_showing_distinct_transactions"},
		{"customer_communication_file", "customer_communication"},
		{"refund_or_cancellation_policy_file", "cancellation_policy refund_policy"},
		{"recurring_transaction_agreement_file", "recurring_transaction_agreement"},
		{"proof_of_delivery_or_service_file", "service_documentation shipping_documentation"}}
	fields = []string{"proof_of_delivery_or_service", "invoice_or_receipt", "invoice_showing_distinct_transactions",
		"customer_communication", "refund_or_cancellation_policy", "recurring_transaction_agreement",
		"additional_evidence", "proof_of_delivery_or_service_date"}
)

// submitEvidence sets the dispute's evidence, and then hands it in. Checkout.com answers both with 204.
func submitEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	set := sdk.JSONSend("PUT", pathOfDispute(c)+"/evidence", evidence(c.Request.Dispute), c.Bearer(secretKey))
	set.SafeToRepeat = true // it replaces the evidence by itself
	done(c, set)
	done(c, &sdk.Send{Method: "POST", URL: pathOfDispute(c) + "/evidence", Headers: []sdk.Header{c.Bearer(secretKey)}})
	return c.Disputed(sdk.DisputeChallenged, "evidence_under_review"), nil
}

// evidence writes the evidence in Checkout.com's fields. Several texts of one field follow each other with their names.
func evidence(d *sdk.DisputeRequest) *sdk.Object {
	values := map[string]string{}
	for _, text := range d.Texts() {
		field := cmp.Or(textFields.Of(text.Name), "additional_evidence_text")
		if values[field] != "" {
			values[field] += "\n"
		}
		values[field] += strings.ReplaceAll(text.Name, "_", " ") + ": " + text.Value
		sdk.Require(len(values[field]) <= 500, sdk.Invalid(text.Name,
			"Checkout.com takes 500 characters of evidence like this: shorten the text, or attach it as a file"))
	}
	for _, f := range d.Files {
		field := cmp.Or(fileFields.Of(string(f.Type)), "additional_evidence_file")
		sdk.Require(values[field] == "", sdk.Invalid(string(f.Type),
			"Checkout.com takes one file of this kind: join the files, or attach one as uncategorized_file"))
		values[field] = f.ID
	}
	o := sdk.NewObject()
	for _, field := range fields {
		o.OptStr(field+"_file", values[field+"_file"]).OptStr(field+"_text", values[field+"_text"])
	}
	return o
}

// attachEvidence uploads a file.
func attachEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	resp := done(c, c.Upload("/files", "dispute_evidence", c.Bearer(secretKey)))
	return &sdk.Outcome{Status: sdk.StatusAttached, EvidenceID: resp.JSON().Need("id")}, nil
}

// done sends a request. An answer that is no success ends the operation: with Checkout.com's refusal, or undecided.
func done(c *sdk.Call, s *sdk.Send) *sdk.Response {
	resp := sdk.Must(c.Do(s))
	c.EndIf(!resp.OK(), func() *sdk.Outcome { return refusal(resp) })
	sdk.Expect(resp.Status == 204 || resp.Status == 201 || resp.JSON().Str("id") != "", "the answer confirms nothing")
	return resp
}

// disputes are the statuses of a dispute, and the types of messages about one after "dispute_".
var disputes = sdk.Table[sdk.DisputeStatus]{{sdk.DisputeOpened, "evidence_required"},
	{sdk.DisputeChallenged, "evidence_under_review arbitration_under_review arb_evidence_submitted evidence_submitted " +
		"evidence_acknowledged_by_scheme arbitration_evidence_submitted arbitration_sent_to_scheme"},
	{sdk.DisputeWon, "won arbitration_won"}, {sdk.DisputeLost, "lost arbitration_lost"},
	{sdk.DisputeAccepted, "accepted"}, {sdk.DisputeExpired, "expired"}, {sdk.DisputeCancelled, "canceled resolved"}}

// disputeSync asks for the state of a dispute.
func disputeSync(c *sdk.Call) (*sdk.Outcome, error) {
	resp := sdk.Must(c.Get(pathOfDispute(c), c.Bearer(secretKey)))
	j := resp.JSON()
	c.EndIf(resp.Status == 404 && strings.HasSuffix(j.Str("error_codes.0"), "_not_found"), c.OtherAccount)
	status := j.Str("status")
	o := c.Disputed(disputes.Of(status), status)
	d := o.Dispute.Of(decimals.Stated(j, "amount", "currency", o.Dispute.Amount.Currency))
	sdk.Expect(resp.OK() && d != nil && j.Str("id") == d.ID, "the answer is not the state of the dispute")
	d.ReasonCode, d.RespondBy = j.Str("reason_code"), sdk.Millis(j.Str("evidence_required_by"))
	if strings.HasPrefix(status, "arb") {
		d.Stage = sdk.StageArbitration
	}
	return o, nil
}

func pathOfDispute(c *sdk.Call) string { return "/disputes/" + sdk.PathEscape(c.Request.Dispute.ID) }

package checkout

import (
	"cmp"
	"errors"
	"strings"

	"payswitch/sdk"
)

// acceptDispute gives a dispute up. Checkout.com answers 204.
func acceptDispute(c *sdk.Call) (*sdk.Outcome, error) {
	done(c, &sdk.Send{Method: "POST", URL: pathOfDispute(c) + "/accept", Headers: []sdk.Header{c.Bearer(secretKey)}})
	return c.Disputed(sdk.DisputeAccepted, "accepted"), nil
}

// maxText is the length that Checkout.com takes of one text of evidence.
const maxText = 500

// textFields and fileFields say where Checkout.com has room for a text or a file; what they do not name is additional
// evidence.
var (
	textFields = map[string]string{"shipping_address": "proof_of_delivery_or_service_text",
		"shipping_carrier":               "proof_of_delivery_or_service_text",
		"shipping_tracking_number":       "proof_of_delivery_or_service_text",
		"shipping_date":                  "proof_of_delivery_or_service_date_text",
		"service_date":                   "proof_of_delivery_or_service_date_text",
		"cancellation_policy_disclosure": "refund_or_cancellation_policy_text",
		"cancellation_rebuttal":          "refund_or_cancellation_policy_text",
		"refund_policy_disclosure":       "refund_or_cancellation_policy_text",
		"refund_refusal_explanation":     "refund_or_cancellation_policy_text"}
	fileFields = map[sdk.EvidenceType]string{sdk.EvidenceReceipt: "invoice_or_receipt_file",
		sdk.EvidenceDistinctInvoice:       "invoice_showing_distinct_transactions_file",
		sdk.EvidenceCommunication:         "customer_communication_file",
		sdk.EvidenceCancellationPolicy:    "refund_or_cancellation_policy_file",
		sdk.EvidenceRefundPolicy:          "refund_or_cancellation_policy_file",
		sdk.EvidenceRecurringAgreement:    "recurring_transaction_agreement_file",
		sdk.EvidenceServiceDocumentation:  "proof_of_delivery_or_service_file",
		sdk.EvidenceShippingDocumentation: "proof_of_delivery_or_service_file"}
	fields = []string{"proof_of_delivery_or_service", "invoice_or_receipt", "invoice_showing_distinct_transactions",
		"customer_communication",
		"refund_or_cancellation_policy", "recurring_transaction_agreement", "additional_evidence",
		"proof_of_delivery_or_service_date"}
)

// submitEvidence sets the dispute's evidence, and then hands it in. Checkout.com answers both with 204.
func submitEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	body := sdk.Must(evidence(c.Request.Dispute))
	set := sdk.JSONSend("PUT", pathOfDispute(c)+"/evidence", body, c.Bearer(secretKey))
	set.SafeToRepeat = true // it replaces the evidence by itself
	done(c, set)
	done(c, &sdk.Send{Method: "POST", URL: pathOfDispute(c) + "/evidence", Headers: []sdk.Header{c.Bearer(secretKey)}})
	return c.Disputed(sdk.DisputeChallenged, "evidence_under_review"), nil
}

// evidence writes the evidence in Checkout.com's fields. Several texts of one field follow each other with their names.
func evidence(d *sdk.DisputeRequest) (*sdk.Object, error) {
	values := map[string]string{}
	for _, text := range d.Texts() {
		field := cmp.Or(textFields[text.Name], "additional_evidence_text")
		if values[field] != "" {
			values[field] += "\n"
		}
		values[field] += strings.ReplaceAll(text.Name, "_", " ") + ": " + text.Value
		if len(values[field]) > maxText {
			return nil, sdk.Invalid(text.Name,
				"Checkout.com takes 500 characters of evidence like this: shorten the text, or attach it as a file")
		}
	}
	for _, f := range d.Files {
		field := cmp.Or(fileFields[f.Type], "additional_evidence_file")
		if values[field] != "" {
			return nil, sdk.Invalid(string(f.Type),
				"Checkout.com takes one file of this kind: join the files, or attach one as uncategorized_file")
		}
		values[field] = f.ID
	}
	o := sdk.NewObject()
	for _, field := range fields {
		o.OptStr(field+"_file", values[field+"_file"]).OptStr(field+"_text", values[field+"_text"])
	}
	return o, nil
}

// attachEvidence uploads a file.
func attachEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	resp := done(c, c.Upload("/files", "dispute_evidence", c.Bearer(secretKey)))
	return &sdk.Outcome{Status: sdk.StatusAttached, EvidenceID: resp.JSON().Need("id")}, nil
}

// done sends a request. An answer that is no success ends the operation: with Checkout.com's refusal, or undecided.
func done(c *sdk.Call, s *sdk.Send) *sdk.Response {
	resp := sdk.Must(c.Do(s))
	if !resp.OK() {
		c.End(sdk.Must(refusal(resp)))
	}
	sdk.Require(resp.Status == 204 || resp.Status == 201 || resp.JSON().Str("id") != "",
		errors.New("the answer confirms nothing"))
	return resp
}

// found are the statuses of a dispute. Checkout.com resolves a dispute by itself if the payment was refunded before.
var found = sdk.Table[sdk.DisputeStatus]{{sdk.DisputeOpened, "evidence_required"},
	{sdk.DisputeChallenged, "evidence_under_review arbitration_under_review arb_evidence_submitted"},
	{sdk.DisputeWon, "won"}, {sdk.DisputeLost, "lost"},
	{sdk.DisputeAccepted, "accepted"}, {sdk.DisputeExpired, "expired"}, {sdk.DisputeCancelled, "canceled resolved"}}

// disputeSync asks for the state of a dispute.
func disputeSync(c *sdk.Call) (*sdk.Outcome, error) {
	resp := sdk.Must(c.Get(pathOfDispute(c), c.Bearer(secretKey)))
	j := resp.JSON()
	if resp.Status == 404 && strings.HasSuffix(j.Str("error_codes.0"), "_not_found") {
		return c.OtherAccount(), nil
	}
	sdk.Require(resp.OK() && j.Str("id") == c.Request.Dispute.ID, errors.New("the answer is not the state of the dispute"))
	status := j.Str("status")
	o := c.Disputed(found.Of(status), status)
	amount := decimals.Need(j, "amount", "currency", c.Request.Dispute.Amount.Currency)
	sdk.Require(o.Dispute.Status != "" && amount != nil && amount.Minor > 0,
		errors.New("the answer has no status or amount of the dispute"))
	o.Dispute.Amount, o.Dispute.ReasonCode, o.Dispute.RespondBy = *amount, j.Str("reason_code"),
		sdk.Millis(j.Str("evidence_required_by"))
	if strings.HasPrefix(status, "arb") {
		o.Dispute.Stage = sdk.StageArbitration
	}
	return o, nil
}

func pathOfDispute(c *sdk.Call) string { return "/disputes/" + sdk.PathEscape(c.Request.Dispute.ID) }

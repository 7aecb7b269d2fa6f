package stripe

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

const (
	disputePath = "/v1/disputes/"
	filesURL    = "https://files.stripe.com/v1/files"
)

// acceptDispute closes a dispute, which Stripe then counts as lost.
func acceptDispute(c *sdk.Call) (*sdk.Outcome, error) {
	return disputed(c, post(c, pathOfDispute(c)+"/close", sdk.NewForm()))
}

// fileFields are the fields of evidence that Stripe names in another way.
var fileFields = sdk.Names{{"duplicate_charge_documentation", "invoice_showing_distinct_transactions"}}

// submitEvidence hands in the texts, which have Stripe's names, and the files.
func submitEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	d, f := c.Request.Dispute, sdk.NewForm()
	for _, text := range d.Texts() {
		f.Add("evidence["+text.Name+"]", text.Value)
	}
	for _, file := range d.Files {
		if file.Type != sdk.EvidenceRecurringAgreement { // Stripe has no field for it
			f.Opt("evidence["+cmp.Or(fileFields.Of(string(file.Type)), string(file.Type))+"]", file.ID)
		}
	}
	return disputed(c, post(c, pathOfDispute(c), f.Add("submit", "true")))
}

// attachEvidence uploads a file. Stripe takes PDF, JPEG and PNG for evidence.
func attachEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	s := c.Upload(filesURL, "dispute_evidence", headers(c)...)
	j := object(c, sdk.Must(c.Do(s.Keyed("Idempotency-Key"))))
	id := j.Need("id")
	sdk.Expect(j.Str("object") == "file", "the answer is not a file")
	return &sdk.Outcome{Status: sdk.StatusAttached, EvidenceID: id}, nil
}

func disputeSync(c *sdk.Call) (*sdk.Outcome, error) { return disputed(c, get(c, pathOfDispute(c))) }

func pathOfDispute(c *sdk.Call) string { return disputePath + sdk.PathEscape(c.Request.Dispute.ID) }

// disputed reads the Dispute that an answer holds.
func disputed(c *sdk.Call, j sdk.JSON) (*sdk.Outcome, error) {
	d := dispute(j)
	sdk.Expect(d != nil && j.Str("object") == "dispute" && d.ID == c.Request.Dispute.ID,
		"the answer is not the state of the dispute")
	return &sdk.Outcome{Status: sdk.StatusDisputed, TransactionID: c.Request.TransactionID, Dispute: d,
		Raw: map[string]string{"status": strings.ToLower(d.ConnectorStatus)}}, nil
}

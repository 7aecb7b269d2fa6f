package braintree

import (
	"strings"

	"payswitch/sdk"
)

const disputed = ` id legacyId status type amountDisputed { value currencyCode }`

// The statuses of a dispute, and its types: a retrieval is a question of the issuer. Notifications write lower case.
var (
	statusOfDispute = sdk.Table[sdk.DisputeStatus]{{sdk.DisputeOpened, "OPEN"}, {sdk.DisputeWon, "WON"},
		{sdk.DisputeChallenged, "DISPUTED UNDER_REVIEW"}, {sdk.DisputeLost, "LOST"},
		{sdk.DisputeAccepted, "ACCEPTED AUTO_ACCEPTED"}, {sdk.DisputeExpired, "EXPIRED"}}
	rounds = sdk.Table[sdk.DisputeStage]{{sdk.StagePreDispute, "RETRIEVAL"}, {sdk.StageDispute, "CHARGEBACK"},
		{sdk.StagePreArbitration, "PRE_ARBITRATION"}}
)

// acceptDispute gives a dispute up.
func acceptDispute(c *sdk.Call) (*sdk.Outcome, error) {
	return disputeOf(c, mutate(c, "acceptDispute", "dispute {"+disputed+" }", aboutDispute(c), false).Get("dispute")), nil
}

// attachEvidence uploads a file (developer.paypal.com/braintree/graphql/integration_guides/uploading_files): the part
// operations has the mutation, and map says that the part file is its variable $file.
func attachEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	operations := sdk.NewObject().Str("query", sdk.Mutation("createDisputeFileEvidence", "evidence { id }")).
		Obj("variables", sdk.NewObject().Obj("input", aboutDispute(c)).Null("file"))
	data, refused := answer(c, c.UploadParts("", []sdk.Part{
		{Name: "operations", ContentType: "application/json", Value: operations.String()},
		{Name: "map", Value: `{"file":"variables.file"}`},
	}, c.BasicAuth(publicKey, privateKey), sdk.H("Braintree-Version", apiVersion)))
	if refused != nil {
		return sdk.Declined(refused), nil
	}
	return &sdk.Outcome{Status: sdk.StatusAttached, EvidenceID: data.Need("createDisputeFileEvidence.evidence.id")}, nil
}

// submitEvidence adds the texts as one piece of evidence, and then hands the answer in. Attached files go along.
func submitEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	var lines []string
	for _, text := range c.Request.Dispute.Texts() {
		lines = append(lines, strings.ReplaceAll(text.Name, "_", " ")+": "+text.Value)
	}
	sdk.Require(len(lines)+len(c.Request.Dispute.Files) > 0,
		sdk.Missing("uncategorized_text", "Braintree needs a text or a file of evidence"))
	if len(lines) > 0 {
		mutate(c, "createDisputeTextEvidence", "evidence { id }",
			aboutDispute(c).Str("content", strings.Join(lines, "\n")), false).Need("evidence.id")
	}
	done := mutate(c, "finalizeDispute", "dispute {"+disputed+" }", aboutDispute(c), false)
	return disputeOf(c, done.Get("dispute")), nil
}

func disputeSync(c *sdk.Call) (*sdk.Outcome, error) {
	edges := query(c, "disputes", "DisputeSearchInput", disputed, "id", globalID("dispute", c.Request.Dispute.ID))
	sdk.Expect(edges.Len() <= 1, "the search found several disputes with one id")
	c.EndIf(edges.Len() == 0, c.OtherAccount)
	return disputeOf(c, edges.Get("0.node")), nil
}

func aboutDispute(c *sdk.Call) *sdk.Object {
	return sdk.NewObject().Str("disputeId", globalID("dispute", c.Request.Dispute.ID))
}

// disputeOf reads the dispute of an answer. Messages name it by its legacy id.
func disputeOf(c *sdk.Call, d sdk.JSON) *sdk.Outcome {
	status := d.Str("status")
	o := c.Disputed(statusOfDispute.Of(status), status)
	m := d.MajorIn("amountDisputed.value", "amountDisputed.currencyCode", o.Dispute.Amount.Currency)
	sdk.Expect(d.Str("legacyId") == o.Dispute.ID && o.Dispute.Of(m) != nil, "the answer is not the state of the dispute")
	o.Dispute.Stage = rounds.Of(d.Str("type"))
	return o
}

package braintree

import (
	"strings"

	"payswitch/sdk"
)

const disputed = ` id legacyId status type amountDisputed { value currencyCode }`

// The statuses of a dispute, and its types: a retrieval is a question of the issuer. Notifications write both in lower
// case, the status after "dispute_".
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
// operations has the mutation, and map says that the part file is its variable $file. Braintree has the file at the
// dispute from then on, and hands it in with the answer.
func attachEvidence(c *sdk.Call) (*sdk.Outcome, error) {
	variables := sdk.NewObject().Obj("input", aboutDispute(c)).Null("file")
	operations := sdk.NewObject().Str("query", sdk.Mutation("createDisputeFileEvidence", "evidence { id }")).
		Obj("variables", variables)
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
		added := mutate(c, "createDisputeTextEvidence", "evidence { id }",
			aboutDispute(c).Str("content", strings.Join(lines, "\n")), false)
		sdk.Expect(added.Str("evidence.id") != "", "the answer does not confirm the evidence")
	}
	done := mutate(c, "finalizeDispute", "dispute {"+disputed+" }", aboutDispute(c), false)
	return disputeOf(c, done.Get("dispute")), nil
}

// disputeSync asks for the state of a dispute. Braintree has given the id, so that one that it does not find belongs to
// another account.
func disputeSync(c *sdk.Call) (*sdk.Outcome, error) {
	edges := query(c, "disputes", "DisputeSearchInput", disputed, "id", globalID("dispute", c.Request.Dispute.ID))
	sdk.Expect(edges.Len() <= 1, "the search found several disputes with one id")
	if edges.Len() == 0 {
		return c.OtherAccount(), nil
	}
	return disputeOf(c, edges.Get("0.node")), nil
}

func aboutDispute(c *sdk.Call) *sdk.Object {
	return sdk.NewObject().Str("disputeId", globalID("dispute", c.Request.Dispute.ID))
}

// disputeOf reads the dispute of an answer. Messages name it by its legacy id.
func disputeOf(c *sdk.Call, d sdk.JSON) *sdk.Outcome {
	status := d.Str("status")
	o := c.Disputed(statusOfDispute.Of(status), status)
	m := d.MajorIn("amountDisputed.value", "amountDisputed.currencyCode", c.Request.Dispute.Amount.Currency)
	sdk.Expect(d.Str("legacyId") == c.Request.Dispute.ID && o.Dispute.Status != "" && m != nil && m.Minor > 0,
		"the answer is not the state of the dispute")
	o.Dispute.Amount, o.Dispute.Stage = *m, rounds.Of(d.Str("type"))
	return o
}

package stripe_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	client "github.com/stripe/stripe-go/v85"

	"payswitch/sdk"
)

// disputeIntents are answers to a dispute, and the query for its state.
func disputeIntents() []intent {
	of := func(status client.DisputeStatus) answer {
		return ok(&client.Dispute{ID: "du_1", Object: "dispute", Amount: 1000, Currency: client.CurrencyUSD, Status: status})
	}
	becomes := func(want sdk.DisputeStatus) func(t *testing.T, o *sdk.Outcome) {
		return func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusDisputed, want, usd(1000).Minor}, []any{o.Status, o.Dispute.Status, o.Dispute.Amount.Minor})
		}
	}
	evidence := aboutDispute(func(d *sdk.DisputeRequest) {
		d.Evidence = map[string]string{}
		for _, name := range sdk.EvidenceTexts() {
			d.Evidence[name] = "the " + name
		}
		for _, kind := range sdk.EvidenceTypes() {
			d.Files = append(d.Files, sdk.AttachedFile{Type: kind, ID: "file_" + string(kind)})
		}
	})
	text := func(name string) *string { return client.String("the " + name) }
	file := func(name string) *string { return client.String("file_" + name) }
	return []intent{
		{name: "dispute accepted", op: sdk.OpAcceptDispute, request: aboutDispute(nil), client: func(ctx context.Context, c *client.Client) error {
			_, err := c.V1Disputes.Close(ctx, "du_1", &client.DisputeCloseParams{})
			return err
		}, answers: []answer{of(client.DisputeStatusLost)}, want: becomes(sdk.DisputeLost)},
		{name: "all evidence", op: sdk.OpSubmitEvidence, request: evidence, client: func(ctx context.Context, c *client.Client) error {
			_, err := c.V1Disputes.Update(ctx, "du_1", &client.DisputeUpdateParams{Submit: client.Bool(true), Evidence: &client.DisputeUpdateEvidenceParams{
				AccessActivityLog: text("access_activity_log"), BillingAddress: text("billing_address"), CancellationPolicyDisclosure: text("cancellation_policy_disclosure"),
				CancellationRebuttal: text("cancellation_rebuttal"), CustomerEmailAddress: text("customer_email_address"), CustomerName: text("customer_name"),
				CustomerPurchaseIP: text("customer_purchase_ip"), ProductDescription: text("product_description"), RefundPolicyDisclosure: text("refund_policy_disclosure"),
				RefundRefusalExplanation: text("refund_refusal_explanation"), ServiceDate: text("service_date"), ShippingAddress: text("shipping_address"),
				ShippingCarrier: text("shipping_carrier"), ShippingDate: text("shipping_date"), ShippingTrackingNumber: text("shipping_tracking_number"),
				UncategorizedText: text("uncategorized_text"), CancellationPolicy: file("cancellation_policy"), CustomerCommunication: file("customer_communication"),
				CustomerSignature: file("customer_signature"), Receipt: file("receipt"), RefundPolicy: file("refund_policy"), ServiceDocumentation: file("service_documentation"),
				ShippingDocumentation: file("shipping_documentation"), DuplicateChargeDocumentation: file("invoice_showing_distinct_transactions"),
				UncategorizedFile: file("uncategorized_file")}})
			return err
		}, answers: []answer{of(client.DisputeStatusUnderReview)}, want: becomes(sdk.DisputeChallenged)},
		{name: "dispute's state", op: sdk.OpDisputeSync, request: aboutDispute(nil), client: func(ctx context.Context, c *client.Client) error {
			_, err := c.V1Disputes.Retrieve(ctx, "du_1", nil)
			return err
		}, answers: []answer{of(client.DisputeStatusWon)}, want: becomes(sdk.DisputeWon)},
	}
}

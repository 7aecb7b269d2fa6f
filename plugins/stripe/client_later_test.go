package stripe_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	client "github.com/stripe/stripe-go/v85"

	"payswitch/sdk"
)

// laterIntents are operations on an existing payment.
func laterIntents() []intent {
	capture := func(ctx context.Context, c *client.Client) error {
		_, err := c.V1PaymentIntents.Capture(ctx, "pi_1", &client.PaymentIntentCaptureParams{AmountToCapture: client.Int64(700)})
		return err
	}
	retrieve := func(ctx context.Context, c *client.Client) error {
		p := &client.PaymentIntentRetrieveParams{}
		p.AddExpand("latest_charge")
		_, err := c.V1PaymentIntents.Retrieve(ctx, "pi_1", p)
		return err
	}
	search := func(ctx context.Context, c *client.Client) error {
		p := &client.PaymentIntentSearchParams{SearchParams: client.SearchParams{Query: "metadata['order_id']:'pay_1_1'"}}
		p.AddExpand("data.latest_charge")
		for _, err := range c.V1PaymentIntents.Search(ctx, p).All(ctx) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	part := request(func(r *sdk.Request) { r.Amount.Minor, r.FinalCapture = 700, true })
	first := request(func(r *sdk.Request) { r.Amount.Minor = 700 })
	unknownID := request(func(r *sdk.Request) { r.TransactionID = "" })
	return []intent{
		{name: "partial capture", op: sdk.OpCapture, request: part, client: capture, answers: []answer{paid("succeeded", func(p *client.PaymentIntent) { p.AmountReceived = 700 })},
			want: func(t *testing.T, o *sdk.Outcome) {
				require.Equal(t, []any{sdk.StatusCaptured, usd(700), true}, []any{o.Status, o.Amount, o.Released})
			}},
		{name: "first of several captures", op: sdk.OpCapture, request: first, client: func(ctx context.Context, c *client.Client) error {
			_, err := c.V1PaymentIntents.Capture(ctx, "pi_1", &client.PaymentIntentCaptureParams{AmountToCapture: client.Int64(700), FinalCapture: client.Bool(false)})
			return err
		}, answers: []answer{paid("requires_capture", func(p *client.PaymentIntent) { p.AmountReceived, p.AmountCapturable = 700, 300 })},
			want: func(t *testing.T, o *sdk.Outcome) {
				require.Equal(t, []any{sdk.StatusCaptured, usd(700), false}, []any{o.Status, o.Amount, o.Released})
			}},
		{name: "capture of what is captured", op: sdk.OpCapture, request: part, client: capture, answers: []answer{failed(400, &client.Error{
			Type: client.ErrorTypeInvalidRequest, Code: client.ErrorCodePaymentIntentUnexpectedState, Msg: "already succeeded", PaymentIntent: &client.PaymentIntent{ID: "pi_1"}})},
			want: func(t *testing.T, o *sdk.Outcome) {
				require.Equal(t, []any{sdk.StatusDeclined, "pi_1", string(client.ErrorCodePaymentIntentUnexpectedState)}, []any{o.Status, o.TransactionID, o.Decline.Code})
			}},
		{name: "capture at a bad time", op: sdk.OpCapture, request: part, client: capture, answers: []answer{failed(500, &client.Error{Type: client.ErrorTypeAPI, Msg: "sorry"})},
			want: status(sdk.StatusUnknown)},
		{name: "raised hold", op: sdk.OpIncrementalAuthorize, request: request(func(r *sdk.Request) { r.Amount.Minor = 1500 }), client: func(ctx context.Context, c *client.Client) error {
			_, err := c.V1PaymentIntents.IncrementAuthorization(ctx, "pi_1", &client.PaymentIntentIncrementAuthorizationParams{Amount: client.Int64(1500)})
			return err
		}, answers: []answer{paid("requires_capture", func(p *client.PaymentIntent) { p.Amount, p.AmountCapturable = 1500, 1500 })}, want: func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusAuthorized, usd(1500)}, []any{o.Status, o.Amount})
		}},
		{name: "void", op: sdk.OpVoid, request: request(func(r *sdk.Request) { r.Reason = "duplicate" }), client: func(ctx context.Context, c *client.Client) error {
			_, err := c.V1PaymentIntents.Cancel(ctx, "pi_1", &client.PaymentIntentCancelParams{CancellationReason: client.String(string(client.PaymentIntentCancellationReasonDuplicate))})
			return err
		}, answers: []answer{paid("canceled", func(p *client.PaymentIntent) { p.CancellationReason = client.PaymentIntentCancellationReasonDuplicate })}, want: status(sdk.StatusVoided)},
		{name: "id that needs escaping", op: sdk.OpVoid, request: request(func(r *sdk.Request) { r.TransactionID = "pi_1/../x?y" }), client: func(ctx context.Context, c *client.Client) error {
			_, err := c.V1PaymentIntents.Cancel(ctx, "pi_1/../x?y", &client.PaymentIntentCancelParams{})
			return err
		}, answers: []answer{paid("canceled", nil)}, want: status(sdk.StatusVoided)},
		{name: "return from 3-D Secure", op: sdk.OpComplete, request: request(nil), client: retrieve, answers: []answer{paid("requires_payment_method", func(p *client.PaymentIntent) {
			p.LatestCharge, p.LastPaymentError = nil, &client.Error{Type: client.ErrorTypeInvalidRequest, Code: client.ErrorCodePaymentIntentAuthenticationFailure, Msg: "no"}
		})}, want: func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusDeclined, sdk.DeclineAuthenticationFailed}, []any{o.Status, o.Decline.Reason})
		}},
		{name: "query", op: sdk.OpSync, request: request(nil), client: retrieve, answers: []answer{paid("succeeded", func(p *client.PaymentIntent) { p.LatestCharge.AmountRefunded = 300 })},
			want: func(t *testing.T, o *sdk.Outcome) {
				require.Equal(t, &sdk.Totals{Authorized: 1000, Captured: 1000, Refunded: 300}, o.Totals)
			}},
		{name: "query of nothing", op: sdk.OpSync, request: request(nil), client: retrieve, answers: []answer{failed(404, &client.Error{Type: client.ErrorTypeInvalidRequest,
			Code: client.ErrorCodeResourceMissing, Param: "intent", Msg: "No such payment_intent: 'pi_1'"})}, want: func(t *testing.T, o *sdk.Outcome) { // Stripe gave this id, so the key belongs to another account or mode
			require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount, "pi_1"}, []any{o.Status, o.Raw["alarm"], o.TransactionID})
		}},
		{name: "query that is not allowed", op: sdk.OpSync, request: request(nil), client: retrieve, answers: []answer{failed(401, &client.Error{Type: client.ErrorTypeInvalidRequest, Msg: "Invalid API Key"})},
			want: status(sdk.StatusUnknown)},
		{name: "query of a verification", op: sdk.OpSync, request: request(func(r *sdk.Request) { r.TransactionID = "seti_1" }), client: func(ctx context.Context, c *client.Client) error {
			p := &client.SetupIntentRetrieveParams{}
			p.AddExpand("latest_attempt")
			_, err := c.V1SetupIntents.Retrieve(ctx, "seti_1", p)
			return err
		}, answers: []answer{ok(&client.SetupIntent{ID: "seti_1", Object: "setup_intent", Status: client.SetupIntentStatusSucceeded})}, want: status(sdk.StatusVerified)},
		{name: "query by our reference", op: sdk.OpSync, request: unknownID, client: search, answers: []answer{ok(&client.PaymentIntentSearchResult{
			Data: []*client.PaymentIntent{paid("requires_capture", nil).value.(*client.PaymentIntent)}})}, want: func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusAuthorized, "pi_1", usd(1000)}, []any{o.Status, o.TransactionID, o.Amount})
		}},
		{name: "query by our reference of nothing", op: sdk.OpSync, request: unknownID, client: search, answers: []answer{ok(&client.PaymentIntentSearchResult{Data: []*client.PaymentIntent{}})},
			want: status(sdk.StatusNotFound)},
	}
}

// refundIntents are refunds.
func refundIntents() []intent {
	back := func(status client.RefundStatus) *client.Refund {
		return &client.Refund{ID: "re_1", Object: "refund", Amount: 300, Currency: client.CurrencyUSD, Status: status, PaymentIntent: &client.PaymentIntent{ID: "pi_1"},
			Metadata: map[string]string{"order_id": "ref_1"}}
	}
	r := sdk.Request{Reference: "ref_1", TransactionID: "pi_1", Amount: *usd(300)}
	known := r
	known.RefundID = "re_1"
	create := func(ctx context.Context, c *client.Client) error {
		_, err := c.V1Refunds.Create(ctx, &client.RefundCreateParams{Amount: client.Int64(300), PaymentIntent: client.String("pi_1"),
			Metadata: map[string]string{"order_id": "ref_1", "is_refund_id_as_reference": "true"}})
		return err
	}
	retrieve := func(ctx context.Context, c *client.Client) error {
		_, err := c.V1Refunds.Retrieve(ctx, "re_1", nil)
		return err
	}
	list := func(ctx context.Context, c *client.Client) error {
		p := &client.RefundListParams{PaymentIntent: client.String("pi_1")}
		p.Limit = client.Int64(100)
		for _, err := range c.V1Refunds.List(ctx, p).All(ctx) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	refunded := func(t *testing.T, o *sdk.Outcome) {
		require.Equal(t, []any{sdk.StatusRefunded, "re_1", "pi_1", usd(300)}, []any{o.Status, o.RefundID, o.TransactionID, o.Amount})
	}
	lost := back(client.RefundStatusFailed)
	lost.FailureReason = client.RefundFailureReasonExpiredOrCanceledCard
	other := back(client.RefundStatusSucceeded)
	other.ID, other.Metadata = "re_0", nil
	return []intent{
		{name: "refund", op: sdk.OpRefund, request: r, client: create, answers: []answer{ok(back(client.RefundStatusSucceeded))}, want: refunded},
		{name: "refund under way", op: sdk.OpRefund, request: r, client: create, answers: []answer{ok(back(client.RefundStatusPending))}, want: status(sdk.StatusPending)},
		{name: "refund that needs the payer", op: sdk.OpRefund, request: r, client: create, answers: []answer{ok(back(client.RefundStatusRequiresAction))}, want: status(sdk.StatusReview)},
		{name: "refund of what is refunded", op: sdk.OpRefund, request: r, client: create, answers: []answer{failed(400, &client.Error{Type: client.ErrorTypeInvalidRequest,
			Code: client.ErrorCodeChargeAlreadyRefunded, Msg: "Charge ch_1 has already been refunded."})}, want: status(sdk.StatusDeclined)},
		{name: "refund that failed", op: sdk.OpRefundSync, request: known, client: retrieve, answers: []answer{ok(lost)}, want: func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusDeclined, sdk.DeclineExpiredCard}, []any{o.Status, o.Decline.Reason})
		}},
		{name: "refund by our reference", op: sdk.OpRefundSync, request: r, client: list, answers: []answer{ok(&client.RefundList{Data: []*client.Refund{other, back(client.RefundStatusSucceeded)}})},
			want: refunded},
		{name: "refund that never was", op: sdk.OpRefundSync, request: r, client: list, answers: []answer{ok(&client.RefundList{Data: []*client.Refund{other}})}, want: status(sdk.StatusNotFound)},
	}
}

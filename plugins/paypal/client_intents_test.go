package paypal_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	client "github.com/plutov/paypal/v4"
	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// An order is PayPal's answer: the client's order, with parts that the client has types for but no fields in its order.
type order struct {
	client.Order
	PurchaseUnits []purchaseUnit `json:"purchase_units,omitempty"`
}

type purchaseUnit struct {
	client.PurchaseUnit
	Payments struct {
		Authorizations []client.Authorization          `json:"authorizations,omitempty"`
		Captures       []client.CaptureDetailsResponse `json:"captures,omitempty"`
		Refunds        []refunded                      `json:"refunds,omitempty"`
	} `json:"payments"`
}

// A refunded is a refund with our reference, which the client does not know.
type refunded struct {
	client.RefundResponse
	CustomID string `json:"custom_id,omitempty"`
}

// ordered returns an order with its payments.
func ordered(status string, change func(*purchaseUnit)) answer {
	u := purchaseUnit{PurchaseUnit: client.PurchaseUnit{ReferenceID: "ref-1", InvoiceID: "ref-1", Amount: priced("24.99")}}
	if change != nil {
		change(&u)
	}
	return answer{http.StatusCreated, &order{client.Order{ID: "ORDER1", Status: status, Intent: client.OrderIntentAuthorize}, []purchaseUnit{u}}}
}

func priced(value string) *client.PurchaseUnitAmount {
	return &client.PurchaseUnitAmount{Currency: "USD", Value: value}
}

func money(value string) *client.Money { return &client.Money{Currency: "USD", Value: value} }

func held(status string) client.Authorization {
	return client.Authorization{ID: "AUTH0001", Status: status, Amount: priced("24.99"), InvoiceID: "ref-1"}
}

func taken(status, value string) client.CaptureDetailsResponse {
	return client.CaptureDetailsResponse{ID: "CAP0001", Status: status, Amount: money(value), InvoiceID: "ref-1", FinalCapture: true}
}

// refusal is PayPal's error for a request.
func refusal(status int, name, issue string) answer {
	return answer{status, &client.ErrorResponse{Name: name, DebugID: "d1", Message: "The requested action could not be performed.",
		Details: []client.ErrorResponseDetail{{Issue: issue, Description: "It could not be done."}}}}
}

func status(want sdk.OutcomeStatus) func(*testing.T, *sdk.Outcome) {
	return func(t *testing.T, o *sdk.Outcome) { require.Equal(t, want, o.Status) }
}

// bought returns a purchase written by a user of the client.
func bought(intent string) func(context.Context, *client.Client) error {
	return func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateOrderWithPaypalRequestID(ctx, intent, []client.PurchaseUnitRequest{{ReferenceID: "ref-1", InvoiceID: "ref-1",
			Amount: &client.PurchaseUnitAmount{Currency: "USD", Value: "24.99", Breakdown: &client.PurchaseUnitAmountBreakdown{ItemTotal: money("24.99"), Shipping: money("0.00")}},
			Items:  []client.Item{{Name: "Payment for invoice ref-1", Quantity: "1", UnitAmount: money("24.99")}}}}, nil, nil, "key")
		return err
	}
}

// detailed returns a purchase with all known details.
func detailed(ctx context.Context, c *client.Client) error {
	_, err := c.CreateOrderWithPaypalRequestID(ctx, client.OrderIntentCapture, []client.PurchaseUnitRequest{{ReferenceID: "ref-1", InvoiceID: "ref-1", CustomID: "order 77",
		Description: "Two widgets", SoftDescriptor: "ACME", Amount: &client.PurchaseUnitAmount{Currency: "USD", Value: "24.99",
			Breakdown: &client.PurchaseUnitAmountBreakdown{ItemTotal: money("18.00"), Shipping: money("5.00"), TaxTotal: money("1.99")}},
		Items: []client.Item{{Name: "Widget", SKU: "w-1", Quantity: "2", UnitAmount: money("9.00")}},
		Shipping: &client.ShippingDetail{Name: &client.Name{FullName: "Jane Roe"}, Address: &client.ShippingDetailAddressPortable{AddressLine1: "500 Oak Ave",
			AddressLine2: "2nd floor", AdminArea1: "OR", AdminArea2: "Portland", PostalCode: "97201", CountryCode: "US"}}}}, nil, nil, "key")
	return err
}

func intents() []intent {
	automatic, all := purchase(), purchase()
	automatic.Capture, all.Capture = sdk.CaptureAutomatic, sdk.CaptureAutomatic
	all.ShippingCost, all.TaxAmount, all.Lines = 500, 199, []sdk.Line{{Name: "Widget", SKU: "w-1", Quantity: 2, UnitPrice: 900}}
	all.OrderReference, all.Description, all.DescriptorName = "order 77", "Two widgets", "ACME"
	all.Shipping = &sdk.Address{FirstName: "Jane", LastName: "Roe", Line1: "500 Oak Ave", Line2: "2nd floor", City: "Portland", State: "OR", Zip: "97201", Country: "US"}
	back := purchase()
	back.TransactionID = "ORDER1"
	part, giveBack := later(), later()
	part.Amount, part.FinalCapture, giveBack.Amount = usd(1000), false, usd(700)
	byOrder := later()
	byOrder.ConnectorData = nil
	read := func(ctx context.Context, c *client.Client) error {
		_, err := c.GetOrder(ctx, "ORDER1")
		return err
	}
	capture := func(value string, final bool) func(context.Context, *client.Client) error {
		return func(ctx context.Context, c *client.Client) error {
			_, err := c.CaptureAuthorizationWithPaypalRequestId(ctx, "AUTH0001", &client.PaymentCaptureRequest{Amount: money(value), FinalCapture: final}, "key")
			return err
		}
	}
	void := func(ctx context.Context, c *client.Client) error {
		_, err := c.VoidAuthorization(ctx, "AUTH0001")
		return err
	}
	return []intent{
		{"access token", sdk.OpAccessToken, sdk.Request{}, func(ctx context.Context, c *client.Client) error {
			_, err := c.GetAccessToken(ctx)
			return err
		}, []answer{{http.StatusOK, map[string]any{"access_token": "A21", "token_type": "Bearer", "expires_in": json.Number("31668")}}}, func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, &sdk.AccessToken{Value: "A21", ExpiresIn: 31668}, o.Token)
		}},
		{"hold", sdk.OpAuthorize, purchase(), bought(client.OrderIntentAuthorize), []answer{ordered(client.OrderStatusCompleted, func(u *purchaseUnit) {
			u.Payments.Authorizations = []client.Authorization{held("CREATED")}
		})}, func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusAuthorized, "ORDER1", usd(2499), `{"authorize_id":"AUTH0001"}`}, []any{o.Status, o.TransactionID, *o.Amount, o.ConnectorData.Payment})
		}},
		{"purchase with all that is known", sdk.OpAuthorize, all, detailed, []answer{ordered(client.OrderStatusCompleted, func(u *purchaseUnit) {
			u.Payments.Captures = []client.CaptureDetailsResponse{taken("COMPLETED", "24.99")}
		})}, func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusCaptured, usd(2499), "CAP0001"}, []any{o.Status, *o.Amount, o.CaptureID})
		}},
		{"purchase under review", sdk.OpAuthorize, automatic, bought(client.OrderIntentCapture), []answer{ordered(client.OrderStatusCompleted, func(u *purchaseUnit) {
			p := taken("PENDING", "24.99")
			p.StatusDetails = &client.CaptureStatusDetails{Reason: "PENDING_REVIEW"}
			u.Payments.Captures = []client.CaptureDetailsResponse{p}
		})}, status(sdk.StatusReview)},
		{"purchase that is declined", sdk.OpAuthorize, automatic, bought(client.OrderIntentCapture), []answer{ordered(client.OrderStatusCompleted, func(u *purchaseUnit) {
			p := taken("DECLINED", "24.99")
			p.StatusDetails = &client.CaptureStatusDetails{Reason: "TRANSACTION_BLOCKED_BY_PAYEE"}
			u.Payments.Captures = []client.CaptureDetailsResponse{p}
		})}, func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusDeclined, "ORDER1", sdk.DeclineBlocked}, []any{o.Status, o.TransactionID, o.Decline.Reason})
		}},
		{"purchase that is refused", sdk.OpAuthorize, automatic, bought(client.OrderIntentCapture), []answer{refusal(422, "UNPROCESSABLE_ENTITY", "CARD_EXPIRED")},
			func(t *testing.T, o *sdk.Outcome) {
				require.Equal(t, []any{sdk.StatusDeclined, "CARD_EXPIRED", sdk.DeclineExpiredCard}, []any{o.Status, o.Decline.Code, o.Decline.Reason})
			}},
		{"purchase that fails", sdk.OpAuthorize, automatic, bought(client.OrderIntentCapture), []answer{refusal(500, "INTERNAL_SERVER_ERROR", "INTERNAL_SERVICE_ERROR")}, status(sdk.StatusUnknown)},
		{"purchase that waits for the customer", sdk.OpAuthorize, automatic, bought(client.OrderIntentCapture), []answer{{http.StatusCreated, &client.Order{ID: "ORDER1",
			Status: "PAYER_ACTION_REQUIRED", Links: []client.Link{{Href: "https://www.paypal.com/3ds?id=ORDER1", Rel: "payer-action", Method: "GET"}}}}}, func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, &sdk.NextAction{Type: "redirect", URL: "https://www.paypal.com/3ds?id=ORDER1"}, o.NextAction)
		}},
		{"return from 3-D Secure too early", sdk.OpComplete, back, read, []answer{{http.StatusOK, &client.Order{ID: "ORDER1", Status: "PAYER_ACTION_REQUIRED"}}}, status(sdk.StatusPending)},
		{"return from 3-D Secure", sdk.OpComplete, back, func(ctx context.Context, c *client.Client) error {
			if err := read(ctx, c); err != nil {
				return err
			}
			_, err := c.AuthorizeOrder(ctx, "ORDER1", client.AuthorizeOrderRequest{})
			return err
		}, []answer{authenticated(), ordered(client.OrderStatusCompleted, func(u *purchaseUnit) { u.Payments.Authorizations = []client.Authorization{held("CREATED")} })},
			status(sdk.StatusAuthorized)},
		{"partial capture", sdk.OpCapture, part, capture("10.00", false), []answer{{http.StatusCreated, &client.PaymentCaptureResponse{ID: "CAP0002", Status: "COMPLETED", Amount: money("10.00")}}},
			func(t *testing.T, o *sdk.Outcome) {
				require.Equal(t, []any{sdk.StatusCaptured, usd(1000), "CAP0002", false}, []any{o.Status, *o.Amount, o.CaptureID, o.Released})
			}},
		{"final capture", sdk.OpCapture, later(), capture("24.99", true), []answer{{http.StatusCreated, &client.PaymentCaptureResponse{ID: "CAP0002", Status: "PENDING", FinalCapture: true,
			StatusDetails: &client.CaptureStatusDetails{Reason: "PENDING_REVIEW"}}}}, status(sdk.StatusReview)},
		{"capture of too much", sdk.OpCapture, later(), capture("24.99", true), []answer{refusal(422, "UNPROCESSABLE_ENTITY", "MAX_CAPTURE_AMOUNT_EXCEEDED")},
			func(t *testing.T, o *sdk.Outcome) { require.Equal(t, sdk.DeclineInvalidAmount, o.Decline.Reason) }},
		{"void", sdk.OpVoid, later(), void, []answer{{http.StatusOK, &client.Authorization{ID: "AUTH0001", Status: "VOIDED"}}}, status(sdk.StatusVoided)},
		{"void of what is captured", sdk.OpVoid, later(), void, []answer{refusal(422, "UNPROCESSABLE_ENTITY", "PREVIOUSLY_CAPTURED")}, status(sdk.StatusDeclined)},
		{"refund", sdk.OpRefund, giveBack, func(ctx context.Context, c *client.Client) error {
			_, err := c.RefundCaptureWithPaypalRequestId(ctx, "CAP0001", client.RefundCaptureRequest{Amount: money("7.00")}, "key")
			return err
		}, []answer{{http.StatusCreated, &client.RefundResponse{ID: "REF1", Status: "COMPLETED", Amount: priced("7.00")}}}, func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusRefunded, "REF1", usd(700)}, []any{o.Status, o.RefundID, *o.Amount})
		}},
		{"query of a capture", sdk.OpSync, later(), func(ctx context.Context, c *client.Client) error {
			_, err := c.CapturedDetail(ctx, "CAP0001")
			return err
		}, []answer{{http.StatusOK, taken("PARTIALLY_REFUNDED", "24.99")}}, func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusCaptured, usd(2499), "CAP0001"}, []any{o.Status, *o.Amount, o.CaptureID})
		}},
		{"query of an order", sdk.OpSync, byOrder, read, []answer{ordered(client.OrderStatusCompleted, func(u *purchaseUnit) {
			u.Payments.Authorizations = []client.Authorization{held("CAPTURED")}
			u.Payments.Captures = []client.CaptureDetailsResponse{taken("COMPLETED", "24.99")}
			u.Payments.Refunds = []refunded{{client.RefundResponse{ID: "REF1", Status: "COMPLETED", Amount: priced("7.00")}, "ref-2"}}
		})}, func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, &sdk.Totals{Authorized: 2499, Captured: 2499, Refunded: 700}, o.Totals)
		}},
		{"query of nothing", sdk.OpSync, byOrder, read, []answer{refusal(404, "RESOURCE_NOT_FOUND", "INVALID_RESOURCE_ID")}, func(t *testing.T, o *sdk.Outcome) { // an id that PayPal gave
			require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{o.Status, o.Raw["alarm"]})
		}},
		{"query of a refund by our reference", sdk.OpRefundSync, byOrder, read, []answer{ordered(client.OrderStatusCompleted, func(u *purchaseUnit) {
			u.Payments.Refunds = []refunded{{client.RefundResponse{ID: "REF0", Status: "COMPLETED", Amount: priced("1.00")}, "other"},
				{client.RefundResponse{ID: "REF1", Status: "PENDING", Amount: priced("7.00")}, "ref-2"}}
		})}, func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusPending, "REF1"}, []any{o.Status, o.RefundID})
		}},
	}
}

// authenticated returns an order whose customer was authenticated. The client has no type for the result.
func authenticated() answer {
	return answer{http.StatusOK, map[string]any{"id": "ORDER1", "status": client.OrderStatusApproved, "payment_source": map[string]any{"card": map[string]any{
		"authentication_result": map[string]any{"liability_shift": "POSSIBLE", "three_d_secure": map[string]any{"enrollment_status": "Y", "authentication_status": "Y"}}}}}}
}

// TestClientEvents reads messages about the client's objects.
func TestClientEvents(t *testing.T) {
	for kind, row := range map[string]struct {
		resource any
		want     sdk.Event
	}{
		client.EventCheckoutOrderApproved:   {ordered(client.OrderStatusApproved, nil).value, sdk.Event{Object: "payment", TransactionID: "ORDER1", Reference: "ref-1", Sync: true}},
		client.EventPaymentCaptureCompleted: {taken("COMPLETED", "24.99"), sdk.Event{Object: "payment", Reference: "ref-1", Sync: true}},
		client.EventPaymentCaptureDenied:    {taken("DECLINED", "24.99"), sdk.Event{Object: "payment", Reference: "ref-1", Sync: true}},
		client.EventPaymentCaptureRefunded: {refunded{client.RefundResponse{ID: "REF1", Status: "COMPLETED", Amount: priced("7.00")}, "ref-2"},
			sdk.Event{Object: "refund", RefundID: "REF1", Reference: "ref-2", Sync: true}},
	} {
		resource, err := json.Marshal(row.resource)
		require.NoError(t, err)
		body, err := json.Marshal(&client.AnyEvent{Event: client.Event{ID: "WH-1", EventType: kind}, Resource: resource})
		require.NoError(t, err)
		o := outcome(t, sdk.OpWebhook, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: body}})
		require.Equal(t, []sdk.Event{row.want}, o.Events, kind)
	}
}

// TestClientRefund reads a refund by its id. The client uses a path that PayPal does not document (/v2/payments/refund/) and the
// type of Payments v1. So the test only uses its type for the answer to a refund.
func TestClientRefund(t *testing.T) {
	r := later()
	r.RefundID = "REF1"
	for s, want := range map[string]sdk.OutcomeStatus{"COMPLETED": sdk.StatusRefunded, "PENDING": sdk.StatusPending, "FAILED": sdk.StatusDeclined, "CANCELLED": sdk.StatusDeclined} {
		f := newFake(t, answer{http.StatusOK, &client.RefundResponse{ID: "REF1", Status: s, Amount: priced("24.99")}})
		require.Equal(t, want, f.adapter(t, sdk.OpRefundSync, r).Status)
		require.Equal(t, "/v2/payments/refunds/REF1", f.requests[0].path)
	}
}

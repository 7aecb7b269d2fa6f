package stripe_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	client "github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/form"

	"payswitch/sdk"
)

// withCard adds a full card with the client's own type for cards.
func withCard(p *client.Params, cvc *string) {
	v := &form.Values{}
	form.AppendToPrefixed(v, &client.PaymentMethodCreateCardParams{Number: client.String("4242424242424242"), CVC: cvc, ExpMonth: client.Int64(11), ExpYear: client.Int64(2031)},
		[]string{"payment_method_data", "card"})
	for name, all := range v.ToValues() {
		p.AddExtra(name, all[0])
	}
}

// paying returns a purchase of 10.00 USD with a card, written by a user of the client.
func paying(change func(p *client.PaymentIntentCreateParams, options *client.PaymentIntentCreatePaymentMethodOptionsCardParams)) func(context.Context, *client.Client) error {
	return func(ctx context.Context, c *client.Client) error {
		p, options := bare(), &client.PaymentIntentCreatePaymentMethodOptionsCardParams{RequestThreeDSecure: client.String("automatic")}
		p.PaymentMethodData = &client.PaymentIntentCreatePaymentMethodDataParams{Type: client.String("card")}
		p.PaymentMethodTypes = []*string{client.String("card")}
		withCard(&p.Params, client.String("123"))
		if change != nil {
			change(p, options)
		}
		p.PaymentMethodOptions = &client.PaymentIntentCreatePaymentMethodOptionsParams{Card: options}
		_, err := c.V1PaymentIntents.Create(ctx, p)
		return err
	}
}

// bare returns a purchase of 10.00 USD without a means of payment.
func bare() *client.PaymentIntentCreateParams {
	p := &client.PaymentIntentCreateParams{Amount: client.Int64(1000), Currency: client.String("USD"), Confirm: client.Bool(true), CaptureMethod: client.String("automatic"),
		ReturnURL: client.String("https://switch.example/back"), Metadata: map[string]string{"order_id": "pay_1_1"}}
	p.AddExpand("latest_charge")
	return p
}

// paid returns an intent's answer, made from the client's types.
func paid(status client.PaymentIntentStatus, change func(*client.PaymentIntent)) answer {
	p := &client.PaymentIntent{ID: "pi_1", Object: "payment_intent", Amount: 1000, Currency: client.CurrencyUSD, Status: status, PaymentMethod: &client.PaymentMethod{ID: "pm_1", Object: "payment_method"},
		LatestCharge: &client.Charge{ID: "ch_1", Object: "charge", Amount: 1000, Currency: client.CurrencyUSD, PaymentMethodDetails: &client.ChargePaymentMethodDetails{
			Type: client.ChargePaymentMethodDetailsTypeCard, Card: &client.ChargePaymentMethodDetailsCard{AuthorizationCode: "A1B2C3", NetworkTransactionID: "123456789012345",
				Checks: &client.ChargePaymentMethodDetailsCardChecks{CVCCheck: "pass", AddressLine1Check: "fail", AddressPostalCodeCheck: "unchecked"}}}}}
	switch status {
	case client.PaymentIntentStatusSucceeded:
		p.AmountReceived = p.Amount
	case client.PaymentIntentStatusRequiresCapture:
		p.AmountCapturable = p.Amount
	}
	if change != nil {
		change(p)
	}
	return ok(p)
}

func usd(minor int64) *sdk.Money { return &sdk.Money{Minor: minor, Currency: "USD"} }

func status(want sdk.OutcomeStatus) func(*testing.T, *sdk.Outcome) {
	return func(t *testing.T, o *sdk.Outcome) { require.Equal(t, want, o.Status) }
}

// request returns a purchase of 10.00 USD with changes.
func request(change func(r *sdk.Request)) sdk.Request {
	r := purchase(1000, "USD")
	if change != nil {
		change(&r)
	}
	return r
}

func intents() []intent {
	all := []intent{
		{name: "purchase", op: sdk.OpAuthorize, request: request(nil), client: paying(nil), answers: []answer{paid("succeeded", nil)}, want: func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusCaptured, "pi_1", "A1B2C3", "123456789012345", usd(1000)}, []any{o.Status, o.TransactionID, o.AuthCode, o.NetworkTransactionID, o.Amount})
			require.Equal(t, sdk.NewChecks("pass", "fail", "unchecked"), o.Checks)
			require.Equal(t, &sdk.Totals{Authorized: 1000, Captured: 1000}, o.Totals)
		}},
		{name: "purchase with all that is known", op: sdk.OpAuthorize, request: request(func(r *sdk.Request) {
			r.Description, r.DescriptorName, r.DescriptorSuffix, r.Metadata = "Two widgets", "ACME", "ORDER 77", map[string]string{"cart": "77", "note": "a=b&c [d]"}
			r.Billing = &sdk.Address{FirstName: "Jörg", LastName: "Roe", Line1: "1 Market St", Line2: "Suite 300", City: "San Francisco", State: "CA", Zip: "94105", Country: "US",
				Email: "jane@example.com", Phone: "4155550100"}
			r.Shipping = &sdk.Address{FirstName: "Jane", LastName: "Roe", Line1: "500 Oak Ave", City: "Portland", State: "OR", Zip: "97201", Country: "US", Phone: "5035550100"}
			r.Browser = &sdk.Browser{IP: "203.0.113.10", UserAgent: "Mozilla/5.0 (X11; Linux)"}
			r.Instrument.Card.Network = sdk.CartesBancaires
		}), client: paying(func(p *client.PaymentIntentCreateParams, options *client.PaymentIntentCreatePaymentMethodOptionsCardParams) {
			p.Description, p.StatementDescriptor, p.StatementDescriptorSuffix = client.String("Two widgets"), client.String("ACME"), client.String("ORDER 77")
			p.Metadata["cart"], p.Metadata["note"] = "77", "a=b&c [d]"
			p.PaymentMethodData.BillingDetails = &client.PaymentIntentCreatePaymentMethodDataBillingDetailsParams{Name: client.String("Jörg Roe"), Email: client.String("jane@example.com"),
				Phone: client.String("4155550100"), Address: &client.AddressParams{Line1: client.String("1 Market St"), Line2: client.String("Suite 300"), City: client.String("San Francisco"),
					State: client.String("CA"), PostalCode: client.String("94105"), Country: client.String("US")}}
			p.Shipping = &client.ShippingDetailsParams{Name: client.String("Jane Roe"), Phone: client.String("5035550100"), Address: &client.AddressParams{Line1: client.String("500 Oak Ave"),
				City: client.String("Portland"), State: client.String("OR"), PostalCode: client.String("97201"), Country: client.String("US")}}
			p.AddExtra("payment_method_data[ip]", "203.0.113.10")
			p.AddExtra("payment_method_data[user_agent]", "Mozilla/5.0 (X11; Linux)")
			options.Network = client.String(string(client.PaymentIntentPaymentMethodOptionsCardNetworkCartesBancaires))
		}), answers: []answer{paid("processing", nil)}, want: status(sdk.StatusPending)},
		{name: "hold that can be raised", op: sdk.OpAuthorize, request: request(func(r *sdk.Request) { r.Capture = sdk.CaptureManual }), settings: []string{"if_available"},
			client: paying(func(p *client.PaymentIntentCreateParams, options *client.PaymentIntentCreatePaymentMethodOptionsCardParams) {
				p.CaptureMethod = client.String(string(client.PaymentIntentCaptureMethodManual))
				options.RequestIncrementalAuthorization = client.String("if_available")
			}), answers: []answer{paid("requires_capture", nil)}, want: func(t *testing.T, o *sdk.Outcome) {
				require.Equal(t, []any{sdk.StatusAuthorized, usd(1000)}, []any{o.Status, o.Amount})
			}},
		{name: "3-D Secure of Stripe", op: sdk.OpAuthorize, request: request(func(r *sdk.Request) { r.Request3DS = true }),
			client: paying(func(_ *client.PaymentIntentCreateParams, options *client.PaymentIntentCreatePaymentMethodOptionsCardParams) {
				options.RequestThreeDSecure = client.String(string(client.PaymentIntentPaymentMethodOptionsCardRequestThreeDSecureAny))
			}), answers: []answer{paid("requires_action", func(p *client.PaymentIntent) {
				p.LatestCharge, p.NextAction = nil, &client.PaymentIntentNextAction{Type: client.PaymentIntentNextActionTypeRedirectToURL,
					RedirectToURL: &client.PaymentIntentNextActionRedirectToURL{URL: "https://hooks.stripe.com/3ds/1", ReturnURL: "https://switch.example/back"}}
			})}, want: func(t *testing.T, o *sdk.Outcome) {
				require.Equal(t, sdk.StatusCustomerAction, o.Status)
				require.Equal(t, &sdk.NextAction{Type: "redirect", URL: "https://hooks.stripe.com/3ds/1"}, o.NextAction)
			}},
		{name: "3-D Secure done outside", op: sdk.OpAuthorize, request: request(func(r *sdk.Request) {
			r.ThreeDS = &sdk.ThreeDSResult{CAVV: "AAABBEg0VhI0VniQEjRWAAAAAAA=", ECI: "05", TransStatus: "Y", Version: "2.2.0", DSTransID: "c4e59ceb-a382-4d6a-bc87-385d591fa09d"}
		}), client: paying(func(_ *client.PaymentIntentCreateParams, options *client.PaymentIntentCreatePaymentMethodOptionsCardParams) {
			options.ThreeDSecure = &client.PaymentIntentCreatePaymentMethodOptionsCardThreeDSecureParams{Cryptogram: client.String("AAABBEg0VhI0VniQEjRWAAAAAAA="),
				ElectronicCommerceIndicator: client.String("05"), AresTransStatus: client.String("Y"), Version: client.String("2.2.0"),
				TransactionID: client.String("c4e59ceb-a382-4d6a-bc87-385d591fa09d")}
		}), answers: []answer{paid("succeeded", nil)}, want: status(sdk.StatusCaptured)},
		{name: "card stored with its payment", op: sdk.OpAuthorize, request: request(func(r *sdk.Request) {
			r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
		}), client: func(ctx context.Context, c *client.Client) error {
			customer, err := c.V1Customers.Create(ctx, &client.CustomerCreateParams{Email: client.String("jane@example.com"), Name: client.String("Jane Roe")})
			if err != nil {
				return err
			}
			return paying(func(p *client.PaymentIntentCreateParams, _ *client.PaymentIntentCreatePaymentMethodOptionsCardParams) {
				p.Customer, p.SetupFutureUsage = &customer.ID, client.String(string(client.PaymentIntentSetupFutureUsageOffSession))
			})(ctx, c)
		}, answers: []answer{ok(&client.Customer{ID: "cus_1", Object: "customer"}), paid("succeeded", func(p *client.PaymentIntent) {
			p.Customer, p.SetupFutureUsage = &client.Customer{ID: "cus_1", Object: "customer"}, client.PaymentIntentSetupFutureUsageOffSession
		})}, want: func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, &sdk.StoredCredential{ID: "pm_1", CustomerID: "cus_1"}, o.StoredCredential, "the objects stand whole in the place of their ids")
		}},
		{name: "stored card charged by the merchant", op: sdk.OpAuthorize, request: request(func(r *sdk.Request) {
			r.Instrument, r.ConnectorData = &sdk.Instrument{StoredCredentialID: "pm_1"}, &sdk.ConnectorData{Version: 1, Customer: "cus_1"}
			r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Category: "recurring"}
		}), client: func(ctx context.Context, c *client.Client) error {
			p := bare()
			p.Customer, p.PaymentMethod, p.OffSession = client.String("cus_1"), client.String("pm_1"), client.Bool(true)
			p.PaymentMethodTypes = []*string{client.String("card")}
			_, err := c.V1PaymentIntents.Create(ctx, p)
			return err
		}, answers: []answer{paid("succeeded", nil)}, want: status(sdk.StatusCaptured)},
		{name: "charged on another processor's agreement", op: sdk.OpAuthorize, request: request(func(r *sdk.Request) {
			r.Instrument.Card.CVC, r.Instrument.NetworkTransactionID = "", "016153570198200"
			r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit"}
		}), client: func(ctx context.Context, c *client.Client) error {
			p := bare()
			p.OffSession, p.PaymentMethodData = client.Bool(true), &client.PaymentIntentCreatePaymentMethodDataParams{Type: client.String("card")}
			withCard(&p.Params, nil)
			p.AddExtra("payment_method_options[card][mit_exemption][network_transaction_id]", "016153570198200")
			_, err := c.V1PaymentIntents.Create(ctx, p)
			return err
		}, answers: []answer{paid("succeeded", nil)}, want: status(sdk.StatusCaptured)},
		{name: "verification", op: sdk.OpVerify, request: request(func(r *sdk.Request) {
			r.Amount.Minor, r.ConnectorData = 0, &sdk.ConnectorData{Version: 1, Customer: "cus_1"}
			r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "on_session"}
		}), client: func(ctx context.Context, c *client.Client) error {
			p := &client.SetupIntentCreateParams{Confirm: client.Bool(true), Customer: client.String("cus_1"), ReturnURL: client.String("https://switch.example/back"), Usage: client.String("on_session"),
				Metadata: map[string]string{"order_id": "pay_1_1"}, PaymentMethodTypes: []*string{client.String("card")},
				PaymentMethodData: &client.SetupIntentCreatePaymentMethodDataParams{Type: client.String("card")},
				PaymentMethodOptions: &client.SetupIntentCreatePaymentMethodOptionsParams{Card: &client.SetupIntentCreatePaymentMethodOptionsCardParams{
					RequestThreeDSecure: client.String("automatic")}}}
			p.AddExpand("latest_attempt")
			withCard(&p.Params, client.String("123"))
			_, err := c.V1SetupIntents.Create(ctx, p)
			return err
		}, answers: []answer{ok(&client.SetupIntent{ID: "seti_1", Object: "setup_intent", Status: client.SetupIntentStatusSucceeded, Customer: &client.Customer{ID: "cus_1"},
			PaymentMethod: &client.PaymentMethod{ID: "pm_1"}})}, want: func(t *testing.T, o *sdk.Outcome) {
			require.Equal(t, []any{sdk.StatusVerified, "seti_1", &sdk.StoredCredential{ID: "pm_1", CustomerID: "cus_1"}}, []any{o.Status, o.TransactionID, o.StoredCredential})
		}},
	}
	return append(append(append(all, laterIntents()...), refundIntents()...), disputeIntents()...)
}

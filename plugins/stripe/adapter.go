// Package stripe is the adapter for Stripe: card payments as PaymentIntents, zero-amount verification as SetupIntents.
//
//	authorize, verify → complete   one confirmed intent; a redirect where the issuer wants to authenticate the customer
//	capture, void, incremental_authorize, refund, and the queries
//	accept_dispute, submit_evidence, attach_evidence, dispute_sync
//	webhook                        signed with Stripe-Signature
//
// The names of objects are those of Stripe's API reference. Every POST carries an idempotency key.
package stripe

import "payswitch/sdk"

// apiVersion fixes the form of requests and answers: Stripe keeps every version that it has published.
const apiVersion = "2022-11-15"

func Adapter() *sdk.Adapter {
	card := sdk.CardFields{Number: "payment_method_data[card][number]", CVC: "payment_method_data[card][cvc]",
		CAVV: "payment_method_options[card][three_d_secure][cryptogram]"}
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "stripe", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Stripe", Website: "https://stripe.com",
			Description: "Card payments through Stripe's PaymentIntents and SetupIntents.",
			Features: sdk.Features{PartialCapture: true, MultipleCapture: true, OverCapture: true, ExtendedHold: true,
				ReleasesRest: true, PartialRefund: true, ZeroAmount: true, Processor3DS: true, External3DS: true,
				StoredCredential: true, NetworkMIT: true, PreAuthVoid: true},
			// the key decides; the second host takes files of evidence
			Environments: sdk.TestAndLive("https://api.stripe.com", "https://api.stripe.com", "files.stripe.com"),
			Credentials: []sdk.Field{
				{Name: "api_key", Label: "Secret key",
					Help: "sk_test_… or sk_live_…, or a restricted key that may write PaymentIntents, SetupIntents, refunds and " +
						"customers, and disputes and files to answer disputes.", Type: "secret"},
				{Name: "webhook_secret", Label: "Webhook signing secret",
					Help: "whsec_… of the endpoint. Without it a message only causes a query.", Type: "secret", Optional: true},
			},
			Config: []sdk.Field{{Name: "incremental_authorization", Label: "Incremental authorizations", Type: "enum",
				Values: []string{"never", "if_available"}, Default: "never", Optional: true,
				Help: "Asks for authorizations that can be raised later, if Stripe has enabled them for the account."}},
			Authentication: []sdk.Placement{{Secret: "api_key", In: "header", Field: "Authorization"}},
			Placements: append(sdk.CardPlacements(intents, card, sdk.OpAuthorize),
				sdk.CardPlacements(setups, card, sdk.OpVerify)...),
			Webhook: &sdk.WebhookRule{Scheme: "stripe-signature", ToleranceSeconds: 300},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByIdempotentResend,
				sdk.ResolveByReference}, IdempotencyWindowSeconds: 24 * 3600, // Stripe's minimum
				NotFoundFinalAfterSeconds: 2 * 3600}, // Stripe's search may lag this long in an incident
		},
		Authorize: authorize, Verify: verify, Complete: sync, Sync: sync,
		Capture: capture, Void: void, IncrementalAuthorize: incrementalAuthorize,
		Refund: refund, RefundSync: refundSync,
		AcceptDispute: acceptDispute, AttachEvidence: attachEvidence, SubmitEvidence: submitEvidence,
		DisputeSync: disputeSync, Webhook: webhook,
	}
}

// Paths of the API.
const (
	intents = "/v1/payment_intents"
	setups  = "/v1/setup_intents"
	refunds = "/v1/refunds"
)

// send sends a form. Its idempotency key makes it safe to repeat.
func send(c *sdk.Call, path string, form *sdk.Form) *sdk.Response {
	return sdk.Must(c.Do(sdk.FormSend(path, form, headers(c)...).Keyed("Idempotency-Key")))
}

func headers(c *sdk.Call) []sdk.Header {
	return []sdk.Header{c.Bearer("api_key"), sdk.H("Stripe-Version", apiVersion)}
}

// post sends a form and returns Stripe's object. An error ends the operation.
func post(c *sdk.Call, path string, form *sdk.Form) sdk.JSON { return object(c, send(c, path, form)) }

func get(c *sdk.Call, path string) sdk.JSON { return object(c, sdk.Must(c.Get(path, headers(c)...))) }

func object(c *sdk.Call, answer *sdk.Response) sdk.JSON {
	c.End(refused(c, answer))
	return answer.JSON()
}

// refused reads an error of Stripe; nil for any other answer. The error is a refusal only if it proves that Stripe did
// nothing and will do nothing, and if the request was not a query.
func refused(c *sdk.Call, answer *sdk.Response) *sdk.Outcome {
	j, query := answer.JSON(), c.Asks() || c.Operation() == sdk.OpComplete
	e := j.Get("error")
	kind, about := e.Str("type"), e.First("payment_intent.id", "setup_intent.id")
	c.About(about)
	if object := j.Str("object"); object == paymentIntent.object || object == setupIntent.object {
		c.About(j.Str("id"))
	}
	switch {
	case answer.OK():
		return nil
	case query && answer.Status == 404 && e.Str("code") == "resource_missing": // an id of Stripe's own
		return c.OtherAccount()
	case query, !answer.Refuses(), answer.Status == 429, // after 409 and 429 the first request may still succeed
		// api_error; idempotency_error: the key belongs to another request
		kind != "card_error" && kind != "invalid_request_error":
		sdk.Check(answer.Undecided("no decision", "error.type", "error.code"))
	}
	o := sdk.Declined(decline(e, ""))
	o.TransactionID, o.Raw = about, e.Pick("type", "decline_code", "param", "charge")
	if reason := answer.Reason(""); reason != "" {
		o.Decline = sdk.NewDecline(o.Decline.Code, o.Decline.Message, reason)
	}
	return o
}

// decimals where Stripe differs from ISO 4217: it takes Ugandan shillings in hundredths.
var decimals = sdk.Decimals{"UGX": 2}

// amount returns an amount as Stripe takes it: in the smallest unit, with thousandths that end in 0.
func amount(m sdk.Money) int64 {
	switch e := decimals.Of(m.Currency); {
	case e > 3:
		sdk.Check(sdk.Invalid("currency", "Stripe does not support this currency"))
	case e == 3 && m.Minor%10 != 0:
		sdk.Check(sdk.Invalid("amount", "Stripe supports two decimals of this currency: the amount must end in 0"))
	}
	return sdk.Must(decimals.Scaled(m))
}

// money returns an amount of an object. One that is missing, or not in the request's currency, proves nothing.
func money(c *sdk.Call, j sdk.JSON, path string) *sdk.Money {
	currency := c.Request.Amount.Currency
	if currency == "" { // a message does not answer one request
		currency = sdk.CurrencyOf(j.Need("currency"))
	}
	return decimals.Need(j, path, "currency", currency)
}

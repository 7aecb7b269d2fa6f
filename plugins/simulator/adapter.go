// Package simulator is the simulator processor: an adapter like any other, which behaves like a processor's good sandbox but asks
// nobody. What it does is decided by the test card and by the amount; the tables are in README.md, which is generated from this
// package.
//
// It keeps no state. All it must know of a payment comes in the request: sdk.PaymentState, and the few letters of its own that it
// asked to be told again (memory). The ids it gives out are made from our references, so that a sync after a lost answer gives the
// very ids that the answer held. What is asked twice is answered alike.
package simulator

import "payswitch/sdk"

// The clock of what does not end at once, counted from PaymentState.CreatedAt.
const (
	settleSeconds        = 5 // a pending or reviewed payment has ended
	lateSeconds          = 3 // a payment that the rule "late" hides is found from here on
	notFoundFinalSeconds = 5 // told in the manifest; must be more than lateSeconds
)

// Adapter returns the simulator. Every call returns a new one; they are alike.
func Adapter() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "simulator", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Simulator",
			Description: "Behaves like a processor's sandbox: test cards and amounts decide what happens.",
			Features: sdk.Features{PartialCapture: true, MultipleCapture: true, ReleasesRest: true, PartialRefund: true, ZeroAmount: true,
				Processor3DS: true, External3DS: true, StoredCredential: true, NetworkMIT: true,
				Exemptions: []sdk.Exemption{sdk.ExemptionLowValue, sdk.ExemptionRiskAnalysis, sdk.ExemptionTrustedBeneficiary, sdk.ExemptionSecureCorporate}},
			Environments: map[string]sdk.Environment{"test": {}, "live": {}},
			Credentials: []sdk.Field{
				secret("api_key", "API key", "Any value."), secret("key1", "Key 1", "Any value."),
				secret("api_secret", "API secret", "Any value."), secret("key2", "Key 2", "Any value."),
				secret(webhookSecret, "Webhook secret", "Messages to the webhook must be signed with it."),
			},
			Methods: []sdk.Method{{Method: "card", Type: "credit"}, {Method: "card", Type: "debit"}},
			Webhook: &sdk.WebhookRule{Scheme: "hmac-sha256"},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference},
				IdempotencyWindowSeconds: 86400, NotFoundFinalAfterSeconds: notFoundFinalSeconds},
		},
		Authorize: authorize, Verify: verify, Complete: complete, Sync: sync,
		Capture: capture, Void: void, IncrementalAuthorize: incrementalAuthorize,
		Refund: refund, RefundSync: refundSync,
		Webhook: webhook,
	}
}

func secret(name, label, help string) sdk.Field {
	return sdk.Field{Name: name, Label: label, Help: help, Type: "secret", Optional: true}
}

// webhookSecret is the credential field that holds the key of webhook signatures.
const webhookSecret = "webhook_secret"

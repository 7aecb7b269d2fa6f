// Package simulator is the simulated processor: an adapter that behaves like a processor's good sandbox and sends
// nothing. The test card and the amount decide what it does; README.md, which is generated from this package, has the
// tables.
//
// The simulator keeps no state. The request holds all it must know of a payment: sdk.PaymentState, and a few letters
// that the simulator asked the host to store (memory). Its ids derive from the references of the request, so a sync
// after a lost answer returns the ids of that answer. Equal requests get equal answers.
package simulator

import "payswitch/sdk"

// Times at which delayed results are ready, counted from PaymentState.CreatedAt.
const (
	settleSeconds        = 5 // the end of a pending or reviewed payment
	lateSeconds          = 3 // the time from which a sync finds a payment of the rule "late"
	notFoundFinalSeconds = 5 // in the manifest; must be more than lateSeconds
)

// Adapter returns a new simulator.
func Adapter() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "simulator", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Simulator",
			Description: "Behaves like a processor's sandbox: test cards and amounts decide what happens.",
			Features: sdk.Features{PartialCapture: true, MultipleCapture: true, OverCapture: true, PartialApproval: true,
				ExtendedHold: true, ReleasesRest: true, PartialRefund: true, ZeroAmount: true,
				Processor3DS: true, External3DS: true, StoredCredential: true, NetworkMIT: true, CardOnlyMIT: true,
				VoidCaptured: true,
				Installments: []sdk.Currency{"BRL", "JPY", "MXN"},
				Exemptions: []sdk.Exemption{sdk.ExemptionLowValue, sdk.ExemptionRiskAnalysis, sdk.ExemptionTrustedBeneficiary,
					sdk.ExemptionSecureCorporate}},
			Environments: map[string]sdk.Environment{"test": {}, "live": {}},
			Credentials: []sdk.Field{
				secret("api_key", "API key", "Any value."), secret("key1", "Key 1", "Any value."),
				secret("api_secret", "API secret", "Any value."), secret("key2", "Key 2", "Any value."),
				secret(webhookSecret, "Webhook secret", "The key that signs webhooks."),
			},
			Methods: []sdk.Method{{Method: "card", Type: "credit"}, {Method: "card", Type: "debit"}},
			Webhook: &sdk.WebhookRule{Scheme: "hmac-sha256"},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference},
				IdempotencyWindowSeconds: 86400, NotFoundFinalAfterSeconds: notFoundFinalSeconds},
		},
		Authorize: authorize, Verify: verify, Complete: complete, Sync: sync,
		Capture: capture, Void: void, IncrementalAuthorize: incrementalAuthorize, ExtendAuthorization: extendAuthorization,
		Refund: refund, UnreferencedRefund: unreferencedRefund, RefundSync: refundSync,
		AcceptDispute: acceptDispute, AttachEvidence: attachEvidence, SubmitEvidence: submitEvidence,
		DisputeSync: disputeSync, Webhook: webhook,
	}
}

func secret(name, label, help string) sdk.Field {
	return sdk.Field{Name: name, Label: label, Help: help, Type: "secret", Optional: true}
}

// webhookSecret is the credential field with the key of webhook signatures.
const webhookSecret = "webhook_secret"

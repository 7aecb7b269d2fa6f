package flow

import (
	"context"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/threeds"
	"payswitch/engine/threeds/threeri"
	"payswitch/sdk"
)

// threeRI is the plan of an authentication without the payer (EMV 3-D Secure, 3RI). The engine uses it for a merchant-initiated charge of a
// saved method whose first use was authenticated.
type threeRI struct {
	plan    threeri.Plan
	account *account.Account
	adapter port.AdapterInfo
	prior   sdk.PriorAuthentication
	number  secret.Value // of the saved card
	terms   *sdk.RecurringTerms
}

// ThreeRIFor plans a 3RI authentication. It returns nil if the charge goes on without one, and an error if the profile requires one that is
// not possible.
func (s *Authentications) ThreeRIFor(ctx context.Context, w *change.Confirming, in *request.Input, c *card.Card) (*threeRI, error) {
	cfg := w.Profile.Settings.ThreeDSPolicy()
	if w.Instrument == nil || !w.Instrument.MerchantInitiated || in.ThreeDS != nil || cfg.ThreeRIForMIT != threeds.RuleOn && cfg.ThreeRIForMIT != threeds.RuleMandatory {
		return nil, nil
	}
	account, adapter, err := s.stepUpAuthenticator(ctx, w.Loaded)
	if err != nil {
		return nil, err
	}
	r := threeri.Request{Kind: mitKind(w.Loaded), ZeroAmount: w.Payment.NetAmount == 0,
		ProcessorTakes: w.Adapter.Manifest.Features.External3DS}
	if account != nil {
		rule := adapter.Manifest.Authenticator
		r.Supported = rule != nil && slices.Contains(rule.Channels, sdk.Channel3RI)
	}
	t := &threeRI{account: account, adapter: adapter}
	if m := w.Instrument.Method; m != nil && m.Details.Initial != nil {
		i := m.Details.Initial
		r.PriorReference = i.ACSTransID
		t.prior = sdk.PriorAuthentication{Reference: i.ACSTransID, Method: i.Method, Time: i.At.UnixMilli()}
	}
	t.plan = threeri.NewPlan(cfg, r)
	switch {
	case t.plan.ErrorCode != "":
		return nil, fault.Refused("The profile requires 3-D Secure for charges without the customer, and this charge cannot have it: " + t.plan.Reason).WithParam("authentication_type").WithHint("Charge the payment with the customer present.")
	case !t.plan.Run:
		return nil, nil
	}
	with := *c
	if err := s.Methods.TakeNumber(ctx, w.Instrument.Method, &with); err != nil {
		return nil, err
	}
	t.number = with.Secrets.Number
	if t.plan.Indicator == threeri.MITRecurring.Indicator() {
		t.terms = seriesTerms(w)
	}
	return t, nil
}

// mitKind returns the purpose of a merchant-initiated charge. For instalments the issuer requires their number, which the API does not carry.
// So the engine requests an instalment as a payment of another kind.
func mitKind(w *change.Loaded) threeri.MIT {
	if k := threeri.MIT(w.Payment.Details.MITCategory); k != threeri.MITInstallment {
		return k
	}
	return ""
}

// seriesTerms returns the terms of a recurring series that EMV requires (recurringExpiry, recurringFrequency). The series ends with its
// mandate, else with the card, else never. Two charges are at least one day apart.
func seriesTerms(w *change.Confirming) *sdk.RecurringTerms {
	t := &sdk.RecurringTerms{Expiry: "99991231", FrequencyDays: 1}
	if m := w.Instrument.Mandate; m != nil && m.Details.Terms.End != nil {
		t.Expiry = m.Details.Terms.End.UTC().Format("20060102")
	} else if m := w.Instrument.Method; m != nil && m.Details.Card != nil {
		if month, year := m.Details.Card.Expiry(); year != 0 {
			t.Expiry = time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Format("20060102")
		}
	}
	return t
}

// begin turns a into a 3RI authentication: without look-up and browser, the engine sends the AReq at once.
func (t *threeRI) begin(a *authentication.Record, cfg threeds.Config, now time.Time) {
	d := &a.Details
	a.State = authentication.Asking
	d.Channel, d.Category, d.AuthenticationInd, d.ThreeRIInd, d.Prior = sdk.Channel3RI, t.plan.Category, "", t.plan.Indicator, &t.prior
	d.Recurring = t.terms
	d.Tries, d.AskedAt = 1, now
	if d.MessageVersion = threeds.ChooseVersion(cfg, threeds.ThreeRI, []string{"2.2.0"}, versionsOf(t.adapter), ""); d.MessageVersion == "" {
		d.MessageVersion = threeds.ChooseVersion(cfg, threeds.ThreeRI, versionsOf(t.adapter), nil, "")
	}
}

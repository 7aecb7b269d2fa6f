package engine

import (
	"context"
	"slices"
	"time"

	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// threeRI is an authentication on the merchant's behalf, without the payer (EMV 3-D Secure, 3RI): of a merchant-initiated charge of a saved
// method whose first use was authenticated.
type threeRI struct {
	plan    threeds.ThreeRIPlan
	account *Account
	adapter AdapterInfo
	prior   sdk.PriorAuthentication
	number  Secret // of the saved card
	terms   *sdk.RecurringTerms
}

// threeRIFor plans it; nil when the charge goes on without. An error where the profile insists and there can be none.
func (s *Authentications) threeRIFor(ctx context.Context, w *confirming, in *PaymentInput, c *card) (*threeRI, error) {
	cfg := w.profile.Settings.ThreeDSPolicy()
	if w.instrument == nil || !w.instrument.MerchantInitiated || in.ThreeDS != nil || cfg.ThreeRIForMIT != threeds.RuleOn && cfg.ThreeRIForMIT != threeds.RuleMandatory {
		return nil, nil
	}
	account, adapter, err := s.stepUpAuthenticator(ctx, w.loaded)
	if err != nil {
		return nil, err
	}
	r := threeds.ThreeRIRequest{Kind: mitKind(w.loaded), ZeroAmount: w.p.NetAmount == 0,
		ProcessorTakes: w.adapter.Manifest.Features.External3DS}
	if account != nil {
		rule := adapter.Manifest.Authenticator
		r.Supported = rule != nil && slices.Contains(rule.Channels, sdk.Channel3RI)
	}
	t := &threeRI{account: account, adapter: adapter}
	if m := w.instrument.Method; m != nil && m.Details.Initial != nil {
		i := m.Details.Initial
		r.PriorReference = i.ACSTransID
		t.prior = sdk.PriorAuthentication{Reference: i.ACSTransID, Method: i.Method, Time: i.At.UnixMilli()}
	}
	t.plan = threeds.PlanThreeRI(cfg, r)
	switch {
	case t.plan.ErrorCode != "":
		return nil, Refused("This profile charges without the customer only with 3-D Secure, and this charge cannot have it: " + t.plan.Reason)
	case !t.plan.Run:
		return nil, nil
	}
	with := *c
	if err := s.Methods.takeNumber(ctx, w.instrument.Method, &with); err != nil {
		return nil, err
	}
	t.number = with.secrets.Number
	if t.plan.Indicator == threeds.MITRecurring.Indicator() {
		t.terms = seriesTerms(w)
	}
	return t, nil
}

// mitKind is what a merchant-initiated charge is for. Of an instalment the issuer wants to know how many there are, which nobody tells us:
// it is asked for as a payment of another kind.
func mitKind(w *loaded) threeds.MIT {
	if k := threeds.MIT(textField(w.p.Details.Echo["mit_category"])); k != threeds.MITInstallment {
		return k
	}
	return ""
}

// seriesTerms are the terms of a recurring series, which EMV wants to be told (recurringExpiry, recurringFrequency): until its mandate ends, or
// else the card, or else until nobody knows when; and at least a day between two.
func seriesTerms(w *confirming) *sdk.RecurringTerms {
	t := &sdk.RecurringTerms{Expiry: "99991231", FrequencyDays: 1}
	if m := w.instrument.Mandate; m != nil && m.Details.Terms.End != nil {
		t.Expiry = m.Details.Terms.End.UTC().Format("20060102")
	} else if m := w.instrument.Method; m != nil && m.Details.Card != nil {
		if month, year := m.Details.Card.expiry(); year != 0 {
			t.Expiry = time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Format("20060102")
		}
	}
	return t
}

// begin makes an authentication one on the merchant's behalf: there is no look-up and no browser, the AReq is asked at once.
func (t *threeRI) begin(a *Authentication, cfg threeds.Config, now time.Time) {
	d := &a.Details
	a.State = AuthenticationAsking
	d.Channel, d.Category, d.AuthenticationInd, d.ThreeRIInd, d.Prior = sdk.Channel3RI, t.plan.Category, "", t.plan.Indicator, &t.prior
	d.Recurring = t.terms
	d.Tries, d.AskedAt = 1, now
	if d.MessageVersion = threeds.ChooseVersion(cfg, threeds.ThreeRI, []string{"2.2.0"}, versionsOf(t.adapter), ""); d.MessageVersion == "" {
		d.MessageVersion = threeds.ChooseVersion(cfg, threeds.ThreeRI, versionsOf(t.adapter), nil, "")
	}
}

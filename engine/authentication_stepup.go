package engine

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// stepUpAfter handles an issuer's soft decline. It adds an authentication and a new attempt with the same card to the change that books the
// decline. goesOn is true if the payment continues that way.
func (s *Authentications) stepUpAfter(ctx context.Context, w *loaded, b *booking, ch *Change, now time.Time) (goesOn bool, err error) {
	bad := b.a.Details.Error
	if b.a.Status != AttemptFailure || bad == nil || bad.Reason != sdk.DeclineAuthenticationNeeded || w.op.Kind != sdk.OpAuthorize || len(w.op.Instrument) == 0 {
		return false, nil
	}
	account, adapter, err := s.stepUpAuthenticator(ctx, w)
	if err != nil {
		return false, err
	}
	before, err := s.authenticationsOf(ctx, w.p)
	if err != nil {
		return false, err
	}
	cfg := w.profile.Settings.ThreeDSPolicy()
	soft := threeds.SoftDecline{CanAuthenticate: account != nil, OnSession: s.onSession(w, b.a, cfg, now)}
	for _, a := range before {
		if a.Details.StepUp {
			soft.StepUps++
		}
		soft.Challenged = soft.Challenged || a.State == AuthenticationConsumed && a.Details.flow() == "challenge"
	}
	if d := threeds.StepUp(cfg, soft); !d.Run {
		s.Log.LogAttrs(ctx, slog.LevelInfo, "no step-up after a soft decline", slog.String("payment_id", w.p.ID), slog.String("reason", d.Reason))
		if cfg.StepUp == threeds.RuleOn && !soft.OnSession {
			b.a.Details.Error = askingFor(bad, d.ErrorCode)
		}
		return false, nil
	}
	return s.newStepUp(ctx, w, b, ch, account, adapter, now)
}

// askingFor rewrites a soft decline as the error_code that asks the merchant to bring the payer back for authentication. The message repeats
// the processor's own words. The processor's code becomes the network code if the network's own is unknown.
func askingFor(x *AttemptError, code string) *AttemptError {
	out := *x
	out.NetworkCode = cmp.Or(x.NetworkCode, x.Code)
	out.Code, out.Message = code, messageOf(code)
	if x.Code != code {
		out.Message += " The processor answered " + strings.TrimSuffix(x.Code+": "+x.Message, ": ") + "."
	}
	return &out
}

// onSession reports whether the payer is present: the attempt came from a browser, not long ago.
func (s *Authentications) onSession(w *loaded, a *Attempt, cfg threeds.Config, now time.Time) bool {
	limit := cfg.CustomerActionTTL()
	if limit == 0 {
		limit = s.actionTime(w)
	}
	return w.p.Private.Browser != nil && !a.Details.MerchantInitiated && !isTrue(w.p.Details.OffSession) && now.Sub(a.CreatedAt) < limit
}

// stepUpAuthenticator returns the profile's authenticator if the processor accepts its result, else nil.
func (s *Authentications) stepUpAuthenticator(ctx context.Context, w *loaded) (*Account, AdapterInfo, error) {
	all, err := s.Registry.dir.accounts(ctx, w.p.MerchantID)
	if err != nil {
		return nil, AdapterInfo{}, err
	}
	account, err := authenticatorAccount(w.profile, all, w.adapter, w.account)
	if err != nil {
		return nil, AdapterInfo{}, nil
	}
	adapter, ok := s.Connectors.Adapter(account.Connector)
	if !ok || adapter.Manifest.Kind != sdk.KindAuthenticator {
		return nil, AdapterInfo{}, nil
	}
	return account, adapter, nil
}

func (s *Authentications) authenticationsOf(ctx context.Context, p *Payment) (list []*Authentication, err error) {
	err = s.Store.View(ctx, func(r ChangeReader) (err error) { list, err = r.Authentications(p.MerchantID, p.ID); return err })
	if err != nil {
		return nil, Internal(err, "list authentications")
	}
	return list, nil
}

// newStepUp makes the new attempt and its authentication from the declined authorization's request and card.
func (s *Authentications) newStepUp(ctx context.Context, w *loaded, b *booking, ch *Change, account *Account, adapter AdapterInfo, now time.Time) (goesOn bool, err error) {
	var first sdk.Request
	if err := s.Vault.openJSON(w.op.Request, requestAD(w.op.ID), &first); err != nil {
		return false, err
	}
	secrets, err := s.Vault.openSecrets(ctx, w.op.Instrument, w.op.MerchantID, w.op.ShortTermID())
	if err != nil || secrets.Number.IsZero() || first.Instrument == nil || first.Instrument.Card == nil {
		return false, nil // the card is gone, or the processor's own reference stands for it
	}
	secrets.CAVV = Secret{}
	old, p := b.a, b.p
	card := &card{facts: *cardOr(old.Details.Card), secrets: secrets}
	bound, merchant, err := s.bind(&loaded{run: run{p: p, a: old, account: w.account, adapter: w.adapter}, merchant: w.merchant, profile: w.profile}, card)
	if err != nil {
		return false, nil // the card's network is unknown, or the payment names an acquirer that it cannot use
	}
	p.AttemptCount++
	a := newAttempt(p, p.AttemptCount, now)
	a.Connector, a.AccountID, a.Amount = old.Connector, old.AccountID, old.Amount
	d := &old.Details
	a.Details = AttemptDetails{PaymentMethod: d.PaymentMethod, PaymentMethodType: d.PaymentMethodType, Card: d.Card, Confirmed: true, Environment: d.Environment,
		CardDiscovery: d.CardDiscovery, Save: d.Save, MethodID: d.MethodID, Token: d.Token, Mandate: d.Mandate,
		Reference: reference(w.adapter.Manifest.Reference, a.ID, a.CreatedAt.UnixMilli())}
	private := *old.Private
	a.Private, p.AttemptID = &private, a.ID
	if err := move(p, a, TriggerSubmit, now); err != nil {
		return false, Internal(err, "step up payment")
	}
	sw := &loaded{run: run{p: p, a: a, account: w.account, adapter: w.adapter}, merchant: w.merchant, profile: w.profile}
	auth := s.newAuthentication(sw, account, adapter, card, now)
	auth.Details.StepUp, auth.Details.Bound, auth.Details.Merchant = true, bound, merchant
	first.AttemptID, first.Reference, first.ThreeDS, first.Request3DS, first.Exemption = a.ID, a.Details.Reference, nil, false, ""
	if auth.Request, err = s.Vault.sealJSON(&first, requestAD(auth.ID)); err != nil {
		return false, err
	}
	if auth.Instrument, auth.Key, err = s.Vault.sealSecrets(secrets, p.MerchantID, auth.ShortTermID(), now.Add(3*s.actionTime(sw))); err != nil {
		return false, err
	}
	c := &authCase{auth: auth, w: sw, now: now}
	q, err := s.newCall(c, account, adapter, sdk.OpPrepare, s.callRequest(c, account, &first))
	if err != nil {
		return false, err
	}
	q.secrets = InstrumentSecrets{Number: secrets.Number}
	a.Details.Authentication = summaryOf(auth)
	ch.NextAttempt, ch.Authentication = a, auth
	ch.Intents = append(ch.Intents, q.op)
	ch.Effects = append(ch.Effects, func(ctx context.Context) error {
		c, err := s.prepare(ctx, auth.ID, q)
		if err != nil {
			s.Changes.postponed(ctx, "step-up", p.ID, err)
			return nil
		}
		w.p, w.a = c.w.p, c.w.a
		return nil
	})
	return true, nil
}

func cardOr(f *CardFacts) *CardFacts {
	if f == nil {
		return &CardFacts{}
	}
	return f
}

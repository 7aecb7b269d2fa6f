package flow

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/threeds"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// StepUpAfter handles an issuer's soft decline. It adds an authentication and a new attempt with the same card to the change that books the
// decline. goesOn is true if the payment continues that way.
func (s *Authentications) StepUpAfter(ctx context.Context, w *change.Loaded, b *evidence.Booking, ch *change.Change, now time.Time) (goesOn bool, err error) {
	bad := b.Attempt.Details.Error
	if b.Attempt.Status != payment.AttemptFailure || bad == nil || bad.Reason != sdk.DeclineAuthenticationNeeded || w.Operation.Kind != sdk.OpAuthorize || len(w.Operation.Instrument) == 0 {
		return false, nil
	}
	account, adapter, err := s.stepUpAuthenticator(ctx, w)
	if err != nil {
		return false, err
	}
	before, err := s.authenticationsOf(ctx, w.Payment)
	if err != nil {
		return false, err
	}
	cfg := w.Profile.Settings.ThreeDSPolicy()
	soft := threeds.SoftDecline{CanAuthenticate: account != nil, OnSession: s.onSession(w, b.Attempt, cfg, now)}
	for _, a := range before {
		if a.Details.StepUp {
			soft.StepUps++
		}
		soft.Challenged = soft.Challenged || a.State == authentication.Consumed && a.Details.Flow() == authentication.FlowChallenge
	}
	if d := threeds.StepUp(cfg, soft); !d.Run {
		s.Log.LogAttrs(ctx, slog.LevelInfo, "no step-up after a soft decline", slog.String("payment_id", w.Payment.ID), slog.String("reason", d.Reason))
		if cfg.StepUp == threeds.RuleOn && !soft.OnSession {
			b.Attempt.Details.Error = declineForAbsentPayer(bad, d.ErrorCode)
		}
		return false, nil
	}
	return s.newStepUp(ctx, w, b, ch, account, adapter, now)
}

// declineForAbsentPayer rewrites a soft decline as the error_code that asks the merchant to bring the payer back for authentication. The message repeats
// the processor's own words. The processor's code becomes the network code if the network's own is unknown.
func declineForAbsentPayer(x *payment.AttemptError, code string) *payment.AttemptError {
	out := *x
	out.NetworkCode = cmp.Or(x.NetworkCode, x.Code)
	out.Code, out.Message = code, messageOf(code)
	if x.Code != code {
		out.Message += " The processor answered " + strings.TrimSuffix(x.Code+": "+x.Message, ": ") + "."
	}
	return &out
}

// onSession reports whether the payer is present: the attempt came from a browser, not long ago.
func (s *Authentications) onSession(w *change.Loaded, a *payment.Attempt, cfg threeds.Config, now time.Time) bool {
	limit := cfg.CustomerActionTTL()
	if limit == 0 {
		limit = s.actionTime(w)
	}
	return w.Payment.Private.Browser != nil && !a.Details.MerchantInitiated && !optional.IsTrue(w.Payment.Details.OffSession) && now.Sub(a.CreatedAt) < limit
}

// stepUpAuthenticator returns the profile's authenticator if the processor accepts its result, else nil.
func (s *Authentications) stepUpAuthenticator(ctx context.Context, w *change.Loaded) (*account.Account, port.AdapterInfo, error) {
	all, err := s.Registry.Dir.Accounts(ctx, w.Payment.MerchantID)
	if err != nil {
		return nil, port.AdapterInfo{}, err
	}
	account, err := authenticatorAccount(w.Profile, all, w.Adapter, w.Account)
	if err != nil {
		return nil, port.AdapterInfo{}, nil
	}
	adapter, ok := s.Connectors.Adapter(account.Connector)
	if !ok || adapter.Manifest.Kind != sdk.KindAuthenticator {
		return nil, port.AdapterInfo{}, nil
	}
	return account, adapter, nil
}

func (s *Authentications) authenticationsOf(ctx context.Context, p *payment.Payment) (list []*authentication.Record, err error) {
	err = s.Store.View(ctx, func(r change.Reader) (err error) { list, err = r.Authentications(p.MerchantID, p.ID); return err })
	if err != nil {
		return nil, fault.Internal(err, "list authentications")
	}
	return list, nil
}

// newStepUp makes the new attempt and its authentication from the declined authorization's request and card.
func (s *Authentications) newStepUp(ctx context.Context, w *change.Loaded, b *evidence.Booking, ch *change.Change, account *account.Account, adapter port.AdapterInfo, now time.Time) (goesOn bool, err error) {
	var first sdk.Request
	if err := s.Vault.OpenJSON(w.Operation.Request, vault.RequestAD(w.Operation.ID), &first); err != nil {
		return false, err
	}
	secrets, err := s.Vault.OpenSecrets(ctx, w.Operation.Instrument, w.Operation.MerchantID, w.Operation.ShortTermID())
	if err != nil || secrets.Number.IsZero() || first.Instrument == nil || first.Instrument.Card == nil {
		return false, nil // the card is gone, or the processor's own reference stands for it
	}
	secrets.CAVV = secret.Value{}
	old, p := b.Attempt, b.Payment
	theCard := &card.Card{Facts: *cardOr(old.Details.Card), Secrets: secrets}
	bound, merchant, err := s.bind(&change.Loaded{Run: drive.Run{Payment: p, Attempt: old, Account: w.Account, Adapter: w.Adapter}, Merchant: w.Merchant, Profile: w.Profile}, theCard)
	if err != nil {
		return false, nil // the card's network is unknown, or the payment names an acquirer that it cannot use
	}
	p.AttemptCount++
	a := payment.NewAttempt(p, p.AttemptCount, now)
	a.Connector, a.AccountID, a.AccountVersion, a.Amount = old.Connector, old.AccountID, old.AccountVersion, old.Amount
	d := &old.Details
	a.Details = payment.AttemptDetails{PaymentMethod: d.PaymentMethod, PaymentMethodType: d.PaymentMethodType, Card: d.Card, Confirmed: true, Environment: d.Environment,
		CardDiscovery: d.CardDiscovery, Save: d.Save, MethodID: d.MethodID, Token: d.Token, Mandate: d.Mandate, Scheme: d.Scheme.Next(),
		Reference: drive.ForAttempt.Reference(w.Adapter.Manifest.Reference, a.MerchantID, a.ID, a.CreatedAt.UnixMilli())}
	private := *old.Private
	a.Private, p.AttemptID = &private, a.ID
	if err := payment.Move(p, a, payment.TriggerSubmit, now); err != nil {
		return false, fault.Internal(err, "step up payment")
	}
	sw := &change.Loaded{Run: drive.Run{Payment: p, Attempt: a, Account: w.Account, Adapter: w.Adapter}, Merchant: w.Merchant, Profile: w.Profile}
	auth := s.newAuthentication(sw, account, adapter, theCard, now)
	auth.Details.StepUp, auth.Details.Bound, auth.Details.Merchant = true, bound, merchant
	first.AttemptID, first.Reference, first.ThreeDS, first.Request3DS, first.Exemption = a.ID, a.Details.Reference, nil, false, ""
	if auth.Request, err = s.Vault.SealJSON(&first, vault.RequestAD(auth.ID)); err != nil {
		return false, err
	}
	if auth.Instrument, auth.Key, err = s.Vault.SealSecrets(secrets, p.MerchantID, auth.ShortTermID(), now.Add(3*s.actionTime(sw))); err != nil {
		return false, err
	}
	c := &authCase{auth: auth, w: sw, now: now}
	q, err := s.newCall(c, account, adapter, sdk.OpPrepare, s.callRequest(c, account, &first))
	if err != nil {
		return false, err
	}
	q.Secrets = card.Secrets{Number: secrets.Number}
	a.Details.Authentication = authentication.Summarize(auth)
	ch.NextAttempt, ch.Authentication = a, auth
	ch.Intend(q.Operation, w.Account)
	ch.Effects = append(ch.Effects, func(ctx context.Context) error {
		c, err := s.lookUpVersions(ctx, auth.ID, q)
		if err != nil {
			s.Changes.LogPostponed(ctx, "step-up", p.ID, err)
			return nil
		}
		w.Payment, w.Attempt = c.w.Payment, c.w.Attempt
		return nil
	})
	return true, nil
}

func cardOr(f *card.Facts) *card.Facts {
	if f == nil {
		return &card.Facts{}
	}
	return f
}

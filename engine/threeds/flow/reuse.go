package flow

import (
	"context"
	"encoding/hex"
	"log/slog"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/method"
	"payswitch/engine/request"
	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// further returns the ids of the accounts that may take an authenticated payment after a decline. A stored credential belongs to its account, so that
// its charge goes nowhere else.
func further(w *change.Confirming) (ids []string) {
	if i := w.Instrument; i != nil && (i.Stored || i.Reference != nil) {
		return nil
	}
	for _, a := range w.Further {
		ids = append(ids, a.ID)
	}
	return ids
}

// RetryAuthenticated returns how a payment may go on at another account if the authorization that took its authentication fails, nil if it may not. The
// further attempt presents the same result. w holds the operation with its request and secrets. Nothing follows the authorization of a step-up.
func (s *Authentications) RetryAuthenticated(ctx context.Context, w *change.Loaded) *change.Retry {
	sum, op := w.Attempt.Details.Authentication, w.Operation
	if !w.Attempt.Authenticated() || op.Kind != sdk.OpAuthorize || w.Secrets.Number.IsZero() {
		return nil
	}
	r, err := s.retryOf(ctx, w, sum.ID)
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelError, "the accounts for a further attempt cannot be read; none follows", slog.String("operation_id", op.ID), slog.Any("error", err))
		return nil
	}
	return r
}

func (s *Authentications) retryOf(ctx context.Context, w *change.Loaded, id string) (*change.Retry, error) {
	var a *authentication.Record
	err := s.Store.View(ctx, func(r change.Reader) (err error) { a, err = r.Authentication(id); return err })
	if err == nil {
		err = s.Vault.OpenAuthentication(a)
	}
	if err != nil || a.State != authentication.Consumed || a.AttemptID != w.Attempt.ID || len(a.Private.Further) == 0 {
		return nil, err
	}
	all, err := s.Registry.Dir.Accounts(ctx, w.Payment.MerchantID)
	if err != nil {
		return nil, err
	}
	d := &w.Attempt.Details
	r := &change.Retry{Card: &card.Card{Facts: *cardOr(d.Card), Secrets: w.Secrets}, Until: w.Operation.StartedAt.Add(w.Profile.Settings.Retries.Budget()),
		Input: &request.Input{PaymentMethodType: d.PaymentMethodType, Lines: w.Request.Lines}}
	if d.Save != "" {
		r.Input.Acceptance = w.Payment.Private.Acceptance
	}
	if w.Method != nil {
		r.Instrument = &method.Instrument{Method: w.Method, Token: d.Token}
	}
	for _, id := range a.Private.Further {
		if i := slices.IndexFunc(all, func(a *account.Account) bool { return a.ID == id }); i >= 0 {
			r.Accounts = append(r.Accounts, all[i])
		}
	}
	r.Authenticated = &change.Authenticated{Proof: w.Request.ThreeDS, Exemption: w.Request.Exemption, Serves: func(other *account.Account) bool {
		return s.serves(w, a, other)
	}}
	return r, nil
}

// serves reports whether an authentication holds at another account: the issuer knows the acquirer that it was made for.
func (s *Authentications) serves(w *change.Loaded, a *authentication.Record, other *account.Account) bool {
	b := &a.Details.Bound
	acquirer, err := acquirerOf(&change.Loaded{Run: drive.Run{Payment: w.Payment, Account: other}, Profile: w.Profile}, a.Details.Network)
	if err != nil {
		return false
	}
	bound := threeds.Binding{Amount: sdk.Money{Minor: b.Amount, Currency: b.Currency}, CardFingerprint: hex.EncodeToString(b.Card), AcquirerBIN: b.AcquirerBIN, AcquirerMID: b.AcquirerMID}
	use := threeds.Binding{Amount: sdk.Money{Minor: w.Attempt.Amount, Currency: w.Payment.Currency}, AcquirerBIN: acquirer.BIN, AcquirerMID: acquirer.MID,
		CardFingerprint: hex.EncodeToString(s.cardHash(a.MerchantID, w.Secrets.Number))}
	// The authorization that took the result has ended without money: this is the same payment's next attempt, and no second use.
	return bound.Serves(use, false) == threeds.Fit
}

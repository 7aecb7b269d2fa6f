package routing

import (
	"context"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/evidence"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/engine/routing/health"
	"payswitch/sdk"
)

// try is a candidate in its turn.
type try struct {
	place      int // among the candidates
	standing   health.Standing
	eliminated bool // by routing that eliminates accounts with many faults
}

// turns returns the order in which a payment tries candidates. Eliminated accounts come last, and after them those that are taken out. One of them takes
// the payment only if no other account can. Candidates that the caller has named stay where they are.
func (t *Router) turns(profile *account.Profile, c *candidates) []try {
	out := make([]try, len(c.list), 2*len(c.list))
	for i, a := range c.list {
		out[i].place = i
		if i < c.kept() {
			continue
		}
		if !profile.Settings.Retries.IgnoreHealth {
			out[i].standing = t.Health.Standing(keyOf(a))
		}
		out[i].eliminated = c.elimination != nil && c.elimination.Eliminates(keyOf(a), t.Health)
	}
	slices.SortStableFunc(out, func(x, y try) int { return x.late() - y.late() })
	return out
}

// late is 0 for a candidate in its place, and more for one that must wait for the others.
func (t try) late() int {
	switch {
	case t.standing == health.Out:
		return 2
	case t.eliminated:
		return 1
	}
	return 0
}

func keyOf(a *account.Account) health.Account {
	return health.Account{MerchantID: a.MerchantID, ID: a.ID}
}

// passed returns the accounts that stood before the one taken, and that have lost their turn because they fail.
func passed(turns []try, taken int, list []*account.Account) (left []routed.LeftOut) {
	for _, t := range turns[taken+1:] {
		if t.late() == 0 || t.place > turns[taken].place {
			continue
		}
		why := routed.LeftEliminated
		if t.standing == health.Out {
			why = routed.LeftHealth
		}
		left = append(left, routed.LeftOut{Account: list[t.place].ID, Why: why})
	}
	return left
}

// inTurn returns the accounts of the turns.
func inTurn(turns []try, list []*account.Account) []*account.Account {
	out := make([]*account.Account, 0, len(turns))
	for _, t := range turns {
		out = append(out, list[t.place])
	}
	return out
}

// failsTooOften reports whether an account is taken out, for a payment of the profile.
func (t *Router) failsTooOften(profile *account.Profile, a *account.Account) bool {
	return !profile.Settings.Retries.IgnoreHealth && t.Health.Standing(keyOf(a)) != health.In
}

// Observe notes an attempt's operation before its verdict is booked. The caller runs the result after that: it counts the attempt for its account. first
// is true if the verdict is that of the operation's first request.
func (t *Router) Observe(w *change.Loaded, v evidence.Verdict, first bool) (count func()) {
	op := w.Operation
	result, counts := resultOf(v)
	ended := result == health.Approved || result == health.Declined
	late := !first && op.Status == payment.OperationPending
	lost := !first && op.Status == payment.OperationStarted // its node has stopped, which is no fault of the account
	if op.Kind != sdk.OpAuthorize && op.Kind != sdk.OpVerify && op.Kind != sdk.OpComplete || w.Attempt.AccountID == "" || !counts || !first && (!late && !lost || !ended) {
		return func() {}
	}
	h := health.Attempt{Account: health.Account{MerchantID: w.Attempt.MerchantID, ID: w.Attempt.AccountID}, Connector: w.Attempt.Connector, Result: result,
		Slice: sliceOf(w.Payment, w.Attempt), Took: w.Took, Late: !first}
	if o := v.Outcome; o != nil && o.Decline != nil {
		h.Reason = o.Decline.Reason
	}
	return func() { t.Health.Count(h) }
}

// resultOf returns how a verdict counts. It reports false for a verdict that says nothing about the account: nothing was sent because of a limit of
// this node; the adapter refused the merchant's request; or an operator or a look-up has ended the operation.
func resultOf(v evidence.Verdict) (health.Result, bool) {
	switch v.Status {
	case payment.OperationSucceeded:
		return health.Approved, true
	case payment.OperationPending:
		return health.Pending, true
	case payment.OperationUnknown:
		return health.TimedOut, true
	case payment.OperationFailed:
		return health.Failed, !v.Busy && !v.Late
	case payment.OperationDeclined:
		if o := v.Outcome; o != nil && o.Decline != nil && (o.Decline.Reason == sdk.DeclineProcessingError || o.Decline.Reason == sdk.DeclineInvalidMerchant) {
			return health.Failed, true
		}
		return health.Declined, true
	}
	return 0, false
}

// sliceOf returns the slice of an attempt.
func sliceOf(p *payment.Payment, a *payment.Attempt) health.Slice {
	s := health.Slice{Currency: string(p.Currency)}
	if c := a.Details.Card; c != nil {
		s.Network, s.Country = string(c.Network), c.CountryCode
	}
	return s
}

// AccountHealth is the health of an account as merchants see it.
type AccountHealth struct {
	Account *account.Account
	health.Report
}

// AccountHealth returns the health of a profile's processor accounts by creation; "" stands for all profiles that the caller may see. Errors: HE_02.
func (t *Router) AccountHealth(ctx context.Context, a account.Auth, profileID string) ([]AccountHealth, error) {
	if a.ProfileID != "" && profileID == "" {
		profileID = a.ProfileID
	}
	if a.ProfileID != "" && profileID != a.ProfileID {
		return nil, account.ProfileNotFound(profileID).WithParam("profile_id")
	}
	if profileID != "" {
		if _, err := t.Dir.Profile(ctx, a.MerchantID, profileID); err != nil {
			return nil, err
		}
	}
	all, err := t.Dir.Accounts(ctx, a.MerchantID)
	if err != nil {
		return nil, err
	}
	var list []AccountHealth
	for _, x := range all {
		if x.Type == account.TypeProcessor && (profileID == "" || x.ProfileID == profileID) {
			list = append(list, AccountHealth{x, t.Health.Report(keyOf(x))})
		}
	}
	return list, nil
}

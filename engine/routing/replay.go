package routing

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/routed"
	"payswitch/engine/routing/rule"
)

// ReplayInput names a configuration, a stored one or a draft, and the payments to try it on.
type ReplayInput struct {
	ProfileID string // "" for the caller's profile, else the merchant's default profile
	RoutingID string
	Algorithm json.RawMessage
	Payments  int // how many of the latest payments; 0 for 100
}

// Replay is what a configuration would have changed.
type Replay struct {
	Payments, Same, Changed, Unroutable int
	Moves                               []Move
	Rules                               []RuleCount
	Warnings                            []rule.Warning
}

// Move counts the payments that would have gone from one account to another by a rule. To is "" where no account could take the payment.
type Move struct {
	From, To, Rule, Currency string
	Payments                 int
	Amount                   int64 // the sum, in minor units
}

// RuleCount counts the payments that a rule routed; Rule is "" for the default selection.
type RuleCount struct {
	Rule     string
	Payments int
}

// replayPage is the number of payments that one view of the store reads.
const replayPage = 100

// ReplayRouting routes the latest confirmed payments of a profile again. It changes nothing. A payment whose routing field or stored credential
// chose its account stays there. Errors: those of CreateRouting for a draft; HE_02.
func (t *Router) ReplayRouting(ctx context.Context, a account.Auth, in ReplayInput) (*Replay, error) {
	out := &Replay{}
	draft, err := t.draft(ctx, a, in, out)
	if err != nil {
		return nil, err
	}
	profile, err := t.replayed(ctx, a, in.ProfileID)
	if err != nil {
		return nil, err
	}
	all, err := t.Dir.Accounts(ctx, a.MerchantID)
	if err != nil {
		return nil, err
	}
	all = processors(all, profile.ID)
	moves, rules := map[Move]*Move{}, map[string]int{}
	list, err := t.past(ctx, a.MerchantID, profile.ID, cmp.Or(in.Payments, 100))
	if err != nil {
		return nil, err
	}
	for _, x := range list {
		if err := t.replay(ctx, out, x.payment, x.first, profile, all, draft, moves, rules); err != nil {
			return nil, err
		}
	}
	for _, m := range moves {
		out.Moves = append(out.Moves, *m)
	}
	slices.SortFunc(out.Moves, func(x, y Move) int {
		return cmp.Or(y.Payments-x.Payments, cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To), cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Currency, y.Currency))
	})
	for name, n := range rules {
		out.Rules = append(out.Rules, RuleCount{name, n})
	}
	slices.SortFunc(out.Rules, func(x, y RuleCount) int { return cmp.Or(y.Payments-x.Payments, cmp.Compare(x.Rule, y.Rule)) })
	return out, nil
}

// past is a payment with its first attempt.
type past struct {
	payment *payment.Payment
	first   *payment.Attempt
}

// past returns the latest payments of a profile, the latest first.
func (t *Router) past(ctx context.Context, merchantID, profileID string, limit int) (list []past, err error) {
	for after := ""; len(list) < limit; {
		var page []*payment.Payment
		var part []past
		err := t.Rules.view(ctx, "read past payments", func(r Reader) (err error) {
			part = nil
			page, err = r.Payments(merchantID, profileID, request.ListInput{Limit: min(limit-len(list), replayPage), StartingAfter: after})
			if err != nil {
				return err
			}
			for _, p := range page {
				attempts, err := r.Attempts(merchantID, p.ID)
				if err != nil {
					return err
				}
				part = append(part, past{p, attempts[0]})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		list = append(list, part...)
		if len(page) < replayPage {
			break
		}
		after = page[len(page)-1].ID
	}
	return list, nil
}

// draft returns the configuration to try.
func (t *Router) draft(ctx context.Context, a account.Auth, in ReplayInput, out *Replay) (*Compiled, error) {
	if in.RoutingID != "" {
		c, err := t.Rules.Routing(ctx, a, in.RoutingID)
		if err != nil {
			return nil, err
		}
		if c.TransactionType != routed.ForPayment {
			return nil, fault.Refused("Cannot use " + string(c.TransactionType) + "'s routing algorithm for payment operation").WithHint("Choose a configuration for payments.").WithParam("routing_id")
		}
		if c.Kind == KindDynamic {
			return nil, fault.Refused("A dynamic configuration has no rules to replay").WithHint("Choose a configuration with rules.").WithParam("routing_id")
		}
		return compile(c)
	}
	if in.Algorithm == nil {
		return nil, fault.Missing("algorithm")
	}
	algorithm, err := rule.ParseAlgorithm(in.Algorithm, t.Rules.known)
	if err != nil {
		return nil, t.Rules.refusedProgram(err, "algorithm")
	}
	if algorithm.Type == routed.ThreeDSDecides {
		return nil, fault.Refused("A 3DS decision rule routes no payments").WithHint("Choose a configuration that routes payments.").WithParam("algorithm")
	}
	c := &Compiled{Algorithm: algorithm}
	if algorithm.Source != nil {
		c.Program, out.Warnings = rule.Compile(algorithm.Source), rule.Warnings(algorithm.Source)
	}
	return c, nil
}

func (t *Router) replayed(ctx context.Context, a account.Auth, id string) (p *account.Profile, err error) {
	if id = cmp.Or(id, a.ProfileID); id == "" {
		m, err := t.Dir.Merchant(ctx, a.MerchantID)
		if err != nil {
			return nil, err
		}
		if id = m.DefaultProfile; id == "" {
			return nil, fault.Missing("profile_id")
		}
	}
	if a.ProfileID != "" && a.ProfileID != id {
		return nil, account.ProfileNotFound(id).WithParam("profile_id")
	}
	return t.Dir.Profile(ctx, a.MerchantID, id)
}

// replay routes one payment again and counts the result.
func (t *Router) replay(ctx context.Context, out *Replay, p *payment.Payment, first *payment.Attempt, profile *account.Profile, all []*account.Account, draft *Compiled,
	moves map[Move]*Move, rules map[string]int) error {
	facts := first.Details.Card
	if first.AccountID == "" || facts == nil {
		return nil // never confirmed, or without a card
	}
	out.Payments++
	by := first.Details.Routed
	if r := p.Details.Routing; r != nil && len(r.Choices) > 0 || first.Details.MerchantInitiated || by != nil && by.By == routed.ByCredential {
		out.Same++
		return nil
	}
	if err := t.Vault.OpenPayment(p); err != nil {
		return err
	}
	input := InputOf(p, profile, nil, &card.Card{Facts: *facts})
	c, err := t.choose(ctx, all, p, profile, draft, func() *rule.Input { return input })
	if err != nil {
		return err
	}
	m := Move{From: first.AccountID, Currency: string(p.Currency)}
	if n := c.trace.Rule; n > 0 {
		m.Rule = draft.Algorithm.Source.Rules[n-1].Name
	}
	rules[m.Rule]++
	for _, a := range c.list {
		if _, why := t.fits(a, p, profile, facts); why == "" {
			m.To = a.ID
			break
		}
	}
	switch m.To {
	case m.From:
		out.Same++
		return nil
	case "":
		out.Unroutable++
	default:
		out.Changed++
	}
	if moves[m] == nil {
		counted := m
		moves[m] = &counted
	}
	moves[m].Payments++
	moves[m].Amount += p.NetAmount
	return nil
}

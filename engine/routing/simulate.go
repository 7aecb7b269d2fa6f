package routing

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/engine/routing/health"
	"payswitch/engine/routing/rank"
	"payswitch/engine/routing/rule"
)

// SimulateInput is a configuration of routing by success and cost, and the payments to try it on.
type SimulateInput struct {
	ProfileID string // "" for the caller's profile, else the merchant's default profile
	Config    json.RawMessage
	Payments  int // how many of the latest payments; 0 for 1000
}

// Simulation is what a configuration is expected to have changed. A rate is the share of approved first attempts, from 0 to 1, with the bounds of its
// confidence interval of 95 percent.
type Simulation struct {
	Payments, Changed             int
	Actual, Simulated, Difference Interval
	Accounts                      []SimulatedAccount
	Fees                          []SimulatedFees
}

// Interval is an estimate with its bounds.
type Interval struct{ Rate, Low, High float64 }

// SimulatedAccount counts the payments of an account, as they went and as they would have gone.
type SimulatedAccount struct {
	AccountID         string
	Actual, Simulated int
}

// SimulatedFees are the fees of approved payments in a currency, in minor units.
type SimulatedFees struct {
	Currency          string
	Actual, Simulated float64
}

// quantile is that of the normal distribution for 95 percent.
const quantile = 1.96

// trial is a payment in a simulation.
type trial struct {
	past
	approved bool
	chosen   string // the account that the configuration chooses
}

// cellKey names the attempts that an expectation is taken from.
type cellKey struct {
	account string
	slice   health.Slice
}

// Simulate routes the latest payments of a profile by success and cost, the oldest first, with what was known at each moment. The outcome of a payment that
// stays is known. A payment that would have gone elsewhere has the success rate of its slice at the other account. The bounds come from how little is known of
// that rate and from chance. Nothing changes. Errors: IR_06 for the configuration, HE_02 for the profile.
func (t *Router) Simulate(ctx context.Context, a account.Auth, in SimulateInput) (*Simulation, error) {
	profile, err := t.replayed(ctx, a, in.ProfileID)
	if err != nil {
		return nil, err
	}
	all, err := t.Dir.Accounts(ctx, a.MerchantID)
	if err != nil {
		return nil, err
	}
	all = processors(all, profile.ID)
	raw, bad := rank.Check(rank.Success, in.Config, func(id string) bool {
		return slices.ContainsFunc(all, func(x *account.Account) bool { return x.ID == id })
	})
	if bad != nil {
		return nil, bad
	}
	read, err := rank.Read(rank.Success, raw)
	if err != nil {
		return nil, fault.Internal(err, "read the configuration")
	}
	config, _ := read.(*rank.SuccessConfig)
	list, err := t.past(ctx, a.MerchantID, profile.ID, cmp.Or(in.Payments, 1000))
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	var now time.Time
	board := health.New(health.Deps{Now: func() time.Time { return now }})
	var trials []trial
	for _, x := range list {
		approved, ended := endOf(x.first)
		if !ended {
			continue
		}
		now = x.payment.CreatedAt
		one := trial{x, approved, x.first.AccountID}
		if one.chosen, err = t.simulated(ctx, one, profile, all, config, board); err != nil {
			return nil, err
		}
		trials = append(trials, one)
		result := health.Declined
		if approved {
			result = health.Approved
		}
		board.Count(health.Attempt{Account: health.Account{MerchantID: a.MerchantID, ID: x.first.AccountID}, Connector: x.first.Connector,
			Slice: rank.SliceOf(x.payment, x.first.Details.Card), Result: result, Late: true})
	}
	return summed(trials, config), nil
}

// endOf returns how a first attempt has ended, and false for one that says nothing about its account.
func endOf(a *payment.Attempt) (approved, ended bool) {
	if a.AccountID == "" || a.Details.Card == nil || !a.Details.Confirmed {
		return false, false
	}
	switch a.Status {
	case payment.AttemptFailure, payment.AuthorizationFailed:
		return false, true
	case payment.Authorized, payment.PartiallyAuthorized, payment.Charged, payment.PartialCharged, payment.PartialChargedAndChargeable, payment.Voided,
		payment.VoidedPostCharge, payment.CaptureInitiated, payment.VoidInitiated, payment.CaptureFailure, payment.VoidFailure:
		return true, true
	}
	return false, false
}

// simulated returns the account that a configuration chooses for a past payment. A payment that named its accounts, and a stored credential, stay.
func (t *Router) simulated(ctx context.Context, x trial, profile *account.Profile, all []*account.Account, config *rank.SuccessConfig, b *health.Board) (string, error) {
	p, d := x.payment, &x.first.Details
	stays := x.first.AccountID
	if r := p.Details.Routing; r != nil && len(r.Choices) > 0 || d.MerchantInitiated || d.Routed != nil && d.Routed.By == routed.ByCredential {
		return stays, nil
	}
	if err := t.Vault.OpenPayment(p); err != nil {
		return "", err
	}
	c, err := t.choose(ctx, all, p, profile, nil, func() *rule.Input { return InputOf(p, profile, nil, &card.Card{Facts: *d.Card}) })
	if err != nil {
		return "", err
	}
	fit := slices.DeleteFunc(slices.Clone(c.list), func(a *account.Account) bool { _, why := t.fits(a, p, profile, d.Card); return why != "" })
	if len(fit) == 0 {
		return stays, nil
	}
	ranked, _ := config.Order(fit, p, d.Card, "simulation", b)
	return ranked[0].ID, nil
}

// summed adds up a simulation.
func summed(trials []trial, config *rank.SuccessConfig) *Simulation {
	out := &Simulation{Payments: len(trials)}
	expected := expectations(trials)
	accounts, fees, moved := map[string]*SimulatedAccount{}, map[string]*SimulatedFees{}, map[cellKey]float64{}
	of := func(id string) *SimulatedAccount {
		if accounts[id] == nil {
			accounts[id] = &SimulatedAccount{AccountID: id}
		}
		return accounts[id]
	}
	var approved, gain, variance float64
	for _, x := range trials {
		y := 0.0
		if x.approved {
			y = 1
		}
		approved += y
		of(x.first.AccountID).Actual++
		of(x.chosen).Simulated++
		f := fees[string(x.payment.Currency)]
		if f == nil {
			f = &SimulatedFees{Currency: string(x.payment.Currency)}
			fees[f.Currency] = f
		}
		f.Actual += y * config.Fee(x.first.AccountID, x.payment, x.first.Details.Card)
		if x.chosen != x.first.AccountID {
			key := cellKey{x.chosen, rank.SliceOf(x.payment, x.first.Details.Card)}
			out.Changed++
			rate, _ := expected(key)
			gain += rate - y
			variance += rate * (1 - rate)
			moved[key]++
			y = rate
		}
		f.Simulated += y * config.Fee(x.chosen, x.payment, x.first.Details.Card)
	}
	for key, n := range moved {
		rate, known := expected(key)
		variance += n * n * rate * (1 - rate) / known
	}
	n := max(1, float64(len(trials)))
	out.Actual = wilson(approved, n)
	wide := quantile * math.Sqrt(variance) / n
	out.Difference = Interval{gain / n, gain/n - wide, gain/n + wide}
	rate := out.Actual.Rate + gain/n
	out.Simulated = Interval{rate, max(0, rate-wide), min(1, rate+wide)}
	for _, x := range accounts {
		out.Accounts = append(out.Accounts, *x)
	}
	slices.SortFunc(out.Accounts, func(x, y SimulatedAccount) int { return cmp.Compare(x.AccountID, y.AccountID) })
	for _, f := range fees {
		out.Fees = append(out.Fees, *f)
	}
	slices.SortFunc(out.Fees, func(x, y SimulatedFees) int { return cmp.Compare(x.Currency, y.Currency) })
	return out
}

// expectations returns a function that gives the success rate to expect in a cell, and the attempts that it rests on. A cell with few attempts borrows from its
// account, and the account from all attempts. No rate is quite 0 or 1, so that few attempts never look certain.
func expectations(trials []trial) func(k cellKey) (rate, known float64) {
	type count struct{ approved, total float64 }
	const borrowed = 5
	cells, accounts, all := map[cellKey]count{}, map[string]count{}, count{}
	for _, x := range trials {
		y := 0.0
		if x.approved {
			y = 1
		}
		k := cellKey{x.first.AccountID, rank.SliceOf(x.payment, x.first.Details.Card)}
		cells[k] = count{cells[k].approved + y, cells[k].total + 1}
		accounts[k.account] = count{accounts[k.account].approved + y, accounts[k.account].total + 1}
		all = count{all.approved + y, all.total + 1}
	}
	return func(k cellKey) (rate, known float64) {
		rate = (all.approved + 1) / (all.total + 2)
		a, c := accounts[k.account], cells[k]
		rate = (a.approved + borrowed*rate) / (a.total + borrowed)
		return (c.approved + borrowed*rate) / (c.total + borrowed), c.total + 1
	}
}

// wilson returns the share of n that k is, with the bounds of Wilson's interval. Source: E. B. Wilson, Probable inference, 1927.
func wilson(k, n float64) Interval {
	p, z := k/n, quantile*quantile
	middle := (p + z/(2*n)) / (1 + z/n)
	wide := quantile / (1 + z/n) * math.Sqrt(p*(1-p)/n+z/(4*n*n))
	return Interval{p, max(0, middle-wide), min(1, middle+wide)}
}

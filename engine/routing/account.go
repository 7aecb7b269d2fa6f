package routing

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/routed"
	"payswitch/engine/routing/health"
	"payswitch/engine/routing/rank"
	"payswitch/engine/routing/rule"
	"payswitch/sdk"
)

// Router picks connector accounts. All exported fields are required. It is safe for concurrent use.
type Router struct {
	*account.Registry
	Rules      *Rules
	Methods    *method.Methods
	Connectors port.Connectors
	Health     *health.Board

	enabled cache[*enabled] // by merchant id and account id
}

// Route is the choice of an account for a payment.
type Route struct {
	Account *account.Account
	Adapter port.AdapterInfo
	// Rest are the further candidates, in order. Whether one of them can take the payment is not known.
	Rest  []*account.Account
	Trace *routed.Trace
}

// candidates are the accounts that a payment may try, in order.
type candidates struct {
	list  []*account.Account
	trace *routed.Trace
	named bool // the payment's routing field names the first ones
	own   int  // how many come from the stage that chose; the default list has the others
	// elimination moves accounts with many recent faults to the end; nil moves none.
	elimination *rank.EliminationConfig
}

// Account picks the connector account of a payment with a card. The candidates are those of the routing field, else of the active configuration,
// else of the profile's default list; the default list follows the first two, unless the profile is strict. Account returns the first candidate
// that can take the payment. input returns the facts for rules. Errors: HE_03, HE_04, IR_39 as the contract says, and the reason why the first
// candidate that could take the payment is not approved.
func (t *Router) Account(ctx context.Context, p *payment.Payment, profile *account.Profile, f *card.Facts, input func() *rule.Input) (*Route, error) {
	all, err := t.Dir.Accounts(ctx, p.MerchantID)
	if err != nil {
		return nil, err
	}
	all = processors(all, profile.ID)
	c, err := t.choose(ctx, all, p, profile, nil, input)
	if err != nil {
		return nil, t.Dir.OrAltered(ctx, p.MerchantID, "", err)
	}
	t.rank(ctx, c, p, profile, f)
	var refused error // why the first candidate that could take the payment is not approved
	turns := t.turns(profile, c)
	for i := 0; i < len(turns); i++ {
		a := c.list[turns[i].place]
		info, why := t.fits(a, p, profile, f)
		if why == "" {
			more := account.AwaitingApproval(a, info)
			if more.IsEmpty() && turns[i].standing == health.Trial && !t.Health.Begin(keyOf(a)) { // another payment tries it
				turns = append(turns, try{turns[i].place, health.Out, turns[i].eliminated})
				continue
			}
			if more.IsEmpty() {
				c.taken(turns[i].place)
				c.trace.Trial = turns[i].standing == health.Trial
				c.trace.Left = append(c.trace.Left, passed(turns, i, c.list)...)
				return &Route{Account: a, Adapter: info, Rest: inTurn(turns[i+1:], c.list), Trace: c.trace}, nil
			}
			if err := t.NotApproved(ctx, a, info, more); refused == nil {
				refused = err
			}
			why = routed.LeftApproval
		}
		c.trace.Left = append(c.trace.Left, routed.LeftOut{Account: a.ID, Why: why})
	}
	if refused != nil {
		return nil, refused
	}
	if i := slices.IndexFunc(c.trace.Left, func(l routed.LeftOut) bool { return l.Why == routed.LeftDisabled }); i >= 0 && i < c.kept() {
		return nil, &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "The selected merchant connector account is disabled", Connector: c.list[i].Connector, Param: "merchant_connector_id", Hint: "Enable the account, or name another one."}
	}
	none := severalCaptures(p, c.list, c.trace.Left)
	if none == nil {
		none = fault.NoConnector(reasons(inTurn(turns, c.list), c.trace.Left))
	}
	return nil, t.Dir.OrAltered(ctx, p.MerchantID, "", none)
}

// severalCaptures returns the error of a payment with several captures that no account takes because of them. It names the first account that would
// take the payment otherwise. It is nil if the accounts do not take the payment for other reasons.
func severalCaptures(p *payment.Payment, list []*account.Account, left []routed.LeftOut) *fault.Error {
	if p.Details.CaptureMethod != payment.CaptureManualMultiple {
		return nil
	}
	for _, l := range left {
		i := slices.IndexFunc(list, func(a *account.Account) bool { return a.ID == l.Account })
		if l.Why == routed.LeftCapture && i >= 0 {
			return &fault.Error{Kind: fault.KindInvalid, Code: "IR_19", Message: "Payment method type not supported", Param: "capture_method",
				Reason: "manual_multiple is not supported by " + list[i].Connector, Connector: list[i].Connector, Hint: "Send capture_method manual."}
		}
	}
	return nil
}

// reasons lists why no account was eligible. list are the accounts in the order of the reasons.
func reasons(list []*account.Account, left []routed.LeftOut) string {
	var out []string
	for i, l := range left {
		out = append(out, list[i].Connector+" "+l.Account+": "+l.Why.Text())
	}
	return strings.Join(out, "; ")
}

// kept returns how many of the first candidates stay where they are, because the payment names them.
func (c *candidates) kept() int {
	if c.named {
		return c.own
	}
	return 0
}

// choose returns the candidates of a payment. draft takes the place of the active configuration, nil for none. A routing field that names no
// account of the profile is HE_04.
func (t *Router) choose(ctx context.Context, all []*account.Account, p *payment.Payment, profile *account.Profile, draft *Compiled, input func() *rule.Input) (*candidates, error) {
	c := &candidates{trace: &routed.Trace{By: routed.ByDefault}}
	if r := p.Details.Routing; r != nil && len(r.Choices) > 0 {
		c.named = true
		c.list = straightThrough(r, all, p.ID)
		if len(c.list) == 0 && !splitsNothing(r) {
			return nil, &fault.Error{Kind: fault.KindNotFound, Code: "HE_04", Message: "The connector provided in the request is incorrect or not available", Param: "routing", Hint: "Name a connector account of the profile."}
		}
		c.trace.By, c.trace.Split = routed.ByPayment, r.Type == routed.VolumeSplit
	} else if draft != nil {
		c.configured(draft, all, p, input)
	} else if id := profile.Settings.ActiveRouting[routed.ForPayment]; id != "" {
		t.configured(ctx, c, id, all, p, input)
	}
	if len(c.list) == 0 {
		c.trace.By, c.trace.Split, c.trace.Rule = routed.ByDefault, false, 0
		if c.trace.Failed == "" {
			c.trace.Config = ""
		}
	} else if c.own = len(c.list); profile.Settings.Retries.Strict {
		return c, nil
	}
	for _, a := range defaults(all, profile) {
		if !slices.Contains(c.list, a) {
			c.list = append(c.list, a)
		}
	}
	return c, nil
}

// configured adds the accounts that the active configuration chooses. A configuration that cannot be read chooses nothing: the default list takes
// the payment.
func (t *Router) configured(ctx context.Context, c *candidates, id string, all []*account.Account, p *payment.Payment, input func() *rule.Input) {
	c.trace.Config = id
	active, err := t.Rules.compiled(ctx, p.MerchantID, id)
	if err != nil {
		c.trace.Failed = "the active configuration cannot be read"
		t.Metrics.Alarm(alarm.RoutingUnreadable)
		t.Log.LogAttrs(ctx, slog.LevelError, "the active routing configuration cannot be read; the default list routes", slog.String("payment_id", p.ID),
			slog.String("configuration", id), slog.Any("error", err))
		return
	}
	c.configured(active, all, p, input)
}

// configured adds the accounts that a configuration chooses.
func (c *candidates) configured(active *Compiled, all []*account.Account, p *payment.Payment, input func() *rule.Input) {
	list, matched, split := active.Choose(input(), p.ID)
	c.trace.By, c.trace.Rule, c.trace.Split = routed.ByConfig, matched+1, split
	for _, choice := range list {
		c.add(accountsOf(all, choice.Connector, choice.AccountID))
	}
}

// taken records that the candidate at index i takes the payment.
func (c *candidates) taken(i int) {
	c.trace.Place = i
	if i >= c.own {
		c.trace.By = routed.ByDefault
	}
}

func (c *candidates) add(list []*account.Account) {
	for _, a := range list {
		if !slices.Contains(c.list, a) {
			c.list = append(c.list, a)
		}
	}
}

// straightThrough returns the accounts that a payment's routing field names, a drawn entry of a volume split first.
func straightThrough(r *routed.Preference, all []*account.Account, seed string) []*account.Account {
	choices := make([]rule.Choice, len(r.Choices))
	for i, c := range r.Choices {
		choices[i] = rule.Choice{Connector: c.Connector, AccountID: c.AccountID, Split: c.Split}
	}
	if r.Type == routed.VolumeSplit {
		choices = drawn(choices, seed, "")
	}
	var c candidates
	for _, choice := range choices {
		c.add(accountsOf(all, choice.Connector, choice.AccountID))
	}
	return c.list
}

// splitsNothing reports whether the routing field is a volume split whose weights are all zero. It counts as failed.
func splitsNothing(r *routed.Preference) bool {
	return r.Type == routed.VolumeSplit && !slices.ContainsFunc(r.Choices, func(c routed.Choice) bool { return c.Split > 0 })
}

// defaults returns the accounts of the profile's default list. Without a list, the only account is the list.
func defaults(all []*account.Account, profile *account.Profile) (out []*account.Account) {
	for _, id := range profile.Fallback {
		if i := slices.IndexFunc(all, func(a *account.Account) bool { return a.ID == id }); i >= 0 {
			out = append(out, all[i])
		}
	}
	if len(out) == 0 && len(all) == 1 {
		return all
	}
	return out
}

// Next returns the first of the candidates that can take a payment after an attempt at another account has failed, and the candidates after it.
// Without such a candidate the result is nil.
func (t *Router) Next(p *payment.Payment, profile *account.Profile, f *card.Facts, list []*account.Account, allowed func(a *account.Account, info port.AdapterInfo) routed.Why) *Route {
	trace := &routed.Trace{By: routed.ByRetry}
	for i, a := range list {
		info, why := t.fits(a, p, profile, f)
		if why == "" && !account.AwaitingApproval(a, info).IsEmpty() {
			why = routed.LeftApproval
		}
		if why == "" {
			why = allowed(a, info)
		}
		if why == "" {
			return &Route{Account: a, Adapter: info, Rest: list[i+1:], Trace: trace}
		}
		trace.Left = append(trace.Left, routed.LeftOut{Account: a.ID, Why: why})
	}
	return nil
}

// Authenticate decides the authentication type of a payment whose request gave none: by the merchant's decision manager, else by the profile's
// 3DS decision rule. A program that cannot be read decides nothing.
func (t *Router) Authenticate(ctx context.Context, w *change.Confirming, c *card.Card, input func() *rule.Input) {
	p := w.Payment
	manager, err := t.Rules.managerOf(ctx, w.Merchant)
	if err == nil && manager != nil {
		if v := manager.selection(input()).Override; v != "" {
			p.Details.AuthenticationType = payment.AuthenticationType(v)
			input().SetEnum(rule.AuthenticationType, string(v))
			return
		}
	}
	var active *Compiled
	if id := w.Profile.Settings.ActiveRouting[routed.ForThreeDS]; id != "" && err == nil {
		active, err = t.Rules.compiled(ctx, p.MerchantID, id)
	}
	if err != nil {
		t.Metrics.Alarm(alarm.RoutingUnreadable)
		t.Log.LogAttrs(ctx, slog.LevelError, "a 3DS decision program cannot be read; the payment is not authenticated for it", slog.String("payment_id", p.ID),
			slog.Any("error", err))
		return
	}
	if active == nil {
		return
	}
	in := input()
	setAcquirer(in, w.Profile, c)
	in.SetAmount(p.Amount)
	decision := rule.DecideNoThreeDS // what a configuration of another kind decides, too
	if active.Algorithm.Type == routed.ThreeDSDecides {
		decision = active.selection(in).Decision
	}
	apply(p, correct(decision, in))
	in.SetAmount(p.NetAmount)
	in.SetEnum(rule.AuthenticationType, string(p.Details.AuthenticationType))
}

// setAcquirer adds the facts of the profile's acquirer for the card's network.
func setAcquirer(in *rule.Input, profile *account.Profile, c *card.Card) {
	acquirer, err := profile.Settings.Acquirers.For(c.Facts.Network, "")
	if err != nil || acquirer == nil {
		return
	}
	in.SetCountry(rule.AcquirerCountry, cmp.Or(countryIn(profile.Details, "merchant_country_code"), rule.CountryLetters(acquirer.Country)))
	if n, ok := rule.Number(acquirer.FraudRate, 6); ok {
		in.SetFraudRate(n)
	}
}

// apply gives a payment what a 3DS decision says.
func apply(p *payment.Payment, decision rule.Decision) {
	d := &p.Details
	d.AuthenticationType, d.SCAExemption, d.Force3DSChallenge = payment.AuthenticationThreeDS, "", nil
	d.Echo = maps.Clone(d.Echo)
	delete(d.Echo, "psd2_sca_exemption_type")
	delete(d.Echo, "force_3ds_challenge")
	claim := sdk.Exemption("")
	switch decision {
	case rule.DecideNoThreeDS:
		d.AuthenticationType = payment.AuthenticationNoThreeDS
	case rule.DecideChallenge:
		yes := true
		d.Force3DSChallenge = &yes
		d.SetEcho("force_3ds_challenge", "true")
	case rule.DecideTRA:
		claim = sdk.ExemptionRiskAnalysis
	case rule.DecideLowValue:
		claim = sdk.ExemptionLowValue
	}
	if claim != "" {
		d.SCAExemption = claim
		d.SetEcho("psd2_sca_exemption_type", `"`+string(claim)+`"`)
	}
}

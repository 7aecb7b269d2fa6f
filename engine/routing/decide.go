package routing

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/engine/routing/health"
	"payswitch/engine/routing/rank"
	"payswitch/sdk"
)

// RankingMethod is the way in which DecideGateway ranks accounts. Its constants are the API's values.
type RankingMethod string

const (
	RankBySuccess RankingMethod = "SR_BASED_ROUTING"
	RankByRules   RankingMethod = "PL_BASED_ROUTING"
	RankByNetwork RankingMethod = "NTW_BASED_ROUTING"
)

// DecideInput describes a payment that payswitch need not know, and the gateways that may take it.
type DecideInput struct {
	ProfileID string
	PaymentID string // it draws the payments that explore
	Amount    int64  // minor units
	Currency  string
	CardBIN   string
	CardType  string        // credit or debit; "" for what the BIN says
	Gateways  []string      // "connector:merchant_connector_id"; nil for the profile's default list
	Ranking   RankingMethod // "" for RankBySuccess
	Eliminate bool          // accounts with many recent faults go to the end
}

// Decided is the order of gateways for a payment.
type Decided struct {
	Gateways []GatewayScore // the first one is decided; at least one
	Before   string         // the first gateway before any ranking
	Approach string
	RulesID  string // of the configuration whose rules ranked, "" for none
}

// GatewayScore is a gateway with its score.
type GatewayScore struct {
	Gateway string
	Score   float64
}

// DecideGateway ranks gateways as dynamic routing would, without a payment. Errors: HE_02 for the profile; IR_00 (501) where the profile has no dynamic routing
// switched on, and for RankByNetwork; IR_06 (422) for a gateway that the profile lacks; IR_39 without a gateway.
func (t *Router) DecideGateway(ctx context.Context, a account.Auth, in DecideInput) (*Decided, error) {
	profile, all, err := t.dynamicProfile(ctx, a, in.ProfileID)
	if err != nil {
		return nil, err
	}
	list := defaults(all, profile)
	if in.Gateways != nil {
		list = list[:0:0]
		for _, name := range in.Gateways {
			x, err := gatewayOf(all, name)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
	}
	list = slices.DeleteFunc(list, func(x *account.Account) bool { return x.Disabled })
	if len(list) == 0 {
		return nil, fault.NoConnector("no gateway is eligible")
	}
	facts := card.Facts{BIN: in.CardBIN, Type: strings.ToUpper(in.CardType)}
	if in.CardBIN != "" {
		known, _ := t.Rules.BINTable.Record(in.CardBIN)
		facts.CountryCode, facts.Type = known.CountryCode, cmp.Or(facts.Type, known.Type)
		if networks := t.Rules.BINTable.Networks(in.CardBIN); len(networks) > 0 {
			facts.Network = networks[0]
		}
	}
	p := &payment.Payment{ID: in.PaymentID, MerchantID: a.MerchantID, ProfileID: profile.ID, Amount: in.Amount, NetAmount: in.Amount, Currency: sdk.Currency(in.Currency),
		Private: &payment.Private{}}
	out := &Decided{Before: gatewayName(list[0]), Approach: "DEFAULT"}
	scores := map[*account.Account]float64{}
	switch in.Ranking {
	case RankByNetwork:
		return nil, fault.NotImplemented("Ranking by the network's cost")
	case RankByRules:
		list, err = t.byRules(ctx, out, p, profile, &facts, list)
	default:
		list, err = t.bySuccess(ctx, out, p, profile, &facts, list, scores)
	}
	if err != nil {
		return nil, err
	}
	if in.Eliminate {
		if err := t.eliminated(ctx, out, p, profile, list); err != nil {
			return nil, err
		}
	}
	for i, x := range list {
		score, known := scores[x]
		if !known {
			score = 1 / float64(i+1)
		}
		out.Gateways = append(out.Gateways, GatewayScore{gatewayName(x), score})
	}
	return out, nil
}

// byRules puts the gateways first that the active configuration chooses.
func (t *Router) byRules(ctx context.Context, out *Decided, p *payment.Payment, profile *account.Profile, f *card.Facts, list []*account.Account) ([]*account.Account, error) {
	id := profile.Settings.ActiveRouting[routed.ForPayment]
	if id == "" {
		return list, nil
	}
	active, err := t.Rules.compiled(ctx, p.MerchantID, id)
	if err != nil {
		return nil, fault.Internal(err, "read the active configuration")
	}
	var chosen candidates
	choices, _, _ := active.Choose(InputOf(p, profile, nil, &card.Card{Facts: *f}), p.ID)
	for _, c := range choices {
		chosen.add(accountsOf(list, c.Connector, c.AccountID))
	}
	if len(chosen.list) > 0 {
		out.Approach, out.RulesID = "PRIORITY_LOGIC", id
	}
	chosen.add(list)
	return chosen.list, nil
}

// bySuccess ranks by success and cost: with the profile's configuration, or the default one.
func (t *Router) bySuccess(ctx context.Context, out *Decided, p *payment.Payment, profile *account.Profile, f *card.Facts, list []*account.Account,
	scores map[*account.Account]float64) ([]*account.Account, error) {
	config, id := &rank.SuccessConfig{}, profile.Settings.Dynamic.Success
	if id != "" {
		r, err := t.Rules.rankingOf(ctx, p.MerchantID, id)
		if err != nil {
			return nil, fault.Internal(err, "read the configuration of routing by success")
		}
		config, _ = r.config.(*rank.SuccessConfig)
	}
	for _, s := range config.Scores(list, p, f, t.Health) {
		scores[s.Account] = s.Rate
	}
	ranked, explores := config.Order(list, p, f, id, t.Health)
	if out.Approach = "SR_SELECTION_V3_ROUTING"; explores {
		out.Approach = "SR_V3_HEDGING"
	}
	return ranked, nil
}

// eliminated moves gateways with many recent faults to the end, by the profile's elimination routing or the default one.
func (t *Router) eliminated(ctx context.Context, out *Decided, p *payment.Payment, profile *account.Profile, list []*account.Account) error {
	r := &ranking{}
	var err error
	if id := profile.Settings.Dynamic.Elimination; id != "" {
		r, err = t.Rules.rankingOf(ctx, p.MerchantID, id)
	} else {
		r.config, err = rank.Read(rank.Elimination, rank.Default(rank.Elimination))
	}
	if err != nil {
		return fault.Internal(err, "read the configuration of elimination routing")
	}
	config, _ := r.config.(*rank.EliminationConfig)
	late := func(x *account.Account) int {
		if config.Eliminates(keyOf(x), t.Health) {
			return 1
		}
		return 0
	}
	first := list[0]
	if slices.SortStableFunc(list, func(x, y *account.Account) int { return late(x) - late(y) }); list[0] != first {
		out.Approach = "SR_V3_DOWNTIME_ROUTING"
	}
	return nil
}

// dynamicProfile returns a profile that has dynamic routing switched on, and its processor accounts.
func (t *Router) dynamicProfile(ctx context.Context, a account.Auth, id string) (*account.Profile, []*account.Account, error) {
	if a.ProfileID != "" && a.ProfileID != id {
		return nil, nil, account.ProfileNotFound(id).WithParam("merchantId")
	}
	profile, err := t.Dir.Profile(ctx, a.MerchantID, id)
	if err != nil {
		return nil, nil, err
	}
	if d := profile.Settings.Dynamic; d.Success == "" && d.Elimination == "" && d.Contract == "" {
		return nil, nil, fault.NotImplemented("Dynamic routing of a profile that has not switched it on").
			WithHint("Switch it on with POST …/dynamic_routing/success_based/create?enable=metrics.")
	}
	all, err := t.Dir.Accounts(ctx, a.MerchantID)
	return profile, processors(all, id), err
}

// gatewayOf returns the account that a gateway names as connector:merchant_connector_id.
func gatewayOf(all []*account.Account, gateway string) (*account.Account, error) {
	connector, id, _ := strings.Cut(gateway, ":")
	for _, x := range all {
		if x.Connector == connector && x.ID == id {
			return x, nil
		}
	}
	return nil, fault.Unprocessable("gateway", "The profile has no gateway "+gateway).WithHint("Name it as connector:merchant_connector_id.")
}

func gatewayName(x *account.Account) string { return x.Connector + ":" + x.ID }

// GatewayFeedback is the end of an attempt at a gateway that payswitch did not make.
type GatewayFeedback struct {
	ProfileID, Gateway, Status, PaymentID string
}

// feedbackResults are the statuses that say how a gateway has decided. The other ones count nothing.
var feedbackResults = map[string]health.Result{"AUTHORIZED": health.Approved, "CHARGED": health.Approved, "PARTIAL_CHARGED": health.Approved,
	"CAPTURE_INITIATED": health.Approved, "CAPTURE_FAILED": health.Approved, "VOIDED": health.Approved, "VOIDED_POST_CHARGE": health.Approved,
	"VOID_INITIATED": health.Approved, "VOID_FAILED": health.Approved, "AUTO_REFUNDED": health.Approved, "AUTHORIZATION_FAILED": health.Declined,
	"JUSPAY_DECLINED": health.Declined, "FAILURE": health.Declined, "DECLINED": health.Declined}

// FeedbackStatuses are the statuses that GatewayFeedback takes.
var FeedbackStatuses = []string{"STARTED", "AUTHENTICATION_FAILED", "JUSPAY_DECLINED", "PENDING_VBV", "V_B_V_SUCCESSFUL", "AUTHORIZED", "AUTHORIZATION_FAILED",
	"CHARGED", "AUTHORIZING", "C_O_D_INITIATED", "VOIDED", "VOIDED_POST_CHARGE", "VOID_INITIATED", "NOP", "CAPTURE_INITIATED", "CAPTURE_FAILED", "VOID_FAILED",
	"AUTO_REFUNDED", "PARTIAL_CHARGED", "TO_BE_CHARGED", "PENDING", "FAILURE", "DECLINED"}

// CountFeedback counts the end of an attempt for its gateway. It takes no account out. An attempt of a payment of payswitch is counted already: counted is
// false for it, and for a status that decides nothing. Errors: those of DecideGateway.
func (t *Router) CountFeedback(ctx context.Context, a account.Auth, in GatewayFeedback) (counted bool, err error) {
	_, all, err := t.dynamicProfile(ctx, a, in.ProfileID)
	if err != nil {
		return false, err
	}
	x, err := gatewayOf(all, in.Gateway)
	if err != nil {
		return false, err
	}
	result, ended := feedbackResults[in.Status]
	if !ended {
		return false, nil
	}
	var own []*payment.Attempt
	if err := t.Rules.view(ctx, "read attempts", func(r Reader) (err error) { own, err = r.Attempts(a.MerchantID, in.PaymentID); return err }); err != nil {
		return false, err
	}
	if len(own) > 0 {
		return false, nil
	}
	t.Health.Count(health.Attempt{Account: keyOf(x), Connector: x.Connector, Result: result, Reason: sdk.DeclineGeneric, Late: true})
	return true, nil
}

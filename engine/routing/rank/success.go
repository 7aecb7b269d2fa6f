package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/routing/health"
	"payswitch/engine/routing/rule"
)

// SuccessConfig is a configuration of routing by success, as sent and as stored. The fields of the v1 API that payswitch has no use for are checked and
// kept.
type SuccessConfig struct {
	Params []string `json:"params,omitempty"`
	Config *struct {
		MinAggregates *int     `json:"min_aggregates_size,omitempty"`
		MaxAggregates *int     `json:"max_aggregates_size,omitempty"`
		DefaultRate   *float64 `json:"default_success_rate,omitempty"`
		Block         *struct {
			Minutes *int `json:"duration_in_mins,omitempty"`
			Total   *int `json:"max_total_count,omitempty"`
		} `json:"current_block_threshold,omitempty"`
		Exploration *float64 `json:"exploration_percent,omitempty"`
		Level       *string  `json:"specificity_level,omitempty"`
		Shuffle     *bool    `json:"shuffle_on_tie_during_exploitation,omitempty"`
	} `json:"config,omitempty"`
	DecisionEngine *Engine `json:"decision_engine_configs,omitempty"`
	Costs          *Costs  `json:"costs,omitempty"`
}

// Engine is the form in which the v1 API configures its other engine. Hedging is the share of payments that explore, and extra scores weigh how little is known of
// an account. The other fields are kept without effect.
type Engine struct {
	Latency    *float64     `json:"defaultLatencyThreshold,omitempty"`
	Bucket     *int         `json:"defaultBucketSize,omitempty"`
	Hedging    *float64     `json:"defaultHedgingPercent,omitempty"`
	LowerReset *float64     `json:"defaultLowerResetFactor,omitempty"`
	UpperReset *float64     `json:"defaultUpperResetFactor,omitempty"`
	Extra      []ExtraScore `json:"defaultGatewayExtraScore,omitempty"`
	Levels     []Level      `json:"subLevelInputConfig,omitempty"`
}

// Level is what holds for one payment method instead of the defaults. The v1 API calls card a type, and credit a method.
type Level struct {
	Method     *string      `json:"paymentMethodType,omitempty"`
	Type       *string      `json:"paymentMethod,omitempty"`
	Latency    *float64     `json:"latencyThreshold,omitempty"`
	Bucket     *int         `json:"bucketSize,omitempty"`
	Hedging    *float64     `json:"hedgingPercent,omitempty"`
	LowerReset *float64     `json:"lowerResetFactor,omitempty"`
	UpperReset *float64     `json:"upperResetFactor,omitempty"`
	Extra      []ExtraScore `json:"gatewayExtraScore,omitempty"`
}

// ExtraScore adds a multiple of the standard error to the success rate of a connector's accounts: an account with few results is then tried more.
type ExtraScore struct {
	Connector string  `json:"gatewayName"`
	Factor    float64 `json:"gatewaySigmaFactor"`
}

// level returns the hedging share and the extra scores for a card of a type.
func (e *Engine) level(cardType string) (hedging *float64, extra []ExtraScore) {
	hedging, extra = e.Hedging, e.Extra
	for _, l := range e.Levels {
		if l.Method != nil && *l.Method != "card" || l.Type != nil && !strings.EqualFold(*l.Type, cardType) {
			continue
		}
		if l.Hedging != nil {
			hedging = l.Hedging
		}
		if l.Extra != nil {
			extra = l.Extra
		}
		break
	}
	return hedging, extra
}

func (e *Engine) check() *fault.Error {
	bad := func(field string) *fault.Error {
		return fault.Unprocessable("decision_engine_configs."+field, field+" is out of range: percents are from 0 to 100, sizes and factors are not negative").WithHint("Send a value within the range.")
	}
	sane := func(n *float64) bool { return n == nil || *n >= 0 && *n <= 1e6 }
	size := func(n *int) bool { return n == nil || *n >= 0 }
	scores := func(list []ExtraScore) bool {
		return !slices.ContainsFunc(list, func(x ExtraScore) bool { return !sane(&x.Factor) || x.Connector == "" })
	}
	switch {
	case !percent(e.Latency):
		return bad("defaultLatencyThreshold")
	case !percent(e.Hedging):
		return bad("defaultHedgingPercent")
	case !size(e.Bucket):
		return bad("defaultBucketSize")
	case !sane(e.LowerReset) || !sane(e.UpperReset):
		return bad("defaultLowerResetFactor")
	case !scores(e.Extra):
		return bad("defaultGatewayExtraScore")
	case len(e.Levels) > 100:
		return fault.Unprocessable("decision_engine_configs.subLevelInputConfig", "subLevelInputConfig must have at most 100 entries").WithHint("Shorten the list.")
	}
	for _, l := range e.Levels {
		if !percent(l.Latency) || !percent(l.Hedging) || !size(l.Bucket) || !sane(l.LowerReset) || !sane(l.UpperReset) || !scores(l.Extra) {
			return bad("subLevelInputConfig")
		}
	}
	return nil
}

// Costs say what a payment earns and what accounts take for it.
type Costs struct {
	Margin     *float64    `json:"margin_percent"` // of the amount, that an approved payment earns
	Fees       []Fee       `json:"fees,omitempty"`
	Guaranteed []Guarantee `json:"guaranteed,omitempty"`
}

// Fee is the price that an account takes for a payment. Of an account's fees the first one counts whose conditions hold; an empty condition always
// holds.
type Fee struct {
	Account   string   `json:"merchant_connector_id"`
	Fixed     int64    `json:"fixed,omitempty"`   // minor units of the payment's currency
	Percent   float64  `json:"percent,omitempty"` // of the amount
	Network   string   `json:"card_network,omitempty"`
	Countries []string `json:"issuer_countries,omitempty"` // alpha-2
	Type      string   `json:"card_type,omitempty"`        // credit or debit
	Currency  string   `json:"currency,omitempty"`
}

// Guarantee is the share of the profile's attempts that an account gets, whatever it achieves.
type Guarantee struct {
	Account string  `json:"merchant_connector_id"`
	Percent float64 `json:"percent"`
}

// dimensions are the params of the v1 API. Those with a slice of their own narrow the statistics.
var dimensions = []string{"PaymentMethod", "PaymentMethodType", "AuthenticationType", "Currency", "Country", "CardNetwork", "CardBin"}

// checkParams refuses a dimension that the v1 API does not have.
func checkParams(params []string) *fault.Error {
	for _, p := range params {
		if !slices.Contains(dimensions, p) {
			return fault.Malformed("params", "params: unknown variant `"+p+"`, expected one of "+strings.Join(dimensions, ", ")).WithHint("Send values that the message lists.")
		}
	}
	return nil
}

func (c *SuccessConfig) isEmpty() bool {
	return c.Params == nil && c.Config == nil && c.DecisionEngine == nil && c.Costs == nil
}

func (c *SuccessConfig) check(owned func(account string) bool) *fault.Error {
	if bad := checkParams(c.Params); bad != nil {
		return bad
	}
	if x := c.Config; x != nil {
		switch {
		case !percent(x.DefaultRate):
			return fault.Unprocessable("config.default_success_rate", "default_success_rate must be from 0 to 100").WithHint("Send a number from 0 to 100.")
		case !percent(x.Exploration):
			return fault.Unprocessable("config.exploration_percent", "exploration_percent must be from 0 to 100").WithHint("Send a number from 0 to 100.")
		case x.MinAggregates != nil && (*x.MinAggregates < 0 || *x.MinAggregates > 100_000):
			return fault.Unprocessable("config.min_aggregates_size", "min_aggregates_size must be from 0 to 100000").WithHint("Send a number from 0 to 100000.")
		case x.Level != nil && *x.Level != "merchant" && *x.Level != "global":
			return fault.Malformed("config.specificity_level", "specificity_level: unknown variant `"+*x.Level+"`, expected `merchant` or `global`").WithHint("Send \"merchant\" or \"global\".")
		}
	}
	if c.DecisionEngine != nil {
		if bad := c.DecisionEngine.check(); bad != nil {
			return bad
		}
	}
	if c.Costs == nil {
		return nil
	}
	if m := c.Costs.Margin; m == nil || *m <= 0 || *m > 100 {
		return fault.Unprocessable("costs.margin_percent", "margin_percent must be more than 0 and at most 100").WithHint("Send a number above 0, and at most 100.")
	}
	for _, f := range c.Costs.Fees {
		switch {
		case !owned(f.Account):
			return fault.Unprocessable("costs.fees", "merchant_connector_id: the profile has no account "+f.Account).WithHint("Name connector accounts of the profile.")
		case f.Fixed < 0 || f.Fixed > 1_000_000_000 || !percent(&f.Percent):
			return fault.Unprocessable("costs.fees", "fixed must be from 0 to 1000000000, and percent from 0 to 100").WithHint("Send fees within these bounds.")
		case f.Type != "" && f.Type != "credit" && f.Type != "debit":
			return fault.Unprocessable("costs.fees", "card_type must be credit or debit").WithHint("Send \"credit\" or \"debit\".")
		}
	}
	sum := 0.0
	for _, g := range c.Costs.Guaranteed {
		if sum += g.Percent; !owned(g.Account) || g.Percent <= 0 || sum > 100 {
			return fault.Unprocessable("costs.guaranteed", "each merchant_connector_id must be an account of the profile, and the percents more than 0 and together at most 100").WithHint("Send percents that add up to 100 at most.")
		}
	}
	return nil
}

// Scored is an account with what it is expected to do for a payment.
type Scored struct {
	Account *account.Account
	Rate    float64 // of success, 0 to 1; extra scores may carry it beyond
	Value   float64 // what the payment is expected to earn there; the rate, without costs
	ahead   bool    // its guaranteed share is not reached
}

// Order returns accounts by their expected value for a payment, the best first. explores is true if an account was drawn evenly, to learn more of it. salt is
// the configuration's id. The result follows from the payment's id and the statistics alone.
func (c *SuccessConfig) Order(list []*account.Account, p *payment.Payment, f *card.Facts, salt string, b Board) (out []*account.Account, explores bool) {
	explore := c.exploration(f)
	if rule.Draw([]int{int(explore * 100), int((100 - explore) * 100)}, p.ID, "explore/"+salt) == 0 {
		even := make([]int, len(list))
		for i := range even {
			even[i] = 1
		}
		i := rule.Draw(even, p.ID, "explored/"+salt)
		out = append(append(out, list[i]), list[:i]...)
		return append(out, list[i+1:]...), true
	}
	for _, s := range c.Scores(list, p, f, b) {
		out = append(out, s.Account)
	}
	return out, false
}

// exploration returns the share of payments that explore, in percent.
func (c *SuccessConfig) exploration(f *card.Facts) float64 {
	if x := c.Config; x != nil && x.Exploration != nil {
		return *x.Exploration
	}
	if c.DecisionEngine != nil {
		if hedging, _ := c.DecisionEngine.level(f.Type); hedging != nil {
			return *hedging
		}
		return 5
	}
	return 20
}

// Scores returns accounts with their scores for a payment, the best first.
func (c *SuccessConfig) Scores(list []*account.Account, p *payment.Payment, f *card.Facts, b Board) []Scored {
	sure, first := 5.0, 1.0
	if x := c.Config; x != nil {
		if x.MinAggregates != nil {
			sure = float64(*x.MinAggregates)
		}
		if x.DefaultRate != nil {
			first = *x.DefaultRate / 100
		}
	}
	var extra []ExtraScore
	if c.DecisionEngine != nil {
		_, extra = c.DecisionEngine.level(f.Type)
	}
	slice := SliceOf(p, f)
	if len(c.Params) > 0 {
		for name, value := range map[string]*string{"Currency": &slice.Currency, "CardNetwork": &slice.Network, "Country": &slice.Country} {
			if !slices.Contains(c.Params, name) {
				*value = ""
			}
		}
	}
	all, sum := make([]Scored, len(list)), 0.0
	totals := make([]float64, len(list))
	for i, a := range list {
		key := health.Account{MerchantID: a.MerchantID, ID: a.ID}
		approved, total := b.Rates(key, health.Slice{})
		totals[i], sum = total, sum+total
		rate := shrunk(approved, total, first, sure)
		if slice != (health.Slice{}) {
			approved, total = b.Rates(key, slice)
			rate = shrunk(approved, total, rate, sure)
		}
		for _, x := range extra {
			if x.Connector == a.Connector {
				rate += x.Factor * math.Sqrt(rate*max(0, 1-rate)/(total+sure+1))
			}
		}
		all[i] = Scored{Account: a, Rate: rate, Value: c.value(a.ID, rate, p, f)}
	}
	if c.Costs != nil {
		for i := range all {
			for _, g := range c.Costs.Guaranteed {
				if g.Account == all[i].Account.ID {
					all[i].ahead = totals[i] < g.Percent/100*(sum+1)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(x, y Scored) int {
		if x.ahead != y.ahead {
			return map[bool]int{true: -1, false: 1}[x.ahead]
		}
		return cmp.Compare(y.Value, x.Value)
	})
	return all
}

// SliceOf returns the slice of the statistics that a payment belongs to.
func SliceOf(p *payment.Payment, f *card.Facts) health.Slice {
	return health.Slice{Currency: string(p.Currency), Network: string(f.Network), Country: f.CountryCode}
}

// shrunk returns a success rate. Few attempts hardly move it away from the rate that was expected.
func shrunk(approved, total, expected, sure float64) float64 {
	if total+sure == 0 {
		return expected
	}
	return (approved + expected*sure) / (total + sure)
}

// value returns what a payment is expected to earn at an account: the success rate times the margin, less the fee. Without costs it is the rate.
func (c *SuccessConfig) value(accountID string, rate float64, p *payment.Payment, f *card.Facts) float64 {
	if c.Costs == nil || c.Costs.Margin == nil {
		return rate
	}
	return rate*float64(p.NetAmount)**c.Costs.Margin/100 - c.Fee(accountID, p, f)
}

// Fee returns what an account takes for a payment, in minor units; 0 without costs.
func (c *SuccessConfig) Fee(accountID string, p *payment.Payment, f *card.Facts) float64 {
	if c.Costs == nil {
		return 0
	}
	for _, fee := range c.Costs.Fees {
		if fee.Account == accountID && fee.holds(p, f) {
			return float64(fee.Fixed) + float64(p.NetAmount)*fee.Percent/100
		}
	}
	return 0
}

func (f *Fee) holds(p *payment.Payment, facts *card.Facts) bool {
	return (f.Network == "" || f.Network == string(facts.Network)) && (f.Type == "" || strings.EqualFold(f.Type, facts.Type)) &&
		(f.Currency == "" || f.Currency == string(p.Currency)) && (len(f.Countries) == 0 || slices.Contains(f.Countries, facts.CountryCode))
}

package routing

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/engine/routing/health"
	"payswitch/engine/routing/rule"
)

// KindDynamic is the kind of a configuration that ranks accounts by what they have achieved.
const KindDynamic = "dynamic"

// The features that routing by success can have.
const (
	FeatureNone      = "none"
	FeatureMetrics   = "metrics"
	FeatureSelection = "dynamic_connector_selection"
)

const successName = "Success rate based dynamic routing algorithm"

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
	} `json:"config,omitempty"`
	Costs *Costs `json:"costs,omitempty"`
}

// Costs say what a payment earns and what accounts take for it.
type Costs struct {
	Margin     *float64    `json:"margin_percent"` // of the amount, that an approved payment earns
	Fees       []Fee       `json:"fees,omitempty"`
	Guaranteed []Guarantee `json:"guaranteed,omitempty"`
}

// Fee is what an account takes for a payment. The first fee of an account whose conditions hold counts; an empty condition always holds.
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

func percent(n *float64) bool { return n == nil || *n >= 0 && *n <= 100 }

// check returns what is wrong with the configuration, and in which field.
func (c *SuccessConfig) check(profile func(account string) bool) *fault.Error {
	for _, p := range c.Params {
		if !slices.Contains(dimensions, p) {
			return fault.Unprocessable("params", "params: unknown variant `"+p+"`, expected one of "+strings.Join(dimensions, ", "))
		}
	}
	if x := c.Config; x != nil {
		switch {
		case !percent(x.DefaultRate):
			return fault.Unprocessable("config.default_success_rate", "default_success_rate must be from 0 to 100")
		case !percent(x.Exploration):
			return fault.Unprocessable("config.exploration_percent", "exploration_percent must be from 0 to 100")
		case x.MinAggregates != nil && (*x.MinAggregates < 0 || *x.MinAggregates > 100_000):
			return fault.Unprocessable("config.min_aggregates_size", "min_aggregates_size must be from 0 to 100000")
		case x.Level != nil && *x.Level != "merchant" && *x.Level != "global":
			return fault.Unprocessable("config.specificity_level", "specificity_level must be merchant or global")
		}
	}
	if c.Costs == nil {
		return nil
	}
	if m := c.Costs.Margin; m == nil || *m <= 0 || *m > 100 {
		return fault.Unprocessable("costs.margin_percent", "margin_percent must be more than 0 and at most 100")
	}
	for _, f := range c.Costs.Fees {
		switch {
		case !profile(f.Account):
			return fault.Unprocessable("costs.fees", "merchant_connector_id: the profile has no account "+f.Account)
		case f.Fixed < 0 || f.Fixed > 1_000_000_000 || !percent(&f.Percent):
			return fault.Unprocessable("costs.fees", "fixed must be from 0 to 1000000000, and percent from 0 to 100")
		case f.Type != "" && f.Type != "credit" && f.Type != "debit":
			return fault.Unprocessable("costs.fees", "card_type must be credit or debit")
		}
	}
	sum := 0.0
	for _, g := range c.Costs.Guaranteed {
		if sum += g.Percent; !profile(g.Account) || g.Percent <= 0 || sum > 100 {
			return fault.Unprocessable("costs.guaranteed", "each merchant_connector_id must be an account of the profile, and the percents more than 0 and together at most 100")
		}
	}
	return nil
}

// ToggleSuccess switches routing by success on or off for a profile. raw is a configuration, which is then stored and not active; nil stores the default
// one and makes it active. Errors: HE_02 and IR_16 for the profile, IR_06 (422) for the configuration, IR_16 if it is off already.
func (s *Rules) ToggleSuccess(ctx context.Context, a account.Auth, profileID, feature string, raw json.RawMessage) (c *Config, err error) {
	in := &SuccessConfig{}
	if raw != nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(in); err != nil {
			return nil, fault.Unprocessable("config", "The configuration cannot be read: "+err.Error())
		}
		if in.Params == nil && in.Config == nil && in.Costs == nil {
			return nil, fault.Unprocessable("config", "Send at least one of params, config and costs")
		}
	}
	err = s.update(ctx, "change routing by success", func(tx Tx) error {
		p, err := ofProfile(tx, a, profileID)
		if err != nil {
			return err
		}
		if feature == FeatureNone {
			id := p.Settings.Dynamic.Success
			if id == "" {
				return fault.Refused("Success rate based routing is already disabled")
			}
			if c, err = tx.RoutingConfig(a.MerchantID, id); err != nil {
				return fault.IfMissing(err, noResource())
			}
			p.Settings.Dynamic.Success, p.ModifiedAt = "", tx.Now()
			return tx.UpdateProfile(p)
		}
		all, err := tx.Accounts(a.MerchantID)
		if err != nil {
			return err
		}
		if bad := in.check(func(id string) bool {
			return slices.ContainsFunc(all, func(x *account.Account) bool { return x.ID == id && x.ProfileID == p.ID })
		}); bad != nil {
			return bad
		}
		if n, err := tx.CountRoutingConfigs(a.MerchantID); err != nil {
			return err
		} else if n >= maxConfigs {
			return fault.Refused("A merchant has at most 100 routing configurations")
		}
		c = &Config{MerchantID: a.MerchantID, ID: ids.New("routing_"), ProfileID: p.ID, Kind: KindDynamic, TransactionType: ForPayment, Name: successName,
			CreatedAt: tx.Now(), ModifiedAt: tx.Now()}
		if c.Algorithm, err = json.Marshal(struct {
			Type string         `json:"type"`
			Data *SuccessConfig `json:"data"`
		}{KindDynamic, in}); err != nil {
			return fault.Internal(err, "encode the configuration")
		}
		if err := tx.InsertRoutingConfig(c); err != nil {
			return err
		}
		if raw != nil {
			return nil
		}
		return setDynamic(tx, p, c.ID, feature == FeatureMetrics)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// setDynamic makes a configuration the profile's one for routing by success.
func setDynamic(tx Tx, p *account.Profile, id string, metricsOnly bool) error {
	p.Settings.Dynamic.Success, p.Settings.Dynamic.MetricsOnly, p.ModifiedAt = id, metricsOnly, tx.Now()
	return tx.UpdateProfile(p)
}

// VolumeSplit returns the share of a profile's payments that are routed by success, in percent. Errors: HE_02.
func (s *Rules) VolumeSplit(ctx context.Context, a account.Auth, profileID string) (split int, err error) {
	err = s.view(ctx, "read the volume split", func(r Reader) error {
		p, err := ofProfile(r, a, profileID)
		if err == nil {
			split = p.Settings.Dynamic.Share()
		}
		return err
	})
	return split, err
}

// SetVolumeSplit changes the share of payments that are routed by success. Errors: HE_02; IR_06 (422) beyond 100.
func (s *Rules) SetVolumeSplit(ctx context.Context, a account.Auth, profileID string, split int) error {
	if split < 0 || split > 100 {
		return fault.Unprocessable("split", "Dynamic routing volume split should be less than 100")
	}
	return s.update(ctx, "change the volume split", func(tx Tx) error {
		p, err := ofProfile(tx, a, profileID)
		if err != nil {
			return err
		}
		p.Settings.Dynamic.Split, p.ModifiedAt = &split, tx.Now()
		return tx.UpdateProfile(p)
	})
}

// successOf returns a configuration of routing by success. It reads the store once for each.
func (s *Rules) successOf(ctx context.Context, merchantID, id string) (*SuccessConfig, error) {
	key := merchantID + "/" + id
	if c, ok := s.successes.get(key); ok {
		return c, nil
	}
	var row *Config
	if err := s.Store.View(ctx, func(r Reader) (err error) { row, err = r.RoutingConfig(merchantID, id); return err }); err != nil {
		return nil, err
	}
	var stored struct{ Data *SuccessConfig }
	if err := json.Unmarshal(row.Algorithm, &stored); err != nil || stored.Data == nil {
		return nil, fault.Internal(err, "read the configuration of routing by success")
	}
	s.successes.put(key, stored.Data)
	return stored.Data, nil
}

// rank orders the candidates by what they have achieved, where the profile wants it. A payment that names its accounts keeps their order.
func (t *Router) rank(ctx context.Context, c *candidates, p *payment.Payment, profile *account.Profile, f *card.Facts) {
	d := profile.Settings.Dynamic
	if d.Success == "" || d.MetricsOnly || c.named || len(c.list) < 2 || rule.Draw([]int{d.Share(), 100 - d.Share()}, p.ID, "split/"+d.Success) != 0 {
		return
	}
	config, err := t.Rules.successOf(ctx, p.MerchantID, d.Success)
	if err != nil {
		c.trace.Failed = "the configuration of routing by success cannot be read"
		t.Metrics.Alarm(AlarmUnreadable)
		t.Log.LogAttrs(ctx, slog.LevelError, "the configuration of routing by success cannot be read; payments keep their order", slog.String("payment_id", p.ID),
			slog.String("configuration", d.Success), slog.Any("error", err))
		return
	}
	var explores bool
	c.list, explores = config.order(c.list, p, f, d.Success, t.Health.Rates)
	c.own = len(c.list)
	c.trace.By, c.trace.Config, c.trace.Rule, c.trace.Split = routed.BySuccess, d.Success, 0, false
	if explores {
		c.trace.By = routed.ByExploration
	}
}

// order returns accounts by their expected value for a payment, the best first. Its result follows from the payment's id and the statistics alone.
func (c *SuccessConfig) order(list []*account.Account, p *payment.Payment, f *card.Facts, salt string, rates func(a health.Account, of health.Slice) (approved, total float64)) (
	out []*account.Account, explores bool) {
	explore, sure, first := 20.0, 5.0, 1.0
	if x := c.Config; x != nil {
		if x.Exploration != nil {
			explore = *x.Exploration
		}
		if x.MinAggregates != nil {
			sure = float64(*x.MinAggregates)
		}
		if x.DefaultRate != nil {
			first = *x.DefaultRate / 100
		}
	}
	if rule.Draw([]int{int(explore * 100), int((100 - explore) * 100)}, p.ID, "explore/"+salt) == 0 {
		even := make([]int, len(list))
		for i := range even {
			even[i] = 1
		}
		i := rule.Draw(even, p.ID, "explored/"+salt)
		out = append(append(out, list[i]), list[:i]...)
		return append(out, list[i+1:]...), true
	}
	slice := health.Slice{Currency: string(p.Currency), Network: string(f.Network), Country: f.CountryCode}
	if len(c.Params) > 0 {
		for name, value := range map[string]*string{"Currency": &slice.Currency, "CardNetwork": &slice.Network, "Country": &slice.Country} {
			if !slices.Contains(c.Params, name) {
				*value = ""
			}
		}
	}
	type scored struct {
		account *account.Account
		value   float64
		ahead   bool // its guaranteed share is not reached
	}
	all, sum := make([]scored, len(list)), 0.0
	totals := make([]float64, len(list))
	for i, a := range list {
		approved, total := rates(keyOf(a), health.Slice{})
		totals[i], sum = total, sum+total
		rate := shrunk(approved, total, first, sure)
		if slice != (health.Slice{}) {
			approved, total = rates(keyOf(a), slice)
			rate = shrunk(approved, total, rate, sure)
		}
		all[i] = scored{account: a, value: c.value(a.ID, rate, p, f)}
	}
	for i := range all {
		share := 0.0
		if c.Costs != nil {
			for _, g := range c.Costs.Guaranteed {
				if g.Account == all[i].account.ID {
					share = g.Percent / 100
				}
			}
		}
		all[i].ahead = share > 0 && totals[i] < share*(sum+1)
	}
	slices.SortStableFunc(all, func(x, y scored) int {
		if x.ahead != y.ahead {
			return map[bool]int{true: -1, false: 1}[x.ahead]
		}
		return cmp.Compare(y.value, x.value)
	})
	for _, s := range all {
		out = append(out, s.account)
	}
	return out, false
}

// shrunk returns a success rate. Few attempts hardly move it away from the rate that was expected.
func shrunk(approved, total, expected, sure float64) float64 {
	if total+sure == 0 {
		return expected
	}
	return (approved + expected*sure) / (total + sure)
}

// value is what a payment is expected to earn at an account: the success rate times the margin, less the fee. Without costs it is the rate.
func (c *SuccessConfig) value(accountID string, rate float64, p *payment.Payment, f *card.Facts) float64 {
	if c.Costs == nil || c.Costs.Margin == nil {
		return rate
	}
	amount := float64(p.NetAmount)
	value := rate * amount * *c.Costs.Margin / 100
	for _, fee := range c.Costs.Fees {
		if fee.Account == accountID && fee.holds(p, f) {
			return value - float64(fee.Fixed) - amount*fee.Percent/100
		}
	}
	return value
}

func (f *Fee) holds(p *payment.Payment, facts *card.Facts) bool {
	return (f.Network == "" || f.Network == string(facts.Network)) && (f.Type == "" || strings.EqualFold(f.Type, facts.Type)) &&
		(f.Currency == "" || f.Currency == string(p.Currency)) && (len(f.Countries) == 0 || slices.Contains(f.Countries, facts.CountryCode))
}

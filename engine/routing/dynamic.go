package routing

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/engine/routing/rank"
	"payswitch/engine/routing/rule"
)

// KindDynamic is the kind of a configuration that ranks accounts by what they have achieved. Its name says which rank.Kind it has.
const KindDynamic routed.AlgorithmType = "dynamic"

// Feature is what dynamic routing may do. Its constants are the API's values.
type Feature string

const (
	FeatureNone      Feature = "none"
	FeatureMetrics   Feature = "metrics"
	FeatureSelection Feature = "dynamic_connector_selection"
)

// dynamicKind describes where a profile keeps its configuration of one kind of dynamic routing.
type dynamicKind struct {
	slot func(d *account.DynamicRouting) (id *string, metricsOnly *bool)
	off  string // the message where it is off already
}

var dynamicKinds = map[rank.Kind]dynamicKind{
	rank.Success: {func(d *account.DynamicRouting) (*string, *bool) { return &d.Success, &d.MetricsOnly }, "Success rate based routing is already disabled"},
	rank.Elimination: {func(d *account.DynamicRouting) (*string, *bool) { return &d.Elimination, &d.EliminationMetrics },
		"Elimination routing is already disabled"},
	rank.Contract: {func(d *account.DynamicRouting) (*string, *bool) { return &d.Contract, &d.ContractMetrics }, "Contract routing is already disabled"},
}

// storedDynamic is the stored form of a dynamic configuration. The json names are storage format.
type storedDynamic struct {
	Type  routed.AlgorithmType `json:"type"`
	Data  json.RawMessage      `json:"data"`
	Began int64                `json:"began,omitempty"` // Unix seconds from which contracts count; 0 for the creation of the configuration
}

// ToggleDynamic switches a kind of dynamic routing on or off for a profile. raw is a configuration: it is then stored and not active, or active if activate is
// true. nil stores the default configuration and makes it active. Errors: HE_02 and IR_16 for the profile, IR_06 (422) for the configuration, IR_16 if it is
// off already.
func (s *Rules) ToggleDynamic(ctx context.Context, a account.Auth, profileID string, kind rank.Kind, feature Feature, raw json.RawMessage, activate bool) (c *Config, err error) {
	err = s.update(ctx, "change dynamic routing", func(tx Tx) error {
		p, err := ofProfile(tx, a, profileID)
		if err != nil {
			return err
		}
		if feature == FeatureNone {
			c, err = disableDynamic(tx, p, kind)
			return err
		}
		data := rank.Default(kind)
		if raw != nil {
			data = raw
		}
		if c, err = insertDynamic(tx, p, kind, data, 0); err != nil {
			return err
		}
		if raw != nil && !activate {
			return nil
		}
		return setDynamic(tx, p, c, feature == FeatureMetrics)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

func disableDynamic(tx Tx, p *account.Profile, kind rank.Kind) (*Config, error) {
	of := dynamicKinds[kind]
	id, metricsOnly := of.slot(&p.Settings.Dynamic)
	if *id == "" {
		return nil, fault.Refused(of.off).WithParam("enable").WithHint("Nothing needs to be changed.")
	}
	c, err := tx.RoutingConfig(p.MerchantID, *id)
	if err != nil {
		return nil, fault.IfMissing(err, noResource())
	}
	*id, *metricsOnly, p.ModifiedAt = "", false, tx.Now()
	return c, tx.UpdateProfile(p)
}

// insertDynamic checks and stores a configuration.
func insertDynamic(tx Tx, p *account.Profile, kind rank.Kind, data json.RawMessage, began int64) (*Config, error) {
	all, err := tx.Accounts(p.MerchantID)
	if err != nil {
		return nil, err
	}
	data, bad := rank.Check(kind, data, func(id string) bool {
		return slices.ContainsFunc(all, func(x *account.Account) bool { return x.ID == id && x.ProfileID == p.ID })
	})
	if bad != nil {
		return nil, bad
	}
	if n, err := tx.CountRoutingConfigs(p.MerchantID); err != nil {
		return nil, err
	} else if n >= maxConfigs {
		return nil, fault.Refused("A merchant has at most 100 routing configurations").WithParam("profile_id").WithHint("Use one of the merchant's configurations.")
	}
	c := &Config{MerchantID: p.MerchantID, ID: ids.New("routing_"), ProfileID: p.ID, Kind: KindDynamic, TransactionType: routed.ForPayment, Name: string(kind),
		CreatedAt: tx.Now(), ModifiedAt: tx.Now()}
	if c.Algorithm, err = json.Marshal(storedDynamic{KindDynamic, data, began}); err != nil {
		return nil, fault.Internal(err, "encode the configuration")
	}
	return c, tx.InsertRoutingConfig(c)
}

// setDynamic makes a configuration the profile's one for its kind of dynamic routing.
func setDynamic(tx Tx, p *account.Profile, c *Config, metricsOnly bool) error {
	id, metrics := dynamicKinds[rank.Kind(c.Name)].slot(&p.Settings.Dynamic)
	*id, *metrics, p.ModifiedAt = c.ID, metricsOnly, tx.Now()
	return tx.UpdateProfile(p)
}

// activateDynamic makes a configuration the active one. Errors: IR_16 if it is.
func activateDynamic(tx Tx, p *account.Profile, c *Config) error {
	if id, metricsOnly := dynamicKinds[rank.Kind(c.Name)].slot(&p.Settings.Dynamic); *id == c.ID && !*metricsOnly {
		return fault.Refused("Algorithm is already active").WithParam("routing_id").WithHint("Nothing needs to be changed.")
	}
	return setDynamic(tx, p, c, false)
}

// UpdateDynamic merges a part of a configuration into a stored one, and stores the result as a new configuration that is not active. Contracts keep the time
// from which they count. Errors: HE_02 and IR_16 for the profile, HE_02 for the configuration, IR_06 (422) for what is sent.
func (s *Rules) UpdateDynamic(ctx context.Context, a account.Auth, profileID string, kind rank.Kind, id string, raw json.RawMessage) (c *Config, err error) {
	err = s.update(ctx, "change dynamic routing", func(tx Tx) error {
		p, err := ofProfile(tx, a, profileID)
		if err != nil {
			return err
		}
		old, err := configOf(tx, a, id)
		if err != nil {
			return err
		}
		if old.Kind != KindDynamic || old.Name != string(kind) || old.ProfileID != p.ID {
			return noResource()
		}
		stored, err := readDynamic(old)
		if err != nil {
			return err
		}
		if _, bad := rank.Check(kind, raw, func(string) bool { return true }); bad != nil {
			return bad
		}
		data, err := rank.Merge(stored.Data, raw)
		if err != nil {
			return fault.Internal(err, "merge the configuration")
		}
		began := stored.Began
		if began == 0 {
			began = old.CreatedAt.Unix()
		}
		c, err = insertDynamic(tx, p, kind, data, began)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

func readDynamic(row *Config) (*storedDynamic, error) {
	stored := &storedDynamic{}
	if err := json.Unmarshal(row.Algorithm, stored); err != nil || stored.Data == nil {
		return nil, fault.Internal(err, "read a configuration of dynamic routing")
	}
	return stored, nil
}

// Shown returns the algorithm of a configuration as answers show it.
func (c *Config) Shown() json.RawMessage {
	if c.Kind == KindDynamic {
		if stored, err := readDynamic(c); err == nil {
			return stored.Data
		}
	}
	return c.Algorithm
}

// VolumeSplit returns the share of a profile's payments that dynamic routing routes, in percent. Errors: HE_02.
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

// SetVolumeSplit changes the share of payments that dynamic routing routes. Errors: HE_02; IR_06 (422) beyond 100.
func (s *Rules) SetVolumeSplit(ctx context.Context, a account.Auth, profileID string, split int) error {
	if split < 0 || split > 100 {
		return fault.Unprocessable("split", "Dynamic routing volume split should be less than 100").WithHint("Send a whole number from 0 to 99.")
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

// ranking is a configuration of dynamic routing in the form that payments use.
type ranking struct {
	id     string
	config rank.Config
	began  time.Time // contracts count from here
}

// rankingOf returns a configuration of dynamic routing. It reads the store once for each.
func (s *Rules) rankingOf(ctx context.Context, merchantID, id string) (*ranking, error) {
	key := merchantID + "/" + id
	if c, ok := s.rankings.get(key); ok {
		return c, nil
	}
	var row *Config
	if err := s.Store.View(ctx, func(r Reader) (err error) { row, err = r.RoutingConfig(merchantID, id); return err }); err != nil {
		return nil, err
	}
	stored, err := readDynamic(row)
	if err != nil {
		return nil, err
	}
	c := &ranking{id: id, began: row.CreatedAt}
	if stored.Began > 0 {
		c.began = time.Unix(stored.Began, 0)
	}
	if c.config, err = rank.Read(rank.Kind(row.Name), stored.Data); err != nil {
		return nil, fault.Internal(err, "read a configuration of dynamic routing")
	}
	s.rankings.put(key, c, 0)
	return c, nil
}

// rank orders the candidates by what they have achieved, where the profile wants it: by success and cost. Accounts that are behind the volume of
// their contract then come first. It marks those to eliminate. A payment that names its accounts keeps their order.
func (t *Router) rank(ctx context.Context, c *candidates, p *payment.Payment, profile *account.Profile, f *card.Facts) {
	d := &profile.Settings.Dynamic
	if c.named || len(c.list) < 2 || d.Success == "" && d.Elimination == "" && d.Contract == "" || rule.Draw([]int{d.Share(), 100 - d.Share()}, p.ID, "split/"+profile.ID) != 0 {
		return
	}
	by := func(r *ranking, stage routed.Stage) {
		c.own = len(c.list)
		c.trace.By, c.trace.Config, c.trace.Rule, c.trace.Split = stage, r.id, 0, false
	}
	if r := t.ranking(ctx, c, p, rank.Success, d); r != nil {
		config, _ := r.config.(*rank.SuccessConfig)
		var explores bool
		if c.list, explores = config.Order(c.list, p, f, r.id, t.Health); explores {
			by(r, routed.ByExploration)
		} else {
			by(r, routed.BySuccess)
		}
	}
	if r := t.ranking(ctx, c, p, rank.Contract, d); r != nil {
		config, _ := r.config.(*rank.ContractConfig)
		var behind int
		if c.list, behind = config.Order(c.list, r.began, t.Now(), t.Health); behind > 0 {
			by(r, routed.ByContract)
		}
	}
	if r := t.ranking(ctx, c, p, rank.Elimination, d); r != nil {
		c.elimination, _ = r.config.(*rank.EliminationConfig)
	}
}

// ranking returns the configuration of a kind that orders a profile's candidates, nil for none. One that cannot be read orders nothing.
func (t *Router) ranking(ctx context.Context, c *candidates, p *payment.Payment, kind rank.Kind, d *account.DynamicRouting) *ranking {
	id, metricsOnly := dynamicKinds[kind].slot(d)
	if *id == "" || *metricsOnly {
		return nil
	}
	r, err := t.Rules.rankingOf(ctx, p.MerchantID, *id)
	if err != nil {
		c.trace.Failed = "a configuration of dynamic routing cannot be read"
		t.Metrics.Alarm(alarm.RoutingUnreadable)
		t.Log.LogAttrs(ctx, slog.LevelError, "a configuration of dynamic routing cannot be read; payments keep their order", slog.String("payment_id", p.ID),
			slog.String("configuration", *id), slog.Any("error", err))
		return nil
	}
	return r
}

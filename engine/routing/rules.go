package routing

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/routed"
	"payswitch/engine/routing/rule"
)

// Rules has the use cases of routing configurations, default lists, decisions, error rules and config keys. Safe for concurrent use.
type Rules struct {
	RulesDeps

	compiling sync.Mutex               // held while a program is compiled: payments at a time compile it once
	programs  cache[*Compiled]         // by merchant id and configuration id
	merchants cache[*merchantPrograms] // by merchant id
	rankings  cache[*ranking]          // by merchant id and configuration id
}

// RulesDeps are the parts that Rules is built from. BINTable may be nil.
type RulesDeps struct {
	Store      Store
	Registry   *account.Registry
	Connectors port.Connectors
	Metrics    port.Metrics
	BINTable   *card.BINTable
	Limits     Limits // of the connectors; nil limits nothing
}

// NewRules builds Rules. It checks nothing and starts nothing.
func NewRules(d RulesDeps) *Rules { return &Rules{RulesDeps: d} }

// cache holds compiled programs. A configuration never changes, so that its compiled form never gets old.
type cache[T any] struct {
	mu    sync.RWMutex
	m     map[string]T
	bytes int
}

// Limits of a cache: entries, and bytes of the programs' texts. A full cache starts again.
const (
	cachedPrograms = 1024
	cachedBytes    = 32 << 20
)

func (c *cache[T]) get(key string) (v T, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok = c.m[key]
	return v, ok
}

// put keeps an entry whose text has a number of bytes.
func (c *cache[T]) put(key string, v T, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || len(c.m) >= cachedPrograms || c.bytes+bytes > cachedBytes {
		c.m, c.bytes = make(map[string]T), 0
	}
	c.m[key] = v
	c.bytes += bytes
}

// Compiled is a configuration in the form that payments evaluate.
type Compiled struct {
	ID        string
	Algorithm *rule.Algorithm
	Program   *rule.Program // nil for an algorithm without rules
}

// Choose returns the choices of the algorithm for an input, and the index of the rule that matched: -1 for the default selection, and for an
// algorithm without rules. seed, the payment's id, decides volume splits. split is true if a split was drawn.
func (c *Compiled) Choose(in *rule.Input, seed string) (list []rule.Choice, matched int, split bool) {
	list, matched, split = c.Algorithm.Choices, -1, c.Algorithm.Type == routed.VolumeSplit
	if c.Program != nil {
		matched = c.Program.Match(in)
		s := &c.Algorithm.Source.Default
		if matched >= 0 {
			s = &c.Algorithm.Source.Rules[matched].Selection
		}
		list, split = s.Choices, s.Type == routed.VolumeSplit
	}
	if split {
		list = drawn(list, seed, c.ID)
	}
	return list, matched, split
}

// drawn puts the drawn entry of a volume split first. A split without weights gives no list.
func drawn(list []rule.Choice, seed, salt string) []rule.Choice {
	weights := make([]int, len(list))
	for i := range list {
		weights[i] = list[i].Split
	}
	i := rule.Draw(weights, seed, salt)
	if i < 0 {
		return nil
	}
	out := make([]rule.Choice, 0, len(list))
	out = append(out, list[i])
	out = append(out, list[:i]...)
	return append(out, list[i+1:]...)
}

// compiled returns a configuration of a merchant, compiled. It reads the store once for each configuration.
func (s *Rules) compiled(ctx context.Context, merchantID, id string) (*Compiled, error) {
	key := merchantID + "/" + id
	if c, ok := s.programs.get(key); ok {
		return c, nil
	}
	s.compiling.Lock()
	defer s.compiling.Unlock()
	if c, ok := s.programs.get(key); ok {
		return c, nil
	}
	var row *Config
	err := s.Store.View(ctx, func(r Reader) (err error) { row, err = r.RoutingConfig(merchantID, id); return err })
	if err != nil {
		return nil, err
	}
	c, err := compile(row)
	if err == nil {
		s.programs.put(key, c, len(row.Algorithm))
	}
	return c, err
}

// compile makes the form of a stored configuration that payments evaluate. Connectors that are no longer installed stay in it: an eligible
// account needs an adapter.
func compile(row *Config) (*Compiled, error) {
	a, err := rule.ParseAlgorithm(row.Algorithm, nil)
	if err != nil {
		return nil, err
	}
	c := &Compiled{ID: row.ID, Algorithm: a}
	if a.Source != nil {
		c.Program = rule.Compile(a.Source)
	}
	return c, nil
}

// RoutedOf says how attempts came to their accounts. A rule's name is "" if its configuration cannot be read.
func (s *Rules) RoutedOf(ctx context.Context, attempts []*payment.Attempt) []change.Routed {
	list := []change.Routed{}
	for _, a := range attempts {
		if r := a.Details.Routed; r != nil {
			next := change.Routed{Trace: r, AttemptID: a.ID, Connector: a.Connector, AccountID: a.AccountID, Rule: s.ruleName(ctx, a.MerchantID, r)}
			if m := a.Details.Scheme; m != nil {
				next.Scheme = m.Standing
			}
			list = append(list, next)
		}
	}
	return list
}

// ruleName returns the name of the rule that routed an attempt, "" for none.
func (s *Rules) ruleName(ctx context.Context, merchantID string, r *routed.Trace) string {
	if r.Rule == 0 {
		return ""
	}
	c, err := s.compiled(ctx, merchantID, r.Config)
	if err != nil || c.Algorithm.Source == nil || r.Rule > len(c.Algorithm.Source.Rules) {
		return ""
	}
	return c.Algorithm.Source.Rules[r.Rule-1].Name
}

// known reports whether an adapter serves a connector.
func (s *Rules) known(connector string) bool {
	_, ok := s.Connectors.Adapter(connector)
	return ok
}

// update runs one write of configuration. On this node it counts as soon as update returns.
func (s *Rules) update(ctx context.Context, doing string, f func(tx Tx) error) error {
	err := s.Store.Update(ctx, f)
	s.Registry.Changed()
	return fault.FromStore(err, doing)
}

func (s *Rules) view(ctx context.Context, doing string, f func(r Reader) error) error {
	return fault.FromStore(s.Store.View(ctx, f), doing)
}

func noResource() *fault.Error { return fault.NotFound("Resource ID") }

// ofProfile reads a profile. A profile other than the caller's is IR_16.
func ofProfile(r Reader, a account.Auth, id string) (*account.Profile, error) {
	p, err := r.Profile(a.MerchantID, id)
	if err != nil {
		return nil, fault.IfMissing(err, account.ProfileNotFound(id).WithParam("profile_id"))
	}
	if a.ProfileID != "" && a.ProfileID != id {
		return nil, fault.Refused("Profile id authentication failed. Please use the correct JWT token").WithParam("profile_id").
			WithHint("The header X-Profile-Id limits the call to the profile " + a.ProfileID + ".")
	}
	return p, nil
}

// refusedProgram turns the error of a program in a field into the API's.
func (s *Rules) refusedProgram(err error, field string) error {
	bad := (*rule.Error)(nil)
	if !errors.As(err, &bad) {
		return fault.Internal(err, "read the program")
	}
	hint := cmp.Or(bad.Hint, "Mend the program as the message says.")
	if bad.Connector != "" {
		var names []string
		for _, a := range s.Connectors.Adapters() {
			names = append(names, a.Connector)
		}
		hint = fault.NameHint(bad.Connector, names, "Send the name of a connector in lower case.")
	}
	if bad.Malformed {
		return fault.Malformed(bad.ParamIn(field), bad.Error()).WithHint(hint)
	}
	return fault.Unprocessable(bad.ParamIn(field), "The routing program cannot be evaluated: "+bad.Error()).WithHint(hint)
}

// accountsOf returns the accounts that a choice stands for: the account that it names, or the profile's accounts of its connector in the
// order of creation.
func accountsOf(all []*account.Account, connector, id string) []*account.Account {
	var out []*account.Account
	for _, a := range all {
		if a.Connector == connector && (id == "" || id == a.ID) {
			out = append(out, a)
		}
	}
	return out
}

// processors returns the payment processors among a merchant's accounts of a profile.
func processors(all []*account.Account, profileID string) []*account.Account {
	return slices.DeleteFunc(slices.Clone(all), func(a *account.Account) bool { return a.Type != account.TypeProcessor || a.ProfileID != profileID })
}

// choiceOf returns an account as a choice.
func choiceOf(a *account.Account) routed.Choice {
	return routed.Choice{Connector: a.Connector, AccountID: a.ID}
}

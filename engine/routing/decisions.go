package routing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/routed"
	"payswitch/engine/routing/rule"
)

// Kinds of the programs of a merchant.
const (
	kindManager   routed.AlgorithmType = "decision_manager"
	kindSurcharge routed.AlgorithmType = "surcharge"
)

// Fields of a merchant account that name its programs in force. Answers do not show them.
const (
	fieldManager   = "routing_decision_manager"
	fieldSurcharge = "routing_surcharge"
)

// Decision is a program of a merchant: the decision manager of 3-D Secure, or the surcharges.
type Decision struct {
	*Config
	Program   json.RawMessage
	Surcharge json.RawMessage // merchant_surcharge_configs; nil for the decision manager
}

// DecisionInput is such a program as sent. nil means that the field was not sent.
type DecisionInput struct {
	Name      *string
	Program   json.RawMessage
	Field     string          // the field of the program: algorithm, or program
	Surcharge json.RawMessage // merchant_surcharge_configs
}

// decisionKind describes one of the two programs of a merchant.
type decisionKind struct {
	kind    routed.AlgorithmType
	field   string
	purpose rule.Purpose
}

var (
	managerKind   = decisionKind{kindManager, fieldManager, rule.Manager}
	surchargeKind = decisionKind{kindSurcharge, fieldSurcharge, rule.Surcharge}
)

// storedDecision is the stored form of a Decision's programs.
type storedDecision struct {
	Program   json.RawMessage `json:"program"`
	Surcharge json.RawMessage `json:"merchant_surcharge_configs,omitempty"`
}

// PutDecision replaces the merchant's decision manager. It keeps the first name. Errors: IR_04 for a field that the first PUT lacks, IR_06
// (422) for an invalid program.
func (s *Rules) PutDecision(ctx context.Context, a account.Auth, in DecisionInput) (*Decision, error) {
	return s.putDecision(ctx, a, managerKind, in)
}

// PutSurcharge replaces the merchant's surcharges, with the errors of PutDecision. The name can change.
func (s *Rules) PutSurcharge(ctx context.Context, a account.Auth, in DecisionInput) (*Decision, error) {
	if in.Surcharge == nil {
		return nil, fault.Missing("merchant_surcharge_configs")
	}
	return s.putDecision(ctx, a, surchargeKind, in)
}

func (s *Rules) putDecision(ctx context.Context, a account.Auth, k decisionKind, in DecisionInput) (d *Decision, err error) {
	var program json.RawMessage
	if in.Program != nil {
		source, err := rule.Parse(in.Program, rule.Form{Purpose: k.purpose})
		if err != nil {
			e := fault.Unprocessable(in.Field, "Invalid Request Data").WithHint("Mend the program as reason says.")
			if bad := (*rule.Error)(nil); errors.As(err, &bad) {
				e.Param, e.Hint = bad.ParamIn(in.Field), cmp.Or(bad.Hint, e.Hint)
			}
			e.Reason = err.Error()
			return nil, e
		}
		if program, err = json.Marshal(source); err != nil {
			return nil, fault.Internal(err, "encode the program")
		}
	}
	err = s.update(ctx, "store decision program", func(tx Tx) error {
		m, old, err := decisionOf(tx, a, k)
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return err
		}
		switch {
		case program == nil && (old == nil || k.kind == kindManager):
			return fault.Missing(in.Field)
		case old == nil && in.Name == nil:
			return fault.Missing("name")
		}
		c := &Config{MerchantID: a.MerchantID, ID: ids.New("decision_"), Kind: k.kind, CreatedAt: tx.Now(), ModifiedAt: tx.Now()}
		stored := storedDecision{Program: program, Surcharge: in.Surcharge}
		if old != nil {
			c.Name, c.CreatedAt = old.Name, old.CreatedAt
			if stored.Program == nil {
				stored.Program = old.Program
			}
			if err := tx.DeleteRoutingConfig(a.MerchantID, old.ID); err != nil {
				return err
			}
		}
		if in.Name != nil && (old == nil || k.kind == kindSurcharge) {
			c.Name = *in.Name
		}
		if c.Algorithm, err = json.Marshal(stored); err != nil {
			return fault.Internal(err, "encode the program")
		}
		if err := tx.InsertRoutingConfig(c); err != nil {
			return err
		}
		d = &Decision{Config: c, Program: stored.Program, Surcharge: stored.Surcharge}
		return setDecision(tx, m, k, c.ID)
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

func setDecision(tx Tx, m *account.Merchant, k decisionKind, id string) error {
	var v any
	if id != "" {
		v = id
	}
	if err := setDetail(m, k.field, v); err != nil {
		return err
	}
	m.ModifiedAt = tx.Now()
	return tx.UpdateMerchant(m)
}

// decisionOf reads a program of the merchant. Without a program it returns HE_02 (and ErrNotFound) together with the merchant.
func decisionOf(r Reader, a account.Auth, k decisionKind) (*account.Merchant, *Decision, error) {
	m, err := r.Merchant(a.MerchantID)
	if err != nil {
		return nil, nil, fault.IfMissing(err, fault.NotFound("Merchant account"))
	}
	none := noResource()
	none.Err = fault.ErrNotFound
	id := decisionID(m, k)
	if id == "" {
		return m, nil, none
	}
	c, err := r.RoutingConfig(a.MerchantID, id)
	if err != nil {
		return m, nil, fault.IfMissing(err, none)
	}
	var stored storedDecision
	if err := json.Unmarshal(c.Algorithm, &stored); err != nil {
		return m, nil, fault.Internal(err, "read the program")
	}
	return m, &Decision{Config: c, Program: stored.Program, Surcharge: stored.Surcharge}, nil
}

func decisionID(m *account.Merchant, k decisionKind) (id string) {
	if raw := account.DetailsOf(m.Details)[k.field]; len(raw) > 0 {
		_ = json.Unmarshal(raw, &id) // payswitch wrote the text
	}
	return id
}

// ReadDecision reads the merchant's decision manager. Errors: HE_02.
func (s *Rules) ReadDecision(ctx context.Context, a account.Auth) (*Decision, error) {
	return s.readDecision(ctx, a, managerKind)
}

// ReadSurcharge reads the merchant's surcharges. Errors: HE_02.
func (s *Rules) ReadSurcharge(ctx context.Context, a account.Auth) (*Decision, error) {
	return s.readDecision(ctx, a, surchargeKind)
}

func (s *Rules) readDecision(ctx context.Context, a account.Auth, k decisionKind) (d *Decision, err error) {
	err = s.view(ctx, "read decision program", func(r Reader) (err error) { _, d, err = decisionOf(r, a, k); return err })
	return d, err
}

// DeleteDecision removes the merchant's decision manager. Errors: HE_02.
func (s *Rules) DeleteDecision(ctx context.Context, a account.Auth) error {
	return s.deleteDecision(ctx, a, managerKind)
}

// DeleteSurcharge removes the merchant's surcharges. Errors: HE_02.
func (s *Rules) DeleteSurcharge(ctx context.Context, a account.Auth) error {
	return s.deleteDecision(ctx, a, surchargeKind)
}

func (s *Rules) deleteDecision(ctx context.Context, a account.Auth, k decisionKind) error {
	return s.update(ctx, "delete decision program", func(tx Tx) error {
		m, d, err := decisionOf(tx, a, k)
		if err != nil {
			return err
		}
		if err := tx.DeleteRoutingConfig(a.MerchantID, d.ID); err != nil {
			return err
		}
		return setDecision(tx, m, k, "")
	})
}

// merchantPrograms are the programs of a merchant, compiled. They hold as long as the directory returns the same merchant.
type merchantPrograms struct {
	of                       *account.Merchant
	manager, surcharge       *Compiled // nil without one
	managerErr, surchargeErr error     // why a program cannot be evaluated
	showBreakup              bool
}

// managerOf returns the compiled decision manager of a merchant, nil without one.
func (s *Rules) managerOf(ctx context.Context, m *account.Merchant) (*Compiled, error) {
	p, err := s.programsOf(ctx, m)
	if err != nil {
		return nil, err
	}
	return p.manager, p.managerErr
}

// programsOf returns the programs of a merchant. It reads the store once for each version of the merchant. An error of the store is not kept.
func (s *Rules) programsOf(ctx context.Context, m *account.Merchant) (*merchantPrograms, error) {
	if p, ok := s.merchants.get(m.ID); ok && p.of == m {
		return p, nil
	}
	p, size := &merchantPrograms{of: m}, 0
	read := func(k decisionKind) (c *Compiled, configs json.RawMessage, bad, err error) {
		if decisionID(m, k) == "" {
			return nil, nil, nil, nil
		}
		d, err := s.readDecision(ctx, account.Auth{MerchantID: m.ID}, k)
		if errors.Is(err, fault.ErrNotFound) { // the merchant was changed a moment ago, and its next version names the program in force
			return nil, nil, nil, nil
		}
		if err != nil {
			return nil, nil, nil, err
		}
		source, bad := rule.Parse(d.Program, rule.Form{Purpose: k.purpose})
		if bad != nil {
			return nil, nil, bad, nil
		}
		size += len(d.Program)
		return &Compiled{ID: d.ID, Algorithm: &rule.Algorithm{Source: source}, Program: rule.Compile(source)}, d.Surcharge, nil, nil
	}
	var err error
	var configs json.RawMessage
	if p.manager, _, p.managerErr, err = read(managerKind); err != nil {
		return nil, err
	}
	if p.surcharge, configs, p.surchargeErr, err = read(surchargeKind); err != nil {
		return nil, err
	}
	p.showBreakup = showsBreakup(configs)
	s.merchants.put(m.ID, p, size)
	return p, nil
}

// selection returns the selection that a program gives for an input.
func (c *Compiled) selection(in *rule.Input) *rule.Selection {
	if i := c.Program.Match(in); i >= 0 {
		return &c.Algorithm.Source.Rules[i].Selection
	}
	return &c.Algorithm.Source.Default
}

// psd2 are the countries whose issuers and acquirers must authenticate (PSD2), by rules' names.
var psd2 = []string{"Austria", "Belgium", "Bulgaria", "Croatia", "Cyprus", "Czechia", "Denmark", "Estonia", "Finland", "France", "Germany", "Greece",
	"Hungary", "Ireland", "Italy", "Latvia", "Lithuania", "Luxembourg", "Malta", "Netherlands", "Poland", "Portugal", "Romania", "Slovakia",
	"Slovenia", "Spain", "Sweden"}

// correct applies PSD2 to a 3DS decision: within its countries, a payment is authenticated or claims an exemption; elsewhere there is no
// exemption to claim.
func correct(decision rule.Decision, in *rule.Input) rule.Decision {
	inside := slices.Contains(psd2, in.EnumName(rule.IssuerCountry)) && slices.Contains(psd2, in.EnumName(rule.AcquirerCountry))
	if inside == (decision == rule.DecideNoThreeDS) {
		return rule.DecideChallenge
	}
	return decision
}

// DecideThreeDS evaluates a 3DS decision rule, active or not, with made-up facts. Errors: HE_02; IR_16 for a configuration of another kind.
func (s *Rules) DecideThreeDS(ctx context.Context, a account.Auth, id string, in *rule.Input) (rule.Decision, error) {
	c, err := s.Routing(ctx, a, id)
	if err != nil {
		return "", err
	}
	if c.Kind != routed.ThreeDSDecides {
		return "", fault.Refused("The routing configuration " + id + " is of kind " + string(c.Kind) + "; expected " + string(routed.ThreeDSDecides)).WithHint("Send the id of a configuration of kind " + string(routed.ThreeDSDecides) + ".").WithParam("routing_id")
	}
	p, err := s.compiled(ctx, a.MerchantID, id)
	if err != nil {
		return "", fault.Refused("The routing configuration " + id + " cannot be evaluated: " + err.Error()).WithHint("Mend the configuration's program.").WithParam("routing_id")
	}
	return correct(p.selection(in).Decision, in), nil
}

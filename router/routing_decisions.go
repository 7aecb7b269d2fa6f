package router

import (
	"context"
	"encoding/json"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/routing"
	"payswitch/engine/routing/rule"
)

// decisionAdmin are the engine's use cases of decision programs. *engine.Engine implements them.
type decisionAdmin interface {
	PutDecision(ctx context.Context, a account.Auth, in routing.DecisionInput) (*routing.Decision, error)
	ReadDecision(ctx context.Context, a account.Auth) (*routing.Decision, error)
	DeleteDecision(ctx context.Context, a account.Auth) error
	PutSurcharge(ctx context.Context, a account.Auth, in routing.DecisionInput) (*routing.Decision, error)
	ReadSurcharge(ctx context.Context, a account.Auth) (*routing.Decision, error)
	DeleteSurcharge(ctx context.Context, a account.Auth) error
	SurchargesFor(ctx context.Context, m *account.Merchant, profile *account.Profile, p *payment.Payment) (*routing.Surcharges, error)
	OrderOffers(ctx context.Context, profile *account.Profile, p *payment.Payment, all []*account.Account) func(method, kind string) []*account.Account
	DecideThreeDS(ctx context.Context, a account.Auth, id string, in *rule.Input) (rule.Decision, error)
}

// programField reads a program, and notes the field that it came in.
func programField(name string) field[routing.DecisionInput] {
	return field[routing.DecisionInput]{key: name, read: func(r *reader, in *routing.DecisionInput) (err error) {
		in.Field = name
		in.Program, err = anyObject(r)
		return err
	}}
}

var (
	decisionName           = opt("name", text, func(in *routing.DecisionInput) **string { return &in.Name })
	decisionFields         = closedObject(decisionName, programField("algorithm"), programField("program"))
	surchargeProgramFields = closedObject(decisionName, programField("algorithm"),
		at("merchant_surcharge_configs", surchargeConfigs, func(in *routing.DecisionInput) *json.RawMessage { return &in.Surcharge }))
	surchargeConfigs = record(false, member("show_surcharge_breakup_screen", boolean))
)

func (s *Server) putDecision(c *call) (answer, error) {
	in := routing.DecisionInput{Field: "algorithm"}
	if err := decode(c, decisionFields, &in); err != nil {
		return answer{}, err
	}
	return decisionAnswer(s.Admin.PutDecision(c.ctx(), c.auth, in))
}

func (s *Server) retrieveDecision(c *call) (answer, error) {
	return decisionAnswer(s.Admin.ReadDecision(c.ctx(), c.auth))
}

func (s *Server) deleteDecision(c *call) (answer, error) {
	return emptyAnswer(), s.Admin.DeleteDecision(c.ctx(), c.auth)
}

func decisionAnswer(d *routing.Decision, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().str("name", d.Name).raw("program", d.Program)
	return w.int("created_at", d.CreatedAt.Unix()).int("modified_at", d.ModifiedAt.Unix()).close().answer(), nil
}

func (s *Server) putSurcharge(c *call) (answer, error) {
	in := routing.DecisionInput{Field: "algorithm"}
	if err := decode(c, surchargeProgramFields, &in); err != nil {
		return answer{}, err
	}
	return surchargeAnswer(s.Admin.PutSurcharge(c.ctx(), c.auth, in))
}

func (s *Server) retrieveSurcharge(c *call) (answer, error) {
	return surchargeAnswer(s.Admin.ReadSurcharge(c.ctx(), c.auth))
}

func (s *Server) deleteSurcharge(c *call) (answer, error) {
	return emptyAnswer(), s.Admin.DeleteSurcharge(c.ctx(), c.auth)
}

func surchargeAnswer(d *routing.Decision, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().str("name", d.Name).raw("merchant_surcharge_configs", d.Surcharge).raw("algorithm", d.Program)
	return w.int("created_at", d.CreatedAt.Unix()).int("modified_at", d.ModifiedAt.Unix()).close().answer(), nil
}

// executed is the body of /three_ds_decision/execute: the id of a rule, and made-up facts of a payment.
type executed struct {
	id    string
	input rule.Input
}

// fact reads a value of an enum key of rules.
func fact(key string, k rule.Key) field[executed] {
	return field[executed]{key: key, read: func(r *reader, e *executed) error {
		v, err := text(r)
		if err == nil && !e.input.SetEnum(k, v) {
			err = r.fail("unknown variant `"+shownText([]byte(v))+"`", "Send a value of "+k.Name()+" as rules name it.")
		}
		return err
	}}
}

func factText(key string, k rule.Key) field[executed] {
	return field[executed]{key: key, read: func(r *reader, e *executed) error {
		v, err := text(r)
		e.input.SetText(k, v)
		return err
	}}
}

// within reads an object whose fields are facts.
func within(key string, closed bool, fields ...field[executed]) field[executed] {
	o := newObject(closed, fields...)
	return field[executed]{key: key, read: func(r *reader, e *executed) error { return o.into(r, e) }}
}

var executeFields = closedObject(
	must(at("routing_id", identifier, func(e *executed) *string { return &e.id })),
	must(within("payment", false,
		must(field[executed]{key: "amount", read: func(r *reader, e *executed) error {
			n, err := integer(0, 1<<62)(r)
			e.input.SetAmount(n)
			return err
		}}),
		must(fact("currency", rule.Currency)))),
	within("payment_method", false, fact("card_network", rule.CardNetwork), fact("card_discovery", rule.CardDiscovery)),
	within("customer_device", false, fact("platform", rule.DevicePlatform), fact("device_type", rule.DeviceType), fact("display_size", rule.DeviceDisplay)),
	within("issuer", false, factText("name", rule.IssuerName), fact("country", rule.IssuerCountry)),
	within("acquirer", false, fact("country", rule.AcquirerCountry), field[executed]{key: "fraud_rate", read: func(r *reader, e *executed) error {
		raw, err := r.value()
		if err != nil {
			return err
		}
		n, ok := rule.Number(json.RawMessage(strings.TrimSpace(string(raw))), 6)
		if !ok {
			return fault.Malformed("acquirer.fraud_rate", "expected a number of 0 or more with at most 6 decimals").WithHint("Send a number without quotes.")
		}
		e.input.SetFraudRate(n)
		return nil
	}}),
)

func (s *Server) executeThreeDS(c *call) (answer, error) {
	var e executed
	if err := decode(c, executeFields, &e); err != nil {
		return answer{}, err
	}
	decision, err := s.Admin.DecideThreeDS(c.ctx(), c.auth, e.id, &e.input)
	if err != nil {
		return answer{}, err
	}
	return new(writer).open().str("decision", string(decision)).close().answer(), nil
}

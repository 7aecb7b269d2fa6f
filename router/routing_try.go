package router

import (
	"encoding/json"

	"payswitch/engine/fault"
	"payswitch/engine/routed"
	"payswitch/engine/routing"
	"payswitch/engine/routing/rule"
)

var gatewayFields = openObject(
	must(at("gateway_name", text, func(c *rule.Choice) *string { return &c.Connector })),
	at("gateway_id", text, func(c *rule.Choice) *string { return &c.AccountID }),
)

var evaluateFields = openObject(
	must(at("created_by", identifier, func(in *routing.EvaluateInput) *string { return &in.ProfileID })),
	at("payment_id", text, func(in *routing.EvaluateInput) *string { return &in.PaymentID }),
	must(field[routing.EvaluateInput]{key: "parameters", read: func(r *reader, in *routing.EvaluateInput) error {
		raw, err := anyObject(r)
		if err == nil && json.Unmarshal(raw, &in.Parameters) != nil {
			err = fault.Malformed("parameters", "expected an object").WithHint("Send an object: {...}.")
		}
		return err
	}}),
	must(at("fallback_output", listOf(gatewayFields.parse), func(in *routing.EvaluateInput) *[]rule.Choice { return &in.Fallback })),
)

func (s *Server) evaluateRouting(c *call) (answer, error) {
	var in routing.EvaluateInput
	if err := decode(c, evaluateFields, &in); err != nil {
		return answer{}, err
	}
	e, err := s.Admin.EvaluateRouting(c.ctx(), c.auth, in)
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open()
	if e.Matched {
		w.str("status", "success")
	} else {
		w.str("status", "default_selection")
	}
	writeEvaluated(w.key("output").open().str("type", string(e.Type)), e).close()
	w.text("rule", e.Rule)
	listOfAnswers(w.key("evaluated_output"), e.Ordered, writeConnector)
	listOfAnswers(w.key("eligible_connectors"), e.Eligible, writeConnector)
	return w.close().answer(), nil
}

// writeEvaluated writes the members of the output, whose names depend on its type.
func writeEvaluated(w *writer, e *routing.Evaluation) *writer {
	switch e.Type {
	case routing.StraightThrough:
		writeGateway(w.key("connector"), e.Output[0])
	case routed.VolumeSplit:
		w.key("splits").openList()
		for _, c := range e.Output {
			writeGateway(w.open().key("connector"), c)
			w.int("split", int64(c.Split)).close()
		}
		w.closeList()
	default:
		listOfAnswers(w.key("connectors"), e.Output, writeGateway)
	}
	return w
}

func writeGateway(w *writer, c rule.Choice) {
	w.open().str("gateway_name", c.Connector).text("gateway_id", c.AccountID).close()
}

func writeConnector(w *writer, c rule.Choice) {
	w.open().str("connector", c.Connector).text("merchant_connector_id", c.AccountID).close()
}

var replayFields = closedObject(
	at("profile_id", identifier, func(in *routing.ReplayInput) *string { return &in.ProfileID }),
	at("routing_id", identifier, func(in *routing.ReplayInput) *string { return &in.RoutingID }),
	at("algorithm", anyObject, func(in *routing.ReplayInput) *json.RawMessage { return &in.Algorithm }),
	at("payments", small(1, 1000), func(in *routing.ReplayInput) *int { return &in.Payments }),
)

func (s *Server) replayRouting(c *call) (answer, error) {
	var in routing.ReplayInput
	if err := decode(c, replayFields, &in); err != nil {
		return answer{}, err
	}
	r, err := s.Admin.ReplayRouting(c.ctx(), c.auth, in)
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().int("payments", int64(r.Payments)).int("same", int64(r.Same)).int("changed", int64(r.Changed)).int("unroutable", int64(r.Unroutable))
	listOfAnswers(w.key("moves"), r.Moves, func(w *writer, m routing.Move) {
		w.open().str("from", m.From).text("to", m.To).text("rule", m.Rule).str("currency", m.Currency).int("payments", int64(m.Payments)).int("amount", m.Amount).close()
	})
	listOfAnswers(w.key("by_rule"), r.Rules, func(w *writer, n routing.RuleCount) {
		w.open().text("rule", n.Rule).int("payments", int64(n.Payments)).close()
	})
	listOfAnswers(w.key("warnings"), r.Warnings, writeWarning)
	return w.close().answer(), nil
}

func writeWarning(w *writer, warning rule.Warning) {
	w.open().str("rule", warning.Rule).text("key", warning.Key).str("message", warning.Message).close()
}

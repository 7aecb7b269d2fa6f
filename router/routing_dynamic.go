package router

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"payswitch/engine/fault"
	"payswitch/engine/routing"
	"payswitch/engine/routing/rank"
)

// feature reads the query parameter enable.
func feature(q *query) routing.Feature {
	features := []routing.Feature{routing.FeatureNone, routing.FeatureMetrics, routing.FeatureSelection}
	f := routing.Feature(q.text("enable"))
	if !slices.Contains(features, f) {
		q.fail("enable", "enable: unknown variant `"+shownText([]byte(f))+"`, expected one of "+strings.Join(textsOf(features), ", "), fault.ChoiceHint(string(f), textsOf(features)))
	}
	return f
}

// dynamicConfig reads a configuration of dynamic routing, which the engine checks.
func dynamicConfig(c *call) (json.RawMessage, error) {
	body, err := c.jsonBody()
	if err != nil {
		return nil, err
	}
	r := newReader(body)
	config, err := anyObject(r)
	if err == nil {
		err = r.end()
	}
	return config, err
}

// createDynamic stores a configuration, or switches the default one on.
func (s *Server) createDynamic(kind rank.Kind) handler {
	return func(c *call) (answer, error) { return s.toggleDynamic(c, kind, false) }
}

// toggleContracts stores a configuration and makes it active.
func (s *Server) toggleContracts(c *call) (answer, error) {
	return s.toggleDynamic(c, rank.Contract, true)
}

// toggleDynamic switches a kind of dynamic routing. activated is true for a kind that needs a configuration and makes it active at once.
func (s *Server) toggleDynamic(c *call, kind rank.Kind, activated bool) (answer, error) {
	q := c.query()
	f := feature(q)
	if q.err != nil {
		return answer{}, q.err
	}
	var config json.RawMessage
	if len(bytes.TrimSpace(c.body)) > 0 || activated && f != routing.FeatureNone {
		var err error
		if config, err = dynamicConfig(c); err != nil {
			return answer{}, err
		}
	}
	return configAnswer(s.Admin.ToggleDynamic(c.ctx(), c.merchant(), c.param("profile_id"), kind, f, config, activated))
}

// updateDynamic merges a part of a configuration into a new one.
func (s *Server) updateDynamic(kind rank.Kind) handler {
	return func(c *call) (answer, error) {
		config, err := dynamicConfig(c)
		if err != nil {
			return answer{}, err
		}
		return configAnswer(s.Admin.UpdateDynamic(c.ctx(), c.merchant(), c.param("profile_id"), kind, c.param("routing_id"), config))
	}
}

func (s *Server) volumeSplit(c *call) (answer, error) {
	split, err := s.Admin.VolumeSplit(c.ctx(), c.merchant(), c.param("profile_id"))
	if err != nil {
		return answer{}, err
	}
	return new(writer).open().int("split", int64(split)).close().answer(), nil
}

func (s *Server) setVolumeSplit(c *call) (answer, error) {
	q := c.query()
	n, given := q.int("split")
	if !given {
		q.fail("split", "missing field `split`", "Send a whole number from 0 to 100.")
	}
	if q.err != nil {
		return answer{}, q.err
	}
	if n < 0 || n > 100 {
		n = 101
	}
	if err := s.Admin.SetVolumeSplit(c.ctx(), c.merchant(), c.param("profile_id"), int(n)); err != nil {
		return answer{}, err
	}
	return new(writer).open().str("routing_type", string(routing.KindDynamic)).int("split", n).close().answer(), nil
}

var paymentInfoFields = openObject(
	must(at("paymentId", text, func(in *routing.DecideInput) *string { return &in.PaymentID })),
	must(at("amount", integer(0, math.MaxInt64), func(in *routing.DecideInput) *int64 { return &in.Amount })),
	must(at("currency", text, func(in *routing.DecideInput) *string { return &in.Currency })),
	must(at("paymentType", text, func(*routing.DecideInput) *string { return new(string) })),
	must(at("paymentMethodType", text, func(in *routing.DecideInput) *string { return &in.CardType })),
	must(at("paymentMethod", text, func(*routing.DecideInput) *string { return new(string) })),
	at("metadata", text, func(*routing.DecideInput) *string { return new(string) }),
	at("cardIsin", text, func(in *routing.DecideInput) *string { return &in.CardBIN }),
)

var decideFields = openObject(
	must(field[routing.DecideInput]{key: "paymentInfo", read: func(r *reader, in *routing.DecideInput) error {
		p, err := paymentInfoFields.parse(r)
		in.PaymentID, in.Amount, in.Currency, in.CardType, in.CardBIN = p.PaymentID, p.Amount, p.Currency, p.CardType, p.CardBIN
		return err
	}}),
	must(at("merchantId", identifier, func(in *routing.DecideInput) *string { return &in.ProfileID })),
	at("eligibleGatewayList", listOf(text), func(in *routing.DecideInput) *[]string { return &in.Gateways }),
	at("rankingAlgorithm", oneOf([]routing.RankingMethod{routing.RankBySuccess, routing.RankByRules, routing.RankByNetwork}), func(in *routing.DecideInput) *routing.RankingMethod { return &in.Ranking }),
	at("eliminationEnabled", boolean, func(in *routing.DecideInput) *bool { return &in.Eliminate }),
)

func (s *Server) decideGateway(c *call) (answer, error) {
	var in routing.DecideInput
	if err := decode(c, decideFields, &in); err != nil {
		return answer{}, err
	}
	dimension := "ORDER_PAYMENT, CARD"
	if in.CardType = strings.ToLower(in.CardType); in.CardType == "credit" || in.CardType == "debit" {
		dimension += ", " + strings.ToUpper(in.CardType)
	} else {
		in.CardType = ""
	}
	d, err := s.Admin.DecideGateway(c.ctx(), c.auth, in)
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().str("decided_gateway", d.Gateways[0].Gateway).key("gateway_priority_map").open()
	for _, g := range d.Gateways {
		w.key(g.Gateway).token(jsontext.Float(math.Round(g.Score*1e4) / 1e4))
	}
	w.close().null("filter_wise_gateways").text("priority_logic_tag", d.RulesID).str("routing_approach", d.Approach).str("gateway_before_evaluation", d.Before)
	w.null("priority_logic_output").str("reset_approach", "NO_RESET").str("routing_dimension", dimension).str("routing_dimension_level", "PM_LEVEL")
	return w.bool("is_scheduled_outage", false).bool("is_dynamic_mga_enabled", false).null("gateway_mga_id_map").close().answer(), nil
}

var feedbackFields = openObject(
	must(at("merchantId", identifier, func(in *routing.GatewayFeedback) *string { return &in.ProfileID })),
	must(at("gateway", text, func(in *routing.GatewayFeedback) *string { return &in.Gateway })),
	must(at("status", oneOf(routing.FeedbackStatuses), func(in *routing.GatewayFeedback) *string { return &in.Status })),
	must(at("paymentId", identifier, func(in *routing.GatewayFeedback) *string { return &in.PaymentID })),
)

func (s *Server) countFeedback(c *call) (answer, error) {
	var in routing.GatewayFeedback
	if err := decode(c, feedbackFields, &in); err != nil {
		return answer{}, err
	}
	counted, err := s.Admin.CountFeedback(c.ctx(), c.auth, in)
	if err != nil {
		return answer{}, err
	}
	message := "Gateway score updated successfully"
	if !counted {
		message = "Nothing to count: the status decides nothing, or payswitch has counted this payment itself"
	}
	return new(writer).open().str("message", message).close().answer(), nil
}

var simulateFields = closedObject(
	at("profile_id", identifier, func(in *routing.SimulateInput) *string { return &in.ProfileID }),
	must(at("config", anyObject, func(in *routing.SimulateInput) *json.RawMessage { return &in.Config })),
	at("payments", small(1, 1000), func(in *routing.SimulateInput) *int { return &in.Payments }),
)

func (s *Server) simulateRouting(c *call) (answer, error) {
	var in routing.SimulateInput
	if err := decode(c, simulateFields, &in); err != nil {
		return answer{}, err
	}
	r, err := s.Admin.Simulate(c.ctx(), c.auth, in)
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().int("payments", int64(r.Payments)).int("changed", int64(r.Changed))
	for _, x := range []struct {
		key string
		of  routing.Interval
	}{{"actual", r.Actual}, {"simulated", r.Simulated}, {"difference", r.Difference}} {
		w.key(x.key).open().hundredths("success_rate", 100*x.of.Rate).hundredths("low", 100*x.of.Low).hundredths("high", 100*x.of.High).close()
	}
	listOfAnswers(w.key("accounts"), r.Accounts, func(w *writer, a routing.SimulatedAccount) {
		w.open().str("merchant_connector_id", a.AccountID).int("actual", int64(a.Actual)).int("simulated", int64(a.Simulated)).close()
	})
	listOfAnswers(w.key("fees"), r.Fees, func(w *writer, f routing.SimulatedFees) {
		w.open().str("currency", f.Currency).hundredths("actual", f.Actual).hundredths("simulated", f.Simulated).close()
	})
	return w.close().answer(), nil
}

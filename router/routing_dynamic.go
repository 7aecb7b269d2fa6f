package router

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"payswitch/engine/routing"
)

// dynamicConfig holds the parts of a configuration of routing by success, which the engine reads.
type dynamicConfig struct{ params, config, costs json.RawMessage }

var dynamicFields = closedObject(
	at("params", records(rawText), func(d *dynamicConfig) *json.RawMessage { return &d.params }),
	at("config", anyObject, func(d *dynamicConfig) *json.RawMessage { return &d.config }),
	at("costs", anyObject, func(d *dynamicConfig) *json.RawMessage { return &d.costs }),
)

// rawText reads a string and returns it as JSON.
func rawText(r *reader) (json.RawMessage, error) {
	s, err := text(r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

func (s *Server) toggleSuccess(c *call) (answer, error) {
	features := []string{routing.FeatureNone, routing.FeatureMetrics, routing.FeatureSelection}
	q := c.query()
	feature := q.text("enable")
	if !slices.Contains(features, feature) {
		q.fail("enable", "enable: unknown variant `"+shownText([]byte(feature))+"`, expected one of "+strings.Join(features, ", "), "")
	}
	if q.err != nil {
		return answer{}, q.err
	}
	var config json.RawMessage
	if len(bytes.TrimSpace(c.body)) > 0 {
		var d dynamicConfig
		if err := decode(c, dynamicFields, &d); err != nil {
			return answer{}, err
		}
		config, _ = json.Marshal(map[string]json.RawMessage{"params": d.params, "config": d.config, "costs": d.costs})
	}
	return configAnswer(s.Admin.ToggleSuccess(c.ctx(), c.merchant(), c.param("profile_id"), feature, config))
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
	return new(writer).open().str("routing_type", routing.KindDynamic).int("split", n).close().answer(), nil
}

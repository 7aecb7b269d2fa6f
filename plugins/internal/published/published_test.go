package published_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/internal/published"
)

const schema = `{"$comment":"Made by it from @acme/client 1.2.3 (MIT).","$schema":"http://json-schema.org/draft-07/schema#","definitions":{
	"Payment":{"type":"object","additionalProperties":false,"required":["amount"],"properties":{"amount":{"$ref":"#/definitions/Amount"},
		"lines":{"type":"array","items":{"$ref":"#/definitions/Amount"}},"state":{"anyOf":[{"$ref":"#/definitions/State"},{"type":"null"}]}}},
	"Amount":{"type":"object","additionalProperties":false,"properties":{"value":{"type":"number"}}},
	"Element":{"type":"object","ordered":true,"additionalProperties":false,"properties":{"first":{},"second":{"$ref":"#/definitions/Element"},"third":{"type":"array","items":{"$ref":"#/definitions/Element"}}}},
	"State":{"enum":["open","paid"]}}}`

func TestCheck(t *testing.T) {
	load := func(beyond map[string]string) *published.Schema {
		s, err := published.Load(fstest.MapFS{published.File: {Data: []byte(schema)}}, beyond)
		require.NoError(t, err)
		return s
	}
	s := load(nil)
	require.NoError(t, s.Check("Payment", []byte(`{"amount":{"value":10},"lines":[{"value":1}],"state":"paid"}`)))
	for message, why := range map[string]string{
		`{"amount":{"value":10},"colour":"red"}`: "colour",
		`{"amount":{"value":"10"}}`:              "number",
		`{"lines":[]}`:                           "amount",
		`{"amount":{},"lines":[{"pin":1}]}`:      "pin",
		`{"amount":{},"state":"gone"}`:           "state",
		`{`:                                      "read the message",
	} {
		require.ErrorContains(t, s.Check("Payment", []byte(message)), why, message)
	}
	require.ErrorContains(t, s.Check("Refund", []byte(`{}`)), "the schema has no model Refund")
	require.Equal(t, []string{"open", "paid"}, s.Values("State"))
	require.Equal(t, []string{"open", "paid"}, s.Values("Payment state"))
	require.Nil(t, s.Values("Payment colour"))

	s = load(map[string]string{"Payment lines.*.pin": "documented", "Payment colour": "documented", "Amount value": "of another model"})
	require.NoError(t, s.Check("Payment", []byte(`{"amount":{"value":1},"lines":[{"pin":1},{"pin":2}]}`)))
	require.Equal(t, []string{"Amount value", "Payment colour"}, s.Unused())

	require.NoError(t, s.Check("Element", []byte(`{"first":{"z":1,"a":2},"third":[{"first":1,"second":{}}]}`)))
	require.ErrorContains(t, s.Check("Element", []byte(`{"third":[],"first":1}`)), "Element.first stands behind third")
	require.ErrorContains(t, s.Check("Element", []byte(`{"second":{"third":[{},{"second":{},"first":1}]}}`)), "Element.second.third.first stands behind second")

	require.Equal(t, "@acme/client 1.2.3", s.Library())
	require.Contains(t, s.Readme(), "| `Payment colour` | documented |")

	_, err := published.Load(fstest.MapFS{}, nil)
	require.Error(t, err)
	_, err = published.Load(fstest.MapFS{published.File: {Data: []byte("{")}}, nil)
	require.Error(t, err)
}

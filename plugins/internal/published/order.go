package published

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A member of a JSON object, in the object's order.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of an object in their order; nil for any other value.
func members(text json.RawMessage) (all []member, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// inOrder checks that the fields of a message have the order of their model, if the model has one: the processor reads such a
// message with an XML schema, whose elements are ordered. path is the message's place.
func (s *Schema) inOrder(path string, definition, message json.RawMessage) error {
	var d struct {
		Ref        string          `json:"$ref"`
		Ordered    bool            `json:"ordered"`
		Properties json.RawMessage `json:"properties"`
		Items      json.RawMessage `json:"items"`
	}
	if definition == nil || json.Unmarshal(definition, &d) != nil {
		return nil
	}
	if d.Ref != "" {
		return s.inOrder(path, s.definitions[strings.TrimPrefix(d.Ref, "#/definitions/")], message)
	}
	var elements []json.RawMessage
	if d.Items != nil && json.Unmarshal(message, &elements) == nil {
		for i := range elements {
			if err := s.inOrder(path, d.Items, elements[i]); err != nil {
				return err
			}
		}
		return nil
	}
	fields, err := members(message)
	if err != nil {
		return err
	}
	known, err := members(d.Properties)
	if err != nil {
		return nil // a definition without properties
	}
	last := -1
	for _, f := range fields {
		i := slices.IndexFunc(known, func(m member) bool { return m.name == f.name })
		if i < 0 { // Check reports unknown fields
			continue
		}
		if d.Ordered && i < last {
			return fmt.Errorf("%s.%s stands behind %s", path, f.name, known[last].name)
		}
		last = i
		if err := s.inOrder(path+"."+f.name, known[i].value, f.value); err != nil {
			return err
		}
	}
	return nil
}

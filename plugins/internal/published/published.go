// Package published compares an adapter's messages with what its processor publishes of its API: the models of the processor's
// client library as JSON Schema, with every object closed. These are errors: an unknown field, a missing field, another type, a
// value outside its list, and a wrong order in an ordered model. Tests alone use it.
package published

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// File is the name of a schema in an adapter's testdata. generate.mjs makes it.
const File = "client.schema.json"

const url = "https://payswitch.invalid/" + File

// A Schema describes the requests and answers of a processor's client. It is safe for concurrent use once Beyond is final.
type Schema struct {
	definitions map[string]json.RawMessage
	comment     string
	compiler    *jsonschema.Compiler
	// Beyond names fields that the processor documents and its client does not know, with the reason. A key is a model, a space,
	// and the path of the field ("PaymentRequest paymentMethod.pin"). Check removes these fields before it compares.
	Beyond map[string]string
	used   map[string]bool
}

// Load reads a schema. beyond may be nil.
func Load(fsys fs.FS, beyond map[string]string) (*Schema, error) {
	text, err := fs.ReadFile(fsys, File)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	s := &Schema{compiler: jsonschema.NewCompiler(), Beyond: beyond, used: map[string]bool{}}
	var document struct {
		Comment     string `json:"$comment"`
		Definitions map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	s.definitions, s.comment = document.Definitions, document.Comment
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	if err := s.compiler.AddResource(url, whole); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return s, nil
}

// Library names the library, with its version, from which the schema was made.
func (s *Schema) Library() string {
	_, from, _ := strings.Cut(s.comment, " from ")
	name, _, _ := strings.Cut(from, " (")
	return name
}

// Readme returns the section of an adapter's README about the schema, with the entries of Beyond.
func (s *Schema) Readme() string {
	text := "\n## Tested against a published client\n\nThe tests check every request against the models of `" + s.Library() +
		"`. These are errors: an unknown field, a missing field,\nanother type, a value outside its list, and a wrong order in an ordered model.\n"
	if len(s.Beyond) > 0 {
		text += "\n| Field that the library lacks | Source |\n|---|---|\n"
	}
	for _, key := range slices.Sorted(maps.Keys(s.Beyond)) {
		text += "| `" + key + "` | " + s.Beyond[key] + " |\n"
	}
	return text
}

// Check compares a message with a model.
func (s *Schema) Check(model string, message []byte) error {
	if s.definitions[model] == nil {
		return fmt.Errorf("the schema has no model %s", model)
	}
	compiled, err := s.compiler.Compile(url + "#/definitions/" + model)
	if err != nil {
		return fmt.Errorf("compile %s: %w", model, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(message))
	if err != nil {
		return fmt.Errorf("read the message: %w", err)
	}
	for key := range s.Beyond {
		if name, path, ok := strings.Cut(key, " "); ok && name == model && remove(value, strings.Split(path, ".")) {
			s.used[key] = true
		}
	}
	if err := compiled.Validate(value); err != nil {
		return fmt.Errorf("%s: %w", model, err)
	}
	return s.inOrder(model, s.definitions[model], message)
}

// remove deletes a field of a message; "*" stands for every element of an array. found reports whether it was there.
func remove(value any, path []string) (found bool) {
	switch v := value.(type) {
	case map[string]any:
		next, ok := v[path[0]]
		switch {
		case !ok:
			return false
		case len(path) == 1:
			delete(v, path[0])
			return true
		}
		return remove(next, path[1:])
	case []any:
		for i := range v {
			if path[0] == "*" && len(path) > 1 && remove(v[i], path[1:]) {
				found = true
			}
		}
	}
	return found
}

// Unused returns the entries of Beyond that no message needed.
func (s *Schema) Unused() (keys []string) {
	for key := range s.Beyond {
		if !s.used[key] {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Values returns the values of a list: of a model that is a list, or of a model's field ("PaymentResponse resultCode"). nil without a list.
func (s *Schema) Values(of string) []string {
	model, field, _ := strings.Cut(of, " ")
	return s.values(s.definitions[model], field)
}

func (s *Schema) values(text json.RawMessage, field string) []string {
	var d struct {
		Ref        string   `json:"$ref"`
		Enum       []string `json:"enum"`
		Properties map[string]json.RawMessage
		AnyOf      []json.RawMessage
	}
	if text == nil || json.Unmarshal(text, &d) != nil {
		return nil
	}
	switch {
	case d.Ref != "":
		return s.values(s.definitions[strings.TrimPrefix(d.Ref, "#/definitions/")], field)
	case field != "":
		return s.values(d.Properties[field], "")
	}
	all := d.Enum
	for _, alternative := range d.AnyOf {
		all = append(all, s.values(alternative, "")...)
	}
	return all
}

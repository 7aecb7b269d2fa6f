package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"payswitch/sdk/nearest"
)

// mostListed is the number of fields up to which a message lists them all.
const mostListed = 12

// misplaced returns the error for a member of a JSON text that the type has no field for. It names the object in which the member stands, and the
// field that the author may have meant.
func misplaced(text []byte, into any, name string) error {
	within, fields := objectWith(name, text, reflect.TypeOf(into), "")
	place := "here"
	if within != "" {
		place = "of " + within
	}
	remedy := ": cases.schema.json lists the fields"
	if nearest.Of(name, fields) != "" || len(fields) > 0 && len(fields) <= mostListed {
		remedy = meant(name, fields)
	}
	return fmt.Errorf("%q is not a field %s%s", name, place, remedy)
}

// objectWith finds the first object that has a member of this name and whose type lacks such a field. It returns the object's path and the fields of
// its type, none if there is no such object.
func objectWith(name string, text []byte, t reflect.Type, path string) (within string, fields []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return "", nil
	}
	switch t.Kind() {
	case reflect.Slice:
		var elements []json.RawMessage
		_ = json.Unmarshal(text, &elements) // of a text, none
		for _, e := range elements {
			if within, fields = objectWith(name, e, t.Elem(), path); fields != nil {
				return within, fields
			}
		}
	case reflect.Struct:
		var members map[string]json.RawMessage
		_ = json.Unmarshal(text, &members)
		types := map[string]reflect.Type{}
		for _, f := range reflect.VisibleFields(t) {
			if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag != "" && tag != "-" {
				types[tag] = f.Type
				fields = append(fields, tag)
			}
		}
		if _, has := members[name]; has && types[name] == nil {
			return path, fields
		}
		for _, m := range slices.Sorted(maps.Keys(members)) {
			if types[m] == nil {
				continue
			}
			if within, below := objectWith(name, members[m], types[m], strings.TrimPrefix(path+"."+m, ".")); below != nil {
				return within, below
			}
		}
	}
	return "", nil
}

package router_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A described field is a field of a request's body, as the API's description has it.
type describedField struct {
	path   string // order_details[0].amount
	schema *openapi3.Schema
	around func(value string) string // the body with the value in the field
}

// describedFields returns the fields of a schema, with those of the objects and lists in it. around puts an object into the body.
func describedFields(s *openapi3.Schema, path string, depth int, around func(string) string) (all []describedField) {
	if depth > 7 {
		return nil
	}
	for _, list := range []openapi3.SchemaRefs{s.AllOf, s.AnyOf, s.OneOf} {
		for _, part := range list {
			all = append(all, describedFields(part.Value, path, depth+1, around)...)
		}
	}
	kind := "" // the field that says which of several shapes the object has
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if p := s.Properties[name].Value; len(p.Enum) == 1 {
			kind += fmt.Sprintf(`%q:%q,`, name, p.Enum[0])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name].Value
		before := kind
		if len(p.Enum) == 1 {
			before = ""
		}
		within := func(value string) string { return around(`{` + before + `"` + name + `":` + value + `}`) }
		at := strings.TrimPrefix(path+"."+name, ".")
		all = append(all, describedField{at, p, within})
		all = append(all, describedFields(p, at, depth+1, within)...)
	}
	if s.Items != nil {
		within := func(value string) string { return around(`[` + value + `]`) }
		if path != "" {
			all = append(all, describedField{path + "[0]", s.Items.Value, within})
		}
		all = append(all, describedFields(s.Items.Value, path+"[0]", depth+1, within)...)
	}
	return all
}

// typesOf returns the types of JSON that a schema takes, with those of its parts.
func typesOf(s *openapi3.Schema) map[string]bool {
	types := map[string]bool{}
	var walk func(*openapi3.Schema)
	walk = func(s *openapi3.Schema) {
		if s.Type != nil {
			for _, t := range *s.Type {
				types[t] = true
			}
		}
		if s.Properties != nil {
			types["object"] = true
		}
		for _, list := range []openapi3.SchemaRefs{s.AllOf, s.AnyOf, s.OneOf} {
			for _, part := range list {
				walk(part.Value)
			}
		}
	}
	walk(s)
	return types
}

// wrongValues are values that a schema does not allow: one of a wrong type, and one beyond each bound.
func wrongValues(s *openapi3.Schema) (all []string) {
	types := typesOf(s)
	switch {
	case len(types) == 0:
		return nil
	case !types["object"]:
		all = append(all, `{"zz_unknown":{}}`)
	case !types["string"]:
		all = append(all, `"zz"`)
	case !types["number"] && !types["integer"]:
		all = append(all, `7`)
	}
	if types["integer"] && !types["number"] {
		all = append(all, `-1.5`)
	}
	if len(s.Enum) > 0 {
		all = append(all, `"zz_wrong"`)
	}
	if s.MaxLength != nil && *s.MaxLength < 4096 {
		all = append(all, `"`+strings.Repeat("z", int(*s.MaxLength)+1)+`"`)
	}
	if s.MinLength > 0 {
		all = append(all, `""`)
	}
	if s.Min != nil && *s.Min > -1e15 {
		all = append(all, fmt.Sprint(int64(*s.Min)-1))
	}
	if s.Max != nil && *s.Max < 1e15 {
		all = append(all, fmt.Sprint(int64(*s.Max)+1))
	}
	return all
}

// allowedValue returns a value that a schema allows, as far as its type goes.
func allowedValue(s *openapi3.Schema) any {
	types := typesOf(s)
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case types["object"]:
		return map[string]any{}
	case types["array"]:
		return []any{}
	case types["integer"], types["number"]:
		return 1
	case types["boolean"]:
		return true
	}
	return "zz"
}

// TestEveryFieldIsNamed sends a wrong value in every field of every body and query that openapi.yaml describes, fields of objects and lists included.
// The answer names the field's path in param, and its hint says what to send.
func TestEveryFieldIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc, err := document()
	require.NoError(t, err)
	w.post("/customers", `{"customer_id":"cus_1"}`).ok()
	w.post("/payments", with(plain, "payment_id", `"pay_1"`, "confirm", "-")).ok()
	ids := map[string]string{"merchant_id": merchant, "profile_id": w.profile, "customer_id": "cus_1", "payment_id": "pay_1",
		"payment_link_id": w.linkOf()["payment_link"].(map[string]any)["payment_link_id"].(string)}
	keys := []string{w.secret, adminKey, w.publishable, w.ephemeral(t)}
	w.handler = w.server // that answers fit openapi.yaml is the business of other tests
	named, accepted, hidden := 0, 0, 0
	for _, pattern := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		if strings.HasPrefix(pattern, "/payment_link/client/") {
			continue // its body is the one of a confirm, and the payment of this test has no link
		}
		item := doc.Paths.Value(pattern)
		path := regexp.MustCompile(`\{([^}]*)\}`).ReplaceAllStringFunc(pattern, func(name string) string {
			return cmp.Or(ids[strings.Trim(name, "{}")], "none")
		})
		if strings.HasSuffix(pattern, "/create") || strings.HasSuffix(pattern, "/toggle") {
			path += "?enable=none"
		}
		for method, op := range item.Operations() {
			key := ""
			ask := func(path, body string) response {
				if key != "" {
					return w.send(method, path, key, body, "X-Merchant-Id", merchant)
				}
				var r response
				for _, k := range keys {
					if r = w.send(method, path, k, body, "X-Merchant-Id", merchant); r.status != 401 && r.status != 403 {
						key = k
						break
					}
				}
				return r
			}
			check := func(r response, field, sent string, filled bool) (missing string) {
				var envelope struct {
					Error *struct{ Code, Message, Param, Hint, Reason string }
				}
				if r.status < 400 || r.status >= 500 || json.Unmarshal([]byte(r.body), &envelope) != nil || envelope.Error == nil {
					accepted++
					return ""
				}
				e := envelope.Error
				about := e.Param == field || strings.HasPrefix(e.Param, field+".") || strings.HasPrefix(e.Param, field+"[") ||
					e.Param != "" && (strings.HasPrefix(field, e.Param+".") || strings.HasPrefix(field, e.Param+"["))
				if !about && (strings.Contains(e.Message+e.Reason, "missing field") || e.Code == "IR_04") {
					return e.Param
				}
				named++
				absent := r.status == 404 || e.Code == "HE_02"
				state := e.Code == "IR_16" && (e.Param == "status" || e.Param == "enable")
				if r.status == 401 || e.Code == "IR_37" || state || !about && filled || absent && (e.Param == "" || strings.Contains(pattern, "{"+e.Param+"}")) {
					hidden++ // the caller, the state of the thing, a value that the test filled in, or a thing in the path is refused first
					return ""
				}
				assert.True(t, about, "%s %s: %s = %.60s: param is %q: %s", method, pattern, field, sent, e.Param, r.body)
				assert.NotEmpty(t, e.Hint, "%s %s: %s = %.60s: %s", method, pattern, field, sent, r.body)
				return ""
			}
			for _, p := range append(slices.Clone(item.Parameters), op.Parameters...) {
				if p.Value.In != "query" || p.Value.Schema == nil || typesOf(p.Value.Schema.Value)["string"] && len(p.Value.Schema.Value.Enum) == 0 && p.Value.Schema.Value.MaxLength == nil {
					continue
				}
				for _, wrong := range wrongValues(p.Value.Schema.Value) {
					if strings.HasPrefix(wrong, "{") {
						wrong = `"zz"`
					}
					check(ask(path+cmp.Or(map[bool]string{true: "&"}[strings.Contains(path, "?")], "?")+p.Value.Name+"="+url.QueryEscape(strings.Trim(wrong, `"`)), ""), p.Value.Name, wrong, false)
				}
			}
			if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"] == nil {
				continue
			}
			body := op.RequestBody.Value.Content["application/json"].Schema.Value
			top := map[string]*openapi3.Schema{}
			fields := describedFields(body, "", 0, func(s string) string { return s })
			for _, f := range fields {
				top[f.path] = f.schema
			}
			seen := map[string]bool{}
			for _, f := range fields {
				for _, wrong := range wrongValues(f.schema) {
					sent := f.around(wrong)
					if seen[sent] {
						continue
					}
					seen[sent] = true
					missing := check(ask(path, sent), f.path, wrong, false)
					for tries := 0; missing != "" && tries < 6; tries++ { // a field that the object needs
						var fuller map[string]any
						schema, known := top[missing]
						if !known || json.Unmarshal([]byte(sent), &fuller) != nil {
							break
						}
						if !put(fuller, missing, allowedValue(schema)) {
							break
						}
						b, err := json.Marshal(fuller)
						require.NoError(t, err)
						sent = string(b)
						missing = check(ask(path, sent), f.path, wrong, true)
					}
					if missing != "" {
						hidden++ // an object around the field needs more than the description says
					}
				}
			}
		}
	}
	t.Log("named:", named, "accepted:", accepted, "behind another error:", hidden)
	require.Greater(t, named, 2000)
	require.Less(t, accepted+hidden, named/10)
}

// put sets a field of an object by its path. It reports whether the objects around the field are there.
func put(object map[string]any, path string, value any) bool {
	first, rest, within := strings.Cut(path, ".")
	if !within {
		object[first] = value
		return !strings.Contains(first, "[")
	}
	inner, ok := object[first].(map[string]any)
	return ok && put(inner, rest, value)
}

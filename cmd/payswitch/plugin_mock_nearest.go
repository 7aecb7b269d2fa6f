package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// mockRequest is a request that a case describes.
type mockRequest struct {
	method string
	path   []string // a segment that differs from payment to payment is anyValue
	of     *wire.Case
	fields map[string]string // of query and body. A value that the case's input gives is anyValue
}

// anyValue stands for a value that differs from payment to payment: it was copied from the input, or is an amount.
const anyValue = "*"

// newMockRequest reads the request of a case.
func newMockRequest(c *wire.Case, path string) (mockRequest, error) {
	all, err := c.Request.Fields()
	if err != nil {
		return mockRequest{}, fmt.Errorf("%s: request: %w", c.Where(), err)
	}
	q := mockRequest{method: c.Request.Method, path: strings.Split(path, "/"), of: c, fields: payload(all)}
	given := givenTexts(c.Input, nil)
	answered := slices.Clone(given)
	for i := range c.Exchanges {
		answered = givenTexts(c.Exchanges[i].Body, answered)
	}
	for i, segment := range q.path {
		if slices.Contains(answered, segment) {
			q.path[i] = anyValue
		}
	}
	varies := slices.Concat(c.Volatile.Clock, c.Volatile.Random)
	for name, value := range q.fields {
		text := strings.Trim(value, `"`)
		if slices.Contains(varies, name) || len(strings.Trim(text, "0123456789.-/")) == 0 && len(text) > 1 ||
			slices.ContainsFunc(given, func(v string) bool { return text == v || len(v) > 4 && strings.Contains(text, v) }) {
			q.fields[name] = anyValue
		}
	}
	return q, nil
}

// payload keeps the fields of query and body.
func payload(all map[string]string) map[string]string {
	kept := map[string]string{}
	for name, value := range all {
		if strings.HasPrefix(name, "url.") || strings.HasPrefix(name, "body") {
			kept[name] = value
		}
	}
	return kept
}

// arrivedFields returns the fields of a request that came; nil if its body cannot be read.
func arrivedFields(r *http.Request) map[string]string {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return nil
	}
	all, err := wire.SendFields(&sdk.Send{Method: r.Method, URL: r.URL.String(), Body: body, Headers: []sdk.Header{sdk.H("Content-Type", r.Header.Get("Content-Type"))}})
	if err != nil {
		return nil
	}
	return payload(all)
}

// givenTexts returns the texts of an input that a request may copy. It leaves out the fields in questions, because their values in the request tell
// cases apart.
func givenTexts(v any, all []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			if !slices.Contains(questions, name) {
				all = givenTexts(x, all)
			}
		}
	case []any:
		for _, x := range v {
			all = givenTexts(x, all)
		}
	case string, json.Number:
		if text := fmt.Sprint(v); len(text) > 1 {
			all = append(all, text)
		}
	}
	return all
}

// questions are the fields of an input that say what a payment asks for. Two payments that differ in one of them may get different answers.
var questions = []string{"capture", "request_3ds", "stored_credential", "hold", "mandate", "store_card", "mit_category"}

// asks returns what an input says of a field, in a form that can be compared.
func asks(input map[string]any, name string) any {
	switch v := input[name]; {
	case v != nil && v != false:
		return v
	case name == "capture":
		return string(sdk.CaptureAutomatic)
	}
	return nil
}

// nearestCase returns the case whose recorded request is nearest to the one that came: the first with the fewest differences in the fields that tell the
// candidates apart.
func nearestCase(candidates []*mockRequest, came map[string]string) *wire.Case {
	fields := telling(candidates)
	best, least := candidates[0], -1
	for _, q := range candidates {
		n := 0
		for name := range fields {
			want, recorded := q.fields[name]
			if got, there := came[name]; recorded != there || want != anyValue && want != got {
				n++
			}
		}
		if least < 0 || n < least {
			best, least = q, n
		}
	}
	return best.of
}

// telling returns the fields that tell apart candidates with different questions. In such a field no two of these candidates share a value, or its
// absence. A value that differs from payment to payment does not count.
func telling(candidates []*mockRequest) map[string]bool {
	all, names := map[string]bool{}, map[string]bool{}
	for _, q := range candidates {
		for name := range q.fields {
			names[name] = true
		}
	}
	ask := func(question func(c *wire.Case) any, together func(a, b *wire.Case) bool) {
		for name := range names {
			may, differ := true, false
			for i, a := range candidates {
				for _, b := range candidates[:i] {
					if !may || !together(a.of, b.of) || reflect.DeepEqual(question(a.of), question(b.of)) {
						continue
					}
					differ = true
					x, inA := a.fields[name]
					y, inB := b.fields[name]
					may = (inA != inB || x != y) && x != anyValue && y != anyValue
				}
			}
			if may && differ {
				all[name] = true
			}
		}
	}
	ask(func(c *wire.Case) any { return c.Operation() }, func(_, _ *wire.Case) bool { return true })
	for _, name := range questions {
		ask(func(c *wire.Case) any { return asks(c.Input, name) }, func(a, b *wire.Case) bool { return a.Operation() == b.Operation() })
	}
	return all
}

// unlike counts the questions that a sample's input answers otherwise than a case's.
func unlike(sample, of *wire.Case) (n int) {
	for _, name := range questions {
		if !reflect.DeepEqual(asks(sample.Input, name), asks(of.Input, name)) {
			n++
		}
	}
	return n
}

package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// checkDamaged gives the adapter the answer of a sample with one fault. Each value in turn is missing, null or of another kind; HTTP statuses
// contradict the body. The outcome may become unknown or pending. It must not become another outcome, as a missing value proves nothing.
func (r *runner) checkDamaged(sample *Case) []string {
	s, whole, err := r.answer(sample.clone())
	if err != nil {
		return []string{err.Error()}
	}
	if whole.Outcome == nil || slices.Contains(authentications, s.Operation) {
		return nil // the sample's request does not decide, or moves no money
	}
	outcome := whole.Outcome.Status
	var wrong []string
	try := func(what string, status int, body any, allowed ...sdk.OutcomeStatus) {
		c := sample.clone()
		c.Response.Status, c.Response.Body = status, body
		_, result, err := r.answer(c)
		if err != nil || result.Outcome == nil { // the adapter sends another request
			return
		}
		allowed = append(allowed, sdk.StatusUnknown, sdk.StatusPending)
		if got := result.Outcome.Status; !slices.Contains(allowed, got) && !r.allow.allows([]string{"damaged/" + c.Name}, what) {
			wrong = append(wrong, fmt.Sprintf("%s: %s became %s%s%s", what, outcome, got, rawText(result.Outcome), allowing(c, what)))
		}
	}
	damaged(sample.Response.Body, "", func(what string, body any) { try(what, sample.Response.Status, body, outcome) })
	asked := s.Request.Amount
	for _, other := range []struct{ is, becomes, what string }{
		{asked.Major(), sdk.Money{Minor: asked.Minor * 10, Currency: asked.Currency}.Major(), "another amount"},
		{strconv.FormatInt(asked.Minor, 10), strconv.FormatInt(asked.Minor*10, 10), "another amount"},
		{string(asked.Currency), "ZAR", "another currency"},
	} {
		replaced(sample.Response.Body, "", other.is, other.becomes, func(at string, body any) {
			c := sample.clone()
			c.Response.Body = body
			_, result, err := r.answer(c)
			if err != nil || result.Outcome == nil || !slices.Contains(moving, result.Outcome.Status) {
				return
			}
			if o := result.Outcome; (o.Amount == nil || *o.Amount == asked) && o.Totals == nil && !r.allow.allows([]string{"damaged/" + c.Name}, other.what+" "+at) {
				wrong = append(wrong, fmt.Sprintf("%s %s: %s with the requested amount: take the answer's amount, or answer unknown%s", other.what, at, o.Status, allowing(c, other.what+" "+at)))
			}
		})
	}
	wrong = append(wrong, r.checkUnreadable(sample, asked)...)
	for _, status := range []int{200, 400, 404, 422, 408, 409, 500, 503} {
		var allowed []sdk.OutcomeStatus
		answered := sample.Response.Status / 100
		switch class := status / 100; {
		case status == 408, status == 409, class == 5: // the body proves nothing with these
		case class == answered:
			allowed = append(allowed, outcome)
		case outcome == sdk.StatusDeclined, outcome == sdk.StatusNotFound && class == 4: // the body proves it
			allowed = append(allowed, outcome)
		}
		if status != sample.Response.Status {
			try("HTTP "+strconv.Itoa(status), status, sample.Response.Body, allowed...)
		}
	}
	return wrong
}

// damaged yields copies of a body with one fault each, and the name of the fault.
func damaged(v any, path string, yield func(what string, body any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			with := func(value any) any {
				m := maps.Clone(v)
				m[name] = value
				return m
			}
			without := maps.Clone(v)
			delete(without, name)
			at := strings.TrimPrefix(path+"."+name, ".")
			yield("no "+at, without)
			yield("null "+at, with(nil))
			yield("other kind of "+at, with(otherKind(v[name])))
			damaged(v[name], at, func(what string, value any) { yield(what, with(value)) })
		}
	case []any:
		for i := range v {
			at := path + "[" + strconv.Itoa(i) + "]"
			yield("no "+at, slices.Delete(slices.Clone(v), i, i+1))
			damaged(v[i], at, func(what string, value any) {
				a := slices.Clone(v)
				a[i] = value
				yield(what, a)
			})
		}
	case string:
		if path != "" || strings.Contains(v, "<") {
			return
		}
		pairs := strings.Split(v, "&") // a form
		for i, pair := range pairs {
			name, _, _ := strings.Cut(pair, "=")
			yield("no "+name, strings.Join(slices.Delete(slices.Clone(pairs), i, i+1), "&"))
			pairs := slices.Clone(pairs)
			pairs[i] = name + "="
			yield("empty "+name, strings.Join(pairs, "&"))
		}
	}
}

// replaced yields copies of a body with one replaced value each, and the path of the value.
func replaced(v any, path, is, becomes string, yield func(at string, body any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			replaced(v[name], strings.TrimPrefix(path+"."+name, "."), is, becomes, func(at string, value any) {
				m := maps.Clone(v)
				m[name] = value
				yield(at, m)
			})
		}
	case []any:
		for i := range v {
			replaced(v[i], path+"["+strconv.Itoa(i)+"]", is, becomes, func(at string, value any) {
				a := slices.Clone(v)
				a[i] = value
				yield(at, a)
			})
		}
	case json.Number:
		if v.String() == is {
			yield(path, json.Number(becomes))
		}
	case string:
		if v == is {
			yield(path, becomes)
		}
	}
}

// otherKind returns a value of another kind.
func otherKind(v any) any {
	switch v.(type) {
	case string, json.Number:
		return map[string]any{}
	case bool:
		return []any{}
	}
	return "x"
}

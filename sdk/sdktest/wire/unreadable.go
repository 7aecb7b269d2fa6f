package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"payswitch/sdk"
)

// moving are the outcomes that hold, take or give back an amount.
var moving = []sdk.OutcomeStatus{sdk.StatusAuthorized, sdk.StatusCaptured, sdk.StatusRefunded}

// unreadable are invalid values for an amount or its currency.
var unreadable = []any{"sixty", "", map[string]any{}, []any{}, true, json.Number("1e400")}

// checkUnreadable gives the adapter the answer of a sample with each amount and each currency unreadable in turn. The adapter must not assume
// the requested amount then. A finding names a field, and the values with which the adapter goes wrong.
func (r *runner) checkUnreadable(sample *Case, asked sdk.Money) (wrong []string) {
	type mistake struct {
		at     string
		status sdk.OutcomeStatus
	}
	values := map[mistake]string{}
	var found []mistake // in the order of the fields
	for _, is := range []string{asked.Major(), strconv.FormatInt(asked.Minor, 10), string(asked.Currency)} {
		for _, becomes := range unreadable {
			spoiled(sample.Response.Body, "", is, becomes, func(at string, body any) {
				c := sample.clone()
				c.Response.Body = body
				_, result, err := r.answer(c)
				if err != nil || result.Outcome == nil || !slices.Contains(moving, result.Outcome.Status) || r.allow.allows([]string{"damaged/" + c.Name}, "unreadable "+at) {
					return
				}
				if stated := result.Outcome.Amount; stated != nil && *stated != asked {
					return // the outcome states another amount
				}
				m := mistake{at, result.Outcome.Status}
				if _, again := values[m]; again {
					values[m] += ", " + compact(becomes)
					return
				}
				found, values[m] = append(found, m), compact(becomes)
			})
		}
	}
	for _, m := range found {
		wrong = append(wrong, fmt.Sprintf("unreadable %s (%s): %s, as if it were what was asked for%s", m.at, values[m], m.status, allowing(sample, "unreadable "+m.at)))
	}
	return wrong
}

// allowing names the exception that allows a finding about a damaged answer.
func allowing(c *Case, what string) string {
	return fmt.Sprintf(" [if that is intended, allow: %q]", "damaged/"+c.Name+" "+what)
}

// spoiled yields copies of a JSON body with one replaced value each, and the path of the value.
func spoiled(v any, path, is string, becomes any, yield func(at string, body any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := name
			if path != "" {
				at = path + "." + name
			}
			spoiled(v[name], at, is, becomes, func(at string, value any) {
				m := maps.Clone(v)
				m[name] = value
				yield(at, m)
			})
		}
	case []any:
		for i := range v {
			spoiled(v[i], path+"["+strconv.Itoa(i)+"]", is, becomes, func(at string, value any) {
				a := slices.Clone(v)
				a[i] = value
				yield(at, a)
			})
		}
	case json.Number:
		if v.String() == is {
			yield(path, becomes)
		}
	case string:
		if v == is && path != "" {
			yield(path, becomes)
		}
	}
}

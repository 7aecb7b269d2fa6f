package router

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"payswitch/engine/fault"
)

// query reads a URL's query. err keeps the first error. A parameter that is absent or wrong reads as the zero value.
type query struct {
	values url.Values
	err    error
}

// query reads the query of the request. Only the parameters in repeatable may come more than once.
func (c *call) query(repeatable ...string) *query {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	q := &query{values: values}
	if err != nil {
		q.fail("", "the query string is malformed", "Write each special character as % and two hexadecimal digits.")
	}
	for key, list := range values {
		if len(list) > 1 && !slices.Contains(repeatable, key) {
			q.fail(key, "duplicate query parameter `"+shownText([]byte(key))+"`", "Send the parameter once.")
		}
		all := strings.Join(list, "")
		if !utf8.ValidString(key) || !utf8.ValidString(all) || strings.ContainsRune(all, 0) {
			q.fail(key, "the query string is not valid text", "Send UTF-8 without NUL characters.")
		}
	}
	return q
}

// fail keeps the first error. param is the query parameter at fault.
func (q *query) fail(param, message, hint string) {
	if q.err == nil {
		q.err = &fault.Error{Kind: fault.KindInvalid, Code: "IR_06", Message: "Query deserialize error: " + message, Param: shownText([]byte(param)), Hint: hint}
	}
}

// only refuses parameters that are not in names.
func (q *query) only(names ...string) {
	for key := range q.values {
		if !slices.Contains(names, key) {
			q.fail(key, "unknown field `"+shownText([]byte(key))+"`, expected "+oneOfText(names), fault.NameHint(key, names, "Leave the parameter out."))
		}
	}
}

func (q *query) has(name string) bool { return q.values.Has(name) }

func (q *query) text(name string) string { return q.values.Get(name) }

func (q *query) id(name string) string {
	v := q.text(name)
	if q.has(name) {
		if err := checkID(v); err != nil {
			q.fail(name, name+": "+err.Error(), idHint)
		}
	}
	return v
}

func (q *query) bool(name string) bool {
	v := q.text(name)
	if q.has(name) && v != "true" && v != "false" {
		q.fail(name, fmt.Sprintf("%s: %s is not `true` or `false`", name, quoted([]byte(v))), "Send true or false.")
	}
	return v == "true"
}

// int reads a whole number. given is false where the parameter was not sent or is not a whole number.
func (q *query) int(name string) (v int64, given bool) {
	if !q.has(name) {
		return 0, false
	}
	v, err := strconv.ParseInt(q.text(name), 10, 64)
	if err != nil {
		q.fail(name, fmt.Sprintf("%s: %s is not an integer", name, quoted([]byte(q.text(name)))), "Send a whole number.")
		return 0, false
	}
	return v, true
}

func (q *query) time(name string) time.Time {
	if !q.has(name) {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, q.text(name))
	if err != nil {
		q.fail(name, fmt.Sprintf("%s: %s is not an ISO 8601 time such as 2022-09-10T10:11:12Z", name, quoted([]byte(q.text(name)))), timeHint)
	}
	return t.UTC()
}

// either reads a time that has two names. given is false where neither was sent.
func (q *query) either(name, other string) (t time.Time, given bool) {
	if q.has(name) {
		return q.time(name), true
	}
	return q.time(other), q.has(other)
}

// expands reports whether the parameter expand names a part of the answer. expand is a list with commas.
func (q *query) expands(part string) bool {
	found := false
	for name := range strings.SplitSeq(q.text("expand"), ",") {
		if name != "" && name != part {
			q.fail("expand", "unknown variant `"+shownText([]byte(name))+"`, expected `"+part+"`", "Send "+part+", or leave expand out.")
		}
		found = found || name == part
	}
	return found
}

// timeRange reads the range of an aggregate. Its start is required.
func (q *query) timeRange() (from, to time.Time, err error) {
	from, given := q.either("start_time", "startTime")
	to, _ = q.either("end_time", "endTime")
	if !given {
		q.fail("start_time", "missing field `start_time`", timeHint)
	}
	return from, to, q.err
}

// list reads values that are separated by commas. Each must be one of allowed, unless allowed is empty.
func (q *query) list(name string, allowed []string) []string {
	if !q.has(name) {
		return nil
	}
	list := strings.Split(q.text(name), ",")
	for _, v := range list {
		if len(allowed) > 0 && !slices.Contains(allowed, v) || v == "" {
			q.fail(name, name+": unknown variant `"+shownText([]byte(v))+"`"+expected(allowed), fault.NameHint(v, allowed, "Send values between commas, without an empty one."))
		}
	}
	return list
}

func expected(allowed []string) string {
	if len(allowed) == 0 {
		return ""
	}
	return ", expected " + oneOfText(allowed)
}

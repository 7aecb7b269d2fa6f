package router

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"payswitch/sdk/nearest"
)

// maxHinted is how many values a hint lists at most.
const maxHinted = 8

// didYouMean returns a hint that names the fields of list nearest to sent. "" means that no name is near.
func didYouMean(sent string, list []string) string {
	return meant(nearestNames(sent, list, strings.HasSuffix))
}

// nameHint returns didYouMean if a name is near, and otherwise the given hint.
func nameHint(sent string, list []string, without string) string {
	return cmp.Or(didYouMean(sent, list), without)
}

// choiceHint returns a hint that names the values of list nearest to sent, or the whole list where it is short.
func choiceHint(sent string, list []string) string {
	hint := meant(nearestNames(sent, list, strings.HasPrefix))
	switch {
	case hint != "":
		return hint
	case len(list) == 0:
		return "Leave the field out."
	case len(list) > maxHinted:
		return "Send one of the values that the message lists."
	case len(list) == 1:
		return "Send " + listText(list, "or") + "."
	}
	return "Send one of " + listText(list, "or") + "."
}

func meant(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "Did you mean " + listText(near, "or") + "?"
}

// listText returns a list of quoted names: "a", "b" or "c".
func listText(list []string, last string) string {
	out := make([]string, len(list))
	for i, name := range list {
		out[i] = `"` + name + `"`
	}
	if n := len(out); n > 1 {
		return strings.Join(out[:n-1], ", ") + " " + last + " " + out[n-1]
	}
	return strings.Join(out, "")
}

// nearestNames are up to three entries of list that sent may stand for. An entry is near where it is the same except for case and
// punctuation; otherwise where few letters differ; otherwise where partOf says that one of the two is part of the other.
func nearestNames(sent string, list []string, partOf func(s, part string) bool) []string {
	plain := plainName(sent)
	if len(plain) < 2 || len(plain) > 64 {
		return nil
	}
	var same, close, partly []string
	most := max(1, len(plain)/4)
	for _, name := range list {
		other := plainName(name)
		switch d := nearest.Distance(plain, other); {
		case d == 0:
			same = append(same, name)
		case d < most:
			close, most = []string{name}, d
		case d == most && len(other) > 2*d:
			close = append(close, name)
		case min(len(plain), len(other)) >= 3 && (partOf(other, plain) || partOf(plain, other)):
			partly = append(partly, name)
		}
	}
	for _, found := range [][]string{same, close, partly} {
		if len(found) > 0 && len(found) <= 3 {
			return found
		}
	}
	return nil
}

// plainName returns a name in lower case without punctuation.
func plainName(s string) string {
	return strings.ToLower(strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c == ' ' || c == '.' {
			return -1
		}
		return c
	}, s))
}

// typeHint says how to send v as the type that was expected.
func typeHint(v jsontext.Value, expected string) string {
	isText := v.Kind() == '"'
	switch expected {
	case "a string":
		if v.Kind() == '0' || v.Kind() == 't' || v.Kind() == 'f' {
			return "Put the value in quotes."
		}
		return "Send a text in quotes."
	case "an integer":
		if text := unquoteIf(v); isText && isDigits(text) {
			return "Send the number without quotes."
		}
		return "Send a whole number without quotes, fraction or exponent."
	case "a number":
		return "Send a number without quotes."
	case "a boolean":
		if text := string(unquoteIf(v)); isText && (text == "true" || text == "false") {
			return "Send " + text + " without quotes."
		}
		return "Send true or false, without quotes."
	case "an object":
		return "Send an object: {...}."
	case "a list":
		return "Send a list: [...]."
	}
	return ""
}

func unquoteIf(v jsontext.Value) []byte {
	if v.Kind() == '"' {
		return unquote(v)
	}
	return v
}

func isDigits(s []byte) bool {
	return len(s) > 0 && !slices.ContainsFunc(s, func(c byte) bool { return c < '0' || c > '9' })
}

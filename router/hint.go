package router

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

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

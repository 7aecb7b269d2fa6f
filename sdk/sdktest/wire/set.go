package wire

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// SetField replaces the value at a path ("data.items[0].status") of an answer. It reports whether the answer had a value there. In a text
// body the last name of the path is a form field or an XML element.
func SetField(r *Response, path, value string) bool {
	names := strings.FieldsFunc(strings.NewReplacer("[", ".", "]", "", `"`, "").Replace(path), func(c rune) bool { return c == '.' })
	if len(names) == 0 {
		return false
	}
	last := names[len(names)-1]
	if text, ok := r.Body.(string); ok {
		if strings.Contains(text, "<"+last+">") {
			element := regexp.MustCompile("<" + regexp.QuoteMeta(last) + ">[^<]*</" + regexp.QuoteMeta(last) + ">")
			r.Body = element.ReplaceAllLiteralString(text, "<"+last+">"+value+"</"+last+">")
			return true
		}
		form, err := url.ParseQuery(text)
		if err != nil || !form.Has(last) {
			return false
		}
		form.Set(last, value)
		r.Body = form.Encode()
		return true
	}
	at := r.Body
	for _, name := range names[:len(names)-1] {
		at = child(at, name)
	}
	switch at := at.(type) {
	case map[string]any:
		if _, ok := at[last]; !ok {
			return false
		}
		at[last] = value
		return true
	case []any:
		if i, err := strconv.Atoi(last); err == nil && i >= 0 && i < len(at) {
			at[i] = value
			return true
		}
	}
	return false
}

func child(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[name]
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v) {
			return v[i]
		}
	}
	return nil
}

package sdktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"payswitch/sdk"
)

// differing names the first field that differs between two messages of a result, with both values.
func differing(a, b []byte) string {
	x, errX := sdk.DecodeResult(a)
	y, errY := sdk.DecodeResult(b)
	if errX != nil || errY != nil {
		return "the whole message"
	}
	text := firstDifference("", tree(x), tree(y))
	if text == "" && x.Send != nil && y.Send != nil && !bytes.Equal(x.Send.Body, y.Send.Body) {
		var p, q any
		if json.Unmarshal(x.Send.Body, &p) == nil && json.Unmarshal(y.Send.Body, &q) == nil {
			text = firstDifference("send.body", p, q)
		}
		if text == "" {
			text = "send.body " + bothValues(string(x.Send.Body), string(y.Send.Body))
		}
	}
	if text == "" {
		return "the order of the fields"
	}
	return text
}

// tree returns a result as decoded JSON.
func tree(r *sdk.Result) (v any) {
	text, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		return err.Error()
	}
	return v
}

// firstDifference returns the first path at which two values differ, with both values; "" if they are equal.
func firstDifference(path string, a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return path + " " + bothValues(a, b)
		}
		all := maps.Clone(x)
		maps.Copy(all, y)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if text := firstDifference(strings.TrimPrefix(path+"."+name, "."), x[name], y[name]); text != "" {
				return text
			}
		}
		return ""
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return path + " " + bothValues(a, b)
		}
		for i := range x {
			if text := firstDifference(fmt.Sprintf("%s[%d]", path, i), x[i], y[i]); text != "" {
				return text
			}
		}
		return ""
	}
	if a != b {
		return path + " " + bothValues(a, b)
	}
	return ""
}

func bothValues(a, b any) string {
	return fmt.Sprintf("(%.80q and %.80q)", fmt.Sprint(a), fmt.Sprint(b))
}

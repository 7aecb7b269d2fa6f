package fault

import (
	"cmp"
	"strconv"
	"strings"

	"payswitch/sdk/nearest"
)

// maxHinted is how many values a hint lists at most.
const maxHinted = 8

// NameHint returns a hint that names the entries of list nearest to the name sent, and the hint without if no entry is near.
func NameHint(sent string, list []string, without string) string {
	return cmp.Or(meant(nearestNames(sent, list, endsOrLacksID)), without)
}

// endsOrLacksID reports whether part is the end of s, or s without its "id": "payment" may stand for "payment_id".
func endsOrLacksID(s, part string) bool { return strings.HasSuffix(s, part) || s == part+"id" }

// ChoiceHint returns a hint that names the values of list nearest to sent, or the whole list where it is short.
func ChoiceHint(sent string, list []string) string {
	hint := meant(nearestNames(sent, list, strings.HasPrefix))
	switch {
	case hint != "":
		return hint
	case len(list) == 0:
		return "Leave the field out."
	case len(list) > maxHinted:
		return "Send one of the values that the message lists."
	case len(list) == 1:
		return "Send " + listText(list) + "."
	}
	return "Send one of " + listText(list) + "."
}

// MissingHint returns a hint for a field that an object lacks. One of the unknown names that the object has may be a misspelling of it.
func MissingHint(name string, unknown []string) string {
	if near := nearestNames(name, unknown, strings.HasSuffix); len(near) == 1 {
		return "The field " + strconv.Quote(near[0]) + " is unknown here. Did you mean \"" + name + "\"?"
	}
	return "Add the field to the object."
}

func meant(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "Did you mean " + listText(near) + "?"
}

// listText returns a list of quoted names: "a", "b" or "c".
func listText(list []string) string {
	out := make([]string, len(list))
	for i, name := range list {
		out[i] = `"` + name + `"`
	}
	if n := len(out); n > 1 {
		return strings.Join(out[:n-1], ", ") + " or " + out[n-1]
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

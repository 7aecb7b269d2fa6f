package wire

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"payswitch/sdk"
)

// A difference is a field in which the adapter's request differs from the request of a case.
type difference struct {
	path      string
	want, got string // "" means missing
}

func (d difference) String() string {
	text := func(s string) string {
		if s == "" {
			return "(missing)"
		}
		return s
	}
	return fmt.Sprintf("%s: want %s, got %s", d.path, text(d.want), text(d.got))
}

// compare lists the differences. It ignores the volatile fields of the case, the order of names, and headers that the adapter does not
// decide.
func compare(c *Case, s *sdk.Send) ([]difference, error) {
	want, err := c.Request.fields()
	if err != nil {
		return nil, fmt.Errorf("the case: %w", err)
	}
	got, err := fieldsOf(s)
	if err != nil {
		return nil, err
	}
	if s.IdempotencyHeader != "" { // the host sets its value, and the case may lack it
		delete(want, "headers."+strings.ToLower(s.IdempotencyHeader))
	}
	presence := map[string]bool{}
	for _, p := range slices.Concat(c.Volatile.Clock, c.Volatile.Random) {
		presence[p] = true
	}
	var all []difference
	for _, p := range paths(want, got) {
		w, g := want[p], got[p]
		switch {
		case w == g, presence[p] && w != "" && g != "", sameNumber(w, g), ignored(p, w, c.Request.BodyKind):
		default:
			all = append(all, difference{p, w, g})
		}
	}
	return all, nil
}

// ignored reports whether the adapter does not decide a header, or may send it although the case lacks it.
func ignored(path, want, bodyKind string) bool {
	header, ok := strings.CutPrefix(path, "headers.")
	if !ok {
		return false
	}
	switch header {
	case "user-agent", "accept-encoding", "content-length", "host", "accept", "connection":
		return true
	case "content-type":
		return bodyKind == "none"
	}
	return want == "" && strings.Contains(header, "idempoten")
}

// sameNumber compares JSON numbers by value: 10.50 equals 10.5.
func sameNumber(a, b string) bool {
	x, ok := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	return ok && ok2 && x.Cmp(y) == 0
}

package rule

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Warning is a part of a program that can be evaluated, and has no effect.
type Warning struct {
	Rule    string `json:"rule"`
	Key     string `json:"key,omitempty"` // the lhs, "" if no single key is the cause
	Message string `json:"message"`
}

// maxWarnings limits the list: a program with more faults shows the first ones.
const maxWarnings = 50

// Warnings finds rules that no payment can match: because their conditions contradict each other, or because an earlier rule takes their
// payments. It finds no contradiction that spans nested statements.
func Warnings(s *Source) (out []Warning) {
	var taken index
	for i := range s.Rules {
		r := &s.Rules[i]
		var possible []bounds
		var cause Key
		for j := range r.Statements {
			b, empty := boundsOf(r.Statements[j].Condition)
			if empty == NoKey && never(r.Statements[j].Nested) {
				continue
			}
			if empty != NoKey {
				cause = empty
				continue
			}
			possible = append(possible, b)
		}
		switch {
		case len(out) >= maxWarnings:
			return out
		case len(r.Statements) == 0:
			out = append(out, Warning{r.Name, "", "has no statements, so it never matches"})
		case len(possible) == 0 && cause != NoKey:
			out = append(out, Warning{r.Name, cause.Name(), "contradicts itself: no payment can meet all of its conditions about " + cause.Name()})
		case len(possible) == 0:
			out = append(out, Warning{r.Name, "", "has nested statements that can never be true, so it never matches"})
		default:
			if by, all := taken.covers(possible); all {
				out = append(out, Warning{r.Name, "", fmt.Sprintf("is unreachable: rule %q comes first and takes all of its payments", by)})
			}
			if len(possible) < len(r.Statements) && cause != NoKey {
				out = append(out, Warning{r.Name, cause.Name(), "has a statement that contradicts itself about " + cause.Name()})
			}
		}
		for j := range r.Statements { // a statement with nested ones takes only some of the payments
			if b, empty := boundsOf(r.Statements[j].Condition); empty == NoKey && r.Statements[j].Nested == nil {
				taken.add(r.Name, b)
			}
		}
	}
	return out
}

// never reports whether nested statements cannot be true.
func never(nested []Statement) bool {
	if nested == nil {
		return false
	}
	for i := range nested {
		if _, empty := boundsOf(nested[i].Condition); empty == NoKey && !never(nested[i].Nested) {
			return false
		}
	}
	return true
}

// part names the subject of a bound: a key, and for metadata the member.
type part struct {
	key    Key
	member string
}

// bounds are the values that the conditions of one statement allow, by part. A part without a bound may have any value.
type bounds map[part]bound

// bound is a set of values. absent is true if a payment without a value fits.
type bound struct {
	absent bool
	set    [4]uint64       // of an enum
	ranges []ordered       // the allowed values of a number, disjoint and ascending
	texts  map[string]bool // the allowed texts; if others is true, the texts that are not allowed
	others bool
}

type ordered struct{ from, to int64 }

// boundsOf returns the values that a list of conditions allows. empty is the first key for which it allows no value.
func boundsOf(list []Comparison) (b bounds, empty Key) {
	b = bounds{}
	for i := range list {
		c := &list[i].condition
		at := part{key: c.key}
		if c.key == Metadata {
			at.member = c.text
		}
		v := boundOf(c)
		if old, ok := b[at]; ok {
			v = old.and(v)
		}
		b[at] = v
		if v.empty() {
			return b, c.key
		}
	}
	return b, NoKey
}

func boundOf(c *condition) bound {
	v := bound{absent: c.not}
	switch {
	case c.key < enumKeys:
		v.set = c.set
		if c.not {
			for i := range v.set {
				v.set[i] = ^v.set[i]
			}
			v.set[0] &^= 1
		}
		limit := len(c.key.facts().values)
		for i := limit + 1; i < 256; i++ {
			v.set[i>>6] &^= 1 << (i & 63)
		}
	case c.key <= FraudRate:
		v.ranges = rangesOf(c)
		if c.not {
			v.ranges = complement(v.ranges)
		}
	default:
		text := c.text
		if c.key == Metadata {
			text = c.value
		}
		v.texts, v.others = map[string]bool{text: true}, c.not
	}
	return v
}

func rangesOf(c *condition) []ordered {
	var out []ordered
	switch c.test {
	case anyNumber:
		for _, n := range c.numbers {
			out = append(out, ordered{n, n})
		}
	case anyOrdering:
		for _, o := range c.orderings {
			out = append(out, o.ranges()...)
		}
	default:
		out = ordering{c.test, c.number}.ranges()
	}
	return merged(out)
}

func (o ordering) ranges() []ordered {
	n, last := o.number, int64(math.MaxInt64)
	switch {
	case o.test == less && n > 0:
		return []ordered{{0, n - 1}}
	case o.test == less:
		return nil
	case o.test == lessEqual:
		return []ordered{{0, n}}
	case o.test == greater && n < last:
		return []ordered{{n + 1, last}}
	case o.test == greater:
		return nil
	case o.test == greaterEqual:
		return []ordered{{n, last}}
	case o.test == anyOrdering:
		return complement([]ordered{{n, n}})
	}
	return []ordered{{n, n}}
}

// merged sorts ranges and joins those that touch.
func merged(list []ordered) (out []ordered) {
	slices.SortFunc(list, func(a, b ordered) int {
		if a.from < b.from {
			return -1
		}
		return 1
	})
	for _, r := range list {
		if n := len(out); n > 0 && (out[n-1].to == math.MaxInt64 || r.from <= out[n-1].to+1) {
			out[n-1].to = max(out[n-1].to, r.to)
			continue
		}
		out = append(out, r)
	}
	return out
}

// complement returns the numbers from 0 on that are in none of the ranges, which are disjoint and ascending.
func complement(list []ordered) (out []ordered) {
	next := int64(0)
	for _, r := range list {
		if r.from > next {
			out = append(out, ordered{next, r.from - 1})
		}
		if r.to == math.MaxInt64 {
			return out
		}
		next = r.to + 1
	}
	return append(out, ordered{next, math.MaxInt64})
}

// and returns the values that both bounds allow.
func (b bound) and(o bound) bound {
	out := bound{absent: b.absent && o.absent}
	for i := range out.set {
		out.set[i] = b.set[i] & o.set[i]
	}
	for _, x := range b.ranges {
		for _, y := range o.ranges {
			if from, to := max(x.from, y.from), min(x.to, y.to); from <= to {
				out.ranges = append(out.ranges, ordered{from, to})
			}
		}
	}
	out.texts = map[string]bool{}
	switch {
	case b.others && o.others:
		out.others = true
		maps.Copy(out.texts, b.texts)
		maps.Copy(out.texts, o.texts)
	case b.others:
		return o.without(b, out)
	default:
		return b.without(o, out)
	}
	return out
}

// without sets the texts of out to those of b that o allows.
func (b bound) without(o, out bound) bound {
	for t := range b.texts {
		if o.texts[t] != o.others {
			out.texts[t] = true
		}
	}
	return out
}

func (b bound) empty() bool {
	return !b.absent && b.set == [4]uint64{} && len(b.ranges) == 0 && len(b.texts) == 0 && !b.others
}

// within reports whether all values of b are values of o.
func (b bound) within(o bound) bool {
	if b.absent && !o.absent {
		return false
	}
	for i := range b.set {
		if b.set[i]&^o.set[i] != 0 {
			return false
		}
	}
	for _, x := range b.ranges {
		if !slices.ContainsFunc(o.ranges, func(y ordered) bool { return y.from <= x.from && x.to <= y.to }) {
			return false
		}
	}
	switch {
	case b.others && !o.others:
		return false
	case b.others:
		for t := range o.texts {
			if !b.texts[t] {
				return false
			}
		}
		return true
	}
	for t := range b.texts {
		if o.texts[t] == o.others {
			return false
		}
	}
	return true
}

// within reports whether every payment that b allows is one that o allows.
func (b bounds) within(o bounds) bool {
	for at, limit := range o {
		if v, ok := b[at]; !ok || !v.within(limit) {
			return false
		}
	}
	return true
}

// index holds the statements of earlier rules.
type index struct {
	names []string
	all   []bounds
}

// compared is the number of statements at the head and at the tail of the earlier ones that a statement is compared with. The limit makes the check of
// a long program take linear time.
const compared = 32

func (x *index) add(rule string, b bounds) { x.all, x.names = append(x.all, b), append(x.names, rule) }

// covers reports whether earlier rules take all payments of the statements. by is one of those rules.
func (x *index) covers(list []bounds) (by string, all bool) {
	for _, b := range list {
		found := false
		for i := 0; i < len(x.all) && !found; i++ {
			if i == compared {
				i = max(i, len(x.all)-compared)
			}
			if found = b.within(x.all[i]); found {
				by = x.names[i]
			}
		}
		if !found {
			return "", false
		}
	}
	return by, true
}

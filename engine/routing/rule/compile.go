package rule

// Program is a compiled program. It is safe for concurrent use.
type Program struct {
	rules      []span // of statements
	statements []compiled
	conditions []condition
}

type span struct{ from, to int32 }

type compiled struct {
	conditions span
	nested     span
	hasNested  bool
}

// test is the kind of comparison of a condition.
type test uint8

const (
	inSet test = iota
	less
	lessEqual
	greater
	greaterEqual
	anyNumber
	anyOrdering
	sameText
	sameMetadata
)

// condition is one comparison in the form that payments evaluate.
type condition struct {
	key       Key
	test      test
	not       bool
	number    int64
	set       [4]uint64 // the codes of an enum's values
	text      string    // of sameText; the key of sameMetadata
	value     string    // of sameMetadata
	numbers   []int64
	orderings []ordering
}

// ordering is a comparison with a number.
type ordering struct {
	test   test // less to greaterEqual, or anyNumber for equal; anyOrdering for not equal
	number int64
}

// Compile makes the form of a program that payments evaluate. s must come from Parse.
func Compile(s *Source) *Program {
	p := &Program{rules: make([]span, len(s.Rules))}
	for i := range s.Rules {
		p.rules[i] = p.add(s.Rules[i].Statements)
	}
	return p
}

// add compiles a list of statements into one block, so that a span names it.
func (p *Program) add(list []Statement) span {
	at := span{int32(len(p.statements)), int32(len(p.statements) + len(list))}
	p.statements = append(p.statements, make([]compiled, len(list))...)
	for i := range list {
		from := int32(len(p.conditions))
		for j := range list[i].Condition {
			p.conditions = append(p.conditions, list[i].Condition[j].condition)
		}
		c := compiled{conditions: span{from, int32(len(p.conditions))}, hasNested: list[i].Nested != nil}
		if c.hasNested {
			c.nested = p.add(list[i].Nested)
		}
		p.statements[int(at.from)+i] = c
	}
	return at
}

// Match returns the index of the first rule that the input matches, or -1 if no rule matches.
func (p *Program) Match(in *Input) int {
	for i, r := range p.rules {
		if p.any(r, in) {
			return i
		}
	}
	return -1
}

// any reports whether one of the statements is true.
func (p *Program) any(s span, in *Input) bool {
	for i := s.from; i < s.to; i++ {
		c := &p.statements[i]
		if p.all(c.conditions, in) && (!c.hasNested || p.any(c.nested, in)) {
			return true
		}
	}
	return false
}

func (p *Program) all(s span, in *Input) bool {
	for i := s.from; i < s.to; i++ {
		if c := &p.conditions[i]; c.holds(in) == c.not {
			return false
		}
	}
	return true
}

// holds reports whether the comparison is true, before not turns it round. A key without a value makes it false.
func (c *condition) holds(in *Input) bool {
	switch {
	case c.key < enumKeys:
		code := in.enums[c.key]
		return c.set[code>>6]>>(code&63)&1 == 1 // no set has the code 0
	case c.key <= FraudRate:
		return in.known[c.key-Amount] && c.holdsFor(in.numbers[c.key-Amount])
	case c.key == Metadata:
		value, ok := in.metadata[c.text]
		return ok && value == c.value
	}
	return in.textKnown[c.key-CardBIN] && in.texts[c.key-CardBIN] == c.text
}

func (c *condition) holdsFor(n int64) bool {
	switch c.test {
	case anyNumber:
		for _, m := range c.numbers {
			if m == n {
				return true
			}
		}
		return false
	case anyOrdering:
		for _, o := range c.orderings {
			if o.holds(n) {
				return true
			}
		}
		return false
	}
	return ordering{c.test, c.number}.holds(n)
}

func (o ordering) holds(n int64) bool {
	switch o.test {
	case less:
		return n < o.number
	case lessEqual:
		return n <= o.number
	case greater:
		return n > o.number
	case greaterEqual:
		return n >= o.number
	case anyOrdering:
		return n != o.number
	}
	return n == o.number
}

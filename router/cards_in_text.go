package router

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"payswitch/engine"
)

// A card number belongs in a card_number field: the engine seals it, and adapters see a stand-in. After a body is parsed, this file searches every
// other text, number and member name in it for card numbers.

// CardsInText says what Server does with a card number in a field that is not meant for one.
type CardsInText string

const (
	RefuseCards CardsInText = "refuse" // the request fails with 422 IR_06, which names the field; the default
	MaskCards   CardsInText = "mask"   // all digits but the last four become asterisks, and the request goes on
)

// apart excludes a field's value from the search: a card_number field, an identifier, a credential, or a value that is not stored.
func apart[V any](parse func(*reader) (V, error)) func(*reader) (V, error) {
	return func(r *reader) (V, error) {
		r.peek()
		from := r.pos
		v, err := parse(r)
		r.apart = append(r.apart, [2]int{from, r.pos})
		return v, err
	}
}

// cardPlace is one card number in a body: data[from:to] is the JSON string or number that holds it.
type cardPlace struct {
	field    string
	from, to int
	masked   string
	name     bool // the string is the name of a member
}

// cardsIn finds the card numbers in a parsed body, outside the ranges that apart has recorded. It stops after most of them; 0 means no limit.
func (r *reader) cardsIn(most int) ([]cardPlace, error) {
	f := cardFinder{reader: reader{data: r.data}, apart: r.apart, most: most}
	slices.SortFunc(f.apart, func(a, b [2]int) int { return a[0] - b[0] })
	err := f.value()
	return f.found, err
}

type cardFinder struct {
	reader
	apart [][2]int
	found []cardPlace
	most  int
	path  []step // to the value at pos
}

// step is one part of a path: the name of a member, or the index of an element.
type step struct {
	name  []byte
	index int // used if name is nil
}

// leastCard is the fewest bytes that can hold a card number.
const leastCard = 14

// field is the path in the form that messages use: order_details[0].product_name.
func (f *cardFinder) field() string {
	var b strings.Builder
	for i, s := range f.path {
		switch {
		case s.name == nil:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
			continue
		case i > 0:
			b.WriteByte('.')
		}
		b.WriteString(engine.MaskCards(string(s.name)))
	}
	return b.String()
}

func (f *cardFinder) full() bool { return f.most > 0 && len(f.found) >= f.most }

// marked reports whether apart has excluded the value at pos.
func (f *cardFinder) marked() bool {
	_, found := slices.BinarySearchFunc(f.apart, f.pos, func(a [2]int, pos int) int { return a[0] - pos })
	return found
}

// value searches the value at pos.
func (f *cardFinder) value() error {
	c := f.peek()
	if f.full() || f.marked() {
		return f.skip()
	}
	from := f.pos
	switch {
	case c == '{':
		return f.members(func(key []byte, keyEnd int) error {
			if len(key) >= leastCard && engine.HoldsCard(string(key)) {
				f.found = append(f.found, cardPlace{field: f.field(), from: f.keyStart(keyEnd), to: keyEnd + 1, masked: engine.MaskCards(string(key)), name: true})
			}
			return f.within(step{name: key})
		})
	case c == '[':
		i := -1
		return f.elements(func() error {
			i++
			return f.within(step{index: i})
		})
	case c == '"':
		b, err := f.string()
		if err == nil && len(b) >= leastCard {
			f.look(string(b), from)
		}
		return err
	case c == '-' || c >= '0' && c <= '9':
		digits, whole, err := f.number()
		if err != nil {
			return err
		}
		text := string(digits)
		if v, err := strconv.ParseFloat(text, 64); err == nil && !whole {
			text = strconv.FormatFloat(v, 'f', -1, 64) // 4.2e15 is a whole number too
		}
		f.look(strings.TrimPrefix(text, "-"), from)
		return nil
	}
	return f.skip()
}

// within searches the value that s leads to.
func (f *cardFinder) within(s step) error {
	f.path = append(f.path, s)
	err := f.value()
	f.path = f.path[:len(f.path)-1]
	return err
}

// look searches one text. Its JSON value begins at from and ends at pos.
func (f *cardFinder) look(text string, from int) {
	if engine.HoldsCard(text) {
		f.found = append(f.found, cardPlace{field: f.field(), from: from, to: f.pos, masked: engine.MaskCards(text)})
	}
}

// keyStart is the position of the opening quote of the member name whose closing quote is at end.
func (f *cardFinder) keyStart(end int) int {
	for i := end - 1; ; i-- {
		if f.data[i] != '"' {
			continue
		}
		escapes := 0
		for f.data[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}

// refuse is the error that names the field of a card number.
func (p *cardPlace) refuse() error {
	const remedy = " holds a card number: send card numbers in the card_number of a card alone, where they are kept safe"
	switch {
	case p.name && p.field == "":
		return engine.Unprocessable("", "the name of a field"+remedy)
	case p.name:
		return engine.Unprocessable(p.field, "the name of a member of "+shownText([]byte(p.field))+remedy)
	}
	return engine.Unprocessable(p.field, shownText([]byte(p.field))+remedy)
}

// maskCards returns the body with its card numbers masked. A JSON number becomes a string.
func maskCards(body []byte, places []cardPlace) ([]byte, error) {
	out := make([]byte, 0, len(body)+16)
	done := 0
	for _, p := range places {
		text, err := json.Marshal(p.masked)
		if err != nil {
			return nil, engine.Internal(err, "mask card number")
		}
		out = append(append(out, body[done:p.from]...), text...)
		done = p.to
	}
	return append(out, body[done:]...), nil
}

package router

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"payswitch/engine/card"
	"payswitch/engine/fault"
)

// A card number belongs in a field for card numbers: the engine seals it there, and adapters see stand-ins. Once a body has been read, the
// router searches every other text and number of it, and the names of members, for card numbers.

// CardsInText is what the router does with a card number outside the fields for card numbers.
type CardsInText string

const (
	RefuseCards CardsInText = "refuse" // the request fails with 422 IR_06, which names the field; the default
	MaskCards   CardsInText = "mask"   // all digits but the last four become asterisks, and the request goes on
)

// apart exempts a field's value from the search for card numbers: the field for card numbers, an identifier, a credential, or a value that payswitch
// does not keep.
func apart[V any](parse func(*reader) (V, error)) func(*reader) (V, error) {
	return func(r *reader) (V, error) {
		from := r.next()
		v, err := parse(r)
		r.apart = append(r.apart, [2]int{from, r.pos()})
		return v, err
	}
}

// cardPlace is a card number that was found in a body: body[from:to] is the string or number that contains it.
type cardPlace struct {
	field    string // the path of the value; of the object, where name is set
	from, to int
	masked   string
	name     bool // the card number is in the name of a member
}

// leastCard is the fewest bytes, quotes included, of a string that can contain a card number.
const leastCard = 14

// cardsIn finds the card numbers in a body that was read, except in the ranges that the tables have set apart. most bounds how many
// it returns; 0 means all.
func (r *reader) cardsIn(most int) ([]cardPlace, error) {
	slices.SortFunc(r.apart, func(a, b [2]int) int { return a[0] - b[0] })
	var found []cardPlace
	r = r.reader(0, len(r.body), "")
	for apart := r.apart; most == 0 || len(found) < most; {
		from := r.next()
		for len(apart) > 0 && apart[0][0] < from {
			apart = apart[1:]
		}
		if len(apart) > 0 && apart[0][0] == from {
			if _, err := r.value(); err != nil {
				return nil, err
			}
			continue
		}
		v, err := r.token()
		if err != nil {
			return nil, err
		}
		if r.dec.StackDepth() == 0 {
			break
		}
		if kind := v.Kind(); kind != '0' && (kind != '"' || len(v) < leastCard || fewDigits(v)) {
			continue
		}
		if text := cardText(v); card.HoldsCard(text) {
			place := cardPlace{field: r.path(), from: from, to: r.pos(), masked: card.MaskCards(text)}
			if r.isName() {
				place.name, place.field = true, r.pathOf(r.dec.StackPointer().Parent())
			}
			found = append(found, place)
		}
	}
	return found, nil
}

// fewDigits is a quick test: it reports whether a string is plain ASCII without escapes, and has too few digits for a card number.
func fewDigits(v jsontext.Value) bool {
	digits := 0
	for _, c := range v {
		switch {
		case c == '\\', c == '%', c >= utf8.RuneSelf:
			return false
		case c >= '0' && c <= '9':
			digits++
		}
	}
	return digits < leastCard-2
}

// cardText returns the text of a string or number in which to look for a card number: 4.2e15 is a whole number too.
func cardText(v jsontext.Value) string {
	if v[0] == '"' {
		return string(unquote(v))
	}
	if bytes.ContainsAny(v, ".eE") {
		if f, err := strconv.ParseFloat(string(v), 64); err == nil {
			v = strconv.AppendFloat(nil, f, 'f', -1, 64)
		}
	}
	return strings.TrimPrefix(string(v), "-")
}

// refuse returns the error that names the field of a card number.
func (p *cardPlace) refuse() error {
	what := p.field
	switch {
	case p.name && p.field == "":
		what = "the name of a field"
	case p.name:
		what = "the name of a member of " + p.field
	}
	return fault.Unprocessable(p.field, what+" holds a card number: send card numbers in the card_number of a card alone, where they are kept safe").WithHint("Leave the card number out of this field.")
}

// maskCards returns the body with its card numbers masked. A number becomes a string.
func maskCards(body []byte, places []cardPlace) ([]byte, error) {
	out := make([]byte, 0, len(body)+16)
	done := 0
	for _, p := range places {
		text, err := json.Marshal(p.masked)
		if err != nil {
			return nil, fault.Internal(err, "mask card number")
		}
		out = append(append(out, body[done:p.from]...), text...)
		done = p.to
	}
	return append(out, body[done:]...), nil
}

package plugins

import (
	"crypto/subtle"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"payswitch/sdk"
)

// Bounds of expressions: far above the needs of a signature scheme, far below any noticeable cost.
const (
	maxExprNodes   = 64
	maxExprBytes   = 2 * sdk.MaxMessage // of all intermediate values of one send
	maxDerivations = 32
)

// origin records what a value was made of.
type origin struct {
	secrets uint64 // bit i: standIns.secrets[i]
	card    bool   // card data: plain, encoded or encrypted
	mixed   bool   // unencrypted card data together with other text
	body    bool   // a digest over the body
	rawBody bool   // the body itself
	own     bool   // a credential of this account
	foreign bool   // text of the adapter that might be its author's credential

	key     bool // may be a key: one whole credential or config value of the account, or one function of it
	signed  bool // a digest over the message with a whole credential of this account
	literal bool // text of the adapter
	binary  bool // bytes that may not be text
	size    int  // its share of maxExprBytes, independent of the secrets' values
}

// authentic reports whether the value proves the identity of this account alone.
func (o origin) authentic() bool { return o.own && !o.foreign }

// and returns the origin of two values in a row.
func (o origin) and(p origin) origin {
	return origin{secrets: o.secrets | p.secrets, card: o.card || p.card, mixed: o.mixed || p.mixed, body: o.body || p.body,
		rawBody: o.rawBody || p.rawBody, own: o.own || p.own, foreign: o.foreign || p.foreign,
		literal: o.literal || p.literal, binary: o.binary || p.binary, size: o.size + p.size}
}

// known reports whether the adapter knows the value: no secret is part of it.
func (o origin) known() bool { return o.secrets == 0 && !o.body && !o.rawBody }

// secretSize is what a secret counts for in maxExprBytes. A secret longer than maxSecret is cut.
const (
	secretSize = 8 << 10
	maxSecret  = 32 << 10
)

// evaluation computes expressions over real secrets. Its values leave the host only through a placement.
//
// Whether an expression can be computed depends on its shape and on what the adapter knows, never on the value of a secret.
// Otherwise an adapter could find a secret by expressions that fail for one digit and not for another. A function that has no
// value for a secret returns a fixed value instead, and the operator's log names the fault (standIns.wrong).
type evaluation struct {
	rule     string // the rule that an invalid expression breaks
	secrets  *standIns
	body     []byte
	bodySize int  // size of the body with its stand-ins
	hasBody  bool // body is set
	verify   bool // the value is compared and not sent: no card data allowed
	derived  []derivation
	nodes    int
	bytes    int
}

// derivation is one derivation that a send declares. Its value is computed on first use.
type derivation struct {
	*sdk.Derivation
	state  int // new, beingComputed, computed
	value  []byte
	origin origin
}

const (
	beingComputed = 1
	computed      = 2
)

// verify reports whether the value of v.Expr equals v.Equal, in constant time for equal lengths. The value must be a digest over
// the message with a whole credential as its key. So an adapter that guesses must guess the whole key.
func verify(v *sdk.Verify, secrets *standIns, body []byte) (bool, error) {
	e := evaluation{rule: RuleVerify, secrets: secrets, body: body, bodySize: len(body), hasBody: true, verify: true}
	value, o, err := e.value(&v.Expr)
	if err != nil {
		return false, err
	}
	if !o.signed {
		return false, e.broken("the value to compare is not a signature of the message: use an HMAC or RSA signature whose key is a whole credential, " +
			"or a digest over the body and a credential, in base64 or hexadecimal if needed; a token that the message carries is no signature: state events with sync, without verify")
	}
	return subtle.ConstantTimeCompare(value, []byte(v.Equal)) == 1, nil
}

// verifyCAVV reports whether the authentication value equals v.Equal. No other card data can be compared, and no function of it.
// An adapter could guess a card number digit by digit from comparisons of its parts, but not the 160 bits of an issuer's value.
func verifyCAVV(v *sdk.Verify, secrets *standIns) (bool, error) {
	i := secrets.named(v.Expr.Text)
	if v.Expr.Fn != sdk.FnText || len(v.Expr.Args) > 0 || i < 0 || secrets.secrets[i].name != secretCAVV {
		return false, violation(RuleVerify, "outside webhooks only the authentication value can be compared, alone and unchanged")
	}
	return subtle.ConstantTimeCompare([]byte(secrets.secrets[i].value.Reveal()), []byte(v.Equal)) == 1, nil
}

// declare adds the derivations of a send.
func (e *evaluation) declare(all []sdk.Derivation) error {
	if len(all) > maxDerivations {
		return e.broken("the send declares more than %d derivations", maxDerivations)
	}
	e.derived = make([]derivation, len(all))
	for i := range all {
		index, ok := strings.CutPrefix(all[i].StandIn, e.secrets.derivePrefix)
		if !ok || !isIndex(index) || e.derivation(all[i].StandIn) != nil {
			return e.broken("a derivation's stand-in must be derive_prefix followed by an index that no other has")
		}
		e.derived[i].Derivation = &all[i]
	}
	return nil
}

func isIndex(s string) bool {
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return s != "" && len(s) <= maxIndexDigits
}

func (e *evaluation) derivation(standIn string) *derivation {
	for i := range e.derived {
		if d := &e.derived[i]; d.Derivation != nil && d.StandIn == standIn {
			return d
		}
	}
	return nil
}

func (e *evaluation) broken(format string, args ...any) error {
	return violation(e.rule, format, args...)
}

// standIn returns the value of one stand-in.
func (e *evaluation) standIn(text string) ([]byte, origin, error) {
	if i := e.secrets.named(text); i >= 0 {
		x := &e.secrets.secrets[i]
		if x.card && e.verify {
			return nil, origin{}, e.broken("an expression to compare holds card data")
		}
		v := []byte(x.value.Reveal())
		return v[:min(len(v), maxSecret)], origin{secrets: 1 << i, card: x.card, own: x.own, foreign: !x.own, key: !x.card, size: secretSize}, nil
	}
	d := e.derivation(text)
	switch {
	case d == nil && e.verify:
		return nil, origin{}, e.broken("an expression to compare holds a derivation: write its expression instead")
	case d == nil && strings.HasPrefix(text, e.secrets.derivePrefix):
		return nil, origin{}, e.broken("the send uses a derivation that it does not declare")
	case d == nil:
		return nil, origin{}, e.broken("the send uses a captured value that the host no longer has")
	case d.state == beingComputed:
		return nil, origin{}, e.broken("the derivations refer to each other in a circle")
	case d.state == computed:
		return d.value, d.origin, nil
	}
	d.state = beingComputed
	e.nodes = 0
	v, o, err := e.value(&d.Expr)
	if err != nil {
		return nil, origin{}, err
	}
	d.state, d.value, d.origin = computed, v, o
	return v, o, nil
}

// value computes an expression.
func (e *evaluation) value(x *sdk.Expr) ([]byte, origin, error) {
	if e.nodes++; e.nodes > maxExprNodes {
		return nil, origin{}, e.broken("the expression has more than %d parts", maxExprNodes)
	}
	if want, ok := arity[x.Fn]; ok && want != len(x.Args) {
		return nil, origin{}, e.broken("function %s takes %d arguments, not %d", x.Fn, want, len(x.Args))
	}
	args, origins := make([][]byte, len(x.Args)), make([]origin, len(x.Args))
	for i := range x.Args {
		var err error
		if args[i], origins[i], err = e.value(&x.Args[i]); err != nil {
			return nil, origin{}, err
		}
	}
	v, o, err := e.apply(x, args, origins)
	if e.bytes += o.size; err == nil && e.bytes > maxExprBytes {
		return nil, origin{}, e.broken("the expressions of the send take more than %d bytes", maxExprBytes)
	}
	return v, o, err
}

// text replaces the stand-ins in s with their values, in one pass.
func (e *evaluation) text(s string) ([]byte, origin, error) {
	var out []byte
	var all, one origin
	parts := 0
	for s != "" {
		start, end := e.secrets.next(s)
		if start < 0 {
			start, end = len(s), len(s)
		}
		if start > 0 {
			o := e.literal(s[:start])
			out, all, one = append(out, s[:start]...), all.and(o), o
			parts++
		}
		if start < end {
			nodes := e.nodes // the parts of the derivation do not count for this expression
			v, o, err := e.standIn(s[start:end])
			if err != nil {
				return nil, origin{}, err
			}
			e.nodes = nodes
			out, all, one = append(out, v...), all.and(o), o
			parts++
		}
		s = s[end:]
	}
	if parts == 1 {
		return out, one, nil
	}
	all.mixed = all.mixed || all.card && parts > 1
	return out, all, nil
}

// literal returns the origin of a text of the adapter. The text cannot be a credential if it is the account's own plain value, or has neither letter
// nor digit.
func (e *evaluation) literal(s string) origin {
	plain := slices.Contains(e.secrets.plain, s)
	return origin{foreign: !plain && hasAlphanumeric(s), key: plain, literal: true, size: len(s)}
}

func hasAlphanumeric(s string) bool {
	return strings.ContainsFunc(s, isLetterOrDigit)
}

func isLetterOrDigit(r rune) bool {
	return r >= utf8.RuneSelf || r >= '0' && r <= '9' || r|32 >= 'a' && r|32 <= 'z'
}

// minNamed is the least length of a signed text's longest word: a shorter word could stand in the message by chance.
const minNamed = 6

// ofMessage reports whether a text without secrets is part of the message that is verified: the body, which may be a form, holds
// the text's longest word.
func (e *evaluation) ofMessage(text []byte) bool {
	longest := ""
	for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return !isLetterOrDigit(r) }) {
		if len(word) > len(longest) {
			longest = word
		}
	}
	return len(longest) >= minNamed && strings.Contains(string(e.body), longest)
}

// tellWrong logs unfit secrets of the account. The adapter does not learn about them.
func (o *operation) tellWrong() {
	for _, text := range slices.Compact(o.secrets.wrong) {
		o.opts.Logger.Warn("a secret of the account is unfit for its use: the processor will refuse the request, or a message's signature will not match", "what", text,
			"account_id", o.in.Account.ID, "adapter", o.adapter.name, "operation", string(o.in.Operation), "operation_id", o.in.OperationID)
	}
	o.secrets.wrong = nil
}

// names lists the secrets of a value's origin.
func (s *standIns) names(secrets uint64) string {
	var all []string
	for ; secrets != 0; secrets &= secrets - 1 {
		all = append(all, s.secrets[bits.TrailingZeros64(secrets)].name)
	}
	if len(all) == 0 {
		return "a derivation"
	}
	return strings.Join(all, ", ")
}

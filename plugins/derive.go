package plugins

import (
	"crypto/subtle"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"payswitch/sdk"
)

// Bounds of expressions: far above what a signature scheme needs, far below what costs anything.
const (
	maxExprNodes   = 64
	maxExprBytes   = 2 * sdk.MaxMessage // of all intermediate values of a send together
	maxDerivations = 32
)

// origin says what a value was made of.
type origin struct {
	secrets uint64 // bit i: standIns.secrets[i]
	card    bool   // card data, as it is, encoded or encrypted
	mixed   bool   // card data with something beside it, not encrypted
	body    bool   // a digest over the body
	rawBody bool   // the body itself
	own     bool   // a credential of this account
	foreign bool   // text of the adapter's that might be a credential of its author's

	key     bool // one whole credential or config value of the account's, or one function of it: what may be a key
	signed  bool // a digest over the message, under a whole credential of this account's
	literal bool // text of the adapter's
	binary  bool // bytes that need not be text
	size    int  // what it counts for in maxExprBytes: the same whatever the secrets in it are
}

// authentic says that the value proves this account's identity and nobody else's.
func (o origin) authentic() bool { return o.own && !o.foreign }

// and is the origin of two values in a row.
func (o origin) and(p origin) origin {
	return origin{secrets: o.secrets | p.secrets, card: o.card || p.card, mixed: o.mixed || p.mixed, body: o.body || p.body,
		rawBody: o.rawBody || p.rawBody, own: o.own || p.own, foreign: o.foreign || p.foreign,
		literal: o.literal || p.literal, binary: o.binary || p.binary, size: o.size + p.size}
}

// known says that the adapter knows the value: no secret has gone into it.
func (o origin) known() bool { return o.secrets == 0 && !o.body && !o.rawBody }

// Lengths of secrets in expressions: what each counts for in maxExprBytes, and where a longer one is cut.
const (
	secretSize = 8 << 10
	maxSecret  = 32 << 10
)

// evaluation computes expressions over real secrets. Its values never leave the host but by way of a placement.
//
// Expressions over secrets are total: whether one can be computed depends on its shape and on what the adapter knows, never on the value
// of a secret. Else an adapter could ask for what fails by one digit and not by another. Where a function has no value for what a secret
// is, it has a fixed one instead, and the operator's log says so (standIns.wrong).
type evaluation struct {
	rule     string // that is broken by an expression that cannot be computed
	secrets  *standIns
	body     []byte
	bodySize int  // of the body before secrets were put in
	hasBody  bool // the body is known
	verify   bool // computed to be compared, not sent: no card data
	derived  []derivation
	nodes    int
	bytes    int
}

// derivation is one that a send declares. Its value is computed when it is first needed.
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

// verify says whether the value of v.Expr is v.Equal, compared in constant time (but for the length, which is no secret). The value is a
// digest over the message, keyed by a whole credential: who guesses has to guess all of the key.
func verify(v *sdk.Verify, secrets *standIns, body []byte) (bool, error) {
	e := evaluation{rule: RuleVerify, secrets: secrets, body: body, bodySize: len(body), hasBody: true, verify: true}
	value, o, err := e.value(&v.Expr)
	if err != nil {
		return false, err
	}
	if !o.signed {
		return false, e.broken("the value to compare is not a signature of the message: an HMAC or RSA signature whose key is a whole credential, " +
			"or a digest over the body and a credential, perhaps in base64 or hexadecimal")
	}
	return subtle.ConstantTimeCompare(value, []byte(v.Equal)) == 1, nil
}

// verifyCAVV says whether the authentication value itself is v.Equal. No other card data can be compared, and nothing made of it: a card
// number could be guessed digit by digit from what parts of it are equal to, 160 bits of an issuer's cannot.
func verifyCAVV(v *sdk.Verify, secrets *standIns) (bool, error) {
	i := secrets.named(v.Expr.Text)
	if v.Expr.Fn != sdk.FnText || len(v.Expr.Args) > 0 || i < 0 || secrets.secrets[i].name != secretCAVV {
		return false, violation(RuleVerify, "outside webhooks the authentication value can be compared, alone and as it is, and nothing else")
	}
	return subtle.ConstantTimeCompare([]byte(secrets.secrets[i].value.Reveal()), []byte(v.Equal)) == 1, nil
}

// declare takes in what a send derives.
func (e *evaluation) declare(all []sdk.Derivation) error {
	if len(all) > maxDerivations {
		return e.broken("more than %d derivations", maxDerivations)
	}
	e.derived = make([]derivation, len(all))
	for i := range all {
		index, ok := strings.CutPrefix(all[i].StandIn, e.secrets.derivePrefix)
		if !ok || !isIndex(index) || e.derivation(all[i].StandIn) != nil {
			return e.broken("a derivation's stand-in is not derive_prefix and an index of its own")
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

// standIn is what one stand-in stands for.
func (e *evaluation) standIn(text string) ([]byte, origin, error) {
	if i := e.secrets.named(text); i >= 0 {
		x := &e.secrets.secrets[i]
		if x.card && e.verify {
			return nil, origin{}, e.broken("card data in an expression")
		}
		v := []byte(x.value.Reveal())
		return v[:min(len(v), maxSecret)], origin{secrets: 1 << i, card: x.card, own: x.own, foreign: !x.own, key: !x.card, size: secretSize}, nil
	}
	d := e.derivation(text)
	switch {
	case d == nil && e.verify:
		return nil, origin{}, e.broken("a derivation in an expression")
	case d == nil && strings.HasPrefix(text, e.secrets.derivePrefix):
		return nil, origin{}, e.broken("a derivation that the send does not declare")
	case d == nil:
		return nil, origin{}, e.broken("a captured value that is not known any more")
	case d.state == beingComputed:
		return nil, origin{}, e.broken("derivations in a circle")
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
		return nil, origin{}, e.broken("expression of more than %d parts", maxExprNodes)
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
		return nil, origin{}, e.broken("expressions of more than %d bytes", maxExprBytes)
	}
	return v, o, err
}

// text puts values in the place of stand-ins, in one pass.
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
			nodes := e.nodes // those of the derivation are its own
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

// literal is the origin of a text of the adapter's: it cannot be a credential if it is the account's own plain value, or holds neither
// letter nor digit.
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

// minNamed is how long the longest word of a signed text must be for the text to be taken for a part of the message.
const minNamed = 6

// ofMessage says whether a text without secrets is of the message that is verified: its longest word stands in the body, which may be
// a form.
func (e *evaluation) ofMessage(text []byte) bool {
	longest := ""
	for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return !isLetterOrDigit(r) }) {
		if len(word) > len(longest) {
			longest = word
		}
	}
	return len(longest) >= minNamed && strings.Contains(string(e.body), longest)
}

// tellWrong logs what was wrong with the account's secrets. The adapter does not learn of it.
func (o *operation) tellWrong() {
	for _, text := range slices.Compact(o.secrets.wrong) {
		o.opts.Logger.Warn("a secret of the account does not fit its use: the processor will refuse the request, or the message", "what", text,
			"account_id", o.in.Account.ID, "adapter", o.adapter.name, "operation", string(o.in.Operation), "operation_id", o.in.OperationID)
	}
	o.secrets.wrong = nil
}

// names lists the secrets of an origin.
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

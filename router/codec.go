package router

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
)

// object is the table of a JSON object's fields: how each field is read into a T. An explicit null is the same as an absent field. A
// key of the table that comes twice is refused.
type object[T any] struct {
	fields []field[T]
	index  map[string]int
	closed bool // refuse keys that are not in the table
}

// field reads one key into a T. The reader stands before a value that is not null.
type field[T any] struct {
	key      string
	required bool
	read     func(r *reader, to *T) error
}

// maxFields bounds a table. The set of keys already seen then fits on the stack.
const maxFields = 128

func newObject[T any](closed bool, fields ...field[T]) *object[T] {
	o := &object[T]{fields: fields, index: make(map[string]int, len(fields)), closed: closed}
	for i, f := range fields {
		if _, twice := o.index[f.key]; twice || i == maxFields {
			panic("router: table with the key " + f.key + " twice or with too many keys")
		}
		o.index[f.key] = i
	}
	return o
}

// closedObject refuses unknown keys.
func closedObject[T any](fields ...field[T]) *object[T] { return newObject(true, fields...) }

// openObject ignores unknown keys.
func openObject[T any](fields ...field[T]) *object[T] { return newObject(false, fields...) }

// at returns a field whose value parse reads and whose place in T the function place returns.
func at[T, V any](key string, parse func(*reader) (V, error), place func(*T) *V) field[T] {
	return field[T]{key: key, read: func(r *reader, to *T) (err error) {
		*place(to), err = parse(r)
		return err
	}}
}

// opt returns a field that stays nil when it is absent.
func opt[T, V any](key string, parse func(*reader) (V, error), place func(*T) **V) field[T] {
	return field[T]{key: key, read: func(r *reader, to *T) error {
		v, err := parse(r)
		*place(to) = &v
		return err
	}}
}

// must makes a field required: where it is absent or null, the object is refused.
func must[T any](f field[T]) field[T] {
	f.required = true
	return f
}

// drop returns a field that is checked by parse and then ignored.
func drop[T, V any](key string, parse func(*reader) (V, error)) field[T] {
	return field[T]{key: key, read: func(r *reader, _ *T) error {
		_, err := parse(r)
		return err
	}}
}

// parse reads an object into a new T.
func (o *object[T]) parse(r *reader) (T, error) {
	var v T
	return v, o.into(r, &v)
}

// into reads an object into to.
func (o *object[T]) into(r *reader, to *T) error {
	if r.kind() != '{' {
		return r.wrongType("an object", true)
	}
	var seen, given [maxFields]bool
	var unknown []string
	err := r.members(func(key []byte) error {
		i, known := o.index[string(key)]
		switch {
		case !known && o.closed:
			sent := shownText(key)
			return r.fail("unknown field `"+sent+"`, expected "+oneOfText(o.keys()), fault.NameHint(sent, o.keys(), "Leave the field out."))
		case !known:
			if len(unknown) < maxUnknown {
				unknown = append(unknown, string(key))
			}
			_, err := r.value()
			return err
		case seen[i]:
			return r.fail("duplicate field `"+o.fields[i].key+"`", "Send the field once.")
		}
		seen[i] = true
		if null, err := r.null(); null || err != nil {
			return err
		}
		given[i] = true
		return o.fields[i].read(r, to)
	})
	if err != nil {
		return err
	}
	for i := range o.fields {
		if o.fields[i].required && !given[i] {
			return o.missing(r, o.fields[i].key, unknown)
		}
	}
	return nil
}

// maxUnknown is how many unknown keys of an object are kept for a hint.
const maxUnknown = 8

// missing returns the error for a required field that was not sent. One of the unknown keys may be a misspelling of it.
func (o *object[T]) missing(r *reader, key string, unknown []string) error {
	return r.failAt(r.pos(), join(r.path(), key), "missing field `"+key+"`").WithHint(fault.MissingHint(key, unknown))
}

func (o *object[T]) keys() []string {
	keys := make([]string, len(o.fields))
	for i, f := range o.fields {
		keys[i] = f.key
	}
	return keys
}

// decode reads the request's JSON body into to.
func decode[T any](c *call, o *object[T], to *T) error {
	body, err := c.jsonBody()
	if err != nil {
		return err
	}
	before := *to
	r, err := decodeBody(c, body, o, to)
	if err != nil {
		return err
	}
	mask := c.options.CardsInText == MaskCards
	most := 1
	if mask {
		most = 0
	}
	places, err := r.cardsIn(most)
	if err != nil || len(places) == 0 {
		return err
	}
	if !mask {
		return places[0].refuse()
	}
	if body, err = maskCards(body, places); err != nil {
		return err
	}
	*to = before
	_, err = decodeBody(c, body, o, to)
	return err
}

func decodeBody[T any](c *call, body []byte, o *object[T], to *T) (*reader, error) {
	r := newReader(body)
	r.testCards = c.options.TestCardsWithoutLuhn
	if err := o.into(r, to); err != nil {
		return nil, err
	}
	return r, r.end()
}

// text reads a string.
func text(r *reader) (string, error) {
	b, err := r.string(true)
	return string(b), err
}

// secretText reads text that no message repeats.
func secretText(r *reader) (secret.Value, error) {
	b, err := r.string(false)
	return secret.New(string(b)), err
}

func boolean(r *reader) (bool, error) {
	if k := r.kind(); k != 't' && k != 'f' {
		return false, r.wrongType("a boolean", true)
	}
	v, err := r.token()
	return string(v) == "true", err
}

// integer reads whole numbers from low to high. A number with a fraction or an exponent is refused, and so is -0.
func integer(low, high int64) func(*reader) (int64, error) {
	return func(r *reader) (int64, error) {
		from := r.next()
		if r.kind() != '0' || !isWhole(r.body[from:]) {
			return 0, r.wrongType("an integer", true)
		}
		digits, err := r.token()
		if err != nil {
			return 0, err
		}
		v, err := strconv.ParseInt(string(digits), 10, 64)
		if err != nil || v < low || v > high {
			return 0, r.fail(fmt.Sprintf("invalid value: integer `%s`, expected an integer between %d and %d", shownText(digits), low, high),
				fmt.Sprintf("Send a whole number from %d to %d.", low, high))
		}
		return v, nil
	}
}

// isWhole says whether the number at the beginning of text has neither fraction nor exponent, and is not -0.
func isWhole(text []byte) bool {
	n := 0
	for n < len(text) && strings.IndexByte("+-.0123456789eE", text[n]) >= 0 {
		n++
	}
	return !bytes.ContainsAny(text[:n], ".eE") && string(text[:n]) != "-0"
}

// oneOf reads a value of a closed list.
func oneOf[S ~string](list []S) func(*reader) (S, error) {
	return func(r *reader) (S, error) {
		b, err := r.string(true)
		if err != nil {
			return "", err
		}
		for _, v := range list {
			if string(v) == string(b) {
				return v, nil
			}
		}
		names := make([]string, len(list))
		for i, v := range list {
			names[i] = string(v)
		}
		return "", r.unknownVariant(b, names)
	}
}

// unknownVariant returns the error for a value that a closed list does not have.
func (r *reader) unknownVariant(sent []byte, names []string) error {
	shown := shownText(sent)
	return r.fail("unknown variant `"+shown+"`, expected "+oneOfText(names), fault.ChoiceHint(shown, names))
}

// oneOfText returns how a closed list reads in a message.
func oneOfText(names []string) string {
	switch len(names) {
	case 0:
		return "nothing"
	case 1:
		return "`" + names[0] + "`"
	case 2:
		return "`" + names[0] + "` or `" + names[1] + "`"
	}
	return "one of `" + strings.Join(names, "`, `") + "`"
}

// listOf reads a list whose elements parse reads.
func listOf[V any](parse func(*reader) (V, error)) func(*reader) ([]V, error) {
	return func(r *reader) ([]V, error) {
		if r.kind() != '[' {
			return nil, r.wrongType("a list", true)
		}
		list := []V{}
		err := r.elements(func() error {
			v, err := parse(r)
			list = append(list, v)
			return err
		})
		return list, err
	}
}

// anyJSON keeps a value as it came, without insignificant space.
func anyJSON(r *reader) (json.RawMessage, error) { return r.raw() }

// anyObject keeps an object as it came, without insignificant space.
func anyObject(r *reader) (json.RawMessage, error) {
	if r.kind() != '{' {
		return nil, r.wrongType("an object", true)
	}
	return r.raw()
}

// alsoRaw reads a value with parse, and also returns the JSON as it came, without insignificant space.
func alsoRaw[V any](r *reader, parse func(*reader) (V, error)) (V, json.RawMessage, error) {
	from := r.next()
	v, err := parse(r)
	if err != nil {
		return v, nil, err
	}
	raw, err := compact(r.body[from:r.pos()])
	return v, raw, err
}

// keptAs checks a value with parse and keeps it as it came.
func keptAs[V any](parse func(*reader) (V, error)) func(*reader) (json.RawMessage, error) {
	return func(r *reader) (json.RawMessage, error) {
		_, raw, err := alsoRaw(r, parse)
		return raw, err
	}
}

// parsedText reads a string and checks it. The error of check says what is wrong.
func parsedText(hint string, check func(string) error) func(*reader) (string, error) {
	return func(r *reader) (string, error) {
		s, err := text(r)
		if err != nil {
			return "", err
		}
		if err := check(s); err != nil {
			return "", r.fail(err.Error(), hint)
		}
		return s, nil
	}
}

// Hints for values that several readers check.
const (
	idHint   = "Send 1 to 64 characters of A-Z, a-z, 0-9, _ and -."
	timeHint = "Send date, time and zone: 2022-09-10T10:11:12Z."
)

var (
	// identifier is exempt from the search for card numbers: an order number of 16 digits passes the Luhn check one time in ten.
	identifier = apart(parsedText(idHint, checkID))
	webURL     = parsedText(`Send an absolute URL, such as "https://example.com/return".`, checkURL)
	hookURL    = parsedText(`Send a URL, such as "https://example.com/webhooks", or "" for none.`, checkHookURL)
	email      = parsedText(`Send an address such as "name@example.com".`, checkEmail)
	ipAddress  = parsedText(`Send an IPv4 or IPv6 address, such as "203.0.113.7".`, checkIP)
)

// timestamp reads an ISO 8601 time with a zone. A fraction of a second is optional.
func timestamp(r *reader) (time.Time, error) {
	s, err := text(r)
	if err != nil {
		return time.Time{}, err
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, r.fail("invalid value: "+quoted([]byte(s))+", expected an ISO 8601 time such as 2022-09-10T10:11:12Z",
			timeHint)
	}
	return t.UTC(), nil
}

// checkID checks an id that the caller has chosen.
func checkID(s string) error {
	switch {
	case s == "":
		return fmt.Errorf("the minimum required length for this field is 1")
	case len(s) > 64:
		return fmt.Errorf("the maximum allowed length for this field is 64")
	}
	if i := strings.IndexFunc(s, func(c rune) bool {
		return c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}); i >= 0 {
		return fmt.Errorf("value %s contains invalid character, expected A-Z, a-z, 0-9, _ and -", quoted([]byte(s)))
	}
	return nil
}

// checkPathParam checks an id in the URL's path. Ids that the switch derives from others may be longer than those that callers choose. The id of a card
// issuer may have any form: an issuer with it does not exist.
func checkPathParam(name, s string) error {
	if name == "issuer_id" && utf8.ValidString(s) {
		return nil
	}
	longest := s
	if name == "attempt_id" || name == "poll_id" || name == "config_key" {
		longest = s[:min(len(s), 64)]
	}
	if checkID(longest) != nil || len(s) > 128 {
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_06", Param: name, Hint: idHint,
			Message: "the path's " + name + " must be 1 to 64 of A-Z, a-z, 0-9, _ and -"}
	}
	return nil
}

// scriptSchemes are the URL schemes that a browser runs or opens as a file, instead of following them as a link.
var scriptSchemes = []string{"javascript", "data", "vbscript", "blob", "file", "about", "view-source"}

func checkURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil && !strings.Contains(s, ":"), err == nil && u.Scheme == "":
		return fmt.Errorf("relative URL without a base: %s", quoted([]byte(s)))
	case err != nil:
		return fmt.Errorf("invalid URL: %s", quoted([]byte(s)))
	case slices.Contains(scriptSchemes, u.Scheme):
		return fmt.Errorf("invalid URL: %s, the scheme %s is not allowed", quoted([]byte(s)), u.Scheme)
	case (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() == "":
		return fmt.Errorf("empty host: %s", quoted([]byte(s)))
	case strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c == 0x7f }):
		return fmt.Errorf("invalid URL: %s", quoted([]byte(s)))
	}
	return nil
}

// maxHookURL is the length of the URL of a webhook.
const maxHookURL = 2048

// checkHookURL checks the URL of a profile's webhook; "" means no webhook. payswitch posts to HTTPS alone, unless the operator allows more: that shows at the delivery.
func checkHookURL(s string) error {
	if s == "" {
		return nil
	}
	if err := checkURL(s); err != nil {
		return err
	}
	switch u, err := url.Parse(s); {
	case err != nil || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("invalid URL: %s, it must begin with https://", quoted([]byte(s)))
	case len(s) > maxHookURL:
		return fmt.Errorf("invalid URL: it has %d characters, and %d are allowed", len(s), maxHookURL)
	}
	return nil
}

// checkEmail checks the form alone: one @ between a plausible name and domain. It does not check that the address exists.
func checkEmail(s string) error {
	name, domain, found := strings.Cut(s, "@")
	plain := func(part string) bool {
		return part != "" && !strings.ContainsFunc(part, func(c rune) bool { return c <= ' ' || strings.ContainsRune("@,;:<>()[]\\\"", c) })
	}
	if !found || len(s) > 320 || !plain(name) || !plain(domain) || strings.HasPrefix(domain, ".") || strings.HasSuffix(domain, ".") ||
		!strings.Contains(domain, ".") {
		return fmt.Errorf("invalid email address format")
	}
	return nil
}

func checkIP(s string) error {
	if a, err := netip.ParseAddr(s); err != nil || a.Zone() != "" {
		return fmt.Errorf("invalid IP address syntax")
	}
	return nil
}

package plugins

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strconv"
	"strings"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// A stand-in is a tag and 22 characters of base62 of its own, which are 131 bits. All stand-ins of an operation begin with one tag, so that the host
// finds them quickly.
const (
	tagLength     = 6
	standInLength = tagLength + 22
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// seeded makes the values of an operation that look random and are the same on its replay: HMAC-SHA256(seed, purpose).
type seeded struct {
	mac hash.Hash
	buf []byte
}

func newSeeded(seed [32]byte) *seeded { return &seeded{mac: hmac.New(sha256.New, seed[:])} }

func (s *seeded) derived(purpose string) [32]byte {
	s.buf = append(s.buf[:0], purpose...)
	s.mac.Reset()
	s.mac.Write(s.buf)
	s.buf = s.mac.Sum(s.buf[:0])
	return [32]byte(s.buf)
}

// random62 makes a stand-in's own part: base62, so that it survives URL, JSON, XML and form encoding unchanged.
func (s *seeded) random62(name string) (out [standInLength - tagLength]byte) {
	n := 0
	for block := byte(0); ; block++ {
		for _, c := range s.derived("stand-in\x00" + string(rune(block)) + name) {
			if c >= 4*62 { // keeps it uniform
				continue
			}
			if out[n] = base62[c%62]; n == len(out)-1 {
				return out
			}
			n++
		}
	}
}

// standIns are the stand-ins of one operation, and the secrets that they stand for.
type standIns struct {
	seeded        *seeded
	tag           string
	derivePrefix  string
	capturePrefix string // prefix of the stand-ins for captured values; a decimal index follows
	secrets       []secretBytes
	plain         []string // the account's own credentials and config that are no secrets, as the merchant wrote them
	captured      int
	revealed      bool      // the adapter gets the secrets themselves: see reveal
	step          *sdk.Step // the texts of the operation's input: see input
	madeUp        bool      // the values are not the real ones: see holdTo
	wrong         []string  // the faults of the account's secrets, for the operator's log
}

// secretBytes is one value that the guest knows only by its stand-in.
type secretBytes struct {
	name    string // the name in placements
	standIn string
	value   secret.Value
	card    bool // card data
	own     bool // a credential of this account, which can prove the account
}

// maxSecrets bounds an operation's secrets: card data, credentials and captured values.
const maxSecrets = 64

// newStandIns makes the stand-ins of an operation from its seed.
func newStandIns(seed [32]byte) *standIns {
	s := &standIns{seeded: newSeeded(seed), secrets: make([]secretBytes, 0, 8)}
	tag := s.seeded.random62("tag")
	s.tag = string(tag[:tagLength])
	s.derivePrefix, s.capturePrefix = s.mint("derive"), s.mint("capture")
	return s
}

func (s *standIns) mint(label string) string {
	own := s.seeded.random62(label)
	return s.tag + string(own[:])
}

func (s *standIns) add(label, name string, value secret.Value, card bool) string {
	if value.IsZero() || len(s.secrets) >= maxSecrets {
		return ""
	}
	text := s.mint(label)
	s.secrets = append(s.secrets, secretBytes{name: name, standIn: text, value: value, card: card, own: !card})
	return text
}

// capture makes a stand-in for a value in an answer. It returns "" if the operation has too many secrets.
func (s *standIns) capture(name, value string, own bool) string {
	if len(s.secrets) >= maxSecrets {
		return ""
	}
	text := s.capturePrefix + strconv.Itoa(s.captured)
	s.captured++
	s.secrets = append(s.secrets, secretBytes{name: name, standIn: text, value: secret.New(value), own: own})
	return text
}

// named returns the index of the secret with a stand-in, or -1.
func (s *standIns) named(standIn string) int {
	return slices.IndexFunc(s.secrets, func(x secretBytes) bool { return x.standIn == standIn })
}

// setToken sets the value of the access token, which the host fetches when a request needs it. own says that the token proves the account's identity.
func (s *standIns) setToken(value secret.Value, own bool) {
	for i := range s.secrets {
		if x := &s.secrets[i]; x.name == secretToken {
			x.value, x.own = value, own
			return // values that are captured under that name come after it
		}
	}
}

// value returns the value of the first secret with a name.
func (s *standIns) value(name string) (v secret.Value) {
	for i := range s.secrets {
		if s.secrets[i].name == name {
			return s.secrets[i].value
		}
	}
	return v
}

// holdsCard reports whether a text holds the stand-in of card data.
func (s *standIns) holdsCard(text string) bool {
	return slices.ContainsFunc(s.secrets, func(x secretBytes) bool { return x.card && strings.Contains(text, x.standIn) })
}

// found names the first secret whose stand-in occurs in text, "" if none does.
func (s *standIns) found(text string) string {
	start, end := s.next(text)
	if start < 0 {
		return ""
	}
	if i := s.named(text[start:end]); i >= 0 {
		return s.secrets[i].name
	}
	if strings.HasPrefix(text[start:], s.derivePrefix) {
		return "a derivation"
	}
	return "a captured value"
}

// marks returns the places where stand-ins begin in text.
func (s *standIns) marks(text string) (all []int) {
	for from := 0; ; {
		start, end := s.next(text[from:])
		if start < 0 {
			return all
		}
		all = append(all, from+start)
		from += end
	}
}

// next finds the first stand-in in text: of a secret, or of a derivation or captured value with its index. Without a stand-in, start is -1.
func (s *standIns) next(text string) (start, end int) {
	for from := 0; ; from++ {
		at := strings.Index(text[from:], s.tag)
		if at < 0 {
			return -1, 0
		}
		from += at
		if n := s.length(text[from:]); n > 0 {
			return from, from + n
		}
		if from >= len(text) {
			return -1, 0
		}
	}
}

// length returns the length of the stand-in that text begins with, 0 for none.
func (s *standIns) length(text string) int {
	for _, prefix := range [...]string{s.derivePrefix, s.capturePrefix} {
		if prefix != "" && strings.HasPrefix(text, prefix) {
			n := len(prefix)
			for n < len(text) && n < len(prefix)+maxIndexDigits && text[n]-'0' <= 9 {
				n++
			}
			return n
		}
	}
	for i := range s.secrets {
		if strings.HasPrefix(text, s.secrets[i].standIn) {
			return len(s.secrets[i].standIn)
		}
	}
	return 0
}

// maxIndexDigits bounds the decimal index that follows a prefix.
const maxIndexDigits = 6

// newStep makes the first step of an operation: the request, in which a stand-in replaces every secret.
func newStep(in *port.Drive, m *sdk.Manifest, baseURL string) (*sdk.Step, *standIns) {
	marks := newStandIns(in.Seed)
	guestSeed := marks.seeded.derived("guest")
	step := &sdk.Step{
		ABI: sdk.ABI, Operation: in.Operation, OperationID: in.OperationID,
		Seed: hex.EncodeToString(guestSeed[:]), DerivePrefix: marks.derivePrefix,
		Account: sdk.Account{ID: in.Account.ID, Connector: in.Connector, Environment: in.Account.Environment, BaseURL: baseURL},
		Request: in.Request,
	}
	if i := step.Request.Instrument; i != nil && i.Card != nil {
		instrument, card := *i, *i.Card
		card.Number = marks.add("card_number", secretNumber, in.Secrets.Number, true)
		card.CVC = marks.add("cvc", secretCVC, in.Secrets.CVC, true)
		instrument.Card = &card
		step.Request.Instrument = &instrument
	}
	if t := step.Request.ThreeDS; t != nil {
		result := *t
		result.CAVV = marks.add("cavv", secretCAVV, in.Secrets.CAVV, true)
		step.Request.ThreeDS = &result
	}
	for i := range m.Credentials {
		f := &m.Credentials[i]
		v := in.Account.Credentials[key(f)]
		switch f.Type {
		case sdk.FieldClientCertificate: // the host presents it in TLS; a request has no use for it
		case sdk.FieldText, sdk.FieldEnum: // public identifiers
			marks.setPlain(&step.Account.Credentials, f, v.Reveal(), true)
		default:
			if s := marks.add("credential:"+f.Name, f.Name, v, false); s != "" {
				setText(&step.Account.Credentials, f.Name, s)
			}
		}
	}
	if fetchesToken(m, in.Operation) {
		setText(&step.Account.Credentials, secretToken, marks.add("token", secretToken, notYet, false))
	}
	for i := range m.Config {
		f := &m.Config[i]
		v := in.Account.Config[key(f)]
		set := v != ""
		if !set {
			v = f.Default
		}
		marks.setPlain(&step.Account.Config, f, v, set)
	}
	marks.step = step
	return step, marks
}

// notYet is the value of an access token that the host has not fetched yet. It never leaves: send fetches the token first.
var notYet = secret.New("no access token yet")

// fetchesToken reports whether an operation gets the stand-in of an access token among its credentials.
func fetchesToken(m *sdk.Manifest, op sdk.Operation) bool {
	return op != sdk.OpAccessToken && op != sdk.OpWebhook && slices.Contains(m.Operations, sdk.OpAccessToken)
}

// setPlain gives the adapter a value as it is. It counts as the account's own if the merchant wrote it: a default, and a value out of the
// manifest's list, are texts of the adapter's author.
func (s *standIns) setPlain(m *map[string]string, f *sdk.Field, v string, set bool) {
	if v == "" {
		return
	}
	setText(m, f.Name, v)
	if set && f.Type != sdk.FieldEnum {
		s.plain = append(s.plain, v)
	}
}

// key returns the name of a field in the merchant's API call.
func key(f *sdk.Field) string {
	if f.Key != "" {
		return f.Key
	}
	return f.Name
}

func setText(m *map[string]string, k, v string) {
	if *m == nil {
		*m = make(map[string]string)
	}
	(*m)[k] = v
}

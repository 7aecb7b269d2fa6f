package plugins

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"payswitch/engine"
	"payswitch/sdk"
)

// standInLength is the length of a stand-in: 26 characters of base62 are 154 bits.
const standInLength = 26

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// derived is HMAC-SHA256(seed, purpose): whatever an operation needs that looks random and is the same on its replay.
func derived(seed *[32]byte, purpose string) (out [32]byte) {
	h := hmac.New(sha256.New, seed[:])
	h.Write([]byte(purpose))
	h.Sum(out[:0])
	return out
}

// standIn makes the stand-in of a name: base62, so that it survives URL, JSON, XML and form encoding unchanged.
func standIn(seed *[32]byte, name string) string {
	var out [standInLength]byte
	n := 0
	for block := byte(0); n < len(out); block++ {
		for _, c := range derived(seed, "stand-in\x00"+string(rune(block))+name) {
			if c >= 4*62 { // keeps it uniform
				continue
			}
			if out[n] = base62[c%62]; n == len(out)-1 {
				return string(out[:])
			}
			n++
		}
	}
	return string(out[:])
}

// standIns are the stand-ins of one operation and what they stand for.
type standIns struct {
	derivePrefix string
	secrets      []secret
}

// secret is one value that the guest knows only by its stand-in.
type secret struct {
	name    string // as placements name it: card_number, cvc, cavv, or the credential field
	standIn string
	value   engine.Secret
	card    bool // card data: never in a verify
}

func (s *standIns) add(seed *[32]byte, name string, value engine.Secret, card bool) string {
	if value.IsZero() {
		return ""
	}
	text := standIn(seed, name)
	s.secrets = append(s.secrets, secret{name: name, standIn: text, value: value, card: card})
	return text
}

// found names the first secret whose stand-in occurs in text, "" if none does.
func (s *standIns) found(text string) string {
	for i := range s.secrets {
		if strings.Contains(text, s.secrets[i].standIn) {
			return s.secrets[i].name
		}
	}
	if strings.Contains(text, s.derivePrefix) {
		return "a derivation"
	}
	return ""
}

// newStep makes the first step of an operation: the request with stand-ins in the place of every secret, whatever stood there.
func newStep(in *engine.Drive, m *sdk.Manifest, baseURL string) (*sdk.Step, *standIns) {
	seed := in.Seed
	marks := &standIns{derivePrefix: standIn(&seed, "derive")}
	guestSeed := derived(&seed, "guest")
	step := &sdk.Step{
		ABI: sdk.ABI, Operation: in.Operation, OperationID: in.OperationID,
		Seed: hex.EncodeToString(guestSeed[:]), DerivePrefix: marks.derivePrefix,
		Account: sdk.Account{ID: in.Account.ID, Connector: in.Connector, Environment: in.Account.Environment, BaseURL: baseURL},
		Request: in.Request,
	}
	if i := step.Request.Instrument; i != nil && i.Card != nil {
		instrument, card := *i, *i.Card
		card.Number = marks.add(&seed, "card_number", in.Secrets.Number, true)
		card.CVC = marks.add(&seed, "cvc", in.Secrets.CVC, true)
		instrument.Card = &card
		step.Request.Instrument = &instrument
	}
	if t := step.Request.ThreeDS; t != nil {
		result := *t
		result.CAVV = marks.add(&seed, "cavv", in.Secrets.CAVV, true)
		step.Request.ThreeDS = &result
	}
	for i := range m.Credentials {
		f := &m.Credentials[i]
		if f.Type == clientCertificate { // presented in TLS, of no use in a request
			continue
		}
		if s := marks.add(&seed, "credential:"+f.Name, in.Account.Credentials[key(f)], false); s != "" {
			setText(&step.Account.Credentials, f.Name, s)
		}
	}
	for i := range m.Config {
		f := &m.Config[i]
		v, ok := in.Account.Config[key(f)]
		if !ok || v == "" {
			v = f.Default
		}
		if v != "" {
			setText(&step.Account.Config, f.Name, v)
		}
	}
	return step, marks
}

// key is the name under which the merchant's API call knows a field.
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

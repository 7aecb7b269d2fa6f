package sdk

import (
	"errors"

	"payswitch/sdk/internal/jsontext"
)

// A message is [JSON length, 4 bytes, little-endian][JSON][raw bodies one after the other]; ABI.md, "2. Messages", describes the bytes. Host
// and guest encode and decode with the functions below alone.
//
// Decoding is strict and never panics. A duplicate name, a number out of range and invalid UTF-8 are errors. So are
// nesting of more than 64 levels, a list of more than 4096 elements, and bodies whose lengths do not add up. Decoders ignore unknown names,
// and null means absent. Decoded strings are copies. Decoded bodies share the message's memory: do not change the message while they are in use.
//
// Encoding never changes its argument. It writes the length of Body and ignores BodyLength. Invalid UTF-8 in a string becomes U+FFFD.

// Errors of the decoding functions. The JSON reader adds its own, with the offset.
var (
	ErrEnvelope    = errors.New("the message is shorter than its JSON length says")
	ErrTooLarge    = errors.New("the message is larger than 1 MiB (MaxMessage)")
	ErrBodies      = errors.New("the bodies are not as long as the message's body_length fields say")
	ErrResultCount = errors.New("a result needs exactly one of send, verify, outcome and reject")
)

// Limits and reasons of the generated code.
const (
	maxElements = 4096
	tooMany     = "too many elements"
	duplicate   = "duplicate name"
)

// EncodeStep returns the message of a step. The bodies are the webhook's, if there is a webhook, the evidence file's, if there is a file, then the
// exchanges' in order.
func EncodeStep(s *Step) []byte {
	size := 2048
	if f := s.Request.file(); f != nil {
		size += len(f.Body)
	}
	for i := range s.Exchanges {
		size += len(s.Exchanges[i].Body) + 512
	}
	b := s.encode(make([]byte, 4, size))
	sealEnvelope(b)
	if s.Request.Webhook != nil {
		b = append(b, s.Request.Webhook.Body...)
	}
	if f := s.Request.file(); f != nil {
		b = append(b, f.Body...)
	}
	for i := range s.Exchanges {
		b = append(b, s.Exchanges[i].Body...)
	}
	return b
}

// file returns the file of attach_evidence, nil without one.
func (r *Request) file() *EvidenceFile {
	if r.Dispute == nil {
		return nil
	}
	return r.Dispute.File
}

// DecodeStep reads the message of a step.
func DecodeStep(message []byte) (*Step, error) {
	text, bodies, err := openEnvelope(message)
	if err != nil {
		return nil, err
	}
	return decodeStep(jsontext.NewReader(text), bodies)
}

// stepParts is a step with the parts that most requests have, in one allocation. The decoder fills the parts, and clears the pointers to
// parts that the message does not hold.
type stepParts struct {
	Step
	instrument       Instrument
	card             Card
	storedCredential StoredCredentialUse
	customer         Customer
	billing          Address
	shipping         Address
	browser          Browser
	payment          PaymentState
	exchanges        [2]Exchange
}

func decodeStep(r jsontext.Reader, bodies []byte) (*Step, error) {
	parts := newParts()
	s := &parts.Step
	s.Exchanges = parts.exchanges[:0]
	q := &s.Request
	q.Instrument, q.StoredCredential, q.Customer, q.Billing, q.Shipping = &parts.instrument, &parts.storedCredential, &parts.customer, &parts.billing, &parts.shipping
	q.Browser, q.Payment, q.Instrument.Card = &parts.browser, &parts.payment, &parts.card
	s.decode(&r)
	if err := r.Close(); err != nil {
		return nil, err
	}
	if len(s.Exchanges) == 0 {
		s.Exchanges = nil
	}
	ok := true
	if w := s.Request.Webhook; w != nil {
		w.Body, bodies, ok = cut(bodies, w.BodyLength)
	}
	if f := s.Request.file(); ok && f != nil {
		f.Body, bodies, ok = cut(bodies, f.BodyLength)
	}
	for i := 0; ok && i < len(s.Exchanges); i++ {
		e := &s.Exchanges[i]
		e.Body, bodies, ok = cut(bodies, e.BodyLength)
	}
	if !ok || len(bodies) > 0 {
		return nil, ErrBodies
	}
	return s, nil
}

// EncodeResult returns the message of a result. The send's body is the only body.
func EncodeResult(r *Result) []byte { return appendResult(nil, r) }

// appendResult appends the message of a result to b. b must be empty and may have capacity.
func appendResult(b []byte, r *Result) []byte {
	b = r.encode(append(b, 0, 0, 0, 0))
	sealEnvelope(b)
	if r.Send != nil {
		b = append(b, r.Send.Body...)
	}
	return b
}

// DecodeResult reads the message of a result. Exactly one field of the Result is set.
func DecodeResult(message []byte) (*Result, error) {
	text, bodies, err := openEnvelope(message)
	if err != nil {
		return nil, err
	}
	v := new(Result)
	r := jsontext.NewReader(text)
	v.decode(&r)
	if err := r.Close(); err != nil {
		return nil, err
	}
	n, ok := 0, true
	if v.Send != nil {
		n++
		v.Send.Body, bodies, ok = cut(bodies, v.Send.BodyLength)
	}
	for _, set := range [...]bool{v.Verify != nil, v.Outcome != nil, v.Reject != nil} {
		if set {
			n++
		}
	}
	switch {
	case n != 1:
		return nil, ErrResultCount
	case !ok || len(bodies) > 0:
		return nil, ErrBodies
	}
	return v, nil
}

// EncodeManifest returns the message of a manifest, which has no bodies.
func EncodeManifest(m *Manifest) []byte {
	b := m.encode(make([]byte, 4, 2048))
	sealEnvelope(b)
	return b
}

// DecodeManifest reads the message of a manifest. It does not check the manifest's contents: sdktest.Check does.
func DecodeManifest(message []byte) (*Manifest, error) {
	text, bodies, err := openEnvelope(message)
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	r := jsontext.NewReader(text)
	m.decode(&r)
	if err := r.Close(); err != nil {
		return nil, err
	}
	if len(bodies) > 0 {
		return nil, ErrBodies
	}
	return m, nil
}

// sealEnvelope writes the length of the JSON into the first four bytes.
func sealEnvelope(b []byte) { appendUint32(b[:0], uint32(len(b)-4)) }

// openEnvelope splits a message into a copy of its JSON and its bodies.
func openEnvelope(message []byte) (text string, bodies []byte, err error) {
	json, bodies, err := splitEnvelope(message)
	return string(json), bodies, err
}

func splitEnvelope(message []byte) (json, bodies []byte, err error) {
	if len(message) > MaxMessage {
		return nil, nil, ErrTooLarge
	}
	if len(message) < 4 {
		return nil, nil, ErrEnvelope
	}
	n := uint32(message[0]) | uint32(message[1])<<8 | uint32(message[2])<<16 | uint32(message[3])<<24
	if uint64(n) > uint64(len(message)-4) {
		return nil, nil, ErrEnvelope
	}
	return message[4 : 4+n], message[4+n:], nil
}

// cut takes n bytes from the front of b. head is nil if n is 0.
func cut(b []byte, n int) (head, rest []byte, ok bool) {
	switch {
	case n < 0 || n > len(b):
		return nil, b, false
	case n == 0:
		return nil, b, true
	}
	return b[:n:n], b[n:], true
}

// sortedKeys returns a map's keys in order. Maps in messages are small, and package slices would make the guest larger.
func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		i := len(keys)
		for keys = append(keys, k); i > 0 && keys[i-1] > k; i-- {
			keys[i] = keys[i-1]
		}
		keys[i] = k
	}
	return keys
}

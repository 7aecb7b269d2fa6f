package message

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// ErrMalformed is the error of an unreadable message from the browser. Anyone can send such a message, so the error gives no details.
var ErrMalformed = errors.New("malformed 3-D Secure message")

// maxDepth limits the nesting of a message's JSON.
const maxDepth = 16

// encodeMessage encodes v as JSON in base64url without padding (EMV 3-D Secure, annex A: messages in form fields).
func encodeMessage(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(bytes.TrimSpace(b.Bytes())), nil
}

// toURLAlphabet translates the standard base64 alphabet to the URL one.
var toURLAlphabet = strings.NewReplacer("+", "-", "/", "_")

// decodeMessage reads a JSON object in base64. It accepts both alphabets, with and without padding, because ACSs send either. It refuses
// duplicate keys, because two readers could take different values. limit is the maximum length of text in bytes.
func decodeMessage(text string, limit int) (map[string]json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if len(text) > limit {
		return nil, ErrMalformed
	}
	raw, err := base64.RawURLEncoding.DecodeString(toURLAlphabet.Replace(strings.TrimRight(text, "=")))
	if err != nil {
		return nil, ErrMalformed
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if unique(d, maxDepth) != nil {
		return nil, ErrMalformed
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrMalformed
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil, ErrMalformed
	}
	return members, nil
}

// unique reads one JSON value. It refuses duplicate keys in an object, and more than depth levels.
func unique(d *json.Decoder, depth int) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	open, nested := t.(json.Delim)
	if !nested {
		return nil
	}
	if depth == 0 {
		return ErrMalformed
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			if seen[name] {
				return ErrMalformed
			}
			seen[name] = true
		}
		if err := unique(d, depth-1); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// textOf returns a member that must be a text, "" if the member is missing.
func textOf(members map[string]json.RawMessage, name string) (string, error) {
	raw, ok := members[name]
	if !ok {
		return "", nil
	}
	var s *string
	if json.Unmarshal(raw, &s) != nil || s == nil {
		return "", ErrMalformed
	}
	return *s, nil
}

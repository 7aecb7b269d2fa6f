package secret

import (
	"encoding/json"
	"fmt"
	"log/slog"
)

// Value holds a card number, a CVC, a credential or a key. No printer shows the value: fmt, slog and json all write "[redacted]". Reveal is
// the only way to the value, and its name is easy to search for. The zero value is an absent secret.
type Value struct{ v *string }

// New returns a Secret that holds v. An empty v makes an absent secret.
func New(v string) Value {
	if v == "" {
		return Value{}
	}
	return Value{&v}
}

// Reveal returns the value, or "" if the secret is absent.
func (s Value) Reveal() string {
	if s.v == nil {
		return ""
	}
	return *s.v
}

// IsZero reports whether the secret is absent.
func (s Value) IsZero() bool { return s.v == nil }

const redacted = "[redacted]"

func (s Value) Format(f fmt.State, _ rune)   { fmt.Fprint(f, redacted) }
func (s Value) String() string               { return redacted }
func (s Value) GoString() string             { return redacted }
func (s Value) LogValue() slog.Value         { return slog.StringValue(redacted) }
func (s Value) MarshalText() ([]byte, error) { return []byte(redacted), nil }
func (s Value) MarshalJSON() ([]byte, error) { return json.Marshal(redacted) }

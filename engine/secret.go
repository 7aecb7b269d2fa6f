package engine

import (
	"encoding/json"
	"fmt"
	"log/slog"
)

// Secret holds a card number, a CVC, a credential or a key. No printer shows the value: fmt, slog and json all write "[redacted]". Reveal is
// the only way to the value, and its name is easy to search for. The zero value is an absent secret.
type Secret struct{ v *string }

// NewSecret returns a Secret that holds v. An empty v makes an absent secret.
func NewSecret(v string) Secret {
	if v == "" {
		return Secret{}
	}
	return Secret{&v}
}

// Reveal returns the value, or "" if the secret is absent.
func (s Secret) Reveal() string {
	if s.v == nil {
		return ""
	}
	return *s.v
}

// IsZero reports whether the secret is absent.
func (s Secret) IsZero() bool { return s.v == nil }

const redacted = "[redacted]"

func (s Secret) Format(f fmt.State, _ rune)   { fmt.Fprint(f, redacted) }
func (s Secret) String() string               { return redacted }
func (s Secret) GoString() string             { return redacted }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(redacted) }
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(redacted) }

package engine

import (
	"encoding/json"
	"fmt"
	"log/slog"
)

// Secret holds a card number, a CVC, a credential or a key. Nothing prints it: fmt, slog and json all show "[redacted]". Reveal is
// the only way out and easy to search for. The zero value is an absent secret.
type Secret struct{ v *string }

// NewSecret keeps v. An empty v makes an absent secret.
func NewSecret(v string) Secret {
	if v == "" {
		return Secret{}
	}
	return Secret{&v}
}

// Reveal returns the value, "" when absent.
func (s Secret) Reveal() string {
	if s.v == nil {
		return ""
	}
	return *s.v
}

// IsZero says whether the secret is absent.
func (s Secret) IsZero() bool { return s.v == nil }

const redacted = "[redacted]"

func (s Secret) Format(f fmt.State, _ rune)   { fmt.Fprint(f, redacted) }
func (s Secret) String() string               { return redacted }
func (s Secret) GoString() string             { return redacted }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(redacted) }
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(redacted) }

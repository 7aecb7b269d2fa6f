package engine

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// What the ciphertexts of configuration are bound to.
func merchantAD(id string) string             { return "merchant/" + id }
func profileAD(merchantID, id string) string  { return "profile/" + merchantID + "/" + id }
func accountAD(merchantID, id string) string  { return "account/" + merchantID + "/" + id }
func customerAD(merchantID, id string) string { return "customer/" + merchantID + "/" + id }

// Fields are an object's fields by API name, each as JSON text.
type Fields = map[string]json.RawMessage

// Names of private fields that the engine itself reads.
const (
	fieldResponseHash   = "payment_response_hash_key"
	fieldWebhookHeaders = "outgoing_webhook_custom_http_headers"
	fieldCredentials    = "connector_account_details"
)

func (v *Vault) sealPrivate(private map[string]Secret, associated string) ([]byte, error) {
	if len(private) == 0 {
		return nil, nil
	}
	f := make(Fields, len(private))
	for name, s := range private {
		f[name] = json.RawMessage(s.Reveal())
	}
	plain, err := json.Marshal(f)
	if err != nil {
		return nil, Internal(err, "encode "+associated)
	}
	sealed, err := v.Seal(plain, associated)
	if err != nil {
		return nil, Internal(err, "seal "+associated)
	}
	return sealed, nil
}

func (v *Vault) openPrivate(sealed []byte, associated string) (map[string]Secret, error) {
	private := map[string]Secret{}
	if len(sealed) == 0 {
		return private, nil
	}
	plain, err := v.Open(sealed, associated)
	if err != nil {
		return nil, Internal(err, "open "+associated)
	}
	var f Fields
	if err := json.Unmarshal(plain, &f); err != nil {
		return nil, Internal(err, "decode "+associated)
	}
	for name, raw := range f {
		private[name] = NewSecret(string(raw))
	}
	return private, nil
}

func (v *Vault) openMerchant(m *Merchant) (err error) {
	if m.Private, err = v.openPrivate(m.Sealed, merchantAD(m.ID)); err != nil {
		return err
	}
	m.ResponseHash = secretText(m.Private[fieldResponseHash])
	return nil
}

func (v *Vault) openProfile(p *Profile) (err error) {
	if p.Private, err = v.openPrivate(p.Sealed, profileAD(p.MerchantID, p.ID)); err != nil {
		return err
	}
	p.ResponseHash = secretText(p.Private[fieldResponseHash])
	p.Settings.WebhookHeaders = leaves(p.Private[fieldWebhookHeaders])
	return nil
}

func (v *Vault) openAccount(a *Account) (err error) {
	if a.Private, err = v.openPrivate(a.Sealed, accountAD(a.MerchantID, a.ID)); err != nil {
		return err
	}
	a.Credentials = leaves(a.Private[fieldCredentials])
	delete(a.Credentials, "auth_type")
	return nil
}

// secretText is the text of a secret JSON string.
func secretText(s Secret) Secret {
	var text string
	if json.Unmarshal([]byte(s.Reveal()), &text) != nil {
		return Secret{}
	}
	return NewSecret(text)
}

// jsonText is text as a secret JSON string.
func jsonText(text string) Secret {
	b, _ := json.Marshal(text) // a string always encodes
	return NewSecret(string(b))
}

// leaves are the texts of a secret JSON object by name; an object within it gives names with dots ("auth_key_map.USD").
func leaves(s Secret) map[string]Secret {
	out := map[string]Secret{}
	var v map[string]any
	if json.Unmarshal([]byte(s.Reveal()), &v) == nil {
		collect(out, "", v)
	}
	return out
}

func collect(out map[string]Secret, prefix string, v map[string]any) {
	for name, x := range v {
		switch x := x.(type) {
		case string:
			out[prefix+name] = NewSecret(x)
		case map[string]any:
			collect(out, prefix+name+".", x)
		}
	}
}

// Masked is a private field as answers show it: every text in it masked but those of the names in plain.
func Masked(s Secret, plain ...string) json.RawMessage {
	if s.IsZero() {
		return nil
	}
	var v any
	if json.Unmarshal([]byte(s.Reveal()), &v) != nil {
		return nil
	}
	b, err := json.Marshal(masked(v, plain))
	if err != nil {
		return nil
	}
	return b
}

func masked(v any, plain []string) any {
	switch v := v.(type) {
	case string:
		return maskText(v)
	case []any:
		for i := range v {
			v[i] = masked(v[i], plain)
		}
	case map[string]any:
	fields:
		for name := range v {
			for _, p := range plain {
				if p == name {
					continue fields
				}
			}
			v[name] = masked(v[name], plain)
		}
	}
	return v
}

// maskText keeps the first two and the last two characters; of four or fewer it keeps none.
func maskText(s string) string {
	n := utf8.RuneCountInString(s)
	if n <= 4 {
		return strings.Repeat("*", n)
	}
	r := []rune(s)
	return string(r[:2]) + strings.Repeat("*", n-4) + string(r[n-2:])
}

func noMerchant() *Error {
	e := NotFound("Merchant account")
	e.Err = ErrNotFound
	return e
}

func noProfile(id string) *Error {
	return &Error{Kind: KindNotFound, Code: "HE_02", Message: "Business profile with the given id " + id + " does not exist", Err: ErrNotFound}
}

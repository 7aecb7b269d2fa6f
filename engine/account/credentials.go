package account

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"payswitch/engine/approval"
	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// AuthType is the auth_type of credentials, which says what keys they have.
type AuthType string

const (
	authHeader      AuthType = "HeaderKey"
	authBody        AuthType = "BodyKey"
	authSignature   AuthType = "SignatureKey"
	authMulti       AuthType = "MultiAuthKey"
	authCurrency    AuthType = "CurrencyAuthKey"
	authCertificate AuthType = "CertificateAuth"
	authNoKey       AuthType = "NoKey"
	authTemporary   AuthType = "TemporaryAuth"
)

// authShapes lists the keys of connector_account_details by auth_type.
var authShapes = map[AuthType][]string{
	authHeader:      {"api_key"},
	authBody:        {"api_key", "key1"},
	authSignature:   {"api_key", "key1", "api_secret"},
	authMulti:       {"api_key", "key1", "api_secret", "key2"},
	authCurrency:    {"auth_key_map"},
	authCertificate: {"certificate", "private_key"},
	authNoKey:       {},
	authTemporary:   {},
}

// VerifyCredentials checks connector_account_details against the connector's adapter: auth_type and every field that the adapter asks for.
// It does not call the processor, because no call proves a key without touching a card or money. Errors: those of CreateAccount.
func (s *Registry) VerifyCredentials(_ context.Context, connector string, credentials secret.Value) error {
	n := &Account{Connector: connector, Private: map[string]secret.Value{fieldCredentials: credentials}}
	n.takePrivate()
	info, err := s.adapter(connector)
	if err != nil {
		return err
	}
	if err := n.checkShape(); err != nil {
		return err
	}
	if info.Simulated || n.AuthType == authTemporary {
		return nil
	}
	if err := n.checkCredentials(info.Manifest); err != nil {
		return err
	}
	if err := n.checkPEM(info.Manifest); err != nil {
		return err
	}
	return n.checkCertificate(info.Manifest, s.Now())
}

// adapter returns the adapter of a connector name. An unknown name is refused as a value outside a closed list.
func (s *Registry) adapter(connector string) (port.AdapterInfo, error) {
	info, ok := s.Connectors.Adapter(connector)
	if ok {
		return info, nil
	}
	names := make([]string, 0, 16)
	for _, i := range s.Connectors.Adapters() {
		names = append(names, i.Connector)
	}
	slices.Sort(names)
	return port.AdapterInfo{}, fault.Malformed("connector_name", unknownVariant(connector, slices.Compact(names))).WithHint("Send one of the values that the message lists.")
}

// unknownVariant returns the error text for a value outside a closed list. It shows at most the first 64 bytes of the value.
func unknownVariant(value string, list []string) string {
	if len(value) > 64 {
		value = strings.ToValidUTF8(value[:64], "") + "..."
	}
	return "unknown variant `" + value + "`, expected one of `" + strings.Join(list, "`, `") + "`"
}

// checkAccount checks an account's type, credentials and metadata against its adapter.
func (s *Registry) checkAccount(n *Account) error {
	info, err := s.adapter(n.Connector)
	if err != nil {
		return err
	}
	if err := n.checkShape(); err != nil {
		return err
	}
	if info.Simulated {
		return nil // the simulator accepts the account of any processor
	}
	kind := map[Type]sdk.Kind{TypeProcessor: sdk.KindProcessor, TypeAuthenticator: sdk.KindAuthenticator}[n.Type]
	if kind != info.Manifest.Kind {
		e := fault.Unprocessable("connector_type", "The connector_type "+string(n.Type)+" is invalid for the connector").WithHint("Send the connector_type that fits the connector's kind.")
		e.Reason = n.Connector + " is a " + string(info.Manifest.Kind)
		return e
	}
	if n.AuthType == authTemporary {
		return nil
	}
	if err := n.checkCredentials(info.Manifest); err != nil {
		return err
	}
	if err := n.checkPEM(info.Manifest); err != nil {
		return err
	}
	if err := n.checkCertificate(info.Manifest, s.Now()); err != nil {
		return err
	}
	return n.checkConfig(info.Manifest)
}

// checkShape checks the credentials against their auth_type.
func (n *Account) checkShape() error {
	keys, known := authShapes[n.AuthType]
	if !known {
		return fault.BadFormat(fieldCredentials, "auth_type and api_key")
	}
	var sent Fields
	if err := json.Unmarshal([]byte(n.Private[fieldCredentials].Reveal()), &sent); err != nil {
		return fault.BadFormat(fieldCredentials, "auth_type and api_key")
	}
	for _, key := range keys {
		var s string
		if n.AuthType == authCurrency {
			var m map[string]json.RawMessage
			if json.Unmarshal(sent[key], &m) != nil || m == nil {
				return fault.BadFormat(fieldCredentials, string(n.AuthType)+" with "+strings.Join(keys, ", "))
			}
		} else if json.Unmarshal(sent[key], &s) != nil {
			return fault.BadFormat(fieldCredentials, string(n.AuthType)+" with "+strings.Join(keys, ", "))
		}
	}
	return nil
}

// checkCredentials checks the credentials against the manifest: each required field is present, and each field is one of the adapter's.
func (n *Account) checkCredentials(m *sdk.Manifest) error {
	var want []string
	known := map[string]bool{}
	fits := true
	for _, f := range m.Credentials {
		key := approval.FieldKey(f)
		known[key] = true
		v := n.Credentials[key].Reveal()
		if !f.Optional {
			want = append(want, key)
			fits = fits && v != ""
		}
		fits = fits && (v == "" || f.Type != sdk.FieldEnum || slices.Contains(f.Values, v))
	}
	for key := range n.Credentials {
		name, _, _ := strings.Cut(key, ".")
		fits = fits && (known[key] || known[name])
	}
	if fits {
		return nil
	}
	err := fault.Unprocessable(fieldCredentials, "The auth type is invalid for the connector").WithHint("Send the fields that reason names.")
	err.Reason = n.Connector + " needs " + shapeOf(want)
	return err
}

// checkConfig checks the metadata against the manifest's config fields.
func (n *Account) checkConfig(m *sdk.Manifest) error {
	metadata := DetailsOf(n.Metadata)
	for _, f := range m.Config {
		key := approval.FieldKey(f)
		raw, sent := metadata[key]
		var v any
		text := ""
		if sent && json.Unmarshal(raw, &v) == nil {
			text, _ = v.(string)
			sent = v != nil && v != ""
		}
		if !sent && (f.Optional || f.Default != "") {
			continue
		}
		if !sent || f.Type == sdk.FieldEnum && !slices.Contains(f.Values, text) {
			err := fault.Unprocessable("metadata."+key, "The metadata."+key+" is invalid").WithHint("Send a value as reason describes it.")
			if err.Reason = f.Label; !sent {
				err.Reason += " is missing"
			}
			if len(f.Values) > 0 {
				err.Reason += ": one of " + strings.Join(f.Values, ", ")
			}
			return err
		}
	}
	return nil
}

// shapeOf describes the auth_type that has the given keys.
func shapeOf(keys []string) string {
	slices.Sort(keys)
	for name, shape := range authShapes {
		s := slices.Clone(shape)
		slices.Sort(s)
		if slices.Equal(s, keys) && name != authTemporary {
			return "auth_type " + string(name) + strings.TrimSuffix(" with "+strings.Join(shape, ", "), " with ")
		}
	}
	return strings.Join(keys, ", ")
}

package passkeys

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"payswitch/engine/staff"
)

// Keys implements staff.Passkeys for the dashboard at one address.
type Keys struct{ w *webauthn.WebAuthn }

// New returns the passkeys of the dashboard at address, such as https://dashboard.example. It returns nil where browsers allow no passkeys: at an IP
// address, and without TLS anywhere but on localhost.
func New(address string) (*Keys, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("passkeys: %w", err)
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil || host == "" || u.Scheme != "https" && host != "localhost" {
		return nil, nil
	}
	required := true
	w, err := webauthn.New(&webauthn.Config{RPID: host, RPDisplayName: "payswitch", RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{RequireResidentKey: &required, ResidentKey: protocol.ResidentKeyRequirementRequired,
			UserVerification: protocol.VerificationRequired}})
	if err != nil {
		return nil, fmt.Errorf("passkeys: %w", err)
	}
	return &Keys{w}, nil
}

// person is a user as the library sees it.
type person struct {
	id, email, name string
	have            []webauthn.Credential
}

func (p *person) WebAuthnID() []byte                         { return []byte(p.id) }
func (p *person) WebAuthnName() string                       { return p.email }
func (p *person) WebAuthnDisplayName() string                { return p.name }
func (p *person) WebAuthnCredentials() []webauthn.Credential { return p.have }

func personOf(id, email, name string, have []staff.Passkey) (*person, error) {
	p := &person{id: id, email: email, name: name}
	for _, k := range have {
		var c webauthn.Credential
		if err := json.Unmarshal(k.Data, &c); err != nil {
			return nil, fmt.Errorf("a stored passkey cannot be read: %w", err)
		}
		p.have = append(p.have, c)
	}
	return p, nil
}

// parts returns what the browser gets, and what waits for its answer.
func parts(options any, session *webauthn.SessionData, err error) (json.RawMessage, string, error) {
	if err != nil {
		return nil, "", err
	}
	shown, err := json.Marshal(options)
	if err != nil {
		return nil, "", err
	}
	state, err := json.Marshal(session)
	return shown, string(state), err
}

// BeginEnrol implements staff.Passkeys.
func (k *Keys) BeginEnrol(userID, email, name string, have []staff.Passkey) (json.RawMessage, string, error) {
	p, err := personOf(userID, email, name, have)
	if err != nil {
		return nil, "", err
	}
	var known []protocol.CredentialDescriptor
	for i := range p.have {
		known = append(known, p.have[i].Descriptor())
	}
	options, session, err := k.w.BeginRegistration(p, webauthn.WithExclusions(known))
	return parts(options, session, err)
}

// FinishEnrol implements staff.Passkeys.
func (k *Keys) FinishEnrol(userID, email, name string, have []staff.Passkey, state string, answer []byte) (staff.Passkey, error) {
	var session webauthn.SessionData
	if err := json.Unmarshal([]byte(state), &session); err != nil {
		return staff.Passkey{}, err
	}
	p, err := personOf(userID, email, name, have)
	if err != nil {
		return staff.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return staff.Passkey{}, err
	}
	c, err := k.w.CreateCredential(p, session, parsed)
	if err != nil {
		return staff.Passkey{}, err
	}
	return stored(c)
}

func stored(c *webauthn.Credential) (staff.Passkey, error) {
	data, err := json.Marshal(c)
	return staff.Passkey{ID: c.ID, Data: data}, err
}

// BeginLogin implements staff.Passkeys.
func (k *Keys) BeginLogin() (json.RawMessage, string, error) {
	options, session, err := k.w.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	return parts(options, session, err)
}

// FinishLogin implements staff.Passkeys.
func (k *Keys) FinishLogin(state string, answer []byte, find func(userID string) ([]staff.Passkey, error)) (staff.Passkey, error) {
	var session webauthn.SessionData
	if err := json.Unmarshal([]byte(state), &session); err != nil {
		return staff.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return staff.Passkey{}, err
	}
	_, c, err := k.w.ValidatePasskeyLogin(func(_, userID []byte) (webauthn.User, error) {
		have, err := find(string(userID))
		if err != nil {
			return nil, err
		}
		return personOf(string(userID), "", "", have)
	}, session, parsed)
	if err != nil {
		return staff.Passkey{}, err
	}
	if c.Authenticator.CloneWarning {
		return staff.Passkey{}, errors.New("the passkey's counter went back: it may be a copy")
	}
	return stored(c)
}

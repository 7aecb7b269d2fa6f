package engine

import (
	"encoding/json"
)

func sealPrivate(v *Vault, private map[string]Secret, associated string) ([]byte, error) {
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

func openPrivate(v *Vault, sealed []byte, associated string) (map[string]Secret, error) {
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

func openMerchant(v *Vault, m *Merchant) (err error) {
	if m.Private, err = openPrivate(v, m.Sealed, merchantAD(m.ID)); err != nil {
		return err
	}
	m.ResponseHash = secretText(m.Private[fieldResponseHash])
	return nil
}

func openProfile(v *Vault, p *Profile) (err error) {
	if p.Private, err = openPrivate(v, p.Sealed, profileAD(p.MerchantID, p.ID)); err != nil {
		return err
	}
	p.takePrivate()
	return nil
}

func openAccount(v *Vault, a *Account) (err error) {
	if a.Private, err = openPrivate(v, a.Sealed, accountAD(a.MerchantID, a.ID)); err != nil {
		return err
	}
	a.takePrivate()
	return nil
}

func noMerchant() *Error {
	e := NotFound("Merchant account")
	e.Err = ErrNotFound
	return e
}

func noProfile(id string) *Error {
	return &Error{Kind: KindNotFound, Code: "HE_02", Message: "Business profile with the given id " + id + " does not exist", Err: ErrNotFound}
}

package account

import (
	"encoding/json"

	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

func sealPrivate(v *vault.Vault, private map[string]secret.Value, associated string) ([]byte, error) {
	if len(private) == 0 {
		return nil, nil
	}
	f := make(Fields, len(private))
	for name, s := range private {
		f[name] = json.RawMessage(s.Reveal())
	}
	plain, err := json.Marshal(f)
	if err != nil {
		return nil, fault.Internal(err, "encode "+associated)
	}
	sealed, err := v.Seal(plain, associated)
	if err != nil {
		return nil, fault.Internal(err, "seal "+associated)
	}
	return sealed, nil
}

func openPrivate(v *vault.Vault, sealed []byte, associated string) (map[string]secret.Value, error) {
	private := map[string]secret.Value{}
	if len(sealed) == 0 {
		return private, nil
	}
	plain, err := v.Open(sealed, associated)
	if err != nil {
		return nil, fault.Internal(err, "open "+associated)
	}
	var f Fields
	if err := json.Unmarshal(plain, &f); err != nil {
		return nil, fault.Internal(err, "decode "+associated)
	}
	for name, raw := range f {
		private[name] = secret.New(string(raw))
	}
	return private, nil
}

func openMerchant(v *vault.Vault, m *Merchant) (err error) {
	if m.Private, err = openPrivate(v, m.Sealed, vault.MerchantAD(m.ID)); err != nil {
		return err
	}
	m.ResponseHash = secret.TextOf(m.Private[fieldResponseHash])
	return nil
}

func openProfile(v *vault.Vault, p *Profile) (err error) {
	if p.Private, err = openPrivate(v, p.Sealed, vault.ProfileAD(p.MerchantID, p.ID)); err != nil {
		return err
	}
	p.takePrivate()
	if err := p.takeRisk(); err != nil {
		return err
	}
	return p.takeRetries()
}

// takeRetries sets the retry settings that a profile lacks because an older version stored it: these versions kept the fields as sent, alone.
func (p *Profile) takeRetries() error {
	if p.Settings.Retries != (RetrySettings{}) {
		return nil
	}
	var f profileFields
	if err := DetailsOf(p.Details).only([]string{"is_auto_retries_enabled", "max_auto_retries_enabled", "is_clear_pan_retries_enabled"}).into(&f); err != nil {
		return err
	}
	optional.SetValue(&p.Settings.Retries.Auto, f.AutoRetries)
	optional.SetValue(&p.Settings.Retries.Most, f.MostRetries)
	optional.SetValue(&p.Settings.Retries.ClearPAN, f.ClearPANRetries)
	return nil
}

// opener opens connector accounts.
type opener struct {
	vault      *vault.Vault
	connectors port.Connectors
	live       bool // accounts without test_mode use the live environment of their adapter
}

func (o *opener) open(a *Account) (err error) {
	if a.Private, err = openPrivate(o.vault, a.Sealed, vault.AccountAD(a.MerchantID, a.ID)); err != nil {
		return err
	}
	a.takePrivate()
	o.identify(a)
	return nil
}

func merchantNotFound() *fault.Error {
	e := fault.NotFound("Merchant account")
	e.Err = fault.ErrNotFound
	return e
}

func ProfileNotFound(id string) *fault.Error {
	return &fault.Error{Kind: fault.KindNotFound, Code: "HE_02", Message: "Business profile with the given id " + id + " does not exist", Param: "profile_id",
		Hint: fault.CheckID, Err: fault.ErrNotFound}
}

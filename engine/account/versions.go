package account

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"payswitch/engine/approval"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
)

// Version is a connector account as it was with certain credentials, a certain address and environment. Operations and attempts name the
// version that they were begun with. So no change of the account leads them to another account at the processor.
type Version struct {
	MerchantID string
	AccountID  string
	// Fingerprint names the version within its account. It is a keyed hash, which reveals nothing without the vault's key.
	Fingerprint string
	// Family names the versions that reach the same account at the processor. The one with the highest Rank serves the operations of all.
	Family string
	// Rank orders the versions of an account by the time at which the account last had them.
	Rank int64
	// Original marks the version of operations from before there were versions.
	Original bool
	Details  VersionDetails
	// Sealed are the account's secret fields. It is nil if another version of the family serves in place of this one.
	Sealed    []byte
	CreatedAt time.Time
	UsedAt    time.Time // when the last operation began with the version, to the day
}

// VersionDetails are the other fields of an account that operations need. The json names are storage format.
type VersionDetails struct {
	ProfileID   string                     `json:"profile_id,omitempty"`
	Type        Type                       `json:"type,omitempty"`
	Connector   string                     `json:"connector,omitempty"`
	Label       string                     `json:"label,omitempty"`
	Environment string                     `json:"environment,omitempty"`
	TestMode    bool                       `json:"test_mode,omitempty"`
	BaseURL     string                     `json:"base_url,omitempty"`
	Hosts       []string                   `json:"hosts,omitempty"`
	Metadata    json.RawMessage            `json:"metadata,omitempty"`
	Operator    approval.OperatorDecisions `json:"operator,omitzero"`
}

const (
	// versionKept is how long a version is kept after the last operation that began with it: as long as a payment can be refunded, and 30 days
	// for the end of that refund.
	versionKept = payment.MaxRefundAge + 30*24*time.Hour
	// versionTouched is how exact UsedAt is.
	versionTouched = 24 * time.Hour
)

type versionKey struct{ merchantID, accountID, fingerprint string }

// fingerprintSize is the size of fingerprints in bytes.
const fingerprintSize = 16

// identify sets the environment and the fingerprint of an opened account.
func (o *opener) identify(a *Account) {
	a.Environment = "test"
	if o.live && !a.TestMode {
		a.Environment = "live"
	}
	in := fmt.Appendf(nil, "%q %q %q", a.Connector, a.Environment, a.BaseURL)
	if a.BaseURL == "" {
		in = o.appendAddress(in, a)
	}
	in = fmt.Appendf(in, " %q", a.AuthType)
	for _, name := range slices.Sorted(maps.Keys(a.Credentials)) {
		in = fmt.Appendf(in, " %q %q", name, a.Credentials[name].Reveal())
	}
	a.Fingerprint = hex.EncodeToString(o.vault.Hash("identity of a connector account", in)[:fingerprintSize])
	clear(in)
}

// appendAddress appends the values that the account's metadata contributes to the address in the adapter's manifest.
func (o *opener) appendAddress(in []byte, a *Account) []byte {
	info, ok := o.connectors.Adapter(a.Connector)
	if !ok || info.Manifest == nil {
		return in
	}
	address, values := info.Manifest.Environments[a.Environment].BaseURL, DetailsOf(a.Metadata)
	for _, f := range info.Manifest.Config {
		if strings.Contains(address, "{"+f.Name+"}") {
			in = fmt.Appendf(in, " %q=%q", f.Name, values[approval.FieldKey(f)])
		}
	}
	return in
}

// versionOf makes a version of an opened account.
func (s *Registry) versionOf(a *Account, now time.Time) (*Version, error) {
	v := &Version{MerchantID: a.MerchantID, AccountID: a.ID, Fingerprint: a.Fingerprint, Family: a.Fingerprint, CreatedAt: now, UsedAt: now}
	return v, s.describe(v, a)
}

// describe copies an opened account into its version.
func (s *Registry) describe(v *Version, a *Account) (err error) {
	v.Details = VersionDetails{ProfileID: a.ProfileID, Type: a.Type, Connector: a.Connector, Label: a.Label, Environment: a.Environment,
		TestMode: a.TestMode, BaseURL: a.BaseURL, Hosts: a.Hosts, Metadata: a.Metadata, Operator: a.Operator}
	v.Sealed, err = sealPrivate(s.Vault, a.Private, vault.AccountVersionAD(a.MerchantID, a.ID, a.Fingerprint))
	return err
}

// KeepVersion makes sure that the version of an opened account is stored, in the transaction that stores an operation with it. The caller gives
// what KeepVersion returns to VersionKept once the transaction is committed. A version that was used within a day is not read again: the sweep
// spares it, on every node.
func (s *Registry) KeepVersion(tx VersionTx, a *Account, now time.Time) (kept KeptVersion, err error) {
	kept.key = versionKey{a.MerchantID, a.ID, a.Fingerprint}
	if used, ok := s.kept.Load(kept.key); ok && now.Sub(used.(time.Time)) < versionTouched {
		return KeptVersion{}, nil
	}
	v, err := tx.AccountVersion(a.MerchantID, a.ID, a.Fingerprint)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		// The account's row is locked, so that two nodes with different credentials do not give the same rank. A deleted account has none.
		if _, err := tx.Account(a.MerchantID, a.ID); err != nil && !errors.Is(err, fault.ErrNotFound) && !errors.Is(err, vault.ErrAltered) {
			return kept, err
		}
		list, err := tx.AccountVersions(a.MerchantID, a.ID)
		if err != nil {
			return kept, err
		}
		if v, err = s.versionOf(a, now); err != nil {
			return kept, err
		}
		v.Rank, v.Original = nextRank(list), len(list) == 0
		kept.used = v.UsedAt
		return kept, tx.InsertAccountVersion(v)
	case err != nil:
		return kept, err
	case now.Sub(v.UsedAt) >= versionTouched:
		v.UsedAt = now
		err = tx.UpdateAccountVersion(v)
	}
	kept.used = v.UsedAt
	return kept, err
}

// KeptVersion is a version that a transaction has found or stored. The zero value names no version, and VersionKept ignores it.
type KeptVersion struct {
	key  versionKey
	used time.Time
}

// VersionKept remembers a version that KeepVersion returned. Call it after the commit of that transaction.
func (s *Registry) VersionKept(v KeptVersion) {
	if !v.used.IsZero() {
		s.kept.Store(v.key, v.used)
	}
}

func nextRank(list []*Version) (rank int64) {
	for _, v := range list {
		rank = max(rank, v.Rank)
	}
	return rank + 1
}

func versionNamed(list []*Version, fingerprint string) *Version {
	for _, v := range list {
		if v.Fingerprint == fingerprint {
			return v
		}
	}
	return nil
}

// moveOn keeps what an account's existing payments need when the account changes from was to n. rotated says that both reach the same account
// at the processor. Both are opened.
func (s *Registry) moveOn(tx Tx, was, n *Account, rotated bool) error {
	s.Dir.identify(n)
	if n.Fingerprint == was.Fingerprint {
		return nil
	}
	if err := s.supersede(tx, was); err != nil || !rotated {
		return err
	}
	return s.link(tx, was, n)
}

// supersede keeps what an account's existing payments need before the account changes or is deleted. was is the account until now, opened. An
// account without payments needs nothing.
func (s *Registry) supersede(tx Tx, was *Account) error {
	list, err := tx.AccountVersions(was.MerchantID, was.ID)
	if err != nil {
		return err
	}
	v := versionNamed(list, was.Fingerprint)
	if v == nil {
		used, err := tx.AccountUsed(was.MerchantID, was.ID)
		if err != nil || !used || len(list) > 0 { // an account with other versions would have this one too, if an operation had used it
			return err
		}
		if v, err = s.versionOf(was, tx.Now()); err != nil {
			return err
		}
		v.Rank, v.Original = nextRank(list), true
		return tx.InsertAccountVersion(v)
	}
	if err := s.describe(v, was); err != nil {
		return err
	}
	v.Rank = nextRank(list)
	return tx.UpdateAccountVersion(v)
}

// link declares that an account reaches the same account at the processor as it did until now. Both are opened.
func (s *Registry) link(tx Tx, was, n *Account) error {
	if was.Environment != n.Environment {
		return fault.Unprocessable("credentials_rotated",
			"credentials_rotated cannot link the test and the live environment: they are two accounts at the processor").WithHint("Create a second account, and leave the field out.")
	}
	list, err := tx.AccountVersions(n.MerchantID, n.ID)
	if err != nil {
		return err
	}
	before, now := versionNamed(list, was.Fingerprint), versionNamed(list, n.Fingerprint)
	if before == nil { // another node may still begin a payment with it, before it reads the change
		if before, err = s.versionOf(was, tx.Now()); err != nil {
			return err
		}
		before.Rank = nextRank(list)
		if err := tx.InsertAccountVersion(before); err != nil {
			return err
		}
		list = append(list, before)
	}
	write := tx.UpdateAccountVersion
	if now == nil {
		now, err = s.versionOf(n, tx.Now())
		write = tx.InsertAccountVersion
	} else {
		err = s.describe(now, n)
	}
	if err != nil {
		return err
	}
	now.Rank = nextRank(list)
	if err := write(now); err != nil {
		return err
	}
	from, to := before.Family, now.Family
	for _, v := range list {
		if v.Family != from && v.Family != to || v == now {
			continue
		}
		v.Family, v.Sealed = to, nil // the new credentials serve instead
		if err := tx.UpdateAccountVersion(v); err != nil {
			return err
		}
	}
	return nil
}

// Serving returns the connector account for operations that name a version of it: the account as it is now if that reaches the same account at
// the processor, else as it was. An account that was deleted still serves. Errors: HE_02 without such an account, or if the version is kept no
// more.
func (s *Registry) Serving(ctx context.Context, merchantID, accountID, version string) (*Account, error) {
	e, err := s.Dir.entry(ctx, merchantID)
	if err != nil {
		return nil, err
	}
	var now *Account
	for _, a := range e.accounts {
		if a.ID == accountID {
			now = a
		}
	}
	if now == nil && e.altered.Names("accounts", accountID) {
		return nil, fault.Internal(e.altered, "read connector account")
	}
	if now != nil && (now.Fingerprint == version || fault.Planted("present credentials")) {
		return now, nil
	}
	var list []*Version
	err = s.read(ctx, "read versions of a connector account", func(r Reader) (err error) {
		list, err = r.AccountVersions(merchantID, accountID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if now != nil && len(list) == 0 && version == "" {
		return now, nil // from before there were versions, and the account has not changed since
	}
	v := serving(list, now, version)
	switch {
	case v == nil:
		none := fault.NotFound("Merchant connector account")
		none.Reason = "merchant_connector_id " + accountID
		if now != nil || len(list) > 0 {
			none.Reason += ": the credentials that the payment was made with are kept no more"
		}
		return nil, none
	case now != nil && v.Fingerprint == now.Fingerprint:
		return now, nil
	}
	return s.revive(v, now)
}

// serving returns the version that serves the operations of the version with that name, nil without one.
func serving(list []*Version, now *Account, name string) (v *Version) {
	i := slices.IndexFunc(list, func(v *Version) bool { return name != "" && v.Fingerprint == name || name == "" && v.Original })
	if i < 0 {
		return nil
	}
	for _, o := range list { // by rank
		if o.Family != list[i].Family {
			continue
		}
		if now != nil && o.Fingerprint == now.Fingerprint {
			return o
		}
		v = o
	}
	return v
}

// revive makes an account of a version. now is the account as it is now, nil if it was deleted.
func (s *Registry) revive(v *Version, now *Account) (_ *Account, err error) {
	d := &v.Details
	a := &Account{ID: v.AccountID, MerchantID: v.MerchantID, Operator: d.Operator, CreatedAt: v.CreatedAt, ModifiedAt: v.CreatedAt, Deleted: true}
	if now != nil {
		*a = *now // the operator's decisions count as they are now
	}
	a.ProfileID, a.Type, a.Connector, a.Label = d.ProfileID, d.Type, d.Connector, d.Label
	a.TestMode, a.BaseURL, a.Hosts, a.Metadata = d.TestMode, d.BaseURL, d.Hosts, d.Metadata
	a.Sealed = nil
	if a.Private, err = openPrivate(s.Vault, v.Sealed, vault.AccountVersionAD(v.MerchantID, v.AccountID, v.Fingerprint)); err != nil {
		return nil, err
	}
	a.takePrivate()
	a.Environment, a.Fingerprint = d.Environment, v.Fingerprint
	return a, nil
}

// DeletedAccount returns a deleted account as it was last. ErrNotFound if there was no such account, or if no payment needs it any more.
func (s *Registry) DeletedAccount(ctx context.Context, merchantID, accountID string) (*Account, error) {
	var list []*Version
	err := s.read(ctx, "read versions of a connector account", func(r Reader) (err error) {
		list, err = r.AccountVersions(merchantID, accountID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fault.ErrNotFound
	}
	return s.revive(list[len(list)-1], nil)
}

// SweepVersions removes the versions that nothing needs any more: no operation has begun with the family for versionKept, and none is open.
func (s *Registry) SweepVersions(ctx context.Context) error {
	var limit time.Time
	var old []*Version
	err := s.Store.View(ctx, func(r Reader) (err error) {
		limit = r.Now().Add(-versionKept)
		old, err = r.UnusedVersions(limit)
		_, err = LeftOut(nil, err)
		return err
	})
	if err != nil || len(old) == 0 {
		return err
	}
	return s.Store.Update(ctx, func(tx Tx) error {
		for _, v := range old {
			family, err := tx.AccountVersions(v.MerchantID, v.AccountID)
			if errors.Is(err, vault.ErrAltered) {
				continue
			}
			if err != nil {
				return err
			}
			family = slices.DeleteFunc(family, func(o *Version) bool { return o.Family != v.Family })
			open, err := tx.OpenVersions(v.MerchantID, v.AccountID)
			if err != nil {
				return err
			}
			needed := slices.ContainsFunc(family, func(o *Version) bool {
				return !o.UsedAt.Before(limit) || slices.Contains(open, o.Fingerprint) || o.Original && slices.Contains(open, "")
			})
			if needed {
				continue
			}
			for _, o := range family {
				if err := tx.DeleteAccountVersion(o.MerchantID, o.AccountID, o.Fingerprint); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Format prints nothing of a version but its account: a fingerprint is not for logs.
func (v Version) Format(s fmt.State, _ rune) { fmt.Fprint(s, "version of "+v.AccountID) }

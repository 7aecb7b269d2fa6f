package engine

import (
	"context"

	"payswitch/engine/drive"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

// OpenVault opens the vault in s with a LocalMasterKey and the default options.
func OpenVault(ctx context.Context, s Store, masterKey secret.Value) (*vault.Vault, error) {
	return vault.Open(ctx, vaultPart(s), masterKey)
}

// OpenVaultWith opens the vault in s with the options o. On the first start of an installation it makes the vault's keys. A wrong master
// key is ErrMasterKey.
func OpenVaultWith(ctx context.Context, s Store, o vault.Options) (*vault.Vault, error) {
	return vault.OpenWith(ctx, vaultPart(s), o)
}

// WantedMasterKey returns MasterKey.ID of the key that opens the vault in s. It returns "" if there is no vault yet, or if its keyset does
// not record the ID.
func WantedMasterKey(ctx context.Context, s Store) (string, error) {
	return vault.WantedMasterKey(ctx, vaultPart(s))
}

func vaultPart(s Store) vault.Store {
	return struct {
		port.StoreOf[vault.Reader, vault.Tx]
		signer
	}{port.Narrow[vault.Reader, vault.Tx](s), s}
}

type signer interface{ SignRows(s vault.RowSigner) }

// NewJournal reads the journal in s, sealed by v.
func NewJournal(s Store, v *vault.Vault) *drive.Journal {
	return drive.NewJournal(port.Narrow[drive.Reader, drive.Tx](s), v)
}

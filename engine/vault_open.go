package engine

import "context"

// OpenVault opens the vault in s with a LocalMasterKey and the default options.
func OpenVault(ctx context.Context, s Store, masterKey Secret) (*Vault, error) {
	return openVault(ctx, vaultPart(s), masterKey)
}

// OpenVaultWith opens the vault in s with the options o. On the first start of an installation it makes the vault's keys. A wrong master
// key is ErrMasterKey.
func OpenVaultWith(ctx context.Context, s Store, o VaultOptions) (*Vault, error) {
	return openVaultWith(ctx, vaultPart(s), o)
}

// WantedMasterKey returns MasterKey.ID of the key that opens the vault in s. It returns "" if there is no vault yet, or if its keyset does
// not record the ID.
func WantedMasterKey(ctx context.Context, s Store) (string, error) {
	return wantedMasterKey(ctx, vaultPart(s))
}

func vaultPart(s Store) VaultStore {
	return struct {
		StoreOf[VaultReader, VaultTx]
		signer
	}{Narrow[VaultReader, VaultTx](s), s}
}

type signer interface{ SignRows(s RowSigner) }

// NewJournal reads the journal in s, sealed by v.
func NewJournal(s Store, v *Vault) *Journal { return newJournal(Narrow[DriveReader, DriveTx](s), v) }

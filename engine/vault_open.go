package engine

import "context"

// OpenVault opens the vault in s with a LocalMasterKey and the default options.
func OpenVault(ctx context.Context, s Store, masterKey Secret) (*Vault, error) {
	return openVault(ctx, vaultPart(s), masterKey)
}

// OpenVaultWith opens the vault in s.
func OpenVaultWith(ctx context.Context, s Store, o VaultOptions) (*Vault, error) {
	return openVaultWith(ctx, vaultPart(s), o)
}

// WantedMasterKey is MasterKey.ID of the key that a vault in s opens with; "" where there is no vault yet, or the vault does not say.
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

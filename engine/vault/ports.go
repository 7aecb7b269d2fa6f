package vault

import (
	"time"

	"payswitch/engine/port"
	"payswitch/engine/secret"
)

// KeysetTx writes keysets. The store treats a keyset as one opaque value.
type KeysetTx interface {
	InsertKeyset(name string, stored []byte) error
	// UpdateKeyset replaces old with stored. It returns ErrConflict if the stored value differs from old, and ErrNotFound if there is no
	// such keyset.
	UpdateKeyset(name string, old, stored []byte) error
}

// SealedReader reads what rows have sealed, for re-encryption.
type SealedReader interface {
	// SealedRows looks at the next window rows of a table behind a position (0: from the start). It returns those that are sealed with
	// another key than key (8 hex digits). next is the position to continue from, 0 at the end.
	SealedRows(table SealedTable, behind int64, window int, key string) (rows []SealedRow, next int64, err error)
	// SealedCounts counts the sealed rows among the next window rows, by key id. next is as in SealedRows.
	SealedCounts(table SealedTable, behind int64, window int) (counts map[string]int, next int64, err error)
}

// SealedTx replaces what a row has sealed.
type SealedTx interface {
	// Reseal replaces row.Sealed with sealed. It raises the row's version, if it has one, so that a writer with an older copy gets
	// ErrConflict. It returns false if the row is gone or its sealed value has changed.
	Reseal(table SealedTable, row SealedRow, sealed []byte) (bool, error)
}

// SignedReader reads rows with their signatures.
type SignedReader interface {
	// SignedTables returns the tables whose rows are signed.
	SignedTables() []string
	// SignedRows returns the next window rows of a table behind a position (0: from the start), with good and bad signatures. next is the
	// position to continue from, 0 at the end.
	SignedRows(table string, behind int64, window int) (rows []SignedRow, next int64, err error)
}

// SignedTx writes signatures.
type SignedTx interface {
	// PutSignature stores a row's signature without a check. It returns ErrNotFound if the row is gone.
	PutSignature(table string, row SignedRow, signature []byte) error
}

// CardReader reads cards of the vault.
type CardReader interface {
	Card(merchantID, id string) (*StoredCard, error)
	// CardsByFingerprint lists a merchant's cards with the same number, oldest first.
	CardsByFingerprint(merchantID, fingerprint string) ([]*StoredCard, error)
}

// CardTx writes cards of the vault. Update compares and sets Version.
type CardTx interface {
	InsertCard(c *StoredCard) error
	UpdateCard(c *StoredCard) error
	// DeleteCard destroys the card together with its data key.
	DeleteCard(merchantID, id string) error
}

// ShortTermReader reads the keys of instruments that are kept for a short time.
type ShortTermReader interface {
	// Key returns the key of an instrument of an operation, an authentication or a card token, by its ShortTermID. It returns
	// ErrNotFound once the key is destroyed.
	ShortTermKey(merchantID, id string) (*secret.Key, error)
}

// Reader reads keysets, cards and keys, and the sealed and signed rows of all tables.
type Reader interface {
	// Now returns the database's time, in whole milliseconds UTC. It stays the same throughout the transaction.
	Now() time.Time
	// Keyset returns a keyset as it was stored. It returns ErrNotFound before the first start.
	Keyset(name string) ([]byte, error)
	CardReader
	ShortTermReader
	SealedReader
	SignedReader
}

// Tx writes keysets, cards and keys, and the sealed and signed rows of all tables.
type Tx interface {
	Reader
	KeysetTx
	CardTx
	SealedTx
	SignedTx
}

// Store is the vault's part of a store.
type Store interface {
	port.StoreOf[Reader, Tx]
	// SignRows makes the store sign the rows that it writes and check the rows that it reads, from the next transaction on. A row with a
	// bad signature is an AlteredError. A list leaves such rows out, and returns an AlteredError that names them.
	SignRows(s RowSigner)
}

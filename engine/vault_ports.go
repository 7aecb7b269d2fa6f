package engine

import "time"

// keysetTx writes keysets. A keyset is one value that the store does not look into.
type keysetTx interface {
	InsertKeyset(name string, stored []byte) error
	// UpdateKeyset compares and sets the whole value: ErrConflict when it is not old any more, ErrNotFound when there is none.
	UpdateKeyset(name string, old, stored []byte) error
}

type sealedReader interface {
	// SealedRows looks at the next window rows of a table behind a position (0: from the start) and returns those that are sealed, but
	// not under key (8 hex digits, as they begin). next is the position to go on from, 0 at the end.
	SealedRows(table SealedTable, behind int64, window int, key string) (rows []SealedRow, next int64, err error)
	// SealedCounts counts the sealed among the next window rows by their key; next as above.
	SealedCounts(table SealedTable, behind int64, window int) (counts map[string]int, next int64, err error)
}

type sealedTx interface {
	// Reseal puts sealed in the place of row.Sealed, and raises the row's version where it has one: who has read it before cannot write
	// the old one back. False when the row is gone, or sealed otherwise by now.
	Reseal(table SealedTable, row SealedRow, sealed []byte) (bool, error)
}

type signedReader interface {
	// SignedTables are the tables whose rows are signed.
	SignedTables() []string
	// SignedRows are the next window rows of a table behind a position (0: from the start), genuine or not. next is the position to go on
	// from, 0 at the end.
	SignedRows(table string, behind int64, window int) (rows []SignedRow, next int64, err error)
}

type signedTx interface {
	// PutSignature gives a row a signature without checking anything; ErrNotFound when the row is gone.
	PutSignature(table string, row SignedRow, signature []byte) error
}

type cardReader interface {
	Card(merchantID, id string) (*StoredCard, error)
	// CardsByFingerprint lists a merchant's cards with the same number, oldest first.
	CardsByFingerprint(merchantID, fingerprint string) ([]*StoredCard, error)
}

type cardTx interface {
	InsertCard(c *StoredCard) error
	UpdateCard(c *StoredCard) error
	// DeleteCard destroys the card with its data key.
	DeleteCard(merchantID, id string) error
}

type shortTermReader interface {
	// ShortTermKey is the key of an operation's, an authentication's or a card token's instrument, by its ShortTermID; ErrNotFound once it
	// was destroyed.
	ShortTermKey(merchantID, id string) (*ShortTermKey, error)
}

// VaultReader reads what the vault keeps, seals and signs.
type VaultReader interface {
	// Now is the database's clock, the same throughout the transaction, whole milliseconds UTC.
	Now() time.Time
	// Keyset is a keyset of the vault as it was stored, ErrNotFound before the first start.
	Keyset(name string) ([]byte, error)
	cardReader
	shortTermReader
	sealedReader
	signedReader
}

// VaultTx writes what the vault keeps, seals and signs.
type VaultTx interface {
	VaultReader
	keysetTx
	cardTx
	sealedTx
	signedTx
}

// VaultStore is the vault's part of a store.
type VaultStore interface {
	StoreOf[VaultReader, VaultTx]
	// SignRows has s sign the rows that are written and check those that are read, from the next transaction on. A row that is not genuine
	// is an AlteredError; a list leaves such rows out and comes with an AlteredError that names them.
	SignRows(s RowSigner)
}

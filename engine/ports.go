package engine

// Store keeps everything durable. Implementations hold no rules. Every method that names a merchant answers ErrNotFound for
// another merchant's rows. Each room documents its part: ChangeReader and ChangeTx, AccountReader and AccountTx, VaultReader and VaultTx. storetest is
// the suite that every implementation passes.
type Store interface {
	StoreOf[Reader, Tx]
	// SignRows has s sign the rows that are written and check those that are read, from the next transaction on. A row that is not genuine
	// is an AlteredError; a list leaves such rows out and comes with an AlteredError that names them.
	SignRows(s RowSigner)
}

// Reader reads what all rooms read. Rows come back as fresh copies, sealed parts sealed.
type Reader interface {
	ChangeReader
	AccountReader
	VaultReader
	// AccountsAt counts the connector accounts of all merchants that name a connector, the disabled ones too.
	AccountsAt(connector string) (int, error)
}

// Tx writes what all rooms write. Insert answers ErrConflict when the key exists. Update compares and sets Version where the row has one, and
// raises it in the value given: ErrConflict when another writer was faster, ErrNotFound when the row is gone.
type Tx interface {
	Reader
	ChangeTx
	AccountTx
	VaultTx
}

package engine

import (
	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/facet"
	"payswitch/engine/idempotency"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/relay"
	"payswitch/engine/restore"
	"payswitch/engine/risk"
	"payswitch/engine/routing"
	"payswitch/engine/routing/health"
	"payswitch/engine/staff"
	"payswitch/engine/vault"
	"payswitch/engine/webhook"
)

// Store keeps all durable data. It contains no payment rules. A method with a merchant id returns ErrNotFound for rows of other merchants.
// Package storetest is the test suite that every implementation passes.
type Store interface {
	port.StoreOf[Reader, Tx]
	// SignRows makes the store sign the rows that it writes and check the rows that it reads, from the next transaction on. A row with a
	// bad signature is an AlteredError. A list leaves such rows out, and returns an AlteredError that names them.
	SignRows(s vault.RowSigner)
}

// Reader reads the store. Returned rows are copies; their sealed parts stay sealed.
type Reader interface {
	change.Reader
	account.Reader
	idempotency.Reader
	vault.Reader
	webhook.Reader
	restore.Reader
	routing.ConfigReader
	staff.Reader
	risk.ListReader
	health.Reader
	facet.FillReader
	relay.Reader
	// ResolvedOperations lists the operations that an operator's word has ended, those first that ended last. No merchants: those of all.
	ResolvedOperations(merchants []string, limit int) ([]*payment.Operation, error)
	// AccountsAt counts the connector accounts of all merchants that name a connector, the disabled ones too.
	AccountsAt(connector string) (int, error)
}

// Tx reads and writes the store. Insert returns ErrConflict if the key exists. Update compares Version, if the row has one, and raises it
// in the value given. It returns ErrConflict if the row has changed since it was read, and ErrNotFound if the row is gone.
type Tx interface {
	Reader
	change.Tx
	facet.Tx
	account.Tx
	idempotency.Tx
	vault.Tx
	webhook.Tx
	restore.Tx
	routing.ConfigTx
	staff.Tx
	risk.ListTx
	health.Tx
	relay.Tx
}

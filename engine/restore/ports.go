package restore

import (
	"time"

	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/port"
)

// Store is the part of a store that a restore needs.
type Store = port.StoreOf[Reader, Tx]

// Reader reads what a restored database knows of itself.
type Reader interface {
	change.Reader
	// OperationsWithStatus lists the open operations with one of the statuses (started, unknown, pending), oldest first. No merchants: those
	// of all.
	OperationsWithStatus(merchants []string, statuses []payment.OperationStatus, limit int) ([]*payment.Operation, error)
	// Restores lists the copies that this database was restored from, oldest first.
	Restores() ([]port.Restore, error)
	// PaymentsSince lists payments of all merchants that were modified at since or later, or have one of the statuses, in the order of their rows.
	// It begins behind the row after.
	PaymentsSince(since time.Time, statuses []payment.Status, after int64, limit int) ([]port.PaymentRow, error)
}

// Tx notes restores.
type Tx interface {
	Reader
	change.Tx
	// InsertRestore records that the database is a copy of takenAt.
	InsertRestore(takenAt time.Time) error
	// StartRestores sets StartedAt of the restores that have none.
	StartRestores(at time.Time) error
}

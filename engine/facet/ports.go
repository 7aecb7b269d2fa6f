package facet

import (
	"time"

	"payswitch/engine/listed"
	"payswitch/engine/port"
	"payswitch/engine/request"
)

// Young is the age until which changes of a payment, refund or dispute leave no mark. Stores note the time of later changes, and of rows that are
// inserted later than that after the time of their creation.
const Young = 30 * time.Second

// Settle is the longest time from the time that a transaction is given until its commit.
const Settle = time.Minute

// Mark says how far the blocks of a merchant's list go. See the package comment.
type Mark struct {
	MerchantID string
	List       List
	Version    int64 // raised by PutFacetMark; 0: not stored yet
	Blocks     int64 // number of blocks
	UpTo       time.Time
	Late       time.Time
	ReadAt     time.Time // the store's time when the Filler read the payments
	Complete   bool      // false while the Filler has more to read
	// Indexed is false if an earlier release, which knows no indexes, has written blocks since the indexes were made. PutFacetMark sets it.
	Indexed bool
}

// Ahead reports whether the clock has gone back since the Filler read the payments, further than the clocks of nodes differ. Changes may then have a time
// before Late, and the blocks are of no use.
func (m *Mark) Ahead(now time.Time) bool { return m.Version > 0 && m.ReadAt.Sub(now) > Settle/6 }

// Store is the part of a store that the Filler needs.
type Store = port.StoreOf[FillReader, Tx]

// Reader reads blocks, for lists.
type Reader interface {
	// FacetMark returns ErrNotFound for a list without blocks.
	FacetMark(l List, merchantID string) (*Mark, error)
	// FacetSummaries returns the columns of one kind in the order of their blocks, without their data, from a block on.
	FacetSummaries(l List, merchantID string, k Kind, from int64) ([]Column, error)
	// FacetColumn returns ErrNotFound for a column that does not exist.
	FacetColumn(l List, merchantID string, k Kind, block int64) (Column, error)
	// FacetColumns returns the columns of one kind from a block to another, both inclusive, in their order.
	FacetColumns(l List, merchantID string, k Kind, from, to int64) ([]Column, error)
	// LatePayments lists payments that were created before a time. They were changed at since or later, when they were no longer Young, or they were
	// inserted that late. They have what the filter needs and what PaymentFilter.Documents and Sealed ask for; the filter itself does not count. The
	// payments that were changed first come first. With the limit 0, LatePayments lists all.
	LatePayments(merchantID string, f request.PaymentFilter, since, created time.Time, limit int) ([]LatePayment, error)
	// FacetRows lists the refunds or disputes that were created at from or later and before to, oldest first. A zero to has no effect. With the limit
	// 0, FacetRows lists all.
	FacetRows(l List, merchantID string, from, to time.Time, limit int) ([]Row, error)
	// LateFacetRows lists late refunds or disputes, as LatePayments does payments.
	LateFacetRows(l List, merchantID string, since, created time.Time, limit int) ([]LateRow, error)
}

// LateRow is a row with the store's time of its latest late change.
type LateRow struct {
	Row
	At time.Time
}

// LatePayment is a payment with the store's time of its latest late change.
type LatePayment struct {
	listed.Scanned
	At time.Time
}

// FillReader reads what the Filler needs.
type FillReader interface {
	Reader
	Now() time.Time
	// NextListed returns the id of the first merchant behind another, by id, that has rows of a list, and "" if no such merchant exists.
	NextListed(l List, merchantID string) (string, error)
	// PaymentsFrom lists the payments that were created at from or later and before to, oldest first, with their documents and sealed parts. With
	// the limit 0, PaymentsFrom lists all.
	PaymentsFrom(merchantID string, from, to time.Time, limit int) ([]listed.Scanned, error)
}

// Tx writes blocks.
type Tx interface {
	FillReader
	// PutFacetMark inserts a mark whose Version is 0, or updates it. ErrConflict is the error if another writer was faster.
	PutFacetMark(m *Mark) error
	// PutFacet inserts a column or replaces it.
	PutFacet(l List, merchantID string, c Column) error
	// DropFacets deletes the blocks and the mark of a merchant's list.
	DropFacets(l List, merchantID string) error
	// DropFacetIndexes deletes the columns of a merchant's list whose kind is FirstIndex or greater.
	DropFacetIndexes(l List, merchantID string) error
	// LeaseFacets takes the lease of all blocks until a time. It returns false if another owner holds the lease.
	LeaseFacets(owner string, until time.Time) (bool, error)
}

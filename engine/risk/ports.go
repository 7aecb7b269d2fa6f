package risk

import (
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/routing"
)

// Store is the part of a store that risk needs.
type Store = port.StoreOf[Reader, Tx]

// Entry is what a merchant does not accept. Data is unique within the merchant, whatever its kind.
type Entry struct {
	MerchantID string
	Data       string // as sent
	Kind       Kind
	Metadata   string // of a row of a file, as sent; "" for none
	CreatedAt  time.Time
}

// Kind is what an Entry blocks. Its constants are stored, and the API's values.
type Kind string

const (
	KindBIN         Kind = "card_bin"          // the first six digits of card numbers
	KindExtendedBIN Kind = "extended_card_bin" // the first eight digits
	KindMethod      Kind = "payment_method"    // the fingerprint of one number
)

// Job adds the entries of a file.
type Job struct {
	MerchantID string
	ID         string // blkbatch_…
	Status     JobStatus
	Total      int // rows of the file
	Succeeded  int
	Failed     int
	Parts      int // parts that are left
	CreatedAt  time.Time
	ModifiedAt time.Time
}

// JobStatus is the state of a Job. Its constants are stored, and the API's values.
type JobStatus string

const (
	JobInitiated  JobStatus = "initiated"
	JobProcessing JobStatus = "processing"
	JobCompleted  JobStatus = "completed"
)

// Part is some of the entries of a Job that are still to be added. Each is a line of JSON.
type Part struct {
	MerchantID string
	JobID      string
	Number     int
	Entries    string
	CreatedAt  time.Time
}

// ListReader reads the block lists. A method with a merchant id returns ErrNotFound for rows of other merchants.
type ListReader interface {
	Blocked(merchantID, data string) (*Entry, error)
	// BlockedAny returns the entries with one of the data.
	BlockedAny(merchantID string, data [3]string) ([]*Entry, error)
	// BlockVersion returns the version of a merchant's list. Each transaction that adds or removes an entry raises it. 0 is that of a list without changes.
	BlockVersion(merchantID string) (int64, error)
	// BlockedSince returns the data of entries that were made at a time or later, in any order.
	BlockedSince(merchantID string, since time.Time, limit int) ([]string, error)
	// BlockList lists entries of a kind, the newest first. A limit of 0 gives none.
	BlockList(merchantID string, kind Kind, limit, offset int) ([]*Entry, error)
	CountBlocked(merchantID string, kind Kind) (int, error)
	// BlockJob reads a job. In a Tx it locks the row.
	BlockJob(merchantID, id string) (*Job, error)
	// BlockJobs lists jobs, the newest first.
	BlockJobs(merchantID string, limit, offset int) ([]*Job, error)
	CountBlockJobs(merchantID string) (int, error)
	// BlockParts lists parts of all merchants' jobs, the oldest first.
	BlockParts(limit int) ([]*Part, error)
	Issuer(id string) (*Issuer, error)
	// IssuersNamed returns the issuers with a folded name.
	IssuersNamed(folded string) ([]*Issuer, error)
	// Issuers lists issuers whose folded name begins with prefix, by name. A limit of 0 gives none.
	Issuers(prefix string, limit int) ([]*Issuer, error)
}

// ListTx writes what ListReader reads. Insert returns ErrConflict if the key exists. Update and Delete return ErrNotFound if the row does not exist.
type ListTx interface {
	ListReader
	InsertBlocked(e *Entry) error
	// AddBlocked is InsertBlocked that leaves an entry with the same data as it is.
	AddBlocked(e *Entry) error
	DeleteBlocked(merchantID, data string) error
	InsertBlockJob(j *Job) error
	UpdateBlockJob(j *Job) error
	InsertBlockPart(p *Part) error
	DeleteBlockPart(merchantID, jobID string, number int) error
	InsertIssuer(i *Issuer) error
	UpdateIssuer(i *Issuer) error
	DeleteIssuer(id string) error
}

// Reader reads the rows that risk needs.
type Reader interface {
	account.Reader
	method.Reader
	routing.ConfigReader
	ListReader
	change.GuardReader
	change.DeclineReader
	CardToken(merchantID, token string) (*payment.CardToken, error)
}

// Tx reads and writes the rows that risk needs.
type Tx interface {
	Reader
	account.Tx
	method.Tx
	routing.ConfigTx
	ListTx
}

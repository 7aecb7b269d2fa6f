package idempotency

import (
	"strings"
	"time"

	"payswitch/engine/port"
)

// Store is the part of a store that Keys needs.
type Store = port.StoreOf[Reader, Tx]

// Reader reads the records of Idempotency-Keys.
type Reader interface {
	// Now returns the database's time, in whole milliseconds UTC. It stays the same throughout the transaction.
	Now() time.Time
	Idempotency(merchantID, key string) (*Record, error)
}

// Tx writes the records of Idempotency-Keys.
type Tx interface {
	Reader
	InsertIdempotency(r *Record) error // fault.ErrConflict if the key has a record
	FinishIdempotency(r *Record) error // fault.ErrConflict if the record has another owner, or an answer
	DeleteIdempotency(merchantID, key string) error
}

// Record is the stored answer to a request with an Idempotency-Key.
type Record struct {
	MerchantID  string
	Key         string
	RequestHash []byte // the vault's keyed hash of method, path and body
	// Status is the HTTP status of the answer, or 0 while the first request runs.
	Status  int
	Body    []byte // sealed
	Headers []byte // sealed; a JSON object of the headers to repeat
	// Owner is the request's token, "@", and the name of the node that answers the request.
	Owner     string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// token returns the request's token, which all its repeats share.
func (r *Record) token() string {
	token, _, _ := strings.Cut(r.Owner, "@")
	return token
}

package staff

import (
	"time"

	"payswitch/engine/port"
)

// Store is the part of a store that staff needs.
type Store = port.StoreOf[Reader, Tx]

// State is whether a user may log in.
type State string

// The states.
const (
	Invited  State = "invited" // has a link, and no password yet
	Active   State = "active"
	Disabled State = "disabled"
)

// User is a person who may enter the dashboard. Rows stay for good, because the audit names them.
type User struct {
	ID        string // user_…
	EmailHash []byte // keyed hash of the address in lower case
	State     State
	Details   UserDetails
	Sealed    []byte // Private
	CreatedAt time.Time
	// ModifiedAt is the time of the last change by a person.
	ModifiedAt time.Time
	Version    int64
	Private    Private
}

// UserDetails is stored in clear. The signature of the row covers it.
type UserDetails struct {
	Grants   []Grant `json:"grants,omitempty"`
	TOTPStep int64   `json:"totp_step,omitempty"` // time step of the last code; codes of this step and before are used up
	TimeZone string  `json:"time_zone,omitempty"`
	Theme    string  `json:"theme,omitempty"`
	// LinkBy is the user who made the last link to a password, "" for a command on the host. LinkAt is when.
	LinkBy string    `json:"link_by,omitempty"`
	LinkAt time.Time `json:"link_at,omitzero"`
}

// Login is one browser that a user has logged in with, or is about to.
type Login struct {
	ID        string // sess_…
	UserID    string
	Hash      []byte // of the token in the browser's cookie
	Details   LoginDetails
	CreatedAt time.Time
	SeenAt    time.Time // the last request, to the minute
	EndsAt    time.Time
}

// LoginDetails is stored in clear. The signature of the row covers it.
type LoginDetails struct {
	Stage          Stage     `json:"stage"`
	Factors        []Factor  `json:"factors,omitempty"`
	SecondFactorAt time.Time `json:"second_factor_at"`
	Browser        string    `json:"browser,omitempty"`
	Address        string    `json:"address,omitempty"`
}

// Once is a thing that can be used one time: a link, or the challenge of a passkey.
type Once struct {
	Hash      []byte // of the text in the link or the cookie
	Kind      OnceKind
	UserID    string // "": no user yet
	Data      string
	CreatedAt time.Time
	EndsAt    time.Time
}

// Tries counts attempts under a key: a user's failures, or what an address has left of its tokens.
type Tries struct {
	Key   []byte
	Level int64
	At    time.Time
	Until time.Time // the lock ends; zero: no lock
}

// Entry is a line of the audit. No call changes or removes one.
type Entry struct {
	ID         string // aud_…
	At         time.Time
	UserID     string // "": a command on the host
	SessionID  string
	Action     string
	MerchantID string // "": the installation
	Target     string
	Details    map[string]string
	Chain      string // hash of the line and of Chain of the line before it; "" for a line that is older than the chain
}

// Chain is where the chain of the audit ends.
type Chain struct {
	Lines int64  // that the chain has
	Hash  string // Chain of the latest line
}

// EntryFilter selects lines of the audit. Empty fields select all.
type EntryFilter struct {
	MerchantID string
	UserID     string
	Before     string // lines that were written before the one with this id
	After      string // lines that were written after the one with this id
	Oldest     bool   // the oldest line first
	Limit      int
}

// Reader reads the rows of staff. A missing row is fault.ErrNotFound.
type Reader interface {
	StaffUser(id string) (*User, error)
	StaffUserByEmail(hash []byte) (*User, error)
	// StaffUsers lists users by id, those after the given one.
	StaffUsers(after string, limit int) ([]*User, error)
	StaffLogin(hash []byte) (*Login, error)
	// StaffLoginsOf lists a user's logins, the latest first.
	StaffLoginsOf(userID string) ([]*Login, error)
	StaffOnce(hash []byte) (*Once, error)
	StaffTries(key []byte) (*Tries, error)
	// StaffEntries lists the audit, the latest line first.
	StaffEntries(f EntryFilter) ([]*Entry, error)
	// StaffChain reads where the chain ends. In a transaction that writes it locks the row.
	StaffChain() (*Chain, error)
}

// Tx reads and writes the rows of staff.
type Tx interface {
	Reader
	// InsertStaffUser returns fault.ErrConflict if the id or the address exists.
	InsertStaffUser(u *User) error
	// UpdateStaffUser compares and raises Version. It leaves EmailHash and CreatedAt as they were.
	UpdateStaffUser(u *User) error
	InsertStaffLogin(l *Login) error
	// SeeStaffLogin writes SeenAt alone.
	SeeStaffLogin(hash []byte, at time.Time) error
	DeleteStaffLogin(hash []byte) error
	// DeleteStaffLoginsOf ends a user's logins but the one with the hash keep, and returns their number.
	DeleteStaffLoginsOf(userID string, keep []byte) (int, error)
	InsertStaffOnce(o *Once) error
	// DeleteStaffOnce returns fault.ErrNotFound if the row is gone, so that of two uses one alone succeeds.
	DeleteStaffOnce(hash []byte) error
	// DeleteStaffOncesOf removes what was issued to a user.
	DeleteStaffOncesOf(userID string) error
	// EnsureStaffTries makes an empty row for a key that has none. StaffTries in the same transaction then locks the row, so that two nodes count
	// one after the other.
	EnsureStaffTries(key []byte, at time.Time) error
	PutStaffTries(t *Tries) error
	DeleteStaffTries(key []byte) error
	InsertStaffEntry(e *Entry) error
	// EnsureStaffChain inserts the end of an empty chain, unless the chain has an end already.
	EnsureStaffChain() error
	PutStaffChain(c *Chain) error
	// DeleteStaffEnded removes logins and one-time things that ended before at, and tries without a lock that are older, up to limit rows of each
	// kind. It returns their number.
	DeleteStaffEnded(at time.Time, limit int) (int, error)
}

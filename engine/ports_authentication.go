package engine

import (
	"time"
)

type authenticationReader interface {
	// Authentication reads one by its id, which is unique over all merchants; in an Update the row stays locked until the end of the
	// transaction.
	Authentication(id string) (*Authentication, error)
	// Authentications of a payment, oldest first.
	Authentications(merchantID, paymentID string) ([]*Authentication, error)
	// AuthenticationsAt are those at an authenticator's connector account with its id of the transaction (threeDSServerTransID), the newest
	// first; "" finds none.
	AuthenticationsAt(merchantID, accountID, serverTransID string) ([]*Authentication, error)
}

type authenticationTx interface {
	InsertAuthentication(a *Authentication) error
	// UpdateAuthentication leaves ids, Owner and LeaseUntil as they were.
	UpdateAuthentication(a *Authentication) error
	// ClaimAuthentications takes up to limit whose DueAt has come by Now and that nobody's lease holds: they get owner and the lease's
	// end, and are returned as they are then.
	ClaimAuthentications(owner string, until time.Time, limit int) ([]*Authentication, error)
	// LeaseAuthentication takes the lease of one where nobody else holds it; false where somebody does.
	LeaseAuthentication(id, owner string, until time.Time) (bool, error)
	// ReleaseAuthentication gives owner's lease back; nothing happens where owner does not hold it.
	ReleaseAuthentication(id, owner string) error
}

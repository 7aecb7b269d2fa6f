package webhook

import (
	"context"
	"net/http"
	"time"

	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/secret"
)

// State is the state of a delivery.
type State string

const (
	Open      State = "open"      // to be sent, now or later
	Delivered State = "delivered" // the endpoint answered 2xx
	GivenUp   State = "given_up"  // no answer 2xx within the time for retries
)

// Delivery is one event on its way to one endpoint. The store never removes an open one.
type Delivery struct {
	MerchantID string
	EventID    string
	EndpointID string // an Endpoint.ID, or the id of a profile: its webhook_url
	ProfileID  string
	PaymentID  string
	ObjectID   string
	Number     int // payment.Event.Number
	Class      string
	Type       string
	CreatedAt  time.Time // of the event

	State State
	Tries int // automatic ones
	// DueAt is when the next try is due. It is zero for a delivery that has ended, and for one that waits for an earlier one of its payment. Under a
	// lease it is the lease's end.
	DueAt   time.Time
	Owner   string // the node that has the lease
	EndedAt time.Time
	FirstID string // the id of the first attempt, "" before it
}

// Attempt is one request to an endpoint.
type Attempt struct {
	MerchantID string
	EventID    string
	EndpointID string
	ID         string
	Kind       AttemptKind
	At         time.Time
	Took       time.Duration
	Status     int    // HTTP status; 0 without an answer
	Failure    string // why there is no answer 2xx, in words; "" for a success
	Sealed     []byte // of Answer; nil if the answer is empty
	Answer     *Answer
}

// AttemptKind says why an attempt was made. Its constants are stored, and the API's values.
type AttemptKind string

const (
	InitialAttempt AttemptKind = "initial_attempt"
	AutomaticRetry AttemptKind = "automatic_retry"
	ManualRetry    AttemptKind = "manual_retry"
)

// Answer is what an endpoint answered: shortened, without card numbers.
type Answer struct {
	Body    string      `json:"body,omitempty"`
	Headers [][2]string `json:"headers,omitempty"`
}

// Endpoint is a URL of a merchant that gets events of a profile.
type Endpoint struct {
	ID          string // we_…
	MerchantID  string
	ProfileID   string
	URL         string
	Description string
	Types       []string // the event types that it gets; empty: all
	Disabled    bool     // gets no new events; those that are under way stay
	Sealed      []byte   // of Secrets
	Secrets     []Secret // newest first; nil until opened
	CreatedAt   time.Time
	ModifiedAt  time.Time
	Version     int64
}

// Secret is a signing secret of an endpoint.
type Secret struct {
	Key   secret.Value // whsec_…
	Until time.Time    // the end of its overlap with the next secret; zero for the newest
}

// Waiting is an event that has no deliveries yet. Its Body is nil, and its signature is not checked: that is done when the event is sent.
type Waiting struct {
	Row int64 // names the event to FanOut
	*payment.Event
}

// Backlog is what an endpoint has not received yet.
type Backlog struct {
	EndpointID string
	MerchantID string
	Oldest     time.Time // when its oldest event happened
	Due        time.Time // when its next try is due; zero without one
}

// Failing is an endpoint that has not answered for some time. All nodes share what the store says of it.
type Failing struct {
	EndpointID string
	MerchantID string
	Since      time.Time // the first failure
}

// Filter selects deliveries. Empty fields select all.
type Filter struct {
	ProfileID     string
	ObjectID      string
	EventID       string
	Classes       []string
	Types         []string
	Delivered     *bool
	After, Before time.Time // by the event's time, both inclusive
	Limit, Offset int
}

// Reader reads events and their deliveries. Returned rows are copies; their sealed parts stay sealed.
type Reader interface {
	// Now returns the database's time.
	Now() time.Time
	Event(merchantID, objectID, id string) (*payment.Event, error)
	// WaitingEvents returns events without deliveries, in the order of their commits where one payment is concerned.
	WaitingEvents(limit int) ([]Waiting, error)
	Endpoint(merchantID, id string) (*Endpoint, error)
	// Endpoints returns the endpoints of a profile by creation; profileID "" means all profiles.
	Endpoints(merchantID, profileID string) ([]*Endpoint, error)
	// Backlogs returns every endpoint with open deliveries.
	Backlogs() ([]Backlog, error)
	// DueEndpoints returns every endpoint with a delivery that is due.
	DueEndpoints() ([]Backlog, error)
	// FailingEndpoints returns every endpoint whose failures are noted.
	FailingEndpoints() ([]Failing, error)
	// OldestOpen returns the time of the oldest event that an endpoint has not received, zero if it has received all.
	OldestOpen(endpointID string) (time.Time, error)
	// DeliveriesOf returns the deliveries of an event, by endpoint.
	DeliveriesOf(merchantID, eventID string) ([]*Delivery, error)
	// Deliveries lists deliveries, newest first; total counts all that pass the filter.
	Deliveries(merchantID string, f Filter) (list []*Delivery, total int, err error)
	// DeliveryAttempts returns the attempts of an event, oldest first.
	DeliveryAttempts(merchantID, eventID string) ([]*Attempt, error)
}

// Tx writes deliveries.
type Tx interface {
	Reader
	InsertEndpoint(e *Endpoint) error
	// UpdateEndpoint leaves the profile and CreatedAt as they were.
	UpdateEndpoint(e *Endpoint) error
	// DeleteEndpoint gives up the endpoint's open deliveries later, when they are due.
	DeleteEndpoint(merchantID, id string) error
	// FanOut gives a waiting event its deliveries. It does nothing if the event waits no more. A delivery is due at once, unless an earlier one of
	// the payment to the endpoint is open.
	FanOut(row int64, list []*Delivery) error
	// ClaimDeliveries takes up to limit deliveries to an endpoint that are due, those first that are due longest. They get owner and the lease end.
	ClaimDeliveries(endpointID, owner string, until time.Time, limit int) ([]*Delivery, error)
	// BookDelivery writes State, Tries, DueAt, EndedAt and FirstID, and ends the lease. It returns false if the delivery is no longer under the lease
	// of owner that ends at lease, or has ended: it then writes FirstID alone, if the row has none. When a delivery has ended, the payment's next one to
	// the endpoint is due at once.
	BookDelivery(d *Delivery, owner string, lease time.Time) (bool, error)
	// ConcludeDelivery books a success by hand, whatever the state and the lease are, and makes the next one of the payment due.
	ConcludeDelivery(d *Delivery) error
	InsertDeliveryAttempt(a *Attempt) error
	// RecallDeliveries makes retries to an endpoint due now, at most limit, the earliest first.
	RecallDeliveries(endpointID string, limit int) (int, error)
	// ExpireDeliveries gives up open deliveries to an endpoint of events from before a time, at most limit. It leaves those under a lease.
	ExpireDeliveries(endpointID string, before time.Time, limit int) (int, error)
	// ReleaseDeliveries ends the leases of owner, whose process must have ended, and returns their number.
	ReleaseDeliveries(owner string) (int, error)
	// NoteFailing notes the failures of an endpoint. An earlier beginning that is noted stays.
	NoteFailing(f Failing) error
	// DeleteFailing removes the note of an endpoint, if there is one.
	DeleteFailing(endpointID string) error
	// TakeAlarm notes an alarm about an endpoint that has been failing since before or earlier. It returns false if the endpoint has not failed for
	// so long, or if another node has taken the alarm after before.
	TakeAlarm(endpointID string, before time.Time) (bool, error)
	// DeleteEvents removes events from before a time, with their deliveries and attempts: those that an endpoint did not take if undelivered is true,
	// else all others. It looks at no more than limit events, the oldest behind a row (0: all), and keeps an event that waits or has an open delivery. It
	// returns the last row that it has looked at; 0 if it has seen a row that is not from before that time or no further row. It also returns how many events it removed.
	DeleteEvents(undelivered bool, before time.Time, behind int64, limit int) (last int64, removed int, err error)
	// DeleteAttempts removes attempts from before a time, at most limit, the oldest first. It returns how many it removed.
	DeleteAttempts(before time.Time, limit int) (int, error)
}

// Store is the part of a store that deliveries need.
type Store = port.StoreOf[Reader, Tx]

// Sender posts to endpoints. It follows no redirect, reaches no private address that the operator has not allowed, and ends with its own time
// limit whatever the endpoint does. Implementations are safe for concurrent use.
type Sender interface {
	Post(ctx context.Context, url string, header http.Header, body []byte) Reply
	// Allows returns why the URL can never be posted to, nil if it can.
	Allows(url string) error
}

// Reply is the result of a request.
type Reply struct {
	Status  int         // 0 without an answer
	Headers [][2]string // by name
	Body    []byte      // its first bytes
	// Failure says why there is no answer, "" with one. Class is its class for metrics: timeout, connect, tls, address, reset.
	Failure string
	Class   string
}

package paylink

import (
	"encoding/base64"
	"encoding/json"
	"time"

	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// Kind says what a link is for.
type Kind string

const (
	ForPayment Kind = "payment" // the payer pays one payment
	ForCollect Kind = "collect" // a customer saves a card
)

// Status is the state of a collect link. A payment link has none: its payment has the state.
type Status string

const (
	Initiated   Status = "initiated"
	Submitted   Status = "submitted"
	Invalidated Status = "invalidated"
)

// Link is the record of a hosted page. MerchantID, Kind and ID are the key. Only Status changes after the insert.
type Link struct {
	MerchantID string
	Kind       Kind
	ID         string // plink_… or pm_collect_link_…
	ProfileID  string // "" for a collect link
	Subject    string // the payment's id, or the customer's id
	Status     Status // "" for a payment link
	CreatedAt  time.Time
	ExpiresAt  time.Time // from this instant on, the page shows no form
	Version    int64
	Details    Details
}

// Details are the other fields of a link, as they were when it was made. The json names are storage format.
type Details struct {
	URL       string `json:"url"`
	SecureURL string `json:"secure_url,omitempty"` // for frames; "" without allowed domains
	// Amount is the order amount in minor units; 0 for a collect link.
	Amount      int64        `json:"amount,omitempty"`
	Currency    sdk.Currency `json:"currency,omitempty"`
	Description string       `json:"description,omitempty"`
	ReturnURL   string       `json:"return_url,omitempty"` // of a collect link
	Config      Config       `json:"config,omitzero"`
	// Methods are the payment methods that a collect link takes, as the API shows them.
	Methods json.RawMessage `json:"methods,omitempty"`
}

// Expired reports whether the link has ended at now.
func (l *Link) Expired(now time.Time) bool { return !now.Before(l.ExpiresAt) }

// OffersSaved reports whether the page for frames offers the customer's saved cards.
func (l *Link) OffersSaved() bool { return l.Details.Config.SavedMethods && l.Details.SecureURL != "" }

// SavedKey returns the proof in the address of a page for frames that offers saved cards. hash is the vault's keyed hash. Mails and pictures show the
// address of the open page, and the address for frames follows from it. So only the proof, which the merchant alone gets, shows that the merchant's
// own page has framed the link for its customer.
func SavedKey(hash func(purpose string, data []byte) []byte, merchantID, id string) string {
	return base64.RawURLEncoding.EncodeToString(hash("saved cards of a payment link", []byte(merchantID+"\x00"+id))[:18])
}

// SecureURL returns the address of a page for frames as the merchant gets it: with the proof if the page offers saved cards.
func SecureURL(hash func(purpose string, data []byte) []byte, merchantID string, ref *payment.LinkRef) string {
	if ref.SecureURL == "" || !ref.Saved {
		return ref.SecureURL
	}
	return ref.SecureURL + "&key=" + SavedKey(hash, merchantID, ref.ID)
}

// Filter selects links of a list by creation. A zero time does not filter; a Limit of 0 means MaxListed.
type Filter struct {
	Limit                                                 int
	Created, CreatedLT, CreatedGT, CreatedLTE, CreatedGTE time.Time
}

// MaxListed is the largest number of links that one list has. The API names no bound, and a list must not fill the memory.
const MaxListed = 10_000

// Store is the part of a store that links need.
type Store = port.StoreOf[Reader, Tx]

// Reader reads links. A method returns ErrNotFound for links of other merchants.
type Reader interface {
	Now() time.Time
	Link(merchantID string, kind Kind, id string) (*Link, error)
	// Links lists a merchant's links of a kind, newest first. profileID "" means all profiles.
	Links(merchantID, profileID string, kind Kind, f Filter) ([]*Link, error)
}

// Tx reads and writes links.
type Tx interface {
	Reader
	InsertLink(l *Link) error
	// UpdateLinkStatus writes Status and Details, by compare-and-set on Version.
	UpdateLinkStatus(l *Link) error
}

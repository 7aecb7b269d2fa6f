package paylink

import (
	"encoding/json"
	"net/url"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// New makes the link of a payment that is being created, and names it in the payment. publicURL is the switch's own, without a trailing slash.
func New(p *payment.Payment, profile *account.Profile, publicURL string, in *request.Input) (*Link, error) {
	config, err := Merge(account.DetailsOf(profile.Details)["payment_link_config"], in.LinkConfig, in.LinkConfigID)
	if err != nil {
		return nil, fault.Internal(err, "read payment_link_config")
	}
	base, locale := publicURL, in.Locale
	if config.Domain != "" {
		base = "https://" + config.Domain
	}
	if locale == "" {
		locale = "en"
	}
	of := url.PathEscape(p.MerchantID) + "/" + url.PathEscape(p.ID)
	l := &Link{MerchantID: p.MerchantID, Kind: ForPayment, ID: "plink_" + ids.Random(20), ProfileID: p.ProfileID, Subject: p.ID, CreatedAt: p.CreatedAt,
		ExpiresAt: p.ExpiresAt, Details: Details{URL: base + "/payment_link/" + of + "?locale=" + url.QueryEscape(locale), Amount: p.Amount,
			Currency: p.Currency, Description: p.Details.Description, Config: config}}
	if config.AllowedDomains != nil {
		l.Details.SecureURL = base + "/payment_link/s/" + of + "?locale=" + url.QueryEscape(locale)
	}
	p.Details.Link = &payment.LinkRef{ID: l.ID, URL: l.Details.URL, SecureURL: l.Details.SecureURL, Saved: l.OffersSaved()}
	if !config.SkipStatus {
		p.Details.Link.StatusURL = base + "/payment_link/status/" + of
	}
	return l, nil
}

// Collect is a request for a collect link.
type Collect struct {
	ID            string // "": payswitch makes one
	CustomerID    string
	ExpirySeconds *int64 // nil: 900
	ReturnURL     string
	Config        Config          // logo, seller name and theme; "" for the account's
	Methods       json.RawMessage // enabled_payment_methods; nil for the account's
}

// Expiry returns how long the link lives.
func (c *Collect) Expiry() time.Duration {
	if c.ExpirySeconds == nil {
		return defaultExpiry
	}
	return time.Duration(*c.ExpirySeconds) * time.Second
}

const defaultExpiry = 900 * time.Second

// MaxID is the longest id of a collect link that a merchant may choose.
const MaxID = 64

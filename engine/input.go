package engine

import (
	"encoding/json"
	"time"

	"payswitch/sdk"
)

// PaymentInput is a create, update or confirm request, decoded and well-formed: types, closed lists, URL, e-mail and card number
// forms are the router's to check. nil and "" mean not given (an explicit null is the same).
type PaymentInput struct {
	PaymentID    string // chosen by the caller, create only
	ClientSecret string // confirm with the publishable key
	ProfileID    string

	Amount             *int64
	Currency           sdk.Currency
	Confirm            *bool
	CaptureMethod      string
	AmountToCapture    *int64
	AuthenticationType string
	External3DS        *bool // request_external_three_ds_authentication
	ReturnURL          string
	SetupFutureUsage   string
	OffSession         *bool
	PaymentType        string
	SessionExpiry      *int64
	ShippingCost       *int64
	OrderTaxAmount     *int64
	SurchargeAmount    int64

	CustomerID string
	// Top level and in customer: the same attribute twice with different values is refused.
	Email, Name, Phone, PhoneCountryCode string
	Customer                             *CustomerInput

	Description      string
	DescriptorName   string
	DescriptorSuffix string
	OrderReference   string
	Metadata         json.RawMessage
	Routing          *Routing

	PaymentMethod     string
	PaymentMethodType string
	Card              *CardInput // payment_method_data.card
	// HasMethodData is true when payment_method_data was sent with an instrument in it.
	HasMethodData bool
	MethodBilling *Contact // payment_method_data.billing
	PaymentToken  string
	CardCVC       Secret
	CardHolder    string // payment_method_data.card_token.card_holder_name
	Recurring     *Recurring
	MandateID     string
	MandateData   *MandateInput
	Acceptance    *Acceptance
	ThreeDS       *ThreeDSInput // three_ds_data

	Billing  *Contact
	Shipping *Contact
	Browser  *sdk.Browser

	Lines []sdk.Line
	// Sent names the request's top-level fields that are not null, also those without effect. nil where the request did not come as JSON.
	Sent []string
	// Echo are the fields kept and shown as they came.
	Echo map[string]json.RawMessage
}

// CustomerInput is the customer of a payment as given with it.
type CustomerInput struct {
	ID               string `json:"id,omitempty"`
	Name             string `json:"name,omitempty"`
	Email            string `json:"email,omitempty"`
	Phone            string `json:"phone,omitempty"`
	PhoneCountryCode string `json:"phone_country_code,omitempty"`
}

// Contact is a billing or shipping address with phone and e-mail; nil parts were not given.
type Contact struct {
	Address *ContactAddress `json:"address,omitempty"`
	Phone   *ContactPhone   `json:"phone,omitempty"`
	Email   string          `json:"email,omitempty"`
}

// ContactAddress is a postal address; "" means not given.
type ContactAddress struct {
	City      string `json:"city,omitempty"`
	Country   string `json:"country,omitempty"`
	Line1     string `json:"line1,omitempty"`
	Line2     string `json:"line2,omitempty"`
	Line3     string `json:"line3,omitempty"`
	Zip       string `json:"zip,omitempty"`
	State     string `json:"state,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	OriginZip string `json:"origin_zip,omitempty"`
}

// ContactPhone is a telephone number.
type ContactPhone struct {
	Number      string `json:"number,omitempty"`
	CountryCode string `json:"country_code,omitempty"`
}

// Routing is the routing field of a payment or a profile's rule.
type Routing struct {
	Type    string          `json:"type"` // single, priority, volume_split
	Choices []RoutingChoice `json:"choices"`
}

// RoutingChoice is one connector, perhaps one account of it.
type RoutingChoice struct {
	Connector string `json:"connector"`
	AccountID string `json:"account_id,omitempty"`
	Split     int    `json:"split,omitempty"`
}

// Recurring is recurring_details: a credential of an earlier payment to charge. Which fields are set depends on Type.
type Recurring struct {
	Type string
	// ID of payment_method_id and mandate_id.
	ID string
	// ProcessorToken and AccountID of processor_payment_token; AccountID "" leaves the choice of the account to the routing.
	ProcessorToken string
	AccountID      string
	// Card without CVC and NetworkTransactionID of network_transaction_id_and_card_details; Card of card_with_limited_data, whose
	// expiry may be missing.
	Card                 *CardInput
	NetworkTransactionID string
}

// The types of recurring_details that the engine tells apart.
const (
	recurringMethod         = "payment_method_id"
	recurringMandate        = "mandate_id"
	recurringProcessorToken = "processor_payment_token"
	recurringNetworkCard    = "network_transaction_id_and_card_details"
	recurringLimitedCard    = "card_with_limited_data"
)

// MandateInput is mandate_data.
type MandateInput struct {
	Acceptance *Acceptance // nil when it was sent beside, as customer_acceptance
	Terms      MandateTerms
}

// Acceptance is customer_acceptance.
type Acceptance struct {
	Type       string     `json:"type"` // online, offline
	AcceptedAt *time.Time `json:"accepted_at,omitempty"`
	IP         string     `json:"ip,omitempty"`
	UserAgent  string     `json:"user_agent,omitempty"`
	Online     bool       `json:"online,omitempty"` // the online object was there
}

// ThreeDSInput is an authentication result brought by the merchant (three_ds_data).
type ThreeDSInput struct {
	CAVV          Secret
	ECI           string
	DSTransID     string
	Version       string
	TransStatus   string
	Exemption     string // low_value, transaction_risk_assessment … (three_ds_data.exemption_indicator), "" for none
	CAVVAlgorithm string
}

// CaptureInput is a capture request.
type CaptureInput struct {
	Amount           *int64
	DescriptorName   string
	DescriptorSuffix string
}

// RetrieveInput is how a payment is read.
type RetrieveInput struct {
	ForceSync    bool
	ClientSecret string // with the publishable key
	// HasClientSecret is true when client_secret was sent at all: forbidden with a secret key.
	HasClientSecret bool
	Attempts        bool // expand_attempts
	Captures        bool // expand_captures
}

// ListInput filters the list of payments. Zero values do not filter.
type ListInput struct {
	CustomerID                                   string
	StartingAfter, EndingBefore                  string
	Limit                                        int // 1–100; 0 means 10
	Created                                      time.Time
	CreatedLT, CreatedGT, CreatedLTE, CreatedGTE time.Time
}

// ReturnInput is what the customer's browser brought to one of our return URLs.
type ReturnInput struct {
	PaymentID  string
	MerchantID string
	Connector  string
	Token      string // of the URL; without the right one there is no such payment
	Return     sdk.Return
	// Complete is true for /redirect/complete, false for /redirect/response (sync only).
	Complete bool
}

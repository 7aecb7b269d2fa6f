package request

import (
	"encoding/json"
	"time"

	"payswitch/engine/card"
	"payswitch/engine/contact"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// Input is a create, update or confirm request that the router has decoded. The router has checked types, closed lists, and the forms
// of URLs, e-mail addresses and card numbers. nil and "" mean that the caller sent no value or null.
type Input struct {
	PaymentID    string // chosen by the caller; create only
	ClientSecret string // confirm with the publishable key
	ProfileID    string

	Amount             *int64
	Currency           sdk.Currency
	Confirm            *bool
	CaptureMethod      payment.CaptureMethod
	AmountToCapture    *int64
	AuthenticationType payment.AuthenticationType
	External3DS        *bool // request_external_three_ds_authentication
	ReturnURL          string
	SetupFutureUsage   sdk.CredentialUsage
	OffSession         *bool
	PaymentType        string
	SessionExpiry      *int64
	ShippingCost       *int64
	OrderTaxAmount     *int64
	SurchargeAmount    int64
	NamesSurcharge     bool // surcharge_details was sent: SurchargeAmount counts even as zero

	CustomerID string
	// checkCustomer refuses these attributes if Customer has another value for one of them.
	Email, Name, Phone, PhoneCountryCode string
	Customer                             *contact.Customer

	Description      string
	DescriptorName   string
	DescriptorSuffix string
	OrderReference   string
	Metadata         json.RawMessage
	Routing          *routed.Preference

	PaymentMethod     string
	PaymentMethodType string
	Card              *card.Input // payment_method_data.card
	// HasMethodData is true if the caller sent payment_method_data with an instrument in it.
	HasMethodData bool
	MethodBilling *contact.Contact // payment_method_data.billing
	PaymentToken  string
	CardCVC       secret.Value
	CardHolder    string // payment_method_data.card_token.card_holder_name
	Recurring     *Recurring
	MandateID     string
	MandateData   *MandateInput
	Acceptance    *payment.Acceptance
	ThreeDS       *ThreeDSInput // three_ds_data

	Billing  *contact.Contact
	Shipping *contact.Contact
	Browser  *contact.Browser
	CallerIP string // the address that the request came from
	// Shown is the amount that a page of payswitch has shown the payer; nil without such a page. A confirm charges no other amount.
	Shown *sdk.Money

	MITCategory       sdk.MITCategory
	Partner           *sdk.Partner
	SCAExemption      sdk.Exemption // psd2_sca_exemption_type
	StoredCredential  *bool         // is_stored_credential
	IFrameRedirect    *bool         // is_iframe_redirection_enabled
	Force3DSChallenge *bool
	Incremental       *bool   // request_incremental_authorization
	Extended          *bool   // request_extended_authorization
	Partial           *bool   // enable_partial_authorization
	Overcapture       *bool   // enable_overcapture; a confirm does not read it
	RiskAccepted      *bool   // frm_metadata.risk_accepted: see RiskAccepted
	BusinessCountry   string  // business_country
	BusinessLabel     string  // business_label
	SkipTax           *bool   // skip_external_tax_calculation
	ProfileAcquirerID *string // the profile's acquirer that the payment names; "" takes an earlier name back

	Plans       []Plans      // installment_options; nil if they were not sent
	Installment *Installment // installment_data: the payer's choice; a confirm alone reads it

	PaymentLink  *bool           // payment_link: make a hosted page; create only
	LinkConfig   json.RawMessage // payment_link_config, checked
	LinkConfigID string
	Locale       string // of the request; it goes into the link alone

	Lines []sdk.Line
	// Sent names the top-level fields of the request that are not null, including fields without effect. It is nil if the request did not
	// come as JSON.
	Sent []string
	// Echo holds the fields that payswitch stores and shows as the caller sent them.
	Echo map[string]json.RawMessage
}

// Apply copies the fields that the request sent into the payment. Fields that the request left out keep their value.
func (in *Input) Apply(p *payment.Payment) {
	d, v := &p.Details, p.Private
	if in.Amount != nil {
		p.Amount = *in.Amount
	}
	if in.Currency != "" {
		p.Currency = in.Currency
	}
	optional.SetText(&d.CaptureMethod, in.CaptureMethod)
	optional.SetText(&d.AuthenticationType, in.AuthenticationType)
	optional.SetText(&d.SetupFutureUsage, in.SetupFutureUsage)
	optional.SetText(&d.PaymentType, in.PaymentType)
	optional.SetText(&d.Description, in.Description)
	optional.SetText(&d.DescriptorName, in.DescriptorName)
	optional.SetText(&d.DescriptorSuffix, in.DescriptorSuffix)
	optional.SetText(&d.ReturnURL, in.ReturnURL)
	optional.SetText(&d.OrderReference, in.OrderReference)
	in.clear(d)
	optional.Set(&d.OffSession, in.OffSession)
	optional.Set(&d.AmountToCapture, in.AmountToCapture)
	optional.Set(&d.ShippingCost, in.ShippingCost)
	optional.Set(&d.OrderTaxAmount, in.OrderTaxAmount)
	d.DropRuledSurcharge() // the confirm asks the rules again
	d.Installment = nil    // the payer chooses anew in each confirm
	if in.Plans != nil {
		d.Plans = plansOf(in.Plans)
	}
	if in.SurchargeAmount != 0 || in.NamesSurcharge {
		d.SurchargeAmount, d.SurchargeNamed = in.SurchargeAmount, true
	}
	if in.External3DS != nil {
		d.External3DS = *in.External3DS
	}
	if d.External3DS && d.AuthenticationType == "" {
		d.AuthenticationType = payment.AuthenticationThreeDS // the flag alone asks for 3-D Secure
	}
	if in.Metadata != nil {
		d.Metadata = in.Metadata
	}
	optional.Set(&d.Routing, in.Routing)
	optional.SetText(&d.BusinessCountry, in.BusinessCountry)
	optional.SetText(&d.BusinessLabel, in.BusinessLabel)
	optional.Set(&d.SkipTax, in.SkipTax)
	optional.SetText(&d.MITCategory, in.MITCategory)
	optional.Set(&d.Partner, in.Partner)
	optional.SetText(&d.SCAExemption, in.SCAExemption)
	optional.Set(&d.ProfileAcquirerID, in.ProfileAcquirerID)
	optional.Set(&d.StoredCredential, in.StoredCredential)
	optional.Set(&d.IFrameRedirect, in.IFrameRedirect)
	optional.Set(&d.Force3DSChallenge, in.Force3DSChallenge)
	optional.Set(&d.RiskAccepted, in.RiskAccepted)
	optional.Set(&d.Incremental, in.Incremental)
	optional.Set(&d.Extended, in.Extended)
	optional.Set(&d.Partial, in.Partial)
	for k, r := range in.Echo {
		if d.Echo == nil {
			d.Echo = map[string]json.RawMessage{}
		}
		d.Echo[k] = r
	}
	optional.Set(&v.Billing, in.Billing)
	optional.Set(&v.Shipping, in.Shipping)
	optional.Set(&v.Browser, in.Browser)
	optional.Set(&v.MethodBilling, in.MethodBilling)
	optional.Set(&v.Acceptance, in.Acceptance)
	if m := in.MandateData; m != nil {
		optional.Set(&v.Acceptance, m.Acceptance)
		d.Mandate = &m.Terms
	}
	in.applyCustomer(p)
	p.NetAmount = p.Amount + valueOf(d.ShippingCost) + valueOf(d.OrderTaxAmount) + d.SurchargeAmount
}

// clear removes the texts of the payment that the request sent empty.
func (in *Input) clear(d *payment.Details) {
	for _, name := range in.Sent {
		switch {
		case name == "description" && in.Description == "":
			d.Description = ""
		case name == "statement_descriptor_name" && in.DescriptorName == "":
			d.DescriptorName = ""
		case name == "statement_descriptor_suffix" && in.DescriptorSuffix == "":
			d.DescriptorSuffix = ""
		case name == "merchant_order_reference_id" && in.OrderReference == "":
			d.OrderReference = ""
		}
	}
}

func (in *Input) applyCustomer(p *payment.Payment) {
	id := in.CustomerID
	c := contact.Customer{Name: in.Name, Email: in.Email, Phone: in.Phone, PhoneCountryCode: in.PhoneCountryCode}
	if in.Customer != nil {
		optional.SetText(&id, in.Customer.ID)
		optional.SetText(&c.Name, in.Customer.Name)
		optional.SetText(&c.Email, in.Customer.Email)
		optional.SetText(&c.Phone, in.Customer.Phone)
		optional.SetText(&c.PhoneCountryCode, in.Customer.PhoneCountryCode)
	}
	optional.SetText(&p.CustomerID, id)
	if c == (contact.Customer{}) && id == "" {
		return
	}
	var out contact.Customer
	if p.Private.Customer != nil {
		out = *p.Private.Customer
	}
	out.ID = p.CustomerID
	optional.SetText(&out.Name, c.Name)
	optional.SetText(&out.Email, c.Email)
	optional.SetText(&out.Phone, c.Phone)
	optional.SetText(&out.PhoneCountryCode, c.PhoneCountryCode)
	p.Private.Customer = &out
}

func valueOf(v *int64) int64 {
	if v == nil {
		return 0
	}
	return *v
}

// Recurring is recurring_details: it names a credential of an earlier payment to charge. Type decides which fields are set.
type Recurring struct {
	Type RecurringType
	// ID is set with payment_method_id and mandate_id.
	ID string
	// ProcessorToken and AccountID are set with processor_payment_token. An AccountID of "" leaves the choice of the account to the routing.
	ProcessorToken string
	AccountID      string
	// Card and NetworkTransactionID are set with network_transaction_id_and_card_details; the card has no CVC. Card alone is set with
	// card_with_limited_data; its expiry may be missing.
	Card                 *card.Input
	NetworkTransactionID string
}

// RecurringType is the type of recurring_details. Its constants are those that the engine distinguishes.
type RecurringType string

const (
	RecurringMethod         RecurringType = "payment_method_id"
	RecurringMandate        RecurringType = "mandate_id"
	RecurringProcessorToken RecurringType = "processor_payment_token"
	RecurringNetworkCard    RecurringType = "network_transaction_id_and_card_details"
	RecurringLimitedCard    RecurringType = "card_with_limited_data"
)

// MandateInput is mandate_data.
type MandateInput struct {
	Acceptance *payment.Acceptance // nil if the caller sent customer_acceptance at top level
	Terms      payment.MandateTerms
}

// ThreeDSInput is an authentication result that the merchant brings (three_ds_data).
type ThreeDSInput struct {
	CAVV          secret.Value
	ECI           string
	DSTransID     string
	Version       string
	TransStatus   string
	Exemption     string // low_value, transaction_risk_assessment … (three_ds_data.exemption_indicator), "" for no exemption
	CAVVAlgorithm string
}

// MetadataInput adds to a payment's metadata.
type MetadataInput struct {
	Metadata        json.RawMessage // an object
	FeatureMetadata json.RawMessage // an object; nil if it was not sent
}

// CaptureInput is a capture request.
type CaptureInput struct {
	Amount           *int64
	DescriptorName   string
	DescriptorSuffix string
	// Most bounds the sum of all captures of the payment, with this one; nil sets no bound. It is the limit of the person who takes the money.
	Most *int64
}

// Within refuses an amount that goes beyond Most together with the attempt's earlier captures.
func (in *CaptureInput) Within(a *payment.Attempt, amount int64) error {
	if in.Most != nil && amount > *in.Most-a.Captured-a.Unsettled() {
		return ErrAboveMost
	}
	return nil
}

// IncrementInput is a request to raise the held amount.
type IncrementInput struct {
	Amount int64 // the new total
	Reason string
}

// RetrieveInput are the options of a request that reads a payment.
type RetrieveInput struct {
	ForceSync    bool
	ClientSecret string // with the publishable key
	// HasClientSecret is true if the request has a client_secret, even an empty one. A secret key forbids it.
	HasClientSecret bool
	Attempts        bool // expand_attempts
	Captures        bool // expand_captures
	Routing         bool // expand=routing
}

// ListInput are the filters for the list of payments. A zero value does not filter.
type ListInput struct {
	CustomerID                                   string
	StartingAfter, EndingBefore                  string
	Limit                                        int // 1–100; 0 means 10
	Created                                      time.Time
	CreatedLT, CreatedGT, CreatedLTE, CreatedGTE time.Time
}

// ReturnInput is the data that the customer's browser brings to one of our return URLs.
type ReturnInput struct {
	PaymentID  string
	MerchantID string
	Connector  string
	Token      string // token in the URL; without the right one the engine answers that the payment does not exist
	Return     sdk.Return
	// Complete is true for /redirect/complete, false for /redirect/response (sync only).
	Complete bool
}

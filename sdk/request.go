package sdk

// Request holds the data of an operation. The operation decides which parts are set:
//
//	authorize, verify      Amount, Capture, Instrument, StoredCredential, Customer, Billing, Shipping, Browser, URLs, ThreeDS …
//	complete               as authorize, and TransactionID, Payment, Return
//	capture, void          Amount (capture), TransactionID, Payment, FinalCapture (capture), VoidCaptured (void)
//	extend_authorization   Amount (the held amount), TransactionID, Payment
//	incremental_authorize  Amount (the new total), TransactionID, Payment
//	refund                 Amount, TransactionID, Payment, Reason
//	unreferenced_refund    Amount, Instrument (a card without CVC), Customer (its ID)
//	sync                   Amount (see Resolves), TransactionID where known, Payment, Resolves, VoidCaptured
//	refund_sync            Amount (the refund's), TransactionID, RefundID where known, Payment, Resolves
//	accept_dispute         Amount (the disputed one), TransactionID, Payment, Dispute
//	attach_evidence        as accept_dispute, with Dispute.File
//	submit_evidence        as accept_dispute, with Dispute.Evidence and Dispute.Files
//	dispute_sync           as accept_dispute, and Resolves
//	webhook                Webhook, WebhookURL
//	prepare … result       Amount, Instrument, Authentication; authenticate also Customer, Billing, Shipping, Browser
//	cancel_challenge       Authentication
//
// An empty field means unknown or not given. An adapter must not invent a value for it.
type Request struct {
	PaymentID string `json:"payment_id,omitempty"`
	AttemptID string `json:"attempt_id,omitempty"`
	// Reference is payswitch's reference for this payment or refund at the processor. It is unique for ever and keeps the manifest's length
	// and characters. A sync that resolves an authorize has the authorize's Reference.
	Reference string `json:"reference,omitempty"`

	// Amount is the amount of this operation.
	Amount Money `json:"amount"`
	// Payment is the state of an existing payment, as far as payswitch knows it.
	Payment *PaymentState `json:"payment,omitempty"`
	// Capture is automatic (the processor captures at once) or manual (payswitch captures later).
	Capture CaptureMethod `json:"capture,omitempty"`
	// FinalCapture means that no further capture follows: the processor may release the rest.
	FinalCapture bool `json:"final_capture,omitempty"`
	// VoidCaptured means that the void takes back the whole capture of a payment that has not settled. A sync that resolves the void has it too.
	VoidCaptured bool `json:"void_captured,omitempty"`
	// CaptureReference is payswitch's reference for this capture, unique for ever. A sync that resolves the capture has the same.
	CaptureReference string `json:"capture_reference,omitempty"`
	// Hold says what authorize asks of the hold beyond the amount; nil if it asks for nothing. In a sync it says only whether the issuer may have
	// approved a part: an answer without amounts then does not prove how much was approved.
	Hold *HoldWish `json:"hold,omitempty"`
	// Installments is the number of monthly installments that the payer chose; 0 if the payer pays at once. Amount includes their interest.
	Installments int `json:"installments,omitempty"`

	TransactionID string `json:"transaction_id,omitempty"` // the processor's id of the payment
	RefundID      string `json:"refund_id,omitempty"`      // the processor's id of the refund
	Reason        string `json:"reason,omitempty"`         // the merchant's reason for a refund or void
	// Resolves names the operation with an unknown or pending result that a sync is to settle. Amount is that operation's amount then, else
	// the payment's.
	Resolves Operation `json:"resolves,omitempty"`
	// ConnectorData is what this adapter stored in earlier outcomes.
	ConnectorData *ConnectorData `json:"connector_data,omitempty"`

	Instrument       *Instrument          `json:"instrument,omitempty"`
	StoredCredential *StoredCredentialUse `json:"stored_credential,omitempty"`
	// Request3DS asks the processor to run 3-D Secure itself.
	Request3DS bool `json:"request_3ds,omitempty"`
	// ThreeDS is the result of a 3-D Secure authentication outside the processor.
	ThreeDS *ThreeDSResult `json:"three_ds,omitempty"`
	// Exemption is the exemption that authorize claims; "" means no exemption. Only an exemption that Features.Exemptions names arrives here,
	// and never in a merchant-initiated payment.
	Exemption Exemption `json:"exemption,omitempty"`

	Customer *Customer `json:"customer,omitempty"`
	Billing  *Address  `json:"billing,omitempty"`
	Shipping *Address  `json:"shipping,omitempty"`
	Browser  *Browser  `json:"browser,omitempty"`

	Description      string            `json:"description,omitempty"`
	DescriptorName   string            `json:"descriptor_name,omitempty"`   // statement descriptor
	DescriptorSuffix string            `json:"descriptor_suffix,omitempty"` // statement descriptor's variable part
	OrderReference   string            `json:"order_reference,omitempty"`   // the merchant's own order number
	Lines            []Line            `json:"lines,omitempty"`
	ShippingCost     int64             `json:"shipping_cost,omitempty"` // part of Amount, minor units
	TaxAmount        int64             `json:"tax_amount,omitempty"`    // part of Amount, minor units
	Metadata         map[string]string `json:"metadata,omitempty"`
	Partner          *Partner          `json:"partner,omitempty"` // the software that made the payment; nil if the merchant did not say

	ReturnURL  string `json:"return_url,omitempty"`  // payswitch's URL to which the processor sends the payer back. A stranger who knows the URL can return in the payer's place
	WebhookURL string `json:"webhook_url,omitempty"` // payswitch's URL for the processor's messages; in webhook, the URL that the processor called, without its query

	// Dispute is the dispute that the operation is about.
	Dispute *DisputeRequest `json:"dispute,omitempty"`

	Return         *Return                `json:"return,omitempty"`
	Webhook        *WebhookMessage        `json:"webhook,omitempty"`
	Authentication *AuthenticationRequest `json:"authentication,omitempty"`
}

// Partner is the software between the payer and payswitch, for processors that want to know it.
type Partner struct {
	Platform    *Software `json:"platform,omitempty"`    // that the shop runs on
	Application *Software `json:"application,omitempty"` // the merchant's own
}

// Software is a program with its version. Integrator is who built it into the shop.
type Software struct {
	Name       string `json:"name,omitempty"`
	Version    string `json:"version,omitempty"`
	Integrator string `json:"integrator,omitempty"`
}

// CaptureMethod is the way an authorized payment is captured.
type CaptureMethod string

const (
	CaptureAutomatic CaptureMethod = "automatic"
	CaptureManual    CaptureMethod = "manual"
)

// PaymentState is the state of a payment at the processor, as far as payswitch knows it. All amounts are in minor units of
// Currency.
type PaymentState struct {
	Currency   Currency `json:"currency"`
	Requested  int64    `json:"requested"`  // the amount of authorize
	Authorized int64    `json:"authorized"` // the approved amount; 0 while unknown
	Captured   int64    `json:"captured"`
	Refunded   int64    `json:"refunded"` // including refunds under way, without the refund of this request
	Voided     bool     `json:"voided,omitempty"`
	CreatedAt  int64    `json:"created_at"` // when authorize began, Unix milliseconds
	// Capture is the capture method of the authorization.
	Capture CaptureMethod `json:"capture,omitempty"`
	// BIN and LastFour are the first six and last four digits of the payment's card, "" without a card.
	BIN      string `json:"bin,omitempty"`
	LastFour string `json:"last_four,omitempty"`
}

// Instrument is the means of payment. Exactly one of these is set: a card; a credential stored at the processor; or a card together
// with the network transaction id of an earlier payment.
type Instrument struct {
	Card *Card `json:"card,omitempty"`
	// StoredCredentialID is the processor's own reference to a stored credential (a mandate, a token, a payment method).
	StoredCredentialID string `json:"stored_credential_id,omitempty"`
	// NetworkTransactionID links a merchant-initiated payment to the payment in which the customer agreed.
	NetworkTransactionID string `json:"network_transaction_id,omitempty"`
}

// Card is a card as an adapter sees it. Number and CVC are stand-ins: random texts that the host replaces in the places that the manifest
// declares. The other fields are facts.
type Card struct {
	Number   string `json:"number"`
	CVC      string `json:"cvc,omitempty"`
	ExpMonth int    `json:"exp_month"` // 1–12
	ExpYear  int    `json:"exp_year"`  // four digits
	Holder   string `json:"holder,omitempty"`

	BIN      string      `json:"bin"`       // first six digits
	LastFour string      `json:"last_four"` // last four digits
	Length   int         `json:"length"`    // digits of the number
	Network  CardNetwork `json:"network,omitempty"`
	Funding  string      `json:"funding,omitempty"` // credit, debit or prepaid, where known from the BIN
	Country  string      `json:"country,omitempty"` // issuing country, ISO 3166 alpha-2, where known from the BIN
}

// CardNetwork is a card scheme. The constants are the wire values.
type CardNetwork string

const (
	Visa            CardNetwork = "Visa"
	Mastercard      CardNetwork = "Mastercard"
	AmericanExpress CardNetwork = "AmericanExpress"
	JCB             CardNetwork = "JCB"
	DinersClub      CardNetwork = "DinersClub"
	Discover        CardNetwork = "Discover"
	CartesBancaires CardNetwork = "CartesBancaires"
	UnionPay        CardNetwork = "UnionPay"
	Interac         CardNetwork = "Interac"
	RuPay           CardNetwork = "RuPay"
	Maestro         CardNetwork = "Maestro"
	Star            CardNetwork = "Star"
	Pulse           CardNetwork = "Pulse"
	Accel           CardNetwork = "Accel"
	Nyce            CardNetwork = "Nyce"
)

// StoredCredentialUse describes how a payment uses a stored credential, in the card networks' terms.
type StoredCredentialUse struct {
	Initiator Initiator `json:"initiator"`
	// First means that this payment stores the credential.
	First bool `json:"first,omitempty"`
	// Usage is the purpose of storing.
	Usage CredentialUsage `json:"usage,omitempty"`
	// Category is the category of an MIT; "" if the merchant named no category.
	Category MITCategory `json:"category,omitempty"`
}

// Initiator is the party that starts a payment with a stored credential. Its constants are the wire values.
type Initiator string

const (
	InitiatorCustomer Initiator = "cit" // the customer is present
	InitiatorMerchant Initiator = "mit" // the merchant charges on its own
)

// CredentialUsage is the purpose of storing a credential. Its constants are the wire values.
type CredentialUsage string

const (
	UsageOnSession  CredentialUsage = "on_session"  // the customer pays again
	UsageOffSession CredentialUsage = "off_session" // the merchant charges on its own, too
)

// MITCategory is the reason of a payment that the merchant starts on its own. Its constants are the wire values.
type MITCategory string

const (
	MITRecurring    MITCategory = "recurring"    // one of a series at fixed intervals
	MITUnscheduled  MITCategory = "unscheduled"  // at no fixed time
	MITInstallment  MITCategory = "installment"  // a part of one purchase
	MITResubmission MITCategory = "resubmission" // a declined payment, tried again
)

// ThreeDSResult is the proof of an authentication outside the processor (EMV 3-D Secure 2.x).
type ThreeDSResult struct {
	CAVV          string `json:"cavv,omitempty"` // a stand-in
	ECI           string `json:"eci,omitempty"`
	TransStatus   string `json:"trans_status,omitempty"` // Y, A, U, I …
	Version       string `json:"version,omitempty"`      // "2.2.0"
	DSTransID     string `json:"ds_trans_id,omitempty"`
	ServerTransID string `json:"server_trans_id,omitempty"`
	ACSTransID    string `json:"acs_trans_id,omitempty"`
	Flow          string `json:"flow,omitempty"` // frictionless or challenge
	CAVVAlgorithm string `json:"cavv_algorithm,omitempty"`
}

// Customer is the payer.
type Customer struct {
	ID           string `json:"id,omitempty"` // the merchant's id
	Name         string `json:"name,omitempty"`
	Email        string `json:"email,omitempty"`
	Phone        string `json:"phone,omitempty"`
	PhoneCountry string `json:"phone_country,omitempty"` // "+44"
}

// Address is a postal address with its contact data.
type Address struct {
	FirstName    string `json:"first_name,omitempty"`
	LastName     string `json:"last_name,omitempty"`
	Line1        string `json:"line1,omitempty"`
	Line2        string `json:"line2,omitempty"`
	Line3        string `json:"line3,omitempty"`
	City         string `json:"city,omitempty"`
	State        string `json:"state,omitempty"`
	Zip          string `json:"zip,omitempty"`
	Country      string `json:"country,omitempty"` // ISO 3166 alpha-2
	Email        string `json:"email,omitempty"`
	Phone        string `json:"phone,omitempty"`
	PhoneCountry string `json:"phone_country,omitempty"`
}

// Browser is the data of the customer's browser (EMV 3-D Secure browser fields).
type Browser struct {
	IP               string `json:"ip,omitempty"`
	UserAgent        string `json:"user_agent,omitempty"`
	AcceptHeader     string `json:"accept_header,omitempty"`
	Language         string `json:"language,omitempty"`
	ColorDepth       int    `json:"color_depth,omitempty"`
	ScreenHeight     int    `json:"screen_height,omitempty"`
	ScreenWidth      int    `json:"screen_width,omitempty"`
	TimeZone         int    `json:"time_zone,omitempty"` // minutes between UTC and local time, as JavaScript's getTimezoneOffset
	JavaEnabled      bool   `json:"java_enabled,omitempty"`
	JavaScriptEnable bool   `json:"java_script_enabled,omitempty"`
}

// Line is one line of the order.
type Line struct {
	Name      string `json:"name"`
	SKU       string `json:"sku,omitempty"`
	Quantity  int    `json:"quantity"`
	UnitPrice int64  `json:"unit_price"` // minor units
	Tax       int64  `json:"tax,omitempty"`
}

// Return is the data that the customer's browser brought back from the processor's page.
type Return struct {
	Method string   `json:"method"`         // GET or POST
	Query  []Header `json:"query"`          // decoded pairs in order
	Form   []Header `json:"form,omitempty"` // decoded pairs of a form body, in order
	// DeviceData is the end of the data collection after a device_data action: "Y" done, "N" failed, "U" not run.
	DeviceData string `json:"device_data,omitempty"`
}

// WebhookMessage is a message that arrived at a webhook URL of payswitch. Its body is the first body in the frame.
type WebhookMessage struct {
	Method     string   `json:"method"`
	Query      []Header `json:"query,omitempty"`
	Headers    []Header `json:"headers"`
	BodyLength int      `json:"body_length,omitempty"`
	Body       []byte   `json:"-"`
}

// ConnectorData is what an adapter stores for later operations, by scope. Each value is the adapter's own text of at most MaxConnectorData bytes.
type ConnectorData struct {
	Version  int    `json:"version,omitempty"`  // the adapter's version of the texts, so that a newer build can read what an older build wrote
	Payment  string `json:"payment,omitempty"`  // kept with the payment
	Method   string `json:"method,omitempty"`   // kept with the saved payment method
	Customer string `json:"customer,omitempty"` // kept with the customer and this account
}

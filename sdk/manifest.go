package sdk

// Manifest describes an adapter. The operator approves its hosts and placements on the connector account. Certification checks that
// manifest and code agree.
type Manifest struct {
	ABI         int    `json:"abi"`
	Name        string `json:"name"` // [a-z][a-z0-9_]{0,31}: the connector_name that merchants use
	Kind        Kind   `json:"kind"`
	Version     string `json:"version"` // semantic version of the adapter
	DisplayName string `json:"display_name"`
	Description string `json:"description"` // one sentence
	Website     string `json:"website,omitempty"`

	// Operations are the operations that the adapter performs. In Go the SDK fills them in from the functions that are set.
	Operations []Operation `json:"operations"`
	Features   Features    `json:"features"`

	// Environments are the addresses of the processor, by the name of the environment: "test", "live".
	Environments map[string]Environment `json:"environments,omitempty"`
	// Credentials and Config are the fields of the connector account's form.
	Credentials []Field `json:"credentials,omitempty"`
	Config      []Field `json:"config,omitempty"`

	// Authentication declares where this account's own credential must stand in a request with card data. With In "response" it declares
	// which field of which answer is the access token.
	Authentication []Placement `json:"authentication,omitempty"`
	// Placements declare where card data, cryptograms and declared credential fields may stand.
	Placements []Placement `json:"placements,omitempty"`

	Methods    []Method        `json:"methods,omitempty"`    // payment methods, by default card credit and debit
	Currencies []Currency      `json:"currencies,omitempty"` // empty: all
	Countries  []string        `json:"countries,omitempty"`  // merchant countries, ISO 3166 alpha-2; empty: all
	Networks   []CardNetwork   `json:"networks,omitempty"`   // empty: all
	Captures   []CaptureMethod `json:"captures,omitempty"`   // empty: both

	Reference ReferenceRule `json:"reference"`
	Webhook   *WebhookRule  `json:"webhook,omitempty"`
	Resolve   ResolveRule   `json:"resolve"`
	// Authenticator describes how an authenticator works; nil for a processor.
	Authenticator *AuthenticatorRule `json:"authenticator,omitempty"`
}

// Features are optional abilities of the operations.
type Features struct {
	PartialCapture   bool `json:"partial_capture,omitempty"`
	MultipleCapture  bool `json:"multiple_capture,omitempty"`
	OverCapture      bool `json:"over_capture,omitempty"`
	ReleasesRest     bool `json:"releases_rest,omitempty"` // a partial final capture releases the rest without a void
	PartialRefund    bool `json:"partial_refund,omitempty"`
	ZeroAmount       bool `json:"zero_amount,omitempty"`
	Processor3DS     bool `json:"processor_3ds,omitempty"`
	External3DS      bool `json:"external_3ds,omitempty"`
	StoredCredential bool `json:"stored_credential,omitempty"`
	NetworkMIT       bool `json:"network_mit,omitempty"`   // charges a card with a network transaction id
	NetworkToken     bool `json:"network_token,omitempty"` // without effect: payswitch sends no network tokens
	// CardOnlyMIT: charges a card on the merchant's initiative that has no CVC, no network transaction id and perhaps no expiry.
	CardOnlyMIT     bool `json:"card_only_mit,omitempty"`
	PreAuthVoid     bool `json:"pre_auth_void,omitempty"`    // voids a payment that waits for the customer
	VoidCaptured    bool `json:"void_captured,omitempty"`    // voids a captured payment that has not settled (Request.VoidCaptured)
	PartialApproval bool `json:"partial_approval,omitempty"` // the issuer may approve less than the amount, if HoldWish.Partial allows it
	ExtendedHold    bool `json:"extended_hold,omitempty"`    // authorize can ask for a hold that lasts longer (HoldWish.Extended)
	// Installments are the currencies in which a card payment can be made in monthly installments (Request.Installments).
	Installments []Currency `json:"installments,omitempty"`
	// Exemptions are the exemptions from strong customer authentication that an authorization can claim (Request.Exemption).
	Exemptions []Exemption `json:"exemptions,omitempty"`
}

// Environment is the address of a processor.
type Environment struct {
	BaseURL string `json:"base_url"`
	// Hosts are the exact names of the hosts that the adapter may send to. One DNS label may be {config} or begin with it: "{shop}.example.com", "{shop}-live.example.com".
	Hosts []string `json:"hosts"`
}

// Field is one field of the connector account's form. A merchant's API call names the field by Key (api_key, key1, api_secret, key2 of
// connector_account_details, or a key of metadata); the adapter reads it by Name. The adapter gets a stand-in for a credential of type
// secret or pem, and the value of text and enum (public identifiers). It never gets a client certificate. The fields of type
// client_certificate together hold one certificate, its chain and its key.
type Field struct {
	Name     string    `json:"name"`
	Key      string    `json:"key,omitempty"` // "" means the same as Name
	Label    string    `json:"label"`
	Help     string    `json:"help,omitempty"`
	Type     FieldType `json:"type"`
	Values   []string  `json:"values,omitempty"` // of an enum
	Optional bool      `json:"optional,omitempty"`
	Default  string    `json:"default,omitempty"`
}

// FieldType is the kind of a Field's value. Its constants are the wire values.
type FieldType string

const (
	FieldText              FieldType = "text"               // a public identifier
	FieldSecret            FieldType = "secret"             // a key or a password
	FieldEnum              FieldType = "enum"               // one of Field.Values
	FieldPEM               FieldType = "pem"                // a private key in PEM form
	FieldClientCertificate FieldType = "client_certificate" // a certificate for TLS, its chain or its key
)

// Placement is a place in a request where a stand-in may stand as the whole value.
type Placement struct {
	// Secret is "card_number", "cvc", "cavv", or the name of a credential field. It is "access_token" if the adapter offers that operation, or
	// another name from Send.Capture. "body" is a digest of the body; "*" is any credential or derivation of one.
	Secret    string    `json:"secret"`
	Operation Operation `json:"operation,omitempty"` // "" means any
	Host      string    `json:"host,omitempty"`      // "" means any declared
	Method    string    `json:"method,omitempty"`    // "" means any
	// Path is the path of the URL. "*" stands for one segment, "" for any path. The operator's base URL, if set, replaces the environment's.
	Path string `json:"path,omitempty"`
	// In is the part of the request. Card data stands in bodies only. "response" and "tls" are for Manifest.Authentication alone. With "tls",
	// Secret names the certificate's credential field, and Field is "client_certificate".
	In PlacementIn `json:"in"`
	// Field is the header, query or form name; the index of a path's segment, from 0; or the body's field path: names with dots, []
	// for any array element (JSON), element names and @attribute (XML), "." for a whole body without structure. After a form field and "/"
	// follows a path in the document that the form field holds: "request/order.card.number".
	Field string `json:"field"`
	// Format is the text around a credential that does not stand alone: "Key={}". Each {} is the place of one stand-in, derivation or plain
	// value of the account. "Bearer {}" and "Basic {}" in a header need no Format.
	Format string `json:"format,omitempty"`
	// Escapes is the chain of escapes that the host applies, innermost first. "" means by content type.
	Escapes Escapes `json:"escapes,omitempty"`
}

// PlacementIn is the part of a message in which a Placement stands. Its constants are the wire values.
type PlacementIn string

const (
	InHeader   PlacementIn = "header"
	InQuery    PlacementIn = "query"
	InPath     PlacementIn = "path"
	InBody     PlacementIn = "body"
	InResponse PlacementIn = "response" // a JSON field of an answer whose captured value counts as the account's own credential
	InTLS      PlacementIn = "tls"      // the account's client certificate, which the host presents on the connection
)

// Escapes is a chain of escapes, innermost first, by which a value is written into a body. Its constants are the wire values.
type Escapes string

const (
	EscapesJSON      Escapes = "json"
	EscapesForm      Escapes = "form"
	EscapesXML       Escapes = "xml"
	EscapesMultipart Escapes = "multipart"
	EscapesRaw       Escapes = "raw"
	EscapesXMLForm   Escapes = "xml,form"  // an XML document in a form field
	EscapesJSONForm  Escapes = "json,form" // a JSON document in a form field
)

// Method is a payment method that the adapter takes.
type Method struct {
	Method string     `json:"method"` // "card"
	Type   MethodType `json:"type"`
}

// MethodType is the type of a card payment. Its constants are the wire values.
type MethodType string

const (
	MethodCredit MethodType = "credit"
	MethodDebit  MethodType = "debit"
)

// ReferenceRule limits Request.Reference.
type ReferenceRule struct {
	MaxLength int `json:"max_length,omitempty"` // 0: 36
	// Characters are the characters that the processor takes; "" means alphanumeric_dash.
	Characters ReferenceCharacters `json:"characters,omitempty"`
}

// ReferenceCharacters is a set of characters of a Request.Reference. Its constants are the wire values.
type ReferenceCharacters string

const (
	ReferenceAlphanumeric     ReferenceCharacters = "alphanumeric"
	ReferenceAlphanumericDash ReferenceCharacters = "alphanumeric_dash" // with - and _
	ReferenceDigits           ReferenceCharacters = "digits"
)

// WebhookRule describes how the processor signs its messages.
type WebhookRule struct {
	Scheme           string `json:"scheme"`                      // a short name: "stripe-signature", "hmac-sha256"
	ToleranceSeconds int    `json:"tolerance_seconds,omitempty"` // the greatest age of a signed time
	// Capture names fields of the message's JSON body whose values are secrets. The host puts stand-ins in their places before the adapter
	// sees the message. Signatures are computed over the message as received.
	Capture []Capture `json:"capture,omitempty"`
}

// ResolveBy is a way to settle an operation with an unknown result.
type ResolveBy string

const (
	ResolveByProcessorID      ResolveBy = "processor_id"      // sync by the processor's transaction id
	ResolveByReference        ResolveBy = "reference"         // sync by our reference
	ResolveByIdempotentResend ResolveBy = "idempotent_resend" // send the identical request with the same idempotency key again
	ResolveByWebhook          ResolveBy = "webhook"           // wait for the processor's own message
)

// ResolveRule describes how to settle an unknown result. The host uses the ways of By that can work for the
// operation in turn.
type ResolveRule struct {
	By []ResolveBy `json:"by"`
	// IdempotencyWindowSeconds is how long the processor remembers an idempotency key.
	IdempotencyWindowSeconds int64 `json:"idempotency_window_seconds,omitempty"`
	// NotFoundFinalAfterSeconds is the time after the last send from which a not_found proves that nothing happened.
	NotFoundFinalAfterSeconds int64 `json:"not_found_final_after_seconds,omitempty"`
}

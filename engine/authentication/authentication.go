package authentication

import (
	"time"

	"payswitch/engine/secret"
	"payswitch/engine/threeds"
	"payswitch/engine/threeds/exempt"
	"payswitch/sdk"
)

// State is the state of an EMV 3-D Secure authentication that payswitch runs. The constants are stored.
type State string

const (
	Created       State = "created"           // the engine asks the authenticator whether the card takes part
	Prepared      State = "prepared"          // the payer's browser has its instructions
	Asking        State = "authenticating"    // the AReq is under way
	Challenge     State = "challenge_pending" // the payer is at the issuer's page
	Decoupled     State = "decoupled_pending" // the issuer contacts the payer by itself
	ResultPending State = "result_pending"    // the browser reported the end of the challenge; the engine fetches the result
	Done          State = "done"              // ended; no authorization uses the result
	Consumed      State = "consumed"          // one authorization has taken the result; no other can
	Expired       State = "expired"           // given up, by time-out, payer or merchant
	Errored       State = "error"             // ended by a fault of a party
)

// Ended reports whether the state is final. Later evidence is stored with the authentication, but nothing uses it.
func (s State) Ended() bool {
	switch s {
	case Done, Consumed, Expired, Errored:
		return true
	}
	return false
}

// Challenged reports whether a challenge is under way. Only the authenticator's result ends it.
func (s State) Challenged() bool {
	return s == Challenge || s == Decoupled || s == ResultPending
}

// Record is one 3-D Secure authentication of an attempt. The engine runs it through an authenticator before the payment reaches the
// processor. The result is bound to the amount, currency, card and acquirer of the request, and at most one authorization takes it.
type Record struct {
	ID         string // auth_…, unique for ever
	MerchantID string
	PaymentID  string
	AttemptID  string
	ProfileID  string
	AccountID  string // the authenticator's connector account
	Connector  string
	// AdapterHash is the authenticator's build that began the authentication.
	AdapterHash string
	State       State
	// Outcome is the result: authenticated, attempted, exempted, not_authenticated, rejected, unavailable, not_enrolled, abandoned or error;
	// "" until the authentication has ended.
	Outcome    threeds.Outcome
	CreatedAt  time.Time
	ModifiedAt time.Time
	// Deadline is the time at which the engine gives the authentication up.
	Deadline time.Time
	// DueAt is the time of the next look by background work, zero for never.
	DueAt time.Time
	// Owner is the node that asks the authenticator, until LeaseUntil on the database's clock. One node asks at a time.
	Owner      string
	LeaseUntil time.Time
	// Version counts changes; every update is a compare-and-set on it.
	Version int64

	Details Details
	// Sealed is Private, encrypted. The store keeps Sealed and never sees Private.
	Sealed  []byte
	Private *Private
	// Request is the sdk.Request of the authorization that follows, sealed. Instrument holds its card and CVC, sealed; it is cleared when the
	// authentication ends.
	Request    []byte
	Instrument []byte
	// Key opens Instrument. The store keeps it at insertion; afterwards Reader.ShortTermKey reads it.
	Key *secret.Key
}

// Details are the fields of an authentication that are neither secret nor personal. The json names are storage format; codes
// are EMV's own.
type Details struct {
	// TokenHashes are the SHA-256 of the tokens in the URLs that we gave out, by use.
	TokenHashes map[URLUse][]byte `json:"token_hashes,omitempty"`

	Channel           sdk.DeviceChannel `json:"channel,omitempty"`
	Category          string            `json:"category,omitempty"` // message category: 01 payment, 02 a card to be stored
	AuthenticationInd string            `json:"authentication_ind,omitempty"`
	Network           sdk.CardNetwork   `json:"network,omitempty"`
	MessageVersion    string            `json:"message_version,omitempty"`
	VersionsOffered   []string          `json:"versions_offered,omitempty"`
	DirectoryServerID string            `json:"directory_server_id,omitempty"`
	ServerTransID     string            `json:"server_trans_id,omitempty"`
	ACSTransID        string            `json:"acs_trans_id,omitempty"`
	DSTransID         string            `json:"ds_trans_id,omitempty"`
	ACSReference      string            `json:"acs_reference,omitempty"`

	MethodURL        string    `json:"method_url,omitempty"`
	MethodNotifiedAt time.Time `json:"method_notified_at,omitzero"`
	MethodCompletion string    `json:"method_completion,omitempty"` // threeDSCompInd as sent to the authenticator
	// MethodOver is true once the authenticator's page has reported that the 3DS method will not end.
	MethodOver bool `json:"method_over,omitempty"`
	// Again is true if the session with the authenticator is used up: the engine prepares the next AReq anew, without the 3DS method.
	Again bool `json:"again,omitempty"`

	// FirstStatus is the transStatus of the ARes, TransStatus the latest one.
	FirstStatus       string   `json:"first_status,omitempty"`
	TransStatus       string   `json:"trans_status,omitempty"`
	TransStatusReason string   `json:"trans_status_reason,omitempty"`
	ChallengeCancel   string   `json:"challenge_cancel,omitempty"`
	ChallengeInds     []string `json:"challenge_inds,omitempty"`
	ChallengeWindow   string   `json:"challenge_window,omitempty"`
	// ECI and CAVVAlgorithm are as the authenticator sent them. SentECI is the ECI that the processor received, "" without proof. RecordedECI
	// is the ECI that the payment counts under; a payment without proof has one too (Visa 07).
	ECI           string `json:"eci,omitempty"`
	CAVVAlgorithm string `json:"cavv_algorithm,omitempty"`
	SentECI       string `json:"sent_eci,omitempty"`
	RecordedECI   string `json:"recorded_eci,omitempty"`
	// Shift says whether the issuer is expected to bear fraud: expected, not_expected or unknown; "" until the authentication has ended.
	Shift string `json:"liability_shift,omitempty"`

	Bound    Binding  `json:"bound"`
	Merchant Merchant `json:"merchant"`
	// Exemption is the requested exemption, ExemptionRoute the way of the request (3ds, authorization). ExemptionApplied is the one that the
	// ACS reports as applied.
	Exemption        threeds.Exemption `json:"exemption,omitempty"`
	ExemptionRoute   threeds.Route     `json:"exemption_route,omitempty"`
	ExemptionApplied string            `json:"exemption_applied,omitempty"`
	ExemptionReason  exempt.Reason     `json:"exemption_reason,omitempty"` // the reason for the decision
	// DecoupledMinutes is the time that a decoupled challenge may take, 0 if the engine did not ask for one.
	DecoupledMinutes int `json:"decoupled_minutes,omitempty"`
	// ThreeRIInd, Prior and Recurring belong to an authentication without the payer.
	ThreeRIInd string                   `json:"three_ri_ind,omitempty"`
	Prior      *sdk.PriorAuthentication `json:"prior,omitempty"`
	Recurring  *sdk.RecurringTerms      `json:"recurring,omitempty"`
	StepUp     bool                     `json:"step_up,omitempty"` // the authentication follows a soft decline

	PreparedAt       time.Time `json:"prepared_at,omitzero"`
	SessionExpiresAt time.Time `json:"session_expires_at,omitzero"`
	AskedAt          time.Time `json:"asked_at,omitzero"`      // AReq
	AnsweredAt       time.Time `json:"answered_at,omitzero"`   // ARes
	ChallengedAt     time.Time `json:"challenged_at,omitzero"` // the browser brought the CRes, or an error of the ACS
	EndedAt          time.Time `json:"ended_at,omitzero"`
	// ChallengeError is true if the browser brought an error of the ACS instead of a CRes.
	ChallengeError bool   `json:"challenge_error,omitempty"`
	CResStatus     string `json:"cres_status,omitempty"` // the claim of a CRes, which is not evidence
	Tries          int    `json:"tries,omitempty"`       // number of AReqs
	Pulls          int    `json:"pulls,omitempty"`       // number of requests for the result

	// ErrorCode is the payment's error_code if the authentication ended without an authorization. ErrorComponent, ErrorDetail and VendorCode
	// are as the authenticator sent them.
	ErrorCode      string         `json:"error_code,omitempty"`
	ErrorMessage   string         `json:"error_message,omitempty"`
	ErrorClass     sdk.ErrorClass `json:"error_class,omitempty"`
	VendorCode     string         `json:"vendor_code,omitempty"`
	ErrorComponent string         `json:"error_component,omitempty"`
	ErrorDetail    string         `json:"error_detail,omitempty"`
	// Flags are the policy's notes about the answers (threeds.Flag), each once.
	Flags []string `json:"flags,omitempty"`
}

// Binding limits the use of a result to one amount, currency, card and acquirer. Card is a keyed hash of the number.
type Binding struct {
	Amount      int64        `json:"amount"`
	Currency    sdk.Currency `json:"currency"`
	Card        []byte       `json:"card"`
	AccountID   string       `json:"account_id"` // the processor's connector account
	AcquirerBIN string       `json:"acquirer_bin,omitempty"`
	AcquirerMID string       `json:"acquirer_mid,omitempty"`
}

// Merchant describes the merchant to the issuer.
type Merchant struct {
	AcquirerCountry string `json:"acquirer_country,omitempty"` // ISO 3166-1 alpha-2
	Name            string `json:"name,omitempty"`
	Country         string `json:"country,omitempty"` // ISO 3166-1 alpha-2
	MCC             string `json:"mcc,omitempty"`
}

// Private holds the secret fields of an authentication.
type Private struct {
	// Tokens are those in the URLs that we gave out, by use: answers show some of the URLs again.
	Tokens map[URLUse]string `json:"tokens,omitempty"`
	// MethodKey and MethodData are the form field for the 3DS method.
	MethodKey  string `json:"method_key,omitempty"`
	MethodData string `json:"method_data,omitempty"`
	// Frames are the authenticator's own pages for the 3DS method.
	Frames []string `json:"frames,omitempty"`

	ACSURL  string `json:"acs_url,omitempty"`
	CReq    string `json:"creq,omitempty"`
	CReqKey string `json:"creq_key,omitempty"`
	// ByGet is true if the browser loads ACSURL with GET.
	ByGet          bool        `json:"by_get,omitempty"`
	SignedContent  string      `json:"signed_content,omitempty"`
	CRes           string      `json:"cres,omitempty"` // not evidence
	CAVV           string      `json:"cavv,omitempty"`
	CardholderInfo string      `json:"cardholder_info,omitempty"`
	App            *sdk.AppSDK `json:"app,omitempty"`
	// Data is the adapter's own state; later calls of the adapter receive it again.
	Data string `json:"data,omitempty"`
	// Further are the ids of the processors' accounts that may take the payment if the account that it was authenticated for declines it, in order.
	Further []string `json:"further,omitempty"`
}

// Summary is the part of an authentication that its attempt shows.
type Summary struct {
	ID        string          `json:"id"`
	Connector string          `json:"connector"` // the authenticator, "" for a result that the merchant brought
	State     State           `json:"state"`
	Status    Status          `json:"status"`
	Flow      Flow            `json:"flow,omitempty"`
	Outcome   threeds.Outcome `json:"outcome,omitempty"`

	ServerTransID     string          `json:"server_trans_id,omitempty"`
	DSTransID         string          `json:"ds_trans_id,omitempty"`
	ACSTransID        string          `json:"acs_trans_id,omitempty"`
	Version           string          `json:"version,omitempty"`
	Network           sdk.CardNetwork `json:"network,omitempty"`
	TransStatus       string          `json:"trans_status,omitempty"`
	TransStatusReason string          `json:"trans_status_reason,omitempty"`
	ChallengeCancel   string          `json:"challenge_cancel,omitempty"`
	ECI               string          `json:"eci,omitempty"`
	Shift             string          `json:"liability_shift,omitempty"`
	Exemption         string          `json:"exemption,omitempty"`
	ErrorCode         string          `json:"error_code,omitempty"`
	ErrorMessage      string          `json:"error_message,omitempty"`
}

// Invocation is the data with which the payer's browser runs an authentication (next_action three_ds_invoke).
type Invocation struct {
	MethodURL         string          `json:"method_url,omitempty"` // "" without a 3DS method
	MethodKey         string          `json:"method_key,omitempty"`
	MethodData        string          `json:"method_data,omitempty"`
	AuthorizeToken    string          `json:"authorize_token"`
	PageToken         string          `json:"page_token"`
	Version           string          `json:"version,omitempty"`
	DirectoryServerID string          `json:"directory_server_id,omitempty"`
	Network           sdk.CardNetwork `json:"network,omitempty"`
	Connector         string          `json:"connector"` // the authenticator
	// PostMessage is true if the authenticator's page reports the end of the 3DS method by a window message.
	PostMessage bool `json:"post_message,omitempty"`
	// WaitFrom and WaitUntil are set if the issuer contacts the payer by itself, for example in its app. The browser then only waits.
	WaitFrom  time.Time `json:"wait_from,omitzero"`
	WaitUntil time.Time `json:"wait_until,omitzero"`
}

// Status is the state of an authentication as an attempt shows it. Its constants are stored, and the API's values.
type Status string

const (
	StatusStarted Status = "started"
	StatusPending Status = "pending"
	StatusSuccess Status = "success"
	StatusFailed  Status = "failed"
)

// Flow is the way of an authentication, "" before the ARes. Its constants are stored, and the API's values.
type Flow string

const (
	FlowFrictionless Flow = "frictionless"
	FlowChallenge    Flow = "challenge"
)

// Flow returns the way of the authentication.
func (d *Details) Flow() Flow {
	switch d.FirstStatus {
	case "":
		return ""
	case "C", "D":
		return FlowChallenge
	}
	return FlowFrictionless
}

// Summarize returns the part of an authentication that its attempt shows.
func Summarize(a *Record) *Summary {
	d := &a.Details
	s := &Summary{ID: a.ID, Connector: a.Connector, State: a.State, Status: StatusPending, Flow: d.Flow(), Outcome: a.Outcome,
		ServerTransID: d.ServerTransID, DSTransID: d.DSTransID, ACSTransID: d.ACSTransID, Version: d.MessageVersion, Network: d.Network,
		TransStatus: d.TransStatus, TransStatusReason: d.TransStatusReason, ChallengeCancel: d.ChallengeCancel, ECI: d.SentECI, Shift: d.Shift,
		Exemption: string(d.Exemption), ErrorCode: d.ErrorCode, ErrorMessage: d.ErrorMessage}
	switch {
	case a.State == Consumed && (a.Outcome == threeds.Authenticated || a.Outcome == threeds.Attempted || a.Outcome == threeds.Exempted):
		s.Status = StatusSuccess
	case a.State.Ended():
		s.Status = StatusFailed
	case a.State == Created || a.State == Prepared:
		s.Status = StatusStarted
	}
	return s
}

// ShortTermID names the authentication's instrument among the secrets with a short-term key.
func (a *Record) ShortTermID() string { return "authentication/" + a.ID }

// URLUse is the purpose of a public URL. A token for one use does not open URLs of another use.
type URLUse string

const (
	URLRedirect  URLUse = "redirect" // our page that sends the payer on to the processor
	URLReturn    URLUse = "return"   // where the processor sends the payer back to
	URLMethod    URLUse = "m"        // reports the end of the 3DS method
	URLChallenge URLUse = "c"        // reports the end of the challenge
	URLEvent     URLUse = "e"        // receives an event from the authenticator's own page
	URLResult    URLUse = "r"        // receives the result that the authenticator pushes
	URLHosted    URLUse = "p"        // the hosted page
	URLAuthorize URLUse = "a"        // the page that waits and then sends the payer back to the shop
	URLFrames    URLUse = "f"        // our page with the authenticator's frames for the 3DS method
	URLOpen      URLUse = "g"        // leads to the authenticator's challenge page
)

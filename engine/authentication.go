package engine

import (
	"time"

	"payswitch/sdk"
)

// AuthenticationState is where an authentication (EMV 3-D Secure) run by us stands. The constants are stored.
type AuthenticationState string

const (
	AuthenticationCreated   AuthenticationState = "created"           // the authenticator is being asked whether the card takes part
	AuthenticationPrepared  AuthenticationState = "prepared"          // the payer's browser is told what to do
	AuthenticationAsking    AuthenticationState = "authenticating"    // the AReq is under way
	AuthenticationChallenge AuthenticationState = "challenge_pending" // the payer is at the issuer's page
	AuthenticationDecoupled AuthenticationState = "decoupled_pending" // the issuer reaches the payer by itself
	AuthenticationResult    AuthenticationState = "result_pending"    // the challenge is said to be over; the result is being fetched
	AuthenticationDone      AuthenticationState = "done"              // ended; its result authorizes nothing
	AuthenticationConsumed  AuthenticationState = "consumed"          // an authorization has taken the result: no other can
	AuthenticationExpired   AuthenticationState = "expired"           // given up: by the clock, the payer or the merchant
	AuthenticationErrored   AuthenticationState = "error"             // ended by a fault of a party
)

// Ended says that nothing moves the authentication any more. What is learned afterwards is stored beside it and used for nothing.
func (s AuthenticationState) Ended() bool {
	switch s {
	case AuthenticationDone, AuthenticationConsumed, AuthenticationExpired, AuthenticationErrored:
		return true
	}
	return false
}

// challenged says that a challenge is under way: only the authenticator's result ends it.
func (s AuthenticationState) challenged() bool {
	return s == AuthenticationChallenge || s == AuthenticationDecoupled || s == AuthenticationResult
}

// Authentication is one 3-D Secure authentication of an attempt, run through an authenticator before the processor hears of the payment.
// The result is bound to the amount, currency, card and acquirer it was made for, and is taken by at most one authorization.
type Authentication struct {
	ID         string // auth_…, unique for ever
	MerchantID string
	PaymentID  string
	AttemptID  string
	ProfileID  string
	AccountID  string // the authenticator's connector account
	Connector  string
	// AdapterHash is the authenticator's build that began it.
	AdapterHash string
	State       AuthenticationState
	// Outcome is what it came to: authenticated, attempted, exempted, not_authenticated, rejected, unavailable, not_enrolled, abandoned,
	// error; "" until it has ended.
	Outcome    string
	CreatedAt  time.Time
	ModifiedAt time.Time
	// Deadline is when it is given up.
	Deadline time.Time
	// DueAt is when background work looks at it next, zero for never.
	DueAt time.Time
	// Owner asks the authenticator at the moment, until LeaseUntil on the database's clock: one asks at a time.
	Owner      string
	LeaseUntil time.Time
	// Version counts changes; every update is a compare-and-set on it.
	Version int64

	Details AuthenticationDetails
	// Sealed is Private, encrypted; the store keeps this and never sees Private.
	Sealed  []byte
	Private *AuthenticationPrivate
	// Request is the sdk.Request of the authorization that follows, sealed; Instrument its card and CVC, sealed, gone when the
	// authentication has ended.
	Request    []byte
	Instrument []byte
	// Key opens Instrument. It is stored at insertion; afterwards Reader.ShortTermKey reads it.
	Key *ShortTermKey
}

// AuthenticationDetails is what is kept of an authentication that is neither secret nor personal. The json names are storage format;
// codes are EMV's own.
type AuthenticationDetails struct {
	// TokenHashes are the SHA-256 of the tokens in the URLs we gave out, by use.
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
	MethodCompletion string    `json:"method_completion,omitempty"` // threeDSCompInd as sent
	// MethodOver says that the authenticator's page gave the 3DS method up.
	MethodOver bool `json:"method_over,omitempty"`
	// Again says that the session with the authenticator is spent: the next AReq is prepared anew, without the 3DS method.
	Again bool `json:"again,omitempty"`

	// FirstStatus is transStatus of the ARes, TransStatus the latest.
	FirstStatus       string   `json:"first_status,omitempty"`
	TransStatus       string   `json:"trans_status,omitempty"`
	TransStatusReason string   `json:"trans_status_reason,omitempty"`
	ChallengeCancel   string   `json:"challenge_cancel,omitempty"`
	ChallengeInds     []string `json:"challenge_inds,omitempty"`
	ChallengeWindow   string   `json:"challenge_window,omitempty"`
	// ECI and CAVVAlgorithm are as told; what the processor was given is in SentECI, "" for no proof. RecordedECI is the one that the payment
	// counts under, which there is also without proof (Visa 07).
	ECI           string `json:"eci,omitempty"`
	CAVVAlgorithm string `json:"cavv_algorithm,omitempty"`
	SentECI       string `json:"sent_eci,omitempty"`
	RecordedECI   string `json:"recorded_eci,omitempty"`
	// Shift says whether the issuer is expected to bear fraud: expected, not_expected, unknown; "" until it has ended.
	Shift string `json:"liability_shift,omitempty"`

	Bound    AuthenticationBinding  `json:"bound"`
	Merchant AuthenticationMerchant `json:"merchant"`
	// Exemption asked for, by which way (3ds, authorization), and the one that the ACS says it applied.
	Exemption        string `json:"exemption,omitempty"`
	ExemptionRoute   string `json:"exemption_route,omitempty"`
	ExemptionApplied string `json:"exemption_applied,omitempty"`
	ExemptionReason  string `json:"exemption_reason,omitempty"` // why it was decided so
	// DecoupledMinutes is how long a decoupled challenge was allowed to take, 0 where none was asked for.
	DecoupledMinutes int `json:"decoupled_minutes,omitempty"`
	// ThreeRIInd, Prior and Recurring are of an authentication without the payer.
	ThreeRIInd string                   `json:"three_ri_ind,omitempty"`
	Prior      *sdk.PriorAuthentication `json:"prior,omitempty"`
	Recurring  *sdk.RecurringTerms      `json:"recurring,omitempty"`
	StepUp     bool                     `json:"step_up,omitempty"` // follows a soft decline

	PreparedAt       time.Time `json:"prepared_at,omitzero"`
	SessionExpiresAt time.Time `json:"session_expires_at,omitzero"`
	AskedAt          time.Time `json:"asked_at,omitzero"`      // AReq
	AnsweredAt       time.Time `json:"answered_at,omitzero"`   // ARes
	ChallengedAt     time.Time `json:"challenged_at,omitzero"` // the CRes, or an error of the ACS, came by the browser
	EndedAt          time.Time `json:"ended_at,omitzero"`
	// ChallengeError says that the browser brought an error of the ACS instead of a CRes.
	ChallengeError bool   `json:"challenge_error,omitempty"`
	CResStatus     string `json:"cres_status,omitempty"` // what a CRes claims; no evidence
	Tries          int    `json:"tries,omitempty"`       // AReqs
	Pulls          int    `json:"pulls,omitempty"`       // results asked for

	// ErrorCode is the payment's error_code where it ended without an authorization; Component, Detail and Vendor code as told.
	ErrorCode      string         `json:"error_code,omitempty"`
	ErrorMessage   string         `json:"error_message,omitempty"`
	ErrorClass     sdk.ErrorClass `json:"error_class,omitempty"`
	VendorCode     string         `json:"vendor_code,omitempty"`
	ErrorComponent string         `json:"error_component,omitempty"`
	ErrorDetail    string         `json:"error_detail,omitempty"`
	// Flags are what the policy found worth noting on the way (threeds.Flag), each once.
	Flags []string `json:"flags,omitempty"`
}

// AuthenticationBinding is what an authentication is good for. Card is a keyed hash of the number.
type AuthenticationBinding struct {
	Amount      int64        `json:"amount"`
	Currency    sdk.Currency `json:"currency"`
	Card        []byte       `json:"card"`
	AccountID   string       `json:"account_id"` // the processor's connector account
	AcquirerBIN string       `json:"acquirer_bin,omitempty"`
	AcquirerMID string       `json:"acquirer_mid,omitempty"`
}

// AuthenticationMerchant is how the merchant is shown to the issuer.
type AuthenticationMerchant struct {
	AcquirerCountry string `json:"acquirer_country,omitempty"` // ISO 3166-1 alpha-2
	Name            string `json:"name,omitempty"`
	Country         string `json:"country,omitempty"` // ISO 3166-1 alpha-2
	MCC             string `json:"mcc,omitempty"`
}

// AuthenticationPrivate is the secret part of an authentication.
type AuthenticationPrivate struct {
	// Tokens are those in the URLs we gave out, by use: answers show some of the URLs again.
	Tokens map[URLUse]string `json:"tokens,omitempty"`
	// MethodKey and MethodData are the form field for the 3DS method.
	MethodKey  string `json:"method_key,omitempty"`
	MethodData string `json:"method_data,omitempty"`
	// Frames are the authenticator's own pages for the 3DS method.
	Frames []string `json:"frames,omitempty"`

	ACSURL  string `json:"acs_url,omitempty"`
	CReq    string `json:"creq,omitempty"`
	CReqKey string `json:"creq_key,omitempty"`
	// ByGet says that ACSURL is a page to be loaded with GET.
	ByGet          bool        `json:"by_get,omitempty"`
	SignedContent  string      `json:"signed_content,omitempty"`
	CRes           string      `json:"cres,omitempty"` // no evidence
	CAVV           string      `json:"cavv,omitempty"`
	CardholderInfo string      `json:"cardholder_info,omitempty"`
	App            *sdk.AppSDK `json:"app,omitempty"`
	// Data is what the adapter asked to be told again.
	Data string `json:"data,omitempty"`
}

// AttemptAuthentication is what an attempt shows of its authentication.
type AttemptAuthentication struct {
	ID        string              `json:"id"`
	Connector string              `json:"connector"` // the authenticator, "" for a result that the merchant brought
	State     AuthenticationState `json:"state"`
	Status    string              `json:"status"`         // started, pending, success, failed
	Flow      string              `json:"flow,omitempty"` // frictionless, challenge
	Outcome   string              `json:"outcome,omitempty"`

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

// AttemptInvoke is what the payer's browser needs to run an authentication (next_action three_ds_invoke).
type AttemptInvoke struct {
	MethodURL         string          `json:"method_url,omitempty"` // "" where there is no 3DS method
	MethodKey         string          `json:"method_key,omitempty"`
	MethodData        string          `json:"method_data,omitempty"`
	AuthorizeToken    string          `json:"authorize_token"`
	PageToken         string          `json:"page_token"`
	Version           string          `json:"version,omitempty"`
	DirectoryServerID string          `json:"directory_server_id,omitempty"`
	Network           sdk.CardNetwork `json:"network,omitempty"`
	Connector         string          `json:"connector"` // the authenticator
	// PostMessage says that the authenticator's page tells the end of the 3DS method by a message of its own.
	PostMessage bool `json:"post_message,omitempty"`
	// WaitFrom and WaitUntil are set where the issuer reaches the payer by itself, in its app say: there is nothing to run, but to wait.
	WaitFrom  time.Time `json:"wait_from,omitzero"`
	WaitUntil time.Time `json:"wait_until,omitzero"`
}

// flow is frictionless or challenge, "" before the ARes.
func (d *AuthenticationDetails) flow() string {
	switch d.FirstStatus {
	case "":
		return ""
	case "C", "D":
		return "challenge"
	}
	return "frictionless"
}

// summaryOf is what the attempt shows of an authentication.
func summaryOf(a *Authentication) *AttemptAuthentication {
	d := &a.Details
	s := &AttemptAuthentication{ID: a.ID, Connector: a.Connector, State: a.State, Status: "pending", Flow: d.flow(), Outcome: a.Outcome,
		ServerTransID: d.ServerTransID, DSTransID: d.DSTransID, ACSTransID: d.ACSTransID, Version: d.MessageVersion, Network: d.Network,
		TransStatus: d.TransStatus, TransStatusReason: d.TransStatusReason, ChallengeCancel: d.ChallengeCancel, ECI: d.SentECI, Shift: d.Shift,
		Exemption: d.Exemption, ErrorCode: d.ErrorCode, ErrorMessage: d.ErrorMessage}
	switch {
	case a.State == AuthenticationConsumed && (a.Outcome == "authenticated" || a.Outcome == "attempted" || a.Outcome == "exempted"):
		s.Status = "success"
	case a.State.Ended():
		s.Status = "failed"
	case a.State == AuthenticationCreated || a.State == AuthenticationPrepared:
		s.Status = "started"
	}
	return s
}

// authenticated says whether an authentication of ours came before the attempt's authorization, however it ended.
func (a *Attempt) authenticated() bool {
	return a.Details.Authentication != nil && a.Details.Authentication.Connector != ""
}

// ShortTermID names the authentication's instrument among those kept for a short time.
func (a *Authentication) ShortTermID() string { return "authentication/" + a.ID }

// URLUse is what a public URL is for. A token of one use opens no URL of another use.
type URLUse string

const (
	URLRedirect  URLUse = "redirect" // our page that sends the payer on to the processor
	URLReturn    URLUse = "return"   // where the processor sends the payer back to
	URLMethod    URLUse = "m"        // the end of the 3DS method
	URLChallenge URLUse = "c"        // the end of the challenge
	URLEvent     URLUse = "e"        // an event of the authenticator's own page
	URLResult    URLUse = "r"        // the authenticator pushes the result
	URLHosted    URLUse = "p"        // the hosted page
	URLAuthorize URLUse = "a"        // the page that waits and sends the payer back to the shop
	URLFrames    URLUse = "f"        // a page of ours with the authenticator's frames for the 3DS method
	URLOpen      URLUse = "g"        // leads to the authenticator's page for the challenge
)

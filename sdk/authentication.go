package sdk

import "strings"

// This file holds the requests and answers of an authenticator, in the terms of EMV 3-D Secure 2.x. Codes are EMV's own. They are texts,
// as leading zeros count.

// DeviceChannel is the channel through which the authenticator reaches the payer.
type DeviceChannel string

const (
	ChannelApp     DeviceChannel = "APP" // a 3DS SDK in an app (EMV 01)
	ChannelBrowser DeviceChannel = "BRW" // a browser (EMV 02)
	Channel3RI     DeviceChannel = "3RI" // no payer present: the merchant asks on its own (EMV 03)
)

// AuthenticationRequest is what an authenticator needs in addition to amount, card, addresses and browser. It is the same in all
// operations of one authentication, except for the results of earlier operations. An empty field means that the value is not known:
// the adapter leaves it out, or rejects if its authenticator needs it.
type AuthenticationRequest struct {
	AuthenticationID string        `json:"authentication_id"` // payswitch's id of the authentication
	DeviceChannel    DeviceChannel `json:"device_channel,omitempty"`
	// MessageCategory is 01 payment, 02 non-payment (a card to be stored), or a scheme's own: 80 is Mastercard's data only. "" means 01.
	MessageCategory string `json:"message_category,omitempty"`
	// MessageVersion is the protocol version chosen among those prepare offered: "2.2.0". The adapter leaves out what this version does not define.
	MessageVersion string `json:"message_version,omitempty"`
	// Network is the brand to use of a co-badged card. "" means all brands of the card in prepare, and Card.Network elsewhere.
	Network CardNetwork `json:"network,omitempty"`
	// Data is the last non-empty AuthenticationOutcome.Data of this authentication.
	Data string `json:"data,omitempty"`

	ServerTransID string `json:"server_trans_id,omitempty"` // threeDSServerTransID of prepare
	ACSTransID    string `json:"acs_trans_id,omitempty"`    // of authenticate
	DSTransID     string `json:"ds_trans_id,omitempty"`     // of authenticate
	// MethodCompletion is threeDSCompInd: Y the 3DS method ended, N the method did not end in time, U there was no method.
	MethodCompletion string `json:"method_completion,omitempty"`

	// The host's URLs, each for this authentication alone: https, at most 256 characters, without a query.
	NotificationURL       string `json:"notification_url,omitempty"`        // where the ACS sends the browser after the challenge
	MethodNotificationURL string `json:"method_notification_url,omitempty"` // where the ACS posts the end of the 3DS method
	ResultURL             string `json:"result_url,omitempty"`              // where the authenticator pushes the result
	EventURL              string `json:"event_url,omitempty"`               // where the authenticator's own pages post events

	RequestorID     string `json:"requestor_id,omitempty"` // threeDSRequestorID, where the account does not set it
	RequestorName   string `json:"requestor_name,omitempty"`
	RequestorURL    string `json:"requestor_url,omitempty"`
	RequestorAppURL string `json:"requestor_app_url,omitempty"` // URL that opens the app again after an out-of-band challenge
	AcquirerBIN     string `json:"acquirer_bin,omitempty"`
	AcquirerMID     string `json:"acquirer_merchant_id,omitempty"`
	AcquirerCountry string `json:"acquirer_country,omitempty"` // ISO 3166-1 alpha-2
	MerchantName    string `json:"merchant_name,omitempty"`
	MerchantCountry string `json:"merchant_country,omitempty"` // ISO 3166-1 alpha-2
	MCC             string `json:"mcc,omitempty"`              // four digits

	// AuthenticationInd is threeDSRequestorAuthenticationInd: 01 payment, 02 recurring, 03 installment, 04 add card … "" means 01.
	AuthenticationInd string `json:"authentication_indicator,omitempty"`
	// ChallengeInds are threeDSRequestorChallengeInd: the wish of the merchant and, from 2.3.1, a second choice. They also ask for exemptions.
	ChallengeInds []string `json:"challenge_indicators,omitempty"`
	// ThreeRIInd is threeRIInd: 01 recurring, 02 installment … of a 3RI authentication.
	ThreeRIInd string `json:"three_ri_indicator,omitempty"`
	// ChallengeWindow is challengeWindowSize: 01 250×400, 02 390×400, 03 500×600, 04 600×400, 05 full screen.
	ChallengeWindow string `json:"challenge_window,omitempty"`
	// TransType is transType: 01 goods or services, 03, 10, 11, 28.
	TransType string `json:"trans_type,omitempty"`
	// DecoupledMinutes allows a decoupled challenge of at most this many minutes (1 to 10080); 0 allows no decoupled challenge.
	DecoupledMinutes int `json:"decoupled_minutes,omitempty"`
	// AccountType is acctType, in countries where the payer chooses: 01 not applicable, 02 credit, 03 debit.
	AccountType string `json:"account_type,omitempty"`

	Recurring *RecurringTerms `json:"recurring,omitempty"`
	// Prior is the earlier authentication that this one follows (threeDSRequestorPriorAuthenticationInfo); 3RI needs it.
	Prior *PriorAuthentication `json:"prior,omitempty"`
	// Login is the payer's sign-in at the merchant (threeDSRequestorAuthenticationInfo).
	Login *RequestorLogin `json:"login,omitempty"`
	// App holds the data of the 3DS SDK in the app; APP only.
	App *AppSDK `json:"app,omitempty"`

	// AccountInfo, MerchantRisk and Extensions are acctInfo, merchantRiskIndicator and messageExtension: JSON texts in EMV's shape.
	AccountInfo  string `json:"account_info,omitempty"`
	MerchantRisk string `json:"merchant_risk,omitempty"`
	Extensions   string `json:"extensions,omitempty"`

	// CRes is the message that the browser brought from the ACS, in result. It proves nothing; some authenticators want it.
	CRes string `json:"cres,omitempty"`
	// CancelReason is the reason of cancel_challenge.
	CancelReason CancelReason `json:"cancel_reason,omitempty"`
}

// CancelReason is the reason of cancel_challenge. Its constants are the wire values.
type CancelReason string

const (
	CancelNotSent CancelReason = "not_sent" // the challenge never began
	CancelLeft    CancelReason = "left"     // the payer went away
)

// RecurringTerms are the terms of a series of payments that begins or continues with an authentication.
type RecurringTerms struct {
	Expiry        string `json:"expiry,omitempty"`         // recurringExpiry, YYYYMMDD
	FrequencyDays int    `json:"frequency_days,omitempty"` // recurringFrequency: the least number of days between two payments
	Installments  int    `json:"installments,omitempty"`   // purchaseInstalData, 2 to 999
	Amount        *Money `json:"amount,omitempty"`         // recurringAmount, from 2.3.1
	Date          string `json:"date,omitempty"`           // recurringDate, YYYYMMDD of the first payment, from 2.3.1
	AmountInd     string `json:"amount_indicator,omitempty"`
	FrequencyInd  string `json:"frequency_indicator,omitempty"`
}

// PriorAuthentication is an earlier authentication of the same cardholder.
type PriorAuthentication struct {
	Reference string `json:"reference"`        // its acsTransID
	Method    string `json:"method,omitempty"` // 01 frictionless, 02 challenge, 03 address verification, 04 other
	Time      int64  `json:"time,omitempty"`   // Unix milliseconds
	Data      string `json:"data,omitempty"`
}

// RequestorLogin is the payer's sign-in at the merchant.
type RequestorLogin struct {
	Method string `json:"method"`         // threeDSReqAuthMethod: 01 no sign-in, 02 the merchant's own, 03 federated …
	Time   int64  `json:"time,omitempty"` // Unix milliseconds
	Data   string `json:"data,omitempty"`
}

// AppSDK is the data of a 3DS SDK in an app.
type AppSDK struct {
	AppID           string   `json:"app_id"`
	EncData         string   `json:"enc_data"`                 // sdkEncData, a JWE
	EphemPubKey     string   `json:"ephem_pub_key"`            // sdkEphemPubKey, a JWK as JSON text
	MaxTimeout      int      `json:"max_timeout"`              // minutes, 5 to 99
	ReferenceNumber string   `json:"reference_number"`         // sdkReferenceNumber
	TransID         string   `json:"trans_id"`                 // sdkTransID
	Interface       string   `json:"interface,omitempty"`      // sdkInterface: 01 native, 02 HTML, 03 both. "" means 03
	UITypes         []string `json:"ui_types,omitempty"`       // sdkUiType; empty means 01 to 05
	Type            string   `json:"type,omitempty"`           // sdkType, from 2.3.1
	DeviceDetails   string   `json:"device_details,omitempty"` // JSON text, from 2.3.1
}

// AuthenticationOutcome is an authenticator's answer.
//
//	prepare       Ranges where the card takes part, NotEnrolled where it does not, Error where the authenticator cannot say
//	authenticate  TransStatus and its fields, or Error
//	result        TransStatus and its fields, Pending, Gone, or Error
//	webhook       as result, or Event
//
// Exactly one of these is set. A missing or unreadable answer is StatusUnknown, never NotEnrolled.
type AuthenticationOutcome struct {
	// Ranges are the card ranges that contain the card, one for each brand of a co-badged card.
	Ranges []CardRange `json:"ranges,omitempty"`
	// NotEnrolled means that the authenticator said explicitly: the card takes no part in 3-D Secure 2.
	NotEnrolled bool `json:"not_enrolled,omitempty"`
	// MethodData and MethodKey are value and name of the form field to post to the method URL, if the authenticator requires its own. ""
	// means the usual threeDSMethodData.
	MethodData string `json:"method_data,omitempty"`
	MethodKey  string `json:"method_key,omitempty"`
	// Frames are pages of the authenticator. The browser loads them with GET in hidden frames; they run the 3DS method and post to EventURL.
	Frames []string `json:"frames,omitempty"`

	// TransStatus is Y authenticated, A attempted, N not authenticated, R rejected, U unavailable, I informational, C challenge, D
	// decoupled challenge, S SPC, and nothing else.
	TransStatus       string `json:"trans_status,omitempty"`
	TransStatusReason string `json:"trans_status_reason,omitempty"` // two digits
	ECI               string `json:"eci,omitempty"`                 // two characters, as received
	// CAVV is the authentication value: a stand-in made by Send.Capture or WebhookRule.Capture. "" means no authentication value.
	CAVV               string `json:"cavv,omitempty"`
	CAVVAlgorithm      string `json:"cavv_algorithm,omitempty"`
	MessageVersion     string `json:"message_version,omitempty"`
	ServerTransID      string `json:"server_trans_id,omitempty"` // also in prepare
	DSTransID          string `json:"ds_trans_id,omitempty"`
	ACSTransID         string `json:"acs_trans_id,omitempty"`
	ACSReference       string `json:"acs_reference,omitempty"`       // acsReferenceNumber
	DSReference        string `json:"ds_reference,omitempty"`        // dsReferenceNumber
	AuthenticationType string `json:"authentication_type,omitempty"` // 01 static, 02 dynamic, 03 out of band, 04 decoupled

	// The fields of a challenge, with TransStatus C. If the manifest's challenge is "creq_post", the browser posts CReq to ACSURL; "" has the
	// host make the CReq. If the manifest's challenge is "get_frame", the browser loads ACSURL with GET.
	ACSURL             string `json:"acs_url,omitempty"`
	CReq               string `json:"creq,omitempty"`
	CReqKey            string `json:"creq_key,omitempty"`            // form field of CReq, "creq" by default
	ACSSignedContent   string `json:"acs_signed_content,omitempty"`  // APP
	ACSRenderingType   string `json:"acs_rendering_type,omitempty"`  // APP: JSON text
	ChallengeMandated  string `json:"challenge_mandated,omitempty"`  // acsChallengeMandated: kept for the record alone
	DecoupledConfirmed bool   `json:"decoupled_confirmed,omitempty"` // acsDecConInd Y
	ChallengeCancel    string `json:"challenge_cancel,omitempty"`    // why a challenge ended without an answer, two digits
	InteractionCounter string `json:"interaction_counter,omitempty"`

	CardholderInfo   string `json:"cardholder_info,omitempty"`   // the issuer's text for the payer; never trust it as markup
	ExemptionApplied string `json:"exemption_applied,omitempty"` // transChallengeExemption: 05, 08, 10, 11, 79 none
	TrustListStatus  string `json:"trust_list_status,omitempty"` // trustListStatus, whiteListStatus before 2.3.1
	Extensions       string `json:"extensions,omitempty"`        // messageExtension, JSON text
	// SchemeData holds values that one scheme alone sends, by name: "cb_score".
	SchemeData map[string]string `json:"scheme_data,omitempty"`

	Pending bool `json:"pending,omitempty"` // result: there is no result yet
	Gone    bool `json:"gone,omitempty"`    // result: the authenticator does not know the transaction, or no longer
	// Event is the report of a page of the authenticator. An event proves nothing.
	Event AuthenticationEvent  `json:"event,omitempty"`
	Error *AuthenticationError `json:"error,omitempty"`

	// Data comes back in later operations of this authentication (AuthenticationRequest.Data), at most MaxConnectorData bytes. "" leaves
	// the earlier Data as it was.
	Data string `json:"data,omitempty"`
}

// AuthenticationEvent is the report of a page of the authenticator. Its constants are the wire values.
type AuthenticationEvent string

const (
	EventMethodCompleted AuthenticationEvent = "method_completed"
	EventMethodSkipped   AuthenticationEvent = "method_skipped"
	EventTimedOut        AuthenticationEvent = "timed_out"
	EventResultReady     AuthenticationEvent = "result_ready"
	EventInformation     AuthenticationEvent = "information"
)

// CardRange is a range of card numbers at one directory server.
type CardRange struct {
	Network           CardNetwork `json:"network,omitempty"`
	DirectoryServerID string      `json:"directory_server_id,omitempty"` // the RID, where known
	// Versions that card and directory server have in common, in the order received.
	Versions []ProtocolVersion `json:"versions"`
}

// ProtocolVersion is a protocol version that an ACS speaks.
type ProtocolVersion struct {
	Version   string   `json:"version"`              // "2.2.0"
	MethodURL string   `json:"method_url,omitempty"` // threeDSMethodURL; "" means no 3DS method
	ACSInfo   []string `json:"acs_info,omitempty"`   // acsInfoInd
}

// AuthenticationError is an error message of the authenticator, a directory server or an ACS: an Erro message, or the vendor's own.
type AuthenticationError struct {
	Class       ErrorClass `json:"class"`
	Code        string     `json:"code"`                // as received: EMV's errorCode, or the vendor's, or "http_401"
	Component   string     `json:"component,omitempty"` // errorComponent: C SDK, S 3DS server, D directory server, A ACS
	Description string     `json:"description,omitempty"`
	Detail      string     `json:"detail,omitempty"`
}

// ErrorClass is the consequence of an error for the payment.
type ErrorClass string

const (
	ErrorTechnical   ErrorClass = "technical"   // something is broken or slow: treat the issuer as unavailable
	ErrorBadRequest  ErrorClass = "bad_request" // the request is wrong, perhaps because of the browser's data: never authorize
	ErrorConfig      ErrorClass = "config"      // the account or the merchant is set up wrongly
	ErrorCredentials ErrorClass = "credentials" // the authenticator refuses the account's credentials
	ErrorProtocol    ErrorClass = "protocol"    // an ARes or RReq that EMV 3-D Secure does not allow: never authorize
)

// EMVErrorClass returns the class of an EMV 3-D Secure errorCode (specification, table A.4) in answers to authenticate and result.
// Unknown codes are technical.
func EMVErrorClass(code string) ErrorClass {
	switch code {
	case "101", "102", "201", "202", "203", "204", "301", "304", "305":
		return ErrorBadRequest
	case "303", "306", "307":
		return ErrorConfig
	}
	return ErrorTechnical
}

// AuthenticatorRule describes how an authenticator works. Times are in seconds.
type AuthenticatorRule struct {
	Channels        []DeviceChannel `json:"channels"`
	MessageVersions []string        `json:"message_versions"` // "2.1.0", "2.2.0", "2.3.1"
	// SessionTTL is how long authenticate can use the answer of prepare; 0 means no known limit.
	SessionTTL int `json:"session_ttl,omitempty"`
	// Method is the way the browser runs the 3DS method. "" means acs_post.
	Method MethodRun `json:"method,omitempty"`
	// Completion is the way the end of the 3DS method is reported. "" means notification.
	Completion MethodReport `json:"completion,omitempty"`
	// Challenge is the way a challenge begins. "" means creq_post.
	Challenge ChallengeStart `json:"challenge,omitempty"`
	// Result is the way the result arrives.
	Result ResultDelivery `json:"result"`
	// ResultTTL is how long a result can be pulled; DecoupledTTL is the same after a decoupled challenge. 0 means no known limit.
	ResultTTL    int `json:"result_ttl,omitempty"`
	DecoupledTTL int `json:"decoupled_ttl,omitempty"`
	// PushAuthentication is the proof that a push comes from the authenticator.
	PushAuthentication PushProof `json:"push_authentication,omitempty"`
	// Decoupled and DataOnly mean that the merchant can ask for these. NeedsAmount means that the amount cannot be zero.
	Decoupled   bool `json:"decoupled,omitempty"`
	DataOnly    bool `json:"data_only,omitempty"`
	NeedsAmount bool `json:"needs_amount,omitempty"`
}

// MethodRun is the way the browser runs the 3DS method. Its constants are the wire values.
type MethodRun string

const (
	MethodACSPost  MethodRun = "acs_post"  // a form with threeDSMethodData to the method URL
	MethodGetFrame MethodRun = "get_frame" // the pages of AuthenticationOutcome.Frames
	MethodJWTPost  MethodRun = "jwt_post"
)

// MethodReport is the way the end of the 3DS method is reported. Its constants are the wire values.
type MethodReport string

const (
	MethodByNotification MethodReport = "notification" // to MethodNotificationURL
	MethodByEvent        MethodReport = "event"        // to EventURL
	MethodByPostMessage  MethodReport = "post_message" // to the page that holds the frame
)

// ChallengeStart is the way a challenge begins. Its constants are the wire values.
type ChallengeStart string

const (
	ChallengeCReqPost ChallengeStart = "creq_post"
	ChallengeGetFrame ChallengeStart = "get_frame"
	ChallengeJWTPost  ChallengeStart = "jwt_post"
)

// ResultDelivery is the way the result of a challenge arrives. Its constants are the wire values.
type ResultDelivery string

const (
	ResultPull        ResultDelivery = "pull"
	ResultPullOnce    ResultDelivery = "pull_once" // the authenticator forgets the result once read
	ResultPush        ResultDelivery = "push"
	ResultPushAndPull ResultDelivery = "push_and_pull"
)

// PushProof is the proof that a push comes from the authenticator. Its constants are the wire values.
type PushProof string

const (
	PushProofNone PushProof = "none" // the unguessable ResultURL alone
	PushProofHMAC PushProof = "hmac"
	PushProofMTLS PushProof = "mtls"
	PushProofIP   PushProof = "ip"
)

// Problems lists what is wrong with the rule, nil if nothing is. Each text begins with the field's name.
func (r *AuthenticatorRule) Problems() (all []string) {
	oneOf := func(field, value string, values ...string) {
		for _, v := range values {
			if v == value {
				return
			}
		}
		all = append(all, field+": \""+value+"\" is not one of "+strings.Join(values, ", "))
	}
	if len(r.Channels) == 0 || len(r.MessageVersions) == 0 {
		all = append(all, "channels: an authenticator needs at least one channel and one of message_versions")
	}
	for _, c := range r.Channels {
		oneOf("channels", string(c), string(ChannelApp), string(ChannelBrowser), string(Channel3RI))
	}
	for _, v := range r.MessageVersions {
		oneOf("message_versions", v, "2.1.0", "2.2.0", "2.3.0", "2.3.1")
	}
	oneOf("method", string(r.Method), "", string(MethodACSPost), string(MethodGetFrame), string(MethodJWTPost))
	oneOf("completion", string(r.Completion), "", string(MethodByNotification), string(MethodByEvent), string(MethodByPostMessage))
	oneOf("challenge", string(r.Challenge), "", string(ChallengeCReqPost), string(ChallengeGetFrame), string(ChallengeJWTPost))
	oneOf("result", string(r.Result), string(ResultPull), string(ResultPullOnce), string(ResultPush), string(ResultPushAndPull))
	oneOf("push_authentication", string(r.PushAuthentication), "", string(PushProofNone), string(PushProofHMAC), string(PushProofMTLS), string(PushProofIP))
	if r.SessionTTL < 0 || r.ResultTTL < 0 || r.DecoupledTTL < 0 {
		all = append(all, "session_ttl, result_ttl, decoupled_ttl: a time cannot be negative")
	}
	return all
}

// Pulls reports whether the operation result can fetch the result.
func (r *AuthenticatorRule) Pulls() bool { return r.Result != ResultPush }

// Pushes reports whether the authenticator sends the result on its own.
func (r *AuthenticatorRule) Pushes() bool {
	return r.Result == ResultPush || r.Result == ResultPushAndPull
}

// Offers reports whether the authenticator works in a channel.
func (r *AuthenticatorRule) Offers(c DeviceChannel) bool {
	for _, have := range r.Channels {
		if have == c {
			return true
		}
	}
	return false
}

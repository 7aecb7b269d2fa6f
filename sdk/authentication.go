package sdk

import "strings"

// This file holds what an authenticator is asked and what it answers, in the terms of EMV 3-D Secure 2.x. Codes are EMV's own, as
// texts: leading zeros count.

// DeviceChannel is how the payer is reached.
type DeviceChannel string

const (
	ChannelApp     DeviceChannel = "APP" // a 3DS SDK in an app (EMV 01)
	ChannelBrowser DeviceChannel = "BRW" // a browser (EMV 02)
	Channel3RI     DeviceChannel = "3RI" // nobody: the merchant asks on its own (EMV 03)
)

// AuthenticationRequest is what an authenticator needs beside amount, card, addresses and browser. It is the same in all operations of
// one authentication, but for what an earlier one gave. Absent means not given: an adapter leaves the field out, or rejects where its
// authenticator cannot do without.
type AuthenticationRequest struct {
	AuthenticationID string        `json:"authentication_id"` // ours
	DeviceChannel    DeviceChannel `json:"device_channel,omitempty"`
	// MessageCategory is 01 payment, 02 non-payment (a card to be stored), or a scheme's own: 80 is Mastercard's data only. "" means 01.
	MessageCategory string `json:"message_category,omitempty"`
	// MessageVersion is the protocol version chosen among those prepare offered: "2.2.0". What it does not know is left out.
	MessageVersion string `json:"message_version,omitempty"`
	// Network is the brand to be used of a co-badged card. "" in prepare: all of the card's; else "" means Card.Network.
	Network CardNetwork `json:"network,omitempty"`
	// Data is what this adapter asked to be told again in AuthenticationOutcome.Data, of the last operation that gave any.
	Data string `json:"data,omitempty"`

	ServerTransID string `json:"server_trans_id,omitempty"` // threeDSServerTransID of prepare
	ACSTransID    string `json:"acs_trans_id,omitempty"`    // of authenticate
	DSTransID     string `json:"ds_trans_id,omitempty"`     // of authenticate
	// MethodCompletion is threeDSCompInd: Y the 3DS method ended, N it did not in time, U there was none.
	MethodCompletion string `json:"method_completion,omitempty"`

	// Our URLs, each for this authentication alone: https, at most 256 characters, without a query.
	NotificationURL       string `json:"notification_url,omitempty"`        // where the ACS sends the browser after the challenge
	MethodNotificationURL string `json:"method_notification_url,omitempty"` // where it posts that the 3DS method ended
	ResultURL             string `json:"result_url,omitempty"`              // where the authenticator pushes the result
	EventURL              string `json:"event_url,omitempty"`               // where the authenticator's own pages post events

	RequestorID     string `json:"requestor_id,omitempty"` // threeDSRequestorID, where the account does not set it
	RequestorName   string `json:"requestor_name,omitempty"`
	RequestorURL    string `json:"requestor_url,omitempty"`
	RequestorAppURL string `json:"requestor_app_url,omitempty"` // where an app is to be opened again after an out-of-band challenge
	AcquirerBIN     string `json:"acquirer_bin,omitempty"`
	AcquirerMID     string `json:"acquirer_merchant_id,omitempty"`
	AcquirerCountry string `json:"acquirer_country,omitempty"` // ISO 3166-1 alpha-2
	MerchantName    string `json:"merchant_name,omitempty"`
	MerchantCountry string `json:"merchant_country,omitempty"` // ISO 3166-1 alpha-2
	MCC             string `json:"mcc,omitempty"`              // four digits

	// AuthenticationInd is threeDSRequestorAuthenticationInd: 01 payment, 02 recurring, 03 installment, 04 add card … "" means 01.
	AuthenticationInd string `json:"authentication_indicator,omitempty"`
	// ChallengeInds are threeDSRequestorChallengeInd: what is wanted, and for 2.3.1 what else will do. Exemptions are asked for here.
	ChallengeInds []string `json:"challenge_indicators,omitempty"`
	// ThreeRIInd is threeRIInd: 01 recurring, 02 installment … of a 3RI authentication.
	ThreeRIInd string `json:"three_ri_indicator,omitempty"`
	// ChallengeWindow is challengeWindowSize: 01 250×400, 02 390×400, 03 500×600, 04 600×400, 05 full screen.
	ChallengeWindow string `json:"challenge_window,omitempty"`
	// TransType is transType: 01 goods or services, 03, 10, 11, 28.
	TransType string `json:"trans_type,omitempty"`
	// DecoupledMinutes asks for a decoupled challenge, if need be, of so many minutes at most (1 to 10080); 0 asks for none.
	DecoupledMinutes int `json:"decoupled_minutes,omitempty"`
	// AccountType is acctType: 01 not applicable, 02 credit, 03 debit, where the country has the payer choose.
	AccountType string `json:"account_type,omitempty"`

	Recurring *RecurringTerms `json:"recurring,omitempty"`
	// Prior is the authentication this one follows (threeDSRequestorPriorAuthenticationInfo); 3RI needs it.
	Prior *PriorAuthentication `json:"prior,omitempty"`
	// Login is how the payer signed in at the merchant's (threeDSRequestorAuthenticationInfo).
	Login *RequestorLogin `json:"login,omitempty"`
	// App is the app SDK's part; APP only.
	App *AppSDK `json:"app,omitempty"`

	// AccountInfo, MerchantRisk and Extensions are acctInfo, merchantRiskIndicator and messageExtension: JSON texts in EMV's shape.
	AccountInfo  string `json:"account_info,omitempty"`
	MerchantRisk string `json:"merchant_risk,omitempty"`
	Extensions   string `json:"extensions,omitempty"`

	// CRes is what the ACS had the browser bring: no evidence, but some authenticators want to see it. result.
	CRes string `json:"cres,omitempty"`
	// CancelReason says in cancel_challenge why: "not_sent" (the challenge was never begun), "left" (the payer went away).
	CancelReason string `json:"cancel_reason,omitempty"`
}

// RecurringTerms are those of a series of payments that begins with an authentication, or goes on with one.
type RecurringTerms struct {
	Expiry        string `json:"expiry,omitempty"`         // recurringExpiry, YYYYMMDD
	FrequencyDays int    `json:"frequency_days,omitempty"` // recurringFrequency: at least so many days between two
	Installments  int    `json:"installments,omitempty"`   // purchaseInstalData, 2 to 999
	Amount        *Money `json:"amount,omitempty"`         // recurringAmount, from 2.3.1
	Date          string `json:"date,omitempty"`           // recurringDate, YYYYMMDD of the first, from 2.3.1
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

// RequestorLogin is how the payer signed in at the merchant's.
type RequestorLogin struct {
	Method string `json:"method"`         // threeDSReqAuthMethod: 01 not at all, 02 the merchant's own, 03 federated …
	Time   int64  `json:"time,omitempty"` // Unix milliseconds
	Data   string `json:"data,omitempty"`
}

// AppSDK is what a 3DS SDK in an app gave.
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
//	authenticate  TransStatus and what goes with it, or Error
//	result        TransStatus and what goes with it, Pending, Gone, or Error
//	webhook       in an Event: as result, or Event
//
// Exactly one of these is told. That there was no answer, or none that can be read, is StatusUnknown and never "does not take part".
type AuthenticationOutcome struct {
	// Ranges are the card ranges that the card is in, one for each brand of a co-badged card.
	Ranges []CardRange `json:"ranges,omitempty"`
	// NotEnrolled says that the authenticator answered that the card takes no part in 3-D Secure 2.
	NotEnrolled bool `json:"not_enrolled,omitempty"`
	// MethodData is the value of the form field MethodKey to post to the method URL, where the authenticator insists on its own; ""
	// means the usual threeDSMethodData.
	MethodData string `json:"method_data,omitempty"`
	MethodKey  string `json:"method_key,omitempty"`
	// Frames are pages of the authenticator's to be loaded with GET in hidden frames. They run the 3DS method and post to EventURL.
	Frames []string `json:"frames,omitempty"`

	// TransStatus is Y authenticated, A attempted, N not authenticated, R rejected, U unavailable, I informational, C challenge, D
	// decoupled challenge, S SPC, and nothing else.
	TransStatus       string `json:"trans_status,omitempty"`
	TransStatusReason string `json:"trans_status_reason,omitempty"` // two digits
	ECI               string `json:"eci,omitempty"`                 // two characters, as told
	// CAVV is the authentication value: a stand-in made by Send.Capture or WebhookRule.Capture. "" where there was none.
	CAVV               string `json:"cavv,omitempty"`
	CAVVAlgorithm      string `json:"cavv_algorithm,omitempty"`
	MessageVersion     string `json:"message_version,omitempty"`
	ServerTransID      string `json:"server_trans_id,omitempty"` // also in prepare
	DSTransID          string `json:"ds_trans_id,omitempty"`
	ACSTransID         string `json:"acs_trans_id,omitempty"`
	ACSReference       string `json:"acs_reference,omitempty"`       // acsReferenceNumber
	DSReference        string `json:"ds_reference,omitempty"`        // dsReferenceNumber
	AuthenticationType string `json:"authentication_type,omitempty"` // 01 static, 02 dynamic, 03 out of band, 04 decoupled

	// Challenge, with TransStatus C. Where the manifest's challenge is "creq_post", CReq is posted to ACSURL; "" means that the host
	// makes the CReq. Where it is "get_frame", ACSURL is loaded with GET.
	ACSURL             string `json:"acs_url,omitempty"`
	CReq               string `json:"creq,omitempty"`
	CReqKey            string `json:"creq_key,omitempty"`            // form field of CReq, "creq" by default
	ACSSignedContent   string `json:"acs_signed_content,omitempty"`  // APP
	ACSRenderingType   string `json:"acs_rendering_type,omitempty"`  // APP: JSON text
	ChallengeMandated  string `json:"challenge_mandated,omitempty"`  // acsChallengeMandated: for the record, decides nothing
	DecoupledConfirmed bool   `json:"decoupled_confirmed,omitempty"` // acsDecConInd Y
	ChallengeCancel    string `json:"challenge_cancel,omitempty"`    // why a challenge ended without an answer, two digits
	InteractionCounter string `json:"interaction_counter,omitempty"`

	CardholderInfo   string `json:"cardholder_info,omitempty"`   // the issuer's text to be shown to the payer; not to be trusted as markup
	ExemptionApplied string `json:"exemption_applied,omitempty"` // transChallengeExemption: 05, 08, 10, 11, 79 none
	TrustListStatus  string `json:"trust_list_status,omitempty"` // trustListStatus, whiteListStatus before 2.3.1
	Extensions       string `json:"extensions,omitempty"`        // messageExtension, JSON text
	// SchemeData is what one scheme alone tells, by name: "cb_score".
	SchemeData map[string]string `json:"scheme_data,omitempty"`

	Pending bool `json:"pending,omitempty"` // result: there is none yet
	Gone    bool `json:"gone,omitempty"`    // result: the authenticator does not know the transaction (any more)
	// Event is what a page of the authenticator's told: method_completed, method_skipped, timed_out, result_ready, information.
	// It is no evidence of anything.
	Event string               `json:"event,omitempty"`
	Error *AuthenticationError `json:"error,omitempty"`

	// Data is what this adapter wants to be told in the later operations of this authentication, at most MaxConnectorData bytes. What is
	// not given leaves what was kept as it is.
	Data string `json:"data,omitempty"`
}

// CardRange is a range of card numbers at one directory server.
type CardRange struct {
	Network           CardNetwork `json:"network,omitempty"`
	DirectoryServerID string      `json:"directory_server_id,omitempty"` // the RID, where it is told
	// Versions that card and directory server have in common, in the order told.
	Versions []ProtocolVersion `json:"versions"`
}

// ProtocolVersion is a version of the protocol that an ACS speaks.
type ProtocolVersion struct {
	Version   string   `json:"version"`              // "2.2.0"
	MethodURL string   `json:"method_url,omitempty"` // threeDSMethodURL; "" where there is no 3DS method
	ACSInfo   []string `json:"acs_info,omitempty"`   // acsInfoInd
}

// AuthenticationError is an error that the authenticator, a directory server or an ACS told: an Erro message, or the vendor's own.
type AuthenticationError struct {
	Class       ErrorClass `json:"class"`
	Code        string     `json:"code"`                // as told: EMV's errorCode, or the vendor's, or "http_401"
	Component   string     `json:"component,omitempty"` // errorComponent: C SDK, S 3DS server, D directory server, A ACS
	Description string     `json:"description,omitempty"`
	Detail      string     `json:"detail,omitempty"`
}

// ErrorClass says what an error means for the payment.
type ErrorClass string

const (
	ErrorTechnical   ErrorClass = "technical"   // something is broken or slow: as if the issuer were unavailable
	ErrorBadRequest  ErrorClass = "bad_request" // what we sent is wrong, perhaps because of what the browser sent: never authorize
	ErrorConfig      ErrorClass = "config"      // the account or the merchant is set up wrongly
	ErrorCredentials ErrorClass = "credentials" // the account's credentials are refused
	ErrorProtocol    ErrorClass = "protocol"    // an ARes or RReq that EMV 3-D Secure does not allow: never authorize
)

// EMVErrorClass is the class of an EMV 3-D Secure errorCode (specification, table A.4), in answers to authenticate and result. Codes it
// does not know are technical.
func EMVErrorClass(code string) ErrorClass {
	switch code {
	case "101", "102", "201", "202", "203", "204", "301", "304", "305":
		return ErrorBadRequest
	case "303", "306", "307":
		return ErrorConfig
	}
	return ErrorTechnical
}

// AuthenticatorRule says how an authenticator works. Times are in seconds.
type AuthenticatorRule struct {
	Channels        []DeviceChannel `json:"channels"`
	MessageVersions []string        `json:"message_versions"` // "2.1.0", "2.2.0", "2.3.1"
	// SessionTTL is how long what prepare gave can be used in authenticate; 0: no limit is known.
	SessionTTL int `json:"session_ttl,omitempty"`
	// Method says how the browser runs the 3DS method: "acs_post" (a form with threeDSMethodData to the method URL), "get_frame"
	// (AuthenticationOutcome.Frames), "jwt_post". "" means acs_post.
	Method string `json:"method,omitempty"`
	// Completion says how its end is told: "notification" (to MethodNotificationURL), "event" (to EventURL), "post_message". "" means
	// notification.
	Completion string `json:"completion,omitempty"`
	// Challenge says how it is begun: "creq_post", "get_frame", "jwt_post". "" means creq_post.
	Challenge string `json:"challenge,omitempty"`
	// Result says how it is had: "pull", "pull_once" (forgotten once read), "push", "push_and_pull".
	Result string `json:"result"`
	// ResultTTL is how long the result can be pulled once it is there; DecoupledTTL after a decoupled challenge. 0: no limit is known.
	ResultTTL    int `json:"result_ttl,omitempty"`
	DecoupledTTL int `json:"decoupled_ttl,omitempty"`
	// PushAuthentication says what proves that a push is the authenticator's: "none" (the unguessable ResultURL alone), "hmac", "mtls",
	// "ip".
	PushAuthentication string `json:"push_authentication,omitempty"`
	// Decoupled and DataOnly say that these can be asked for; NeedsAmount that a zero amount cannot be sent.
	Decoupled   bool `json:"decoupled,omitempty"`
	DataOnly    bool `json:"data_only,omitempty"`
	NeedsAmount bool `json:"needs_amount,omitempty"`
}

// Problems says what is wrong with the rule, one text each beginning with the field's name; nil if nothing is.
func (r *AuthenticatorRule) Problems() (all []string) {
	oneOf := func(field, value string, values ...string) {
		for _, v := range values {
			if v == value {
				return
			}
		}
		all = append(all, field+": "+value+" is not one of "+strings.Join(values, ", "))
	}
	if len(r.Channels) == 0 || len(r.MessageVersions) == 0 {
		all = append(all, "channels: an authenticator needs channels and message_versions")
	}
	for _, c := range r.Channels {
		oneOf("channels", string(c), string(ChannelApp), string(ChannelBrowser), string(Channel3RI))
	}
	for _, v := range r.MessageVersions {
		oneOf("message_versions", v, "2.1.0", "2.2.0", "2.3.0", "2.3.1")
	}
	oneOf("method", r.Method, "", "acs_post", "get_frame", "jwt_post")
	oneOf("completion", r.Completion, "", "notification", "event", "post_message")
	oneOf("challenge", r.Challenge, "", "creq_post", "get_frame", "jwt_post")
	oneOf("result", r.Result, "pull", "pull_once", "push", "push_and_pull")
	oneOf("push_authentication", r.PushAuthentication, "", "none", "hmac", "mtls", "ip")
	if r.SessionTTL < 0 || r.ResultTTL < 0 || r.DecoupledTTL < 0 {
		all = append(all, "session_ttl: times are not negative")
	}
	return all
}

// Pulls says that the result can be fetched with the operation result.
func (r *AuthenticatorRule) Pulls() bool { return r.Result != "push" }

// Pushes says that the authenticator sends the result on its own.
func (r *AuthenticatorRule) Pushes() bool { return r.Result == "push" || r.Result == "push_and_pull" }

// Offers says that authentications in a channel can be made.
func (r *AuthenticatorRule) Offers(c DeviceChannel) bool {
	for _, have := range r.Channels {
		if have == c {
			return true
		}
	}
	return false
}

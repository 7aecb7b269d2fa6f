package threeds

import (
	"payswitch/engine/threeds/message"
	"payswitch/sdk"
)

// Phase is the call to which an answer belongs.
type Phase string

const (
	Prepare      Phase = "prepare" // version look-up
	Authenticate Phase = "ares"    // AReq and ARes
	Final        Phase = "rreq"    // the result after a challenge
)

// Channel is the way to the payer.
type Channel = sdk.DeviceChannel

// Channels, as adapters know them.
const (
	App     = sdk.ChannelApp
	Browser = sdk.ChannelBrowser
	ThreeRI = sdk.Channel3RI // without the payer: the merchant asks on its own
)

// Message categories. "" means Payment.
const (
	Payment    = "01"
	NonPayment = "02" // a card to be stored
	DataOnly   = "80" // Mastercard: data for its own engine, never a challenge
)

// Class says what an error means for the payment.
type Class = sdk.ErrorClass

// Classes of the adapters' errors. NotEnrolled is our own: in prepare, the card takes no part in 3-D Secure 2.
const (
	Technical           = sdk.ErrorTechnical  // also: no answer at all
	BadRequest          = sdk.ErrorBadRequest // the browser's input may be the cause
	Misconfigured       = sdk.ErrorConfig
	Credentials         = sdk.ErrorCredentials
	Protocol            = sdk.ErrorProtocol
	NotEnrolled   Class = "not_enrolled"
)

// Run holds the facts about an authentication when an answer arrives: the request, and the ids so far.
type Run struct {
	Phase    Phase
	Channel  Channel // "" means Browser
	Category string  // message category; "" means Payment
	Scheme   sdk.CardNetwork
	// MessageVersion is the version chosen after prepare. AdapterVersions are the versions that the adapter supports, empty for all.
	MessageVersion  string
	AdapterVersions []string
	// ChallengeInds are the values sent. Exemption goes with the authorization because no indicator of the version carries it (02 sent).
	ChallengeInds []string
	Exemption     Exemption
	// Decoupled is true if a decoupled challenge was requested (threeDSRequestorDecReqInd Y).
	Decoupled bool
	// Returned is true if the payer's browser came back from the challenge with a CRes that ReceiveCRes accepted.
	Returned bool

	ServerTransID string
	ACSTransID    string // "" before the ARes
	DSTransID     string // "" before the ARes

	// Development allows challenge pages over plain HTTP and on private hosts.
	Development bool
}

// TransStatus is the transStatus of EMV 3-D Secure: how far an authentication has come. Any other text is a message that breaks the protocol.
type TransStatus string

// The values of transStatus.
const (
	TransAuthenticated    TransStatus = "Y"
	TransAttempted        TransStatus = "A" // the issuer could not authenticate, and proves the attempt
	TransNotAuthenticated TransStatus = "N"
	TransRejected         TransStatus = "R" // the issuer wants no authorization
	TransUnavailable      TransStatus = "U"
	TransInformational    TransStatus = "I"
	TransChallenge        TransStatus = "C"
	TransDecoupled        TransStatus = "D" // the payer is asked outside of the browser
	TransSPC              TransStatus = "S" // Secure Payment Confirmation
)

// ChallengeCancel is the challengeCancel of EMV 3-D Secure: why a challenge has ended without the payer's answer; "" for none.
type ChallengeCancel string

// The values of challengeCancel that say more than that the challenge failed.
const (
	cancelledByPayer    ChallengeCancel = "01"
	cancelDecoupledLate ChallengeCancel = "03" // the decoupled authentication timed out
	cancelTimedOut      ChallengeCancel = "04" // at the issuer
	cancelNeverBegun    ChallengeCancel = "05" // the payer's device never came to the issuer
	cancelSDKTimedOut   ChallengeCancel = "08"
)

// Result is an authenticator's answer. Texts are as the authenticator sent them; "" means not sent.
type Result struct {
	// Class is set for an error. Then Code is the only other field that may be set.
	Class Class
	Code  string // the error's code: EMV errorCode, "http_timeout" …

	// Versions are the versions that a prepare offers, in any order.
	Versions []string

	TransStatus       TransStatus
	TransStatusReason string
	ECI               string
	HasValue          bool // an authentication value (CAVV, AAV, AEVV) came with it
	ChallengeCancel   ChallengeCancel
	ACSURL            string
	MessageVersion    string
	ServerTransID     string
	ACSTransID        string
	DSTransID         string
}

func (r Run) category() string {
	if r.Category == "" {
		return Payment
	}
	return r.Category
}

// dsTransID returns the directory server's id, which an answer after the challenge may leave out.
func (r Run) dsTransID(res Result) string {
	if res.DSTransID != "" {
		return res.DSTransID
	}
	return r.DSTransID
}

// Matches reports whether an answer is about this authentication: the ids that both sides name are equal and, after the challenge, so is the
// version. An answer to another authentication changes nothing.
func (r Run) Matches(res Result) bool {
	same := func(known, reported string) bool {
		return known == "" || reported == "" || message.EqualID(known, reported)
	}
	if !same(r.ServerTransID, res.ServerTransID) {
		return false
	}
	return r.Phase != Final || same(r.ACSTransID, res.ACSTransID) && same(r.DSTransID, res.DSTransID) &&
		same(r.MessageVersion, res.MessageVersion)
}

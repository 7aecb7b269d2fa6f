package threeds

import "payswitch/sdk"

// Phase is the call that an answer belongs to.
type Phase string

const (
	Prepare      Phase = "prepare" // version look-up
	Authenticate Phase = "ares"    // AReq and ARes
	Final        Phase = "rreq"    // the result after a challenge
)

// Channel is how the payer is reached.
type Channel = sdk.DeviceChannel

// The channels, as adapters know them.
const (
	App     = sdk.ChannelApp
	Browser = sdk.ChannelBrowser
	ThreeRI = sdk.Channel3RI // nobody: the merchant asks on its own
)

// Message categories. "" means Payment.
const (
	Payment    = "01"
	NonPayment = "02" // a card to be stored
	DataOnly   = "80" // Mastercard: data for its own engine, never a challenge
)

// Class says what an error means for the payment.
type Class = sdk.ErrorClass

// The classes that adapters tell, and one more: of prepare, that the card takes no part in 3-D Secure 2.
const (
	Technical           = sdk.ErrorTechnical  // also: no answer at all
	BadRequest          = sdk.ErrorBadRequest // perhaps because of what the browser sent
	Misconfigured       = sdk.ErrorConfig
	Credentials         = sdk.ErrorCredentials
	Protocol            = sdk.ErrorProtocol
	NotEnrolled   Class = "not_enrolled"
)

// Run is what is known of an authentication when an answer comes: what was asked for, and the ids it has had so far.
type Run struct {
	Phase    Phase
	Channel  Channel // "" means Browser
	Category string  // message category; "" means Payment
	Scheme   sdk.CardNetwork
	// MessageVersion is the one chosen after prepare; AdapterVersions are those the adapter speaks, empty for all.
	MessageVersion  string
	AdapterVersions []string
	// ChallengeInds are those sent. Exemption is the one that goes with the authorization where no indicator says it (02 sent).
	ChallengeInds []string
	Exemption     Exemption
	// Decoupled says that a decoupled challenge was asked for (threeDSRequestorDecReqInd Y).
	Decoupled bool
	// Returned says that the payer's browser came back from the challenge with a CRes that ReceiveCRes took.
	Returned bool

	ServerTransID string
	ACSTransID    string // "" before the ARes
	DSTransID     string // "" before the ARes

	// Development allows challenge pages over plain HTTP and on private hosts.
	Development bool
}

// Result is an authenticator's answer. Texts are as told; "" means not told.
type Result struct {
	// Class is set for an error, and then the rest but Code is empty.
	Class Class
	Code  string // the error's: EMV errorCode, "http_timeout" …

	// Versions are those a prepare offers, in any order.
	Versions []string

	TransStatus       string
	TransStatusReason string
	ECI               string
	HasValue          bool // an authentication value (CAVV, AAV, AEVV) came with it
	ChallengeCancel   string
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

// dsTransID is the directory server's id, which an answer after the challenge may leave out.
func (r Run) dsTransID(res Result) string {
	if res.DSTransID != "" {
		return res.DSTransID
	}
	return r.DSTransID
}

// Matches says whether an answer is about this authentication: ids and, after the challenge, the version that both sides tell are the
// same. An answer to another one changes nothing.
func (r Run) Matches(res Result) bool {
	same := func(known, told string) bool { return known == "" || told == "" || equalID(known, told) }
	if !same(r.ServerTransID, res.ServerTransID) {
		return false
	}
	return r.Phase != Final || same(r.ACSTransID, res.ACSTransID) && same(r.DSTransID, res.DSTransID) &&
		same(r.MessageVersion, res.MessageVersion)
}

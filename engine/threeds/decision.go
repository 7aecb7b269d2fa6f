package threeds

// Action is the next step of a payment.
type Action string

const (
	Continue          Action = "continue"              // after prepare: go on with Decision.MessageVersion
	Authorize         Action = "authorize"             // with Decision.Proof
	AuthorizeWithout  Action = "authorize_without_3ds" // without any 3-D Secure data
	AuthorizePlainMIT Action = "authorize_plain_mit"   // as a merchant-initiated payment that was not authenticated
	StartChallenge    Action = "challenge"
	WaitDecoupled     Action = "wait_decoupled"
	Fail              Action = "fail"   // Decision.ErrorCode says why
	Ignore            Action = "ignore" // the answer is about another authentication: nothing changes
)

// Authorizes reports whether the payment goes on to the processor.
func (a Action) Authorizes() bool {
	return a == Authorize || a == AuthorizeWithout || a == AuthorizePlainMIT
}

// WaitsForCustomer reports whether the payment waits for its payer (requires_customer_action).
func (a Action) WaitsForCustomer() bool {
	return a == Continue || a == StartChallenge || a == WaitDecoupled
}

// Outcome is the result of an authentication, "" until it has ended.
type Outcome string

const (
	Authenticated    Outcome = "authenticated"
	Attempted        Outcome = "attempted"
	Exempted         Outcome = "exempted"
	NotAuthenticated Outcome = "not_authenticated"
	Rejected         Outcome = "rejected"
	Unavailable      Outcome = "unavailable"
	OutOf3DS         Outcome = "not_enrolled"
	Abandoned        Outcome = "abandoned"
	Errored          Outcome = "error"
)

// Liability is the party that is expected to bear a fraud chargeback. It is no guarantee: the scheme decides.
type Liability string

const (
	ShiftExpected    Liability = "expected"     // the issuer
	ShiftNotExpected Liability = "not_expected" // the merchant
	ShiftUnknown     Liability = "unknown"      // not final yet, or payswitch has no table for the scheme
)

// Values of a payment's error_code if its authentication ended it.
const (
	CodeNotEnrolled       = "card_not_enrolled"
	CodeUnreachable       = "authenticator_unreachable"
	CodeCredentials       = "authenticator_credentials"
	CodeAbandoned         = "authentication_abandoned"
	CodeUnavailable       = "authentication_unavailable"
	CodeError             = "authentication_error"
	CodeFailed            = "authentication_failed"
	CodeRejected          = "authentication_rejected"
	CodeProtocol          = "authentication_protocol_error"
	CodeChallengeCanceled = "challenge_cancelled"
	CodeTimeout           = "authentication_timeout"
	CodeResultLost        = "authentication_result_lost"
	CodeRequired          = "authentication_required" // soft decline, and the payer is absent
)

// Flag marks an answer that is worth a record. Alert names those that an operator must see.
type Flag string

const (
	FlagECIUnexpected        Flag = "eci_unexpected" // the ECI does not fit scheme and status
	FlagValueMissing         Flag = "cavv_missing"   // Y or A without the authentication value
	FlagInformational        Flag = "informational_unrequested"
	FlagDecoupled            Flag = "decoupled_unrequested"
	FlagSPC                  Flag = "spc_unrequested"
	FlagVersionUnsupported   Flag = "version_unsupported"
	FlagThreeRIError         Flag = "three_ri_error"
	FlagCancelUnexpected     Flag = "challenge_cancel_unexpected" // challengeCancel came with a result that authorizes
	FlagRefused              Flag = "authenticator_refused"       // an error of class bad_request, config or credentials
	FlagIDMismatch           Flag = "three_ds_id_mismatch"
	FlagSessionMAC           Flag = "three_ds_session_mac"
	FlagUnexpectedCRes       Flag = "three_ds_unexpected_cres"
	FlagCResMismatch         Flag = "cres_rreq_mismatch"
	FlagLateResult           Flag = "late_result"
	FlagAuthenticatorOutages Flag = "authenticator_unreachable"
)

// Alert reports whether an operator must look: at a forged or mixed-up message, or at an account with a wrong configuration. The other flags
// serve statistics.
func (f Flag) Alert() bool {
	switch f {
	case FlagThreeRIError, FlagRefused, FlagIDMismatch, FlagSessionMAC, FlagUnexpectedCRes, FlagCResMismatch, FlagLateResult,
		FlagAuthenticatorOutages:
		return true
	}
	return false
}

// Proof is the part of an authentication that the authorization sends to the processor. The caller adds the authentication value itself.
type Proof struct {
	ECI            string // two characters; "" if the authenticator sent none and the scheme's table has none
	WithValue      bool   // the authentication value goes with it
	TransStatus    TransStatus
	MessageVersion string
	DSTransID      string
	Exemption      Exemption // the exemption that the authorization claims; "" for no claim
}

// Decision is the consequence of an answer.
type Decision struct {
	Action    Action
	Outcome   Outcome // "" until final
	Liability Liability
	Proof     *Proof // set with Authorize, else nil
	// ECI is the ECI to record: that of Proof, or the one that a payment without proof counts under (07, Mastercard 00).
	ECI            string
	MessageVersion string // with Continue
	ErrorCode      string // with Fail
	Flags          []Flag
	// Stop is set with R: the issuer asks to try the card neither at another processor nor without 3-D Secure.
	Stop bool
}

// Exempt authorizes without a question to the issuer's 3-D Secure: the authorization claims the exemption itself (Choice.Route
// authorization).
func Exempt(run Run) Decision { return decider{run: run}.without(AuthorizeWithout, Exempted) }

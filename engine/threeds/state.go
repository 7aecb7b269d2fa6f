package threeds

// State is the progress of an authentication.
type State string

const (
	StateCreated          State = "created"
	StatePrepared         State = "prepared"          // the versions are known; the browser has its next_action
	StateAuthenticating   State = "authenticating"    // the AReq is under way
	StateChallengePending State = "challenge_pending" // the payer is at the ACS
	StateDecoupledPending State = "decoupled_pending" // the payer answers elsewhere
	StateResultPending    State = "result_pending"    // the challenge has ended; its result is missing
	StateDone             State = "done"              // the final transStatus is stored
	StateConsumed         State = "consumed"          // an authorization took the result
	StateExpired          State = "expired"           // left, cancelled or timed out
	StateBroken           State = "error"             // ended by a protocol or technical error
)

// awaitsResult reports whether a result may come.
func (s State) awaitsResult() bool {
	return s == StateChallengePending || s == StateDecoupledPending || s == StateResultPending
}

// Ending is the way in which an authentication ended without an answer.
type Ending string

const (
	PayerNeverCame    Ending = "payer_never_came"   // the deadline passed without a challenge, or during one
	WindowClosed      Ending = "window_closed"      // the payer closed the challenge, and no result came
	MerchantCancelled Ending = "merchant_cancelled" // the payment was cancelled
	ResultLate        Ending = "result_late"        // the payer came back, but no result came by the deadline
	DecoupledLate     Ending = "decoupled_late"     // the same for a decoupled challenge
	ResultGone        Ending = "result_gone"        // the authenticator has dropped the result
	ChallengeError    Ending = "challenge_error"    // the ACS reported an error, and no result followed
)

// End decides on an authentication without an answer. It never authorizes: the browser's report on a challenge proves nothing, and a payer
// who left has not agreed to pay.
func End(e Ending) Decision {
	d := Decision{Action: Fail, Outcome: Errored, Liability: ShiftNotExpected, ErrorCode: CodeError}
	switch e {
	case PayerNeverCame:
		d.Outcome, d.ErrorCode = Abandoned, CodeAbandoned
	case WindowClosed:
		d.Outcome, d.ErrorCode = Abandoned, CodeChallengeCanceled
	case MerchantCancelled:
		d.Action, d.Outcome, d.ErrorCode = Ignore, Abandoned, "" // the cancellation itself ends the payment
	case ResultLate, DecoupledLate:
		d.ErrorCode = CodeTimeout
	case ResultGone:
		d.ErrorCode = CodeResultLost
	case ChallengeError:
		d.ErrorCode = CodeProtocol
	}
	return d
}

// ReceiveResult reports whether to use a final result, pushed or fetched, in state s. If not, flag marks a result of another transaction, or
// a success after the end, which is stored and leaves the payment as it is. A duplicate gets no flag.
func ReceiveResult(s State, run Run, res Result) (use bool, flag Flag) {
	switch {
	case !run.Matches(res):
		return false, FlagIDMismatch
	case s.awaitsResult():
		return true, ""
	case (s == StateExpired || s == StateBroken) && (res.TransStatus == TransAuthenticated || res.TransStatus == TransAttempted):
		return false, FlagLateResult
	}
	return false, ""
}

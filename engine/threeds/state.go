package threeds

// State is how far an authentication has come.
type State string

const (
	StateCreated          State = "created"
	StatePrepared         State = "prepared"          // versions known, next_action given out
	StateAuthenticating   State = "authenticating"    // AReq on its way
	StateChallengePending State = "challenge_pending" // the payer is at the ACS
	StateDecoupledPending State = "decoupled_pending" // the payer answers elsewhere
	StateResultPending    State = "result_pending"    // the challenge has ended, its result is not here yet
	StateDone             State = "done"              // final transStatus stored
	StateConsumed         State = "consumed"          // an authorization took the result
	StateExpired          State = "expired"           // left, cancelled or timed out
	StateBroken           State = "error"             // protocol or technical end
)

// Closed says whether the authentication has ended: what comes now is recorded and changes nothing.
func (s State) Closed() bool {
	return s == StateDone || s == StateConsumed || s == StateExpired || s == StateBroken
}

// awaitsResult says whether a result may come.
func (s State) awaitsResult() bool {
	return s == StateChallengePending || s == StateDecoupledPending || s == StateResultPending
}

// Ending is how an authentication ends without an answer.
type Ending string

const (
	PayerNeverCame    Ending = "payer_never_came"   // the deadline passed with no challenge, or no end of one
	WindowClosed      Ending = "window_closed"      // the payer closed the challenge, and no result came
	MerchantCancelled Ending = "merchant_cancelled" // the payment was cancelled
	ResultLate        Ending = "result_late"        // the payer came back, the result did not by the deadline
	DecoupledLate     Ending = "decoupled_late"     // nor did that of a decoupled challenge
	ResultGone        Ending = "result_gone"        // the authenticator no longer knows it
	ChallengeError    Ending = "challenge_error"    // the ACS told an error, and no result came after it
)

// End says what an authentication without an answer leads to. It never authorizes: what the browser said about a challenge proves
// nothing, and a payer who left has not paid.
func End(e Ending) Decision {
	d := Decision{Action: Fail, Outcome: Errored, Liability: ShiftNotExpected, ErrorCode: CodeError}
	switch e {
	case PayerNeverCame:
		d.Outcome, d.ErrorCode = Abandoned, CodeAbandoned
	case WindowClosed:
		d.Outcome, d.ErrorCode = Abandoned, CodeChallengeCanceled
	case MerchantCancelled:
		d.Action, d.Outcome, d.ErrorCode = Ignore, Abandoned, "" // the payment has its own end
	case ResultLate, DecoupledLate:
		d.ErrorCode = CodeTimeout
	case ResultGone:
		d.ErrorCode = CodeResultLost
	case ChallengeError:
		d.ErrorCode = CodeProtocol
	}
	return d
}

// ReceiveResult says whether a final result that was pushed or pulled is to be used in this state. If not, flag says what is notable
// about it: it is another transaction's, or came after the end (then it is stored beside the payment, which stays as it is). A
// duplicate is neither.
func ReceiveResult(s State, run Run, res Result) (use bool, flag Flag) {
	switch {
	case !run.Matches(res):
		return false, FlagIDMismatch
	case s.awaitsResult():
		return true, ""
	case (s == StateExpired || s == StateBroken) && (res.TransStatus == "Y" || res.TransStatus == "A"):
		return false, FlagLateResult
	}
	return false, ""
}

// CResMismatch says whether what the browser brought contradicts the result, which wins. A CRes knows only Y and N, so that N stands
// for A, U and R as well; cres is "" where none came.
func CResMismatch(cres, result string) bool {
	switch cres {
	case "Y":
		return result == "N" || result == "R" || result == "U"
	case "N":
		return result == "Y"
	}
	return false
}

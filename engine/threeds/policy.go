package threeds

import "payswitch/engine/threeds/message"

// Decide decides on an authenticator's answer after all retries (NextTry). Every answer has a decision; an answer that makes no sense never
// authorizes.
func Decide(cfg Config, run Run, res Result) Decision {
	d := decider{cfg, run, res}
	switch {
	case !run.Matches(res):
		if run.Phase == Final { // the answer to another authentication: the right one may still come
			return Decision{Action: Ignore, Liability: ShiftUnknown, Flags: []Flag{FlagIDMismatch}}
		}
		return d.fail(Errored, CodeProtocol, FlagIDMismatch)
	case run.Phase == Prepare:
		return d.prepared()
	case res.Class != "":
		return d.failed()
	case run.Phase == Authenticate || run.Phase == Final:
		return d.status()
	}
	return d.fail(Errored, CodeProtocol)
}

type decider struct {
	cfg Config
	run Run
	res Result
}

// prepared decides on the version look-up.
func (d decider) prepared() Decision {
	switch d.res.Class {
	case "":
		if v := ChooseVersion(d.cfg, d.run.Channel, d.res.Versions, d.run.AdapterVersions, ""); v != "" {
			return Decision{Action: Continue, Liability: ShiftUnknown, MessageVersion: v}
		}
		return d.notEnrolled(FlagVersionUnsupported)
	case NotEnrolled:
		return d.notEnrolled()
	case Technical:
		if d.run.Channel == ThreeRI {
			return d.plainMIT(Errored, CodeUnreachable, FlagThreeRIError)
		}
		if d.cfg.OnAuthenticatorUnreachable == RuleFailoverAuthorize {
			return d.without(AuthorizeWithout, Unavailable, FlagAuthenticatorOutages)
		}
		return d.fail(Errored, CodeUnreachable, FlagAuthenticatorOutages)
	}
	return d.failed()
}

func (d decider) notEnrolled(flags ...Flag) Decision {
	if d.run.Channel == ThreeRI {
		return d.plainMIT(OutOf3DS, CodeNotEnrolled, flags...)
	}
	if d.cfg.OnNotEnrolled == RuleAuthorizeWithout3DS {
		return d.without(AuthorizeWithout, OutOf3DS, flags...)
	}
	return d.fail(OutOf3DS, CodeNotEnrolled, flags...)
}

// failed decides on an error. A technical error counts as U. The other classes never authorize: a payer may have caused them, and an answer
// of class protocol may have been a refusal.
func (d decider) failed() Decision {
	if d.res.Class == Protocol {
		return d.fail(Errored, CodeProtocol)
	}
	if d.run.Channel == ThreeRI {
		outcome := Errored
		if d.res.Class == Technical {
			outcome = Unavailable
		}
		return d.plainMIT(outcome, CodeError, FlagThreeRIError)
	}
	switch d.res.Class {
	case Technical:
		if d.run.Phase == Final && !d.run.Returned { // the error may be a broken authenticator, or a payer who left
			return d.fail(Unavailable, CodeUnavailable)
		}
		return d.unavailable()
	case Credentials:
		if d.run.Phase == Prepare {
			return d.fail(Errored, CodeCredentials, FlagRefused)
		}
	case Misconfigured:
		if d.run.Phase == Prepare && d.res.Code == "303" { // access denied
			return d.fail(Errored, CodeCredentials, FlagRefused)
		}
	}
	return d.fail(Errored, CodeError, FlagRefused)
}

// status decides on a transStatus.
func (d decider) status() Decision {
	final := d.run.Phase == Final
	switch d.res.TransStatus {
	case TransAuthenticated:
		return d.proven(Authenticated, eciFull)
	case TransAttempted:
		if d.cfg.OnAttempted != RuleAuthorize {
			if d.run.Channel == ThreeRI { // not good enough, but no refusal
				return d.plainMIT(Attempted, CodeFailed)
			}
			return d.fail(Attempted, CodeFailed)
		}
		return d.proven(Attempted, eciAttempted)
	case TransNotAuthenticated:
		return d.fail(NotAuthenticated, d.notAuthenticated())
	case TransRejected:
		f := d.fail(Rejected, CodeRejected)
		f.Stop = true
		return f
	case TransUnavailable:
		return d.unavailableStatus()
	case TransInformational:
		if !final {
			return d.informational()
		}
	case TransChallenge:
		switch {
		case final:
		case d.run.Channel == ThreeRI: // no payer is there to answer the challenge
			return d.fail(NotAuthenticated, CodeFailed)
		case d.res.ACSTransID == "":
		case d.run.Channel == App || message.CheckChallengeURL(d.res.ACSURL, d.run.Development) == nil:
			return Decision{Action: StartChallenge, Liability: ShiftUnknown}
		}
	case TransDecoupled:
		switch {
		case final:
		case d.run.Decoupled && d.cfg.Decoupled == RuleOn:
			return Decision{Action: WaitDecoupled, Liability: ShiftUnknown}
		default:
			return d.unavailable(FlagDecoupled)
		}
	case TransSPC:
		if !final {
			return d.unavailable(FlagSPC)
		}
	}
	return d.fail(Errored, CodeProtocol)
}

// proven decides on the transStatus Y (authenticated) and A (attempted).
func (d decider) proven(outcome Outcome, kind int) Decision {
	value := d.res.HasValue || d.run.category() == NonPayment ||
		kind == eciAttempted && familyOf(d.run.Scheme) == cartesBancaires
	switch {
	case !value:
		return d.unavailable(FlagValueMissing)
	case d.run.dsTransID(d.res) == "":
		return d.fail(Errored, CodeProtocol)
	}
	out := d.authorize(outcome, kind, NoExemption)
	if d.res.ChallengeCancel != "" {
		out.Flags = append(out.Flags, FlagCancelUnexpected)
	}
	return out
}

// informational decides on the transStatus I (informational). An authenticator may give it only to a request for no challenge.
func (d decider) informational() Decision {
	exemption, asked := exemptionAsked(d.run)
	switch {
	case !asked:
		return d.unavailable(FlagInformational)
	case d.run.dsTransID(d.res) == "":
		return d.fail(Errored, CodeProtocol)
	}
	return d.authorize(Exempted, eciExempted, exemption)
}

// unavailableStatus decides on the transStatus U (not available).
func (d decider) unavailableStatus() Decision {
	if d.run.Phase != Final {
		if d.dataOnly() {
			return d.authorize(Exempted, eciDataOnly, ExemptDataOnly)
		}
		return d.unavailable()
	}
	switch d.res.ChallengeCancel {
	case "":
	case cancelledByPayer:
		return d.fail(Abandoned, CodeChallengeCanceled)
	case cancelDecoupledLate, cancelTimedOut, cancelSDKTimedOut:
		return d.fail(Abandoned, CodeTimeout)
	case cancelNeverBegun:
		return d.fail(Abandoned, CodeAbandoned)
	default: // the payer can cause 06, a broken message, too
		return d.fail(Unavailable, CodeUnavailable)
	}
	switch reason := d.res.TransStatusReason; {
	case reason == reasonTimedOut:
		return d.fail(Abandoned, CodeTimeout)
	case reason != "" && !technicalReason(d.run, reason):
		return d.fail(Unavailable, CodeUnavailable)
	}
	return d.unavailable()
}

// dataOnly reports whether U answers a request for data only: Mastercard answers such a request so, with reason 80.
func (d decider) dataOnly() bool {
	return d.run.category() == DataOnly && familyOf(d.run.Scheme) == mastercardFamily && d.res.TransStatusReason == "80" &&
		d.res.HasValue && d.run.dsTransID(d.res) != ""
}

// Values of transStatusReason that say more than that authentication failed.
const (
	reasonTimedOut     = "14" // transaction timed out at the ACS
	reasonACSTechnical = "22" // ACS technical issue
)

// technicalReason reports whether a transStatusReason names a fault that no payer can cause. At Mastercard 80 to 83 have another meaning.
func technicalReason(run Run, reason string) bool {
	return reason == reasonACSTechnical || familyOf(run.Scheme) != mastercardFamily && reason >= "80" && reason <= "83" && len(reason) == 2
}

// notAuthenticated returns the error code for N. After a challenge the answer may say how the challenge ended.
func (d decider) notAuthenticated() string {
	if d.run.Phase != Final {
		return CodeFailed
	}
	switch d.res.ChallengeCancel {
	case cancelledByPayer:
		return CodeChallengeCanceled
	case cancelDecoupledLate, cancelTimedOut, cancelSDKTimedOut:
		return CodeTimeout
	case cancelNeverBegun:
		return CodeAbandoned
	case "":
		if d.res.TransStatusReason == reasonTimedOut {
			return CodeTimeout
		}
	}
	return CodeFailed
}

// unavailable decides on the transStatus U, and on answers that count as U, by the settings of the phase.
func (d decider) unavailable(flags ...Flag) Decision {
	rule := d.cfg.OnUnavailable
	switch {
	case d.run.Channel == ThreeRI:
		return d.plainMIT(Unavailable, CodeUnavailable, flags...)
	case d.run.Phase == Final:
		rule = d.cfg.OnUnavailableAfterChallenge
	}
	if rule == RuleAuthorizeWithoutShift {
		return d.without(AuthorizeWithout, Unavailable, flags...)
	}
	return d.fail(Unavailable, CodeUnavailable, flags...)
}

// plainMIT lets a merchant-initiated payment go on without authentication, unless the profile requires it.
func (d decider) plainMIT(outcome Outcome, code string, flags ...Flag) Decision {
	if d.cfg.ThreeRIForMIT == RuleMandatory {
		return d.fail(outcome, code, flags...)
	}
	return d.without(AuthorizePlainMIT, outcome, flags...)
}

func (d decider) authorize(outcome Outcome, kind int, exemption Exemption) Decision {
	eci, flags := normalECI(d.res.ECI), []Flag(nil)
	fits := eci == "" || expectedECI(d.run, kind, eci)
	if !fits {
		flags = append(flags, FlagECIUnexpected)
	}
	if eci == "" || kind > eciAttempted && !d.res.HasValue && shifts(d.run.Scheme, eci) { // never claim a shift without a value
		eci = deriveECI(d.run.Scheme, d.run.category(), kind)
	}
	return Decision{
		Action: Authorize, Outcome: outcome, ECI: eci, Flags: flags,
		Liability: liability(d.run, kind, eci, d.res.HasValue, fits),
		Proof: &Proof{ECI: eci, WithValue: d.res.HasValue, TransStatus: d.res.TransStatus, MessageVersion: d.run.MessageVersion,
			DSTransID: d.run.dsTransID(d.res), Exemption: exemption},
	}
}

// without authorizes without proof.
func (d decider) without(a Action, outcome Outcome, flags ...Flag) Decision {
	return Decision{Action: a, Outcome: outcome, Liability: ShiftNotExpected, Flags: flags,
		ECI: deriveECI(d.run.Scheme, d.run.category(), eciNone)}
}

func (d decider) fail(outcome Outcome, code string, flags ...Flag) Decision {
	return Decision{Action: Fail, Outcome: outcome, Liability: ShiftNotExpected, ErrorCode: code, Flags: flags,
		ECI: deriveECI(d.run.Scheme, d.run.category(), eciNone)}
}

package threeds

// Retry is the way to ask for an answer once more.
type Retry string

const (
	NoRetry      Retry = ""
	RetrySame    Retry = "same"     // repeat the same call
	RetryFresh   Retry = "fresh"    // prepare and authenticate again: new transaction id, threeDSCompInd N
	RetryLower   Retry = "lower"    // the same as fresh, in the next lower version (ChooseVersion with below)
	RetryAnother Retry = "fallback" // the same as fresh, at Config.FallbackAuthenticator
)

// Tried names the ways that have been tried.
type Tried struct {
	Same, Fresh, Lower, Another bool
}

// NextTry decides, before Decide, whether to ask once more for an answer of prepare or authenticate. offered are the versions that prepare
// offered. Each way is tried once; a refusal (N, R) is never retried. The caller limits all tries by its own deadline and by
// Config.MaxAuthentications.
func NextTry(cfg Config, run Run, res Result, offered []string, tried Tried) Retry {
	another := cfg.FallbackAuthenticator != "" && !tried.Another
	switch {
	case run.Phase == Prepare && res.Class == Technical:
		switch {
		case !tried.Same && !tried.Another:
			return RetrySame
		case another && cfg.OnAuthenticatorUnreachable != RuleFail:
			return RetryAnother
		}
	case run.Phase != Authenticate || !run.Matches(res):
	case res.Class == BadRequest && res.Code == "301" && !tried.Fresh: // the session is too old
		return RetryFresh
	case res.Class == BadRequest && res.Code == "102" && !tried.Lower:
		if ChooseVersion(cfg, run.Channel, offered, run.AdapterVersions, run.MessageVersion) != "" {
			return RetryLower
		}
	case res.Class == Technical, res.Class == "" && res.TransStatus == TransUnavailable && worthRetrying(run, res.TransStatusReason):
		switch {
		case !tried.Fresh && !tried.Another:
			return RetryFresh
		case another:
			return RetryAnother
		}
	}
	return NoRetry
}

// worthRetrying reports whether a U with this reason may become another answer.
func worthRetrying(run Run, reason string) bool {
	return run.category() != DataOnly && (reason == reasonTimedOut || technicalReason(run, reason))
}

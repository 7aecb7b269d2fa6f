package threeds

// Retry is how an answer is asked for once more.
type Retry string

const (
	NoRetry      Retry = ""
	RetrySame    Retry = "same"     // the same call
	RetryFresh   Retry = "fresh"    // prepare and authenticate anew: new transaction id, threeDSCompInd N
	RetryLower   Retry = "lower"    // the same, in the next lower version (ChooseVersion with below)
	RetryAnother Retry = "fallback" // the same, at Config.FallbackAuthenticator
)

// Tried is what has been tried already.
type Tried struct {
	Same, Fresh, Lower, Another bool
}

// NextTry says whether, before Decide, an answer of prepare or authenticate is asked for once more. offered are the versions that
// prepare offered. Each way is tried once; a refusal (N, R) never. The caller bounds it all by its own deadline and by
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
	case res.Class == Technical, res.Class == "" && res.TransStatus == "U" && worthRetrying(run, res.TransStatusReason):
		switch {
		case !tried.Fresh && !tried.Another:
			return RetryFresh
		case another:
			return RetryAnother
		}
	}
	return NoRetry
}

// worthRetrying says whether a U of this reason may be another answer next time.
func worthRetrying(run Run, reason string) bool {
	return run.category() != DataOnly && (reason == reasonTimedOut || technicalReason(run, reason))
}

package threeds

// SoftDecline is a processor's decline for lack of authentication (sdk.DeclineAuthenticationNeeded), and its circumstances.
type SoftDecline struct {
	// OnSession is true if the payer is present: the confirm came from a browser, less than the profile's CustomerActionTTL ago.
	OnSession bool
	StepUps   int // number of step-ups of this payment so far
	// Challenged is true if the payer has passed a challenge for this payment. Another challenge would prove nothing more.
	Challenged bool
	// CanAuthenticate is true if the profile has an authenticator and the processor accepts its result.
	CanAuthenticate bool
}

// StepUpDecision is the consequence of a soft decline.
type StepUpDecision struct {
	// Run is true if the payment must be authenticated: in a new attempt, with Preference and without exemption.
	Run        bool
	Preference Preference
	ErrorCode  string // without Run: CodeRequired, so that the merchant can bring the payer back
	Reason     string // the reason for no step-up, for the record: "" with Run
}

// StepUp decides on a soft decline. It allows one authentication, with a mandated challenge, if the profile allows it and the payer is
// present.
func StepUp(cfg Config, d SoftDecline) StepUpDecision {
	no := func(reason string) StepUpDecision { return StepUpDecision{ErrorCode: CodeRequired, Reason: reason} }
	switch {
	case cfg.StepUp != RuleOn:
		return no("step_up_off")
	case d.StepUps > 0:
		return no("stepped_up_before")
	case d.Challenged:
		return no("challenged_before")
	case !d.OnSession:
		return no("payer_absent")
	case !d.CanAuthenticate:
		return no("no_authenticator")
	}
	return StepUpDecision{Run: true, Preference: IssuerDemanded}
}

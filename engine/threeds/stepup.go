package threeds

// SoftDecline is a processor's decline for want of authentication (sdk.DeclineAuthenticationNeeded), and what led to it.
type SoftDecline struct {
	// OnSession says that the payer is there: the confirm came from a browser, less than the profile's CustomerActionTTL ago.
	OnSession bool
	StepUps   int // step-ups that this payment has had
	// Challenged says that the payer had passed a challenge for this payment: another one would prove nothing more.
	Challenged bool
	// CanAuthenticate says that there is an authenticator, and a processor that takes its result.
	CanAuthenticate bool
}

// StepUpDecision is what a soft decline leads to.
type StepUpDecision struct {
	// Run says that the payment is authenticated: a new attempt, with Preference and without exemption.
	Run        bool
	Preference Preference
	ErrorCode  string // else: CodeRequired, so that the merchant may bring the payer back
	Reason     string // why not, for the record: "" with Run
}

// StepUp decides on a soft decline: one authentication, with a challenge demanded, when the profile allows and the payer is there.
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

package routed

// Trace says how an attempt came to its account. The json names are storage format, and short because every attempt has one.
type Trace struct {
	By Stage `json:"by"`
	// Config is the id of the configuration that chose. Rule counts its rules from 1: the one that matched; 0 for the default selection and for
	// a configuration without rules. Split is true if the configuration drew an entry of a volume split.
	Config string `json:"cfg,omitempty"`
	Rule   int    `json:"rule,omitempty"`
	Split  bool   `json:"split,omitempty"`
	// Place is the place of the account among the candidates, from 0 on.
	Place int `json:"place,omitempty"`
	// Left are the candidates before the account, each with the reason why it was left out.
	Left []LeftOut `json:"left,omitempty"`
	// Trial is true if the account had failed too often, and the attempt tries whether it works again.
	Trial bool `json:"try,omitempty"`
	// Failed says why a stage before did not choose, "" if none failed.
	Failed string `json:"failed,omitempty"`
}

// LeftOut is a candidate that was not used.
type LeftOut struct {
	Account string `json:"a"`
	Why     Why    `json:"w"`
}

// Stage is the stage that chose an account.
type Stage string

// The stages, in their order.
const (
	ByCredential Stage = "credential" // the account of the stored credential
	ByPayment    Stage = "payment"    // the payment's routing field
	ByConfig     Stage = "config"     // the active configuration
	// The two ways of routing by success: the account with the best expected value, and one that is tried to learn more.
	BySuccess     Stage = "success"
	ByExploration Stage = "exploration"
	ByContract    Stage = "contract" // an account that is behind the volume of its contract
	ByDefault     Stage = "default"  // the profile's default list
	ByRetry       Stage = "retry"    // the next account, after the one before had failed
	ByStepUp      Stage = "step_up"  // the same account, with 3-D Secure
)

// Why is the reason why a candidate was left out.
type Why string

// The reasons.
const (
	LeftDisabled   Why = "off"  // disabled, or not active
	LeftNoAdapter  Why = "adp"  // no adapter serves its connector
	LeftOperation  Why = "op"   // the adapter cannot perform the operation
	LeftCurrency   Why = "cur"  // the adapter does not take the currency
	LeftNetwork    Why = "net"  // the adapter does not take the card network
	LeftCountry    Why = "ctry" // the connector does not take the type from the payer's country
	LeftMerchant   Why = "mctr" // the adapter takes no merchants of the account's country
	LeftCapture    Why = "cap"  // the adapter does not take the capture method
	LeftMethod     Why = "meth" // payment_methods_enabled has no entry for the payment
	LeftApproval   Why = "app"  // the operator has not approved the adapter's reach
	LeftFilter     Why = "fil"  // the payment's field connector does not name it
	LeftCredential Why = "cred" // it has no credential that fits
	LeftThreeDS    Why = "3ds"  // the adapter takes no authentication of another party
	LeftTried      Why = "done" // an earlier attempt used it
	LeftHealth     Why = "sick" // it fails too often
	LeftEliminated Why = "elim" // routing that eliminates accounts with many faults has moved it to the end
	LeftCVC        Why = "cvc"  // it takes the saved card only with its CVC
	LeftAcquirer   Why = "acq"  // the payer was authenticated for another acquirer
)

// leftTexts describe the reasons for merchants.
var leftTexts = map[Why]string{
	LeftDisabled: "the account is disabled", LeftNoAdapter: "no adapter serves the connector", LeftOperation: "the connector cannot perform the operation",
	LeftCurrency: "the connector does not take the currency", LeftNetwork: "the connector does not take the card network",
	LeftCountry: "the connector does not take this card type from the billing country", LeftMerchant: "the connector takes no merchants of the account's country",
	LeftCapture: "the connector does not take the capture method", LeftMethod: "payment_methods_enabled of the account does not fit the payment",
	LeftApproval: "the account awaits the operator's approval of its adapter", LeftFilter: "the payment's field connector does not name it",
	LeftCredential: "the account has no credential that the payment may charge", LeftThreeDS: "the connector takes no authentication result of another party",
	LeftTried: "an earlier attempt used the account", LeftHealth: "the account fails too often",
	LeftEliminated: "elimination routing has moved the account to the end, because of its recent faults", LeftCVC: "the account takes a saved card only with its CVC",
	LeftAcquirer: "the payer was authenticated for another acquirer",
}

// Text describes the reason for merchants.
func (w Why) Text() string { return leftTexts[w] }

package payment

// Routed says how an attempt came to its account. The json names are storage format, and short because every attempt has one.
type Routed struct {
	By RoutedBy `json:"by"`
	// Config is the id of the configuration that chose. Rule counts its rules from 1: the one that matched; 0 for the default selection and for
	// a configuration without rules. Split is true if the configuration drew an entry of a volume split.
	Config string `json:"cfg,omitempty"`
	Rule   int    `json:"rule,omitempty"`
	Split  bool   `json:"split,omitempty"`
	// Place is the place of the account among the candidates, from 0 on.
	Place int `json:"place,omitempty"`
	// Left are the candidates before the account, each with the reason why it was left out.
	Left []LeftOut `json:"left,omitempty"`
	// Failed says why a stage before did not choose, "" if none failed.
	Failed string `json:"failed,omitempty"`
}

// LeftOut is a candidate that was not used.
type LeftOut struct {
	Account string  `json:"a"`
	Why     LeftWhy `json:"w"`
}

// RoutedBy is the stage that chose an account.
type RoutedBy string

// The stages, in their order.
const (
	RoutedByCredential RoutedBy = "credential" // the account of the stored credential
	RoutedByPayment    RoutedBy = "payment"    // the payment's routing field
	RoutedByConfig     RoutedBy = "config"     // the active configuration
	RoutedByDefault    RoutedBy = "default"    // the profile's default list
	RoutedByRetry      RoutedBy = "retry"      // the next account, after the one before had failed
	RoutedByStepUp     RoutedBy = "step_up"    // the same account, with 3-D Secure
)

// LeftWhy is the reason why a candidate was left out.
type LeftWhy string

// The reasons.
const (
	LeftDisabled   LeftWhy = "off"  // disabled, or not active
	LeftNoAdapter  LeftWhy = "adp"  // no adapter serves its connector
	LeftOperation  LeftWhy = "op"   // the adapter cannot perform the operation
	LeftCurrency   LeftWhy = "cur"  // the adapter does not take the currency
	LeftNetwork    LeftWhy = "net"  // the adapter does not take the card network
	LeftCapture    LeftWhy = "cap"  // the adapter does not take the capture method
	LeftMethod     LeftWhy = "meth" // payment_methods_enabled has no entry for the payment
	LeftApproval   LeftWhy = "app"  // the operator has not approved the adapter's reach
	LeftFilter     LeftWhy = "fil"  // the payment's field connector does not name it
	LeftCredential LeftWhy = "cred" // it has no credential that fits
	LeftThreeDS    LeftWhy = "3ds"  // the adapter takes no authentication of another party
	LeftTried      LeftWhy = "done" // an earlier attempt used it
	LeftCVC        LeftWhy = "cvc"  // it takes the saved card only with its CVC
)

// leftTexts describe the reasons for merchants.
var leftTexts = map[LeftWhy]string{
	LeftDisabled: "the account is disabled", LeftNoAdapter: "no adapter serves the connector", LeftOperation: "the connector cannot perform the operation",
	LeftCurrency: "the connector does not take the currency", LeftNetwork: "the connector does not take the card network",
	LeftCapture: "the connector does not take the capture method", LeftMethod: "payment_methods_enabled of the account does not fit the payment",
	LeftApproval: "the account awaits the operator's approval of its adapter", LeftFilter: "the payment's field connector does not name it",
	LeftCredential: "the account has no credential that the payment may charge", LeftThreeDS: "the connector takes no authentication result of another party",
	LeftTried: "an earlier attempt used the account", LeftCVC: "the account takes a saved card only with its CVC",
}

// Text describes the reason for merchants.
func (w LeftWhy) Text() string { return leftTexts[w] }

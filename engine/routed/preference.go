package routed

// Preference is the routing field of a payment, or a profile's routing rule.
type Preference struct {
	Type    AlgorithmType `json:"type"` // Single, Priority or VolumeSplit
	Choices []Choice      `json:"choices"`
	// Only limits the accounts to these connectors, in any order; empty for no limit. With Only, Type may be "" and Choices empty.
	Only []string `json:"only,omitempty"`
}

// Choice is one connector, or one account of it.
type Choice struct {
	Connector string `json:"connector"`
	AccountID string `json:"account_id,omitempty"`
	Split     int    `json:"split,omitempty"`
}

// AlgorithmType is the type of a routing algorithm. Its constants are the API's values.
type AlgorithmType string

const (
	Single         AlgorithmType = "single"
	Priority       AlgorithmType = "priority"
	VolumeSplit    AlgorithmType = "volume_split"
	Advanced       AlgorithmType = "advanced"               // a program of rules
	ThreeDSDecides AlgorithmType = "three_ds_decision_rule" // a program that decides about 3-D Secure
)

// TransactionType is what a routing configuration is for. Its constants are the API's values.
type TransactionType string

const (
	ForPayment TransactionType = "payment"
	ForPayout  TransactionType = "payout"
	ForThreeDS TransactionType = "three_ds_authentication"
)

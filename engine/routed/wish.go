package routed

// Wish is the routing field of a payment, or a profile's routing rule.
type Wish struct {
	Type    string   `json:"type"` // single, priority, volume_split
	Choices []Choice `json:"choices"`
	// Only limits the accounts to these connectors, in any order; empty for no limit. With Only, Type may be "" and Choices empty.
	Only []string `json:"only,omitempty"`
}

// Choice is one connector, or one account of it.
type Choice struct {
	Connector string `json:"connector"`
	AccountID string `json:"account_id,omitempty"`
	Split     int    `json:"split,omitempty"`
}

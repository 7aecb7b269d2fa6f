package engine

// operatorReader reads what operators ask of the whole installation, whatever the merchant.
type operatorReader interface {
	// AccountsAt counts the connector accounts of all merchants that name a connector, the disabled ones too.
	AccountsAt(connector string) (int, error)
}

package engine

import "payswitch/sdk"

// CardNetworks returns the networks of a card by the first digits of its number; a co-badged card has two.
func (e *Engine) CardNetworks(digits string) []sdk.CardNetwork {
	return e.opts.BINTable.Networks(digits)
}

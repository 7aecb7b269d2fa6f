package simulator

import (
	"slices"

	"payswitch/sdk"
)

// The simulator answers for many connectors. What it lets a switch do with held funds depends on the connector's name, as it does at the real
// processors. By its own name the simulator lets it do everything.

// ownName is the simulator's own name.
const ownName = "simulator"

// raises are the connectors whose holds can be raised.
var raises = []string{ownName, "archipel", "cybersource", "paypal", "stripe", "wellsfargo"}

// reauthorizeDays is the age in days before which paypal raises no hold.
const reauthorizeDays = 4

func (p *payment) named(list []string) bool { return slices.Contains(list, p.connector) }

// hold is what the processor says of a hold.
func (p *payment) hold() *sdk.Hold {
	if p.automatic || !p.named(raises) {
		return nil
	}
	yes := true
	return &sdk.Hold{Incremental: &yes}
}

// tooSoon is the refusal of a raise of a hold that is too young for it, nil if there is none. now is in Unix milliseconds.
func (h *held) tooSoon(now int64) *sdk.Decline {
	if h.connector != "paypal" || now-h.CreatedAt >= reauthorizeDays*24*60*60*1000 {
		return nil
	}
	return refuse("REAUTHORIZATION_TOO_SOON", "REAUTHORIZATION_TOO_SOON", sdk.DeclineNotPermitted)
}

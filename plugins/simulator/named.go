package simulator

import (
	"slices"

	"payswitch/sdk"
)

// The simulator answers for many connectors. As at the real processors, the connector's name decides what a switch can
// do with held funds. Under its own name the simulator allows everything.

// ownName is the simulator's own name.
const ownName = "simulator"

// raises are the connectors whose holds can be raised.
var raises = []string{ownName, "archipel", "cybersource", "paypal", "stripe", "wellsfargo"}

// reauthorizeDays is the age in days before which paypal raises no hold.
const reauthorizeDays = 4

func (p *payment) named(list []string) bool { return slices.Contains(list, p.connector) }

var (
	// overcaptures are the connectors that let a capture take more than what is held.
	overcaptures = []string{ownName, "adyen", "stripe"}
	// extends are the connectors that report a longer hold with the authorization.
	extends = []string{ownName, "stripe"}
	// answersLater are the connectors that answer captures, refunds and extensions with a message later. They also
	// settle automatic payments in laterCurrency later, except after 3-D Secure.
	answersLater = []string{"adyen"}
	// needsBilling are the connectors that refuse a payment without a billing address.
	needsBilling = []string{"bankofamerica"}
	// refundsCards are the connectors that pay to a card without an earlier payment.
	refundsCards = []string{ownName, "fiservcommercehub"}
	// refusesRefunds are the connectors that refuse every refund.
	refusesRefunds = []string{"archipel"}
	// statesNoChecks are the connectors whose approvals have no checks, statesNoCVC the connectors that check the
	// address alone.
	statesNoChecks = []string{"archipel"}
	statesNoCVC    = []string{"cybersource"}
)

// laterCurrency is the currency of payments that answersLater settle later.
const laterCurrency = "EUR"

// approvedOrLater returns the answer to a payment that nothing refuses.
func (p *payment) approvedOrLater() *sdk.Outcome {
	later := p.automatic && p.amount.Currency == laterCurrency && p.amount.Minor > 0 &&
		p.rule.act == approve && p.named(answersLater)
	if later && !p.proven && p.request.ThreeDS == nil && !p.memory.has(outside) { // 3-D Secure has not been run
		return p.waiting(sdk.StatusPending)
	}
	return p.approved()
}

// holdDays is how long an extended hold lasts.
const holdDays = 30

// less are payments for which the issuer approves a smaller amount, if the merchant allows that.
var less = [...]struct {
	connector     string
	bin, lastFour string // "" for any card
	amount        int64  // 0 for any amount
	approved      int64  // 0 for the half, rounded down
	number        string // as documentation prints it
}{
	{"checkout", "551820", "0101", 0, 0, "5518 2077 2077 0101"},
	{"nuvei", "453173", "7394", 0, 0, "4531 7393 3581 7394"},
	{"worldpay", "", "", 1706, 123, ""},
	{"worldpayvantiv", "445701", "0141", 5000, 4000, "4457 0101 4000 0141"},
}

// approvedPart returns the amount that the issuer approves.
func (p *payment) approvedPart() int64 {
	amount := p.amount.Minor
	if p.rule.half {
		return amount - amount/2
	}
	if !p.memory.has(lessAllowed) {
		return amount
	}
	for _, l := range less {
		if l.connector != p.connector || l.bin != "" && (l.bin != p.bin || l.lastFour != p.lastFour) || l.amount != 0 &&
			l.amount != amount {
			continue
		}
		if l.approved == 0 {
			return amount / 2
		}
		return l.approved
	}
	return amount
}

// wishes notes what the merchant asks of the hold.
func (p *payment) wishes() {
	wish := p.request.Wish()
	if wish.Partial {
		p.memory = p.memory.with(lessAllowed)
	}
	if wish.OverCapture && !p.automatic && p.named(overcaptures) {
		p.memory = p.memory.with(moreAllowed)
	}
}

// hold returns what the processor says of a hold, nil for nothing.
func (p *payment) hold() *sdk.Hold {
	if p.automatic {
		return nil
	}
	h, wish, yes := sdk.Hold{}, p.request.Wish(), true
	if p.named(raises) {
		h.Incremental = &yes
	}
	if wish.OverCapture {
		granted := p.memory.has(moreAllowed)
		h.OverCapture = &granted
	}
	if wish.Extended && p.named(extends) {
		h.Extended, h.CaptureBefore = &yes, p.now+holdDays*day
	}
	if h == (sdk.Hold{}) {
		return nil
	}
	return &h
}

// day is in milliseconds.
const day = 24 * 60 * 60 * 1000

// tooSoon refuses to raise a hold that is too young. It returns nil for an older hold.
func (h *held) tooSoon() *sdk.Decline {
	if h.connector != "paypal" || h.now-h.CreatedAt >= reauthorizeDays*day {
		return nil
	}
	return refuse("REAUTHORIZATION_TOO_SOON", "REAUTHORIZATION_TOO_SOON", sdk.DeclineNotPermitted)
}

// extendAuthorization lets the processor hold the funds for longer.
func extendAuthorization(c *sdk.Call) (*sdk.Outcome, error) {
	h, err := hold(c, sdk.OpExtendAuthorization)
	switch {
	case err != nil:
		return nil, err
	case h.against != nil:
		return h.declined(h.against), nil
	case h.named(answersLater):
		return h.waiting(sdk.StatusPending), nil
	case h.named(extends) || h.connector == "paypal":
		return h.extended(), nil
	}
	return nil, &sdk.Reject{Code: sdk.RejectUnsupported, Message: h.connector + " extends no authorizations"}
}

func (h *held) extended() *sdk.Outcome {
	yes := true
	o := h.outcome(sdk.StatusAuthorized, h.Authorized)
	o.Hold = &sdk.Hold{Extended: &yes, CaptureBefore: h.now + holdDays*day}
	return o
}

package simulator

import (
	"strings"

	"payswitch/sdk"
)

// payment is one payment as the simulated processor sees it, made from the request.
type payment struct {
	request       *sdk.Request
	connector     string // the name under which the simulator answers
	now           int64  // Unix milliseconds
	id            string // the processor's id, made from the request's reference
	amount        sdk.Money
	automatic     bool
	bin, lastFour string
	length        int // digits of the card number; 0 if unknown
	memory        memory
	// proven says that the customer is authenticated, by the simulator or outside.
	proven bool
	rule   rule
	own    bool // a test card of the built-in 3DS server, exempt from the rules of similar cards
}

// seen makes the payment of an operation.
func seen(c *sdk.Call) *payment {
	r := c.Request
	p := &payment{request: r, connector: c.Account.Connector, now: c.Now().UnixMilli(), id: r.TransactionID,
		amount: r.Amount, automatic: r.Capture != sdk.CaptureManual, memory: remembered(r)}
	if p.id == "" {
		p.id = "sim_" + reference(c)
	}
	if s := r.Payment; s != nil {
		p.bin, p.lastFour = s.BIN, s.LastFour
	}
	if i := r.Instrument; i != nil && i.Card != nil {
		p.bin, p.lastFour, p.length = i.Card.BIN, i.Card.LastFour, i.Card.Length
	} else if i != nil {
		if bin, lastFour := cardOfStored(i.StoredCredentialID); bin != "" {
			p.bin, p.lastFour = bin, lastFour
		}
	}
	p.proven = p.memory.has(authenticated)
	p.rule = ruleOf(sdk.OpAuthorize, p.amount.Minor)
	return p
}

// reference returns the request's reference, or a fixed one for a request without.
func reference(c *sdk.Call) string {
	if c.Request.Reference != "" {
		return c.Request.Reference
	}
	return c.OperationID()
}

func authorize(c *sdk.Call) (*sdk.Outcome, error) { return start(c, seen(c)) }

func verify(c *sdk.Call) (*sdk.Outcome, error) {
	if c.Request.Amount.Minor != 0 {
		return nil, invalid("amount", "the amount of a verification must be 0")
	}
	p := seen(c)
	p.memory = p.memory.with(verifying).with(storing)
	return start(c, p)
}

// start performs authorize and verify: it declines, redirects the customer, or processes the payment.
func start(c *sdk.Call, p *payment) (*sdk.Outcome, error) {
	r := c.Request
	i := r.Instrument
	switch {
	case i == nil || i.Card == nil && i.StoredCredentialID == "":
		return nil, missing("payment_method_data.card", "give a card or a stored credential")
	case r.Amount.Minor < 0:
		return nil, invalid("amount", "the amount is negative")
	}
	if p.named(needsBilling) && r.BillTo().Line1 == "" {
		return p.declined(refuse("MISSING_FIELD", "billing address line 1 is missing", sdk.DeclineProcessingError)), nil
	}
	p.wishes()
	if u := r.StoredCredential; u != nil && u.First && u.Usage == "off_session" {
		p.memory = p.memory.with(storing)
	}
	for _, judge := range []func(*sdk.Call) (*sdk.Decline, error){p.outside3DS, p.inside3DS} {
		if refusal, err := judge(c); err != nil {
			return nil, err
		} else if refusal != nil {
			return p.declined(refusal), nil
		}
	}
	redirect := p.asks3DS()
	if reason := p.refusal(p.proven || redirect); reason != "" {
		return p.declined(declineOf(reason)), nil
	}
	if redirect {
		return p.challenge()
	}
	return p.process(), nil
}

// asks3DS reports whether the simulator redirects the payer to the bank.
func (p *payment) asks3DS() bool {
	r := p.request
	enrolled := p.bin != notEnrolled.bin || p.lastFour != notEnrolled.lastFour
	return r.Request3DS && r.ThreeDS == nil && !merchantInitiated(r) && enrolled
}

func merchantInitiated(r *sdk.Request) bool {
	return r.StoredCredential != nil && r.StoredCredential.Initiator == "mit"
}

// refusal returns the reason for an immediate decline, "" for none. The card decides before the amount.
func (p *payment) refusal(proven bool) sdk.DeclineReason {
	if reason := reasonOfCard(p.bin, p.lastFour, p.length); reason != "" && !p.own {
		return reason
	}
	if p.soft() && !proven {
		return sdk.DeclineAuthenticationNeeded
	}
	if p.rule.act != decline || p.rule.reason == sdk.DeclineAuthenticationNeeded && proven {
		return ""
	}
	return p.rule.reason
}

// process completes a payment that no rule refuses.
func (p *payment) process() *sdk.Outcome {
	switch p.rule.act {
	case pend, pendDecline:
		return p.waiting(sdk.StatusPending)
	case review:
		return p.waiting(sdk.StatusReview)
	case timeoutAfter, timeoutDecline, timeoutBefore, late:
		return p.noAnswer()
	}
	return p.approvedOrLater()
}

// approved returns the answer to a completed payment. A sync that finds the payment returns the same.
func (p *payment) approved() *sdk.Outcome {
	o := &sdk.Outcome{TransactionID: p.id, NetworkTransactionID: networkID(p.id), ConnectorData: p.memory.data()}
	if p.memory.has(storing) && p.bin != "" {
		o.StoredCredential = &sdk.StoredCredential{ID: storedID(p.bin, p.lastFour, p.id)}
	}
	if !p.rule.silent && !p.named(statesNoChecks) {
		checks := pass
		if p.rule.checks != (sdk.Checks{}) {
			checks = p.rule.checks
		}
		if checks.CVC == sdk.CheckPass && p.named(statesNoCVC) {
			checks.CVC = ""
		}
		o.Checks = &checks
	}
	if p.memory.has(verifying) {
		o.Status = sdk.StatusVerified
		return o
	}
	o.Hold = p.hold()
	amount := p.amount
	amount.Minor = p.approvedPart()
	o.Status, o.Amount, o.Totals = sdk.StatusAuthorized, &amount, &sdk.Totals{Authorized: amount.Minor}
	if p.automatic {
		o.Status, o.Totals.Captured = sdk.StatusCaptured, amount.Minor
	}
	return o
}

func (p *payment) declined(d *sdk.Decline) *sdk.Outcome {
	return &sdk.Outcome{Status: sdk.StatusDeclined, TransactionID: p.id, Decline: d, ConnectorData: p.memory.data()}
}

func (p *payment) waiting(status sdk.OutcomeStatus) *sdk.Outcome {
	return &sdk.Outcome{Status: status, TransactionID: p.id, ConnectorData: p.memory.data()}
}

// noAnswer returns the outcome after a time-out: unknown. What the adapter stored before it asked remains.
func (p *payment) noAnswer() *sdk.Outcome {
	return &sdk.Outcome{Status: sdk.StatusUnknown, ConnectorData: p.memory.data(),
		Raw: map[string]string{"error": "simulated time-out"}}
}

// outside3DS judges the result of an outside authentication: an error for a malformed result, a refusal for a negative
// one.
func (p *payment) outside3DS(*sdk.Call) (*sdk.Decline, error) {
	t := p.request.ThreeDS
	if t == nil {
		return nil, nil
	}
	p.memory = p.memory.with(outside)
	switch {
	case t.TransStatus == "U" && t.CAVV == "": // an unavailable authentication may lack ids
		return nil, nil
	case !versionTwo(t.Version):
		return nil, invalid("three_ds_data.version", "give a version 2.x, such as 2.2.0")
	case !uuid(t.DSTransID):
		return nil, invalid("three_ds_data.ds_trans_id", "give a UUID")
	}
	switch t.TransStatus {
	case "", "Y", "A":
		if t.CAVV == "" && p.amount.Minor > 0 { // a card that is only stored has no cryptogram
			return nil, missing("three_ds_data.authentication_cryptogram", "an authenticated payment needs its cryptogram")
		}
	case "I", "U": // informational or unavailable: no proof, and no need of one
	case "N", "R", "C", "D":
		return declineOf(sdk.DeclineAuthenticationFailed), nil
	default:
		return nil, invalid("three_ds_data.transaction_status", "give one of Y, N, U, A, R, C, D, I")
	}
	if t.CAVV == "" && t.ECI == "" {
		return nil, nil
	}
	if len(t.ECI) != 2 || t.ECI[0] != '0' || t.ECI[1] < '0' || t.ECI[1] > '7' {
		return nil, invalid("three_ds_data.eci", "give two digits from 00 to 07")
	}
	p.proven = t.CAVV != ""
	return nil, nil
}

func versionTwo(s string) bool {
	rest, ok := strings.CutPrefix(s, "2.")
	return ok && rest != "" && strings.Trim(rest, "0123456789.") == "" && rest[0] != '.' && rest[len(rest)-1] != '.'
}

func uuid(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i] | 32
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && (c < 'a' || c > 'f') &&
			s[i]-'0' > 9 {
			return false
		}
	}
	return true
}

func missing(parameter, text string) error {
	return &sdk.Reject{Code: sdk.RejectMissing, Message: text, Parameter: parameter}
}

func invalid(parameter, text string) error {
	return &sdk.Reject{Code: sdk.RejectInvalid, Message: text, Parameter: parameter}
}

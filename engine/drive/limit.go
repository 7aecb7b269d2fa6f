package drive

import (
	"context"
	"slices"
	"sync"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/port"
)

// Anyone can send messages to an account's webhook URL, and could test guessed keys there. So each account has a budget of wrong signatures
// on each node. Only signatures that the host has compared and found wrong use up the budget, not the adapter's answers. Once the budget is
// used up, messages are answered unread, and the sender repeats them later.
const (
	wrongSignatures = 60              // that an account may get at once; more than enough to notice a key that was changed at one end only
	wrongEvery      = 2 * time.Second // time after which one more wrong signature is allowed
	maxBudgets      = 8192            // maximum number of accounts with a budget in memory
	readAtOnce      = 32              // messages of strangers to an account that are read at a time, and as many of known senders
	readWait        = 3 * time.Second // time that a message of a known sender waits for its turn
	knownSenders    = 32              // maximum number of remembered addresses of an account that sent genuine messages, newest last
)

// messageBudgets are the budgets of all accounts, one for each kind of URL. Senders of genuine messages have a budget of their own. So a
// stranger who uses up the other budget does not keep the processor's messages out. The zero value is ready to use.
type messageBudgets struct {
	mu       sync.Mutex
	accounts map[string]*messageBudget
	reading  map[string]*readers // messages under way, by account and kind of sender
}

type messageBudget struct {
	known           []string // senders
	ofKnown, others budget
}

// budget counts something that is limited, such as wrong signatures. The count falls with time.
type budget struct {
	spent int
	at    time.Time // time at which spent was correct
}

// refill gives one back after each time of every.
func (b *budget) refill(now time.Time, every time.Duration) {
	if back := int(now.Sub(b.at) / every); back > 0 {
		b.spent, b.at = max(0, b.spent-back), b.at.Add(time.Duration(back)*every)
	}
	if b.spent == 0 {
		b.at = now
	}
}

// of returns the budget of an account and sender. The caller holds mu.
func (m *messageBudgets) of(account, sender string, now time.Time) *budget {
	if m.accounts[account] == nil {
		return new(budget)
	}
	b := &m.accounts[account].others
	if slices.Contains(m.accounts[account].known, sender) {
		b = &m.accounts[account].ofKnown
	}
	b.refill(now, wrongEvery)
	return b
}

// exhausted reports whether the budget of a sender's messages to an account is used up.
func (m *messageBudgets) exhausted(account, sender string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of(account, sender, now).spent >= wrongSignatures
}

// readers are the messages of an account and a kind of sender that are read, or wait for it.
type readers struct {
	all    int // with those that wait; messageBudgets.mu guards it
	places chan struct{}
}

// enter waits until a message may be read, and leave ends that. A processor may send many messages at once, so a message of a known sender waits for
// readWait at most. The others do not wait. The error says that the sender shall repeat the message later.
func (m *messageBudgets) enter(ctx context.Context, account, sender string) (leave func(), err error) {
	m.mu.Lock()
	b := m.accounts[account]
	known := b != nil && slices.Contains(b.known, sender)
	if known {
		account += " known"
	}
	r := m.reading[account]
	if r == nil {
		if m.reading == nil {
			m.reading = map[string]*readers{}
		}
		r = &readers{places: make(chan struct{}, readAtOnce)}
		m.reading[account] = r
	}
	r.all++
	m.mu.Unlock()
	end := func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if r.all--; r.all == 0 {
			delete(m.reading, account)
		}
	}
	leave = func() { <-r.places; end() }
	select {
	case r.places <- struct{}{}:
		return leave, nil
	default:
	}
	if known {
		wait := time.NewTimer(readWait)
		defer wait.Stop()
		select {
		case r.places <- struct{}{}:
			return leave, nil
		case <-ctx.Done():
		case <-wait.C:
		}
	}
	end()
	if known {
		return nil, &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "This account gets too many webhooks at this moment: send the webhook again later"}
	}
	return nil, &fault.Error{Kind: fault.KindLimited, Code: "WE_01", Message: "This account gets too many webhooks of unknown senders at this moment: send the webhook again later"}
}

// spend counts a message's wrong signatures. After a right signature it counts none and remembers the sender.
func (m *messageBudgets) spend(account, sender string, wrong int, right bool, now time.Time) {
	if wrong == 0 && !right {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.accounts[account] == nil {
		if m.accounts == nil {
			m.accounts = map[string]*messageBudget{}
		}
		m.makeRoom(now)
		m.accounts[account] = &messageBudget{ofKnown: budget{at: now}, others: budget{at: now}}
	}
	a := m.accounts[account]
	if right {
		if sender != "" && !slices.Contains(a.known, sender) {
			a.known = append(a.known, sender)
			a.known = a.known[max(0, len(a.known)-knownSenders):]
		}
		return // several keys may be tried in turn, so earlier comparisons fail
	}
	m.of(account, sender, now).spent += wrong
}

// makeRoom forgets the account that has been quiet for the longest time, once there are too many accounts.
func (m *messageBudgets) makeRoom(now time.Time) {
	if len(m.accounts) < maxBudgets {
		return
	}
	oldest, since := "", now.Add(time.Hour)
	for id, a := range m.accounts {
		last := a.ofKnown.at
		if a.others.at.After(last) {
			last = a.others.at
		}
		if last.Before(since) {
			oldest, since = id, last
		}
	}
	delete(m.accounts, oldest)
}

// Anyone can send a message that proves nothing, and the processor is asked then. So each payment and refund has a budget of such questions on
// each node. Beyond it the message is answered with status 429, and a genuine sender repeats it later: no news is lost.
const (
	queriesAtOnce = 5           // questions about one payment or refund at once; genuine messages come in twos and threes
	queryEvery    = time.Minute // time after which one more is allowed
	maxQueried    = 8192        // maximum number of payments and refunds with a budget in memory
)

// queryBudgets are the budgets of all payments and refunds. The zero value is ready to use.
type queryBudgets struct {
	mu   sync.Mutex
	asks map[string]*budget
}

// AllowQuery spends one question about a payment, refund or relay of a merchant that a message names. It returns an error if no question is left. Only the
// processor can send a message with a right signature, so such a message spends none.
func (d *Driver) AllowQuery(r *port.DriveResult, merchantID, id string) error {
	if r != nil && r.Verified() {
		return nil
	}
	if !d.asked.spend(merchantID+"/"+id, d.Now(), queriesAtOnce, queryEvery) {
		return &fault.Error{Kind: fault.KindLimited, Code: "HE_00", Message: "The processor was asked about this too often: send the webhook again later"}
	}
	return nil
}

// A payer's client may ask how its payment stands as often as it likes. A payer may come back from the bank again and again. The processor would
// be asked each time, with the merchant's key, and the journal would grow. So each payment has budgets of such questions on each node. Beyond them
// the payment is shown as it is stored.
const (
	payerAsksAtOnce  = 20
	payerAsksEvery   = 2 * time.Second // the checkout asks as often while it waits
	payerSendsAtOnce = 100             // requests with an Idempotency-Key: each can take room in the database
)

// PayerMayAsk spends one question that a payer causes about a payment of a merchant. It returns false if no question is left.
func (d *Driver) PayerMayAsk(merchantID, id string) bool {
	return d.payers.spend(merchantID+"/"+id, d.Now(), payerAsksAtOnce, payerAsksEvery)
}

// PayerMaySend spends one request with an Idempotency-Key by a payer, whose payment, method or customer id names. It returns false if none is left.
func (d *Driver) PayerMaySend(merchantID, id string) bool {
	return d.payers.spend(merchantID+"/request of "+id, d.Now(), payerSendsAtOnce, payerAsksEvery)
}

// spend spends one question about id. It returns false if none is left. At most most questions may come at once, and
// one more after each time of every.
func (m *queryBudgets) spend(id string, now time.Time, most int, every time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.asks[id]
	if b == nil {
		if m.asks == nil {
			m.asks = map[string]*budget{}
		}
		m.makeRoom(now, every)
		b = &budget{at: now}
		m.asks[id] = b
	}
	if b.refill(now, every); b.spent >= most {
		return false
	}
	b.spent++
	return true
}

// makeRoom forgets the budgets that are whole, once there are too many; if none is, it forgets one.
func (m *queryBudgets) makeRoom(now time.Time, every time.Duration) {
	if len(m.asks) < maxQueried {
		return
	}
	for id, b := range m.asks {
		if b.refill(now, every); b.spent == 0 {
			delete(m.asks, id)
		}
	}
	for id := range m.asks {
		if len(m.asks) < maxQueried {
			return
		}
		delete(m.asks, id)
	}
}

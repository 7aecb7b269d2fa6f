package drive

import (
	"slices"
	"sync"
	"time"
)

// Anybody can send messages to an account's webhook URL, so whoever knows a likely key could try it there. Each account has a budget of wrong
// signatures on each node. It is spent by what the host compared and found different, not by what the adapter answers. Without budget a
// message is not looked at: the sender hears 429 and sends it again later.
const (
	wrongSignatures = 60              // that an account takes at once: a key that was changed at one end only is noticed well before
	wrongEvery      = 2 * time.Second // one more may come
	maxBudgets      = 8192            // accounts whose budget is remembered
	knownSenders    = 8               // addresses of an account that brought a genuine message, the newest last
)

// messageBudgets are those of all accounts, one for each kind of URL. Senders that have brought a genuine message have a budget of their own, so that a stranger who
// spends the other does not keep the processor's messages out. Its zero value is ready.
type messageBudgets struct {
	mu       sync.Mutex
	accounts map[string]*messageBudget
}

type messageBudget struct {
	known           []string // senders
	ofKnown, others budget
}

// budget counts what is spent; some of it comes back with the time.
type budget struct {
	spent int
	at    time.Time // when spent was true
}

func (b *budget) refill(now time.Time) {
	if back := int(now.Sub(b.at) / wrongEvery); back > 0 {
		b.spent, b.at = max(0, b.spent-back), b.at.Add(time.Duration(back)*wrongEvery)
	}
	if b.spent == 0 {
		b.at = now
	}
}

// of is the budget of an account and sender. The caller holds mu.
func (m *messageBudgets) of(account, sender string, now time.Time) *budget {
	if m.accounts[account] == nil {
		return new(budget)
	}
	b := &m.accounts[account].others
	if slices.Contains(m.accounts[account].known, sender) {
		b = &m.accounts[account].ofKnown
	}
	b.refill(now)
	return b
}

// exhausted says whether nothing is left for a sender's messages to an account.
func (m *messageBudgets) exhausted(account, sender string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of(account, sender, now).spent >= wrongSignatures
}

// spend notes what came of a message: how many signatures were compared and found wrong, or that one was right.
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
		return // of several keys in turn, the earlier ones were wrong
	}
	m.of(account, sender, now).spent += wrong
}

// makeRoom forgets the account that has been quiet the longest once there are too many.
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

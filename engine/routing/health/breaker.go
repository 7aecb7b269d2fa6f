package health

import "time"

// When an account is taken out, and when it is let back in.
const (
	// An account is taken out when at least MinFaults of its recent attempts were its fault, and they are MaxFaultRate of all; or after FaultsInARow.
	MinFaults    = 5
	MaxFaultRate = 0.5
	FaultsInARow = 10
	// FirstPause is the time until the first trial. Each trial that fails doubles it, up to LongestPause.
	FirstPause   = 30 * time.Second
	LongestPause = 10 * time.Minute
	// TrialsNeeded is the number of answered trials after which the account is in again.
	TrialsNeeded = 3
	// trialTime is the time after which another payment may try the account though the trial before has not ended.
	trialTime = time.Minute
)

// Breaker says whether an account is taken out. The json names are storage format.
type Breaker struct {
	Open   bool  `json:"open,omitempty"`
	At     int64 `json:"at,omitempty"`     // Unix milliseconds of the latest change, 0 for an account that was never out
	Pause  int64 `json:"pause,omitempty"`  // milliseconds from At to the first trial
	Trials int   `json:"trials,omitempty"` // answered since At
	trial  int64 // Unix milliseconds of the beginning of the trial under way, 0 without one; of this node alone
}

// Standing is what routing may do with an account.
type Standing int

// The standings.
const (
	In    Standing = iota
	Trial          // it is out, and the next payment may try it
	Out            // it takes a payment only if no other account can
)

func (b *Breaker) standing(now int64) Standing {
	switch {
	case !b.Open:
		return In
	case now < b.At+b.Pause, b.trial > 0 && now < b.trial+trialTime.Milliseconds():
		return Out
	}
	return Trial
}

// open takes the account out. An account that was let in a short time ago waits longer than before.
func (b *Breaker) open(now int64) {
	pause := FirstPause.Milliseconds()
	if b.At > 0 && now < b.At+LongestPause.Milliseconds() && b.Pause > 0 {
		pause = min(2*b.Pause, LongestPause.Milliseconds())
	}
	*b = Breaker{Open: true, At: now, Pause: pause}
}

// tried takes in an attempt that began and ended while the account is out. It reports whether the account is in again.
func (b *Breaker) tried(bad bool, now int64) (in bool) {
	switch {
	case !bad:
		b.Trials, b.trial = b.Trials+1, 0
		if b.Trials >= TrialsNeeded {
			*b = Breaker{At: now, Pause: b.Pause}
			return true
		}
	case now >= b.At+b.Pause:
		b.open(now)
	}
	return false
}

// fails reports whether the counts take the account out. Half an attempt less than MinFaults is enough, because age takes a part of each.
func fails(good, bad float64, row int) bool {
	return bad >= MinFaults-0.5 && bad >= MaxFaultRate*(good+bad) || row >= FaultsInARow
}

package webhook

import (
	"math/rand/v2"
	"time"
)

// Retries are the default pauses before the first retries; the last one is the pause before every further retry.
var Retries = []time.Duration{
	time.Minute,
	5 * time.Minute, 5 * time.Minute,
	10 * time.Minute, 10 * time.Minute, 10 * time.Minute, 10 * time.Minute, 10 * time.Minute,
	time.Hour, time.Hour, time.Hour, time.Hour, time.Hour,
	6 * time.Hour,
}

const (
	// retryFor is how long after its event a delivery is repeated.
	retryFor = 72 * time.Hour
	// expireAfter is when an open delivery to an endpoint that fails is given up without a further try. The last pause has passed by then.
	expireAfter = 80 * time.Hour
	// keepAtLeast is the shortest retention: no open delivery is older, even if the switch was down for a day.
	keepAtLeast   = 5 * 24 * time.Hour
	keepByDefault = 90 * 24 * time.Hour
)

// KeepAtLeast returns the shortest time for which events can be kept.
func KeepAtLeast() time.Duration { return keepAtLeast }

// pause returns the pause after the nth failed try. jitter, from 0 to 1, adds up to a fifth, so that deliveries that failed together do not come
// together again.
func pause(retries []time.Duration, n int, jitter float64) time.Duration {
	p := retries[min(max(n, 1), len(retries))-1]
	return p + time.Duration(jitter*float64(p)/5)
}

func jitter() float64 { return rand.Float64() }

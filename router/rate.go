package router

import (
	"crypto/sha256"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"payswitch/engine/fault"
)

// RateLimit bounds the requests of one API key. The zero value bounds nothing.
type RateLimit struct {
	PerSecond float64
	Burst     int // requests that may come at once; 0: as many as in a second, at least 1
}

// devicesMay bounds the changes that the devices of one customer make with ephemeral keys. Each can take room in the database, and anybody can become a
// customer of most shops.
var devicesMay = RateLimit{PerSecond: 0.5, Burst: 100}

// keyRates has a token bucket for each key that was used lately. It is safe for concurrent use.
type keyRates struct {
	limit RateLimit
	now   func() time.Time
	mu    sync.Mutex
	keys  map[[32]byte]*rate.Limiter
}

// maxRates bounds the buckets. Above it, the full ones are forgotten: a new bucket is full too.
const maxRates = 10_000

func newKeyRates(l RateLimit, now func() time.Time) *keyRates {
	if l.PerSecond <= 0 {
		return nil
	}
	if l.Burst <= 0 {
		l.Burst = max(1, int(math.Ceil(l.PerSecond)))
	}
	return &keyRates{limit: l, now: now, keys: map[[32]byte]*rate.Limiter{}}
}

// take spends one request of a genuine key. The headers say how many are left.
func (k *keyRates) take(key string) (http.Header, error) {
	if k == nil {
		return nil, nil
	}
	at, id := k.now(), sha256.Sum256([]byte(key))
	k.mu.Lock()
	l := k.keys[id]
	if l == nil {
		if len(k.keys) >= maxRates {
			k.forget(at)
		}
		l = rate.NewLimiter(rate.Limit(k.limit.PerSecond), k.limit.Burst)
		k.keys[id] = l
	}
	k.mu.Unlock()
	ok := l.AllowN(at, 1)
	left := max(0, l.TokensAt(at))
	until := func(tokens float64) string {
		return strconv.Itoa(int(math.Ceil(max(0, tokens-left) / k.limit.PerSecond)))
	}
	h := http.Header{"Ratelimit-Limit": {strconv.Itoa(k.limit.Burst)}, "Ratelimit-Remaining": {strconv.Itoa(int(left))},
		"Ratelimit-Reset": {until(float64(k.limit.Burst))}}
	if ok {
		return h, nil
	}
	h.Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil((1-left)/k.limit.PerSecond)))))
	return h, errRate
}

// forget removes the buckets that are full, and all of them if none is. The caller holds mu.
func (k *keyRates) forget(at time.Time) {
	for id, l := range k.keys {
		if l.TokensAt(at) >= float64(k.limit.Burst) {
			delete(k.keys, id)
		}
	}
	if len(k.keys) >= maxRates {
		clear(k.keys)
	}
}

var errRate = &fault.Error{Kind: fault.KindLimited, Code: "HE_00", Message: "This API key has sent too many requests; nothing was done: try again after the time in Retry-After"}

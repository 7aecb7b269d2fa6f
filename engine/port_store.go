package engine

import (
	"context"
	"time"
)

// StoreOf is a store as one room sees it: R reads and T reads and writes what the room needs.
type StoreOf[R, T any] interface {
	// Update runs f in one transaction; when Update returns nil, what f wrote is durable. f may run more than once (its writes undone in
	// between), does nothing but use tx, and must not keep it. An error of f undoes its writes and is returned as it is. Once f has been handed
	// over, a cancelled ctx does not abandon it: the caller learns the true outcome.
	Update(ctx context.Context, f func(tx T) error) error
	// View runs f over one consistent snapshot.
	View(ctx context.Context, f func(r R) error) error
}

// Narrow gives a room its part of a store. Every reader and transaction of s must implement R and T; a wrong pair panics at its first use.
func Narrow[R, T, WR, WT any](s StoreOf[WR, WT]) StoreOf[R, T] { return narrowed[R, T, WR, WT]{s} }

type narrowed[R, T, WR, WT any] struct{ whole StoreOf[WR, WT] }

func (n narrowed[R, T, WR, WT]) Update(ctx context.Context, f func(tx T) error) error {
	return n.whole.Update(ctx, func(tx WT) error { return f(any(tx).(T)) })
}

func (n narrowed[R, T, WR, WT]) View(ctx context.Context, f func(r R) error) error {
	return n.whole.View(ctx, func(r WR) error { return f(any(r).(R)) })
}

// Clock tells the time; tests set it.
type Clock func() time.Time

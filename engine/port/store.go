package port

import (
	"context"
	"time"
)

// StoreOf is a store with the methods that one part of the engine needs: R reads, and T reads and writes.
type StoreOf[R, T any] interface {
	// Update runs f in one transaction. If Update returns nil, the writes of f are durable. If f returns an error, Update undoes its writes
	// and returns that error. f may run more than once, and the writes of the earlier runs are undone; so f only uses tx and does not keep
	// it. In a run that is undone, a write may seem to succeed that fails in the last run. Once Update has begun f, a cancelled ctx does not stop the transaction, so the caller learns the true result.
	Update(ctx context.Context, f func(tx T) error) error
	// View runs f on one consistent snapshot.
	View(ctx context.Context, f func(r R) error) error
}

// Narrow returns the part of s with the methods of R and T. The readers and transactions of s must implement R and T; otherwise the first
// use panics.
func Narrow[R, T, WR, WT any](s StoreOf[WR, WT]) StoreOf[R, T] { return narrowed[R, T, WR, WT]{s} }

type narrowed[R, T, WR, WT any] struct{ whole StoreOf[WR, WT] }

func (n narrowed[R, T, WR, WT]) Update(ctx context.Context, f func(tx T) error) error {
	return n.whole.Update(ctx, func(tx WT) error { return f(any(tx).(T)) })
}

func (n narrowed[R, T, WR, WT]) View(ctx context.Context, f func(r R) error) error {
	return n.whole.View(ctx, func(r WR) error { return f(any(r).(R)) })
}

// Clock returns the current time. Tests replace it.
type Clock func() time.Time

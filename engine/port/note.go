package port

import (
	"context"
	"sync/atomic"
)

// Note is a line that is written in the transaction of the change that it is about. The caller of a use case does not see the transaction, so that the
// context carries the note to the store.
type Note struct {
	write func(tx any) error
	done  atomic.Bool
}

type noteKey struct{}

// WithNote returns a context whose first transaction that commits also runs write. Use cases of other rooms need not know of it.
func WithNote(ctx context.Context, write func(tx any) error) (context.Context, *Note) {
	n := &Note{write: write}
	return context.WithValue(ctx, noteKey{}, n), n
}

// Written reports whether a transaction with the note has committed.
func (n *Note) Written() bool { return n.done.Load() }

// InTransaction is for stores: it runs update with f, and with the note of ctx in the same transaction, if there is one that was not written.
func InTransaction[T any](ctx context.Context, f func(tx T) error, update func(f func(tx T) error) error) error {
	n, _ := ctx.Value(noteKey{}).(*Note)
	if n == nil || n.done.Load() {
		return update(f)
	}
	err := update(func(tx T) error {
		if err := f(tx); err != nil {
			return err
		}
		return n.write(tx)
	})
	if err == nil {
		n.done.Store(true)
	}
	return err
}

package engine

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// How many operations one node resolves at the same time: in all, and of one connector account.
const (
	resolveAtOnce     = 128
	resolvePerAccount = 16
)

// resolvePool counts the operations that this node resolves. It is safe for concurrent use.
type resolvePool struct {
	freed chan struct{} // holds a token after an operation has ended

	mu      sync.Mutex
	running map[string]int // by DueOperation.Account
	total   int
}

// resolveLoop resolves what is due, every Options.ResolveEvery and whenever an operation ends while others wait. Once ctx has ended it begins
// nothing more, and waits for what it has begun.
func (e *Engine) resolveLoop(ctx context.Context) {
	pool := &resolvePool{freed: make(chan struct{}, 1), running: map[string]int{}}
	var begun sync.WaitGroup
	defer begun.Wait()
	tick := time.NewTicker(e.opts.ResolveEvery)
	defer tick.Stop()
	for {
		late, err := e.resolveDue(ctx, pool, &begun)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			e.log.LogAttrs(ctx, slog.LevelError, "claiming open operations failed", slog.Any("error", err))
		default:
			e.metrics.Swept("resolve", late, e.opts.ResolveEvery)
		}
		freed := pool.freed
		if late == 0 {
			freed = nil // nothing waits
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-e.wake:
		case <-freed:
		}
	}
}

// resolveDue begins to resolve what is due, as far as the pool has room. late is how long the oldest operation that found no room has been due.
func (e *Engine) resolveDue(ctx context.Context, pool *resolvePool, begun *sync.WaitGroup) (late time.Duration, err error) {
	if calm, err := e.driver.ClockIsCalm(ctx); err != nil || !calm {
		return 0, err
	}
	var due []change.DueOperation
	var now time.Time
	err = e.store.View(ctx, func(r Reader) (err error) {
		now = r.Now()
		due, err = r.DueOperations(2 * resolvePerAccount)
		return err
	})
	if err != nil {
		return 0, err
	}
	taken, rest := pool.choose(due)
	for _, o := range rest {
		late = max(late, now.Sub(o.At), time.Millisecond)
	}
	if len(taken) == 0 {
		return late, nil
	}
	rows := make([]int64, len(taken))
	for i, o := range taken {
		rows[i] = o.Row
	}
	leaseEnd := e.now().Add(e.opts.LeaseTime)
	var ops []*payment.Operation
	err = e.store.Update(ctx, func(tx Tx) (err error) {
		if ops = nil; !e.driver.ClockHolds(tx.Now()) {
			return nil
		}
		ops, err = tx.ClaimOperations(e.opts.Node, tx.Now().Add(e.opts.LeaseTime), len(rows), rows...)
		_, err = account.LeftOut(nil, err) // the others go on
		return err
	})
	if err != nil {
		return late, err
	}
	for _, op := range ops {
		end, first := e.driver.Hold(op.ID)
		if !first { // a run of this process works on it: the claim keeps other nodes away
			end()
			continue
		}
		name := op.MerchantID + "/" + op.AccountID
		pool.add(name, 1)
		begun.Add(1)
		e.inFlight.Add(1)
		go func() {
			defer begun.Done()
			defer e.inFlight.Done()
			defer pool.add(name, -1)
			defer end()
			if err := e.resolve(context.WithoutCancel(ctx), op, leaseEnd); err != nil {
				e.log.LogAttrs(ctx, slog.LevelWarn, "operation not resolved yet", slog.String("operation_id", op.ID), slog.Any("error", err))
			}
		}()
	}
	return late, nil
}

// choose picks the operations to claim. The accounts take turns: the account with the fewest operations under way comes first, and within an
// account the operation that is due longest.
func (p *resolvePool) choose(due []change.DueOperation) (taken, rest []change.DueOperation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if fault.Planted("one queue") {
		slices.SortFunc(due, func(a, b change.DueOperation) int { return cmp.Compare(a.Row, b.Row) })
		n := min(len(due), max(0, 2-p.total))
		return due[:n], due[n:]
	}
	turns := make(map[int64]int, len(due))
	ahead := make(map[string]int, len(p.running))
	for _, o := range due {
		turns[o.Row] = p.running[o.Account] + ahead[o.Account]
		ahead[o.Account]++
	}
	slices.SortStableFunc(due, func(a, b change.DueOperation) int { return cmp.Compare(turns[a.Row], turns[b.Row]) })
	for _, o := range due {
		if turns[o.Row] < resolvePerAccount && p.total+len(taken) < resolveAtOnce {
			taken = append(taken, o)
		} else {
			rest = append(rest, o)
		}
	}
	return taken, rest
}

func (p *resolvePool) add(account string, n int) {
	p.mu.Lock()
	p.total += n
	if p.running[account] += n; p.running[account] == 0 {
		delete(p.running, account)
	}
	p.mu.Unlock()
	if n < 0 {
		select {
		case p.freed <- struct{}{}:
		default:
		}
	}
}

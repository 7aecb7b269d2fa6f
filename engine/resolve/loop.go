package resolve

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
)

// How many operations one node resolves at the same time: in all, and of one connector account.
const (
	atOnce     = 128
	perAccount = 16
)

// Loop resolves the open operations that are due. All fields are needed.
type Loop struct {
	Store     change.Store
	Driver    *drive.Driver
	Metrics   port.Metrics
	Log       *slog.Logger
	Node      string        // the owner of the leases
	Every     time.Duration // the time between two looks
	LeaseTime time.Duration
	Wake      <-chan struct{} // asks for a look at once
	InFlight  *sync.WaitGroup // counts the operations under way
	// Resolve seeks the end of an operation that this node has claimed. leaseEnd is the end of its lease by Now. It may be called concurrently.
	Resolve func(ctx context.Context, op *payment.Operation, leaseEnd time.Time) error
}

// pool counts the operations that this node resolves. It is safe for concurrent use.
type pool struct {
	freed chan struct{} // holds a token after an operation has ended

	mu      sync.Mutex
	running map[string]int // by DueOperation.Account
	total   int
}

// Run resolves what is due, every l.Every and whenever an operation ends while others wait. Once ctx has ended it begins nothing more, and waits
// for what it has begun.
func (l *Loop) Run(ctx context.Context) {
	pool := &pool{freed: make(chan struct{}, 1), running: map[string]int{}}
	var begun sync.WaitGroup
	defer begun.Wait()
	tick := time.NewTicker(l.Every)
	defer tick.Stop()
	for {
		late, err := l.look(ctx, pool, &begun)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			l.Log.LogAttrs(ctx, slog.LevelError, "claiming open operations failed", slog.Any("error", err))
		default:
			l.Metrics.Swept("resolve", late, l.Every)
		}
		freed := pool.freed
		if late == 0 {
			freed = nil // nothing waits
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-l.Wake:
		case <-freed:
		}
	}
}

// look begins to resolve what is due, as far as the pool has room. late is how long the oldest operation that found no room has been due.
func (l *Loop) look(ctx context.Context, pool *pool, begun *sync.WaitGroup) (late time.Duration, err error) {
	if calm, err := l.Driver.ClockIsCalm(ctx); err != nil || !calm {
		return 0, err
	}
	var due []change.DueOperation
	var now time.Time
	err = l.Store.View(ctx, func(r change.Reader) (err error) {
		now = r.Now()
		due, err = r.DueOperations(2 * perAccount)
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
	leaseEnd := l.Driver.LeaseEnd()
	var ops []*payment.Operation
	err = l.Store.Update(ctx, func(tx change.Tx) (err error) {
		if ops = nil; !l.Driver.ClockHolds(tx.Now()) {
			return nil
		}
		ops, err = tx.ClaimOperations(l.Node, tx.Now().Add(l.LeaseTime), len(rows), rows...)
		_, err = account.LeftOut(nil, err) // the others go on
		return err
	})
	if err != nil {
		return late, err
	}
	for _, op := range ops {
		end, first := l.Driver.Hold(op.ID)
		if !first { // a run of this process works on it: the claim keeps other nodes away
			end()
			continue
		}
		name := op.MerchantID + "/" + op.AccountID
		pool.add(name, 1)
		begun.Add(1)
		l.InFlight.Add(1)
		go func() {
			defer begun.Done()
			defer l.InFlight.Done()
			defer pool.add(name, -1)
			defer end()
			if err := l.Resolve(context.WithoutCancel(ctx), op, leaseEnd); err != nil {
				l.Log.LogAttrs(ctx, slog.LevelWarn, "operation not resolved yet", slog.String("operation_id", op.ID), slog.Any("error", err))
			}
		}()
	}
	return late, nil
}

// choose picks the operations to claim. The accounts take turns: the account with the fewest operations under way comes first, and within an
// account the operation that is due longest.
func (p *pool) choose(due []change.DueOperation) (taken, rest []change.DueOperation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if fault.Planted("one queue") {
		slices.SortFunc(due, func(a, b change.DueOperation) int { return cmp.Compare(a.Row, b.Row) })
		n := min(len(due), max(0, 1-p.total))
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
		if turns[o.Row] < perAccount && p.total+len(taken) < atOnce {
			taken = append(taken, o)
		} else {
			rest = append(rest, o)
		}
	}
	return taken, rest
}

func (p *pool) add(account string, n int) {
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

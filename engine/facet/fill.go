package facet

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// Filler reads payments, refunds and disputes into blocks. It is safe for concurrent use.
type Filler struct {
	Deps
	// Block is the number of rows in a block, by default 4,096.
	Block int
	// Enough rows, by default 256, are worth writing a block for. Fewer wait for Patience, by default 10 minutes, and lists read them from the
	// rows themselves meanwhile.
	Enough   int
	Patience time.Duration
	// Group is the number of blocks that one index is for, by default 64, which is the most.
	Group int
	// Eager has the Filler take all the time that it gets. Otherwise half is left to other work.
	Eager bool

	mu       sync.Mutex
	leased   time.Time
	distrust map[listOf]bool
}

// listOf is a list of a merchant.
type listOf struct {
	list       List
	merchantID string
}

// Deps are the parts that a Filler needs.
type Deps struct {
	Store Store
	Log   *slog.Logger
	// Email returns the number by which columns find a payment's e-mail address, 0 for a payment without one. Several addresses may have one number.
	Email func(p *payment.Payment) (int64, error)
	// Node is the owner of the lease: of several nodes one writes, as long as it lives.
	Node string
}

// Bounds of one turn.
const (
	leaseTime = 2 * time.Minute
	turn      = 16 // steps of one list before the next one's turn
)

// NewFiller returns a Filler with the defaults.
func NewFiller(d Deps) *Filler {
	return &Filler{Deps: d, Block: 4096, Enough: 256, Patience: 10 * time.Minute, Group: indexBuckets, distrust: map[listOf]bool{}}
}

// Distrust makes Fill drop the blocks of a merchant's list and make them again, because they differ from the rows.
func (f *Filler) Distrust(l List, merchantID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.distrust[listOf{l, merchantID}] = true
}

// Fill reads the payments, refunds and disputes of all merchants that are not in blocks yet, unless another node does. A merchant with many payments
// does not delay the others for long.
func (f *Filler) Fill(ctx context.Context) error {
	busy := true
	for busy {
		busy = false
		for _, l := range []List{Payments, Refunds, Disputes} {
			more, err := f.fill(ctx, l)
			if err != nil {
				return err
			}
			busy = busy || more
		}
	}
	return nil
}

// fill gives each merchant's list a turn. It returns true if a list has more to read.
func (f *Filler) fill(ctx context.Context, l List) (busy bool, err error) {
	for merchantID := ""; ; {
		err := f.Store.View(ctx, func(r FillReader) (err error) { merchantID, err = r.NextListed(l, merchantID); return err })
		if err != nil || merchantID == "" {
			return busy, err
		}
		more, err := f.turn(ctx, listOf{l, merchantID})
		if err != nil {
			return false, err
		}
		busy = busy || more
	}
}

// lease takes the lease, or extends it.
func (f *Filler) lease(ctx context.Context) (mine bool, err error) {
	f.mu.Lock()
	held := f.leased
	f.mu.Unlock()
	if time.Until(held) > leaseTime/2 {
		return true, ctx.Err()
	}
	err = f.Store.Update(ctx, func(tx Tx) (err error) {
		mine, err = tx.LeaseFacets(f.Node, tx.Now().Add(leaseTime))
		return err
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.leased = (time.Time{}); mine && err == nil {
		f.leased = time.Now().Add(leaseTime)
	}
	return mine, err
}

// turn reads the next rows of a list. It returns true if more are left.
func (f *Filler) turn(ctx context.Context, l listOf) (more bool, err error) {
	for range turn {
		began := time.Now()
		more, err = f.step(ctx, l)
		switch {
		case errors.Is(err, fault.ErrConflict): // another node wrote
			return false, nil
		case errors.Is(err, ErrSpoiled):
			f.Log.LogAttrs(ctx, slog.LevelError, "the columns of lists are damaged; payswitch makes them again, and lists read all payments meanwhile",
				slog.String("merchant_id", l.merchantID), slog.String("list", l.list.String()))
			f.Distrust(l.list, l.merchantID)
			return false, nil
		case err != nil || !more:
			return false, err
		}
		if f.Eager && ctx.Err() == nil {
			continue
		}
		select { // half of the time is for the payments
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(time.Since(began)):
		}
	}
	return more, nil
}

// step reads at most a block of rows, and writes them.
func (f *Filler) step(ctx context.Context, l listOf) (more bool, err error) {
	f.mu.Lock()
	drop := f.distrust[l]
	f.mu.Unlock()
	if drop {
		return f.drop(ctx, l)
	}
	s := &step{Filler: f, ctx: ctx, listOf: l}
	if err := s.read(); err != nil {
		return false, err
	}
	if s.was.Ahead(s.now) {
		return f.drop(ctx, l)
	}
	if s.was.Version > 0 && !s.was.Indexed {
		return s.dropIndexes()
	}
	if did, err := s.index(); did || err != nil {
		return did, err
	}
	if !s.due() {
		return false, nil
	}
	if mine, err := f.lease(ctx); err != nil || !mine {
		return false, err
	}
	if err := s.readAll(); err != nil {
		return false, err
	}
	if err := s.merge(); err != nil {
		return false, err
	}
	err = s.write()
	return err == nil && !s.next.Complete, err
}

// write writes the mark and the columns that changed.
func (s *step) write() error {
	return s.Store.Update(s.ctx, func(tx Tx) error {
		m := s.next // a function of Update may run again
		if err := tx.PutFacetMark(&m); err != nil {
			return err
		}
		for _, c := range s.columns {
			if err := tx.PutFacet(s.list, s.merchantID, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// drop deletes the blocks of a list, so that the next step begins from nothing.
func (f *Filler) drop(ctx context.Context, l listOf) (more bool, err error) {
	err = f.Store.Update(ctx, func(tx Tx) error { return tx.DropFacets(l.list, l.merchantID) })
	if err == nil {
		f.mu.Lock()
		delete(f.distrust, l)
		f.mu.Unlock()
	}
	return err == nil, err
}

// rows returns the number of rows that the Filler reads in one snapshot.
func (f *Filler) rows() int { return max(f.Block/8, 1) }

// step is one reading of a list.
type step struct {
	*Filler
	listOf
	ctx context.Context

	now       time.Time // of the store, before it read anything
	was, next Mark
	fresh     []Row // those that follow the blocks
	late      []LateRow
	begins    []int64 // the first time of each block
	last      int     // rows in the last block
	room      int     // rows that are still to be read at most
	lateLeft  bool    // more late rows are left for the next step
	amounts   map[int64]*amountRow
	digests   map[Kind][]Column
	columns   []Column
}

// rowsFrom lists the rows that were created at from or later and before to, oldest first.
func (s *step) rowsFrom(r FillReader, from, to time.Time, limit int) ([]Row, error) {
	if s.list != Payments {
		return r.FacetRows(s.list, s.merchantID, from, to, limit)
	}
	list, err := r.PaymentsFrom(s.merchantID, from, to, limit)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(list))
	for i := range list {
		if rows[i], err = s.rowOf(&list[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// lateRows lists the rows of blocks that have changed since the last step.
func (s *step) lateRows(r FillReader, limit int) ([]LateRow, error) {
	if s.list != Payments {
		return r.LateFacetRows(s.list, s.merchantID, s.was.Late, s.was.UpTo, limit)
	}
	list, err := r.LatePayments(s.merchantID, request.PaymentFilter{Documents: true, Sealed: true}, s.was.Late, s.was.UpTo, limit)
	if err != nil {
		return nil, err
	}
	rows := make([]LateRow, len(list))
	for i := range list {
		rows[i].At = list[i].At
		if rows[i].Row, err = s.rowOf(&list[i].Scanned); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (s *step) rowOf(p *listed.Scanned) (Row, error) {
	email, err := s.Email(p.Payment)
	return RowOf(p, email), err
}

// read reads the mark, the late rows, and the first rows behind the blocks.
func (s *step) read() error {
	var upTo time.Time
	s.room = s.Block
	err := s.Store.View(s.ctx, func(r FillReader) error {
		s.now, s.fresh, s.late, s.begins, s.was = r.Now(), nil, nil, nil, Mark{MerchantID: s.merchantID, List: s.list}
		if m, err := r.FacetMark(s.list, s.merchantID); err == nil {
			s.was = *m
		} else if !errors.Is(err, fault.ErrNotFound) {
			return err
		}
		upTo = s.now.Add(-Young - Settle)
		list, err := summaries(r, s.list, s.merchantID, Created, s.was.Indexed)
		if err != nil {
			return err
		}
		if int64(len(list)) != s.was.Blocks {
			return ErrSpoiled
		}
		for i, c := range list {
			v, err := numberSummary(c.Summary)
			if err != nil || c.Block != int64(i) {
				return ErrSpoiled
			}
			s.begins, s.last = append(s.begins, v.low), v.n
		}
		if !s.full() {
			s.room = s.Block - s.last
		}
		if s.was.Version > 0 {
			if s.late, err = s.lateRows(r, s.Block); err != nil {
				return err
			}
		}
		s.fresh, err = s.rowsFrom(r, s.was.UpTo, upTo, min(s.room, s.rows()))
		return err
	})
	if err != nil {
		return err
	}
	s.next = s.was
	s.next.ReadAt, s.next.Late, s.next.UpTo, s.next.Complete = s.now, s.now.Add(-Settle), upTo, true
	if len(s.fresh) == min(s.room, s.rows()) {
		s.next.Complete = false
	}
	if len(s.late) < s.Block || !s.late[s.Block-1].At.Before(s.next.Late) {
		return nil
	}
	s.next.Late, s.next.Complete, s.lateLeft = s.late[s.Block-1].At, false, true // the others in the next step
	if !s.next.Late.After(s.was.Late) {
		return s.readAllLate()
	}
	return nil
}

// readAll reads the other rows that fit in the last block, or in a new one.
func (s *step) readAll() error {
	upTo := s.next.UpTo
	for n := min(s.room, s.rows()); len(s.fresh) > 0 && len(s.fresh) == n; {
		if len(s.fresh) == s.room {
			return s.cut()
		}
		n = min(s.room, n+s.rows()) // another snapshot: none is held for long
		if err := s.readOn(upTo, n-len(s.fresh)); err != nil {
			return err
		}
	}
	s.next.Complete = !s.lateLeft
	return nil
}

// full reports whether the next rows begin a new block. A block ends between two milliseconds, so few have exactly as many as they may.
func (s *step) full() bool { return s.last >= s.Block-s.Block/16 }

// readOn reads rows behind those that were read. Of the last millisecond it reads all again.
func (s *step) readOn(upTo time.Time, limit int) error {
	from := s.fresh[len(s.fresh)-1].Place().CreatedAt
	same := 0
	for i := len(s.fresh) - 1; i >= 0 && s.fresh[i].Place().CreatedAt.Equal(from); i-- {
		same++
	}
	return s.Store.View(s.ctx, func(r FillReader) error {
		list, err := s.rowsFrom(r, from, upTo, limit+same)
		if err == nil {
			s.fresh = append(s.fresh[:len(s.fresh)-same:len(s.fresh)-same], list...)
		}
		return err
	})
}

// cut ends the block between two milliseconds, so that no two blocks share one.
func (s *step) cut() error {
	last := s.fresh[len(s.fresh)-1].Place().CreatedAt
	s.next.UpTo, s.next.Complete = last, false
	if !s.fresh[0].Place().CreatedAt.Equal(last) {
		s.fresh = slices.DeleteFunc(s.fresh, func(r Row) bool { return r.Place().CreatedAt.Equal(last) })
		return nil
	}
	s.next.UpTo = last.Add(time.Millisecond)
	return s.Store.View(s.ctx, func(r FillReader) (err error) {
		s.fresh, err = s.rowsFrom(r, last, s.next.UpTo, 0)
		return err
	})
}

// readAllLate reads more late rows of one millisecond than a step has.
func (s *step) readAllLate() error {
	s.next.Late, s.lateLeft = s.now.Add(-Settle), false
	return s.Store.View(s.ctx, func(r FillReader) (err error) {
		s.late, err = s.lateRows(r, 0)
		return err
	})
}

// due reports whether there is enough to write.
func (s *step) due() bool {
	if s.was.Version == 0 {
		return len(s.fresh) > 0
	}
	if !s.next.Complete || !s.was.Complete || len(s.fresh) >= s.Enough || len(s.late) >= s.Enough {
		return true
	}
	old := s.now.Add(-Young - Settle - s.Patience)
	return len(s.fresh) > 0 && s.fresh[0].Place().CreatedAt.Before(old) || len(s.late) > 0 && s.late[0].At.Before(old)
}

// merge makes the columns that change.
func (s *step) merge() error {
	changed := map[int64][]Row{} // by block
	for i := range s.late {
		at := s.late[i].Numbers[Created]
		block, _ := slices.BinarySearch(s.begins, at+1) // the first block that begins later
		block = max(block-1, 0)
		changed[int64(block)] = append(changed[int64(block)], s.late[i].Row)
	}
	if len(s.fresh) > 0 {
		block := max(s.was.Blocks-1, 0)
		if s.was.Blocks > 0 && s.full() {
			block++
		}
		changed[block] = append(changed[block], s.fresh...)
	}
	for block, rows := range changed {
		s.next.Blocks = max(s.next.Blocks, block+1)
		var before []Column
		if block < s.was.Blocks {
			var err error
			if before, rows, err = s.onto(block, rows); err != nil {
				return err
			}
		}
		sortRows(rows)
		after := encode(block, rows)
		for i, c := range after {
			if before == nil || !bytes.Equal(before[i].Summary, c.Summary) || !bytes.Equal(before[i].Data, c.Data) {
				s.columns = append(s.columns, c)
			}
		}
		if before == nil {
			continue
		}
		if err := s.addToDigests(before, after); err != nil {
			return err
		}
		if s.list == Payments {
			if err := s.addToIndexes(before, after); err != nil {
				return err
			}
		}
	}
	return s.addAmounts()
}

// dropIndexes deletes the indexes of a list after an earlier release, which knows none, has written its blocks. The next steps make them again.
func (s *step) dropIndexes() (more bool, err error) {
	if mine, err := s.lease(s.ctx); err != nil || !mine {
		return false, err
	}
	err = s.Store.Update(s.ctx, func(tx Tx) error {
		m := s.was
		if err := tx.PutFacetMark(&m); err != nil {
			return err
		}
		return tx.DropFacetIndexes(s.list, s.merchantID)
	})
	return err == nil, err
}

// onto puts rows into a stored block, in place of its rows with the same Seq.
func (s *step) onto(block int64, rows []Row) (before []Column, _ []Row, err error) {
	err = s.Store.View(s.ctx, func(r FillReader) error {
		before = nil
		for k := range kinds {
			c, err := r.FacetColumn(s.list, s.merchantID, Kind(k), block)
			if errors.Is(err, fault.ErrNotFound) {
				return ErrSpoiled
			}
			if err != nil {
				return err
			}
			before = append(before, c)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	old, err := decode(before)
	if err != nil {
		return nil, nil, err
	}
	now := make(map[int64]Row, len(rows))
	for _, r := range rows {
		now[r.Numbers[Seq]] = r
	}
	for i := range old {
		if r, ok := now[old[i].Numbers[Seq]]; ok {
			old[i] = r
			delete(now, r.Numbers[Seq])
		}
	}
	for _, r := range now {
		old = append(old, r)
	}
	return before, old, nil
}

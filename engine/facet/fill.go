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
	"payswitch/engine/request"
)

// Filler reads payments into blocks. It is safe for concurrent use.
type Filler struct {
	Deps
	// Block is the number of payments in a block, by default 4,096.
	Block int
	// Enough payments, by default 256, are worth writing a block for. Fewer wait for Patience, by default 10 minutes, and lists read them from the
	// payments meanwhile.
	Enough   int
	Patience time.Duration

	mu       sync.Mutex
	leased   time.Time
	distrust map[string]bool
}

// Deps are the parts that a Filler needs.
type Deps struct {
	Store Store
	Log   *slog.Logger
	// Node is the owner of the lease: of several nodes one writes, as long as it lives.
	Node string
}

// Bounds of one turn.
const (
	leaseTime = 2 * time.Minute
	turn      = 16 // steps of one merchant before the next merchant's turn
)

// NewFiller returns a Filler with the defaults.
func NewFiller(d Deps) *Filler {
	return &Filler{Deps: d, Block: 4096, Enough: 256, Patience: 10 * time.Minute, distrust: map[string]bool{}}
}

// Distrust makes Fill drop a merchant's blocks and make them again, because they differ from the payments.
func (f *Filler) Distrust(merchantID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.distrust[merchantID] = true
}

// Fill reads the payments of all merchants that are not in blocks yet, unless another node does. A merchant with many payments does not delay the
// others for long.
func (f *Filler) Fill(ctx context.Context) error {
	busy := true
	for busy {
		busy = false
		for merchantID := ""; ; {
			err := f.Store.View(ctx, func(r FillReader) (err error) { merchantID, err = r.NextPaid(merchantID); return err })
			if err != nil {
				return err
			}
			if merchantID == "" {
				break
			}
			more, err := f.Turn(ctx, merchantID)
			if err != nil {
				return err
			}
			busy = busy || more
		}
	}
	return nil
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

// Turn reads a merchant's next payments. It returns true if more are left.
func (f *Filler) Turn(ctx context.Context, merchantID string) (more bool, err error) {
	for range turn {
		began := time.Now()
		more, err = f.step(ctx, merchantID)
		switch {
		case errors.Is(err, fault.ErrConflict): // another node wrote
			return false, nil
		case errors.Is(err, ErrSpoiled):
			f.Log.LogAttrs(ctx, slog.LevelError, "the columns of lists are damaged; payswitch makes them again, and lists read all payments meanwhile",
				slog.String("merchant_id", merchantID))
			f.Distrust(merchantID)
			return false, nil
		case err != nil || !more:
			return false, err
		}
		select { // half of the time is for the payments
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(time.Since(began)):
		}
	}
	return more, nil
}

// step reads at most a block of payments, and writes them.
func (f *Filler) step(ctx context.Context, merchantID string) (more bool, err error) {
	f.mu.Lock()
	drop := f.distrust[merchantID]
	f.mu.Unlock()
	if drop {
		return f.drop(ctx, merchantID)
	}
	s := &step{Filler: f, ctx: ctx, merchantID: merchantID}
	if err := s.read(); err != nil {
		return false, err
	}
	if s.was.Ahead(s.now) {
		return f.drop(ctx, merchantID)
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
	err = f.Store.Update(ctx, func(tx Tx) error {
		m := s.next // a function of Update may run again
		if err := tx.PutFacetMark(&m); err != nil {
			return err
		}
		for _, c := range s.columns {
			if err := tx.PutFacet(merchantID, c); err != nil {
				return err
			}
		}
		return nil
	})
	return err == nil && !s.next.Complete, err
}

// drop deletes a merchant's blocks, so that the next step begins from nothing.
func (f *Filler) drop(ctx context.Context, merchantID string) (more bool, err error) {
	err = f.Store.Update(ctx, func(tx Tx) error { return tx.DropFacets(merchantID) })
	if err == nil {
		f.mu.Lock()
		delete(f.distrust, merchantID)
		f.mu.Unlock()
	}
	return err == nil, err
}

// rows is the number of payments that the Filler reads in one snapshot.
func (f *Filler) rows() int { return max(f.Block/8, 1) }

// step is one reading of a merchant's payments.
type step struct {
	*Filler
	ctx        context.Context
	merchantID string

	now       time.Time // of the store, before it read anything
	was, next Mark
	fresh     []listed.Scanned // the payments that follow the blocks
	late      []LatePayment
	begins    []int64 // the first time of each block
	last      int     // payments in the last block
	room      int     // payments that are still to be read at most
	lateLeft  bool    // more late payments are left for the next step
	columns   []Column
}

// read reads the mark, the late payments, and the first payments behind the blocks.
func (s *step) read() error {
	var upTo time.Time
	s.room = s.Block
	err := s.Store.View(s.ctx, func(r FillReader) error {
		s.now, s.fresh, s.late, s.begins, s.was = r.Now(), nil, nil, nil, Mark{MerchantID: s.merchantID}
		if m, err := r.FacetMark(s.merchantID); err == nil {
			s.was = *m
		} else if !errors.Is(err, fault.ErrNotFound) {
			return err
		}
		upTo = s.now.Add(-Young - Settle)
		list, err := r.FacetSummaries(s.merchantID, Created)
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
			if s.late, err = r.LatePayments(s.merchantID, request.PaymentFilter{Documents: true}, s.was.Late, s.was.UpTo, s.Block); err != nil {
				return err
			}
		}
		s.fresh, err = r.PaymentsFrom(s.merchantID, s.was.UpTo, upTo, min(s.room, s.rows()))
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

// readAll reads the other payments that fit in the last block, or in a new one.
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

// full reports whether the next payments begin a new block. A block ends between two milliseconds, so few have exactly as many as they may.
func (s *step) full() bool { return s.last >= s.Block-s.Block/16 }

// readOn reads payments behind those that were read. Of the last millisecond it reads all again.
func (s *step) readOn(upTo time.Time, limit int) error {
	from := s.fresh[len(s.fresh)-1].Place.CreatedAt
	same := 0
	for i := len(s.fresh) - 1; i >= 0 && s.fresh[i].Place.CreatedAt.Equal(from); i-- {
		same++
	}
	return s.Store.View(s.ctx, func(r FillReader) error {
		list, err := r.PaymentsFrom(s.merchantID, from, upTo, limit+same)
		if err == nil {
			s.fresh = append(s.fresh[:len(s.fresh)-same:len(s.fresh)-same], list...)
		}
		return err
	})
}

// cut ends the block between two milliseconds, so that no two blocks share one.
func (s *step) cut() error {
	last := s.fresh[len(s.fresh)-1].Place.CreatedAt
	s.next.UpTo, s.next.Complete = last, false
	if !s.fresh[0].Place.CreatedAt.Equal(last) {
		s.fresh = slices.DeleteFunc(s.fresh, func(p listed.Scanned) bool { return p.Place.CreatedAt.Equal(last) })
		return nil
	}
	s.next.UpTo = last.Add(time.Millisecond)
	return s.Store.View(s.ctx, func(r FillReader) (err error) {
		s.fresh, err = r.PaymentsFrom(s.merchantID, last, s.next.UpTo, 0)
		return err
	})
}

// readAllLate reads more late payments of one millisecond than a step has.
func (s *step) readAllLate() error {
	s.next.Late, s.lateLeft = s.now.Add(-Settle), false
	return s.Store.View(s.ctx, func(r FillReader) (err error) {
		s.late, err = r.LatePayments(s.merchantID, request.PaymentFilter{Documents: true}, s.was.Late, s.was.UpTo, 0)
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
	return len(s.fresh) > 0 && s.fresh[0].Place.CreatedAt.Before(old) || len(s.late) > 0 && s.late[0].At.Before(old)
}

// merge makes the columns that change.
func (s *step) merge() error {
	changed := map[int64][]Row{} // by block
	for i := range s.late {
		at := s.late[i].Place.CreatedAt.UnixMilli()
		block, _ := slices.BinarySearch(s.begins, at+1) // the first block that begins later
		block = max(block-1, 0)
		changed[int64(block)] = append(changed[int64(block)], RowOf(&s.late[i].Scanned))
	}
	if len(s.fresh) > 0 {
		block := max(s.was.Blocks-1, 0)
		if s.was.Blocks > 0 && s.full() {
			block++
		}
		for i := range s.fresh {
			changed[block] = append(changed[block], RowOf(&s.fresh[i]))
		}
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
		for i, c := range encode(block, rows) {
			if before == nil || !bytes.Equal(before[i].Summary, c.Summary) || !bytes.Equal(before[i].Data, c.Data) {
				s.columns = append(s.columns, c)
			}
		}
	}
	return nil
}

// onto puts rows into a stored block, in place of its rows of the same payments.
func (s *step) onto(block int64, rows []Row) (before []Column, _ []Row, err error) {
	err = s.Store.View(s.ctx, func(r FillReader) error {
		before = nil
		for k := range kinds {
			c, err := r.FacetColumn(s.merchantID, Kind(k), block)
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

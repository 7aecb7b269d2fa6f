package health

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"payswitch/engine/port"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// Store is the part of a store that health needs.
type Store = port.StoreOf[Reader, Tx]

// Row is the health of an account as one node knows it.
type Row struct {
	MerchantID string
	AccountID  string
	Node       string
	Counts     json.RawMessage
	SavedAt    time.Time
	ExpiresAt  time.Time
}

// Reader reads what nodes have saved.
type Reader interface {
	Now() time.Time
	// HealthSince lists the rows of all merchants and nodes that were saved at a time or later, by that time.
	HealthSince(at time.Time) ([]*Row, error)
	VolumeReader
}

// Tx saves health.
type Tx interface {
	Reader
	// PutHealth inserts a row, or replaces the row of the same account and node.
	PutHealth(r *Row) error
	VolumeTx
}

// How long rows are kept, and how far a sweep looks back: transactions end in another order than they begin.
const (
	keep     = 8 * SliceHalfLife
	lookBack = time.Minute
)

// forgotten is the number of attempts below which a slice is dropped.
const forgotten = 0.01

// stored is a row's counts. The json names are storage format, and short because nodes save often.
type stored struct {
	Breaker   Breaker      `json:"b,omitzero"`
	Connector string       `json:"c,omitempty"`
	Good      float64      `json:"g,omitempty"`
	Bad       float64      `json:"f,omitempty"`
	FastAt    int64        `json:"t,omitempty"`
	Faults    []int64      `json:"e,omitempty"`
	Slices    []storedCell `json:"s,omitempty"`

	cells []cell
	whole cell // the results of all cells
}

type storedCell struct {
	Network  string                        `json:"n,omitempty"`
	Country  string                        `json:"c,omitempty"`
	Currency string                        `json:"u,omitempty"`
	At       int64                         `json:"t"`
	Results  [kinds]float64                `json:"r"`
	Latency  []float64                     `json:"l,omitempty"`
	Reasons  map[sdk.DeclineReason]float64 `json:"d,omitempty"`
}

// rounded has three decimals, so that rows stay short.
func rounded(n float64) float64 { return math.Round(n*1000) / 1000 }

// document returns what is saved of an account. Slices without weight are dropped.
func (s *entry) document(now int64) *stored {
	s.own.weigh(now)
	d := &stored{Breaker: s.breaker, Connector: s.connector, Good: rounded(s.own.good), Bad: rounded(s.own.bad), FastAt: now,
		Faults: recentFaults(s.own.faults, now)}
	kept := s.own.cells[:0]
	for i := range s.own.cells {
		c := s.own.cells[i]
		c.bring(now)
		if c.counts.Total() < forgotten && sum(c.counts.Latency[:]) < forgotten {
			continue
		}
		kept = append(kept, c)
		x := storedCell{Network: c.slice.Network, Country: c.slice.Country, Currency: c.slice.Currency, At: now}
		for i, n := range c.counts.Results {
			x.Results[i] = rounded(n)
		}
		last := 0
		for i, n := range c.counts.Latency {
			x.Latency = append(x.Latency, rounded(n))
			if n > 0 {
				last = i + 1
			}
		}
		x.Latency = x.Latency[:last]
		for _, r := range c.counts.Reasons {
			if x.Reasons == nil {
				x.Reasons = map[sdk.DeclineReason]float64{}
			}
			x.Reasons[r.Reason] = rounded(r.N)
		}
		d.Slices = append(d.Slices, x)
	}
	clear(s.own.cells[len(kept):])
	s.own.cells = kept
	return d
}

func sum(list []float64) (n float64) {
	for _, x := range list {
		n += x
	}
	return n
}

// readDocument reads what a node has saved. Numbers that no node writes count as none.
func readDocument(raw json.RawMessage) (*stored, error) {
	d := &stored{}
	if err := json.Unmarshal(raw, d); err != nil {
		return nil, fmt.Errorf("read the health of an account: %w", err)
	}
	d.Good, d.Bad, d.Faults = sane(d.Good), sane(d.Bad), d.Faults[:min(len(d.Faults), MaxFaultTimes)]
	for _, x := range d.Slices[:min(len(d.Slices), maxSlices+1)] {
		c := cell{slice: Slice{x.Network, x.Country, x.Currency}, at: x.At}
		for i, n := range x.Results {
			c.counts.Results[i] = sane(n)
		}
		for i, n := range x.Latency[:min(len(x.Latency), len(c.counts.Latency))] {
			c.counts.Latency[i] = sane(n)
		}
		for reason, n := range x.Reasons {
			if _, known := reason.Facts(); known {
				c.counts.reason(reason, sane(n))
			}
		}
		sortReasons(c.counts.Reasons)
		d.cells = append(d.cells, c)
		d.whole.join(&c)
	}
	d.Slices = nil
	return d, nil
}

func sane(n float64) float64 {
	if n > 0 && n < 1e12 {
		return n
	}
	return 0
}

// Sweep saves what has changed at this node, and takes in what the other nodes have saved. The first sweep also reads what this node has saved before
// a restart. An error changes nothing that the next sweep does not repair.
func (b *Board) Sweep(ctx context.Context) error {
	b.sweeping.Lock()
	defer b.sweeping.Unlock()
	return errors.Join(b.take(ctx), b.save(ctx))
}

// Save saves what has changed at this node since the latest sweep.
func (b *Board) Save(ctx context.Context) error {
	b.sweeping.Lock()
	defer b.sweeping.Unlock()
	return b.save(ctx)
}

// take reads the rows that were saved since the sweep before.
func (b *Board) take(ctx context.Context) error {
	var rows []*Row
	var volumes []*Volume
	var now time.Time
	since := time.Time{}
	if !b.read.IsZero() {
		since = b.read.Add(-lookBack)
	}
	err := b.Store.View(ctx, func(r Reader) (err error) {
		now = r.Now()
		rows, err = r.HealthSince(since)
		if err != nil && !isAltered(err) {
			return err
		}
		volumes, err = r.VolumesSince(since)
		return err
	})
	if err != nil && !isAltered(err) {
		return err
	}
	err = nil
	first := b.read.IsZero()
	b.takeVolumes(volumes, first)
	for _, row := range rows {
		if row.Node == b.Node && !first || !row.ExpiresAt.After(now) {
			continue
		}
		d, bad := readDocument(row.Counts)
		if bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		b.merge(row, d)
	}
	b.read = now
	b.drop()
	return err
}

// isAltered reports whether rows were left out of a list because they have been altered. The list has the other rows, and the store has raised the alarm.
func isAltered(err error) bool {
	altered := (*vault.AlteredError)(nil)
	return errors.As(err, &altered)
}

// merge takes in a row.
func (b *Board) merge(row *Row, d *stored) {
	a := Account{row.MerchantID, row.AccountID}
	s := b.of(a)
	s.mu.Lock()
	was := s.breaker.Open
	if s.connector == "" {
		s.connector = d.Connector
	}
	if row.Node == b.Node {
		s.restore(d)
	} else {
		if s.others == nil {
			s.others = map[string]*stored{}
		}
		s.others[row.Node] = d
	}
	if d.Breaker.At > s.breaker.At { // the latest change of any node counts for all
		s.breaker = d.Breaker
		s.own.forget()
	}
	is, connector := s.breaker.Open, s.connector
	s.mu.Unlock()
	if was != is && b.Moved != nil {
		b.Moved(a, connector, is)
	}
}

// restore adds what this node has saved before it started again.
func (s *entry) restore(d *stored) {
	for i := range d.cells {
		s.own.cellOf(d.cells[i].slice, d.cells[i].at).join(&d.cells[i])
	}
	s.own.whole.join(&d.whole)
	if s.own.at < d.FastAt {
		s.own.weigh(d.FastAt)
	}
	w := left(d.FastAt, s.own.at, FaultHalfLife)
	s.own.good, s.own.bad = s.own.good+d.Good*w, s.own.bad+d.Bad*w
	s.own.faults = append(d.Faults, s.own.faults...)
}

// save writes the accounts that have changed, in one transaction.
func (b *Board) save(ctx context.Context) error {
	now := b.Now().UnixMilli()
	type change struct {
		of  *entry
		row *Row
	}
	var list []change
	b.mu.RLock()
	for a, s := range b.all {
		s.mu.Lock()
		if s.dirty {
			raw, err := json.Marshal(s.document(now))
			if err != nil {
				s.mu.Unlock()
				b.mu.RUnlock()
				return fmt.Errorf("save the health of an account: %w", err)
			}
			s.dirty = false
			list = append(list, change{s, &Row{MerchantID: a.MerchantID, AccountID: a.ID, Node: b.Node, Counts: raw}})
		}
		s.mu.Unlock()
	}
	b.mu.RUnlock()
	volumes := b.changedVolumes(now)
	if len(list) == 0 && len(volumes) == 0 {
		return nil
	}
	err := b.Store.Update(ctx, func(tx Tx) error {
		for _, c := range list {
			c.row.SavedAt = tx.Now()
			c.row.ExpiresAt = tx.Now().Add(keep)
			if err := tx.PutHealth(c.row); err != nil {
				return err
			}
		}
		return putVolumes(tx, volumes)
	})
	if err != nil {
		b.again(volumes)
		for _, c := range list {
			c.of.mu.Lock()
			c.of.dirty = true
			c.of.mu.Unlock()
		}
	}
	return err
}

// drop forgets what has lost its weight: other nodes' old counts, and accounts without any.
func (b *Board) drop() {
	now := b.Now().UnixMilli()
	b.mu.Lock()
	defer b.mu.Unlock()
	for a, s := range b.all {
		s.mu.Lock()
		for node, o := range s.others {
			if now-o.FastAt > keep.Milliseconds() {
				delete(s.others, node)
			}
		}
		if !s.dirty && len(s.volume.own) == 0 && len(s.volume.others) == 0 && len(s.own.cells) == 0 && len(s.others) == 0 && !s.breaker.Open && now-s.breaker.At > keep.Milliseconds() {
			delete(b.all, a)
		}
		s.mu.Unlock()
	}
}

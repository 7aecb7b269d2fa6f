package health

import "time"

// Volume is how many attempts of an account a node has heard the end of on a day. Faults of the account are not among them.
type Volume struct {
	MerchantID string
	AccountID  string
	Node       string
	Day        int64 // since 1970-01-01, UTC
	Attempts   int64
	SavedAt    time.Time
	ExpiresAt  time.Time
}

// VolumeReader reads volumes.
type VolumeReader interface {
	// VolumesSince lists the volumes of all merchants and nodes that were saved at a time or later, by that time.
	VolumesSince(at time.Time) ([]*Volume, error)
}

// VolumeTx saves volumes.
type VolumeTx interface {
	// PutVolume inserts a volume, or replaces that of the same account, node and day.
	PutVolume(v *Volume) error
}

// volumesKept is how long a day's volume is kept: contracts run for at most a year.
const volumesKept = 400 * 24 * time.Hour

const dayMillis = 24 * 60 * 60 * 1000

// volume has the attempts of an account by day: those of this node, and those that other nodes have saved.
type volume struct {
	own    map[int64]int64
	others map[int64]map[string]int64 // by day and node
	dirty  map[int64]bool             // days of own to save
}

// count adds an attempt.
func (v *volume) count(now int64) {
	if v.own == nil {
		v.own, v.dirty = map[int64]int64{}, map[int64]bool{}
	}
	day := now / dayMillis
	v.own[day]++
	v.dirty[day] = true
}

// take takes in what a node has saved. A node's own row is from before it started again, so that it adds to what the node has counted since.
func (v *volume) take(row *Volume, own bool) {
	if own {
		if v.own == nil {
			v.own, v.dirty = map[int64]int64{}, map[int64]bool{}
		}
		v.own[row.Day] += row.Attempts
		return
	}
	if v.others == nil {
		v.others = map[int64]map[string]int64{}
	}
	if v.others[row.Day] == nil {
		v.others[row.Day] = map[string]int64{}
	}
	v.others[row.Day][row.Node] = row.Attempts
}

// Volume returns how many attempts of an account have ended since the beginning of a day (UTC), at all nodes. Faults of the account do not count.
func (b *Board) Volume(a Account, since time.Time) (n int64) {
	s := b.known(a)
	if s == nil {
		return 0
	}
	from := since.UnixMilli() / dayMillis
	s.mu.Lock()
	defer s.mu.Unlock()
	for day, attempts := range s.volume.own {
		if day >= from {
			n += attempts
		}
	}
	for day, nodes := range s.volume.others {
		if day < from {
			continue
		}
		for _, attempts := range nodes {
			n += attempts
		}
	}
	return n
}

// takeVolumes reads the volumes that were saved since the sweep before. first is true for a node's first sweep.
func (b *Board) takeVolumes(rows []*Volume, first bool) {
	for _, row := range rows {
		own := row.Node == b.Node
		if own && !first || row.Attempts < 0 {
			continue
		}
		s := b.of(Account{row.MerchantID, row.AccountID})
		s.mu.Lock()
		s.volume.take(row, own)
		s.mu.Unlock()
	}
}

// changedVolume is a volume to save, and the account that it belongs to.
type changedVolume struct {
	of  *entry
	row *Volume
}

// changedVolumes returns the volumes that have changed at this node, and forgets days that are too old.
func (b *Board) changedVolumes(now int64) (list []changedVolume) {
	if b.read.IsZero() { // the rows from before a restart are not read yet
		return nil
	}
	oldest := (now - volumesKept.Milliseconds()) / dayMillis
	b.mu.RLock()
	defer b.mu.RUnlock()
	for a, s := range b.all {
		s.mu.Lock()
		for day := range s.volume.dirty {
			list = append(list, changedVolume{s, &Volume{MerchantID: a.MerchantID, AccountID: a.ID, Node: b.Node, Day: day, Attempts: s.volume.own[day]}})
		}
		clear(s.volume.dirty)
		for day := range s.volume.own {
			if day < oldest {
				delete(s.volume.own, day)
			}
		}
		for day := range s.volume.others {
			if day < oldest {
				delete(s.volume.others, day)
			}
		}
		s.mu.Unlock()
	}
	return list
}

// putVolumes writes volumes.
func putVolumes(tx Tx, list []changedVolume) error {
	for _, c := range list {
		c.row.SavedAt, c.row.ExpiresAt = tx.Now(), tx.Now().Add(volumesKept)
		if err := tx.PutVolume(c.row); err != nil {
			return err
		}
	}
	return nil
}

// again makes the next sweep write volumes that could not be written.
func (b *Board) again(list []changedVolume) {
	for _, c := range list {
		c.of.mu.Lock()
		c.of.volume.dirty[c.row.Day] = true
		c.of.mu.Unlock()
	}
}

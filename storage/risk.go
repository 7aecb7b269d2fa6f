package storage

import (
	"time"

	"payswitch/engine/risk"
)

const blockedColumns = `merchant_id, data, kind, metadata, created_at, signature`

var blockedRows = signs("blocked_cards", "merchant_id, data", blockedColumns)

func scanBlocked(row scanner) (*risk.Entry, error) {
	e := new(risk.Entry)
	var created int64
	err := row.Scan(&e.MerchantID, &e.Data, &e.Kind, &e.Metadata, &created)
	e.CreatedAt = moment(created)
	return e, err
}

// InsertBlocked implements engine.Tx.
func (t *tx) InsertBlocked(e *risk.Entry) error {
	return t.insert("insert block list entry", `INSERT INTO blocked_cards (`+blockedColumns+`) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		t.signed(blockedRows, e.MerchantID, e.Data, e.Kind, e.Metadata, millis(e.CreatedAt))...)
}

// AddBlocked implements engine.Tx.
func (t *tx) AddBlocked(e *risk.Entry) error {
	return t.put("add block list entry", `INSERT INTO blocked_cards (`+blockedColumns+`) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		t.signed(blockedRows, e.MerchantID, e.Data, e.Kind, e.Metadata, millis(e.CreatedAt))...)
}

// DeleteBlocked implements engine.Tx.
func (t *tx) DeleteBlocked(merchantID, data string) error {
	return t.change("delete block list entry", `DELETE FROM blocked_cards WHERE merchant_id = $1 AND data = $2`, merchantID, data)
}

// Blocked implements engine.Reader.
func (t *tx) Blocked(merchantID, data string) (*risk.Entry, error) {
	return one(t, "read block list entry", genuine(t, blockedRows, scanBlocked, "merchant_id", merchantID, "data", data),
		`SELECT `+blockedColumns+` FROM blocked_cards WHERE merchant_id = $1 AND data = $2`, merchantID, data)
}

// BlockedAny implements engine.Reader.
func (t *tx) BlockedAny(merchantID string, data [3]string) ([]*risk.Entry, error) {
	return all(t, "look up block list", genuine(t, blockedRows, scanBlocked, "merchant_id", merchantID),
		`SELECT `+blockedColumns+` FROM blocked_cards WHERE merchant_id = $1 AND data IN ($2, $3, $4) ORDER BY data`, merchantID, data[0], data[1], data[2])
}

// BlockList implements engine.Reader.
func (t *tx) BlockList(merchantID, kind string, limit, offset int) ([]*risk.Entry, error) {
	return all(t, "list block list", genuine(t, blockedRows, scanBlocked, "merchant_id", merchantID),
		`SELECT `+blockedColumns+` FROM blocked_cards WHERE merchant_id = $1 AND kind = $2 ORDER BY created_at DESC, seq DESC LIMIT $3 OFFSET $4`,
		merchantID, kind, limit, max(offset, 0))
}

// CountBlocked implements engine.Reader.
func (t *tx) CountBlocked(merchantID, kind string) (int, error) {
	return one(t, "count block list", scanCount, `SELECT count(*) FROM blocked_cards WHERE merchant_id = $1 AND kind = $2`, merchantID, kind)
}

const blockJobColumns = `merchant_id, id, status, total, succeeded, failed, parts, created_at, modified_at, signature`

var blockJobRows = signs("block_jobs", "merchant_id, id", blockJobColumns)

func blockJobValues(j *risk.Job) []any {
	return []any{j.MerchantID, j.ID, j.Status, j.Total, j.Succeeded, j.Failed, j.Parts, millis(j.CreatedAt), millis(j.ModifiedAt)}
}

func scanBlockJob(row scanner) (*risk.Job, error) {
	j := new(risk.Job)
	var created, modified int64
	err := row.Scan(&j.MerchantID, &j.ID, &j.Status, &j.Total, &j.Succeeded, &j.Failed, &j.Parts, &created, &modified)
	j.CreatedAt, j.ModifiedAt = moment(created), moment(modified)
	return j, err
}

// InsertBlockJob implements engine.Tx.
func (t *tx) InsertBlockJob(j *risk.Job) error {
	return t.insert("insert block list job", `INSERT INTO block_jobs (`+blockJobColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT DO NOTHING`, t.signed(blockJobRows, blockJobValues(j)...)...)
}

// UpdateBlockJob implements engine.Tx.
func (t *tx) UpdateBlockJob(j *risk.Job) error {
	return t.change("update block list job", `UPDATE block_jobs SET status = $1, total = $2, succeeded = $3, failed = $4, parts = $5, created_at = $6,
		modified_at = $7, signature = $8 WHERE merchant_id = $9 AND id = $10`, j.Status, j.Total, j.Succeeded, j.Failed, j.Parts, millis(j.CreatedAt),
		millis(j.ModifiedAt), t.signature(blockJobRows, blockJobValues(j)), j.MerchantID, j.ID)
}

// BlockJob implements engine.Reader.
func (t *tx) BlockJob(merchantID, id string) (*risk.Job, error) {
	return one(t, "read block list job", genuine(t, blockJobRows, scanBlockJob, "merchant_id", merchantID, "id", id),
		`SELECT `+blockJobColumns+` FROM block_jobs WHERE merchant_id = $1 AND id = $2`+t.s.dialect().lockRow, merchantID, id)
}

// BlockJobs implements engine.Reader.
func (t *tx) BlockJobs(merchantID string, limit, offset int) ([]*risk.Job, error) {
	return all(t, "list block list jobs", genuine(t, blockJobRows, scanBlockJob, "merchant_id", merchantID),
		`SELECT `+blockJobColumns+` FROM block_jobs WHERE merchant_id = $1 ORDER BY created_at DESC, seq DESC LIMIT $2 OFFSET $3`,
		merchantID, limit, max(offset, 0))
}

// CountBlockJobs implements engine.Reader.
func (t *tx) CountBlockJobs(merchantID string) (int, error) {
	return one(t, "count block list jobs", scanCount, `SELECT count(*) FROM block_jobs WHERE merchant_id = $1`, merchantID)
}

const blockPartColumns = `merchant_id, job_id, number, entries, created_at, signature`

var blockPartRows = signs("block_job_parts", "merchant_id, job_id, number", blockPartColumns)

func scanBlockPart(row scanner) (*risk.Part, error) {
	p := new(risk.Part)
	var created int64
	err := row.Scan(&p.MerchantID, &p.JobID, &p.Number, &p.Entries, &created)
	p.CreatedAt = moment(created)
	return p, err
}

// InsertBlockPart implements engine.Tx.
func (t *tx) InsertBlockPart(p *risk.Part) error {
	return t.insert("insert part of block list job", `INSERT INTO block_job_parts (`+blockPartColumns+`) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		t.signed(blockPartRows, p.MerchantID, p.JobID, p.Number, p.Entries, millis(p.CreatedAt))...)
}

// DeleteBlockPart implements engine.Tx.
func (t *tx) DeleteBlockPart(merchantID, jobID string, number int) error {
	return t.change("delete part of block list job", `DELETE FROM block_job_parts WHERE merchant_id = $1 AND job_id = $2 AND number = $3`, merchantID, jobID, number)
}

// BlockParts implements engine.Reader.
func (t *tx) BlockParts(limit int) ([]*risk.Part, error) {
	return all(t, "list parts of block list jobs", genuine(t, blockPartRows, scanBlockPart),
		`SELECT `+blockPartColumns+` FROM block_job_parts ORDER BY seq LIMIT $1`, limit)
}

// GuardFailures implements engine.Reader.
func (t *tx) GuardFailures(merchantID string, counters [4]string) (map[string]int, error) {
	out := map[string]int{}
	_, err := all(t, "read failure counts", func(row scanner) (string, error) {
		var counter string
		var n int
		err := row.Scan(&counter, &n)
		out[counter] = n
		return counter, err
	}, `SELECT counter, failures FROM guard_counts WHERE merchant_id = $1 AND counter IN ($2, $3, $4, $5) AND counted_until > $6`,
		merchantID, counters[0], counters[1], counters[2], counters[3], millis(t.now))
	return out, err
}

// HoldGuard implements engine.Tx. It uses one statement, so that of concurrent payments only those pass that the threshold has room for.
func (t *tx) HoldGuard(merchantID, counter string, threshold int, until time.Time) (bool, error) {
	n, err := t.expect("hold failure count", 1, `INSERT INTO guard_counts AS g (merchant_id, counter, failures, counted_until, held, held_until, expires_at)
		VALUES ($1, $2, 0, 0, 1, $3, $3) ON CONFLICT (merchant_id, counter) DO UPDATE SET
		held = CASE WHEN g.held_until <= $4 THEN 1 ELSE g.held + 1 END, held_until = excluded.held_until,
		expires_at = CASE WHEN g.counted_until > excluded.held_until THEN g.counted_until ELSE excluded.held_until END
		WHERE CASE WHEN g.counted_until > $4 THEN g.failures ELSE 0 END + CASE WHEN g.held_until > $4 THEN g.held ELSE 0 END < $5`,
		merchantID, counter, millis(until), millis(t.now), threshold)
	return n == 1, err
}

// CountGuardFailure implements engine.Tx. It uses one statement, so that concurrent counts add up.
func (t *tx) CountGuardFailure(merchantID, counter string, held int, until time.Time) error {
	return t.put("count failure", `INSERT INTO guard_counts AS g (merchant_id, counter, failures, counted_until, held, held_until, expires_at)
		VALUES ($1, $2, 1, $3, 0, 0, $3) ON CONFLICT (merchant_id, counter) DO UPDATE SET
		failures = CASE WHEN g.counted_until <= $4 THEN 1 ELSE g.failures + 1 END, counted_until = excluded.counted_until,
		held = CASE WHEN g.held > $5 THEN g.held - $5 ELSE 0 END,
		expires_at = CASE WHEN g.held_until > excluded.counted_until THEN g.held_until ELSE excluded.counted_until END`,
		merchantID, counter, millis(until), millis(t.now), held)
}

// ReleaseGuard implements engine.Tx.
func (t *tx) ReleaseGuard(merchantID, counter string) error {
	return t.put("release failure count", `UPDATE guard_counts SET held = CASE WHEN held > 0 THEN held - 1 ELSE 0 END WHERE merchant_id = $1 AND counter = $2`,
		merchantID, counter)
}

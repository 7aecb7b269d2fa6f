package storage

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/risk"
)

const blockedColumns = `merchant_id, data, kind, metadata, created_at, signature`

var blockedRows = signs("blocked_cards", "merchant_id, data", blockedColumns)

func scanBlocked(row scanner) (*risk.Entry, error) {
	e := new(risk.Entry)
	var created int64
	err := row.Scan(&e.MerchantID, &e.Data, (*string)(&e.Kind), &e.Metadata, &created)
	e.CreatedAt = moment(created)
	return e, err
}

// InsertBlocked implements engine.Tx.
func (t *tx) InsertBlocked(e *risk.Entry) error {
	if err := t.listChanged(e.MerchantID); err != nil {
		return err
	}
	return t.insert("insert block list entry", `INSERT INTO blocked_cards (`+blockedColumns+`) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		t.signed(blockedRows, e.MerchantID, e.Data, string(e.Kind), e.Metadata, millis(e.CreatedAt))...)
}

// AddBlocked implements engine.Tx.
func (t *tx) AddBlocked(e *risk.Entry) error {
	if err := t.listChanged(e.MerchantID); err != nil {
		return err
	}
	return t.put("add block list entry", `INSERT INTO blocked_cards (`+blockedColumns+`) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		t.signed(blockedRows, e.MerchantID, e.Data, string(e.Kind), e.Metadata, millis(e.CreatedAt))...)
}

// DeleteBlocked implements engine.Tx.
func (t *tx) DeleteBlocked(merchantID, data string) error {
	if err := t.listChanged(merchantID); err != nil {
		return err
	}
	return t.change("delete block list entry", `DELETE FROM blocked_cards WHERE merchant_id = $1 AND data = $2`, merchantID, data)
}

// listVersion names the version of a merchant's block list in config_version.
func listVersion(merchantID string) string { return "blocks/" + merchantID }

// listChanged raises the version of a merchant's block list, once in a transaction. It comes before the change itself: writers of a list wait here for each
// other's commits, so that versions and changes become visible in one order.
func (t *tx) listChanged(merchantID string) error {
	if slices.Contains(t.lists, merchantID) {
		return nil
	}
	t.lists = append(t.lists, merchantID)
	return t.raiseVersion("raise the version of a block list", listVersion(merchantID))
}

// BlockVersion implements engine.Reader.
func (t *tx) BlockVersion(merchantID string) (int64, error) {
	return t.version("read the version of a block list", listVersion(merchantID))
}

// BlockedSince implements engine.Reader. It checks no signatures: a caller that finds the data asks BlockedAny.
func (t *tx) BlockedSince(merchantID string, since time.Time, limit int) ([]string, error) {
	return all(t, "read the data of a block list", func(row scanner) (data string, err error) { err = row.Scan(&data); return data, err },
		`SELECT data FROM blocked_cards WHERE merchant_id = $1 AND kind IN ($2, $3, $4) AND created_at >= $5 LIMIT $6`,
		merchantID, string(risk.KindBIN), string(risk.KindExtendedBIN), string(risk.KindMethod), millis(since), limit)
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
func (t *tx) BlockList(merchantID string, kind risk.Kind, limit, offset int) ([]*risk.Entry, error) {
	return all(t, "list block list", genuine(t, blockedRows, scanBlocked, "merchant_id", merchantID),
		`SELECT `+blockedColumns+` FROM blocked_cards WHERE merchant_id = $1 AND kind = $2 ORDER BY created_at DESC, seq DESC LIMIT $3 OFFSET $4`,
		merchantID, string(kind), limit, max(offset, 0))
}

// CountBlocked implements engine.Reader.
func (t *tx) CountBlocked(merchantID string, kind risk.Kind) (int, error) {
	return one(t, "count block list", scanCount, `SELECT count(*) FROM blocked_cards WHERE merchant_id = $1 AND kind = $2`, merchantID, string(kind))
}

const blockJobColumns = `merchant_id, id, status, total, succeeded, failed, parts, created_at, modified_at, signature`

var blockJobRows = signs("block_jobs", "merchant_id, id", blockJobColumns)

func blockJobValues(j *risk.Job) []any {
	return []any{j.MerchantID, j.ID, string(j.Status), j.Total, j.Succeeded, j.Failed, j.Parts, millis(j.CreatedAt), millis(j.ModifiedAt)}
}

func scanBlockJob(row scanner) (*risk.Job, error) {
	j := new(risk.Job)
	var created, modified int64
	err := row.Scan(&j.MerchantID, &j.ID, (*string)(&j.Status), &j.Total, &j.Succeeded, &j.Failed, &j.Parts, &created, &modified)
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
		modified_at = $7, signature = $8 WHERE merchant_id = $9 AND id = $10`, string(j.Status), j.Total, j.Succeeded, j.Failed, j.Parts, millis(j.CreatedAt),
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

// GuardsFree implements engine.Tx. Its statement changes no row where there is room, so that PostgreSQL need not answer it before the next one.
func (t *tx) GuardsFree(merchantID string, holds []change.Hold) (bool, error) {
	args := []any{merchantID, millis(t.now)}
	for _, h := range holds {
		args = append(args, h.Counter, h.Threshold)
	}
	n, err := t.expect("look at failure counts", 0, freeGuards.of(len(holds)), args...)
	return n == 0, err
}

// HoldGuards implements engine.Tx. It uses one statement, so that concurrent payments cannot take more places than the thresholds leave.
func (t *tx) HoldGuards(merchantID string, holds []change.Hold, until time.Time) (bool, error) {
	args := []any{merchantID, millis(until), millis(t.now)}
	for _, h := range holds {
		args = append(args, h.Counter, h.Threshold)
	}
	n, err := t.expect("hold failure counts", int64(len(holds)), holdGuards.of(len(holds)), args...)
	return n == int64(len(holds)), err
}

// CountGuardFailures implements engine.Tx. It uses one statement, so that concurrent counts add up.
func (t *tx) CountGuardFailures(merchantID string, counters []string, held int, until time.Time) error {
	return t.put("count failures", countGuards.of(len(counters)), withTexts(counters, merchantID, millis(until), millis(t.now), held)...)
}

// ReleaseGuards implements engine.Tx.
func (t *tx) ReleaseGuards(merchantID string, counters []string) error {
	statements := releaseGuards
	if t.s.dialect().lockRow != "" {
		statements = releaseLocked
	}
	return t.put("release failure counts", statements.of(len(counters)), withTexts(counters, merchantID)...)
}

func withTexts(texts []string, args ...any) []any {
	for _, s := range texts {
		args = append(args, s)
	}
	return args
}

// Statements about several counters of a merchant ($1), by the number of counters. $2 is the time until which a place or a failure counts, and $3 is now.
var (
	freeGuards = byCounters(func(n int) string { // $2 is now
		return `UPDATE guard_counts SET held = held WHERE merchant_id = $1 AND counter IN (` + repeated(n, 3, 2, ", ", `$a`) + `)
		AND CASE WHEN counted_until > $2 THEN failures ELSE 0 END + CASE WHEN held_until > $2 THEN held ELSE 0 END
		>= CASE counter ` + repeated(n, 3, 2, " ", `WHEN $a THEN CAST($b AS BIGINT)`) + ` END`
	})
	holdGuards = byCounters(func(n int) string {
		return `INSERT INTO guard_counts AS g (merchant_id, counter, failures, counted_until, held, held_until, expires_at)
		VALUES ` + repeated(n, 4, 2, ", ", `($1, $a, 0, 0, 1, $2, $2)`) + ` ON CONFLICT (merchant_id, counter) DO UPDATE SET
		held = CASE WHEN g.held_until <= $3 THEN 1 ELSE g.held + 1 END, held_until = excluded.held_until,
		expires_at = CASE WHEN g.counted_until > excluded.held_until THEN g.counted_until ELSE excluded.held_until END
		WHERE CASE WHEN g.counted_until > $3 THEN g.failures ELSE 0 END + CASE WHEN g.held_until > $3 THEN g.held ELSE 0 END
		< CASE g.counter ` + repeated(n, 4, 2, " ", `WHEN $a THEN CAST($b AS BIGINT)`) + ` END`
	})
	countGuards = byCounters(func(n int) string { // $4: places to give back
		return `INSERT INTO guard_counts AS g (merchant_id, counter, failures, counted_until, held, held_until, expires_at)
		VALUES ` + repeated(n, 5, 1, ", ", `($1, $a, 1, $2, 0, 0, $2)`) + ` ON CONFLICT (merchant_id, counter) DO UPDATE SET
		failures = CASE WHEN g.counted_until <= $3 THEN 1 ELSE g.failures + 1 END, counted_until = excluded.counted_until,
		held = CASE WHEN g.held > $4 THEN g.held - $4 ELSE 0 END,
		expires_at = CASE WHEN g.held_until > excluded.counted_until THEN g.held_until ELSE excluded.counted_until END`
	})
	releaseGuards = byCounters(func(n int) string {
		return `UPDATE guard_counts SET held = CASE WHEN held > 0 THEN held - 1 ELSE 0 END
		WHERE merchant_id = $1 AND counter IN (` + repeated(n, 2, 1, ", ", `$a`) + `)`
	})
	// releaseLocked locks the rows in the order in which the other statements lock their counters, so that two payments never wait for each other.
	// Names of counters are a word and hex digits, which every collation puts in the same order.
	releaseLocked = byCounters(func(n int) string {
		return `UPDATE guard_counts SET held = CASE WHEN held > 0 THEN held - 1 ELSE 0 END WHERE seq = ANY (ARRAY(SELECT seq FROM guard_counts
		WHERE merchant_id = $1 AND counter IN (` + repeated(n, 2, 1, ", ", `$a`) + `) ORDER BY counter FOR UPDATE))`
	})
)

// statementsBy holds statements by their number of counters. A payment has up to four.
type statementsBy struct {
	ready [5]string
	write func(counters int) string
}

func byCounters(write func(counters int) string) *statementsBy {
	s := &statementsBy{write: write}
	for n := range s.ready {
		s.ready[n] = write(n)
	}
	return s
}

func (s *statementsBy) of(counters int) string {
	if counters < len(s.ready) {
		return s.ready[counters]
	}
	return s.write(counters)
}

// repeated writes a part of a statement n times. $a in the part is the placeholder first, then first + step and so on; $b is the one behind $a.
func repeated(n, first, step int, separator, part string) string {
	list := make([]string, n)
	for i := range list {
		at := first + i*step
		list[i] = strings.NewReplacer("$a", "$"+strconv.Itoa(at), "$b", "$"+strconv.Itoa(at+1)).Replace(part)
	}
	return strings.Join(list, separator)
}

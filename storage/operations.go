package storage

import (
	"errors"
	"fmt"
	"math"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

const operationColumns = `id, merchant_id, payment_id, attempt_id, account_id, kind, status, amount, owner, lease_until, connector,
	adapter_hash, seed, started_at, last_send_at, closed_at, resolve_tries, resolve_at, request, instrument, outcome, error_text,
	account_version, resolution, resend_answers, signature`

var operationRows = signs("operations", "id", operationColumns, "owner", "lease_until")

// resolutionText returns the column of an operator's word, "" without one.
func resolutionText(o *payment.Operation) (string, error) {
	if o.Resolution == nil {
		return "", nil
	}
	return encode(o.Resolution)
}

func operationValues(o *payment.Operation, resolution string) []any {
	return []any{o.ID, o.MerchantID, o.PaymentID, o.AttemptID, o.AccountID, string(o.Kind), string(o.Status), o.Amount, o.Owner,
		millis(o.LeaseUntil), o.Connector, o.AdapterHash, o.Seed, millis(o.StartedAt), millis(o.LastSendAt), millis(o.ClosedAt),
		o.ResolveTries, millis(o.ResolveAt), o.Request, o.Instrument, o.Outcome, o.ErrorText, o.AccountVersion, resolution,
		o.ResendAnswers}
}

func scanOperation(row scanner) (*payment.Operation, error) {
	o := new(payment.Operation)
	var kind, status string
	var lease, started, sent, closed, resolve int64
	var resolution []byte
	err := row.Scan(&o.ID, &o.MerchantID, &o.PaymentID, &o.AttemptID, &o.AccountID, &kind, &status, &o.Amount, &o.Owner, &lease,
		&o.Connector, &o.AdapterHash, &o.Seed, &started, &sent, &closed, &o.ResolveTries, &resolve, &o.Request, &o.Instrument, &o.Outcome,
		&o.ErrorText, &o.AccountVersion, &resolution, &o.ResendAnswers)
	o.Kind, o.Status = sdk.Operation(kind), payment.OperationStatus(status)
	o.LeaseUntil, o.StartedAt, o.LastSendAt = moment(lease), moment(started), moment(sent)
	o.ClosedAt, o.ResolveAt = moment(closed), moment(resolve)
	if err == nil && len(resolution) > 0 {
		o.Resolution = new(payment.Resolution)
		err = decode(resolution, o.Resolution)
	}
	return o, err
}

// dueAt returns the time from which an operation may be claimed, nil for a closed one without ResolveAt. The index operations_due orders
// operations by it.
func dueAt(o *payment.Operation) any {
	at, ok := o.DueAt()
	switch {
	case ok:
		return millis(at)
	case o.Status == payment.OperationUnknown || o.Status == payment.OperationPending:
		return int64(math.MaxInt64)
	}
	return nil
}

// dueSetAt returns the time at which due_at is written, 0 for an operation without one: most operations are closed for ever, and 0 takes no room.
func (t *tx) dueSetAt(o *payment.Operation) int64 {
	if dueAt(o) == nil {
		return 0
	}
	return millis(t.now)
}

// InsertOperation implements engine.Tx.
func (t *tx) InsertOperation(o *payment.Operation) error {
	resolution, err := resolutionText(o)
	if err != nil {
		return err
	}
	err = t.insert("insert operation", insertOperation, append(t.signed(operationRows, operationValues(o, resolution)...), dueAt(o), t.dueSetAt(o))...)
	if err != nil || o.Key == nil {
		return err
	}
	return t.putShortTermKey(o.MerchantID, o.ShortTermID(), o.Key)
}

const insertOperation = `INSERT INTO operations (` + operationColumns + `, due_at, due_set_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)
	ON CONFLICT DO NOTHING`

const updateOperation = `UPDATE operations SET attempt_id = $1, account_id = $2, kind = $3, status = $4, amount = $5,
	owner = $6, lease_until = $7, connector = $8, adapter_hash = $9, seed = $10, started_at = $11, last_send_at = $12,
	closed_at = $13, resolve_tries = $14, resolve_at = $15, instrument = $16, outcome = $17, error_text = $18, due_at = $19, account_version = $20,
	resolution = $21, resend_answers = $22, signature = $23, due_set_at = $24 WHERE id = $25 AND merchant_id = $26`

// The vault may have sealed the request anew since the caller read the row. The signature covers the request, so it must be the row's.
const (
	updateSameOperation = updateOperation + ` AND request IS NOT DISTINCT FROM $27`
	updateHeldOperation = updateSameOperation + ` AND owner = $28 AND lease_until = $29 AND status IN ('started', 'unknown')`
)

// updateOperation returns the arguments of the statement updateOperation.
func (t *tx) updateOperation(o *payment.Operation) ([]any, error) {
	resolution, err := resolutionText(o)
	if err != nil {
		return nil, err
	}
	return []any{o.AttemptID, o.AccountID, string(o.Kind), string(o.Status), o.Amount, o.Owner, millis(o.LeaseUntil), o.Connector, o.AdapterHash,
		o.Seed, millis(o.StartedAt), millis(o.LastSendAt), millis(o.ClosedAt), o.ResolveTries, millis(o.ResolveAt), o.Instrument,
		o.Outcome, o.ErrorText, dueAt(o), o.AccountVersion, resolution, o.ResendAnswers, t.signature(operationRows, operationValues(o, resolution)), t.dueSetAt(o),
		o.ID, o.MerchantID}, nil
}

// UpdateOperation implements engine.Tx. It does not change PaymentID and Request.
func (t *tx) UpdateOperation(o *payment.Operation) error {
	args, err := t.updateOperation(o)
	if err != nil {
		return err
	}
	n, err := t.expect("update operation", 1, updateSameOperation, append(args, o.Request)...)
	if err == nil && n == 0 {
		err = t.updateResealed(o)
	}
	if err != nil {
		return err
	}
	return t.shredSpent(o)
}

// updateResealed is UpdateOperation for a row whose request differs from the caller's. The caller's operation takes the row's.
func (t *tx) updateResealed(o *payment.Operation) error {
	stored, err := t.Operation(o.ID)
	if err != nil {
		return err
	}
	o.Request = stored.Request
	args, err := t.updateOperation(o)
	if err != nil {
		return err
	}
	return t.change("update operation", updateOperation, args...)
}

// UpdateHeldOperation implements engine.Tx.
func (t *tx) UpdateHeldOperation(o *payment.Operation, node string, until time.Time) (bool, error) {
	args, err := t.updateOperation(o)
	if err != nil {
		return false, err
	}
	n, err := t.expect("update held operation", 1, updateHeldOperation,
		append(args, o.Request, node, millis(until))...)
	if err != nil || n == 0 {
		return false, err
	}
	return true, t.shredSpent(o)
}

// shredSpent destroys the key of an instrument that the operation no longer has.
func (t *tx) shredSpent(o *payment.Operation) error {
	if o.Instrument != nil {
		return nil
	}
	return t.shred(o.MerchantID, o.ShortTermID())
}

// Operation implements engine.Reader.
func (t *tx) Operation(id string) (*payment.Operation, error) {
	return one(t, "read operation", genuine(t, operationRows, scanOperation, "id", id),
		`SELECT `+operationColumns+` FROM operations WHERE id = $1`+t.s.dialect().lockRow, id)
}

// Operations implements engine.Reader.
func (t *tx) Operations(merchantID, paymentID string) ([]*payment.Operation, error) {
	return all(t, "list operations", genuine(t, operationRows, scanOperation, "merchant_id", merchantID, "payment_id", paymentID), `SELECT `+operationColumns+` FROM operations
		WHERE merchant_id = $1 AND payment_id = $2 ORDER BY started_at, seq`, merchantID, paymentID)
}

// OpenOperations implements engine.Reader. It reads operations_due, because an open operation has a due_at. The expression on merchant_id keeps SQLite from
// operations_payment, which holds all operations of the merchant.
func (t *tx) OpenOperations(merchantID, accountID string) (int, error) {
	return one(t, "count open operations", scanCount, `SELECT count(*) FROM operations
		WHERE due_at >= 0 AND merchant_id || '' = $1 AND ($2 = '' OR account_id = $2) AND status IN ('started', 'unknown', 'pending')`, merchantID, accountID)
}

// DueOperations implements engine.Reader. It reads operations_due alone.
func (t *tx) DueOperations(perAccount int) ([]change.DueOperation, error) {
	var out []change.DueOperation
	taken := map[[2]string]int{}
	err := t.s.query(`SELECT merchant_id, account_id, due_at, seq FROM operations WHERE due_at <= $1 ORDER BY due_at`, []any{millis(t.now)}, func(row scanner) error {
		var merchant, account string
		var due, seq int64
		if err := row.Scan(&merchant, &account, &due, &seq); err != nil {
			return err
		}
		key := [2]string{merchant, account}
		if taken[key]++; taken[key] <= perAccount {
			out = append(out, change.DueOperation{Row: seq, Account: merchant + "/" + account, At: moment(due)})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list due operations: %w", err)
	}
	return out, nil
}

// OperationsWithStatus implements engine.Reader. Only open operations have a due_at.
func (t *tx) OperationsWithStatus(merchants []string, statuses []payment.OperationStatus, limit int) ([]*payment.Operation, error) {
	where := conditions{list: []string{"due_at >= 0"}}
	where.addAny("merchant_id", merchants)
	names := make([]string, len(statuses))
	for i, s := range statuses {
		names[i] = string(s)
	}
	where.addAny("status", names)
	query := `SELECT ` + operationColumns + ` FROM operations WHERE ` + where.String() + ` ORDER BY started_at, seq LIMIT ` + where.place(limit)
	return all(t, "list operations by status", genuine(t, operationRows, scanOperation), query, where.args...)
}

// ResolvedOperations implements engine.Reader. It reads operations_resolved.
func (t *tx) ResolvedOperations(merchants []string, limit int) ([]*payment.Operation, error) {
	where := conditions{list: []string{"resolution <> ''"}}
	where.addAny("merchant_id", merchants)
	query := `SELECT ` + operationColumns + ` FROM operations WHERE ` + where.String() + ` ORDER BY closed_at DESC, seq DESC LIMIT ` + where.place(limit)
	return all(t, "list resolved operations", genuine(t, operationRows, scanOperation), query, where.args...)
}

// ClaimOperations implements engine.Tx. It returns the operations in any order.
func (t *tx) ClaimOperations(owner string, until time.Time, limit int, rows ...int64) ([]*payment.Operation, error) {
	t.wrote = true
	if len(rows) == 0 {
		return all(t, "claim operations", genuine(t, operationRows, scanOperation), `UPDATE operations SET owner = $1, lease_until = $2, due_at = $2, due_set_at = $3
			WHERE seq`+t.s.dialect().among(`SELECT seq FROM operations WHERE due_at <= $3 ORDER BY due_at LIMIT $4`+t.s.dialect().skipLocked)+`
			RETURNING `+operationColumns, owner, millis(until), millis(t.now), limit)
	}
	var out []*payment.Operation
	var altered *vault.AlteredError
	for _, row := range rows[:min(len(rows), limit)] {
		ops, err := all(t, "claim operation", genuine(t, operationRows, scanOperation), `UPDATE operations SET owner = $1, lease_until = $2, due_at = $2, due_set_at = $4
			WHERE seq = $3 AND due_at <= $4 RETURNING `+operationColumns, owner, millis(until), row, millis(t.now))
		var a *vault.AlteredError
		if errors.As(err, &a) {
			altered, err = altered.And(a), nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, ops...)
	}
	if altered != nil {
		return out, fmt.Errorf("claim operations: %w", altered)
	}
	return out, nil
}

// ExtendLease implements engine.Tx. An operation that has closed has no lease.
func (t *tx) ExtendLease(operationID, owner string, until time.Time) (bool, error) {
	n, err := t.expect("extend lease", 1, `UPDATE operations SET lease_until = $1, due_set_at = $5, due_at = CASE
			WHEN status <> $2 AND resolve_at = 0 THEN due_at
			WHEN status = $2 OR resolve_at < $1 THEN $1
			ELSE resolve_at END
		WHERE id = $3 AND owner = $4 AND lease_until > $5 AND status IN ($2, $6, $7)`,
		millis(until), string(payment.OperationStarted), operationID, owner, millis(t.now), string(payment.OperationUnknown),
		string(payment.OperationPending))
	return n == 1, err
}

// ReleaseLeases implements engine.Tx. What was open under a lease is due now: an earlier time to come may be from before a jump of the clock.
func (t *tx) ReleaseLeases(owner string) (int, error) {
	n, err := t.exec("release leases", `UPDATE operations SET lease_until = $1, due_set_at = $1, due_at = CASE
			WHEN status = $2 THEN $1
			WHEN resolve_at = 0 THEN due_at
			WHEN resolve_at < $1 OR status IN ($4, $5) THEN $1
			ELSE resolve_at END
		WHERE owner = $3 AND due_at >= 0 AND lease_until > $1`, millis(t.now), string(payment.OperationStarted), owner, string(payment.OperationUnknown),
		string(payment.OperationPending))
	if err != nil {
		return 0, err
	}
	m, err := t.exec("release leases", `UPDATE authentications SET owner = '', lease_until = 0 WHERE owner = $1 AND due_at > 0`, owner)
	return int(n + m), err
}

// LastDueSet implements engine.Reader. It reads operations_due.
func (t *tx) LastDueSet() (time.Time, error) {
	return one(t, "read the last due time", func(row scanner) (time.Time, error) {
		var at int64
		err := row.Scan(&at)
		return moment(at), err
	}, `SELECT COALESCE(MAX(due_set_at), 0) FROM operations WHERE due_at >= 0`)
}

// LastJump implements engine.Reader.
func (t *tx) LastJump() (drive.NotedJump, error) {
	return one(t, "read the last jump of the clock", func(row scanner) (drive.NotedJump, error) {
		var at, back int64
		err := row.Scan(&at, &back)
		return drive.NotedJump{At: moment(at), Back: time.Duration(back) * time.Millisecond}, err
	}, `SELECT COALESCE(MAX(noticed_at), 0), COALESCE(MAX(back_ms), 0) FROM clock_jumps WHERE name = 'last'`)
}

// jumpKept is how long a jump back counts together with a later one: longer than an operation is sent again.
const jumpKept = 60 * 24 * time.Hour

// NoteJump implements engine.Tx.
func (t *tx) NoteJump(by time.Duration) error {
	return t.put("note a jump of the clock", `INSERT INTO clock_jumps (name, noticed_at, back_ms) VALUES ('last', $1, $2) ON CONFLICT (name) DO UPDATE
		SET noticed_at = excluded.noticed_at, back_ms = excluded.back_ms + CASE WHEN clock_jumps.noticed_at > $3 THEN clock_jumps.back_ms ELSE 0 END`,
		millis(t.now), max(-by, 0).Milliseconds(), millis(t.now.Add(-jumpKept)))
}

// RecallOperations implements engine.Tx.
func (t *tx) RecallOperations(r drive.Recall, statuses ...payment.OperationStatus) error {
	for _, s := range statuses {
		err := t.put("recall operations", `UPDATE operations SET due_at = $1, due_set_at = $2 WHERE due_at > $1 AND due_at < $3 AND due_set_at >= $4 AND status = $5`,
			millis(r.DueBy), millis(t.now), int64(math.MaxInt64), millis(r.SetSince), string(s))
		if err != nil {
			return err
		}
	}
	return nil
}

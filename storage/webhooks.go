package storage

import (
	"fmt"
	"time"

	"payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/engine/webhook"
)

// Event implements engine.Reader.
func (t *tx) Event(merchantID, objectID, id string) (*payment.Event, error) {
	return one(t, "read event", genuine(t, eventRows, scanEvent, "merchant_id", merchantID, "object_id", objectID, "id", id),
		`SELECT `+eventColumns+` FROM events WHERE merchant_id = $1 AND object_id = $2 AND id = $3`, merchantID, objectID, id)
}

// WaitingEvents implements engine.Reader. The order of seq is enough: the transaction of an event has read the payment that the event before it was
// written with.
func (t *tx) WaitingEvents(limit int) ([]webhook.Waiting, error) {
	return all(t, "list waiting events", func(row scanner) (w webhook.Waiting, err error) {
		w.Event = new(payment.Event)
		var created int64
		err = row.Scan(&w.Row, &w.MerchantID, &w.ObjectID, &w.ID, &w.ProfileID, &w.Class, &w.Type, &created, &w.PaymentID, &w.Number)
		w.CreatedAt = moment(created)
		return w, err
	}, `SELECT seq, merchant_id, object_id, id, profile_id, class, type, created_at, payment_id, number FROM events WHERE waiting = 1 ORDER BY seq LIMIT $1`, limit)
}

const endpointColumns = `merchant_id, id, profile_id, url, description, types, disabled, sealed, created_at, modified_at, version, signature`

var endpointRows = signs("webhook_endpoints", "merchant_id, id", endpointColumns)

func endpointValues(e *webhook.Endpoint, types string, version int64) []any {
	return []any{e.MerchantID, e.ID, e.ProfileID, e.URL, e.Description, types, e.Disabled, e.Sealed, millis(e.CreatedAt), millis(e.ModifiedAt), version}
}

func scanEndpoint(row scanner) (*webhook.Endpoint, error) {
	e := new(webhook.Endpoint)
	var types []byte
	var created, modified int64
	err := row.Scan(&e.MerchantID, &e.ID, &e.ProfileID, &e.URL, &e.Description, &types, &e.Disabled, &e.Sealed, &created, &modified, &e.Version)
	e.CreatedAt, e.ModifiedAt = moment(created), moment(modified)
	if err == nil && len(types) > 0 {
		err = decode(types, &e.Types)
	}
	return e, err
}

// typesText returns the column of an endpoint's event types, "" for all types.
func typesText(e *webhook.Endpoint) (string, error) {
	if len(e.Types) == 0 {
		return "", nil
	}
	return encode(e.Types)
}

// InsertEndpoint implements engine.Tx.
func (t *tx) InsertEndpoint(e *webhook.Endpoint) error {
	types, err := typesText(e)
	if err != nil {
		return err
	}
	e.Version = 1
	return t.insert("insert webhook endpoint", `INSERT INTO webhook_endpoints (`+endpointColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`, t.signed(endpointRows, endpointValues(e, types, e.Version)...)...)
}

// UpdateEndpoint implements engine.Tx.
func (t *tx) UpdateEndpoint(e *webhook.Endpoint) error {
	types, err := typesText(e)
	if err != nil {
		return err
	}
	return t.compareAndSet("update webhook endpoint", &e.Version, `SELECT 1 FROM webhook_endpoints WHERE merchant_id = $1 AND id = $2`, []any{e.MerchantID, e.ID},
		`UPDATE webhook_endpoints SET url = $1, description = $2, types = $3, disabled = $4, sealed = $5, modified_at = $6, version = version + 1, signature = $7
		WHERE merchant_id = $8 AND id = $9 AND version = $10`, e.URL, e.Description, types, e.Disabled, e.Sealed, millis(e.ModifiedAt),
		t.signature(endpointRows, endpointValues(e, types, e.Version+1)), e.MerchantID, e.ID, e.Version)
}

// DeleteEndpoint implements engine.Tx.
func (t *tx) DeleteEndpoint(merchantID, id string) error {
	return t.change("delete webhook endpoint", `DELETE FROM webhook_endpoints WHERE merchant_id = $1 AND id = $2`, merchantID, id)
}

// Endpoint implements engine.Reader.
func (t *tx) Endpoint(merchantID, id string) (*webhook.Endpoint, error) {
	return one(t, "read webhook endpoint", genuine(t, endpointRows, scanEndpoint, "merchant_id", merchantID, "id", id),
		`SELECT `+endpointColumns+` FROM webhook_endpoints WHERE merchant_id = $1 AND id = $2`, merchantID, id)
}

// Endpoints implements engine.Reader. A profile has few endpoints, and so has a merchant.
func (t *tx) Endpoints(merchantID, profileID string) ([]*webhook.Endpoint, error) {
	return all(t, "list webhook endpoints", genuine(t, endpointRows, scanEndpoint, "merchant_id", merchantID),
		`SELECT `+endpointColumns+` FROM webhook_endpoints WHERE merchant_id = $1 AND ($2 = '' OR profile_id = $2) ORDER BY seq`, merchantID, profileID)
}

const deliveryColumns = `merchant_id, event_id, endpoint_id, profile_id, payment_id, object_id, number, class, type, created_at, state, tries,
	coalesce(due_at, 0), owner, ended_at, first_id`

func scanDelivery(row scanner) (*webhook.Delivery, error) {
	d := new(webhook.Delivery)
	var state string
	var created, due, ended int64
	err := row.Scan(&d.MerchantID, &d.EventID, &d.EndpointID, &d.ProfileID, &d.PaymentID, &d.ObjectID, &d.Number, &d.Class, &d.Type, &created, &state, &d.Tries,
		&due, &d.Owner, &ended, &d.FirstID)
	d.State, d.CreatedAt, d.DueAt, d.EndedAt = webhook.State(state), moment(created), moment(due), moment(ended)
	return d, err
}

// FanOut implements engine.Tx. The row lock on the latest open delivery makes its end and this insertion follow each other, so that the end finds
// the new delivery.
func (t *tx) FanOut(row int64, list []*webhook.Delivery) error {
	n, err := t.exec("take waiting event", `UPDATE events SET waiting = 0 WHERE seq = $1 AND waiting = 1`, row)
	if err != nil || n == 0 {
		return err
	}
	for _, d := range list {
		due := any(millis(t.now))
		if d.Number != 1 { // the first event of a payment waits for no other
			err := t.s.query(`SELECT number FROM deliveries WHERE merchant_id = $1 AND payment_id = $2 AND endpoint_id = $3 AND state = 'open'
				ORDER BY number DESC LIMIT 1`+t.s.dialect().lockRow, []any{d.MerchantID, d.PaymentID, d.EndpointID}, func(scanner) error { due = nil; return nil })
			if err != nil {
				return fmt.Errorf("find earlier delivery: %w", err)
			}
		}
		_, err := t.exec("insert delivery", `INSERT INTO deliveries (merchant_id, event_id, endpoint_id, profile_id, payment_id, object_id, number, class, type,
			created_at, state, tries, due_at, owner, ended_at, first_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'open', 0, $11, '', 0, '')
			ON CONFLICT DO NOTHING`, d.MerchantID, d.EventID, d.EndpointID, d.ProfileID, d.PaymentID, d.ObjectID, d.Number, d.Class, d.Type, millis(d.CreatedAt), due)
		if err != nil {
			return err
		}
	}
	return nil
}

// everyEndpoint returns a query for each endpoint with entries in the partial index of a condition. It jumps from endpoint to endpoint, whatever
// their numbers of deliveries are.
func everyEndpoint(condition string) string {
	return `WITH RECURSIVE e (id) AS (SELECT min(endpoint_id) FROM deliveries WHERE ` + condition + `
		UNION ALL SELECT (SELECT min(endpoint_id) FROM deliveries WHERE endpoint_id > e.id AND ` + condition + `) FROM e WHERE e.id IS NOT NULL)`
}

func (t *tx) backlogs(doing, query string, args ...any) ([]webhook.Backlog, error) {
	return all(t, doing, func(row scanner) (b webhook.Backlog, err error) {
		var oldest, due int64
		err = row.Scan(&b.EndpointID, &b.MerchantID, &oldest, &due)
		b.Oldest, b.Due = moment(oldest), moment(due)
		return b, err
	}, query, args...)
}

// Backlogs implements engine.Reader.
func (t *tx) Backlogs() ([]webhook.Backlog, error) {
	return t.backlogs("list backlogs", everyEndpoint("state = 'open'")+`
		SELECT e.id, coalesce((SELECT merchant_id FROM deliveries WHERE endpoint_id = e.id AND state = 'open' ORDER BY created_at LIMIT 1), ''),
		(SELECT min(created_at) FROM deliveries WHERE endpoint_id = e.id AND state = 'open'),
		coalesce((SELECT min(due_at) FROM deliveries WHERE endpoint_id = e.id AND due_at IS NOT NULL), 0) FROM e WHERE e.id IS NOT NULL`)
}

// DueEndpoints implements engine.Reader. Oldest is not set.
func (t *tx) DueEndpoints() ([]webhook.Backlog, error) {
	return t.backlogs("list due endpoints", everyEndpoint("due_at IS NOT NULL")+`
		SELECT id, merchant_id, 0, due_at FROM (SELECT e.id AS id,
			(SELECT min(due_at) FROM deliveries WHERE endpoint_id = e.id AND due_at IS NOT NULL) AS due_at,
			(SELECT merchant_id FROM deliveries WHERE endpoint_id = e.id AND due_at IS NOT NULL ORDER BY due_at LIMIT 1) AS merchant_id
			FROM e WHERE e.id IS NOT NULL) AS heads WHERE due_at <= $1`, millis(t.now))
}

// OldestOpen implements engine.Reader.
func (t *tx) OldestOpen(endpointID string) (time.Time, error) {
	return one(t, "read oldest delivery", func(row scanner) (time.Time, error) {
		var ms int64
		err := row.Scan(&ms)
		return moment(ms), err
	}, `SELECT coalesce(min(created_at), 0) FROM deliveries WHERE endpoint_id = $1 AND state = 'open'`, endpointID)
}

// ClaimDeliveries implements engine.Tx.
func (t *tx) ClaimDeliveries(endpointID, owner string, until time.Time, limit int) ([]*webhook.Delivery, error) {
	t.wrote = true
	return all(t, "claim deliveries", scanDelivery, `UPDATE deliveries SET owner = $1, due_at = $2 WHERE seq`+
		t.s.dialect().among(`SELECT seq FROM deliveries WHERE endpoint_id = $3 AND due_at <= $4 ORDER BY due_at LIMIT $5`+t.s.dialect().skipLocked)+`
		RETURNING `+deliveryColumns, owner, millis(until), endpointID, millis(t.now), limit)
}

// dueAtOf returns the column due_at of a delivery.
func dueAtOf(d *webhook.Delivery) any {
	if d.DueAt.IsZero() {
		return nil
	}
	return millis(d.DueAt)
}

// BookDelivery implements engine.Tx.
func (t *tx) BookDelivery(d *webhook.Delivery, owner string, lease time.Time) (bool, error) {
	n, err := t.exec("book delivery", `UPDATE deliveries SET state = $1, tries = $2, due_at = $3, owner = '', ended_at = $4, first_id = $5
		WHERE merchant_id = $6 AND event_id = $7 AND endpoint_id = $8 AND state = 'open' AND owner = $9 AND due_at = $10`,
		string(d.State), d.Tries, dueAtOf(d), millis(d.EndedAt), d.FirstID, d.MerchantID, d.EventID, d.EndpointID, owner, millis(lease))
	if err == nil && n == 0 && d.FirstID != "" {
		_, err = t.exec("note first attempt", `UPDATE deliveries SET first_id = $1 WHERE merchant_id = $2 AND event_id = $3 AND endpoint_id = $4 AND first_id = ''`,
			d.FirstID, d.MerchantID, d.EventID, d.EndpointID)
	}
	if err != nil || n == 0 {
		return false, err
	}
	if d.State == webhook.Open {
		return true, nil
	}
	return true, t.nextDelivery(d.MerchantID, d.PaymentID, d.EndpointID)
}

// nextDelivery makes the payment's first open delivery to an endpoint due, if none of them is due yet.
func (t *tx) nextDelivery(merchantID, paymentID, endpointID string) error {
	_, err := t.exec("make next delivery due", `UPDATE deliveries SET due_at = $1 WHERE due_at IS NULL AND seq =
		(SELECT seq FROM deliveries WHERE merchant_id = $2 AND payment_id = $3 AND endpoint_id = $4 AND state = 'open' ORDER BY number, seq LIMIT 1)`,
		millis(t.now), merchantID, paymentID, endpointID)
	return err
}

// ConcludeDelivery implements engine.Tx.
func (t *tx) ConcludeDelivery(d *webhook.Delivery) error {
	err := t.change("conclude delivery", `UPDATE deliveries SET state = $1, due_at = NULL, owner = '', ended_at = $2
		WHERE merchant_id = $3 AND event_id = $4 AND endpoint_id = $5`, string(d.State), millis(d.EndedAt), d.MerchantID, d.EventID, d.EndpointID)
	if err != nil {
		return err
	}
	return t.nextDelivery(d.MerchantID, d.PaymentID, d.EndpointID)
}

// RecallDeliveries implements engine.Tx.
func (t *tx) RecallDeliveries(endpointID string, limit int) (int, error) {
	n, err := t.exec("recall deliveries", `UPDATE deliveries SET due_at = $1 WHERE seq IN
		(SELECT seq FROM deliveries WHERE endpoint_id = $2 AND due_at > $1 AND owner = '' ORDER BY due_at LIMIT $3)`, millis(t.now), endpointID, limit)
	return int(n), err
}

// ExpireDeliveries implements engine.Tx. A delivery whose lease has ended counts as one without a lease.
func (t *tx) ExpireDeliveries(endpointID string, before time.Time, limit int) (int, error) {
	type next struct{ merchantID, paymentID string }
	t.wrote = true
	list, err := all(t, "expire deliveries", func(row scanner) (n next, err error) { return n, row.Scan(&n.merchantID, &n.paymentID) },
		`UPDATE deliveries SET state = 'given_up', due_at = NULL, owner = '', ended_at = $1 WHERE seq IN
		(SELECT seq FROM deliveries WHERE endpoint_id = $2 AND state = 'open' AND created_at <= $3 AND (owner = '' OR due_at <= $1) ORDER BY created_at LIMIT $4)
		RETURNING merchant_id, payment_id`, millis(t.now), endpointID, millis(before), limit)
	for _, n := range list {
		if err == nil {
			err = t.nextDelivery(n.merchantID, n.paymentID, endpointID)
		}
	}
	return len(list), err
}

// ReleaseDeliveries implements engine.Tx.
func (t *tx) ReleaseDeliveries(owner string) (int, error) {
	n, err := t.exec("release deliveries", `UPDATE deliveries SET due_at = $1, owner = '' WHERE due_at IS NOT NULL AND owner = $2`, millis(t.now), owner)
	return int(n), err
}

// DeliveriesOf implements engine.Reader.
func (t *tx) DeliveriesOf(merchantID, eventID string) ([]*webhook.Delivery, error) {
	return all(t, "list deliveries of an event", scanDelivery, `SELECT `+deliveryColumns+` FROM deliveries WHERE merchant_id = $1 AND event_id = $2 ORDER BY seq`,
		merchantID, eventID)
}

// Deliveries implements engine.Reader. Event ids sort by time, so the unique key is the index of the list.
func (t *tx) Deliveries(merchantID string, f webhook.Filter) ([]*webhook.Delivery, int, error) {
	var where conditions
	where.add("merchant_id = ", merchantID)
	for column, v := range map[string]string{"profile_id": f.ProfileID, "event_id": f.EventID} {
		if v != "" {
			where.add(column+" = ", v)
		}
	}
	if f.ObjectID != "" { // of a payment, or of a refund or a dispute of a payment
		object := where.place(f.ObjectID)
		of := func(table string) string {
			return ` UNION ALL SELECT payment_id FROM ` + table + ` WHERE merchant_id = $1 AND id = ` + object
		}
		where.list = append(where.list, `object_id = `+object+` AND payment_id IN (SELECT `+object+of("refunds")+of("disputes")+`)`)
	}
	where.addAny("class", f.Classes)
	where.addAny("type", f.Types)
	if f.Delivered != nil {
		compare := "state <> "
		if *f.Delivered {
			compare = "state = "
		}
		where.add(compare, string(webhook.Delivered))
	}
	if !f.After.IsZero() {
		where.add("event_id >= ", ids.FirstEvent(f.After))
	}
	where.addTime("created_at >= ", f.After, true)
	where.addTime("created_at <= ", f.Before, false)
	total, err := one(t, "count deliveries", scanCount, `SELECT count(*) FROM deliveries WHERE `+where.String(), where.args...)
	if err != nil {
		return nil, 0, err
	}
	query := `SELECT ` + deliveryColumns + ` FROM deliveries WHERE ` + where.String() + ` ORDER BY event_id DESC, endpoint_id LIMIT ` + where.place(f.Limit) +
		` OFFSET ` + where.place(f.Offset)
	list, err := all(t, "list deliveries", scanDelivery, query, where.args...)
	return list, total, err
}

// InsertDeliveryAttempt implements engine.Tx.
func (t *tx) InsertDeliveryAttempt(a *webhook.Attempt) error {
	return t.insert("insert delivery attempt", `INSERT INTO delivery_attempts (merchant_id, event_id, endpoint_id, id, kind, at, took_ms, status, failure, sealed)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
		a.MerchantID, a.EventID, a.EndpointID, a.ID, string(a.Kind), millis(a.At), a.Took.Milliseconds(), a.Status, a.Failure, a.Sealed)
}

// DeliveryAttempts implements engine.Reader.
func (t *tx) DeliveryAttempts(merchantID, eventID string) ([]*webhook.Attempt, error) {
	return all(t, "list delivery attempts", func(row scanner) (*webhook.Attempt, error) {
		a := new(webhook.Attempt)
		var at, took int64
		err := row.Scan(&a.MerchantID, &a.EventID, &a.EndpointID, &a.ID, (*string)(&a.Kind), &at, &took, &a.Status, &a.Failure, &a.Sealed)
		a.At, a.Took = moment(at), time.Duration(took)*time.Millisecond
		return a, err
	}, `SELECT merchant_id, event_id, endpoint_id, id, kind, at, took_ms, status, failure, sealed FROM delivery_attempts
		WHERE merchant_id = $1 AND event_id = $2 ORDER BY at, seq`, merchantID, eventID)
}

// DeleteEvents implements engine.Tx. Events are stored in the order of their time, so the oldest are the first rows.
func (t *tx) DeleteEvents(undelivered bool, before time.Time, behind int64, limit int) (last int64, removed int, err error) {
	const oldest = `(SELECT seq, merchant_id, id, created_at, waiting FROM events WHERE seq > $1 ORDER BY seq LIMIT $2) AS oldest`
	last, err = one(t, "find old events", func(row scanner) (int64, error) {
		var n, newest, last int64
		if err := row.Scan(&n, &newest, &last); err != nil || n < int64(limit) || newest > millis(before) {
			return 0, err
		}
		return last, nil
	}, `SELECT count(*), coalesce(max(created_at), 0), coalesce(max(seq), 0) FROM `+oldest, behind, limit)
	if err != nil {
		return 0, 0, err
	}
	failed := "NOT EXISTS"
	if undelivered {
		failed = "EXISTS"
	}
	const of = ` (SELECT 1 FROM deliveries AS d WHERE d.merchant_id = oldest.merchant_id AND d.event_id = oldest.id AND d.state = `
	events := map[string][]string{} // by merchant
	t.wrote = true
	_, err = all(t, "delete events", func(row scanner) (n int, err error) {
		var merchantID, id string
		err = row.Scan(&merchantID, &id)
		events[merchantID] = append(events[merchantID], id)
		removed++
		return 0, err
	}, `DELETE FROM events WHERE seq IN (SELECT seq FROM `+oldest+` WHERE created_at <= $3 AND waiting = 0
			AND NOT EXISTS`+of+`'open') AND `+failed+of+`'given_up'))
		RETURNING merchant_id, id`, behind, limit, millis(before))
	for merchantID, list := range events {
		for _, table := range []string{"deliveries", "delivery_attempts"} {
			var where conditions
			where.add("merchant_id = ", merchantID)
			where.addAny("event_id", list)
			if err == nil {
				_, err = t.exec("delete deliveries of events", `DELETE FROM `+table+` WHERE `+where.String(), where.args...)
			}
		}
	}
	return last, removed, err
}

// DeleteAttempts implements engine.Tx. Attempts are stored in the order of their time.
func (t *tx) DeleteAttempts(before time.Time, limit int) (int, error) {
	n, err := t.exec("delete attempts", `DELETE FROM delivery_attempts WHERE seq IN
		(SELECT seq FROM (SELECT seq, at FROM delivery_attempts ORDER BY seq LIMIT $1) AS oldest WHERE at <= $2)`, limit, millis(before))
	return int(n), err
}

// FailingEndpoints implements engine.Reader.
func (t *tx) FailingEndpoints() ([]webhook.Failing, error) {
	return all(t, "list failing endpoints", func(row scanner) (f webhook.Failing, err error) {
		var since int64
		err = row.Scan(&f.EndpointID, &f.MerchantID, &since)
		f.Since = moment(since)
		return f, err
	}, `SELECT endpoint_id, merchant_id, since FROM webhook_failures ORDER BY endpoint_id`)
}

// NoteFailing implements engine.Tx.
func (t *tx) NoteFailing(f webhook.Failing) error {
	_, err := t.exec("note a failing endpoint", `INSERT INTO webhook_failures (endpoint_id, merchant_id, since, alarmed_at) VALUES ($1, $2, $3, 0)
		ON CONFLICT (endpoint_id) DO UPDATE SET since = excluded.since WHERE webhook_failures.since > excluded.since`, f.EndpointID, f.MerchantID, millis(f.Since))
	return err
}

// DeleteFailing implements engine.Tx.
func (t *tx) DeleteFailing(endpointID string) error {
	_, err := t.exec("delete the note of an endpoint", `DELETE FROM webhook_failures WHERE endpoint_id = $1`, endpointID)
	return err
}

// TakeAlarm implements engine.Tx.
func (t *tx) TakeAlarm(endpointID string, before time.Time) (bool, error) {
	n, err := t.exec("take an alarm", `UPDATE webhook_failures SET alarmed_at = $1 WHERE endpoint_id = $2 AND since <= $3 AND alarmed_at <= $3`,
		millis(t.now), endpointID, millis(before))
	return n == 1, err
}

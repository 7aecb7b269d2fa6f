package storage

import (
	"time"

	"payswitch/engine/drive"
	"payswitch/engine/payment"
)

const exchangeColumns = `operation_id, number, at, request_hash, sealed, answered, sent, status, failure, duration_ns, signature`

var exchangeRows = signs("exchanges", "operation_id, number", exchangeColumns)

// PutExchange implements engine.Tx.
func (t *tx) PutExchange(x drive.ExchangeRecord) error {
	err := t.put("put exchange", `INSERT INTO exchanges (`+exchangeColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (operation_id, number) DO UPDATE SET at = excluded.at, request_hash = excluded.request_hash,
		sealed = excluded.sealed, answered = excluded.answered, sent = excluded.sent, status = excluded.status,
		failure = excluded.failure, duration_ns = excluded.duration_ns,
		signature = excluded.signature`, t.signed(exchangeRows, x.OperationID, x.Index, millis(x.At), x.RequestHash, x.Sealed, x.Answered,
		x.Sent, x.Status, x.Failure, int64(x.Duration))...)
	return err
}

// Exchanges implements engine.Reader.
func (t *tx) Exchanges(operationID string) ([]drive.ExchangeRecord, error) {
	return all(t, "list exchanges", genuine(t, exchangeRows, func(row scanner) (x drive.ExchangeRecord, err error) {
		var at, took int64
		err = row.Scan(&x.OperationID, &x.Index, &at, &x.RequestHash, &x.Sealed, &x.Answered, &x.Sent, &x.Status, &x.Failure, &took)
		x.At, x.Duration = moment(at), time.Duration(took)
		return x, err
	}, "operation_id", operationID), `SELECT `+exchangeColumns+` FROM exchanges WHERE operation_id = $1 ORDER BY number`, operationID)
}

const eventColumns = `merchant_id, object_id, id, profile_id, class, type, body, created_at, payment_id, number, signature`

var eventRows = signs("events", "merchant_id, object_id, id", eventColumns)

const insertEvent = `INSERT INTO events (` + eventColumns + `, waiting) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1) ON CONFLICT DO NOTHING`

// InsertEvent implements engine.Tx. Ids are unique among the events of one object.
func (t *tx) InsertEvent(e *payment.Event) error {
	return t.insert("insert event", insertEvent, t.signed(eventRows, e.MerchantID, e.ObjectID, e.ID, e.ProfileID, e.Class, e.Type, e.Body, millis(e.CreatedAt), e.PaymentID, e.Number)...)
}

func scanEvent(row scanner) (*payment.Event, error) {
	e := new(payment.Event)
	var created int64
	err := row.Scan(&e.MerchantID, &e.ObjectID, &e.ID, &e.ProfileID, &e.Class, &e.Type, &e.Body, &created, &e.PaymentID, &e.Number)
	e.CreatedAt = moment(created)
	return e, err
}

// Events implements engine.Reader.
func (t *tx) Events(merchantID, objectID string) ([]*payment.Event, error) {
	return all(t, "list events", genuine(t, eventRows, scanEvent, "merchant_id", merchantID, "object_id", objectID),
		`SELECT `+eventColumns+` FROM events WHERE merchant_id = $1 AND object_id = $2 ORDER BY created_at, seq`, merchantID, objectID)
}

const evidenceColumns = `operation_id, merchant_id, at, source, outcome, note, signature`

var evidenceRows = signs("evidence", "operation_id, at", evidenceColumns)

// InsertEvidence implements engine.Tx.
func (t *tx) InsertEvidence(e drive.Evidence) error {
	err := t.put("insert evidence", `INSERT INTO evidence (`+evidenceColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		t.signed(evidenceRows, e.OperationID, e.MerchantID, millis(e.At), string(e.Source), e.Outcome, e.Note)...)
	return err
}

// Evidence implements engine.Reader. It returns the evidence in the order of its arrival.
func (t *tx) Evidence(operationID string) ([]drive.Evidence, error) {
	return all(t, "list evidence", genuine(t, evidenceRows, func(row scanner) (e drive.Evidence, err error) {
		var at int64
		err = row.Scan(&e.OperationID, &e.MerchantID, &at, (*string)(&e.Source), &e.Outcome, &e.Note)
		e.At = moment(at)
		return e, err
	}, "operation_id", operationID), `SELECT `+evidenceColumns+` FROM evidence WHERE operation_id = $1 ORDER BY seq`, operationID)
}

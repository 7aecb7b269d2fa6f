package storage

import (
	"time"

	"payswitch/engine/drive"
	"payswitch/sdk"
)

const journalColumns = `operation_id, merchant_id, payment_id, account_id, connector, adapter, adapter_hash, kind, at, sealed`

func scanJournal(row scanner) (*drive.JournalRecord, error) {
	r := new(drive.JournalRecord)
	var kind string
	var at int64
	err := row.Scan(&r.Seq, &r.OperationID, &r.MerchantID, &r.PaymentID, &r.AccountID, &r.Connector, &r.Adapter, &r.AdapterHash, &kind, &at, &r.Sealed)
	r.Kind, r.At = sdk.Operation(kind), moment(at)
	return r, err
}

const insertJournal = `INSERT INTO journal (` + journalColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

// InsertJournal implements engine.Tx.
func (t *tx) InsertJournal(r *drive.JournalRecord) error {
	err := t.put("insert journal", insertJournal,
		r.OperationID, r.MerchantID, r.PaymentID, r.AccountID, r.Connector, r.Adapter, r.AdapterHash, string(r.Kind), millis(r.At), r.Sealed)
	return err
}

// Journal implements engine.Reader.
func (t *tx) Journal(operationID string) ([]*drive.JournalRecord, error) {
	return all(t, "read journal", scanJournal, `SELECT seq, `+journalColumns+` FROM journal WHERE operation_id = $1 ORDER BY seq`, operationID)
}

// JournalPage implements engine.Reader. It reads the index journal_at.
func (t *tx) JournalPage(f drive.JournalFilter) ([]*drive.JournalRecord, error) {
	at, seq := millis(f.Since), int64(0)
	if !f.AfterAt.IsZero() {
		at, seq = millis(f.AfterAt), f.AfterSeq
	}
	return all(t, "list journal", scanJournal, `SELECT seq, `+journalColumns+` FROM journal
		WHERE (at, seq) > ($1, $2) AND ($3 = '' OR connector = $3) AND ($4 = '' OR adapter = $4) AND ($5 = '' OR payment_id = $5)
		ORDER BY at, seq LIMIT $6`, at, seq, f.Connector, f.Adapter, f.PaymentID, f.Limit)
}

const deleteExchangesOf = `DELETE FROM exchanges WHERE operation_id = $1`

// DeleteExchanges implements engine.Tx.
func (t *tx) DeleteExchanges(operationID string) error {
	err := t.put("delete exchanges", deleteExchangesOf, operationID)
	return err
}

// journalAtOnce limits one DeleteJournal: a row has some kilobytes, and SQLite overwrites its pages.
const journalAtOnce = 500

// DeleteJournal implements engine.Tx. It deletes the oldest records first. It spares the exchanges, which are few: those of operations that
// are open, or whose node died.
func (t *tx) DeleteJournal(before time.Time) (int, error) {
	total := 0
	for _, query := range []string{
		`DELETE FROM journal WHERE seq` + t.s.dialect().among(`SELECT seq FROM journal WHERE at <= $1 ORDER BY at LIMIT $2`),
		`DELETE FROM exchanges WHERE seq` + t.s.dialect().among(`SELECT x.seq FROM exchanges x JOIN operations o ON o.id = x.operation_id
			WHERE x.at <= $1 AND o.due_at IS NULL LIMIT $2`),
	} {
		n, err := t.exec("delete journal", query, millis(before), journalAtOnce)
		if err != nil {
			return 0, err
		}
		total += int(n)
	}
	return total, nil
}

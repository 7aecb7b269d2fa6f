package drive

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// JournalRecord is the stored record of one drive of an operation, for people who examine a payment and for replay.
type JournalRecord struct {
	Seq         int64  // the order of insertion; the store sets it
	OperationID string // several records share it if the operation was driven again
	MerchantID  string
	PaymentID   string // "" for a drive without a payment
	AccountID   string
	Connector   string
	Adapter     string
	AdapterHash string
	Kind        sdk.Operation
	At          time.Time // when the drive began
	// Sealed is the encoded Recording, encrypted. Open returns it.
	Sealed []byte
}

// Open decrypts the record and returns its recording. Older versions stored the adapter's name and hash in the recording too.
func (r *JournalRecord) Open(v *vault.Vault) (*port.Recording, error) {
	b, err := v.Open(r.Sealed, vault.JournalAD(r.OperationID))
	if err != nil {
		return nil, err
	}
	rec, err := port.DecodeRecording(b)
	if err != nil {
		return nil, err
	}
	rec.Adapter, rec.Hash = cmp.Or(rec.Adapter, r.Adapter), cmp.Or(rec.Hash, r.AdapterHash)
	return rec, nil
}

// JournalFilter selects records, oldest first. An empty string selects all.
type JournalFilter struct {
	Since     time.Time // earliest At, inclusive
	Connector string
	Adapter   string
	PaymentID string // has no index: the store reads every record after Since
	// AfterAt and AfterSeq are those of the previous page's last record, or zero for the first page.
	AfterAt  time.Time
	AfterSeq int64
	Limit    int // size of the page
}

// JournalReader reads the journal.
type JournalReader interface {
	// Journal returns an operation's records, oldest first.
	Journal(operationID string) ([]*JournalRecord, error)
	// JournalPage lists records in the order of At, then Seq.
	JournalPage(f JournalFilter) ([]*JournalRecord, error)
}

// JournalTx writes the journal.
type JournalTx interface {
	InsertJournal(r *JournalRecord) error
	// DeleteExchanges removes an operation's exchanges. It is no error if there are no exchanges.
	DeleteExchanges(operationID string) error
	// DeleteJournal removes records from before, and the exchanges from before of closed operations. It removes at most a few hundred, so
	// that other writers do not wait, and returns their number. Callers repeat it until it returns 0.
	DeleteJournal(before time.Time) (int, error)
}

// driveRecorded lets the adapter perform an operation of a payment and seals the recordings for the journal. paymentID is "" without a
// payment. The caller writes the records with the drive's result, or passes them to keepJournal.
func (e *Driver) driveRecorded(ctx context.Context, d *port.Drive, merchantID, paymentID string) (*port.DriveResult, []*JournalRecord, error) {
	d.Record = e.JournalKeep > 0
	at := e.Now().UTC().Truncate(time.Millisecond)
	r, err := e.Connectors.Drive(ctx, d)
	if r == nil {
		return nil, nil, err
	}
	var all []*JournalRecord
	for _, rec := range r.Recordings {
		j, err := e.journalRecord(rec, at, merchantID, paymentID)
		if err != nil { // a missing recording does not stop the payment
			e.journalFailed(ctx, d.OperationID, err)
			continue
		}
		all = append(all, j)
	}
	return r, all, err
}

func (d *Driver) journalRecord(r *port.Recording, at time.Time, merchantID, paymentID string) (*JournalRecord, error) {
	unnamed := *r
	unnamed.Adapter, unnamed.Hash = "", "" // the record names them
	b, err := unnamed.Encode()
	if err != nil {
		return nil, err
	}
	s := r.Step
	j := &JournalRecord{OperationID: s.OperationID, MerchantID: merchantID, PaymentID: paymentID, AccountID: s.Account.ID, Connector: s.Account.Connector,
		Adapter: r.Adapter, AdapterHash: r.Hash, Kind: s.Operation, At: at}
	j.Sealed, err = d.Vault.Seal(b, vault.JournalAD(j.OperationID))
	return j, err
}

func (d *Driver) journalFailed(ctx context.Context, operationID string, err error) {
	d.Metrics.Alarm(alarm.JournalFailed)
	d.Log.LogAttrs(ctx, slog.LevelError, "journal not written", slog.String("operation_id", operationID), slog.Any("error", err))
}

// JournalLostRun journals the known part of a drive whose node has ended, so that people can examine it like any other drive.
func (e *Driver) JournalLostRun(ctx context.Context, w *Run) {
	op := w.Operation
	if e.JournalKeep <= 0 || op.Status != payment.OperationStarted {
		return
	}
	d := &port.Drive{Connector: w.Account.Connector, AdapterHash: op.AdapterHash, Operation: op.Kind, OperationID: op.ID, Started: op.StartedAt,
		Seed: [32]byte(op.Seed), Account: e.driveAccount(w.Account), Card: w.cardFacts(), RecordOnly: true}
	err := e.Vault.OpenJSON(op.Request, vault.RequestAD(op.ID), &d.Request)
	if err == nil {
		d.Secrets, err = e.Vault.OpenSecrets(ctx, op.Instrument, op.MerchantID, op.ShortTermID())
	}
	if err == nil {
		var intent *ExchangeRecord
		if d.Resume, d.Captured, intent, err = e.journalledAnswers(ctx, op.ID); intent != nil {
			d.Started = intent.At
		}
	}
	if err == nil {
		var records []*JournalRecord
		_, records, err = e.driveRecorded(ctx, d, op.MerchantID, op.PaymentID)
		w.Journal = append(w.Journal, records...)
	}
	if err != nil { // the operation is resolved without a recording
		e.journalFailed(ctx, op.ID, err)
	}
}

// keepJournal writes records in the background that no transaction has written. Only Close waits for it.
func (d *Driver) keepJournal(ctx context.Context, records []*JournalRecord) {
	if len(records) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	d.InFlight.Add(1)
	go func() {
		defer d.InFlight.Done()
		err := d.Store.Update(ctx, func(tx Tx) error {
			for _, r := range records {
				if err := tx.InsertJournal(r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			d.journalFailed(ctx, records[0].OperationID, err)
		}
	}()
}

// FlushJournal passes the unwritten records of w to keepJournal.
func (d *Driver) FlushJournal(ctx context.Context, w *Run) {
	d.keepJournal(ctx, w.Journal)
	w.Journal = nil
}

// ClearJournal removes what has been kept for long enough, some at a time.
func (d *Driver) ClearJournal(ctx context.Context) error {
	for gone := 1; gone > 0 && ctx.Err() == nil; {
		err := d.Store.Update(ctx, func(tx Tx) (err error) {
			gone, err = tx.DeleteJournal(tx.Now().Add(-max(d.JournalKeep, 0)))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Journal reads the records of operations. Safe for concurrent use.
type Journal struct {
	store Store
	vault *vault.Vault
}

// NewJournal reads the journal in s, sealed by v.
func NewJournal(s Store, v *vault.Vault) *Journal { return &Journal{store: s, vault: v} }

// Operation returns an operation's records, oldest first. The list is empty if there are no records.
func (j *Journal) Operation(ctx context.Context, operationID string) (all []*JournalRecord, err error) {
	err = j.store.View(ctx, func(r Reader) (err error) { all, err = r.Journal(operationID); return err })
	if err != nil {
		return nil, fmt.Errorf("read the journal of %s: %w", operationID, err)
	}
	return all, nil
}

// journalPage is the number of records that are read, and held in memory, at a time.
const journalPage = 200

// Each calls f for every record that the filter selects, oldest first. It stops at the first error of f and returns that error. Each sets
// AfterAt, AfterSeq and Limit of the filter itself.
func (j *Journal) Each(ctx context.Context, f JournalFilter, each func(*JournalRecord) error) error {
	f.Limit = journalPage
	for {
		var page []*JournalRecord
		err := j.store.View(ctx, func(r Reader) (err error) { page, err = r.JournalPage(f); return err })
		if err != nil {
			return fmt.Errorf("read the journal: %w", err)
		}
		for _, r := range page {
			if err := each(r); err != nil {
				return err
			}
		}
		if len(page) < journalPage {
			return nil
		}
		f.AfterAt, f.AfterSeq = page[len(page)-1].At, page[len(page)-1].Seq
	}
}

// Open decrypts a record and returns its recording.
func (j *Journal) Open(r *JournalRecord) (*port.Recording, error) { return r.Open(j.vault) }

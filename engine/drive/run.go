package drive

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/approval"
	"payswitch/engine/card"
	"payswitch/engine/disputed"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// Run is one operation of an attempt at a connector account: the adapter's request and the progress of its drive. A run starts with the
// payment, the attempt, the account and the adapter; Begin adds the operation.
type Run struct {
	Payment *payment.Payment
	Attempt *payment.Attempt
	Refund  *payment.Refund  // set for the operations of a refund
	Dispute *disputed.Record // set for the operations about a dispute
	Account *account.Account
	Adapter port.AdapterInfo
	Token   string // Auth.RequestToken of the request, "" without one

	Operation *payment.Operation
	Request   sdk.Request
	Secrets   card.Secrets
	// LeaseEnd is the end of this node's right to send, by the node's own clock. The clock was read before the lease was written, so LeaseEnd
	// is never later than the end in the database.
	LeaseEnd time.Time
	// Lease is the end of the lease as the operation's row had it when the run began: zero for a run that holds no lease and only asks.
	Lease time.Time
	// Unstored says that the operation has no row: it only reads, and nothing is lost with it.
	Unstored bool
	Fresh    bool // the operation has not been driven before
	// KeepSend is set for an operation without a row that changes something: it makes each send but the first durable, and refuses one that differs from what
	// an earlier drive sent in its place.
	KeepSend func(ctx context.Context, index int, requestHash string) error

	// A resend continues an earlier drive. These are that drive's answered exchanges, the secrets captured from them, the journalled intent
	// without an answer that follows (or nil); and whether that drive may have sent something.
	resume      []sdk.Exchange
	captured    []port.CapturedValue
	repeat      *ExchangeRecord
	mayHaveLeft bool
	sentBefore  time.Time // the latest time at which an earlier drive may have sent something
	firstSend   time.Time // the adapter's clock, if nothing has left before this drive; zero for the operation's start
	Journalled  int       // exchanges that are durable

	// Results of the drive: recordings to write with its outcome, its duration, the HTTP status of the processor's last answer, and the
	// authentication value from an authenticator.
	Journal    []*JournalRecord
	Took       time.Duration
	HTTPStatus int
	CAVV       secret.Value
}

var (
	errLeaseLost = errors.New("the lease of the operation has ended")
	errDiverged  = errors.New("the adapter made another request than before: it is not sent, because the first one may have left")
)

// leaseMargin separates the last possible send from the end of the lease, because clocks drift and goroutines are suspended.
const leaseMargin = 2 * time.Second

// NewOperation makes the intent of one adapter call. The caller writes it with its payment and attempt. The operation starts by the database's clock, and its
// commit sets the lease by that clock too.
func (d *Driver) NewOperation(w *Run, kind sdk.Operation, amount int64, now time.Time) *payment.Operation {
	p, a := w.Payment, w.Attempt
	return &payment.Operation{ID: newOperationID(now), MerchantID: p.MerchantID, PaymentID: p.ID, AttemptID: a.ID, AccountID: w.Account.ID,
		AccountVersion: w.Account.Fingerprint, Kind: kind,
		Status: payment.OperationStarted, Amount: amount, Owner: d.Node, LeaseUntil: now.Add(d.LeaseTime), Connector: w.Adapter.Connector,
		AdapterHash: w.Adapter.Hash, Seed: d.Seed(w.Token, kind), StartedAt: d.StoreNow().Truncate(time.Millisecond)}
}

// Begin makes the operation and the request of one adapter call about a payment that the account's processor already knows. The caller
// completes both and makes the intent durable.
func (d *Driver) Begin(w *Run, kind sdk.Operation, amount int64, now time.Time) {
	w.LeaseEnd = d.LeaseEnd()
	w.Operation = d.NewOperation(w, kind, amount, now)
	w.Request = d.LaterRequest(w, amount)
}

// newOperationID returns lower-case letters and digits only. Processors take it as an idempotency key, and some ignore case.
func newOperationID(at time.Time) string {
	var b [16]byte
	ms := uint64(at.UnixMilli())
	for i := 5; i >= 0; i-- {
		b[i] = byte(ms)
		ms >>= 8
	}
	rand.Read(b[6:])
	return "op_" + hex.EncodeToString(b[:])
}

// SealRun seals the request and the secrets into the operation's row, because a resend needs exactly the same ones.
func (d *Driver) SealRun(w *Run) (err error) {
	if w.Operation.Request, err = d.Vault.SealJSON(&w.Request, vault.RequestAD(w.Operation.ID)); err != nil {
		return err
	}
	window := time.Duration(w.Adapter.Manifest.Resolve.IdempotencyWindowSeconds) * time.Second
	w.Operation.Instrument, w.Operation.Key, err = d.Vault.SealSecrets(w.Secrets, w.Operation.MerchantID, w.Operation.ShortTermID(), w.Operation.StartedAt.Add(vault.CardKeepTime(window)))
	return err
}

// Drive lets the adapter perform the operation and judges its answer.
func (e *Driver) Drive(ctx context.Context, w *Run) evidence.Verdict {
	d := &port.Drive{Connector: w.Account.Connector, AdapterHash: w.Operation.AdapterHash, Operation: w.Operation.Kind, OperationID: w.Operation.ID, Started: w.Operation.StartedAt,
		Seed: [32]byte(w.Operation.Seed), Account: e.driveAccount(w.Account), Request: w.Request, Secrets: w.Secrets, Card: w.cardFacts(), Resume: w.resume, Captured: w.captured,
		BeforeSend: func(ctx context.Context, s port.SendIntent) error { return e.beforeSend(ctx, w, s) }}
	switch {
	case w.repeat != nil:
		d.Started = w.repeat.At
	case !w.firstSend.IsZero():
		d.Started = w.firstSend
	}
	start := e.Now()
	r, records, err := e.driveRecorded(ctx, d, w.Operation.MerchantID, w.Operation.PaymentID)
	w.Journal = append(w.Journal, records...)
	w.Took = e.Now().Sub(start)
	if r == nil {
		r = &port.DriveResult{MayHaveLeft: err == nil || !w.Operation.LastSendAt.IsZero()}
	}
	err = e.Registry.WithoutApproval(r, err)
	w.HTTPStatus = r.HTTPStatus
	if r.Outcome != nil {
		w.CAVV = r.CAVV(r.Outcome.Authentication)
	}
	v := evidence.JudgeDrive(w.Operation, w.Request.Amount, w.Adapter.Manifest, r.Answer(), err, evidence.EarlierSends{MayHaveLeft: w.mayHaveLeft, At: w.sentBefore}, e.StoreNow())
	v.Busy, v.Late = errors.Is(err, fault.ErrBusy), errors.Is(err, errLeaseLost)
	return v
}

// cardFacts returns the facts of the attempt's card, or nil.
func (w *Run) cardFacts() *card.Facts {
	if w.Attempt == nil {
		return nil
	}
	return w.Attempt.Details.Card
}

func (e *Driver) driveAccount(a *account.Account) port.DriveAccount {
	d := port.DriveAccount{ID: a.ID, MerchantID: a.MerchantID, Environment: a.Environment, BaseURL: a.BaseURL, Credentials: a.Credentials, Config: FlatMetadata(a.Metadata),
		Hosts: a.Hosts}
	if info, ok := e.Connectors.Adapter(a.Connector); !ok || !info.BuiltIn {
		d.Operator = &a.Operator
	}
	return d
}

// FlatMetadata returns the values at the top level of an account's metadata as text. It leaves out nested values.
func FlatMetadata(metadata json.RawMessage) map[string]string {
	var m map[string]any
	if len(metadata) == 0 || json.Unmarshal(metadata, &m) != nil || len(m) == 0 {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		switch v := v.(type) {
		case string:
			out[k] = v
		case bool:
			out[k] = strconv.FormatBool(v)
		case float64:
			out[k] = strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return out
}

// requestHash returns the form in which a request's hash is stored: keyed. Requests of some adapters hold secrets. With the plain hash of
// such a request, a thief of the database could test card numbers.
func (d *Driver) requestHash(hash string) string {
	if hash == "" {
		return ""
	}
	return hex.EncodeToString(d.Vault.Hash("request of an operation", []byte(hash)))
}

// beforeSend guards every send. The lease must hold. Before each send but an operation's very first, the row says that something may leave until
// the end of the lease. So a crash leaves no false proof. The earlier answers and this intent, with its time, are durable too. The intent of the
// very first send is the operation's row, and its time is the operation's start.
func (d *Driver) beforeSend(ctx context.Context, w *Run, s port.SendIntent) error {
	now := d.Now()
	if err := d.leaseHolds(w.LeaseEnd); err != nil {
		return err
	}
	if w.repeat != nil && s.Index == w.repeat.Index && d.requestHash(s.RequestHash) != w.repeat.RequestHash {
		d.Metrics.Alarm(alarm.Diverged)
		return errDiverged
	}
	w.Operation.LastSendAt = latest(d.StoreNow(), w.Operation.StartedAt) // StoreNow is late if the machine was suspended since the latest look at the clock
	switch {
	case w.Unstored && w.KeepSend != nil && s.Index > 0:
		if err := w.KeepSend(ctx, s.Index, d.requestHash(s.RequestHash)); err != nil {
			return err
		}
		return d.leaseHolds(w.LeaseEnd)
	case w.Unstored || s.Index == 0 && w.Fresh:
		return nil
	}
	records, err := d.exchangeRecords(w, s)
	if err != nil {
		return err
	}
	held := false
	var until, lease, stored time.Time
	err = d.Store.Update(ctx, func(tx Tx) (err error) {
		until, lease, stored = now.Add(d.LeaseTime), tx.Now().Add(d.LeaseTime).Truncate(time.Millisecond), tx.Now()
		if held, err = tx.ExtendLease(w.Operation.ID, d.Node, lease); err != nil || !held {
			return err
		}
		op, err := tx.Operation(w.Operation.ID)
		if err != nil {
			return err
		}
		op.LastSendAt = tx.Now().Add(d.LeaseTime)
		d.KeepDue(op, tx.Now())
		if err := tx.UpdateOperation(op); err != nil {
			return err
		}
		for _, r := range records {
			if err := tx.PutExchange(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !held {
		until = time.Time{}
	}
	if err := d.leaseHolds(until); err != nil { // also if the store took long
		return err
	}
	w.LeaseEnd, w.Lease, w.Operation.LeaseUntil = until, lease, lease
	w.Operation.LastSendAt = latest(d.StoreNow(), stored)
	w.Journalled = s.Index
	return nil
}

// leaseHolds returns errLeaseLost if it is too late for a send by the node's own clock: by its monotonic reading, or by its wall clock. The monotonic reading
// stands still while the machine is suspended.
func (d *Driver) leaseHolds(end time.Time) error {
	now, last := d.Now(), end.Add(-leaseMargin)
	if now.Before(last) && now.Round(0).Before(last) {
		return nil
	}
	d.Metrics.Alarm(alarm.LeaseLost)
	return errLeaseLost
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// journalEntry is the sealed part of an exchange record: the request, with stand-ins, and the answer.
type journalEntry struct {
	Method   string        `json:"method,omitempty"`
	URL      string        `json:"url,omitempty"`
	Exchange *sdk.Exchange `json:"exchange,omitempty"`
	Body     []byte        `json:"body,omitempty"`
	// Captured are the secrets of the answer. Body holds stand-ins for them. Later steps may need the secrets after a restart.
	Captured []sealedCapture `json:"captured,omitempty"`
}

// sealedCapture is the storage form of a CapturedValue.
type sealedCapture struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Own   bool   `json:"own,omitempty"`
}

func (d *Driver) exchangeRecords(w *Run, s port.SendIntent) ([]ExchangeRecord, error) {
	var out []ExchangeRecord
	for i := w.Journalled; i < len(s.Exchanges); i++ {
		r, err := d.exchangeRecord(w.Operation.ID, i, &s.Exchanges[i], s.Captured)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	sealed, err := d.Vault.SealJSON(journalEntry{Method: s.Method, URL: s.URL}, vault.ExchangeAD(w.Operation.ID))
	if err != nil {
		return nil, err
	}
	return append(out, ExchangeRecord{OperationID: w.Operation.ID, Index: s.Index, At: s.Now, RequestHash: d.requestHash(s.RequestHash), Sealed: sealed}), nil
}

func (d *Driver) exchangeRecord(operationID string, index int, x *sdk.Exchange, captured []port.CapturedValue) (ExchangeRecord, error) {
	entry := journalEntry{Exchange: x, Body: x.Body}
	for _, c := range captured {
		if c.Exchange == index {
			entry.Captured = append(entry.Captured, sealedCapture{Name: c.Name, Value: c.Value.Reveal(), Own: c.Own})
		}
	}
	sealed, err := d.Vault.SealJSON(entry, vault.ExchangeAD(operationID))
	if err != nil {
		return ExchangeRecord{}, err
	}
	return ExchangeRecord{OperationID: operationID, Index: index, At: time.UnixMilli(x.Now).UTC(), RequestHash: d.requestHash(x.RequestHash), Sealed: sealed,
		Answered: x.Failure == "" && (x.Status != 0 || x.Verified != nil), Sent: x.Sent, Status: x.Status, Failure: x.Failure}, nil
}

// Seed returns the source of an operation's random numbers. It is derived from the token of the operation's request, or random without one.
func (d *Driver) Seed(token string, kind sdk.Operation) []byte {
	if token == "" {
		b := make([]byte, 32)
		rand.Read(b)
		return b
	}
	return d.Vault.Hash("operation seed", []byte(token+"/"+string(kind)))
}

// Rejection maps an adapter's reject to the API's error codes.
func Rejection(r *sdk.Reject, kind sdk.Operation, connector string) *fault.Error {
	e := &fault.Error{Kind: fault.KindInvalid, Param: r.Parameter, Reason: r.Message, Connector: connector, Hint: "Change what reason names."}
	switch r.Code {
	case approval.RejectNotApproved:
		return fault.ApprovalError(connector, r.Message).WithParam("merchant_connector_id").WithHint("Ask the operator of the switch to approve the adapter.")
	case sdk.RejectMissing:
		e.Code, e.Message = "IR_04", "Missing required param: "+r.Parameter
	case sdk.RejectInvalid:
		e.Code, e.Message = "IR_07", "Invalid value provided: "+r.Parameter
	case sdk.RejectConfig:
		// The parameter belongs to the account, not to the request.
		e.Code, e.Message, e.Param = "IR_30", "Merchant connector account is configured with invalid "+r.Parameter, "merchant_connector_id"
	default:
		if kind == sdk.OpAuthorize || kind == sdk.OpVerify {
			e.Code, e.Message, e.Param = "IR_19", "Payment method type not supported", cmp.Or(r.Parameter, "payment_method_type")
		} else {
			e.Code, e.Message = "IR_20", string(kind)+" flow not supported"
		}
	}
	return e
}

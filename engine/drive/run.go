package drive

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/approval"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// Run is one operation of an attempt at a connector account: what is asked of the adapter, and how its drive goes. A run begins with the
// payment, the attempt, the account and the adapter; begin adds the operation.
type Run struct {
	Payment *payment.Payment
	Attempt *payment.Attempt
	Account *account.Account
	Adapter port.AdapterInfo
	Token   string // Auth.RequestToken of the request, "" without one

	Operation *payment.Operation
	Request   sdk.Request
	Secrets   card.Secrets
	// LeaseEnd is the end of this node's right to send, on its own clock. It was read before the lease was written: it is never later than the
	// database's end of the lease.
	LeaseEnd time.Time
	// Unstored says that the operation has no row: it only reads, and nothing is lost with it.
	Unstored bool
	Fresh    bool // the operation has not been driven before

	// A resend goes on from an earlier drive: its answered exchanges, the secrets captured from them, the journalled intent that follows them
	// without an answer (nil: none), and whether that drive may have sent something.
	resume      []sdk.Exchange
	captured    []port.CapturedValue
	repeat      *ExchangeRecord
	mayHaveLeft bool
	Journalled  int // exchanges that are durable

	// What the drive left: recordings to be written with its outcome, its duration, the HTTP status of the processor's last answer, and the
	// authentication value that an authenticator answered.
	Journal    []*JournalRecord
	Took       time.Duration
	HTTPStatus int
	CAVV       secret.Value
}

var (
	errLeaseLost = errors.New("the lease of the operation has ended")
	errDiverged  = errors.New("the request is not the one that was made before: it is not sent again")
)

// leaseMargin is kept between the last moment a send may leave and the end of the lease: clocks drift, goroutines are suspended.
const leaseMargin = 2 * time.Second

// NewOperation makes the intent of one adapter call. The caller writes it with the payment and attempt it belongs to.
func (d *Driver) NewOperation(w *Run, kind sdk.Operation, amount int64, now time.Time) *payment.Operation {
	p, a := w.Payment, w.Attempt
	return &payment.Operation{ID: newOperationID(now), MerchantID: p.MerchantID, PaymentID: p.ID, AttemptID: a.ID, AccountID: w.Account.ID, Kind: kind,
		Status: payment.OperationStarted, Amount: amount, Owner: d.Node, LeaseUntil: now.Add(d.LeaseTime), Connector: w.Adapter.Connector,
		AdapterHash: w.Adapter.Hash, Seed: d.Seed(w.Token, kind), StartedAt: now}
}

// Begin makes the operation and the request of one adapter call about a payment that an account has already seen. The caller completes them
// and hands them to intent.
func (d *Driver) Begin(w *Run, kind sdk.Operation, amount int64, now time.Time) {
	w.LeaseEnd = d.Now().Add(d.LeaseTime)
	w.Operation = d.NewOperation(w, kind, amount, now)
	w.Request = d.LaterRequest(w, amount)
}

// newOperationID is lower case and digits only: processors take it as an idempotency key, some of them without regard to case.
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

// SealRun puts the request and the secrets into the operation's row: a resend needs the very same.
func (d *Driver) SealRun(w *Run) (err error) {
	if w.Operation.Request, err = d.Vault.SealJSON(&w.Request, vault.RequestAD(w.Operation.ID)); err != nil {
		return err
	}
	window := time.Duration(w.Adapter.Manifest.Resolve.IdempotencyWindowSeconds) * time.Second
	w.Operation.Instrument, w.Operation.Key, err = d.Vault.SealSecrets(w.Secrets, w.Operation.MerchantID, w.Operation.ShortTermID(), w.Operation.StartedAt.Add(vault.CardKeepTime(window)))
	return err
}

// Drive lets the adapter perform the operation and judges what it says.
func (e *Driver) Drive(ctx context.Context, w *Run) payment.Verdict {
	d := &port.Drive{Connector: w.Account.Connector, AdapterHash: w.Operation.AdapterHash, Operation: w.Operation.Kind, OperationID: w.Operation.ID, Started: w.Operation.StartedAt,
		Seed: [32]byte(w.Operation.Seed), Account: e.driveAccount(w.Account), Request: w.Request, Secrets: w.Secrets, Card: w.cardFacts(), Resume: w.resume, Captured: w.captured,
		BeforeSend: func(ctx context.Context, s port.SendIntent) error { return e.beforeSend(ctx, w, s) }}
	if w.repeat != nil {
		d.Started = w.repeat.At
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
	r.MayHaveLeft = r.MayHaveLeft || w.mayHaveLeft
	if !r.MayHaveLeft && payment.TalksToProcessor(w.Adapter.Manifest) {
		w.Operation.LastSendAt = time.Time{} // proof that nothing left; an adapter that is its own processor gives none
	} else if w.Operation.LastSendAt.IsZero() {
		w.Operation.LastSendAt = e.Now()
	}
	return payment.Judge(w.Operation.Kind, w.Request.Amount, w.Adapter.Manifest, r.Answer(), err)
}

// cardFacts are those of the attempt's card, nil where there is none.
func (w *Run) cardFacts() *card.Facts {
	if w.Attempt == nil {
		return nil
	}
	return w.Attempt.Details.Card
}

func (e *Driver) driveAccount(a *account.Account) port.DriveAccount {
	env := "test"
	if e.KeyEnvironment == "prd" && !a.TestMode {
		env = "live"
	}
	d := port.DriveAccount{ID: a.ID, MerchantID: a.MerchantID, Environment: env, BaseURL: a.BaseURL, Credentials: a.Credentials, Config: FlatMetadata(a.Metadata),
		Hosts: a.Hosts}
	if info, ok := e.Connectors.Adapter(a.Connector); !ok || !info.BuiltIn {
		d.Operator = &a.Operator
	}
	return d
}

// FlatMetadata flattens the top level of an account's metadata to text; nested values are left out.
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

// requestHash is a request's hash as it stands in the database: keyed. Where an adapter knows the secrets its requests hold them, and the
// plain hash of one would let whoever has the database try card numbers.
func (d *Driver) requestHash(hash string) string {
	if hash == "" {
		return ""
	}
	return hex.EncodeToString(d.Vault.Hash("request of an operation", []byte(hash)))
}

// beforeSend guards every send: the lease must hold, and from the second send on the earlier answers and this intent are durable
// before it leaves. The first send's intent is the operation itself.
func (d *Driver) beforeSend(ctx context.Context, w *Run, s port.SendIntent) error {
	now := d.Now()
	if !now.Before(w.LeaseEnd.Add(-leaseMargin)) {
		d.Metrics.Alarm("lease_lost")
		return errLeaseLost
	}
	if w.repeat != nil && s.Index == w.repeat.Index && d.requestHash(s.RequestHash) != w.repeat.RequestHash {
		d.Metrics.Alarm("diverged")
		return errDiverged
	}
	w.Operation.LastSendAt = now
	if s.Index == 0 || w.Unstored {
		return nil // its intent is the operation itself
	}
	records, err := d.exchangeRecords(w, s)
	if err != nil {
		return err
	}
	held := false
	var until time.Time
	err = d.Store.Update(ctx, func(tx Tx) (err error) {
		until = now.Add(d.LeaseTime)
		if held, err = tx.ExtendLease(w.Operation.ID, d.Node, tx.Now().Add(d.LeaseTime)); err != nil || !held {
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
		d.Metrics.Alarm("lease_lost")
		return errLeaseLost
	}
	w.LeaseEnd = until
	w.Journalled = s.Index
	return nil
}

// journalEntry is the sealed part of an exchange record: what was asked for, with stand-ins, and the answer.
type journalEntry struct {
	Method   string        `json:"method,omitempty"`
	URL      string        `json:"url,omitempty"`
	Exchange *sdk.Exchange `json:"exchange,omitempty"`
	Body     []byte        `json:"body,omitempty"`
	// Captured are the secrets of the answer, in whose place Body holds stand-ins: what follows may need them after a restart.
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

// Seed is an operation's source of randomness: derived from the token of the request that made it, where it has one.
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
	e := &fault.Error{Kind: fault.KindInvalid, Param: r.Parameter, Reason: r.Message, Connector: connector}
	switch r.Code {
	case approval.RejectNotApproved:
		return fault.ApprovalError(connector, r.Message)
	case sdk.RejectMissing:
		e.Code, e.Message = "IR_04", "Missing required param: "+r.Parameter
	case sdk.RejectInvalid:
		e.Code, e.Message = "IR_07", "Invalid value provided: "+r.Parameter
	case sdk.RejectConfig:
		// The parameter is of the account, not of the request.
		e.Code, e.Message, e.Param = "IR_30", "Merchant connector account is configured with invalid "+r.Parameter, ""
	default:
		if kind == sdk.OpAuthorize || kind == sdk.OpVerify {
			e.Code, e.Message = "IR_19", "Payment method type not supported"
		} else {
			e.Code, e.Message = "IR_20", string(kind)+" flow not supported"
		}
	}
	return e
}

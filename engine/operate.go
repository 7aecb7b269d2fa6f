package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"payswitch/sdk"
)

// run is one operation of an attempt at a connector account: what is asked of the adapter, and how its drive goes. A run begins with the
// payment, the attempt, the account and the adapter; begin adds the operation.
type run struct {
	p       *Payment
	a       *Attempt
	account *Account
	adapter AdapterInfo
	token   string // Auth.RequestToken of the request, "" without one

	op      *Operation
	req     sdk.Request
	secrets InstrumentSecrets
	// leaseEnd is the end of this node's right to send, on its own clock. It was read before the lease was written: it is never later than the
	// database's end of the lease.
	leaseEnd time.Time
	// unstored says that the operation has no row: it only reads, and nothing is lost with it.
	unstored bool
	fresh    bool // the operation has not been driven before

	// A resend goes on from an earlier drive: its answered exchanges, the secrets captured from them, the journalled intent that follows them
	// without an answer (nil: none), and whether that drive may have sent something.
	resume      []sdk.Exchange
	captured    []CapturedValue
	repeat      *ExchangeRecord
	mayHaveLeft bool
	journalled  int // exchanges that are durable

	// What the drive left: recordings to be written with its outcome, its duration, the HTTP status of the processor's last answer, and the
	// authentication value that an authenticator answered.
	journal    []*JournalRecord
	took       time.Duration
	httpStatus int
	cavv       Secret
}

var (
	errLeaseLost = errors.New("the lease of the operation has ended")
	errDiverged  = errors.New("the request is not the one that was made before: it is not sent again")
)

// leaseMargin is kept between the last moment a send may leave and the end of the lease: clocks drift, goroutines are suspended.
const leaseMargin = 2 * time.Second

// newOperation makes the intent of one adapter call. The caller writes it with the payment and attempt it belongs to.
func (d *Driver) newOperation(w *run, kind sdk.Operation, amount int64, now time.Time) *Operation {
	p, a := w.p, w.a
	return &Operation{ID: newOperationID(now), MerchantID: p.MerchantID, PaymentID: p.ID, AttemptID: a.ID, AccountID: w.account.ID, Kind: kind,
		Status: OperationStarted, Amount: amount, Owner: d.Node, LeaseUntil: now.Add(d.LeaseTime), Connector: w.adapter.Connector,
		AdapterHash: w.adapter.Hash, Seed: d.seed(w.token, kind), StartedAt: now}
}

// begin makes the operation and the request of one adapter call about a payment that an account has already seen. The caller completes them
// and hands them to intent.
func (d *Driver) begin(w *run, kind sdk.Operation, amount int64, now time.Time) {
	w.leaseEnd = d.Now().Add(d.LeaseTime)
	w.op = d.newOperation(w, kind, amount, now)
	w.req = d.laterRequest(w, amount)
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

// seal puts the request and the secrets into the operation's row: a resend needs the very same.
func (d *Driver) sealRun(w *run) (err error) {
	if w.op.Request, err = d.Vault.sealJSON(&w.req, requestAD(w.op.ID)); err != nil {
		return err
	}
	window := time.Duration(w.adapter.Manifest.Resolve.IdempotencyWindowSeconds) * time.Second
	w.op.Instrument, w.op.Key, err = d.Vault.sealSecrets(w.secrets, w.op.MerchantID, w.op.ShortTermID(), w.op.StartedAt.Add(cardKeepTime(window)))
	return err
}

// drive lets the adapter perform the operation and judges what it says.
func (e *Driver) drive(ctx context.Context, w *run) verdict {
	d := &Drive{Connector: w.account.Connector, AdapterHash: w.op.AdapterHash, Operation: w.op.Kind, OperationID: w.op.ID, Started: w.op.StartedAt,
		Seed: [32]byte(w.op.Seed), Account: e.driveAccount(w.account), Request: w.req, Secrets: w.secrets, Card: w.cardFacts(), Resume: w.resume, Captured: w.captured,
		BeforeSend: func(ctx context.Context, s SendIntent) error { return e.beforeSend(ctx, w, s) }}
	if w.repeat != nil {
		d.Started = w.repeat.At
	}
	start := e.Now()
	r, records, err := e.driveRecorded(ctx, d, w.op.MerchantID, w.op.PaymentID)
	w.journal = append(w.journal, records...)
	w.took = e.Now().Sub(start)
	if r == nil {
		r = &DriveResult{MayHaveLeft: err == nil || !w.op.LastSendAt.IsZero()}
	}
	err = e.Registry.withoutApproval(r, err)
	w.httpStatus = r.HTTPStatus
	if r.Outcome != nil {
		w.cavv = r.CAVV(r.Outcome.Authentication)
	}
	r.MayHaveLeft = r.MayHaveLeft || w.mayHaveLeft
	if !r.MayHaveLeft && sends(w.adapter.Manifest) {
		w.op.LastSendAt = time.Time{} // proof that nothing left; an adapter that is its own processor gives none
	} else if w.op.LastSendAt.IsZero() {
		w.op.LastSendAt = e.Now()
	}
	return judge(w.op.Kind, w.req.Amount, w.adapter.Manifest, r.answer(), err)
}

// cardFacts are those of the attempt's card, nil where there is none.
func (w *run) cardFacts() *CardFacts {
	if w.a == nil {
		return nil
	}
	return w.a.Details.Card
}

func (e *Driver) driveAccount(a *Account) DriveAccount {
	env := "test"
	if e.KeyEnvironment == "prd" && !a.TestMode {
		env = "live"
	}
	d := DriveAccount{ID: a.ID, MerchantID: a.MerchantID, Environment: env, BaseURL: a.BaseURL, Credentials: a.Credentials, Config: configOf(a.Metadata),
		Hosts: a.Hosts}
	if info, ok := e.Connectors.Adapter(a.Connector); !ok || !info.BuiltIn {
		d.Operator = &a.Operator
	}
	return d
}

// configOf flattens the top level of an account's metadata to text; nested values are left out.
func configOf(metadata json.RawMessage) map[string]string {
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
func (d *Driver) beforeSend(ctx context.Context, w *run, s SendIntent) error {
	now := d.Now()
	if !now.Before(w.leaseEnd.Add(-leaseMargin)) {
		d.Metrics.Alarm("lease_lost")
		return errLeaseLost
	}
	if w.repeat != nil && s.Index == w.repeat.Index && d.requestHash(s.RequestHash) != w.repeat.RequestHash {
		d.Metrics.Alarm("diverged")
		return errDiverged
	}
	w.op.LastSendAt = now
	if s.Index == 0 || w.unstored {
		return nil // its intent is the operation itself
	}
	records, err := d.exchangeRecords(w, s)
	if err != nil {
		return err
	}
	held := false
	var until time.Time
	err = d.Store.Update(ctx, func(tx DriveTx) (err error) {
		until = now.Add(d.LeaseTime)
		if held, err = tx.ExtendLease(w.op.ID, d.Node, tx.Now().Add(d.LeaseTime)); err != nil || !held {
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
	w.leaseEnd = until
	w.journalled = s.Index
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

func (d *Driver) exchangeRecords(w *run, s SendIntent) ([]ExchangeRecord, error) {
	var out []ExchangeRecord
	for i := w.journalled; i < len(s.Exchanges); i++ {
		r, err := d.exchangeRecord(w.op.ID, i, &s.Exchanges[i], s.Captured)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	sealed, err := d.Vault.sealJSON(journalEntry{Method: s.Method, URL: s.URL}, exchangeAD(w.op.ID))
	if err != nil {
		return nil, err
	}
	return append(out, ExchangeRecord{OperationID: w.op.ID, Index: s.Index, At: s.Now, RequestHash: d.requestHash(s.RequestHash), Sealed: sealed}), nil
}

func (d *Driver) exchangeRecord(operationID string, index int, x *sdk.Exchange, captured []CapturedValue) (ExchangeRecord, error) {
	entry := journalEntry{Exchange: x, Body: x.Body}
	for _, c := range captured {
		if c.Exchange == index {
			entry.Captured = append(entry.Captured, sealedCapture{Name: c.Name, Value: c.Value.Reveal(), Own: c.Own})
		}
	}
	sealed, err := d.Vault.sealJSON(entry, exchangeAD(operationID))
	if err != nil {
		return ExchangeRecord{}, err
	}
	return ExchangeRecord{OperationID: operationID, Index: index, At: time.UnixMilli(x.Now).UTC(), RequestHash: d.requestHash(x.RequestHash), Sealed: sealed,
		Answered: x.Failure == "" && (x.Status != 0 || x.Verified != nil), Sent: x.Sent, Status: x.Status, Failure: x.Failure}, nil
}

// seed is an operation's source of randomness: derived from the token of the request that made it, where it has one.
func (d *Driver) seed(token string, kind sdk.Operation) []byte {
	if token == "" {
		b := make([]byte, 32)
		rand.Read(b)
		return b
	}
	return d.Vault.Hash("operation seed", []byte(token+"/"+string(kind)))
}

// rejected maps an adapter's reject to the API's error codes.
func rejected(r *sdk.Reject, kind sdk.Operation, connector string) *Error {
	e := &Error{Kind: KindInvalid, Param: r.Parameter, Reason: r.Message, Connector: connector}
	switch r.Code {
	case rejectNotApproved:
		return approvalError(connector, r.Message)
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

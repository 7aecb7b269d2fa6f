package drive

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// FindEvidence looks for what is known of an open operation, and returns how. A message that the processor sent meanwhile is read first. Then the
// ways of the manifest take turns, in its order, so that a way that brings nothing never keeps a better one waiting. The text of an unknown
// verdict has the last answer of each way.
func (d *Driver) FindEvidence(ctx context.Context, w *Run) (evidence.Verdict, evidence.Way, error) {
	op := w.Operation
	if op.Status == payment.OperationUnknown && op.LastSendAt.IsZero() {
		return d.sendUnsent(ctx, w)
	}
	v, err := d.EvidenceFromWebhooks(ctx, w)
	ways := d.Timing().Ways(op, w.Attempt, w.Adapter.Manifest, d.StoreNow())
	if err == nil && len(ways) == 0 && v.Status == payment.OperationUnknown {
		v.Text = noteAnswer(op.ErrorText, evidence.WayMessage, v.Text)
		if v.Text != op.ErrorText { // once
			d.Metrics.Alarm(alarm.AwaitsOperator)
			d.Log.LogAttrs(ctx, slog.LevelError, "only the processor's message or an operator can say what became of an operation",
				slog.String("operation_id", op.ID), slog.String("payment_id", op.PaymentID), slog.String("connector", op.Connector))
		}
	}
	if err != nil || len(ways) == 0 || v.Status == payment.OperationSucceeded || v.Status == payment.OperationDeclined {
		return v, evidence.WayMessage, err
	}
	way := ways[op.ResolveTries%len(ways)]
	if way == evidence.WayResend {
		v, err = d.resend(ctx, w)
		if err == nil && v.Status == payment.OperationUnknown && w.HTTPStatus != 0 {
			w.Operation.ResendAnswers++
		}
	} else {
		v, err = d.QueryProcessor(ctx, w)
	}
	if err == nil && v.Status == payment.OperationUnknown {
		v.Text = noteAnswer(op.ErrorText, way, v.Text)
	}
	return v, way, err
}

// sendUnsent sends an operation again after proof that no request of it has left.
func (d *Driver) sendUnsent(ctx context.Context, w *Run) (evidence.Verdict, evidence.Way, error) {
	if v, ends := d.Timing().Unsent(w.Operation, w.Attempt, d.StoreNow()); ends {
		return v, evidence.WayNotSent, nil
	}
	v, err := d.resend(ctx, w)
	return v, evidence.WaySentAgain, err
}

// resend sends the operation's first request again. It uses the same adapter build, request, seed and clock, so the processor recognizes the
// idempotency key. The adapter gets journalled answers from the journal; the driver does not ask for them again. If nothing has left yet, the clock is
// the present one, because a processor may refuse a request with an old date.
func (d *Driver) resend(ctx context.Context, w *Run) (evidence.Verdict, error) {
	op := w.Operation
	if err := d.Vault.OpenJSON(op.Request, vault.RequestAD(op.ID), &w.Request); err != nil {
		return evidence.Verdict{}, err
	}
	var err error
	if i := w.Request.Instrument; len(op.Instrument) == 0 && i != nil && i.Card != nil {
		return evidence.Verdict{}, vault.ErrShredded // without its card the request would differ from the first one
	}
	if w.Secrets, err = d.Vault.OpenSecrets(ctx, op.Instrument, op.MerchantID, op.ShortTermID()); err != nil {
		return evidence.Verdict{}, err
	}
	if w.resume, w.captured, w.repeat, err = d.journalledAnswers(ctx, op.ID); err != nil {
		return evidence.Verdict{}, err
	}
	w.Journalled = len(w.resume)
	w.mayHaveLeft = op.Status == payment.OperationStarted || !op.LastSendAt.IsZero()
	switch {
	case w.mayHaveLeft:
		w.sentBefore = d.Timing().LastSend(op)
	case evidence.TalksToProcessor(w.Adapter.Manifest):
		w.repeat, w.firstSend = nil, d.StoreNow() // an intent that never left binds no later one
	default: // beforeSend never runs for an adapter that is its own processor
		if err := d.markSend(ctx, w); err != nil {
			return evidence.Verdict{}, err
		}
	}
	return d.driveAgain(ctx, w), nil
}

func (d *Driver) driveAgain(ctx context.Context, w *Run) evidence.Verdict {
	v := d.Drive(ctx, w)
	if w.mayHaveLeft && v.Status == payment.OperationDeclined && refusedUnread(w.HTTPStatus) {
		v = evidence.Verdict{Status: payment.OperationUnknown, Text: "refused when sent again: that says nothing of the first time"}
	}
	return v
}

// SendAgain drives an operation without a row once more. Some of the first run may have reached the processor until the time sent. The caller has made the
// run the same as the first one, and has checked that the processor remembers its key.
func (d *Driver) SendAgain(ctx context.Context, w *Run, sent time.Time) evidence.Verdict {
	w.mayHaveLeft, w.sentBefore = true, sent
	return d.driveAgain(ctx, w)
}

// refusedUnread reports whether the processor refused a request before it looked at the idempotency key, because of the sender or the rate.
func refusedUnread(httpStatus int) bool {
	return httpStatus == http.StatusUnauthorized || httpStatus == http.StatusForbidden || httpStatus == http.StatusTooManyRequests
}

// markSend makes durable that an operation may be carried out from now on.
func (d *Driver) markSend(ctx context.Context, w *Run) error {
	return d.Store.Update(ctx, func(tx Tx) error {
		op, err := tx.Operation(w.Operation.ID)
		if err != nil {
			return err
		}
		if op.Owner != d.Node || !op.Status.Open() {
			return errLeaseLost
		}
		op.LastSendAt = tx.Now().Add(d.LeaseTime)
		return tx.UpdateOperation(op)
	})
}

// answered returns the journalled exchanges of an operation that have an answer, with the secrets captured from them. It also returns the intent
// after them that has no answer.
func (d *Driver) journalledAnswers(ctx context.Context, operationID string) (out []sdk.Exchange, captured []port.CapturedValue, open *ExchangeRecord, err error) {
	var rows []ExchangeRecord
	err = d.Store.View(ctx, func(r Reader) (err error) { rows, err = r.Exchanges(operationID); return err })
	if err != nil {
		return nil, nil, nil, fault.Internal(err, "read journal")
	}
	for _, r := range rows {
		if !r.Answered {
			return out, captured, &r, nil
		}
		var j journalEntry
		if err := d.Vault.OpenJSON(r.Sealed, vault.ExchangeAD(operationID), &j); err != nil {
			return nil, nil, nil, err
		}
		for _, c := range j.Captured {
			captured = append(captured, port.CapturedValue{Exchange: len(out), Name: c.Name, Value: secret.New(c.Value), Own: c.Own})
		}
		j.Exchange.Body = j.Body
		out = append(out, *j.Exchange)
	}
	return out, captured, nil, nil
}

// QueryProcessor queries the processor and interprets its answer as evidence about the open operation.
func (d *Driver) QueryProcessor(ctx context.Context, w *Run) (evidence.Verdict, error) {
	asked, from, final, err := d.AskNow(ctx, w.Operation, w.Adapter.Manifest.Resolve)
	if err != nil {
		return evidence.Verdict{}, err
	}
	if err := d.knowRelayed(ctx, w); err != nil {
		return evidence.Verdict{}, err
	}
	o, v := d.Sync(ctx, w, w.Operation.Kind)
	if o == nil {
		return v, nil
	}
	r := w.interpret(o, final || fault.Planted("believe not found"))
	r.Again, r.AskedAt = from, asked
	return r, nil
}

// knowRelayed adds to the attempt of a capture or a void what relays have captured, so that no report on theirs ends it unnoticed.
func (d *Driver) knowRelayed(ctx context.Context, w *Run) error {
	if k := w.Operation.Kind; k != sdk.OpCapture && k != sdk.OpVoid || w.Unstored {
		return nil
	}
	return d.Relayed(ctx, w.Payment, w.Attempt)
}

// interpret derives the open operation's verdict from a report of the processor.
func (w *Run) interpret(o *sdk.Outcome, final bool) evidence.Verdict {
	if w.Operation.OfRefund() {
		return evidence.InterpretRefund(w.Operation, w.Refund, o, final)
	}
	if w.Operation.OfDispute() {
		return evidence.InterpretAnswer(w.Operation, w.Dispute, o, final)
	}
	return evidence.InterpretSync(w.Operation, w.Payment, w.Attempt, o, final)
}

// Sync queries the processor for a payment. Without an outcome the verdict says why. Other operations on the payment do not wait for it.
func (e *Driver) Sync(ctx context.Context, w *Run, resolves sdk.Operation) (*sdk.Outcome, evidence.Verdict) {
	now := e.Now().UTC().Truncate(time.Millisecond)
	q := *w
	q.Token = "" // the seed of a query comes from no request
	amount := w.Attempt.Amount
	if resolves != "" {
		amount = w.Operation.Amount
	}
	query := evidence.QueryFor(resolves)
	if w.Dispute != nil {
		query = sdk.OpDisputeSync
	}
	q.Operation = e.NewOperation(&q, query, amount, now)
	q.Request = e.LaterRequest(&q, amount)
	q.Request.Resolves, q.Request.VoidCaptured = resolves, resolves == sdk.OpVoid && w.Attempt.VoidsCaptured(w.Operation)
	if resolves == sdk.OpCapture {
		q.Request.CaptureReference = w.Attempt.CaptureReference(w.Operation.ID)
	}
	if optional.IsTrue(w.Payment.Details.Partial) { // what a query without an amount proves depends on it
		q.Request.Hold = &sdk.HoldWish{Partial: true}
	}
	q.LeaseEnd = e.LeaseEnd()
	d := &port.Drive{Connector: w.Account.Connector, Operation: query, OperationID: q.Operation.ID, Started: q.Operation.StartedAt, Seed: [32]byte(q.Operation.Seed),
		Account: e.driveAccount(w.Account), Request: q.Request, Card: w.cardFacts(), BeforeSend: func(context.Context, port.SendIntent) error { return nil }}
	r, records, err := e.driveRecorded(ctx, d, w.Payment.MerchantID, w.Payment.ID)
	w.Journal = append(w.Journal, records...)
	if r == nil {
		r = &port.DriveResult{}
	}
	v := evidence.Judge(query, q.Request.Amount, w.Adapter.Manifest, r.Answer(), err)
	e.Metrics.OperationDone(string(query), q.Operation.Connector, v.Status, e.Now().Sub(now))
	if v.Outcome == nil || v.Outcome.Status == sdk.StatusUnknown || v.Status == payment.OperationUnknown {
		e.raiseAlarm(ctx, &q, v)
		return nil, evidence.Verdict{Status: payment.OperationUnknown, Reject: v.Reject, Text: "the processor's answer to the query does not show the payment's result: " + v.Text}
	}
	if m := v.Outcome.Amount; !resolves.Refunds() && m != nil && m.Currency != "" && m.Currency != q.Request.Amount.Currency && q.Request.Amount.Currency != "" {
		e.Metrics.Alarm(alarm.AmountMismatch)
		return nil, evidence.Verdict{Status: payment.OperationUnknown, Text: "the processor's answer to the query has another currency than the payment"}
	}
	return v.Outcome, v
}

// Source is where kept evidence comes from. Its constants are stored.
type Source string

const (
	SourceWebhook Source = "webhook" // a message of the processor
	SourceSync    Source = "sync"    // the processor's answer to a query
	SourceSettle  Source = "settle"  // the answer of a run that came too late
	SourceStray   Source = "stray"   // a message about an unknown payment: it belongs to no operation
)

// NoteUnderWay marks a message that came while a run held the operation: recovery reads it if the run brings no answer.
const NoteUnderWay = "came while the operation was under way"

// EvidenceFromWebhooks returns the verdict of the messages that the processor sent during an operation, or unknown without such a message.
func (d *Driver) EvidenceFromWebhooks(ctx context.Context, w *Run) (evidence.Verdict, error) {
	none := evidence.Verdict{Status: payment.OperationUnknown, Text: "the operation waits for a message of the processor, or for an operator"}
	if w.Operation.OfDispute() { // its messages have been booked: the record shows what they said
		return w.interpret(w.Dispute.Shown(), false), nil
	}
	var kept []Evidence
	err := d.Store.View(ctx, func(r Reader) (err error) { kept, err = r.Evidence(w.Operation.ID); return err })
	if err != nil {
		return none, fault.Internal(err, "read evidence")
	}
	if len(kept) > 0 {
		if err := d.knowRelayed(ctx, w); err != nil {
			return none, err
		}
	}
	for _, k := range slices.Backward(kept) {
		var o sdk.Outcome
		if k.Source != SourceWebhook || k.Note != NoteUnderWay || json.Unmarshal(k.Outcome, &o) != nil || o.Status == "" {
			continue
		}
		if evidence.MayBeRelease(w.Attempt, &o) {
			continue
		}
		if v := w.interpret(&o, false); v.Status != payment.OperationUnknown && !v.Empty() {
			return v, nil
		}
	}
	return none, nil
}

// UnknownRule is assumed if the adapter is gone. It keeps the card for the longest time that a processor may need it.
var UnknownRule = sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 24 * 60 * 60}

// Reschedule ends this node's lease and sets the operation's next try: at again if that is in the future, else after a growing delay.
func (d *Driver) Reschedule(ctx context.Context, op *payment.Operation, rule sdk.ResolveRule, text string, again time.Time) {
	err := d.Store.Update(ctx, func(tx Tx) error {
		fresh, err := tx.Operation(op.ID)
		if err != nil {
			return err
		}
		if !d.Timing().Reschedule(fresh, op, d.Node, rule, text, again, tx.Now()) {
			return nil
		}
		return tx.UpdateOperation(fresh)
	})
	d.Log.LogAttrs(ctx, slog.LevelInfo, "operation still open", slog.String("operation_id", op.ID), slog.String("payment_id", op.PaymentID),
		slog.String("kind", string(op.Kind)), slog.Int("tries", op.ResolveTries+1), slog.String("text", text))
	if err != nil {
		d.Log.LogAttrs(ctx, slog.LevelError, "rescheduling failed", slog.String("operation_id", op.ID), slog.Any("error", err))
	}
}

// Take takes the lease of an open operation for this node and holds the operation until end. It returns the operation's row. end is nil if the
// operation has ended, if another run has it, or if the clock has jumped so that leases prove nothing.
func (d *Driver) Take(ctx context.Context, id string) (op *payment.Operation, end func(), err error) {
	calm, err := d.ClockIsCalm(ctx)
	if err != nil {
		return nil, nil, err
	}
	end, first := d.Hold(id)
	taken := false
	err = d.Store.Update(ctx, func(tx Tx) error {
		if op, err = tx.Operation(id); err != nil {
			return err
		}
		taken = first && calm && d.ClockHolds(tx.Now()) && !op.Leased(tx.Now()) && (op.Status.Open() || op.Status == payment.OperationPending)
		if !taken {
			return nil
		}
		op.Owner, op.LeaseUntil = d.Node, tx.Now().Add(d.LeaseTime).Truncate(time.Millisecond)
		d.KeepDue(op, tx.Now())
		return tx.UpdateOperation(op)
	})
	if err != nil || !taken {
		end()
		return op, nil, err
	}
	return op, end, nil
}

// GiveBack ends the lease that Take has taken, if the operation is still open.
func (d *Driver) GiveBack(ctx context.Context, op *payment.Operation) error {
	return d.Store.Update(ctx, func(tx Tx) error {
		fresh, err := tx.Operation(op.ID)
		if err != nil || fresh.Owner != d.Node || !fresh.LeaseUntil.Equal(op.LeaseUntil) || !fresh.Status.Open() && fresh.Status != payment.OperationPending {
			return err
		}
		fresh.Owner, fresh.LeaseUntil = "", tx.Now()
		return tx.UpdateOperation(fresh)
	})
}

// noteAnswer returns the text of an open operation with the latest answer of one way of resolution: a line for each way, the operation's own
// first.
func noteAnswer(text string, way evidence.Way, answer string) string {
	lines := strings.Split(text, "\n")
	line := string(way) + ": " + strings.ReplaceAll(answer, "\n", " ")
	for i := range lines {
		if i > 0 && strings.HasPrefix(lines[i], string(way)+": ") {
			lines[i] = line
			return strings.Join(lines, "\n")
		}
	}
	return strings.Join(append(lines, line), "\n")
}

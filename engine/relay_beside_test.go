package engine_test

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// besideOwn is an operation of a payment whose answer is lost, and the relay that acts on the transaction before its end is known.
type besideOwn struct {
	own    string // capture, void, raise, take back or refund
	method payment.CaptureMethod
	how    string // the processor's way with the operation, or "refuse": it refuses what is sent again
	relay  relay.Type
}

// A merchant acts by a relay while an own operation of the payment is in doubt. The relay's end finds that operation open, so the operation's end makes the switch
// ask the processor. Afterwards the payment shows what the processor has taken and holds, whichever way the first news comes.
func TestRelayBesideAnOperationInDoubt(t *testing.T) {
	t.Parallel()
	const one, several = payment.CaptureManual, payment.CaptureManualMultiple
	for _, c := range []besideOwn{
		{"void", one, "drop", relay.Capture},
		{"void", one, "refuse", relay.Capture},
		{"void", several, "drop", relay.Capture},
		{"capture", one, "drop", relay.Void},
		{"capture", one, "refuse", relay.Increment},
		{"capture", several, "drop", relay.Void},
		{"capture", several, "later", relay.Void},
		{"capture", several, "drop", relay.Increment},
		{"raise", one, "refuse", relay.Increment},
		{"raise", one, "drop", relay.Void},
		{"raise", one, "drop done", relay.Capture},
		{"take back", one, "drop", relay.Refund},
		{"take back", one, "drop done", relay.Refund},
		{"refund", one, "drop", relay.Refund},
		{"refund", several, "drop done", relay.Refund},
		{"refund", one, "later", relay.Refund},
	} {
		for _, totals := range []bool{true, false} {
			for _, by := range []string{"background", "message", "force_sync"} {
				t.Run(fmt.Sprint(c.own, " ", c.how, " of ", c.method, ", relay ", c.relay, ", totals ", totals, ", by ", by), func(t *testing.T) {
					t.Parallel()
					q := newAcquirer(t)
					q.totals = totals
					inBubble(t, func(t *testing.T) { c.play(t, q, by) }, q.Server)
				})
			}
		}
	}
}

func (c besideOwn) play(t *testing.T, q *acquirer, by string) {
	w := newWorld(t, (*world)(nil).options(), map[string]*sdk.Adapter{"shop": q.adapter(resolving(sdk.ResolveByReference, sdk.ResolveByIdempotentResend))})
	at := w.mailAccount("shop", q.URL, "")
	v := w.pay(sale(100, visa, func(in *request.Input) {
		if in.CaptureMethod = c.method; c.own == "raise" {
			in.Incremental = ptr(true)
		}
	}))
	id, h := v.Payment.ID, q.of(v.Attempt.Details.Reference)
	if c.relay == relay.Refund {
		w.captured(id, 100)
		w.delivers(q, at, func(map[string]any) bool { return true })
	}
	c.loses(q, w, id)
	k, err := w.CreateRelay(t.Context(), w.auth, c.asks(at.ID, h.ID))
	require.NoError(t, err)
	if c.how == "refuse" {
		q.fails(c.does(), "refuse")
	}
	switch by {
	case "message":
		w.delivers(q, at, func(map[string]any) bool { return true })
	case "force_sync":
		w.get(id, request.RetrieveInput{ForceSync: true})
	}
	w.running()
	for range 4 {
		time.Sleep(5 * time.Hour)
		q.with(func() {
			for _, p := range append(h.Captures, h.Refunds...) {
				if p.State == "pending" {
					q.ends(h, p, true)
				}
			}
		})
		w.delivers(q, at, func(map[string]any) bool { return true })
	}
	time.Sleep(25 * time.Hour)
	got := w.get(id, request.RetrieveInput{})
	p, relayed := got.Payment, int64(0)
	if k.Status == relay.Success && c.relay == relay.Refund {
		relayed = k.Details.Data.Refund.Amount
	}
	require.Equal(t, h.Captured(), p.Received, "%s", p.Status)
	require.Equal(t, h.Refunded(), p.Details.RefundedTotal+relayed)
	free := h.Authorized - h.Captured()
	if h.Voided || c.method == payment.CaptureManual && p.Received > 0 {
		free = 0
	}
	if q.totals || h.Captured() == 0 { // else no report says what is held besides
		require.Equal(t, free, p.Capturable, "%s", p.Status)
	}
	require.NotEqual(t, payment.Processing, p.Status)
	if h.Captured() == 0 && h.Voided {
		require.Contains(t, []payment.Status{payment.Cancelled, payment.CancelledPostCapture}, p.Status)
	}
	require.Zero(t, w.alarms.all()["impossible_transition"])
}

// does is the operation's name at the processor.
func (c besideOwn) does() string {
	return cmp.Or(map[string]string{"take back": "void"}[c.own], c.own)
}

// loses begins the own operation, whose answer is lost.
func (c besideOwn) loses(q *acquirer, w *world, id string) {
	w.t.Helper()
	how, ctx, err := c.how, w.t.Context(), error(nil)
	if how == "refuse" {
		how = "drop"
	}
	q.fails(c.does(), how)
	switch c.own {
	case "capture":
		_, err = w.CapturePayment(ctx, w.auth, id, &request.CaptureInput{Amount: ptr(int64(60))})
	case "void":
		_, err = w.CancelPayment(ctx, w.auth, id, "")
	case "raise":
		_, err = w.IncrementAuthorization(ctx, w.auth, id, request.IncrementInput{Amount: 150})
	case "take back":
		_, err = w.CancelCaptured(ctx, w.auth, id, "")
	case "refund":
		_, err = w.refund(id, 20)
	}
	require.NoError(w.t, err)
	q.fails("", "")
}

// asks is the relay's request.
func (c besideOwn) asks(account, tx string) relay.Input {
	in := relay.Input{ResourceID: tx, AccountID: account, Type: c.relay}
	switch c.relay {
	case relay.Capture:
		in.Data.Capture = &relay.CaptureData{Authorized: 100, Amount: 20, Currency: "USD", Method: payment.CaptureManualMultiple}
	case relay.Void:
		in.Data.Void = &relay.VoidData{}
	case relay.Increment:
		in.Data.Increment = &relay.IncrementData{Total: 130, Additional: 30, Currency: "USD"}
	default:
		in.Data.Refund = &relay.RefundData{Amount: 20, Currency: "USD"}
	}
	return in
}

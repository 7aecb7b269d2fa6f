package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/restore"
	"payswitch/plugins"
	"payswitch/sdk"
	"payswitch/storage"
)

// copied takes a back-up of a world's database, and returns its file.
func (w *world) copied() string {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "copy.db")
	_, err := storage.Copy(w.t.Context(), "sqlite:"+w.file, file)
	require.NoError(w.t, err)
	return file
}

// postTill returns a till's adapter that reads signed messages.
func postTill(rule sdk.ResolveRule) *sdk.Adapter {
	a, m := tillAdapter(rule), mailing(rule)
	a.Manifest.Credentials, a.Webhook = m.Manifest.Credentials, m.Webhook
	return a
}

// A back-up of an hour ago is restored under a processor that remembers the hour. Afterwards the books are equal, or a person looks at them.
func TestRestoreOfAnHourOldCopy(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	inBubble(t, func(t *testing.T) {
		rule := resolving(sdk.ResolveByReference, sdk.ResolveByIdempotentResend)
		adapters := map[string]*sdk.Adapter{"shop": postTill(rule)}
		w := newWorld(t, engine.Options{}, adapters)
		a := w.mailAccount("shop", p.URL, "")
		authorized := func() string { return w.pay(sale(100, visa, manual)).Payment.ID }
		captured, voided, held, lost := authorized(), authorized(), authorized(), authorized()
		p.set("/capture", "drop done") // its answer never came
		_, err := w.CapturePayment(t.Context(), w.auth, lost, &request.CaptureInput{})
		require.NoError(t, err)
		p.set("/capture", "")
		created, err := w.CreatePayment(t.Context(), w.auth, sale(100, visa, manual, func(in *request.Input) { in.Confirm = nil }))
		require.NoError(t, err)
		file := w.copied()

		time.Sleep(time.Minute)
		_, err = w.CapturePayment(t.Context(), w.auth, captured, &request.CaptureInput{})
		require.NoError(t, err)
		_, err = w.CancelPayment(t.Context(), w.auth, voided, "")
		require.NoError(t, err)
		confirmed, err := w.ConfirmPayment(t.Context(), w.auth, created.Payment.ID, &request.Input{})
		require.NoError(t, err)
		unknown := w.pay(sale(100, visa, manual))
		time.Sleep(time.Hour)
		sent := p.count("/authorize")

		b := newWorldWith(t, engine.Options{}, plugins.NativeConnectors(adapters), file)
		require.NoError(t, b.AfterRestore(t.Context()))
		require.Empty(t, b.alarms.all())
		_, err = b.ConfirmPayment(t.Context(), b.auth, created.Payment.ID, &request.Input{PaymentMethod: "card", Card: typedCard(visa), HasMethodData: true})
		require.Equal(t, "IR_16", code(t, err), "its charge may be lost")
		b.running()
		time.Sleep(5 * time.Minute)
		require.Equal(t, payment.Succeeded, b.get(captured, request.RetrieveInput{}).Payment.Status)
		require.EqualValues(t, 100, b.get(captured, request.RetrieveInput{}).Payment.Received)
		require.Equal(t, payment.Cancelled, b.get(voided, request.RetrieveInput{}).Payment.Status)
		require.Equal(t, payment.RequiresCapture, b.get(held, request.RetrieveInput{}).Payment.Status)
		require.Equal(t, payment.Succeeded, b.get(lost, request.RetrieveInput{}).Payment.Status)
		require.Equal(t, sent, p.count("/authorize"), "nobody is charged again")

		// The processor reports what the copy does not have: the reports are kept for a person, once each.
		for range 2 {
			for _, v := range []string{confirmed.Attempt.Details.Reference, unknown.Attempt.Details.Reference} {
				_, err = b.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": v, "outcome": sdk.Outcome{Status: sdk.StatusAuthorized}}))
				require.NoError(t, err)
			}
		}
		require.Equal(t, map[string]int{string(alarm.UnknownPayment): 2}, b.alarms.all())
		_, err = b.ReceiveWebhook(t.Context(), mail(a.ID, "a wrong secret", map[string]any{"reference": "x", "outcome": sdk.Outcome{Status: sdk.StatusAuthorized}}))
		require.Error(t, err, "a stranger's message is not kept")
		var strays []restore.Stray
		require.NoError(t, b.db.View(t.Context(), func(r engine.Reader) (err error) { strays, err = restore.Strays(r); return err }))
		require.Len(t, strays, 2)
		require.Equal(t, unknown.Attempt.Details.Reference, strays[1].Event.Reference)
		require.Equal(t, a.ID, strays[1].AccountID)

		// New payments go on, and a second start asks no more.
		require.Equal(t, payment.RequiresCapture, b.pay(sale(100, visa, manual)).Payment.Status)
		asked := p.count("/query")
		require.NoError(t, b.AfterRestore(t.Context()))
		time.Sleep(time.Minute)
		require.Equal(t, asked, p.count("/query"))
	}, p.Server)
}

// Without the note of a restore, the first test's attack succeeds: this database was not restored, and its messages about strangers are refused.
func TestStraysOnlyAfterARestore(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": postTill(resolving(sdk.ResolveByReference))})
	a := w.mailAccount("shop", p.URL, "")
	require.NoError(t, w.AfterRestore(t.Context()))
	_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": "other_shop", "outcome": sdk.Outcome{Status: sdk.StatusAuthorized}}))
	require.Equal(t, "WE_04", code(t, err))
	require.Empty(t, w.evidence(""))
}

// The copy says of a refund that nothing has left. It left after the copy was taken, so a restored switch must not send it: the processor has
// forgotten the idempotency key's meaning for another operation, and would give the money back twice.
func TestRestoredRefundIsNotSentAgain(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	inBubble(t, func(t *testing.T) {
		rule := sdk.ResolveRule{By: byReference.By, NotFoundFinalAfterSeconds: 60}
		adapters := map[string]*sdk.Adapter{"shop": refunder(rule)}
		w := newWorld(t, engine.Options{}, adapters)
		w.shopAccount(c.URL)
		id := w.pay(sale(1000, visa)).Payment.ID
		_, err := w.refund(id, 600, named("r"), func(in *request.RefundInput) { in.Type = payment.RefundScheduled })
		require.NoError(t, err)
		op := w.operations(id)[1]
		require.True(t, op.Unsent())
		file := w.copied()
		w.running()
		time.Sleep(time.Hour)
		sum, posts := c.paid()
		require.EqualValues(t, 600, sum)
		require.Equal(t, 1, posts)

		b := newWorldWith(t, engine.Options{}, plugins.NativeConnectors(adapters), file)
		require.NoError(t, b.AfterRestore(t.Context()))
		b.running()
		time.Sleep(10 * time.Minute)
		_, posts = c.paid()
		require.Equal(t, 1, posts, "nothing is sent again")
		require.Equal(t, payment.RefundSucceeded, b.refunded("r").Status)
	}, c.Server)
}

// A payment waited for its payer's authentication when the copy was taken. The payer finished it after the copy, and was charged. The payer who
// comes back to the restored switch is not charged again: the first charge is found by its reference.
func TestRestoredAuthenticationDoesNotChargeTwice(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, quick)
	v, _ := w.inChallenge()
	file := w.copied()
	w.a.result = always("Y")
	req := w.a.last(t, sdk.OpAuthenticate)
	w.comesBack(token(req.Authentication.NotificationURL), cres(req.Authentication.ServerTransID, "Y"))
	require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
	require.Equal(t, 1, w.bank.count())

	b := openSecureWorld(t, quick, w.a, w.bank, file)
	require.NoError(t, b.AfterRestore(t.Context()))
	b.ChallengeNotified(t.Context(), token(req.Authentication.NotificationURL), cres(req.Authentication.ServerTransID, "Y"), "")
	b.running()
	b.eventually(v.Payment.ID, payment.Succeeded)
	require.Equal(t, 1, w.bank.count(), "nobody is charged twice")
}

// A payment of the copy stays refused where the machine's clock is behind that of the copy's machine, and where no time has passed since. Payments that are made
// after the restore are charged all the same.
func TestRestoreUnderAnEarlierClock(t *testing.T) {
	t.Parallel()
	for _, behind := range []time.Duration{0, 2 * time.Minute, 3 * time.Hour} {
		t.Run(behind.String(), func(t *testing.T) {
			t.Parallel()
			p := newTill(t)
			inBubble(t, func(t *testing.T) {
				adapters := map[string]*sdk.Adapter{"shop": postTill(resolving(sdk.ResolveByReference))}
				w := newWorld(t, engine.Options{}, adapters)
				w.mailAccount("shop", p.URL, "")
				unconfirmed := func(in *request.Input) { in.Confirm = nil }
				create := func(w *world) string {
					v, err := w.CreatePayment(t.Context(), w.auth, sale(100, visa, manual, unconfirmed))
					require.NoError(t, err)
					return v.Payment.ID
				}
				old := create(w)
				file := w.copied()
				_, err := w.ConfirmPayment(t.Context(), w.auth, old, &request.Input{})
				require.NoError(t, err)
				require.Equal(t, 1, p.count("/authorize"))

				b := newWorldAt(t, engine.Options{}, plugins.NativeConnectors(adapters), file, -behind)
				require.NoError(t, b.AfterRestore(t.Context()))
				b.running()
				confirm := func(id string) error {
					_, err := b.ConfirmPayment(t.Context(), b.auth, id, &request.Input{PaymentMethod: "card", Card: typedCard(visa), HasMethodData: true})
					return err
				}
				at := func(after time.Duration) {
					require.Equal(t, "IR_16", code(t, confirm(old)), "after %v: the payer would be charged twice", after)
					require.NoError(t, confirm(create(b)), "after %v: a new payment", after)
				}
				at(0)
				waits := create(b)
				session := func(w *world, id string) time.Duration {
					p := w.get(id, request.RetrieveInput{}).Payment
					return p.ExpiresAt.Sub(p.CreatedAt)
				}
				require.Equal(t, session(w, old), session(b, waits))
				time.Sleep(behind + time.Minute)
				at(behind + time.Minute)
				if behind > time.Hour {
					_, err := b.ConfirmPayment(t.Context(), b.auth, waits, &request.Input{})
					require.Error(t, err, "the card is kept for minutes, by this machine's clock")
				}
				require.NoError(t, confirm(waits))
				require.Equal(t, 4, p.count("/authorize"))
			}, p.Server)
		})
	}
}

// An interrupted preparation is done again at the next start.
func TestRestoreIsPreparedAfterACrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quick, nil)
	require.NoError(t, w.db.NoteRestored(t.Context(), time.Now().Add(-time.Hour)))
	require.NoError(t, w.db.Close())
	_, err := os.Stat(w.file)
	require.NoError(t, err)
	require.Error(t, w.AfterRestore(t.Context()), "the database is gone")
	b := newWorldWith(t, quick, plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": shop(byReference)}), w.file)
	require.NoError(t, b.AfterRestore(t.Context()))
	require.NoError(t, b.db.View(t.Context(), func(r engine.Reader) error {
		list, err := r.Restores()
		require.Len(t, list, 1)
		require.NotZero(t, list[0].StartedAt)
		return err
	}))
}

// A copy of the database knows less than the processor holds or has taken: the merchant raised the hold, or captured more than was held, after the copy was taken.
// The processor's books are ours afterwards.
func TestRestoredCopyOfLessThanWasTaken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		after         func(w *world, id string) // the copy was taken
		status        payment.Status
		held, taken   int64
		capture, open int64
	}{
		{"raised", func(w *world, id string) { w.raised(id, 150) }, payment.RequiresCapture, 150, 0, 150, 150},
		{"raised, and captured", func(w *world, id string) { w.raised(id, 150); w.captured(id, 0) }, payment.Succeeded, 150, 150, 0, 0},
		{"raised, and captured in part", func(w *world, id string) { w.raised(id, 150); w.captured(id, 120) }, payment.PartiallyCaptured, 150, 120, 0, 0},
		{"raised, and voided", func(w *world, id string) { w.raised(id, 150); w.voided(id) }, payment.Cancelled, 100, 0, 0, 0},
		{"captured more", func(w *world, id string) { w.captured(id, 130) }, payment.Succeeded, 130, 130, 0, 0},
	} {
		for _, totals := range []bool{true, false} {
			c := c
			if !totals && c.name == "raised, and captured in part" { // the report does not show the raise
				c.status, c.held = payment.Succeeded, 120
			}
			t.Run(fmt.Sprint(c.name, ", totals ", totals), func(t *testing.T) {
				t.Parallel()
				q := newAcquirer(t)
				q.over, q.totals = true, totals
				inBubble(t, func(t *testing.T) {
					adapters := map[string]*sdk.Adapter{"shop": q.adapter(byReference)}
					w := newWorld(t, engine.Options{}, adapters)
					w.mailAccount("shop", q.URL, "")
					v := w.pay(sale(100, visa, raisable, func(in *request.Input) { in.Overcapture = ptr(true) }))
					file := w.copied()
					time.Sleep(time.Minute)
					c.after(w, v.Payment.ID)
					time.Sleep(time.Hour)

					b := newWorldWith(t, engine.Options{}, plugins.NativeConnectors(adapters), file)
					require.NoError(t, b.AfterRestore(t.Context()))
					b.running()
					time.Sleep(5 * time.Minute)
					got := b.get(v.Payment.ID, request.RetrieveInput{})
					require.Equal(t, c.status, got.Payment.Status)
					require.Equal(t, []int64{c.taken, c.open}, []int64{got.Payment.Received, got.Payment.Capturable})
					if c.status != payment.Cancelled {
						require.Equal(t, c.held, got.Attempt.Authorized)
					}
					require.Empty(t, b.alarms.all())
					switch {
					case c.capture > 0:
						b.captured(v.Payment.ID, 0)
					case c.taken > 0:
						_, err := b.refund(v.Payment.ID, c.taken)
						require.NoError(t, err)
					}
					h := q.of(v.Attempt.Details.Reference)
					require.Equal(t, []int64{max(c.taken, c.capture), c.taken}, []int64{h.Captured(), h.Refunded()})
				}, q.Server)
			})
		}
	}
}

func (w *world) raised(id string, to int64) {
	w.t.Helper()
	v, err := w.IncrementAuthorization(w.t.Context(), w.auth, id, request.IncrementInput{Amount: to})
	require.NoError(w.t, err)
	require.Equal(w.t, to, v.Attempt.Authorized)
}

// captured captures amount, or all for 0.
func (w *world) captured(id string, amount int64) {
	w.t.Helper()
	in := &request.CaptureInput{}
	if amount > 0 {
		in.Amount = &amount
	}
	v, err := w.CapturePayment(w.t.Context(), w.auth, id, in)
	require.NoError(w.t, err)
	require.Positive(w.t, v.Attempt.Captured)
}

func (w *world) voided(id string) {
	w.t.Helper()
	v, err := w.CancelPayment(w.t.Context(), w.auth, id, "")
	require.NoError(w.t, err)
	require.Equal(w.t, payment.Cancelled, v.Payment.Status)
}

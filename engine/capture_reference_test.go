package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/drive"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// restorable is a world with an account at an acquirer, and what opens a back-up of it as a restored one.
func restorable(t *testing.T, q *acquirer, shop *sdk.Adapter) (w *world, at *account.Account, restored func(file string) *world) {
	o, adapters := engine.Options{ResolveEvery: 5 * time.Minute}, map[string]*sdk.Adapter{"shop": shop}
	w = newWorld(t, o, adapters)
	return w, w.mailAccount("shop", q.URL, ""), func(file string) *world {
		b := newWorldWith(t, o, plugins.NativeConnectors(adapters), file)
		require.NoError(t, b.AfterRestore(t.Context()))
		return b
	}
}

// A capture of 4 is lost with the database. After the restore the processor reports it. The merchant captures 900, and the answer is lost. The message about
// the 4 says nothing about the 900: both captures would have the same number, and so the same reference.
func TestRestoredPaymentNumbersItsCapturesApart(t *testing.T) {
	t.Parallel()
	for _, acts := range []bool{false, true} {
		for _, totals := range []bool{false, true} {
			q := newAcquirer(t)
			q.totals = totals
			inBubble(t, func(t *testing.T) {
				w, at, restored := restorable(t, q, q.adapter(resolving(sdk.ResolveByReference)))
				v := w.pay(sale(1000, visa, func(in *request.Input) { in.CaptureMethod = payment.CaptureManualMultiple }))
				id := v.Payment.ID
				file := w.copied()
				w.captured(id, 4)

				b := restored(file)
				b.running()
				time.Sleep(5 * time.Minute)
				require.EqualValues(t, 4, b.get(id, request.RetrieveInput{}).Payment.Received)
				want := int64(4)
				if q.fails("capture", "500"); acts {
					q.fails("capture", "500 done")
					want += 900
				}
				amount := int64(900)
				_, err := b.CapturePayment(t.Context(), b.auth, id, &request.CaptureInput{Amount: &amount})
				require.NoError(t, err)
				b.delivers(q, at, aboutCaptureOf(4))
				time.Sleep(48 * time.Hour)
				b.delivers(q, at, aboutCaptureOf(900))
				p := b.get(id, request.RetrieveInput{ForceSync: true}).Payment
				if p.OpenOperation == "" {
					require.Equal(t, want, p.Received, "acts %v, totals %v", acts, totals)
				}
				require.LessOrEqual(t, p.Received, want)
				if totals {
					require.Empty(t, p.OpenOperation, "totals settle it")
				}
			}, q.Server)
		}
	}
}

// A capture of 92 is unknown when the back-up is taken, and a second one of 86 is lost. After the restore the message about the 86 does not end the capture of
// 92. The books are equal in the end.
func TestLostCaptureBesideAnUnknownOne(t *testing.T) {
	t.Parallel()
	for _, acts := range []bool{false, true} {
		for _, totals := range []bool{false, true} {
			t.Run(fmt.Sprint("acts ", acts, ", totals ", totals), func(t *testing.T) {
				t.Parallel()
				q := newAcquirer(t)
				q.totals = totals
				inBubble(t, func(t *testing.T) {
					w, at, restored := restorable(t, q, q.adapter(resolving(sdk.ResolveByReference)))
					v := w.pay(sale(1000, visa, func(in *request.Input) { in.CaptureMethod = payment.CaptureManualMultiple }))
					id, want := v.Payment.ID, int64(86)
					if q.fails("capture", "drop"); acts {
						q.fails("capture", "drop done")
						want += 92
					}
					amount := int64(92)
					_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: &amount})
					require.NoError(t, err)
					q.fails("capture", "")
					file := w.copied()
					w.running()
					time.Sleep(26 * time.Hour)
					amount = 86
					_, err = w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: &amount})
					require.NoError(t, err)

					b := restored(file)
					b.delivers(q, at, aboutCaptureOf(86))
					a := b.get(id, request.RetrieveInput{Captures: true}).Attempt
					require.EqualValues(t, 86, a.Captured)
					require.True(t, a.Details.Captures[0].Open(), "nothing is known of the 92")
					b.running()
					time.Sleep(48 * time.Hour)
					p := b.get(id, request.RetrieveInput{}).Payment
					require.Equal(t, want, p.Received)
					require.Equal(t, !acts && !totals, p.OpenOperation != "", "a report without totals does not say that nothing more was captured")
				}, q.Server)
			})
		}
	}
}

// A capture of 92 is unknown when the back-up is taken, and the processor has never made that one. Captures of the same sum are lost. After the restore a report
// on the payment ends the unknown capture with their sum. The messages about the lost captures come later, and count nothing twice.
func TestLostCapturesThatAReportHasCounted(t *testing.T) {
	t.Parallel()
	for _, lost := range [][]int64{{92}, {50, 42}} {
		for _, by := range []string{"an amount", "totals", "totals, with the last capture's id"} {
			t.Run(fmt.Sprint(lost, " by ", by), func(t *testing.T) {
				t.Parallel()
				q := newAcquirer(t)
				q.totals = by != "an amount"
				inBubble(t, func(t *testing.T) {
					shop := q.adapter(resolving(sdk.ResolveByReference))
					if sync := shop.Sync; by == "totals, with the last capture's id" {
						shop.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
							o, err := sync(c)
							if err == nil && o.Status == sdk.StatusCaptured {
								h := q.of(c.Request.Reference)
								o.CaptureID = h.Captures[len(h.Captures)-1].ID
							}
							return o, err
						}
					}
					w, at, restored := restorable(t, q, shop)
					v := w.pay(sale(1000, visa, func(in *request.Input) { in.CaptureMethod = payment.CaptureManualMultiple }))
					id, amount := v.Payment.ID, int64(92)
					q.fails("capture", "drop")
					_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: &amount})
					require.NoError(t, err)
					q.fails("capture", "")
					file := w.copied()
					w.running()
					time.Sleep(26 * time.Hour)
					for _, amount := range lost {
						_, err = w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: &amount})
						require.NoError(t, err)
					}
					require.EqualValues(t, 92, w.get(id, request.RetrieveInput{}).Payment.Received)

					b := restored(file)
					b.running()
					time.Sleep(48 * time.Hour)
					for range 2 {
						for _, amount := range lost {
							b.delivers(q, at, aboutCaptureOf(amount))
							require.LessOrEqual(t, b.get(id, request.RetrieveInput{}).Payment.Received, int64(92))
						}
						time.Sleep(48 * time.Hour)
					}
					require.EqualValues(t, 92, b.get(id, request.RetrieveInput{}).Payment.Received)
				}, q.Server)
			})
		}
	}
}

// A processor gives a capture an id of its own, and its message names our reference of the capture alone. The message finds the payment, also where the merchant
// has chosen the payment's id.
func TestMessageNamesACaptureAlone(t *testing.T) {
	t.Parallel()
	q := newAcquirer(t)
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": q.adapter(resolving(sdk.ResolveByReference))})
	at := w.mailAccount("shop", q.URL, "")
	for _, id := range []string{"", "1001", strings.Repeat("long_", 12)} {
		v := w.pay(sale(1000, visa, manual, func(in *request.Input) { in.PaymentID = id }))
		q.fails("capture", "drop done")
		_, err := w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{})
		require.NoError(t, err)
		q.with(func() {
			for _, m := range q.sent {
				if o := m["outcome"].(sdk.Outcome); o.CaptureID != "" {
					o.TransactionID = o.CaptureID
					m["id"], m["outcome"] = o.CaptureID, o
				}
			}
		})
		w.delivers(q, at, aboutCaptureOf(1000))
		require.Equal(t, payment.Succeeded, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status, id)
	}
}

// A capture's reference is its attempt's and a number where the processor's rule has room for it. It never has the form of another attempt's.
func TestCaptureReference(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	a := &payment.Attempt{MerchantID: "m", ID: "1001_1"}
	a.Details.Reference = "1001_1_Ab12Cd"
	made := func(rule sdk.ReferenceRule) string { return drive.CaptureReference(rule, a, "1001_1_2rXyZ123", now) }
	require.Equal(t, "1001_1_Ab12Cd_2rXyZ123", made(sdk.ReferenceRule{}))
	for _, rule := range []sdk.ReferenceRule{{MaxLength: 21}, {Characters: sdk.ReferenceAlphanumeric}, {Characters: sdk.ReferenceDigits, MaxLength: 12}} {
		r := made(rule)
		require.NotContains(t, r, "_")
		require.LessOrEqual(t, len(r), max(rule.MaxLength, 20))
		require.Equal(t, rule.Characters != sdk.ReferenceDigits, r == made(rule), "digits differ each time")
	}
}

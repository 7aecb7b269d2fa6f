package engine_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// dying are connectors whose node dies within a drive: before anything is sent, or after the processor acted and before its answer is booked.
type dying struct {
	port.Connectors
	before, after bool
	drives        int
}

func (d *dying) Drive(ctx context.Context, x *port.Drive) (*port.DriveResult, error) {
	d.drives++
	if d.before {
		runtime.Goexit()
	}
	r, err := d.Connectors.Drive(ctx, x)
	if d.after {
		runtime.Goexit()
	}
	return r, err
}

// dies runs a request on a goroutine that ends within it, as the requests of a killed node do.
func dies(request func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		request()
	}()
	<-done
}

// deaths are the moments at which a node dies.
var deaths = map[string]func(d *dying){"before the send": func(d *dying) { d.before = true }, "before the booking": func(d *dying) { d.after = true }}

// An extension of a node that died is found out by another one: the hold is extended at most once, and the payment shows what the processor says.
func TestExtensionOfADeadNode(t *testing.T) {
	t.Parallel()
	for _, by := range []sdk.ResolveBy{sdk.ResolveByReference, sdk.ResolveByIdempotentResend} {
		for name, set := range deaths {
			t.Run(string(by)+" "+name, func(t *testing.T) {
				l := newLender(t)
				inBubble(t, func(t *testing.T) {
					shop := l.adapter(by)
					shop.ExtendAuthorization = func(c *sdk.Call) (*sdk.Outcome, error) {
						o, err := shop.IncrementalAuthorize(c)
						if err == nil {
							yes := true
							o.Hold = &sdk.Hold{Extended: &yes}
						}
						return o, err
					}
					plain := shop.Sync
					shop.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
						o, err := plain(c)
						if err == nil {
							_, extensions := l.held()
							extended := extensions > 0
							o.Hold = &sdk.Hold{Extended: &extended}
						}
						return o, err
					}
					d := &dying{Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": shop})}
					w := newWorldWith(t, quick, d, filepath.Join(t.TempDir(), "p.db"))
					w.shopAccount(l.URL)
					v := w.pay(sale(100, visa, manual, func(in *request.Input) { in.Extended = ptr(true) }))
					set(d)
					returned := false
					dies(func() {
						w.ExtendAuthorization(context.Background(), w.auth, v.Payment.ID)
						returned = true
					})
					require.False(t, returned, "the node died within the request")
					op := w.operations(v.Payment.ID)[1]
					require.Equal(t, sdk.OpExtendAuthorization, op.Kind)
					require.True(t, op.Status.Open(), "the intent is durable")
					_, err := w.ExtendAuthorization(t.Context(), w.auth, v.Payment.ID)
					require.Error(t, err, "a second one does not overtake the first")

					d.before, d.after = false, false
					w.Close(context.Background())
					w.db.Close()
					again := newWorldWith(t, quick, d, w.file)
					again.running()
					require.Eventually(t, func() bool { return !again.operations(v.Payment.ID)[1].Status.Open() }, time.Hour, time.Second)
					_, extensions := l.held()
					require.LessOrEqual(t, extensions, 1)
					v = again.get(v.Payment.ID, request.RetrieveInput{})
					require.Equal(t, []any{int64(100), int64(100), ""}, []any{v.Payment.Capturable, v.Payment.NetAmount, v.Payment.OpenOperation})
					h := v.Attempt.Details.Hold
					require.Equal(t, extensions == 1, h != nil && h.Extended != nil && *h.Extended, "the payment shows what the processor did")
					_, err = again.CapturePayment(t.Context(), again.auth, v.Payment.ID, &request.CaptureInput{})
					require.NotEqual(t, "IR_14", code(t, err), "the funds can be taken")
				}, l.Server)
			})
		}
	}
}

// A cancel of a node that died is carried out, also if a query shows that the processor did not act on its void: a repetition of the call is answered
// that the cancel is under way.
func TestCancelOfADeadNode(t *testing.T) {
	t.Parallel()
	for name, set := range deaths {
		t.Run(name, func(t *testing.T) {
			p := newTill(t)
			inBubble(t, func(t *testing.T) {
				d := &dying{Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{
					"shop": tillAdapter(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 4})})}
				w := newWorldWith(t, quick, d, filepath.Join(t.TempDir(), "p.db"))
				w.shopAccount(p.URL)
				id := w.pay(sale(100, visa, manual)).Payment.ID
				auth := w.auth
				auth.RequestToken = "token"
				p.set("/void", "drop")
				set(d)
				dies(func() { w.CancelPayment(context.Background(), auth, id, "") })
				op := w.operations(id)[1]
				require.Equal(t, payment.OperationStarted, op.Status)

				d.before, d.after = false, false
				w.Close(context.Background())
				w.db.Close()
				again := newWorldWith(t, quick, d, w.file)
				again.running()
				require.Eventually(t, func() bool { // the dead node's lease ends
					v, err := again.CancelPayment(t.Context(), auth, id, "")
					return err == nil && v.Payment.Status == payment.Processing
				}, time.Hour, 100*time.Millisecond)
				require.Eventually(t, func() bool { return !again.operations(id)[1].Status.Open() }, time.Hour, time.Second)
				p.set("/void", "")
				again.eventually(id, payment.Cancelled)
			}, p.Server)
		})
	}
}

// A relay of a node that died stays pending. No query and no background work sends it again. A repetition of the request does, with the processor's same key.
func TestRelayOfADeadNode(t *testing.T) {
	t.Parallel()
	for name, set := range deaths {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int32
			var keys sync.Map
			processor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent.Add(1)
				keys.Store(r.Header.Get("Idempotency-Key"), true)
				w.Write([]byte(`{"id":"re_1"}`))
			}))
			t.Cleanup(processor.Close)
			inBubble(t, func(t *testing.T) {
				a := shop(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 3600})
				a.Manifest.Features.PartialRefund = true
				a.Refund = func(c *sdk.Call) (*sdk.Outcome, error) {
					r, err := c.Do(&sdk.Send{Method: "POST", URL: "/refund", Body: []byte("{}"), IdempotencyHeader: "Idempotency-Key", SafeToRepeat: true})
					if err != nil {
						return nil, err
					}
					return &sdk.Outcome{Status: sdk.StatusRefunded, RefundID: r.JSON().Str("id")}, nil
				}
				d := &dying{Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": a})}
				w := newWorldWith(t, quick, d, filepath.Join(t.TempDir(), "p.db"))
				w.shopAccount(processor.URL)
				accounts, err := w.Dir.Accounts(t.Context(), "m1")
				require.NoError(t, err)
				auth := w.auth
				auth.RequestToken = "token"
				in := relay.Input{ResourceID: "tx", AccountID: accounts[0].ID, Type: relay.Refund, Data: relay.Asked{Data: relay.Data{Refund: &relay.RefundData{Amount: 5, Currency: "USD"}}}}
				set(d)
				want, returned := map[string]int32{"before the send": 0, "before the booking": 1}[name], false
				dies(func() {
					w.CreateRelay(context.Background(), auth, in)
					returned = true
				})
				require.False(t, returned)
				var id string
				require.NoError(t, w.db.View(t.Context(), func(tx engine.Reader) error {
					list, err := tx.RelaysOf("m1", accounts[0].ID, "tx")
					id = list[0].ID
					return err
				}))

				d.before, d.after = false, false
				w.Close(context.Background())
				w.db.Close()
				again := newWorldWith(t, quick, d, w.file)
				again.running()
				drives := d.drives
				r, err := again.Relay(t.Context(), again.auth, id, true)
				require.NoError(t, err)
				require.Equal(t, relay.Pending, r.Status)
				time.Sleep(time.Minute) // of the bubble's clock: many times what a look-up waits
				require.Equal(t, drives, d.drives)
				require.Equal(t, want, sent.Load())
				r, err = again.CreateRelay(t.Context(), auth, in)
				require.NoError(t, err)
				require.Equal(t, []any{id, relay.Success, want + 1}, []any{r.ID, r.Status, sent.Load()})
				distinct := 0
				keys.Range(func(_, _ any) bool { distinct++; return true })
				require.Equal(t, 1, distinct, "the processor makes one refund of it")
			}, processor)
		})
	}
}

package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"payswitch/sdk"
)

// cashier is a processor on loopback that refunds. It does not check the captured amount, so that a refund too much shows. A refund that comes
// twice under one key acts once.
type cashier struct {
	*httptest.Server
	mu      sync.Mutex
	refunds map[string]*paidBack // by our reference
	posts   int                  // requests for a refund
	pays    int                  // requests for a payment
	act     string               // ok, pending, refuse, hang (act, drop the answer), drop (do not act), rest (another amount), same (the id in the field of that name)
	same    string               // the first id until a test sets another
	hold    chan struct{}        // answers to refunds wait until it is closed; nil: no wait
	holdPay chan struct{}        // the same for payments
	arrived chan string          // references of payments and of refunds that have acted and wait for hold
}

type paidBack struct {
	ID, State, Key string
	Amount         int64
}

func newCashier(t *testing.T) *cashier {
	c := &cashier{refunds: map[string]*paidBack{}, act: "ok", same: "re_1", arrived: make(chan string, 100)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Server.CloseClientConnections)
	t.Cleanup(c.Server.Close)
	return c
}

func (c *cashier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Amount    int64
		Reference string
	}
	json.NewDecoder(r.Body).Decode(&in)
	if r.URL.Path == "/pay" {
		c.mu.Lock()
		c.pays++
		hold := c.holdPay
		c.mu.Unlock()
		if hold != nil {
			c.arrived <- in.Reference
			<-hold
		}
		w.Write([]byte(`{"id":"tx_` + in.Reference + `"}`))
		return
	}
	c.mu.Lock()
	act, hold := c.act, c.hold
	var back *paidBack
	if r.Method == "POST" {
		c.posts++
		back = c.refunds[in.Reference]
		if back != nil && back.Key != r.Header.Get("Idempotency-Key") {
			back = nil // another key: it acts again
			in.Reference += "_again"
		}
		if back == nil && act != "drop" && act != "refuse" {
			back = &paidBack{ID: fmt.Sprintf("re_%d", len(c.refunds)+1), State: "done", Key: r.Header.Get("Idempotency-Key"), Amount: in.Amount}
			switch act {
			case "pending":
				back.State = act
			case "same":
				back.ID = c.same
			}
			if act == "rest" {
				back.Amount--
			}
			c.refunds[in.Reference] = back
		}
	} else {
		back = c.refunds[r.URL.Query().Get("reference")]
	}
	c.mu.Unlock()
	if hold != nil && r.Method == "POST" {
		c.arrived <- in.Reference
		<-hold
	}
	switch {
	case r.Method == "POST" && (act == "hang" || act == "drop"):
		panic(http.ErrAbortHandler)
	case r.Method == "POST" && act == "refuse":
		w.WriteHeader(400)
		w.Write([]byte(`{"code":"payment_not_refundable"}`))
	case back == nil:
		w.WriteHeader(404)
	default:
		json.NewEncoder(w).Encode(map[string]any{"id": back.ID, "state": back.State, "amount": back.Amount})
	}
}

func (c *cashier) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

// charges returns the number of requests for a payment.
func (c *cashier) charges() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pays
}

// paid returns the sum of all refunds that the processor has made, and the number of requests for one.
func (c *cashier) paid() (sum int64, posts int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.refunds {
		sum += r.Amount
	}
	return sum, c.posts
}

// refunder returns the adapter of a cashier. Its messages are those of mailing, with refund ids.
func refunder(rule sdk.ResolveRule) *sdk.Adapter {
	a := mailing(rule)
	a.Manifest.Features.PartialRefund = true
	read := func(c *sdk.Call, r *sdk.Response) *sdk.Outcome {
		j := r.JSON()
		o := &sdk.Outcome{Status: sdk.StatusRefunded, RefundID: j.Str("id"), TransactionID: c.Request.TransactionID}
		switch {
		case r.Status == 400:
			o.Status, o.Decline = sdk.StatusDeclined, &sdk.Decline{Code: j.Str("code"), Message: "The payment cannot be refunded.", Reason: sdk.DeclineNotPermitted}
		case r.Status == 404:
			o.Status = sdk.StatusNotFound
		case j.Str("state") == "pending":
			o.Status = sdk.StatusPending
		default:
			o.Amount = &sdk.Money{Minor: j.Int("amount"), Currency: c.Request.Amount.Currency}
		}
		return o
	}
	a.Refund = func(c *sdk.Call) (*sdk.Outcome, error) {
		body, _ := json.Marshal(map[string]any{"amount": c.Request.Amount.Minor, "reference": c.Request.Reference})
		r, err := c.Do(&sdk.Send{Method: "POST", URL: "/refund", Headers: []sdk.Header{{Name: "Content-Type", Value: "application/json"}}, Body: body,
			IdempotencyHeader: "Idempotency-Key", SafeToRepeat: slices.Contains(rule.By, sdk.ResolveByIdempotentResend)})
		if err != nil {
			return nil, err
		}
		return read(c, r), nil
	}
	a.RefundSync = func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := c.Do(&sdk.Send{Method: "GET", URL: "/refund?reference=" + c.Request.Reference, SafeToRepeat: true})
		if err != nil {
			return nil, err
		}
		return read(c, r), nil
	}
	webhook := a.Webhook
	a.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) {
		o, err := webhook(c)
		if o != nil {
			for i := range o.Events {
				if e := &o.Events[i]; e.Outcome != nil {
					e.RefundID = e.Outcome.RefundID
				}
			}
		}
		return o, err
	}
	return a
}

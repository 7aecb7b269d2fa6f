package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"payswitch/engine/webhook"
	"payswitch/sdk"
)

// The orders of the demo shop, and the webhooks that tell the shop what became of them. A shop's own server does the same: it checks the signature,
// takes each event once, and ships when payment_succeeded says so.

// demoKept is how many orders, and how many events, the shop remembers. It forgets all when it stops.
const demoKept = 100

// demoHook describes the webhook endpoint of the demo shop.
const demoHook = "demo shop"

// demoOrders are the orders of the shop. Safe for concurrent use.
type demoOrders struct {
	secret string // of the shop's webhook endpoint

	mu      sync.Mutex
	orders  []*demoOrder // newest first
	events  []*demoEvent // newest first
	seen    map[string]bool
	count   int // events that were taken
	refused int // requests with a wrong signature
}

type demoOrder struct {
	Payment string    `json:"payment_id"`
	Item    string    `json:"item"`
	Amount  string    `json:"amount"`
	At      time.Time `json:"at"`
	State   string    `json:"state"` // as webhooks have said: waiting, paid, failed, cancelled, refunded
}

type demoEvent struct {
	Number  int       `json:"number"`
	ID      string    `json:"event_id"`
	Type    string    `json:"event_type"`
	Payment string    `json:"payment_id"`
	Amount  string    `json:"amount"`
	At      time.Time `json:"at"`
}

// hear makes the webhook endpoint of the demo shop. It replaces the endpoint of an earlier start, whose secret is lost.
func (s *demoShop) hear(ctx context.Context, profileID, url string) error {
	e := s.engine
	old, err := e.Webhooks.Endpoints(ctx, s.auth, profileID)
	if err != nil {
		return err
	}
	for _, o := range old {
		if o.Description == demoHook {
			if err := e.Webhooks.DeleteEndpoint(ctx, s.auth, profileID, o.ID); err != nil {
				return err
			}
		}
	}
	made, err := e.Webhooks.CreateEndpoint(ctx, s.auth, profileID, webhook.EndpointInput{URL: new(url + "/demo/webhook"), Description: new(demoHook)})
	if err != nil {
		return err
	}
	s.orders.secret = made.Secrets[0].Key.Reveal()
	return nil
}

func (o *demoOrders) placed(id, item, amount string, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.orders = slices.Insert(o.orders, 0, &demoOrder{Payment: id, Item: item, Amount: amount, At: now, State: "waiting"})
	o.orders = o.orders[:min(len(o.orders), demoKept)]
}

var errDemoSignature = errors.New("no signature fits")

// verified returns an error unless payswitch has signed a delivery within the last five minutes.
func verified(secret string, h http.Header, body []byte, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return errDemoSignature
	}
	sent, err := strconv.ParseInt(h.Get("Webhook-Timestamp"), 10, 64)
	if age := now.Sub(time.Unix(sent, 0)); err != nil || age.Abs() > 5*time.Minute {
		return errDemoSignature
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(h.Get("Webhook-Id") + "." + h.Get("Webhook-Timestamp") + "."))
	mac.Write(body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, got := range strings.Fields(h.Get("Webhook-Signature")) {
		if hmac.Equal([]byte(got), want) { // in constant time
			return nil
		}
	}
	return errDemoSignature
}

// take takes a webhook: 200 for an event, also for one that was there before, and 401 for a request that payswitch has not signed.
func (o *demoOrders) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err == nil {
		err = verified(o.secret, r.Header, body, time.Now())
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.refused++
		http.Error(w, "The signature is wrong.", http.StatusUnauthorized)
		return
	}
	var e struct {
		ID      string `json:"event_id"`
		Type    string `json:"event_type"`
		Content struct {
			Object struct {
				PaymentID string       `json:"payment_id"`
				Amount    json.Number  `json:"amount"` // a dispute has a text of digits
				Currency  sdk.Currency `json:"currency"`
			} `json:"object"`
		} `json:"content"`
	}
	if json.Unmarshal(body, &e) != nil || e.ID == "" {
		http.Error(w, "The body is not an event.", http.StatusBadRequest)
		return
	}
	if o.seen[e.ID] {
		return
	}
	p := e.Content.Object
	amount := ""
	if minor, err := p.Amount.Int64(); err == nil {
		amount = sdk.Money{Minor: minor, Currency: p.Currency}.Major() + " " + string(p.Currency)
	}
	o.count++
	o.events = slices.Insert(o.events, 0, &demoEvent{Number: o.count, ID: e.ID, Type: e.Type, Payment: p.PaymentID,
		Amount: amount, At: time.Now()})
	o.events = o.events[:min(len(o.events), demoKept)]
	o.seen = map[string]bool{}
	for _, e := range o.events {
		o.seen[e.ID] = true
	}
	for _, order := range o.orders {
		if state := demoStates[e.Type]; order.Payment == p.PaymentID && state != "" {
			order.State = state
		}
	}
}

// demoStates are the states of an order after an event. Other events change none.
var demoStates = map[string]string{"payment_succeeded": "paid", "payment_captured": "paid", "payment_failed": "failed", "payment_cancelled": "cancelled",
	"payment_expired": "cancelled", "refund_succeeded": "refunded"}

// demoSeen is what the page of the orders shows.
type demoSeen struct {
	Orders  []demoOrder `json:"orders"`
	Events  []demoEvent `json:"events"`
	Refused int         `json:"refused"`
}

func (o *demoOrders) look() demoSeen {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := demoSeen{Orders: []demoOrder{}, Events: []demoEvent{}, Refused: o.refused}
	for _, order := range o.orders {
		seen.Orders = append(seen.Orders, *order)
	}
	for _, e := range o.events {
		seen.Events = append(seen.Events, *e)
	}
	return seen
}

// live answers the request that the page of the orders sends every second.
func (o *demoOrders) live(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(o.look()) // a browser that has gone needs no answer
}

package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Times of the recording processors. Together they stay below the adapters' NotFoundFinalSeconds, as the processors promise.
const (
	processorLate   = 1800 * time.Millisecond // at most: from a request's arrival to an act that comes late
	processorHides  = 1500 * time.Millisecond // at most: from an act to the first query that finds it
	processorSilent = 3 * time.Second         // from an act to an answer that comes too late
)

const webhookKey = "whsec_of_the_recording_processors"

// recordingProcessor is a processor on loopback with a ledger of its own. It misbehaves as the seed says until it is calm.
type recordingProcessor struct {
	*httptest.Server
	name    string
	keyed   bool
	account string // the connector account's id
	mute    bool   // it sends no messages
	seed    uint64
	story   *journal
	deliver func(url string) string // where a message goes now
	working sync.WaitGroup          // acts and messages that are still to come

	mu             sync.Mutex
	calm           bool
	outage         bool // no request is answered, and few are acted on
	accounts, keys int  // so many
	txs            []*transaction
	at             map[string]int             // the account at the processor that a credential opens
	answers        map[string]processorAnswer // by idempotency key
	arrived        map[string]int             // requests, by their subject
}

// transaction is one payment in the processor's ledger.
type transaction struct {
	ID, Reference, Currency string
	At                      int // the account at the processor
	Amount                  int64
	Held, Captured          int64
	Status                  string // waiting, authorized, captured, voided, declined
	Acted                   time.Time
	ByPayer                 bool // the payer's act at the processor began the charge
	Refunds                 []processorRefund
	automatic, released     bool
	hidden                  time.Time
	returnURL, messages     string
}

// processorRefund is one refund in the processor's ledger.
type processorRefund struct {
	ID, Reference, Status string
	Amount                int64
	hidden                time.Time
}

type processorAnswer struct {
	status int
	body   object
}

// newRecordingProcessor starts a processor. Its messages go where deliver says.
func newRecordingProcessor(t testing.TB, name string, seed uint64, story *journal, deliver func(string) string) *recordingProcessor {
	p := &recordingProcessor{name: name, keyed: name != "keyless", seed: seed, story: story, deliver: deliver, at: map[string]int{}, answers: map[string]processorAnswer{},
		arrived: map[string]int{}}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(func() { p.setOutage(false); p.Close() })
	return p
}

// connector returns the adapter that speaks to the processor.
func (p *recordingProcessor) connector() string {
	if p.keyed {
		return "keyed"
	}
	return "keyless"
}

// newKey returns a new credential, of another account at the processor unless it is rotated.
func (p *recordingProcessor) newKey(rotated bool) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !rotated {
		p.accounts++
	}
	p.keys++
	key := fmt.Sprintf("key_%d_of_%s", p.keys, p.name)
	p.at["Bearer "+key] = p.accounts
	return key
}

func (p *recordingProcessor) setOutage(on bool) { p.mu.Lock(); p.outage = on; p.mu.Unlock() }

// beCalm ends all misbehaviour.
func (p *recordingProcessor) beCalm() { p.mu.Lock(); p.calm, p.outage = true, false; p.mu.Unlock() }

// behaviours are what a processor does with a request that changes something, with their weights.
var behaviours = []struct {
	name   string
	weight int
}{
	{"answers", 46}, {"answers slowly", 8}, {"acts and drops the answer", 9}, {"acts and answers 500", 7}, {"acts and answers too late", 3},
	{"drops the request", 4}, {"answers 500 without acting", 5}, {"answers 429", 4}, {"refuses", 5}, {"acts late", 9},
}

func (p *recordingProcessor) serve(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Reference, Currency string
		Amount              int64
		Capture             bool
		ThreeDS             bool   `json:"three_ds"`
		ReturnURL           string `json:"return_url"`
		WebhookURL          string `json:"webhook_url"`
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/") // payments[/{id}[/{operation}]], refunds
	id, operation := "", "authorize"
	if len(parts) > 1 {
		id = parts[1]
	}
	if len(parts) > 2 {
		operation = parts[2]
	}
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	} else {
		operation, in.Reference = "query "+parts[0], r.URL.Query().Get("reference")
	}
	about := in.Reference
	credential := r.Header.Get("Authorization")
	p.mu.Lock()
	account := p.at[credential]
	if t := p.byID(id); t != nil && about == "" {
		about = t.Reference
	}
	what := operation + " " + about
	p.arrived[what]++
	n, calm, outage := p.arrived[what], p.calm, p.outage
	p.mu.Unlock()
	d := dice(p.seed, p.name, what, n)
	payment := paymentOf(about)

	silence := func() {
		select {
		case <-r.Context().Done():
		case <-time.After(processorSilent):
		}
		panic(http.ErrAbortHandler)
	}
	if outage && (r.Method == http.MethodGet || d.IntN(3) > 0) {
		p.story.note(payment, "%s gets %s, and is silent", p.name, what)
		silence()
	}
	if r.Method == http.MethodGet {
		a := p.query(account, parts[0], id, in.Reference, calm)
		if roll := d.IntN(100); !calm && roll < 10 {
			a = processorAnswer{http.StatusInternalServerError, object{"error": "broken"}}
		}
		p.story.note(payment, "%s is asked for %s: %d %v", p.name, what, a.status, a.body["status"])
		a.write(w)
		return
	}

	key := ""
	if p.keyed {
		key = fmt.Sprint(account, " ", r.Header.Get("Idempotency-Key"))
	}
	behaviour := "answers"
	if !calm {
		sum := 0
		for _, b := range behaviours {
			sum += b.weight
		}
		roll := d.IntN(sum)
		for _, b := range behaviours {
			if roll -= b.weight; roll < 0 {
				behaviour = b.name
				break
			}
		}
	}
	p.story.note(payment, "%s gets %s of %d, key %q: %s", p.name, what, in.Amount, key, behaviour)
	hide := time.Duration(0)
	if !calm && d.IntN(5) == 0 {
		hide = time.Duration(d.Int64N(int64(processorHides)))
	}
	act := func(cached int) processorAnswer {
		p.mu.Lock()
		defer p.mu.Unlock()
		if a, ok := p.answers[key]; ok && key != "" {
			return a
		}
		var a processorAnswer
		if t := p.byID(id); t != nil && t.At != account {
			p.story.note(payment, "%s: %s with the credentials of another account", p.name, what)
			return noSuch
		}
		switch operation {
		case "authorize":
			t := &transaction{Reference: in.Reference, Currency: in.Currency, Amount: in.Amount, automatic: in.Capture, At: account,
				hidden: time.Now().Add(hide), returnURL: in.ReturnURL, messages: in.WebhookURL}
			p.txs = append(p.txs, t)
			t.ID = fmt.Sprintf("tx%d", len(p.txs))
			switch {
			case behaviour == "refuses":
				t.Status = "declined"
			case in.ThreeDS:
				t.Status = "waiting"
			default:
				p.approve(t)
			}
			a = processorAnswer{http.StatusOK, p.shown(t)}
		case "capture":
			a = p.capture(id, in.Amount)
		case "void":
			a = p.void(id)
		case "refund":
			a = p.refund(id, in.Reference, in.Amount, behaviour == "refuses", time.Now().Add(hide))
		}
		p.story.note(payment, "%s acted on %s: %d %v", p.name, what, a.status, a.body)
		if a.status == http.StatusOK {
			p.announce(p.byID(fmt.Sprint(a.body["id"])), a.body, d.IntN(3), time.Duration(d.Int64N(int64(1500*time.Millisecond))))
		}
		if cached != 0 {
			a = processorAnswer{cached, object{"error": "broken"}}
		}
		if key != "" {
			p.answers[key] = a
		}
		return a
	}
	if outage {
		act(0)
		silence()
	}
	switch behaviour {
	case "answers slowly":
		time.Sleep(time.Duration(d.Int64N(int64(900 * time.Millisecond))))
		act(0).write(w)
	case "acts and drops the answer":
		act(0)
		panic(http.ErrAbortHandler)
	case "acts and answers 500":
		act(http.StatusInternalServerError).write(w)
	case "acts and answers too late":
		a := act(0)
		time.Sleep(processorSilent)
		a.write(w)
	case "drops the request":
		panic(http.ErrAbortHandler)
	case "answers 500 without acting":
		processorAnswer{http.StatusInternalServerError, object{"error": "broken"}}.write(w)
	case "answers 429":
		processorAnswer{http.StatusTooManyRequests, object{"error": "busy"}}.write(w)
	case "acts late":
		p.working.Go(func() {
			time.Sleep(time.Duration(d.Int64N(int64(processorLate))))
			act(0)
		})
		panic(http.ErrAbortHandler)
	default:
		act(0).write(w)
	}
}

func (a processorAnswer) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	json.NewEncoder(w).Encode(a.body)
}

// approve holds the amount, and takes it where the payment is automatic.
func (p *recordingProcessor) approve(t *transaction) {
	t.Status, t.Acted, t.Held = "authorized", time.Now(), t.Amount
	if t.automatic {
		t.Status, t.Held, t.Captured = "captured", 0, t.Amount
	}
}

var noSuch = processorAnswer{http.StatusNotFound, object{"error": "not_found"}}

func (p *recordingProcessor) capture(id string, amount int64) processorAnswer {
	t := p.byID(id)
	if t == nil {
		return noSuch
	}
	if amount > t.Held {
		return processorAnswer{http.StatusConflict, object{"error": "more than is held"}}
	}
	t.Held, t.Captured, t.Status = t.Held-amount, t.Captured+amount, "captured"
	body := p.shown(t)
	body["captured_now"] = amount
	return processorAnswer{http.StatusOK, body}
}

func (p *recordingProcessor) void(id string) processorAnswer {
	t := p.byID(id)
	switch {
	case t == nil:
		return noSuch
	case t.Status == "waiting", t.Held > 0:
		t.Held, t.released = 0, true
		if t.Captured == 0 {
			t.Status = "voided"
		}
	case !t.released:
		return processorAnswer{http.StatusConflict, object{"error": "nothing is held"}}
	}
	body := p.shown(t)
	body["status"] = "voided"
	return processorAnswer{http.StatusOK, body}
}

func (p *recordingProcessor) refund(id, reference string, amount int64, refuse bool, hidden time.Time) processorAnswer {
	t := p.byID(id)
	if t == nil {
		return noSuch
	}
	r := processorRefund{ID: fmt.Sprintf("%s-r%d", t.ID, len(t.Refunds)+1), Reference: reference, Status: "refunded", Amount: amount, hidden: hidden}
	if refuse { // more than was captured is not refused: the switch must see to that
		r.Status = "declined"
	}
	t.Refunds = append(t.Refunds, r)
	return processorAnswer{http.StatusOK, shownRefund(t, &r)}
}

// finish is the payer who ends the authentication: the address to go back to, "" where there is nothing to end.
func (p *recordingProcessor) finish(id string, passed bool) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.byID(id)
	if t == nil || t.Status != "waiting" {
		return ""
	}
	if t.Status = "declined"; passed {
		t.ByPayer = true
		p.approve(t)
	}
	p.story.note(paymentOf(t.Reference), "the payer finished at %s: %s", p.name, t.Status)
	d := dice(p.seed, p.name, "finish", t.Reference)
	p.announce(t, p.shown(t), d.IntN(3), time.Duration(d.Int64N(int64(1500*time.Millisecond))))
	return t.returnURL
}

func (p *recordingProcessor) query(account int, kind, id, reference string, calm bool) processorAnswer {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if kind == "refunds" {
		for _, t := range p.txs {
			if t.At != account {
				continue
			}
			for i := range t.Refunds {
				if r := &t.Refunds[i]; r.Reference == reference && (calm || now.After(r.hidden)) {
					return processorAnswer{http.StatusOK, shownRefund(t, r)}
				}
			}
		}
		return noSuch
	}
	for _, t := range p.txs {
		if t.At == account && (t.ID == id || id == "" && t.Reference == reference) && (calm || now.After(t.hidden)) {
			return processorAnswer{http.StatusOK, p.shown(t)}
		}
	}
	return noSuch
}

func (p *recordingProcessor) byID(id string) *transaction {
	i := slices.IndexFunc(p.txs, func(t *transaction) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return p.txs[i]
}

func (t *transaction) refunded() (sum int64) {
	for _, r := range t.Refunds {
		if r.Status == "refunded" {
			sum += r.Amount
		}
	}
	return sum
}

func (p *recordingProcessor) shown(t *transaction) object {
	return object{"id": t.ID, "reference": t.Reference, "status": t.Status, "currency": t.Currency, "authorized": t.Held + t.Captured, "captured": t.Captured,
		"refunded": t.refunded(), "released": t.released, "redirect_url": p.URL + "/acs/" + t.ID}
}

func shownRefund(t *transaction, r *processorRefund) object {
	return object{"id": t.ID, "refund": r.ID, "reference": r.Reference, "status": r.Status, "currency": t.Currency, "amount": r.Amount}
}

// announce sends a message about what is now, and sends it until the switch has taken it: copies more times, each after a time of its own. The
// processor's lock is held.
func (p *recordingProcessor) announce(t *transaction, body object, copies int, after time.Duration) {
	if t == nil || t.messages == "" || p.mute {
		return
	}
	body = object{}.with(body)
	delete(body, "captured_now")
	text, _ := json.Marshal(body)
	mac := hmac.New(sha256.New, []byte(webhookKey))
	mac.Write(text)
	signature, to := hex.EncodeToString(mac.Sum(nil)), t.messages
	for i := range max(1, copies) {
		p.working.Go(func() {
			time.Sleep(after / time.Duration(i+1))
			for try := 0; try < 40; try++ {
				req, _ := http.NewRequest(http.MethodPost, p.deliver(to), bytes.NewReader(text))
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Signature", signature)
				resp, err := processorClient.Do(req)
				if err == nil {
					resp.Body.Close()
					if resp.StatusCode == http.StatusOK {
						p.story.note(paymentOf(t.Reference), "%s sent the message %s", p.name, text)
						return
					}
				}
				time.Sleep(time.Second)
			}
			p.story.note(paymentOf(t.Reference), "%s gave up the message %s", p.name, text)
		})
	}
}

var processorClient = &http.Client{Timeout: 10 * time.Second}

// with returns the object with the fields of more.
func (o object) with(more object) object {
	for k, v := range more {
		o[k] = v
	}
	return o
}

// at returns a URL of the switch as it is reached at another address.
func at(address, raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.Host = address
	return u.String()
}

package engine_test

import (
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

	"payswitch/sdk"
)

// acquirer is a processor on loopback with true books of what it was asked. Tests say how its next requests fail. It posts a message about all that it does;
// tests deliver them, in any order.
type acquirer struct {
	*httptest.Server
	mu     sync.Mutex
	byID   map[string]*acquired
	byRef  map[string]*acquired // by our reference of the payment
	done   map[string][]byte    // answers by idempotency key
	how    func(r *acquirerCall) string
	totals bool // reports bring totals; else the amount that is captured, or held
	over   bool // captures may take more than what is held, and the processor says so
	keeps  bool // what the last capture leaves stays held until a void
	// acts carries a request out: act, or what a test puts around it.
	acts func(in *acquirerCall, later bool) *sdk.Outcome
	sent []map[string]any
	n    int
	// An account is the first letter of a key: "a1" and "a2" are keys of account a. Without keys there is one account.
	revoked map[string]bool // keys
	wrong   []string        // what the switch asked for by the key of another account, and authorizations that came twice
}

// acquired is one transaction of an acquirer.
type acquired struct {
	ID, Reference string
	Currency      sdk.Currency
	Authorized    int64
	Captures      []*acquiredPart
	Refunds       []*acquiredPart
	Voided        bool // the hold, or what was left of it
	TakenBack     bool // the captures, before they settled
	Account       string
	Waits         bool // for the payer, at the acquirer's page
	Refused       bool // after the payer was there
	Extended      bool
	wants         *acquirerCall // the authorization that waits
}

// acquiredPart is a capture or a refund. State is done, pending or refused.
type acquiredPart struct {
	ID, Reference, State string
	Amount               int64
	releases             bool // the rest, if it is made
}

// acquirerCall is a request to an acquirer.
type acquirerCall struct {
	Do, ID, Reference string
	Amount            int64
	Currency          sdk.Currency
	Now, Final, Back  bool // takes the money at once; the last capture; takes captures back
	account           string
	// What a branch reads: wishes for a part, for the payer at its page, and for a kept card; and whether 3-D Secure has a result.
	Part, Asks, Saves, Proven bool
	Stored, Dispute, Return   string // a kept card, a dispute, and the URL for the payer's return
	key                       string // of idempotency
}

func sumOf(parts []*acquiredPart, states ...string) (n int64) {
	for _, p := range parts {
		if slices.Contains(states, p.State) {
			n += p.Amount
		}
	}
	return n
}

// Captured is what the acquirer has taken and not voided.
func (h *acquired) Captured() int64 {
	if h.TakenBack {
		return 0
	}
	return sumOf(h.Captures, "done")
}

func (h *acquired) Refunded() int64 { return sumOf(h.Refunds, "done") }

func newAcquirer(t testing.TB) *acquirer {
	q := &acquirer{byID: map[string]*acquired{}, byRef: map[string]*acquired{}, done: map[string][]byte{}, revoked: map[string]bool{}, totals: true, how: func(*acquirerCall) string { return "" }}
	q.acts, q.Server = q.act, httptest.NewUnstartedServer(q)
	q.Server.Config.ReadHeaderTimeout = 5 * time.Second // a connection that the switch has opened and does not use would stop the clock of a bubble for ever
	q.Server.Start()
	t.Cleanup(q.Server.CloseClientConnections)
	t.Cleanup(q.Server.Close)
	return q
}

// with runs f while no request is answered.
func (q *acquirer) with(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f()
}

// fails makes requests to do fail in one way: "drop", "500" and "429" do not act; "drop done" and "500 done" act; "refuse" declines, and "later" accepts.
// "elsewhere" and "soft" decline an authorization: another account may take it, or the payer must be authenticated.
func (q *acquirer) fails(do, how string) {
	q.with(func() {
		q.how = func(r *acquirerCall) string {
			if r.Do == do {
				return how
			}
			return ""
		}
	})
}

func (q *acquirer) of(reference string) *acquired {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.byRef[reference]
}

func (q *acquirer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var in acquirerCall
	if of := r.Header.Get("X-Key"); q.revoked[of] {
		w.WriteHeader(401)
		return
	} else if of != "" {
		in.account = of[:1]
	}
	if r.Method == "GET" {
		q.answer(w, r.URL.Query(), in.account)
		return
	}
	json.NewDecoder(r.Body).Decode(&in)
	if in.key = r.Header.Get("Idempotency-Key"); in.key != "" {
		in.key = in.account + " " + in.key
	}
	how := q.how(&in)
	said := q.done[in.key]
	if said == nil && (how == "" || how == "later" || how == "drop done" || how == "500 done") {
		said = q.carriesOut(&in, how == "later")
	}
	switch how {
	case "drop", "drop done":
		panic(http.ErrAbortHandler)
	case "500", "500 done":
		w.WriteHeader(500)
	case "429":
		w.WriteHeader(429)
	case "refuse":
		w.Write([]byte(`{"status":"declined"}`))
	case "elsewhere", "soft":
		o := refusal()
		if how == "soft" {
			o.Decline.Reason, o.Decline.RetryElsewhere = sdk.DeclineAuthenticationNeeded, false
		}
		json.NewEncoder(w).Encode(o)
	default:
		w.Write(said)
	}
}

// carriesOut carries a request out, and keeps the answer under its key.
func (q *acquirer) carriesOut(in *acquirerCall, later bool) []byte {
	said, _ := json.Marshal(q.acts(in, later))
	if in.key != "" {
		q.done[in.key] = said
	}
	return said
}

// answer answers a query: about a refund by its reference, else about a transaction.
func (q *acquirer) answer(w http.ResponseWriter, by url.Values, account string) {
	h := q.byID[by.Get("id")]
	if h == nil {
		h = q.byRef[by.Get("reference")]
	}
	if by.Get("refund") != "" {
		for _, h := range q.byID {
			for _, p := range h.Refunds {
				if p.Reference == by.Get("refund") && q.opens(account, h, "a query", p.Reference) {
					json.NewEncoder(w).Encode(q.refund(h, p))
					return
				}
			}
		}
		h = nil
	}
	if h == nil || !q.opens(account, h, "a query", by.Get("reference")) {
		json.NewEncoder(w).Encode(&sdk.Outcome{Status: sdk.StatusNotFound})
		return
	}
	json.NewEncoder(w).Encode(q.report(h))
}

// opens reports whether a transaction is one of an account. The merchant names the account of a relay, which may be a wrong one. A relay's query about a
// transaction has no reference.
func (q *acquirer) opens(account string, h *acquired, do, reference string) bool {
	if h.Account != account && reference != "" && !strings.HasPrefix(reference, "relay_") {
		q.wrong = append(q.wrong, fmt.Sprintf("%s of %s (%s) with the key of account %s", do, h.ID, reference, account))
	}
	return h.Account == account
}

// report is what the acquirer says of a transaction.
func (q *acquirer) report(h *acquired) *sdk.Outcome {
	o := &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: h.ID, Hold: q.hold(), Released: h.Voided}
	if h.Extended {
		o.Hold.Extended = &h.Extended
	}
	amount := h.Authorized
	switch captured := h.Captured(); {
	case h.Waits:
		return &sdk.Outcome{Status: sdk.StatusCustomerAction, TransactionID: h.ID}
	case h.Refused:
		refused := acquirerRefuses()
		refused.TransactionID = h.ID
		return refused
	case captured > 0:
		o.Status, amount = sdk.StatusCaptured, captured
	case h.Voided || h.TakenBack:
		o.Status = sdk.StatusVoided
	case sumOf(h.Captures, "pending") > 0:
		o.Status = sdk.StatusPending
	}
	if q.totals {
		o.Totals = &sdk.Totals{Authorized: h.Authorized, Captured: h.Captured(), Refunded: h.Refunded()}
	} else if o.Status != sdk.StatusVoided && o.Status != sdk.StatusPending {
		o.Amount = &sdk.Money{Minor: amount, Currency: h.Currency}
	}
	return o
}

func (q *acquirer) hold() *sdk.Hold {
	yes := true
	return &sdk.Hold{Incremental: &yes, OverCapture: &q.over}
}

func (q *acquirer) refund(h *acquired, p *acquiredPart) *sdk.Outcome {
	o := &sdk.Outcome{Status: sdk.StatusRefunded, TransactionID: h.ID, RefundID: p.ID, Amount: &sdk.Money{Minor: p.Amount, Currency: h.Currency}}
	switch p.State {
	case "pending":
		o.Status, o.Amount = sdk.StatusPending, nil
	case "refused":
		o.Status, o.Amount, o.Decline = sdk.StatusDeclined, nil, acquirerRefuses().Decline
	}
	return o
}

func acquirerRefuses() *sdk.Outcome {
	return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "refused", Message: "The acquirer refuses.", Reason: sdk.DeclineNotPermitted}}
}

// name returns a new id.
func (q *acquirer) name(of string) string {
	q.n++
	return fmt.Sprintf("%s_%d", of, q.n)
}

// act carries a request out, and returns the answer.
func (q *acquirer) act(in *acquirerCall, later bool) *sdk.Outcome {
	state := "done"
	if later {
		state = "pending"
	}
	if in.Do == "authorize" {
		if had := q.byRef[in.Reference]; had != nil {
			q.wrong = append(q.wrong, "a second authorization of "+in.Reference)
		}
		h := &acquired{ID: q.name("tx"), Reference: in.Reference, Currency: in.Currency, Authorized: in.Amount, Account: in.account}
		q.byID[h.ID], q.byRef[h.Reference] = h, h
		if in.Now {
			h.Captures = append(h.Captures, &acquiredPart{ID: h.ID, State: "done", Amount: in.Amount})
		}
		q.post(h, "payment", h.Reference, q.report(h))
		return q.report(h)
	}
	h := q.byID[in.ID]
	if h == nil || !q.opens(in.account, h, in.Do, in.Reference) {
		return acquirerRefuses()
	}
	free := h.Authorized - h.Captured() - sumOf(h.Captures, "pending")
	switch in.Do {
	case "capture":
		if h.Voided || h.TakenBack || in.Amount > free && (!q.over || free <= 0) {
			return acquirerRefuses()
		}
		p := &acquiredPart{ID: q.name("cap"), Reference: in.Reference, State: state, Amount: in.Amount}
		h.Captures = append(h.Captures, p)
		p.releases = in.Final && !q.keeps
		h.Voided = p.releases && !later
		if !later {
			q.post(h, "payment", p.Reference, q.captured(h, p))
		}
		return q.captured(h, p)
	case "raise":
		if h.Voided || h.Captured() > 0 || in.Amount <= h.Authorized {
			return acquirerRefuses()
		}
		h.Authorized = in.Amount
		return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: h.ID, Amount: &sdk.Money{Minor: in.Amount, Currency: h.Currency}, Hold: q.hold()}
	case "void":
		switch {
		case in.Back && h.Captured() > 0 && len(h.Refunds) == 0:
			h.TakenBack = true
		case in.Back || h.Voided || free <= 0:
			return acquirerRefuses()
		}
		h.Voided = true
		q.post(h, "payment", h.Reference, &sdk.Outcome{Status: sdk.StatusVoided, TransactionID: h.ID})
		return &sdk.Outcome{Status: sdk.StatusVoided, TransactionID: h.ID}
	case "refund":
		if in.Amount > h.Captured()-sumOf(h.Refunds, "done", "pending") {
			return acquirerRefuses()
		}
		p := &acquiredPart{ID: q.name("re"), Reference: in.Reference, State: state, Amount: in.Amount}
		h.Refunds = append(h.Refunds, p)
		q.post(h, "refund", p.Reference, q.refund(h, p))
		return q.refund(h, p)
	}
	return acquirerRefuses()
}

// captured is what the acquirer says of one capture.
func (q *acquirer) captured(h *acquired, p *acquiredPart) *sdk.Outcome {
	o := &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: h.ID, CaptureID: p.ID, Amount: &sdk.Money{Minor: p.Amount, Currency: h.Currency}, Released: h.Voided}
	switch p.State {
	case "pending":
		o.Status, o.Amount, o.Released = sdk.StatusPending, nil, false
	case "refused":
		o.Status, o.Amount, o.Released, o.Decline = sdk.StatusDeclined, nil, false, acquirerRefuses().Decline
	}
	return o
}

// ends decides a capture or refund that was accepted.
func (q *acquirer) ends(h *acquired, p *acquiredPart, made bool) {
	if p.State = "refused"; made {
		p.State = "done"
		h.Voided = h.Voided || p.releases
	}
	if slices.Contains(h.Refunds, p) {
		q.post(h, "refund", p.Reference, q.refund(h, p))
	} else {
		q.post(h, "payment", p.Reference, q.captured(h, p))
	}
}

// post makes a message, and keeps it until a test delivers it.
func (q *acquirer) post(h *acquired, object, reference string, o *sdk.Outcome) {
	said := *o
	q.sent = append(q.sent, map[string]any{"object": object, "id": h.ID, "reference": reference, "outcome": said})
}

// keyOf returns the header with the account's key, nothing for an account without one.
func keyOf(c *sdk.Call) (out []sdk.Header) {
	if key := c.Account.Credentials["key"]; key != "" {
		out = append(out, sdk.H("X-Key", key))
	}
	return out
}

// keyed is an adapter of the acquirer whose accounts have keys.
func (q *acquirer) keyed(rule sdk.ResolveRule) *sdk.Adapter {
	a := q.adapter(rule)
	a.Manifest.Credentials = append(a.Manifest.Credentials, sdk.Field{Name: "key", Key: "api_key", Label: "Key", Type: "secret"})
	a.Manifest.Authentication = append(a.Manifest.Authentication, sdk.Placement{Secret: "key", In: "header", Field: "X-Key"})
	return a
}

// adapter is an adapter of the acquirer.
func (q *acquirer) adapter(rule sdk.ResolveRule) *sdk.Adapter {
	a := refunder(rule)
	a.Manifest.Features = sdk.Features{PartialCapture: true, MultipleCapture: true, PartialRefund: true, OverCapture: true, VoidCaptured: true, ReleasesRest: true}
	query := func(refund bool) sdk.Func {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			by := url.Values{"id": {c.Request.TransactionID}, "reference": {c.Request.Reference}}
			if refund {
				by = url.Values{"refund": {c.Request.Reference}}
			}
			r, err := c.Do(&sdk.Send{Method: "GET", URL: c.Account.BaseURL + "/state?" + by.Encode(), Headers: keyOf(c), SafeToRepeat: true})
			if err != nil {
				return nil, err
			}
			return readAcquirer(r)
		}
	}
	a.Authorize, a.Capture, a.Void, a.Refund, a.IncrementalAuthorize = askAcquirer("authorize"), askAcquirer("capture"), askAcquirer("void"), askAcquirer("refund"), askAcquirer("raise")
	a.Sync, a.RefundSync = query(false), query(true)
	return a
}

func readAcquirer(r *sdk.Response) (*sdk.Outcome, error) {
	if !r.OK() {
		return nil, r.Undecided("no decision")
	}
	var o sdk.Outcome
	if err := json.Unmarshal(r.Body, &o); err != nil {
		return nil, err
	}
	return &o, nil
}

// askAcquirer asks an acquirer to do something.
func askAcquirer(do string) sdk.Func {
	return func(c *sdk.Call) (*sdk.Outcome, error) {
		q := c.Request
		in := acquirerCall{Do: do, ID: q.TransactionID, Reference: q.Reference, Amount: q.Amount.Minor, Currency: q.Amount.Currency,
			Now: q.Capture == sdk.CaptureAutomatic, Final: q.FinalCapture, Back: q.VoidCaptured, Part: q.Wish().Partial, Asks: q.Request3DS, Proven: q.ThreeDS != nil, Return: q.ReturnURL}
		if do == "capture" {
			in.Reference = q.CaptureReference
		}
		if q.StoredCredential != nil {
			in.Saves = q.StoredCredential.First
		}
		if q.Instrument != nil {
			in.Stored = q.Instrument.StoredCredentialID
		}
		if q.Dispute != nil {
			in.Dispute = q.Dispute.ID
		}
		body, _ := json.Marshal(in)
		headers := append(keyOf(c), sdk.H("Content-Type", "application/json"))
		r, err := c.Do((&sdk.Send{Method: "POST", URL: c.Account.BaseURL + "/" + do, Headers: headers, Body: body}).Keyed("Idempotency-Key"))
		if err != nil {
			return nil, err
		}
		return readAcquirer(r)
	}
}

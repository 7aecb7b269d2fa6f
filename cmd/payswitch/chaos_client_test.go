package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// buyer is the merchant's client and the payer of one payment. It does what its dice say, repeats what got no answer, and writes down the answers.
type buyer struct {
	*chaosRun
	id        string
	d         *rand.Rand
	at        *recordingProcessor
	amount    int64
	amounts   []int64 // all that the merchant has asked for
	automatic bool
	others    sync.WaitGroup // calls at the same time

	mu   sync.Mutex
	told []told
	keys int
}

// answer is what a call was answered, with the fields of payments and refunds that clients look at.
type answer struct {
	Status     string          `json:"status"`
	Received   int64           `json:"amount_received"`
	Capturable int64           `json:"amount_capturable"`
	Refunds    []shownRefundOf `json:"refunds"`
	RefundID   string          `json:"refund_id"`
	Amount     int64           `json:"amount"`
	NextAction struct {
		URL string `json:"redirect_to_url"`
	} `json:"next_action"`
	Transaction string `json:"connector_transaction_id"`
	ErrorCode   string `json:"error_code"`
	Error       struct {
		Code, Message string
	} `json:"error"`
	code int
}

var chaosClient = &http.Client{Timeout: 8 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// once sends one request and writes down the answers.
func (b *buyer) once(call, path, key string, body object) answer {
	method, text := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		text, _ = json.Marshal(body)
	}
	confirm := call == "create" && body["confirm"] == true || call == "confirm"
	t := told{Began: time.Now(), Call: call, Key: key, Confirm: confirm}
	excused := b.excused()
	req, _ := http.NewRequest(method, "http://"+b.address()+path, bytes.NewReader(text))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("api-key", b.key)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	var a answer
	resp, err := chaosClient.Do(req)
	if err == nil {
		var out []byte
		out, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil {
			err = json.Unmarshal(out, &a)
		}
		t.Body = string(out)
	}
	if err == nil {
		a.code = resp.StatusCode
		t.Code, t.Status, t.Amount, t.Refund, t.Error = a.code, a.Status, a.Received, a.RefundID, a.ErrorCode+a.Error.Code
		if call == "refund" {
			t.Amount = a.Amount
		}
	}
	t.Excused = excused || b.excused()
	b.mu.Lock()
	b.told = append(b.told, t)
	b.mu.Unlock()
	if call != "retrieve" || a.code != http.StatusOK || a.Status != "processing" {
		b.story.note(b.id, "%s %s (key %s, began %.3fs): %d %s%s%s received %d capturable %d", call, strings.TrimPrefix(path, "/payments"), key,
			t.Began.Sub(b.story.began).Seconds(), a.code, a.Status, a.ErrorCode, a.Error.Code+" "+a.Error.Message, a.Received, a.Capturable)
	}
	return a
}

// do makes a call until it is answered, always with the same key, and now and then once more.
func (b *buyer) do(call, path string, body object) answer {
	b.mu.Lock()
	b.keys++
	key := fmt.Sprintf("%s-%d", b.id, b.keys)
	b.mu.Unlock()
	for try := 0; ; try++ {
		a := b.once(call, path, key, body)
		again := a.code == 0 || a.code >= 500 || a.Error.Code == "HE_00" // HE_00: the first request with the key is under way
		if !again || try > 12 || b.over() {
			if !again && b.d.IntN(6) == 0 {
				b.once(call, path, key, body)
			}
			return a
		}
		time.Sleep(time.Duration(200+b.d.IntN(400)) * time.Millisecond)
	}
}

// look reads the payment.
func (b *buyer) look() answer {
	path := "/payments/" + b.id
	if b.d.IntN(8) == 0 {
		path += "?force_sync=true"
	}
	return b.once("retrieve", path, "", nil)
}

// await looks at the payment until it is no longer processing.
func (b *buyer) await() answer {
	for {
		a := b.look()
		if b.over() || a.code == http.StatusOK && a.Status != "processing" || a.code == http.StatusNotFound {
			return a
		}
		b.pause(200, 500)
	}
}

// pause waits, in milliseconds.
func (b *buyer) pause(least, most int) {
	time.Sleep(time.Duration(least+b.d.IntN(most-least)) * time.Millisecond)
}

// buy is the story of one payment.
func (b *buyer) buy() {
	defer b.others.Wait()
	body := cardPayment(b.id).with(object{"amount": b.amount, "currency": b.currency(), "routing": object{"type": "single",
		"data": object{"connector": b.at.connector(), "merchant_connector_id": b.at.account}}})
	kind := b.d.IntN(12)
	b.automatic = kind < 5
	if !b.automatic {
		body["capture_method"] = []string{"manual", "manual_multiple"}[b.d.IntN(2)]
	}
	if b.d.IntN(4) == 0 {
		body["authentication_type"], body["return_url"] = "three_ds", "https://shop.example/done"
	}
	path := "/payments"
	var a answer
	switch b.d.IntN(8) {
	case 0: // in two steps, the amount changed during the second
		body["confirm"] = false
		if a = b.do("create", path, body); a.code == http.StatusOK {
			other := b.amount + 1 + b.d.Int64N(5000)
			if b.d.IntN(2) == 0 {
				b.amounts = append(b.amounts, other)
				b.meanwhile(func() { b.once("update", path+"/"+b.id, "", object{"amount": other}) })
			}
			confirm := object{}
			if len(b.amounts) > 0 { // a new amount drops the card
				confirm = object{"payment_method": "card", "payment_method_data": body["payment_method_data"]}
			}
			a = b.do("confirm", path+"/"+b.id+"/confirm", confirm)
		}
	case 1: // two at once, as an impatient customer does
		var twins sync.WaitGroup
		key := b.id + "-twin"
		for range 2 {
			twins.Go(func() { b.once("create", path, key, body) })
		}
		twins.Wait()
		a = b.await()
	default:
		a = b.do("create", path, body)
	}
	if a.code != http.StatusOK {
		if a = b.look(); a.code != http.StatusOK {
			return
		}
	}
	if b.at == b.silent {
		return // its customers do not wait
	}
	if b.d.IntN(12) == 0 { // cancelled at once, whatever it is
		b.do("cancel", path+"/"+b.id+"/cancel", object{"cancellation_reason": "changed my mind"})
	}
	if a.Status == "processing" {
		a = b.await()
	}
	if a.Status == "requires_customer_action" {
		b.payer(a)
		if b.d.IntN(4) == 0 {
			b.pause(1, 2000)
			b.do("cancel", path+"/"+b.id+"/cancel", object{})
		}
		for a = b.look(); a.Status == "requires_customer_action" || a.Status == "processing"; a = b.look() {
			if b.pause(300, 900); b.over() {
				break
			}
		}
	}
	if a.Status == "failed" && b.d.IntN(3) == 0 { // another card
		b.do("confirm", path+"/"+b.id+"/confirm", object{"payment_method": "card", "payment_method_data": body["payment_method_data"]})
		a = b.await()
	}
	b.held(a)
	b.others.Wait()
	if a = b.await(); a.Status == "succeeded" || a.Status == "partially_captured" {
		b.giveBack(a)
	}
}

// held captures or cancels what is held.
func (b *buyer) held(a answer) {
	path := "/payments/" + b.id
	for a.Status == "requires_capture" || a.Status == "partially_captured_and_capturable" {
		b.pause(1, 300)
		if b.d.IntN(6) == 0 { // somebody else's hand
			part := 1 + b.d.Int64N(a.Capturable)
			if b.d.IntN(3) == 0 {
				b.meanwhile(func() { b.once("cancel", path+"/cancel", "", object{}) })
			} else {
				b.meanwhile(func() { b.once("capture", path+"/capture", "", object{"amount_to_capture": part}) })
			}
		}
		switch b.d.IntN(5) {
		case 0:
			a = b.do("cancel", path+"/cancel", object{"cancellation_reason": "out of stock"})
		case 1, 2:
			part := 1 + b.d.Int64N(a.Capturable)
			a = b.do("capture", path+"/capture", object{"amount_to_capture": part})
		default:
			a = b.do("capture", path+"/capture", object{"amount_to_capture": a.Capturable})
		}
		if a = b.await(); b.over() {
			return
		}
	}
}

// meanwhile makes a call at the same time as the next one.
func (b *buyer) meanwhile(call func()) {
	b.others.Go(call)
}

// giveBack refunds parts of what was taken, two at once among them, and more than there is.
func (b *buyer) giveBack(a answer) {
	if b.d.IntN(3) == 0 {
		return
	}
	var all sync.WaitGroup
	for n := range 1 + b.d.IntN(3) {
		body := object{"payment_id": b.id, "refund_id": fmt.Sprintf("%s-r%d", b.id, n+1), "amount": 1 + b.d.Int64N(a.Received)}
		if b.d.IntN(8) == 0 {
			body["refund_type"] = "scheduled"
		}
		call := func() { b.do("refund", "/refunds", body) }
		if n == 1 {
			all.Go(call)
		} else {
			call()
		}
	}
	all.Wait()
}

// payer is the customer at the processor's page: finishes at once, late or never, and comes back or not.
func (b *buyer) payer(a answer) {
	d := dice(b.seed, "payer", b.id)
	wait, passes, returns := time.Duration(d.IntN(1500))*time.Millisecond, d.IntN(8) > 0, d.IntN(3) > 0
	switch d.IntN(8) {
	case 0:
		return
	case 1, 2:
		wait += time.Duration(2000+d.IntN(4000)) * time.Millisecond
	}
	b.payers.Go(func() {
		time.Sleep(wait)
		to := b.at.finish(a.Transaction, passes)
		if to == "" || !returns {
			return
		}
		resp, err := browser.Get(at(b.address(), to))
		b.story.note(b.id, "the payer came back: %v", err)
		if err == nil {
			resp.Body.Close()
		}
	})
}

// browser follows no redirect to the shop.
var browser = &http.Client{Timeout: 8 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

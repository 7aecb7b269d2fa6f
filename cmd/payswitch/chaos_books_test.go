package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// books are all that is known of one payment when the world is calm again.
type books struct {
	ID        string
	Amounts   []int64 // that the merchant asked for
	Currency  string
	Automatic bool // the processor captures at once
	Processor []transaction
	Shown     *shownPayment    // by the API; nil where the switch does not know the payment
	Open      []shownOperation // operations in the database that have no end
	Told      []told           // what clients heard, in order
	// ChargeWithin is the time after a client's last request in which the processor may still get the authorization.
	ChargeWithin time.Duration
}

// shownPayment is a payment as the API shows it.
type shownPayment struct {
	Amount     int64  `json:"amount"`
	Status     string `json:"status"`
	Received   int64  `json:"amount_received"`
	Capturable int64  `json:"amount_capturable"`
	Refunds    []shownRefundOf
}

type shownRefundOf struct {
	ID     string `json:"refund_id"`
	Status string `json:"status"`
	Amount int64  `json:"amount"`
}

// told is one call of a client and its answer.
type told struct {
	Began   time.Time
	Call    string // create, confirm, capture, cancel, refund, retrieve
	Key     string // the Idempotency-Key
	Confirm bool   // the call authorizes
	Code    int    // 0 without an answer
	Body    string
	Status  string // of the payment, or of the refund
	Amount  int64  // received, or of the refund
	Refund  string // its id
	Error   string
	Excused bool // the disk was full or the database locked: 500 is no fault
}

// check compares the three accounts of one payment: what the processor did, what the switch shows, and what clients were answered. It returns each
// contradiction.
func (b *books) check() (wrong []string) {
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	l := b.ledger(bad)
	if b.Shown == nil {
		b.checkAbsent(l, bad)
		return wrong
	}
	b.checkShown(l, bad)
	b.checkRefunds(l, bad)
	b.checkSettled(bad)
	b.checkTold(l, bad)
	return wrong
}

// ledgerSums are the processor's side of a payment.
type ledgerSums struct {
	held, captured, refunded int64
	waiting                  bool
	refunds                  map[string]int64 // given back, by the refund's id
}

// ledger sums the processor's side up, and finds what it alone shows: a second charge, an amount that no client asked for, a late charge.
func (b *books) ledger(bad func(string, ...any)) ledgerSums {
	l := ledgerSums{refunds: map[string]int64{}}
	acted, taken := map[string]int{}, 0
	for _, t := range b.Processor {
		if t.Status == "declined" {
			continue
		}
		acted[t.Reference]++
		if t.Captured > 0 {
			taken++
		}
		l.held, l.captured, l.waiting = l.held+t.Held, l.captured+t.Captured, l.waiting || t.Status == "waiting"
		if !slices.Contains(b.Amounts, t.Amount) || t.Currency != b.Currency {
			bad("the processor has %d %s, the merchant asked for %d %s", t.Amount, t.Currency, b.Amounts, b.Currency)
		}
		if b.Shown != nil && t.Amount != b.Shown.Amount {
			bad("the processor has %d, the switch shows %d", t.Amount, b.Shown.Amount)
		}
		refunded := int64(0)
		for _, r := range t.Refunds {
			if r.Status == "refunded" {
				id := idOfReference(r.Reference)
				if l.refunds[id] > 0 {
					bad("refund %s was given twice", id)
				}
				l.refunds[id] += r.Amount
				refunded += r.Amount
			}
		}
		if refunded > t.Captured {
			bad("%d refunded of %d captured", refunded, t.Captured)
		}
		l.refunded += refunded
		if !t.ByPayer && !t.Acted.IsZero() {
			if last := b.lastAsked(t.Acted); t.Acted.Sub(last) > b.ChargeWithin {
				bad("charged %v after the customer's last request", t.Acted.Sub(last).Round(time.Millisecond))
			}
		}
	}
	for reference, n := range acted {
		if n > 1 {
			bad("%s was authorized %d times", reference, n)
		}
	}
	if taken > 1 {
		bad("charged %d times", taken)
	}
	return l
}

var forever = time.Unix(1<<40, 0)

// lastAsked returns when a client last asked for the authorization before a moment.
func (b *books) lastAsked(before time.Time) (last time.Time) {
	for _, t := range b.Told {
		if t.Confirm && t.Began.Before(before) && t.Began.After(last) {
			last = t.Began
		}
	}
	return last
}

func (b *books) checkAbsent(l ledgerSums, bad func(string, ...any)) {
	if len(b.Processor) > 0 {
		bad("the processor has the payment (held %d, captured %d), and the switch does not know it", l.held, l.captured)
	}
	for _, t := range b.Told {
		if t.Code == 200 {
			bad("%s was answered, and the switch does not know the payment", t.Call)
		}
	}
}

// ended are the statuses that clients may rely on.
var ended = []string{"succeeded", "partially_captured", "failed", "cancelled", "cancelled_post_capture", "expired", "conflicted"}

// holding are the statuses of payments that hold money.
var holding = []string{"requires_capture", "partially_captured_and_capturable"}

func (b *books) checkShown(l ledgerSums, bad func(string, ...any)) {
	s := b.Shown
	money := fmt.Sprintf("the processor holds %d and has taken %d; the switch shows %s, received %d, capturable %d", l.held, l.captured,
		s.Status, s.Received, s.Capturable)
	if s.Received != l.captured {
		bad("money taken differs: %s", money)
	}
	switch s.Status {
	case "succeeded":
		if b.Automatic && l.captured != s.Amount || l.captured == 0 {
			bad("shown as succeeded: %s", money)
		}
	case "failed", "cancelled", "expired", "requires_payment_method", "requires_confirmation":
		if l.captured != 0 || l.held != 0 {
			bad("money of a payment that is shown without: %s", money)
		}
	case "requires_capture", "partially_captured_and_capturable":
		if l.held != s.Capturable {
			bad("held differs: %s", money)
		}
	case "requires_customer_action":
		if !l.waiting {
			bad("the customer has nothing to do any more: %s", money)
		}
	}
	if slices.Contains(ended, s.Status) && l.held != 0 {
		bad("money is still held: %s", money)
	}
}

// merchantsMark ends a reference whose id the merchant has chosen.
var merchantsMark = regexp.MustCompile(`_[0-9A-Za-z]{6}$`)

// idOfReference returns the id that a reference at the processor is for.
func idOfReference(reference string) string { return merchantsMark.ReplaceAllString(reference, "") }

func (b *books) checkRefunds(l ledgerSums, bad func(string, ...any)) {
	sum := int64(0)
	seen := map[string]bool{}
	for _, r := range b.Shown.Refunds {
		seen[r.ID] = true
		switch given := l.refunds[r.ID]; r.Status {
		case "succeeded":
			sum += r.Amount
			if given != r.Amount {
				bad("refund %s of %d is shown as succeeded, the processor gave back %d", r.ID, r.Amount, given)
			}
		case "failed":
			if given != 0 {
				bad("refund %s is shown as failed, the processor gave back %d", r.ID, given)
			}
		default:
			bad("refund %s is still %s", r.ID, r.Status)
		}
	}
	for id := range l.refunds {
		if !seen[id] {
			bad("the processor gave refund %s, and the switch does not know it", id)
		}
	}
	if sum > b.Shown.Received {
		bad("%d refunded of %d received", sum, b.Shown.Received)
	}
}

func (b *books) checkSettled(bad func(string, ...any)) {
	if b.Shown.Status == "processing" {
		bad("not settled in time: still processing")
	}
	for _, op := range b.Open {
		if op.Status == "pending" && b.Shown.Status == "requires_customer_action" {
			continue
		}
		bad("not settled in time: %s is %s: %s", op.Kind, op.Status, op.Answer)
	}
}

func (b *books) checkTold(l ledgerSums, bad func(string, ...any)) {
	answers := map[string]string{}
	putOff, otherwise := false, false
	for _, t := range b.Told {
		if t.Code == 500 && !t.Excused {
			bad("%s was answered with 500: %s", t.Call, t.Body)
		}
		if t.Confirm {
			late := strings.Contains(t.Body, "came too late") // its lease had ended: the payment is recorded, and the attempt withdrawn
			putOff, otherwise = putOff || t.Code == 503, otherwise || late || t.Code != 503 && t.Code != 0
		}
		if t.Call == "create" && !t.Confirm && t.Code != 503 { // the payment was there before a confirm was put off
			otherwise = true
		}
		if t.Code != 200 {
			continue
		}
		if t.Key != "" {
			if first, ok := answers[t.Key]; ok && first != t.Body {
				bad("%s repeated with its key was answered in another way: %s, then %s", t.Call, first, t.Body)
			}
			answers[t.Key] = t.Body
		}
		if t.Call == "refund" {
			b.checkToldRefund(t, l, bad)
			continue
		}
		if t.Confirm && t.Status == "requires_payment_method" && t.Error == "" {
			bad("%s was answered 200 without an attempt", t.Call)
		}
		now := b.Shown.Status
		if t.Call == "cancel" && (t.Status == "processing" || t.Status == "requires_customer_action") && slices.Contains(holding, now) {
			bad("a cancel was accepted, and the payment is %s", now)
		}
		if slices.Contains(ended, t.Status) && now != t.Status && !((t.Status == "failed" || t.Status == "cancelled") && now == "review") &&
			!(t.Status == "failed" && b.lastAsked(forever).After(t.Began)) {
			bad("%s told %s, now %s", t.Call, t.Status, now)
		}
		if t.Amount > l.captured {
			bad("%s told %d received, the processor took %d", t.Call, t.Amount, l.captured)
		}
		if t.Status == "requires_capture" && len(b.Processor) == 0 {
			bad("%s told requires_capture, the processor does not know the payment", t.Call)
		}
	}
	if putOff && !otherwise && b.Shown.Status == "requires_payment_method" {
		bad("the payment was put off with 503, and is recorded as done")
	}
}

func (b *books) checkToldRefund(t told, l ledgerSums, bad func(string, ...any)) {
	given := l.refunds[t.Refund]
	switch {
	case t.Status == "succeeded" && given != t.Amount:
		bad("refund %s told as succeeded with %d, the processor gave back %d", t.Refund, t.Amount, given)
	case t.Status == "failed" && given != 0:
		bad("refund %s told as failed, the processor gave back %d", t.Refund, given)
	}
	if !slices.ContainsFunc(b.Shown.Refunds, func(r shownRefundOf) bool { return r.ID == t.Refund }) {
		bad("refund %s was told, and is not shown", t.Refund)
	}
}

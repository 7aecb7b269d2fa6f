package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// soldBooks returns the equal books of a payment of 100 that was captured at once.
func soldBooks() *books {
	return &books{ID: "p", Amounts: []int64{100}, Currency: "EUR", Automatic: true, ChargeWithin: 10 * time.Second,
		Processor: []transaction{{ID: "tx1", Reference: "p_1", Currency: "EUR", At: 1, Amount: 100, Captured: 100, Status: "captured",
			Acted: noon.Add(time.Second)}},
		Shown: &shownPayment{Amount: 100, Status: "succeeded", Received: 100},
		Told:  []told{{Began: noon, Call: "create", Key: "p-1", Confirm: true, Code: 200, Body: "sold", Status: "succeeded", Amount: 100}}}
}

// heldBooks returns the equal books of a payment of 100 that waits for its capture.
func heldBooks() *books {
	b := soldBooks()
	b.Automatic = false
	b.Processor[0].Captured, b.Processor[0].Held, b.Processor[0].Status = 0, 100, "authorized"
	b.Shown = &shownPayment{Amount: 100, Status: "requires_capture", Capturable: 100}
	b.Told[0].Status, b.Told[0].Amount = "requires_capture", 0
	return b
}

// refundedBooks returns the equal books of a payment of 100, with 40 given back.
func refundedBooks() *books {
	b := soldBooks()
	b.Processor[0].Refunds = []processorRefund{{ID: "r1", Reference: "p-r1", Status: "refunded", Amount: 40}}
	b.Shown.Refunds = []shownRefundOf{{ID: "p-r1", Status: "succeeded", Amount: 40}}
	b.Told = append(b.Told, told{Began: noon, Call: "refund", Key: "p-2", Code: 200, Body: "back", Status: "succeeded", Amount: 40, Refund: "p-r1"})
	return b
}

// TestEqualBooks shows books in which nothing is wrong.
func TestEqualBooks(t *testing.T) {
	waiting := heldBooks()
	waiting.Processor[0].Held, waiting.Processor[0].Status, waiting.Processor[0].Acted = 0, "waiting", time.Time{}
	waiting.Shown, waiting.Told[0].Status = &shownPayment{Amount: 100, Status: "requires_customer_action", Capturable: 100}, "requires_customer_action"
	waiting.Open = []shownOperation{{Kind: "authorize", Status: "pending"}}
	never := &books{ID: "p", Amounts: []int64{100}, Currency: "EUR", Told: []told{{Call: "create", Confirm: true}}}
	late := soldBooks() // the payer finished a payment that the merchant had cancelled
	late.Processor[0].ByPayer, late.Processor[0].Acted = true, noon.Add(time.Hour)
	late.Shown.Status, late.Told[0].Status, late.Told[0].Amount = "review", "cancelled", 0
	byRepeat := soldBooks() // the client still asked
	byRepeat.Processor[0].Acted = noon.Add(time.Minute)
	byRepeat.Told = append([]told{{Began: noon.Add(55 * time.Second), Call: "create", Key: "p-1", Confirm: true}}, byRepeat.Told...)
	putOff := &books{ID: "p", Amounts: []int64{100}, Currency: "EUR", Shown: &shownPayment{Amount: 100, Status: "requires_payment_method"}, // made first, and its confirm refused
		Told: []told{{Began: noon, Call: "create", Key: "p-1", Code: 200, Status: "requires_payment_method"}, {Began: noon, Call: "confirm", Confirm: true, Code: 503}}}
	for name, b := range map[string]*books{"put off": putOff, "sold": soldBooks(), "held": heldBooks(), "refunded": refundedBooks(), "waiting": waiting, "never": never,
		"late": late, "repeat": byRepeat} {
		require.Empty(t, b.check(), name)
	}
}

// TestUnequalBooks plants faults into equal books. The first eight are how the books looked after the defects of the first releases.
func TestUnequalBooks(t *testing.T) {
	for name, f := range map[string]struct {
		of    func() *books
		plant func(*books)
		want  string
	}{
		"A1: the payer finished a cancelled payment, and no one looked": {soldBooks, func(b *books) {
			b.Processor[0].ByPayer, b.Shown, b.Told[0].Status, b.Told[0].Amount = true, &shownPayment{Amount: 100, Status: "cancelled"}, "cancelled", 0
		}, "money of a payment that is shown without"},
		"A1: and the amount is held": {heldBooks, func(b *books) {
			b.Shown, b.Told[0].Status = &shownPayment{Amount: 100, Status: "cancelled"}, "cancelled"
		}, "money of a payment that is shown without"},
		"A2: sent again while a query closed it": {soldBooks, func(b *books) {
			b.Shown, b.Told[0].Status, b.Told[0].Amount = &shownPayment{Amount: 100, Status: "failed"}, "failed", 0
		}, "money of a payment that is shown without"},
		"A3: sent again to another account of the processor": {soldBooks, func(b *books) {
			t := b.Processor[0]
			t.ID, t.At = "tx2", 2
			b.Processor = append(b.Processor, t)
		}, "charged 2 times"},
		"A4: the processor repeats its 500, and is not asked": {soldBooks, func(b *books) {
			b.Shown, b.Told[0].Status, b.Told[0].Amount = &shownPayment{Amount: 100, Status: "processing"}, "processing", 0
			b.Open = []shownOperation{{Kind: "authorize", Status: "unknown"}}
		}, "not settled in time"},
		"A5: waits behind a silent processor": {heldBooks, func(b *books) {
			b.Shown, b.Told[0].Status, b.Processor = &shownPayment{Amount: 100, Status: "processing"}, "processing", nil
		}, "not settled in time"},
		"A6: refused for want of a turn, and its repeat does nothing": {soldBooks, func(b *books) {
			b.Processor, b.Shown = nil, &shownPayment{Amount: 100, Status: "requires_payment_method"}
			b.Told = []told{{Began: noon, Call: "create", Key: "p-1", Confirm: true, Code: 503},
				{Began: noon, Call: "create", Key: "p-1", Confirm: true, Code: 200, Status: "requires_payment_method"}}
		}, "answered 200 without an attempt"},
		"A6: put off, and recorded as done": {soldBooks, func(b *books) {
			b.Processor, b.Shown = nil, &shownPayment{Amount: 100, Status: "requires_payment_method"}
			b.Told = []told{{Began: noon, Call: "create", Key: "p-1", Confirm: true, Code: 503}, {Began: noon, Call: "create", Key: "p-1", Confirm: true}}
		}, "recorded as done"},
		"A6: 500 for want of a turn": {soldBooks, func(b *books) { b.Told = append(b.Told, told{Call: "create", Code: 500}) }, "answered with 500"},
		"A7: a lost capture is frozen": {heldBooks, func(b *books) {
			b.Shown, b.Open = &shownPayment{Amount: 100, Status: "processing"}, []shownOperation{{Kind: "capture", Status: "unknown"}}
		}, "capture is unknown"},
		"A8: charged when the customer has gone": {soldBooks, func(b *books) { b.Processor[0].Acted = noon.Add(time.Minute) }, "after the customer's last request"},
		"A8: an accepted cancel is forgotten": {heldBooks, func(b *books) {
			b.Told = []told{{Began: noon, Call: "create", Confirm: true, Code: 200, Status: "processing"},
				{Began: noon, Call: "cancel", Code: 200, Status: "processing"}}
		}, "cancel was accepted"},
		"authorized twice, one voided": {soldBooks, func(b *books) {
			b.Processor = append(b.Processor, transaction{ID: "tx2", Reference: "p_1", Currency: "EUR", Amount: 100, Status: "voided", Acted: noon})
		}, "authorized 2 times"},
		"another amount":                       {soldBooks, func(b *books) { b.Processor[0].Amount = 10000 }, "asked for [100]"},
		"another currency":                     {soldBooks, func(b *books) { b.Processor[0].Currency = "JPY" }, "asked for [100]"},
		"an amount changed beside the confirm": {soldBooks, func(b *books) { b.Amounts, b.Shown.Amount = []int64{100, 200}, 200 }, "the switch shows 200"},
		"a capture booked twice":               {heldBooks, func(b *books) { b.Processor[0].Held, b.Processor[0].Captured = 60, 40; b.Shown.Received = 80 }, "money taken differs"},
		"an amount by one unit":                {soldBooks, func(b *books) { b.Shown.Received = 99 }, "money taken differs"},
		"held differs":                         {heldBooks, func(b *books) { b.Shown.Capturable = 99 }, "held differs"},
		"the rest stays held":                  {soldBooks, func(b *books) { b.Processor[0].Held = 1 }, "still held"},
		"success that never was":               {soldBooks, func(b *books) { b.Processor = nil }, "took 0"},
		"success that is forgotten":            {soldBooks, func(b *books) { b.Shown, b.Processor = nil, nil }, "does not know the payment"},
		"unknown to the switch":                {soldBooks, func(b *books) { b.Shown, b.Told = nil, nil }, "the switch does not know it"},
		"told cancelled, now paid":             {soldBooks, func(b *books) { b.Told[0].Status, b.Told[0].Amount = "cancelled", 0 }, "told cancelled, now succeeded"},
		"told more than was taken":             {soldBooks, func(b *books) { b.Told[0].Amount = 101 }, "told 101 received"},
		"another answer to a repeat": {soldBooks, func(b *books) {
			again := b.Told[0]
			again.Body = "other"
			b.Told = append(b.Told, again)
		}, "answered in another way"},
		"an operation without an end":  {soldBooks, func(b *books) { b.Open = []shownOperation{{Kind: "void", Status: "unknown"}} }, "void is unknown"},
		"nothing left to do":           {heldBooks, func(b *books) { b.Shown.Status = "requires_customer_action" }, "nothing to do any more"},
		"a refund given twice":         {refundedBooks, func(b *books) { b.Processor[0].Refunds = append(b.Processor[0].Refunds, b.Processor[0].Refunds[0]) }, "given twice"},
		"more refunded than captured":  {refundedBooks, func(b *books) { b.Processor[0].Refunds[0].Amount = 101 }, "101 refunded of 100 captured"},
		"a refund shown as failed":     {refundedBooks, func(b *books) { b.Shown.Refunds[0].Status = "failed" }, "shown as failed"},
		"a refund that never was":      {refundedBooks, func(b *books) { b.Processor[0].Refunds = nil }, "gave back 0"},
		"a refund of another amount":   {refundedBooks, func(b *books) { b.Processor[0].Refunds[0].Amount = 4 }, "gave back 4"},
		"a refund without an end":      {refundedBooks, func(b *books) { b.Shown.Refunds[0].Status = "pending" }, "still pending"},
		"a refund that is not shown":   {refundedBooks, func(b *books) { b.Shown.Refunds = nil }, "is not shown"},
		"a refund told as failed":      {refundedBooks, func(b *books) { b.Told[1].Status = "failed" }, "told as failed"},
		"more refunded than received":  {refundedBooks, func(b *books) { b.Shown.Refunds[0].Amount = 140 }, "140 refunded of 100 received"},
		"requires_capture from no one": {heldBooks, func(b *books) { b.Processor, b.Shown = nil, &shownPayment{Amount: 100, Status: "failed"} }, "told requires_capture"},
	} {
		t.Run(name, func(t *testing.T) {
			b := f.of()
			f.plant(b)
			require.Contains(t, strings.Join(b.check(), "\n"), f.want)
		})
	}
}

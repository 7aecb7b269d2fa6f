package evidence

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// The processor's word that it has taken more of an ended payment is booked, so that the merchant can give it back. A report that may be about one of several
// captures is not.
func TestMoreTakenThanShown(t *testing.T) {
	t.Parallel()
	money := func(minor int64) *sdk.Money { return &sdk.Money{Minor: minor, Currency: "EUR"} }
	for name, c := range map[string]struct {
		status   payment.AttemptStatus
		captured int64
		captures bool // 3000 taken as cap_1, 2000 refused as cap_2
		said     sdk.Outcome
		want     int64
	}{
		"called paid by an operator":             {payment.Charged, 0, false, sdk.Outcome{Amount: money(10000)}, 10000},
		"called paid, less":                      {payment.Charged, 0, false, sdk.Outcome{Amount: money(6000)}, 6000},
		"called paid, without an amount":         {payment.Charged, 0, false, sdk.Outcome{}, 10000},
		"an operator's word of less":             {payment.PartialCharged, 9000, false, sdk.Outcome{Amount: money(10000)}, 10000},
		"the same again":                         {payment.Charged, 10000, false, sdk.Outcome{Amount: money(10000)}, 10000},
		"a total":                                {payment.PartialCharged, 3000, true, sdk.Outcome{Totals: &sdk.Totals{Authorized: 10000, Captured: 5000}}, 5000},
		"a smaller total":                        {payment.PartialCharged, 3000, true, sdk.Outcome{Totals: &sdk.Totals{Authorized: 10000, Captured: 2000}}, 3000},
		"more than can be":                       {payment.PartialCharged, 3000, true, sdk.Outcome{Totals: &sdk.Totals{Authorized: 10000, Captured: 10001}}, 3000},
		"a refused capture that was made":        {payment.PartialCharged, 3000, true, sdk.Outcome{CaptureID: "cap_2", Amount: money(2000)}, 5000},
		"a capture that no one has asked for":    {payment.PartialCharged, 3000, true, sdk.Outcome{CaptureID: "cap_3", Amount: money(4000)}, 3000},
		"an amount that may be of one capture":   {payment.PartialCharged, 3000, true, sdk.Outcome{Amount: money(4000)}, 3000},
		"no amount, and something is booked":     {payment.PartialCharged, 3000, false, sdk.Outcome{}, 3000},
		"a total of all captures":                {payment.PartialCharged, 3000, true, sdk.Outcome{Totals: &sdk.Totals{Authorized: 10000, Captured: 10000}}, 10000},
		"in review, more":                        {payment.CaptureReview, 3000, false, sdk.Outcome{Totals: &sdk.Totals{Authorized: 10000, Captured: 8000}}, 8000},
		"in review, the same":                    {payment.CaptureReview, 3000, false, sdk.Outcome{Totals: &sdk.Totals{Authorized: 10000, Captured: 3000}}, 3000},
		"the whole, where a part was booked":     {payment.PartialCharged, 3000, false, sdk.Outcome{Amount: money(10000)}, 10000},
		"a total of a payment without a capture": {payment.Charged, 0, false, sdk.Outcome{Totals: &sdk.Totals{Authorized: 10000, Captured: 10000}}, 10000},
	} {
		p := &payment.Payment{ID: "pay_1", AttemptID: "pay_1_1", NetAmount: 10000, Amount: 10000, Currency: "EUR", Received: c.captured, Refunded: 1000}
		a := &payment.Attempt{ID: "pay_1_1", PaymentID: "pay_1", Status: c.status, Amount: 10000, Authorized: c.captured, Captured: c.captured}
		if p.Status = c.status.Payment(); c.captures {
			p.Details.CaptureMethod = payment.CaptureManualMultiple
			for i, s := range []payment.CaptureStatus{payment.CaptureCharged, payment.CaptureFailed} {
				r := a.AddCapture([]string{"op_1", "op_2"}[i], []int64{3000, 2000}[i], modelStart)
				r.Status, r.ProcessorID = s, []string{"cap_1", "cap_2"}[i]
			}
		}
		o := c.said
		o.Status = sdk.StatusCaptured
		b, alarm := BookEvidence(p, a, &sdk.Manifest{}, &o, modelStart)
		require.Equal(t, name == "more than can be", alarm == "amount_mismatch", name)
		if c.want == c.captured {
			require.Nil(t, b, name)
			continue
		}
		require.Equal(t, []int64{c.want, c.want, c.want - 1000}, []int64{b.Attempt.Captured, b.Payment.Received, b.Payment.Refundable()}, name)
		status := c.status
		if status == payment.PartialCharged && c.want == 10000 {
			status = payment.Charged // merchants must not wait for more
		}
		require.Equal(t, []any{status, status.Payment()}, []any{b.Attempt.Status, b.Payment.Status}, name)
		require.Equal(t, int64(0), b.Payment.Capturable, name)
		require.False(t, AttemptShows(&payment.Payment{}, a, &o), name)
	}
}

// If the processor says that a refund gave back more, the larger amount is kept from other refunds until a person decides.
func TestRefundOfMoreReservesIt(t *testing.T) {
	t.Parallel()
	p := &payment.Payment{Status: payment.Succeeded, Currency: "EUR", Received: 100, Refunded: 50}
	r := &payment.Refund{ID: "ref_1", Status: payment.RefundPending, Amount: 50, Currency: "EUR"}
	op := &payment.Operation{ID: "op_1", Kind: sdk.OpRefund, Status: payment.OperationUnknown, Amount: 50}
	for reported, left := range map[int64]int64{80: 20, 100: 0, 30: 50, 1 << 62: 100 - payment.MaxAmount} {
		v := InterpretRefund(op, r, &sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re", Amount: &sdk.Money{Minor: reported, Currency: "EUR"}}, false)
		b := BookRefund(p, r, op, v, modelStart)
		now := b.Payment
		if now == nil {
			now = p
		}
		require.Equal(t, payment.RefundReview, b.Refund.Status)
		require.Equal(t, left, now.Refundable(), reported)
		again := BookRefundEvidence(now, b.Refund, v, modelStart)
		require.Nil(t, again.Payment, "the report again")
		for to, refundable := range map[payment.RefundStatus]int64{payment.RefundSucceeded: 50, payment.RefundFailed: 100, payment.RefundPending: 50} {
			decided := b.Refund.Clone()
			after := payment.MoveRefund(now, decided, to, modelStart)
			if after == nil {
				after = now
			}
			require.Equal(t, refundable, after.Refundable(), "%d %s", reported, to)
		}
	}
}

// A refund that has not left is given up where nothing is left to give back.
func TestGiveUpRefund(t *testing.T) {
	t.Parallel()
	p := &payment.Payment{Status: payment.Succeeded, Received: 100, Refunded: 70}
	op := &payment.Operation{ID: "op_1", Kind: sdk.OpRefund, Status: payment.OperationUnknown, Amount: 70}
	gives := func(p *payment.Payment, op payment.Operation) bool { _, ends := GiveUpRefund(p, &op); return ends }
	require.False(t, gives(p, *op))
	over := p.Clone()
	over.Received = 0
	require.True(t, gives(over, *op))
	sent := *op
	sent.LastSendAt = modelStart
	require.False(t, gives(over, sent), "it may have happened")
	void := *op
	void.Kind = sdk.OpVoid
	require.False(t, gives(over, void))
}

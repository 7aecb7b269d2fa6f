package evidence

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

func refunded(amount int64, currency sdk.Currency) *sdk.Outcome {
	return &sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re_1", Amount: &sdk.Money{Minor: amount, Currency: currency}}
}

// TestBookRefund books every verdict on a refund that has been sent.
func TestBookRefund(t *testing.T) {
	declined := &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "charge_already_refunded", Message: "Already refunded.", NetworkCode: "57"}}
	now := time.Now()
	for name, c := range map[string]struct {
		v                       Verdict
		status                  payment.RefundStatus
		operation               payment.OperationStatus
		reserved, total         int64
		code, processor, alarms string
	}{
		"done":            {Verdict{Status: payment.OperationSucceeded, Outcome: refunded(60, "EUR")}, payment.RefundSucceeded, payment.OperationSucceeded, 60, 60, "", "re_1", ""},
		"no amount":       {Verdict{Status: payment.OperationSucceeded, Outcome: &sdk.Outcome{Status: sdk.StatusRefunded}}, payment.RefundSucceeded, payment.OperationSucceeded, 60, 60, "", "", ""},
		"less":            {Verdict{Status: payment.OperationSucceeded, Outcome: refunded(59, "EUR")}, payment.RefundReview, payment.OperationSucceeded, 60, 0, "amount_mismatch", "re_1", "amount_mismatch"},
		"other currency":  {Verdict{Status: payment.OperationSucceeded, Outcome: refunded(60, "USD")}, payment.RefundReview, payment.OperationSucceeded, 60, 0, "amount_mismatch", "re_1", "amount_mismatch"},
		"under way":       {Verdict{Status: payment.OperationPending, Outcome: &sdk.Outcome{Status: sdk.StatusPending, RefundID: "re_1"}}, payment.RefundPending, payment.OperationPending, 60, 0, "", "re_1", ""},
		"waits for payer": {Verdict{Status: payment.OperationPending, Outcome: &sdk.Outcome{Status: sdk.StatusReview, RefundID: "re_1"}}, payment.RefundReview, payment.OperationPending, 60, 0, "", "re_1", ""},
		"refused":         {Verdict{Status: payment.OperationDeclined, Outcome: declined}, payment.RefundFailed, payment.OperationDeclined, 0, 0, "charge_already_refunded", "", ""},
		"never acted":     {Verdict{Status: payment.OperationNotActed, Text: "not there"}, payment.RefundFailed, payment.OperationNotActed, 0, 0, "not_processed", "", ""},
		"rejected":        {Verdict{Status: payment.OperationRejected, Text: "no"}, payment.RefundFailed, payment.OperationRejected, 0, 0, "not_processed", "", ""},
		"unknown":         {Verdict{Status: payment.OperationUnknown, Text: "time-out"}, payment.RefundPending, payment.OperationUnknown, 60, 0, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &payment.Payment{Received: 100, Refunded: 60}
			r := &payment.Refund{Status: payment.RefundPending, Amount: 60, Currency: "EUR"}
			op := &payment.Operation{Kind: sdk.OpRefund, Status: payment.OperationStarted, Amount: 60, Owner: "node", LeaseUntil: now.Add(time.Minute)}
			b := BookRefund(p, r, op, c.v, now)
			if b.Payment == nil {
				b.Payment = p
			}
			code := ""
			if b.Refund.Details.Error != nil {
				code = b.Refund.Details.Error.Code
			}
			require.Equal(t, []any{c.status, c.operation, c.reserved, c.total, c.code, c.processor},
				[]any{b.Refund.Status, b.Operation.Status, b.Payment.Refunded, b.Payment.Details.RefundedTotal, code, b.Refund.ProcessorID})
			if c.alarms == "" {
				require.Empty(t, b.Alarms)
			} else {
				require.Equal(t, []alarm.Kind{alarm.Kind(c.alarms)}, b.Alarms)
			}
			require.Empty(t, b.Operation.Owner, "any node may go on")
			asked := b.Operation.Status == payment.OperationUnknown || b.Operation.Status == payment.OperationPending || b.Operation.Status == payment.OperationNotActed
			require.Equal(t, asked, !b.Operation.ResolveAt.IsZero())
			require.Equal(t, []any{int64(60), payment.RefundPending, payment.OperationStarted}, []any{p.Refunded, r.Status, op.Status}, "the rows that came in are untouched")
		})
	}
}

// TestInterpretRefund reads a query's report in every state of the operation.
func TestInterpretRefund(t *testing.T) {
	r := &payment.Refund{Amount: 60, Currency: "EUR", Status: payment.RefundPending}
	for _, c := range []struct {
		op    payment.OperationStatus
		says  *sdk.Outcome
		final bool
		want  payment.OperationStatus
		alarm alarm.Kind
	}{
		{payment.OperationUnknown, refunded(60, "EUR"), false, payment.OperationSucceeded, ""},
		{payment.OperationUnknown, refunded(6, "EUR"), false, payment.OperationSucceeded, "amount_mismatch"},
		{payment.OperationUnknown, &sdk.Outcome{Status: sdk.StatusDeclined}, false, payment.OperationDeclined, ""},
		{payment.OperationUnknown, &sdk.Outcome{Status: sdk.StatusPending}, false, payment.OperationPending, ""},
		{payment.OperationUnknown, &sdk.Outcome{Status: sdk.StatusNotFound}, false, payment.OperationUnknown, ""},
		{payment.OperationUnknown, &sdk.Outcome{Status: sdk.StatusNotFound}, true, payment.OperationNotActed, ""},
		{payment.OperationPending, &sdk.Outcome{Status: sdk.StatusNotFound}, true, payment.OperationPending, ""}, // the processor had accepted it
		{payment.OperationUnknown, &sdk.Outcome{Status: sdk.StatusCaptured}, true, payment.OperationUnknown, ""},
	} {
		v := InterpretRefund(&payment.Operation{Kind: sdk.OpRefund, Status: c.op}, r, c.says, c.final)
		require.Equal(t, []any{c.want, c.alarm}, []any{v.Status, v.Alarm}, c.says.Status)
	}
}

// A report that names another refund than the one asked about says nothing about it, whatever the operation's state.
func TestReportOnAnotherRefund(t *testing.T) {
	r := &payment.Refund{Amount: 60, Currency: "EUR", Status: payment.RefundPending, ProcessorID: "re_1"}
	for _, status := range []payment.OperationStatus{payment.OperationUnknown, payment.OperationPending, payment.OperationSucceeded} {
		op := &payment.Operation{Kind: sdk.OpRefund, Status: status}
		for _, says := range []sdk.OutcomeStatus{sdk.StatusRefunded, sdk.StatusDeclined, sdk.StatusPending} {
			v := InterpretRefund(op, r, &sdk.Outcome{Status: says, RefundID: "re_2"}, true)
			require.Equal(t, []any{payment.OperationUnknown, alarm.ImpossibleOutcome}, []any{v.Status, v.Alarm}, says)
			require.Equal(t, "re_1", BookRefund(&payment.Payment{Refunded: 60}, r, op, v, modelStart).Refund.ProcessorID)
			require.NotEqual(t, payment.OperationUnknown, InterpretRefund(op, r, &sdk.Outcome{Status: says, RefundID: "re_1"}, true).Status, says)
		}
	}
}

// TestRefundAmounts makes refunds, ends them and ends them again by late evidence and operators, in random order. The amounts of the payment
// stay the sums over its refunds, and no decision refunds more than was captured.
func TestRefundAmounts(t *testing.T) {
	statuses := []payment.RefundStatus{payment.RefundPending, payment.RefundSucceeded, payment.RefundFailed, payment.RefundReview}
	for seed := range uint64(300) {
		dice := rand.New(rand.NewPCG(seed, 1))
		p := &payment.Payment{Received: 1 + dice.Int64N(1000)}
		var all []*payment.Refund
		for range 60 {
			if len(all) == 0 || dice.IntN(3) == 0 {
				amount := 1 + dice.Int64N(p.Received)
				if amount > p.Refundable() {
					continue
				}
				p.Refunded += amount
				all = append(all, &payment.Refund{Status: payment.RefundPending, Amount: amount})
				continue
			}
			r, to := all[dice.IntN(len(all))], statuses[dice.IntN(len(statuses))]
			if r.Status == payment.RefundFailed && to != payment.RefundFailed && r.Amount > p.Refundable() {
				continue // DecideRefund refuses it
			}
			if n := payment.MoveRefund(p, r, to, time.Now()); n != nil {
				p = n
			}
			var reserved, done int64
			for _, r := range all {
				if r.Status != payment.RefundFailed {
					reserved += r.Amount
				}
				if r.Status == payment.RefundSucceeded {
					done += r.Amount
				}
			}
			require.Equal(t, []int64{reserved, done}, []int64{p.Refunded, p.Details.RefundedTotal}, "seed %d", seed)
			require.LessOrEqual(t, p.Refunded, p.Received, "seed %d", seed)
		}
	}
}

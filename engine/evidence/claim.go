package evidence

import (
	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Claim says that a booking rests on an id of the processor's. At one account an id has one owner: one charge, capture or refund of the processor's must
// not stand for two of the merchant's.
type Claim struct {
	MerchantID string
	AccountID  string
	Kind       string // payment, capture or refund: each has ids of its own
	ID         string // the processor's
	Owner      string // the id of the payment, refund or relay
}

// kinds of claims.
const (
	claimPayment = "payment"
	claimCapture = "capture"
	claimRefund  = "refund"
)

// claimCharge claims the id of the payment at the processor before the attempt takes it over. Attempts and operations of one payment may share an id. A
// verified card moves no money, and processors name the kept card there.
func (b *Booking) claimCharge(o *sdk.Outcome) {
	if a := b.Attempt; o.TransactionID != "" && o.TransactionID != a.TransactionID && o.Status != sdk.StatusVerified {
		b.Claims = append(b.Claims, Claim{MerchantID: a.MerchantID, AccountID: a.AccountID, Kind: claimPayment, ID: o.TransactionID, Owner: a.PaymentID})
	}
}

// claimCapture claims the processor's id of a capture. Some processors name the payment there: that id is claimed as the payment's.
func (b *Booking) claimCapture(c *payment.CaptureRecord, id string) {
	if a := b.Attempt; id != "" && id != a.TransactionID && id != c.ProcessorID {
		b.Claims = append(b.Claims, Claim{MerchantID: a.MerchantID, AccountID: a.AccountID, Kind: claimCapture, ID: id, Owner: a.PaymentID})
	}
}

// claim claims the processor's id of the refund before the refund takes it over.
func (b *RefundBooking) claim(o *sdk.Outcome) {
	if r := b.Refund; o.RefundID != "" && o.RefundID != r.ProcessorID {
		b.Claims = append(b.Claims, Claim{MerchantID: r.MerchantID, AccountID: r.AccountID, Kind: claimRefund, ID: o.RefundID, Owner: r.ID})
	}
}

// ClaimByHand returns the claim of an id that an operator gives an attempt, none for "".
func ClaimByHand(a *payment.Attempt, id string) []Claim {
	b := Booking{Attempt: a}
	b.claimCharge(&sdk.Outcome{TransactionID: id})
	return b.Claims
}

// ClaimOfRelay returns the claim of what a relay made at the processor: a refund or a capture.
func ClaimOfRelay(merchantID, accountID, relayID string, refund bool, id string) Claim {
	c := Claim{MerchantID: merchantID, AccountID: accountID, Kind: claimCapture, ID: id, Owner: relayID}
	if refund {
		c.Kind = claimRefund
	}
	return c
}

// ClaimForRelays returns the claim that makes the relays of one transaction begin one after another.
func ClaimForRelays(merchantID, accountID, transactionID string) Claim {
	return Claim{MerchantID: merchantID, AccountID: accountID, Kind: "relays", ID: transactionID, Owner: transactionID}
}

// OfAnother returns what a verdict still proves if its ids belong to another payment, capture or refund. A refusal remains, without the ids: a
// processor that refuses a duplicate may name the first one. Any other answer proves nothing; the alarm is raised once for an operation.
func OfAnother(v Verdict, op *payment.Operation) Verdict {
	if v.Outcome != nil && v.Outcome.Status == sdk.StatusDeclined {
		own := *v.Outcome
		own.TransactionID, own.CaptureID, own.RefundID = "", "", ""
		v.Outcome = &own
		return v
	}
	n := Verdict{Status: payment.OperationUnknown, Alarm: alarm.ImpossibleOutcome, Text: "the processor's answer has the id of another payment, capture or refund"}
	if op.ErrorText == n.Text {
		n.Alarm = ""
	}
	return n
}

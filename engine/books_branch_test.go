package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"payswitch/engine/account"
	"payswitch/sdk"
)

// luck is a source of chance for several goroutines.
type luck struct {
	sync.Mutex
	*rand.Rand
}

// once returns true once in n times, by chance.
func (l *luck) once(n int) bool { return l.below(int64(n)) == 0 }

func (l *luck) below(n int64) int64 {
	l.Lock()
	defer l.Unlock()
	return l.Int64N(n)
}

// branch is an acquirer that does more. It approves a part, keeps cards, sends payers to a page of its own, and holds funds for longer. It knows disputes, gets
// requests late, and gives odd answers.
type branch struct {
	*acquirer
	*luck
	name   string
	at     *account.Account
	claims map[string]*branchClaim
	silent bool            // it cannot be asked: messages alone say what became of an operation
	odd    bool            // answers are odd now and then
	slow   []*acquirerCall // requests that have not arrived yet
}

// branchClaim is a dispute. Back says that the payer got the amount by it.
type branchClaim struct {
	sdk.Dispute
	of   *acquired
	Back bool
}

func newBranch(t testing.TB, name string, l *luck) *branch {
	b := &branch{acquirer: newAcquirer(t), luck: l, name: name, claims: map[string]*branchClaim{}, odd: true}
	b.acts, b.silent, b.keeps, b.over, b.totals = b.act, l.once(3), l.once(2), l.once(2), !l.once(3)
	return b
}

// adapter is an adapter of the branch.
func (b *branch) adapter() *sdk.Adapter {
	rule := sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference, sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 24 * 3600, NotFoundFinalAfterSeconds: 60}
	if b.silent {
		rule = byWebhook
	}
	a := b.keyed(rule)
	a.Manifest.Name = b.name
	f := &a.Manifest.Features
	f.NetworkMIT, f.StoredCredential, f.External3DS, f.Processor3DS, f.PartialApproval, f.ExtendedHold, f.ReleasesRest = true, true, true, true, true, true, !b.keeps
	f.Installments = []sdk.Currency{"USD"}
	a.Complete, a.ExtendAuthorization, a.AcceptDispute, a.SubmitEvidence = askAcquirer("complete"), askAcquirer("extend"), askAcquirer("accept"), askAcquirer("contest")
	if b.silent {
		a.Sync, a.RefundSync = nil, nil
	} else {
		a.DisputeSync = askAcquirer("dispute")
	}
	return a
}

// act carries a request out, and returns the answer.
func (b *branch) act(in *acquirerCall, later bool) *sdk.Outcome {
	h := b.byID[in.ID]
	switch in.Do {
	case "complete":
		if h == nil {
			return acquirerRefuses()
		}
		return b.oddly(in, h, b.report(h))
	case "extend":
		if h == nil || h.Voided || h.Captured() > 0 {
			return acquirerRefuses()
		}
		h.Extended = true
		return b.oddly(in, h, &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: h.ID, Hold: &sdk.Hold{Extended: &h.Extended}})
	case "accept", "contest", "dispute":
		return b.dispute(in)
	case "authorize":
		if in.Asks && b.once(2) {
			h := &acquired{ID: b.acquirer.name("tx"), Reference: in.Reference, Currency: in.Currency, Waits: true, Account: in.account, wants: in}
			b.byID[h.ID], b.byRef[h.Reference] = h, h
			return &sdk.Outcome{Status: sdk.StatusCustomerAction, TransactionID: h.ID, NextAction: &sdk.NextAction{Type: sdk.NextActionRedirect, URL: "https://bank.test/act?" + in.Return}}
		}
		if in.Part && b.once(3) || b.once(20) {
			in.Amount = 1 + b.below(in.Amount)
		}
		o := b.acquirer.act(in, later)
		if in.Saves {
			o.StoredCredential, o.NetworkTransactionID = &sdk.StoredCredential{ID: "card_" + o.TransactionID}, "1"+strings.TrimPrefix(o.TransactionID, "tx_")
		}
		return b.oddly(in, b.byRef[in.Reference], o)
	}
	return b.oddly(in, h, b.acquirer.act(in, later))
}

// oddly makes an answer about something that was done odd, now and then: no result, a result that is still to come, another id, or another currency.
func (b *branch) oddly(in *acquirerCall, h *acquired, o *sdk.Outcome) *sdk.Outcome {
	done := []sdk.OutcomeStatus{sdk.StatusAuthorized, sdk.StatusCaptured, sdk.StatusVoided, sdk.StatusRefunded}
	if !b.odd || !slices.Contains(done, o.Status) || !b.once(10) {
		return o
	}
	switch b.below(4) {
	case 0:
		return &sdk.Outcome{Status: sdk.StatusUnknown}
	case 1:
		return &sdk.Outcome{Status: sdk.StatusPending, TransactionID: o.TransactionID, CaptureID: o.CaptureID, RefundID: o.RefundID}
	case 2:
		o.TransactionID = h.ID + "n"
		b.byID[o.TransactionID] = h
	default:
		if in.Do != "void" && in.Do != "extend" {
			o.Totals, o.Amount = nil, &sdk.Money{Minor: in.Amount, Currency: "CHF"}
		}
	}
	return o
}

// acted lets the payer at the branch's page pay or not.
func (b *branch) acted(h *acquired, pays bool) {
	if h.Waits, h.Refused = false, !pays; pays {
		h.Authorized = h.wants.Amount
		if h.wants.Now {
			h.Captures = append(h.Captures, &acquiredPart{ID: h.ID, State: "done", Amount: h.Authorized})
		}
	}
	b.post(h, "payment", h.Reference, b.report(h))
}

// dispute carries out what the merchant says of a dispute, or asks.
func (b *branch) dispute(in *acquirerCall) *sdk.Outcome {
	c := b.claims[in.Dispute]
	if c == nil {
		return acquirerRefuses()
	}
	open := c.Status == sdk.DisputeOpened
	switch {
	case in.Do == "accept" && open:
		c.Status, c.Back = sdk.DisputeAccepted, true
	case in.Do == "contest" && open:
		c.Status, c.Back = sdk.DisputeChallenged, false
	case in.Do != "dispute":
		return acquirerRefuses()
	}
	said := c.Dispute
	return &sdk.Outcome{Status: sdk.StatusDisputed, Dispute: &said}
}

// arrives lets requests arrive that were cut off on their way.
func (b *branch) arrives() {
	b.with(func() {
		for _, in := range b.slow {
			if b.done[in.key] == nil || in.key == "" {
				b.carriesOut(in, false)
			}
		}
		b.slow = nil
	})
}

// ofPayment are the transactions of a payment.
func (b *branch) ofPayment(id string) []*acquired {
	return slices.DeleteFunc(b.transactions(), func(h *acquired) bool { return !strings.HasPrefix(h.Reference, id+"_") })
}

// transactions are those of the branch, in their order.
func (b *branch) transactions() (out []*acquired) {
	for _, h := range b.byRef {
		out = append(out, h)
	}
	slices.SortFunc(out, func(x, y *acquired) int { return strings.Compare(x.Reference, y.Reference) })
	return out
}

// holds reports whether funds are held that were not captured.
func (h *acquired) holds() bool {
	return !h.Voided && !h.TakenBack && h.Authorized > sumOf(h.Captures, "done")
}

func (h *acquired) String() string {
	return fmt.Sprintf("%s of %s: held %d, captured %d, refunded %d, voided %v, taken back %v, waits %v, refused %v", h.ID, h.Reference, h.Authorized, h.Captured(), h.Refunded(), h.Voided,
		h.TakenBack, h.Waits, h.Refused)
}

package change

import (
	"time"

	"payswitch/engine/payment"
	"payswitch/engine/scheme"
	"payswitch/sdk"
)

// DeclineReader reads the declines of cards.
type DeclineReader interface {
	// CardDeclines returns the declines of a card, zero without any. In an Update the row stays locked until the end of the transaction.
	CardDeclines(merchantID, card string) (scheme.Declines, error)
}

// DeclineTx counts the declines of cards.
type DeclineTx interface {
	// CountDecline adds a decline to a card, and gives held places back. Concurrent calls lose no decline.
	CountDecline(merchantID, card string, d scheme.Decline, held int) error
	// HoldCard takes one of the places at a card with declines until a time, and reports whether there was one.
	HoldCard(merchantID, card string, places int, until time.Time) (bool, error)
	// ReleaseCard gives one place back.
	ReleaseCard(merchantID, card string) error
}

// CardHold is the claim of a repeat that begins: declines and repeats under way together stay within the limit of the card's scheme.
type CardHold struct {
	Card    string
	Network sdk.CardNetwork
}

// take takes the place of a repeat that begins. It does nothing for nil. A card without declines has no places: its first repeats need none.
func (h *CardHold) take(tx Tx, merchantID string) error {
	if h == nil {
		return nil
	}
	d, err := tx.CardDeclines(merchantID, h.Card)
	if err != nil || len(d.Times) == 0 {
		return err
	}
	free, err := tx.HoldCard(merchantID, h.Card, d.Of(h.Network, tx.Now()).Room(), tx.Now().Add(GuardHeld))
	if err == nil && !free {
		err = ErrHeld
	}
	return err
}

// declineCount is what an attempt that has come to rest means to the limits of its card's scheme.
type declineCount struct {
	merchantID, card string
	decline          *scheme.Decline // nil: it was not declined
	held             bool
}

// CountDecline returns the count for an attempt after a decision, nil if there is nothing to count. decline is nil for any end but a decline, after which
// the card stands at standing. The attempt is marked, so that no decline counts twice. Commit writes the count with the attempt.
func CountDecline(a *payment.Attempt, decline *scheme.Decline, standing scheme.Standing, now time.Time) *declineCount {
	m := a.Details.Scheme
	if m == nil || m.Standing != nil {
		return nil
	}
	if a.Status != payment.AttemptFailure {
		decline = nil
	}
	n := &declineCount{merchantID: a.MerchantID, card: m.Card, decline: decline, held: now.Before(m.HeldUntil)}
	if decline == nil && m.HeldUntil.IsZero() {
		return nil
	}
	marked := *m
	marked.HeldUntil = time.Time{}
	if decline != nil {
		marked.Standing = &standing
	}
	a.Details.Scheme = &marked
	return n
}

// write counts within the transaction. It does nothing for nil.
func (n *declineCount) write(tx Tx) error {
	switch {
	case n == nil:
		return nil
	case n.decline != nil:
		held := 0
		if n.held {
			held = 1
		}
		return tx.CountDecline(n.merchantID, n.card, *n.decline, held)
	case n.held:
		return tx.ReleaseCard(n.merchantID, n.card)
	}
	return nil
}

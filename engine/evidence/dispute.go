package evidence

import (
	"slices"
	"strings"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/disputed"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// maxDisputes bounds the disputes that a payment keeps. Further ones raise the alarm and are not booked.
const maxDisputes = 50

// DisputeBooking is the result of a message about a dispute.
type DisputeBooking struct {
	Payment *payment.Payment // a changed copy, nil if the message says nothing new or cannot be booked
	Claim   payment.Claim    // what the message says, if Payment is set
	Moved   bool             // the dispute is new, or has another stage or status
	Alarm   alarm.Kind       // the alarm to raise, "" for none
}

// BookDispute books a verified message about a dispute of an attempt on a copy of the payment. Messages repeat, and come in any order: an older one
// changes nothing, and the stage never goes back. It is pure.
func BookDispute(p *payment.Payment, attemptID string, said *sdk.Dispute, at, now time.Time) DisputeBooking {
	known := slices.Contains(disputed.DisputeStatuses, said.Status) && (said.Stage == "" || slices.Contains(disputed.Stages, said.Stage))
	named := said.ID != "" && len(said.ID) <= disputed.MaxText && !strings.ContainsRune(said.ID, 0)
	if !known || !named || said.Amount.Minor <= 0 || said.Amount.Minor > max(payment.MaxAmount, p.NetAmount, p.Received) || said.Amount.Currency != p.Currency {
		return DisputeBooking{Alarm: alarm.DisputeNeedsLook}
	}
	n := p.Clone()
	list := slices.Clone(p.Details.Disputes)
	b := DisputeBooking{Payment: n, Moved: true,
		Claim: payment.Claim{ID: said.ID, AttemptID: attemptID, Status: said.Status, Stage: said.Stage, Amount: said.Amount.Minor, At: at}}
	if i := slices.IndexFunc(list, func(d payment.Claim) bool { return d.ID == said.ID && d.AttemptID == attemptID }); i >= 0 {
		was := &list[i]
		if b.Claim.Stage == "" {
			b.Claim.Stage = was.Stage
		}
		if !isNews(&b.Claim, was) {
			return DisputeBooking{}
		}
		b.Claim.Accepting = was.Accepting
		b.Moved = was.Status != b.Claim.Status || was.StageReached() != b.Claim.StageReached()
		if b.Claim.At.IsZero() {
			b.Claim.At = was.At
		}
		list[i] = b.Claim
	} else if len(list) >= maxDisputes {
		return DisputeBooking{Alarm: alarm.DisputeNeedsLook}
	} else {
		list = append(list, b.Claim)
	}
	n.Details.Disputes, n.ModifiedAt = list, now
	if n.Disputed() > p.Disputed() && n.Refundable() < 0 { // the customer gets the money twice unless the merchant answers
		b.Alarm = alarm.DisputeNeedsLook
	}
	return b
}

// isNews reports whether c says more than was: it is of a later stage, or within the stage of a later time. Without times a status follows those
// that come before it in a dispute's life, and of two ends the one that arrives last counts.
func isNews(c, was *payment.Claim) bool {
	if now, before := slices.Index(disputed.Stages, c.StageReached()), slices.Index(disputed.Stages, was.StageReached()); now != before {
		return now > before
	}
	if c.At.IsZero() || was.At.IsZero() || c.At.Equal(was.At) {
		if c.Status == was.Status {
			return c.Amount != was.Amount || !was.At.Equal(c.At) && was.At.IsZero()
		}
		return disputeAge(c.Status) >= disputeAge(was.Status)
	}
	return c.At.After(was.At)
}

// disputeAge orders the statuses of a dispute's life. An expired one may still be decided for the merchant.
func disputeAge(s sdk.DisputeStatus) int {
	switch s {
	case sdk.DisputeOpened:
		return 0
	case sdk.DisputeChallenged:
		return 1
	case sdk.DisputeExpired:
		return 2
	}
	return 3
}

package payment

import "time"

const (
	// MaxAmount is the greatest amount of a payment, in minor units.
	MaxAmount = 999_999_999
	// MaxCaptures is the number of captures of one attempt, after which no further capture is accepted. Failed captures count.
	MaxCaptures = 100
	// MaxRefunds is the number of refunds of one payment, after which no further refund is accepted. Failed refunds count.
	MaxRefunds = 11
	// MaxRefundAge is the age of a payment from which it can no longer be refunded.
	MaxRefundAge = 365 * 24 * time.Hour
	// RefundScheduleDelay is the time from the creation of a scheduled refund to the earliest time at which background work sends it.
	RefundScheduleDelay = 10 * time.Second
	// MinSession, MaxSession and DefaultSession bound session_expiry, in seconds.
	MinSession     = 60
	MaxSession     = 7_890_000
	DefaultSession = 900
	// CardTokenTime is how long payswitch keeps the card of an unconfirmed payment.
	CardTokenTime = 15 * time.Minute
)

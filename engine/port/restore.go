package port

import "time"

// Restore records that the database is a copy: what happened after TakenAt is not in it.
type Restore struct {
	TakenAt   time.Time // when the copy was taken
	StartedAt time.Time // when a node had begun to ask about everything that the copy cannot know, later than all of the copy; zero before
}

// PaymentRow names a payment in the order of a store's rows.
type PaymentRow struct {
	Row            int64
	MerchantID, ID string
	ModifiedAt     time.Time
}

package request

import "time"

// DisputeListInput are the filters for the list of disputes. A zero value does not filter.
type DisputeListInput struct {
	DisputeID, PaymentID, ProfileID, AccountID, Reason string
	Limit                                              int // 1–100; 0 means 10
	Offset                                             int
	From, To                                           time.Time // inclusive
	Connectors, Currencies                             []string
	Stages, Statuses                                   []string // the values of sdk.DisputeStage and sdk.DisputeStatus
}

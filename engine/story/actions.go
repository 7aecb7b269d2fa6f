package story

// Action says whether something may be done with a payment now.
type Action struct {
	Allowed bool
	Most    int64  // minor units; the greatest amount, and the one without another wish
	Partial bool   // less than Most may be asked for
	Why     string // why it is not allowed, in the API's words
}

// Actions are what may be done with a payment now. The API would answer the same.
type Actions struct {
	Capture, Cancel, Refund Action
	Ask                     bool // the processor may be asked what became of the payment
}

package engine

import (
	"encoding/json"
	"time"

	"payswitch/sdk"
)

// MandateTerms are the limits of a mandate. They apply to each charge, but not to the payment that sets the mandate up.
type MandateTerms struct {
	SingleUse bool `json:"single_use,omitempty"` // one charge only
	// Amount is the maximum of one charge, in minor units of Currency. A multi-use mandate without an amount is unlimited; its Currency is
	// "".
	Amount   int64           `json:"amount,omitempty"`
	Currency sdk.Currency    `json:"currency,omitempty"`
	Start    *time.Time      `json:"start,omitempty"` // nil: valid at once
	End      *time.Time      `json:"end,omitempty"`   // nil: no end
	Metadata json.RawMessage `json:"metadata,omitempty"`
}

// chargesStored reports whether a payment with a saved method charges the stored credential. It does if the customer has agreed to
// off-session charges before and does not agree anew.
func chargesStored(p *Payment, in *PaymentInput) bool {
	return p.Details.SetupFutureUsage == usageOffSession && in.Acceptance == nil && in.MandateData == nil
}

// merchantInitiated reports whether the request asks for a charge without the customer.
func merchantInitiated(p *Payment, in *PaymentInput) bool {
	return (in.Recurring != nil || in.MandateID != "") && p.Details.SetupFutureUsage == ""
}

// recurringOf returns recurring_details; mandate_id is another spelling of it.
func recurringOf(in *PaymentInput) *Recurring {
	if in.Recurring == nil && in.MandateID != "" {
		return &Recurring{Type: recurringMandate, ID: in.MandateID}
	}
	return in.Recurring
}

// checkRecurring checks a charge of an earlier credential against the rules of the API, in the order that the API promises.
func checkRecurring(p *Payment, in *PaymentInput) error {
	r := recurringOf(in)
	if r == nil {
		return nil
	}
	named := r.Type == recurringMethod || r.Type == recurringMandate
	off := p.Details.OffSession
	switch {
	case p.Details.SetupFutureUsage != "" && !named:
		return Refused("setup_future_usage cannot be used with recurring_details of type " + r.Type).About("setup_future_usage")
	case p.Details.SetupFutureUsage != "":
		return nil // a customer-initiated payment with a saved method
	case named && off == nil:
		return Missing("off_session")
	case in.Confirm != nil && !*in.Confirm:
		return Refused("`confirm` must be `true` for mandates").About("confirm")
	case off != nil && !*off:
		return Refused("`off_session` should be `true` for mandates").About("off_session")
	}
	return nil
}

// Usages of a stored credential, as the API names them.
const (
	usageOffSession = "off_session"
	usageOnSession  = "on_session"
	discoveredSaved = "saved_card"
)

// checkMandateData checks mandate_data against the rules of the API.
func checkMandateData(p *Payment, in *PaymentInput) error {
	if in.MandateData == nil {
		return nil
	}
	switch a := in.MandateData.Acceptance; {
	case p.CustomerID == "":
		return Refused("customer_id is mandatory for mandates").About("customer_id")
	case p.Details.SetupFutureUsage != usageOffSession:
		return Refused("`setup_future_usage` must be `off_session` for mandates").About("setup_future_usage")
	case p.Private.Acceptance == nil:
		return Missing("mandate_data.customer_acceptance")
	case a != nil && a.Type == "online" && !a.Online:
		return Refused("`mandate_data.customer_acceptance.online` is required when `mandate_data.customer_acceptance.acceptance_type` is `online`").About("mandate_data.customer_acceptance.online")
	}
	return nil
}

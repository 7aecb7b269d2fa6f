package request

import (
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// ChargesStored reports whether a payment with a saved method charges the stored credential. It does if the customer has agreed to
// off-session charges before and does not agree anew.
func ChargesStored(p *payment.Payment, in *Input) bool {
	return p.Details.SetupFutureUsage == sdk.UsageOffSession && in.Acceptance == nil && in.MandateData == nil
}

// MerchantInitiated reports whether the request asks for a charge without the customer.
func MerchantInitiated(p *payment.Payment, in *Input) bool {
	return (in.Recurring != nil || in.MandateID != "") && p.Details.SetupFutureUsage == ""
}

// RecurringOf returns recurring_details; mandate_id is another spelling of it.
func RecurringOf(in *Input) *Recurring {
	if in.Recurring == nil && in.MandateID != "" {
		return &Recurring{Type: RecurringMandate, ID: in.MandateID}
	}
	return in.Recurring
}

// CheckRecurring checks a charge of an earlier credential against the rules of the API, in the order that the API promises.
func CheckRecurring(p *payment.Payment, in *Input) error {
	r := RecurringOf(in)
	if r == nil {
		return nil
	}
	named := r.Type == RecurringMethod || r.Type == RecurringMandate
	off := p.Details.OffSession
	switch {
	case p.Details.SetupFutureUsage != "" && !named:
		return fault.Refused("setup_future_usage cannot be used with recurring_details of type " + string(r.Type)).WithHint("Leave setup_future_usage out.").WithParam("setup_future_usage")
	case p.Details.SetupFutureUsage != "":
		return nil // a customer-initiated payment with a saved method
	case named && off == nil:
		return fault.Missing("off_session")
	case in.Confirm != nil && !*in.Confirm:
		return fault.Refused("`confirm` must be `true` for mandates").WithHint("Send confirm true.").WithParam("confirm")
	case off != nil && !*off:
		return fault.Refused("`off_session` should be `true` for mandates").WithHint("Send off_session true.").WithParam("off_session")
	}
	return nil
}

const DiscoveredSaved = "saved_card"

// checkMandateData checks mandate_data against the rules of the API.
func checkMandateData(p *payment.Payment, in *Input) error {
	if in.MandateData == nil {
		return nil
	}
	switch a := in.MandateData.Acceptance; {
	case p.CustomerID == "":
		return fault.Refused("customer_id is mandatory for mandates").WithHint("Add the field to the request.").WithParam("customer_id")
	case p.Details.SetupFutureUsage != sdk.UsageOffSession:
		return fault.Refused("`setup_future_usage` must be `off_session` for mandates").WithHint("Send setup_future_usage off_session.").WithParam("setup_future_usage")
	case p.Private.Acceptance == nil:
		return fault.Missing("mandate_data.customer_acceptance")
	case a != nil && a.Type == "online" && !a.Online:
		return fault.Refused("`mandate_data.customer_acceptance.online` is required when `mandate_data.customer_acceptance.acceptance_type` is `online`").WithHint("Add the field to the object.").WithParam("mandate_data.customer_acceptance.online")
	}
	return nil
}

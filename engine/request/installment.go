package request

import (
	"fmt"
	"maps"
	"slices"

	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// Plans are the installment plans of one payment method (an item of installment_options).
type Plans struct {
	PaymentMethod string
	Plans         []payment.InstallmentPlan // one for each count, in the order of the request
}

// Installment is installment_data: the plan that the payer chose.
type Installment struct {
	Count     int
	Frequency string
}

func plansOf(list []Plans) []payment.InstallmentPlan {
	var out []payment.InstallmentPlan
	for _, p := range list {
		out = append(out, p.Plans...)
	}
	return out
}

// checkPlans checks that installments are offered for cards alone, and once.
func checkPlans(list []Plans) error {
	refuse := func(what string) error {
		return fault.Unprocessable("installment_options", "invalid installment options: "+what).WithHint("Offer installments for cards, and each plan once.")
	}
	for i, p := range list {
		if p.PaymentMethod != payment.MethodCard {
			return refuse("installment_options is only supported for payment method card.")
		}
		if i > 0 {
			return refuse("duplicate payment_method 'card' in installment_options.")
		}
	}
	return nil
}

// ChooseInstallment books the payer's choice of a plan in a confirm, with its interest. Errors: IR_06 (422) for a plan that the payment does not offer.
func ChooseInstallment(p *payment.Payment, in *Input) error {
	c := in.Installment
	switch {
	case c == nil:
		return nil
	case len(p.Details.Plans) == 0:
		return fault.Unprocessable("installment_data", "Installment options are not configured for this payment").WithHint("Leave installment_data out.")
	case !p.Choose(c.Count, c.Frequency):
		return fault.Unprocessable("installment_data.number_of_installments", fmt.Sprintf("No installment plan found for %d installments with Month billing frequency", c.Count)).WithHint("Send a number of installments that installment_options offers.")
	}
	return nil
}

// WithoutPlans returns the input of a confirm, which offers no installment plans: creates and updates do.
func (in *Input) WithoutPlans() *Input {
	if in.Plans == nil {
		return in
	}
	out := *in
	out.Plans, out.Echo = nil, maps.Clone(in.Echo)
	delete(out.Echo, "installment_options")
	out.Sent = slices.DeleteFunc(slices.Clone(in.Sent), func(name string) bool { return name == "installment_options" })
	return &out
}

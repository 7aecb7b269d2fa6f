package router

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// Payments in installments: what the merchant offers, what the payer chose, and what a checkout shows.

var billingFrequencies = []string{"month"}

// planEntry is an item of installments: one rate for several counts.
type planEntry struct {
	counts    []int64
	frequency string
	rate      int64 // hundredths of a percent
}

var planFields = openObject(
	must(field[planEntry]{key: "number_of_installments", read: func(r *reader, e *planEntry) (err error) {
		if e.counts, err = listOf(integer(1, 255))(r); err != nil {
			return err
		}
		if len(e.counts) == 0 {
			return r.fail("number_of_installments must not be empty.", "Send at least one number.")
		}
		for i, n := range e.counts {
			if slices.Contains(e.counts[:i], n) {
				return r.fail("number_of_installments must contain unique values.", "Send each number once.")
			}
		}
		return nil
	}}),
	must(at("billing_frequency", oneOf(billingFrequencies), func(e *planEntry) *string { return &e.frequency })),
	must(at("interest_rate", interestRate, func(e *planEntry) *int64 { return &e.rate })),
)

var plansFields = openObject(
	must(at("payment_method", oneOf(paymentMethods), func(p *request.Plans) *string { return &p.PaymentMethod })),
	must(field[request.Plans]{key: "installments", read: func(r *reader, p *request.Plans) error {
		entries, err := listOf(planFields.parse)(r)
		if err != nil {
			return err
		}
		for _, e := range entries {
			for _, n := range e.counts {
				if slices.ContainsFunc(p.Plans, func(o payment.InstallmentPlan) bool { return o.Count == int(n) && o.Frequency == e.frequency }) {
					return r.fail("installment count "+strconv.FormatInt(n, 10)+" appears in multiple entries with the same billing frequency.", "Send each number of installments in one entry.")
				}
				p.Plans = append(p.Plans, payment.InstallmentPlan{Count: int(n), Frequency: e.frequency, Rate: e.rate})
			}
		}
		return nil
	}}),
)

// mostInterest is the highest interest_rate, in percent.
const mostInterest = 10_000

var rateHint = "Send percent from 0 to " + strconv.Itoa(mostInterest) + ", with at most two decimals."

// interestRate reads a percentage with at most two decimals, in hundredths of a percent.
func interestRate(r *reader) (int64, error) {
	if r.kind() != '0' {
		return 0, r.wrongType("a number", true)
	}
	text, err := r.token()
	if err != nil {
		return 0, err
	}
	digits := string(text)
	if strings.ContainsAny(digits, "eE") { // an exponent may be too large to write out
		f, _ := strconv.ParseFloat(digits, 64)
		digits = strconv.FormatFloat(f, 'f', -1, 64)
	}
	rate, ok := new(big.Rat).SetString(digits)
	switch {
	case !ok:
		return 0, r.fail("number out of range", rateHint)
	case rate.Sign() < 0:
		return 0, r.fail("interest_rate must not be negative.", rateHint)
	case rate.Cmp(big.NewRat(mostInterest, 1)) > 0:
		return 0, r.fail("interest_rate must be at most "+strconv.Itoa(mostInterest)+".", rateHint)
	case !rate.Mul(rate, big.NewRat(100, 1)).IsInt():
		return 0, r.fail("interest_rate must have at most 2 decimal places.", rateHint)
	}
	return rate.Num().Int64(), nil
}

var installmentFields = openObject(
	must(field[request.Installment]{key: "number_of_installments", read: func(r *reader, c *request.Installment) error {
		n, err := integer(1, 255)(r)
		c.Count = int(n)
		return err
	}}),
	must(at("billing_frequency", oneOf(billingFrequencies), func(c *request.Installment) *string { return &c.Frequency })),
)

// writeInstallment writes the plan that the payer chose, null without one.
func writeInstallment(w *writer, i *payment.Installment) {
	if i == nil {
		w.null("installment_data")
		return
	}
	w.key("installment_data").open().int("number_of_installments", int64(i.Count)).str("billing_frequency", i.Frequency)
	w.int("installment_interest", i.Interest).close()
}

// writePlans writes the plans of a payment with what each costs, for the checkout. It writes null where no connector on offer takes installments in the
// payment's currency.
func (s *Server) writePlans(w *writer, p *payment.Payment, offers []*offer) {
	plans := p.Details.Plans
	if len(plans) == 0 || !slices.ContainsFunc(offers, func(o *offer) bool { return o.method == payment.MethodCard && s.takesInstallments(o, p.Currency) }) {
		w.null("installment_options")
		return
	}
	major := func(key string, minor int64) {
		w.raw(key, []byte(sdk.Money{Minor: minor, Currency: p.Currency}.Major()))
	}
	w.key("installment_options").openList().open().str("payment_method", payment.MethodCard).key("available_plans").openList()
	for _, plan := range plans {
		total := p.NetAmount - p.Details.InstallmentInterest() + plan.Interest(p.Amount)
		w.open().int("number_of_installments", int64(plan.Count)).str("billing_frequency", plan.Frequency)
		w.raw("interest_rate", []byte(big.NewRat(plan.Rate, 100).FloatString(2))).key("amount_details").open()
		major("amount_per_installment", plan.Part(total))
		major("total_amount", total)
		w.close().close()
	}
	w.closeList().close().closeList()
}

// takesInstallments reports whether a connector of the offer takes installments in a currency.
func (s *Server) takesInstallments(o *offer, currency sdk.Currency) bool {
	return slices.ContainsFunc(o.connectors(), func(connector string) bool {
		info, loaded := s.Connectors.Adapter(connector)
		return loaded && slices.Contains(info.Manifest.Features.Installments, currency)
	})
}

package payment

import (
	"math/big"
	"slices"
)

// InstallmentPlan is a way to pay in equal monthly parts that the merchant offers for a payment.
type InstallmentPlan struct {
	Count     int    `json:"count"`     // number of parts, 1 to 255
	Frequency string `json:"frequency"` // billing_frequency: month
	Rate      int64  `json:"rate"`      // interest of one period, in hundredths of a percent
}

// Installment is the plan that the payer chose in the latest confirm, and what it costs beyond the payment's amount.
type Installment struct {
	InstallmentPlan
	Interest int64 `json:"interest"` // minor units
}

// Interest returns what the plan costs beyond the principal, both in minor units. The parts are those of an annuity: with r as the rate of a period,
// principal · r · (1+r)^n / ((1+r)^n − 1) each. The result is exact and rounded up; no float takes part.
func (p InstallmentPlan) Interest(principal int64) int64 {
	if p.Rate == 0 {
		return 0
	}
	const unit = 10_000 // 100 percent
	n := big.NewInt(int64(p.Count))
	grown := new(big.Int).Exp(big.NewInt(unit+p.Rate), n, nil)
	total := new(big.Int).Mul(grown, n)
	total.Mul(total, big.NewInt(principal)).Mul(total, big.NewInt(p.Rate))
	grown.Sub(grown, new(big.Int).Exp(big.NewInt(unit), n, nil)).Mul(grown, big.NewInt(unit))
	return total.Add(total, grown).Sub(total, big.NewInt(1)).Div(total, grown).Int64() - principal
}

// Part returns one part of total, rounded up.
func (p InstallmentPlan) Part(total int64) int64 {
	return (total + int64(p.Count) - 1) / int64(p.Count)
}

// Choose makes a plan the one that the payer pays by, and adds its interest to the net amount. It reports whether the payment offers such a plan.
func (p *Payment) Choose(count int, frequency string) bool {
	i := slices.IndexFunc(p.Details.Plans, func(o InstallmentPlan) bool { return o.Count == count && o.Frequency == frequency })
	if i < 0 {
		return false
	}
	plan := p.Details.Plans[i]
	p.Details.Installment = &Installment{plan, plan.Interest(p.Amount)}
	p.NetAmount += p.Details.Installment.Interest
	return true
}

// InstallmentInterest returns the interest in the net amount, in minor units; 0 without a chosen plan.
func (d *Details) InstallmentInterest() int64 {
	if d.Installment == nil {
		return 0
	}
	return d.Installment.Interest
}

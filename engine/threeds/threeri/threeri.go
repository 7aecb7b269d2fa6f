package threeri

import (
	"payswitch/engine/threeds"
)

// MIT is the purpose of a merchant-initiated payment. The first four are the API's mit_category.
type MIT string

const (
	MITRecurring    MIT = "recurring"
	MITInstallment  MIT = "installment"
	MITUnscheduled  MIT = "unscheduled"
	MITResubmission MIT = "resubmission"
	MITSplit        MIT = "split_shipment" // split or delayed shipment
	MITTopUp        MIT = "top_up"
	MITAccountCheck MIT = "account_verification" // without an amount
)

// Indicator returns threeRIInd. A payment without a purpose, or with an unknown one, is "other payment".
func (m MIT) Indicator() string {
	switch m {
	case MITRecurring:
		return "01"
	case MITInstallment:
		return "02"
	case MITAccountCheck:
		return "05"
	case MITSplit:
		return "06"
	case MITTopUp:
		return "07"
	}
	return "11"
}

// Request holds the facts about a merchant-initiated payment before its authorization.
type Request struct {
	Kind MIT
	// Supported is true if the authenticator offers 3RI (its manifest's channels include it).
	Supported bool
	// PriorReference is the acsTransID of the authentication of the saved method's first use, "" if that was not authenticated.
	PriorReference string
	// ProcessorTakes is true if the routed processor accepts an authentication's result.
	ProcessorTakes bool
	ZeroAmount     bool
}

// Plan says whether, and as what, to authenticate a merchant-initiated payment.
type Plan struct {
	Run       bool
	Indicator string // threeRIInd, with Run
	Category  string // message category, with Run
	// ErrorCode is set if the profile requires an authentication that is not possible: the payment fails.
	ErrorCode string
	Reason    string // the reason for no authentication, for the record: "" with Run
}

// NewPlan decides whether to authenticate a merchant-initiated payment without its payer. Decide, with the channel ThreeRI, decides on
// the answer. Y and A prove the authentication to the processor, in addition to the network transaction id. N and R fail. Without an answer
// the payment goes on unauthenticated, unless the profile requires authentication.
func NewPlan(cfg threeds.Config, r Request) Plan {
	no := func(reason string) Plan {
		p := Plan{Reason: reason}
		if cfg.ThreeRIForMIT == threeds.RuleMandatory {
			p.ErrorCode = threeds.CodeUnavailable
		}
		return p
	}
	switch {
	case cfg.ThreeRIForMIT != threeds.RuleOn && cfg.ThreeRIForMIT != threeds.RuleMandatory:
		return no("three_ri_off")
	case !r.Supported:
		return no("not_supported_by_authenticator")
	case !r.ProcessorTakes:
		return no("not_supported_by_processor")
	case r.PriorReference == "":
		return no("first_use_not_authenticated")
	}
	p := Plan{Run: true, Indicator: r.Kind.Indicator(), Category: threeds.Payment}
	if r.ZeroAmount || r.Kind == MITAccountCheck {
		p.Category = threeds.NonPayment
		if r.Kind != MITRecurring && r.Kind != MITInstallment {
			p.Indicator = MITAccountCheck.Indicator()
		}
	}
	return p
}

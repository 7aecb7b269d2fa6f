package threeds

// MIT is what a merchant-initiated payment is for. The first four are the API's mit_category.
type MIT string

const (
	MITRecurring    MIT = "recurring"
	MITInstallment  MIT = "installment"
	MITUnscheduled  MIT = "unscheduled"
	MITResubmission MIT = "resubmission"
	MITSplit        MIT = "split_shipment" // split or delayed shipment
	MITTopUp        MIT = "top_up"
	MITAccountCheck MIT = "account_verification" // nothing is paid
)

// Indicator is threeRIInd. What is of no kind, or of one we do not know, is "other payment".
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

// ThreeRIRequest is what is known of a merchant-initiated payment before it is authorized.
type ThreeRIRequest struct {
	Kind MIT
	// Supported says that the authenticator asks on the merchant's behalf (its manifest's channels hold 3RI).
	Supported bool
	// PriorReference is acsTransID of the authentication that the saved method was first used with, "" if it was not authenticated.
	PriorReference string
	// ProcessorTakes says that the routed processor takes an authentication's result.
	ProcessorTakes bool
	ZeroAmount     bool
}

// ThreeRIPlan is whether and as what a merchant-initiated payment is authenticated.
type ThreeRIPlan struct {
	Run       bool
	Indicator string // threeRIInd, with Run
	Category  string // message category, with Run
	// ErrorCode is set where the profile insists on authentication and there can be none: the payment fails.
	ErrorCode string
	Reason    string // why not, for the record: "" with Run
}

// PlanThreeRI decides whether a merchant-initiated payment is authenticated without its payer. What its answer leads to is Decide's to
// say, with the channel ThreeRI: Y and A are the authorization's proof, beside the network transaction id; N and R fail; without an
// answer the payment goes on as it would have, unless the profile insists.
func PlanThreeRI(cfg Config, r ThreeRIRequest) ThreeRIPlan {
	no := func(reason string) ThreeRIPlan {
		p := ThreeRIPlan{Reason: reason}
		if cfg.ThreeRIForMIT == RuleMandatory {
			p.ErrorCode = CodeUnavailable
		}
		return p
	}
	switch {
	case cfg.ThreeRIForMIT != RuleOn && cfg.ThreeRIForMIT != RuleMandatory:
		return no("three_ri_off")
	case !r.Supported:
		return no("not_supported_by_authenticator")
	case !r.ProcessorTakes:
		return no("not_supported_by_processor")
	case r.PriorReference == "":
		return no("first_use_not_authenticated")
	}
	p := ThreeRIPlan{Run: true, Indicator: r.Kind.Indicator(), Category: Payment}
	if r.ZeroAmount || r.Kind == MITAccountCheck {
		p.Category = NonPayment
		if r.Kind != MITRecurring && r.Kind != MITInstallment {
			p.Indicator = MITAccountCheck.Indicator()
		}
	}
	return p
}

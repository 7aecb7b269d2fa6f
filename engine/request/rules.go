package request

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// CheckCreate checks a create request against the rules of the API, in the order that the API promises.
func CheckCreate(in *Input) error {
	if in.Currency == "" {
		return fault.Missing("currency")
	}
	if in.Amount == nil {
		return fault.Missing("amount")
	}
	if err := CheckMethod(in); err != nil {
		return err
	}
	if payment.IsTrue(in.Confirm) && !HasInstrument(in) {
		return fault.Unprocessable("payment_method_data", "A payment token or payment method data or ctp service details is required")
	}
	return CheckCommon(in, *in.Amount)
}

// CheckMethod checks that the payment method fields of a create, update or confirm fit together.
func CheckMethod(in *Input) error {
	switch {
	case in.HasMethodData && in.PaymentMethod == "":
		return fault.Missing("payment_method")
	case in.PaymentMethod != "" && in.PaymentMethod != payment.MethodCard && in.PaymentMethodType == "":
		return fault.Missing("payment_method_type")
	case in.PaymentMethod != "" && !HasInstrument(in):
		return fault.Missing("payment_method_data")
	case in.PaymentMethodType != "" && in.PaymentMethod == payment.MethodCard && in.PaymentMethodType != "credit" && in.PaymentMethodType != "debit":
		return fault.Unprocessable("payment_method_type", "payment_method_type doesn't correspond to the specified payment_method").
			WithHint(`For payment_method "card", send "credit" or "debit".`)
	}
	return nil
}

func HasInstrument(in *Input) bool {
	return in.HasMethodData || in.PaymentToken != "" || in.Recurring != nil || in.MandateID != ""
}

// CheckCommon checks the rules that create, update and confirm share. amount is the payment's order amount.
func CheckCommon(in *Input, amount int64) error {
	switch {
	case in.CaptureMethod == payment.CaptureScheduled:
		return fault.NotImplemented("capture_method: scheduled").About("capture_method")
	case amount > payment.MaxAmount:
		return fault.Refused("amount should be less than or equal to " + strconv.Itoa(payment.MaxAmount)).About("amount")
	case in.SessionExpiry != nil && (*in.SessionExpiry < payment.MinSession || *in.SessionExpiry > payment.MaxSession):
		return fault.Unprocessable("session_expiry", "session_expiry should be between "+strconv.Itoa(payment.MinSession)+" and "+strconv.Itoa(payment.MaxSession)+" seconds")
	case in.Recurring != nil && (in.PaymentToken != "" || in.MandateID != ""):
		return fault.Refused("Expected one out of recurring_details, payment_token and mandate_id but got more than one").About("recurring_details")
	case in.Recurring != nil && in.MandateData != nil:
		return &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "Mandate Validation Failed", Reason: "Expected one out of recurring_details and mandate_data but got both",
			Param: "mandate_data"}
	case in.External3DS != nil && *in.External3DS && in.AuthenticationType == payment.AuthenticationNoThreeDS:
		return fault.Refused("request_external_three_ds_authentication needs authentication_type three_ds").About("authentication_type")
	}
	return checkCustomer(in)
}

// checkCustomer refuses an attribute that comes at top level and in customer with different values.
func checkCustomer(in *Input) error {
	c := in.Customer
	if c == nil {
		return nil
	}
	for _, f := range []struct{ name, top, inner string }{
		{"customer_id", in.CustomerID, c.ID}, {"name", in.Name, c.Name}, {"email", in.Email, c.Email}, {"phone", in.Phone, c.Phone},
		{"phone_country_code", in.PhoneCountryCode, c.PhoneCountryCode},
	} {
		if f.top != "" && f.inner != "" && f.top != f.inner {
			return fault.Refused("The field name `" + f.name + "` sent in both places is ambiguous").About("customer." + strings.TrimPrefix(f.name, "customer_"))
		}
	}
	return nil
}

// CheckAmountToCapture checks amount_to_capture against the amount, before the rule of automatic capture. The API words the error of create
// and update differently.
func CheckAmountToCapture(toCapture *int64, amount, net int64, method payment.CaptureMethod, create bool) error {
	if toCapture == nil {
		return nil
	}
	if *toCapture > amount && *toCapture > net {
		if create {
			return fault.BadFormat("amount_to_capture", "amount_to_capture lesser than amount")
		}
		return fault.BadFormat("amount_to_capture", "amount_to_capture lesser than or equal to amount")
	}
	if method == payment.CaptureAutomatic && *toCapture != amount && *toCapture != net {
		return fault.Refused("amount_to_capture must be equal to amount when capture_method = automatic").About("amount_to_capture")
	}
	return nil
}

// Apply copies the fields that the request sent into the payment. Fields that the request left out keep their value.
func (in *Input) Apply(p *payment.Payment) {
	d, v := &p.Details, p.Private
	if in.Amount != nil {
		p.Amount = *in.Amount
	}
	if in.Currency != "" {
		p.Currency = in.Currency
	}
	payment.SetText(&d.CaptureMethod, in.CaptureMethod)
	payment.SetText(&d.AuthenticationType, in.AuthenticationType)
	payment.SetText(&d.SetupFutureUsage, in.SetupFutureUsage)
	payment.SetText(&d.PaymentType, in.PaymentType)
	payment.SetText(&d.Description, in.Description)
	payment.SetText(&d.DescriptorName, in.DescriptorName)
	payment.SetText(&d.DescriptorSuffix, in.DescriptorSuffix)
	payment.SetText(&d.ReturnURL, in.ReturnURL)
	payment.SetText(&d.OrderReference, in.OrderReference)
	payment.SetPtr(&d.OffSession, in.OffSession)
	payment.SetPtr(&d.AmountToCapture, in.AmountToCapture)
	payment.SetPtr(&d.ShippingCost, in.ShippingCost)
	payment.SetPtr(&d.OrderTaxAmount, in.OrderTaxAmount)
	if in.SurchargeAmount != 0 {
		d.SurchargeAmount = in.SurchargeAmount
	}
	if in.External3DS != nil {
		d.External3DS = *in.External3DS
	}
	if d.External3DS && d.AuthenticationType == "" {
		d.AuthenticationType = payment.AuthenticationThreeDS // the flag alone asks for 3-D Secure
	}
	if in.Metadata != nil {
		d.Metadata = in.Metadata
	}
	payment.SetPtr(&d.Routing, in.Routing)
	payment.SetText(&d.MITCategory, in.MITCategory)
	payment.SetText(&d.SCAExemption, in.SCAExemption)
	payment.SetPtr(&d.ProfileAcquirerID, in.ProfileAcquirerID)
	payment.SetPtr(&d.StoredCredential, in.StoredCredential)
	payment.SetPtr(&d.Force3DSChallenge, in.Force3DSChallenge)
	payment.SetPtr(&d.RiskAccepted, in.RiskAccepted)
	for k, r := range in.Echo {
		if d.Echo == nil {
			d.Echo = map[string]json.RawMessage{}
		}
		d.Echo[k] = r
	}
	payment.SetPtr(&v.Billing, in.Billing)
	payment.SetPtr(&v.Shipping, in.Shipping)
	payment.SetPtr(&v.Browser, in.Browser)
	payment.SetPtr(&v.MethodBilling, in.MethodBilling)
	payment.SetPtr(&v.Acceptance, in.Acceptance)
	if m := in.MandateData; m != nil {
		payment.SetPtr(&v.Acceptance, m.Acceptance)
		d.Mandate = &m.Terms
	}
	in.applyCustomer(p)
	p.NetAmount = p.Amount + valueOf(d.ShippingCost) + valueOf(d.OrderTaxAmount) + d.SurchargeAmount
}

func (in *Input) applyCustomer(p *payment.Payment) {
	id := in.CustomerID
	c := payment.CustomerInput{Name: in.Name, Email: in.Email, Phone: in.Phone, PhoneCountryCode: in.PhoneCountryCode}
	if in.Customer != nil {
		payment.SetText(&id, in.Customer.ID)
		payment.SetText(&c.Name, in.Customer.Name)
		payment.SetText(&c.Email, in.Customer.Email)
		payment.SetText(&c.Phone, in.Customer.Phone)
		payment.SetText(&c.PhoneCountryCode, in.Customer.PhoneCountryCode)
	}
	payment.SetText(&p.CustomerID, id)
	if c == (payment.CustomerInput{}) && id == "" {
		return
	}
	var out payment.CustomerInput
	if p.Private.Customer != nil {
		out = *p.Private.Customer
	}
	out.ID = p.CustomerID
	payment.SetText(&out.Name, c.Name)
	payment.SetText(&out.Email, c.Email)
	payment.SetText(&out.Phone, c.Phone)
	payment.SetText(&out.PhoneCountryCode, c.PhoneCountryCode)
	p.Private.Customer = &out
}

func valueOf(v *int64) int64 {
	if v == nil {
		return 0
	}
	return *v
}

// CheckConfirm checks the rules that apply only when the card is charged.
func CheckConfirm(p *payment.Payment, in *Input) error {
	d := &p.Details
	switch {
	case d.SetupFutureUsage != "" && p.CustomerID == "":
		return fault.Refused("customer_id is mandatory when setup_future_usage is given").About("customer_id")
	case in.PaymentMethod != "" && in.PaymentMethod != payment.MethodCard:
		return fault.NoConnector("only cards are taken").About("payment_method")
	}
	if err := checkMandateData(p, in); err != nil {
		return err
	}
	return CheckRecurring(p, in)
}

func SessionOf(in *Input, profileSeconds int64) time.Duration {
	s := int64(payment.DefaultSession)
	if profileSeconds > 0 {
		s = profileSeconds
	}
	if in.SessionExpiry != nil {
		s = *in.SessionExpiry
	}
	return time.Duration(s) * time.Second
}

func StatusList(s ...payment.Status) string {
	out := make([]string, len(s))
	for i, v := range s {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}

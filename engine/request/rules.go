package request

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/optional"
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
	if optional.IsTrue(in.Confirm) && (in.Plans != nil || in.Installment != nil) {
		return fault.Unprocessable("installment_options", "installment_options and installment_data are not supported when confirm is true.").
			WithHint("Create the payment with installment_options, and send installment_data in its confirm.")
	}
	if err := CheckMethod(in); err != nil {
		return err
	}
	if optional.IsTrue(in.Confirm) && !HasInstrument(in) && !optional.IsTrue(in.PaymentLink) { // checkLink refuses a link's confirm
		return fault.Unprocessable("payment_method_data", "A payment token or payment method data or ctp service details is required").WithHint("Send payment_method_data, or payment_token.")
	}
	if err := CheckCommon(in, *in.Amount); err != nil {
		return err
	}
	return checkLink(in)
}

// checkLink checks what a create with a payment link needs.
func checkLink(in *Input) error {
	switch {
	case !optional.IsTrue(in.PaymentLink):
		return nil
	case optional.IsTrue(in.Confirm):
		return fault.Unprocessable("confirm", "cannot confirm a payment while creating a payment link").WithHint("Send confirm false, or leave it out.")
	case in.ReturnURL == "":
		return fault.Unprocessable("return_url", "return_url must be sent while creating a payment link").WithHint("Add the field to the request.")
	}
	return nil
}

// ApplyUpdate checks an update of a payment that is not confirmed yet, and applies it.
func ApplyUpdate(p *payment.Payment, in *Input) error {
	amount := p.Amount
	if in.Amount != nil {
		amount = *in.Amount
	}
	if in.Currency != "" {
		p.Currency = in.Currency
	}
	if err := Repeated(p, in); err != nil {
		return err
	}
	if err := CheckMethod(in); err != nil {
		return err
	}
	if err := CheckCommon(in, amount); err != nil {
		return err
	}
	in.Apply(p)
	if err := CheckOvercapture(p, in, p.Details.CaptureMethod); err != nil {
		return err
	}
	return CheckAmountToCapture(p.Details.AmountToCapture, p.Amount, p.NetAmount, p.Details.CaptureMethod, false)
}

// Repeated refuses another currency in a confirm, and another profile in a confirm or an update: both fields may only repeat what the payment has.
func Repeated(p *payment.Payment, in *Input) error {
	switch {
	case in.Currency != "" && in.Currency != p.Currency:
		return fault.Refused("You cannot change the currency of this payment in a confirm").WithParam("currency").
			WithHint("Leave the field out, or change the currency in an update before the confirm.")
	case in.ProfileID != "" && in.ProfileID != p.ProfileID:
		return fault.Refused("You cannot change the profile of this payment").WithParam("profile_id").
			WithHint("Leave the field out, or create another payment with this profile.")
	}
	return nil
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
	case in.PaymentMethodType != "" && in.PaymentMethod != "":
		if types := MethodTypes(in.PaymentMethod); !slices.Contains(types, in.PaymentMethodType) {
			return fault.Unprocessable("payment_method_type", "payment_method_type doesn't correspond to the specified payment_method").
				WithHint("For payment_method " + strconv.Quote(in.PaymentMethod) + ", send one of: " + strings.Join(types, ", ") + ".")
		}
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
		return fault.NotImplemented("capture_method: scheduled").WithParam("capture_method")
	case amount > payment.MaxAmount:
		return fault.Refused("amount should be less than or equal to " + strconv.Itoa(payment.MaxAmount)).WithParam("amount").
			WithHint("Send a whole number from 0 to " + strconv.Itoa(payment.MaxAmount) + ".")
	case in.SessionExpiry != nil && (*in.SessionExpiry < payment.MinSession || *in.SessionExpiry > payment.MaxSession):
		return fault.Unprocessable("session_expiry", "session_expiry should be between "+strconv.Itoa(payment.MinSession)+" and "+strconv.Itoa(payment.MaxSession)+" seconds").
			WithHint("Send a whole number of seconds from " + strconv.Itoa(payment.MinSession) + " to " + strconv.Itoa(payment.MaxSession) + ".")
	case in.Recurring != nil && (in.PaymentToken != "" || in.MandateID != ""):
		return fault.Refused("Expected one out of recurring_details, payment_token and mandate_id but got more than one").WithParam("recurring_details").WithHint("Send one of the three.")
	case in.Recurring != nil && in.MandateData != nil:
		return &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "Mandate Validation Failed", Reason: "Expected one out of recurring_details and mandate_data but got both",
			Param: "mandate_data", Hint: "Send one of the two."}
	case optional.IsTrue(in.Incremental) && (in.CaptureMethod == payment.CaptureAutomatic || in.CaptureMethod == payment.CaptureSequentialAutomatic):
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_19", Message: "Payment method type not supported", Param: "request_incremental_authorization",
			Reason: "incremental authorization is not supported when capture_method is automatic", Hint: "Send capture_method manual."}
	case in.External3DS != nil && *in.External3DS && in.AuthenticationType == payment.AuthenticationNoThreeDS:
		return fault.Refused("request_external_three_ds_authentication needs authentication_type three_ds").WithParam("authentication_type").WithHint("Send three_ds, or leave the field out.")
	}
	if err := checkPlans(in.Plans); err != nil {
		return err
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
			return fault.Refused("The field name `" + f.name + "` sent in both places is ambiguous").WithParam("customer." + strings.TrimPrefix(f.name, "customer_")).
				WithHint("Send the field once: at the top level or in customer.")
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
		return fault.Refused("amount_to_capture must be equal to amount when capture_method = automatic").WithParam("amount_to_capture").WithHint("Leave the field out, or send capture_method manual.")
	}
	return nil
}

// CheckConfirm checks the rules that apply only when the card is charged.
func CheckConfirm(p *payment.Payment, in *Input) error {
	d := &p.Details
	switch {
	case d.SetupFutureUsage != "" && p.CustomerID == "":
		return fault.Refused("customer_id is mandatory when setup_future_usage is given").WithHint("Add the field to the request.").WithParam("customer_id")
	case in.PaymentMethod != "" && in.PaymentMethod != payment.MethodCard:
		return fault.NoConnector("only cards are taken").WithParam("payment_method")
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

// CheckOvercapture sets enable_overcapture from a create or an update, which clears it if it is absent. It refuses the wish for a payment that is not
// captured by one later call. method is the request's capture method on a create, and the payment's on an update.
func CheckOvercapture(p *payment.Payment, in *Input, method payment.CaptureMethod) error {
	if optional.IsTrue(in.Overcapture) && method != payment.CaptureManual {
		return fault.Refused("Invalid overcapture request: supported only with manual capture").WithHint("Send capture_method manual.").WithParam("enable_overcapture")
	}
	p.Details.Overcapture = in.Overcapture
	return nil
}

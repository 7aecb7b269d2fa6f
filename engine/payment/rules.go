package payment

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/fault"
)

const (
	CaptureAutomatic           = "automatic"
	CaptureManual              = "manual"
	CaptureManualMultiple      = "manual_multiple"
	captureScheduled           = "scheduled"
	captureSequentialAutomatic = "sequential_automatic"

	AuthenticationThreeDS   = "three_ds"
	AuthenticationNoThreeDS = "no_three_ds"

	maxAmount        = 999_999_999 // minor units
	minSession       = 60
	maxSession       = 7_890_000
	DefaultSession   = 900
	MethodCard       = "card"
	setupMandate     = "setup_mandate"
	DiscoveredManual = "manual"
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
	if IsTrue(in.Confirm) && !HasInstrument(in) {
		return fault.Unprocessable("payment_method_data", "A payment token or payment method data or ctp service details is required")
	}
	return CheckCommon(in, *in.Amount)
}

// CheckMethod checks that the payment method fields of a create, update or confirm fit together.
func CheckMethod(in *Input) error {
	switch {
	case in.HasMethodData && in.PaymentMethod == "":
		return fault.Missing("payment_method")
	case in.PaymentMethod != "" && in.PaymentMethod != MethodCard && in.PaymentMethodType == "":
		return fault.Missing("payment_method_type")
	case in.PaymentMethod != "" && !HasInstrument(in):
		return fault.Missing("payment_method_data")
	case in.PaymentMethodType != "" && in.PaymentMethod == MethodCard && in.PaymentMethodType != "credit" && in.PaymentMethodType != "debit":
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
	case in.CaptureMethod == captureScheduled:
		return fault.NotImplemented("capture_method: scheduled").About("capture_method")
	case amount > maxAmount:
		return fault.Refused("amount should be less than or equal to " + strconv.Itoa(maxAmount)).About("amount")
	case in.SessionExpiry != nil && (*in.SessionExpiry < minSession || *in.SessionExpiry > maxSession):
		return fault.Unprocessable("session_expiry", "session_expiry should be between "+strconv.Itoa(minSession)+" and "+strconv.Itoa(maxSession)+" seconds")
	case in.Recurring != nil && (in.PaymentToken != "" || in.MandateID != ""):
		return fault.Refused("Expected one out of recurring_details, payment_token and mandate_id but got more than one").About("recurring_details")
	case in.Recurring != nil && in.MandateData != nil:
		return &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "Mandate Validation Failed", Reason: "Expected one out of recurring_details and mandate_data but got both",
			Param: "mandate_data"}
	case in.External3DS != nil && *in.External3DS && in.AuthenticationType == AuthenticationNoThreeDS:
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
func CheckAmountToCapture(toCapture *int64, amount, net int64, method string, create bool) error {
	if toCapture == nil {
		return nil
	}
	if *toCapture > amount && *toCapture > net {
		if create {
			return fault.BadFormat("amount_to_capture", "amount_to_capture lesser than amount")
		}
		return fault.BadFormat("amount_to_capture", "amount_to_capture lesser than or equal to amount")
	}
	if method == CaptureAutomatic && *toCapture != amount && *toCapture != net {
		return fault.Refused("amount_to_capture must be equal to amount when capture_method = automatic").About("amount_to_capture")
	}
	return nil
}

// Apply copies the fields that the request sent into the payment. Fields that the request left out keep their value.
func (in *Input) Apply(p *Payment) {
	d, v := &p.Details, p.Private
	if in.Amount != nil {
		p.Amount = *in.Amount
	}
	if in.Currency != "" {
		p.Currency = in.Currency
	}
	SetText(&d.CaptureMethod, in.CaptureMethod)
	SetText(&d.AuthenticationType, in.AuthenticationType)
	SetText(&d.SetupFutureUsage, in.SetupFutureUsage)
	SetText(&d.PaymentType, in.PaymentType)
	SetText(&d.Description, in.Description)
	SetText(&d.DescriptorName, in.DescriptorName)
	SetText(&d.DescriptorSuffix, in.DescriptorSuffix)
	SetText(&d.ReturnURL, in.ReturnURL)
	SetText(&d.OrderReference, in.OrderReference)
	SetPtr(&d.OffSession, in.OffSession)
	SetPtr(&d.AmountToCapture, in.AmountToCapture)
	SetPtr(&d.ShippingCost, in.ShippingCost)
	SetPtr(&d.OrderTaxAmount, in.OrderTaxAmount)
	if in.SurchargeAmount != 0 {
		d.SurchargeAmount = in.SurchargeAmount
	}
	if in.External3DS != nil {
		d.External3DS = *in.External3DS
	}
	if d.External3DS && d.AuthenticationType == "" {
		d.AuthenticationType = AuthenticationThreeDS // the flag alone asks for 3-D Secure
	}
	if in.Metadata != nil {
		d.Metadata = in.Metadata
	}
	SetPtr(&d.Routing, in.Routing)
	for k, r := range in.Echo {
		if d.Echo == nil {
			d.Echo = map[string]json.RawMessage{}
		}
		d.Echo[k] = r
	}
	SetPtr(&v.Billing, in.Billing)
	SetPtr(&v.Shipping, in.Shipping)
	SetPtr(&v.Browser, in.Browser)
	SetPtr(&v.MethodBilling, in.MethodBilling)
	SetPtr(&v.Acceptance, in.Acceptance)
	if m := in.MandateData; m != nil {
		SetPtr(&v.Acceptance, m.Acceptance)
		d.Mandate = &m.Terms
	}
	in.applyCustomer(p)
	p.NetAmount = p.Amount + valueOf(d.ShippingCost) + valueOf(d.OrderTaxAmount) + d.SurchargeAmount
}

func (in *Input) applyCustomer(p *Payment) {
	id := in.CustomerID
	c := CustomerInput{Name: in.Name, Email: in.Email, Phone: in.Phone, PhoneCountryCode: in.PhoneCountryCode}
	if in.Customer != nil {
		SetText(&id, in.Customer.ID)
		SetText(&c.Name, in.Customer.Name)
		SetText(&c.Email, in.Customer.Email)
		SetText(&c.Phone, in.Customer.Phone)
		SetText(&c.PhoneCountryCode, in.Customer.PhoneCountryCode)
	}
	SetText(&p.CustomerID, id)
	if c == (CustomerInput{}) && id == "" {
		return
	}
	var out CustomerInput
	if p.Private.Customer != nil {
		out = *p.Private.Customer
	}
	out.ID = p.CustomerID
	SetText(&out.Name, c.Name)
	SetText(&out.Email, c.Email)
	SetText(&out.Phone, c.Phone)
	SetText(&out.PhoneCountryCode, c.PhoneCountryCode)
	p.Private.Customer = &out
}

func SetPtr[T any](to **T, v *T) {
	if v != nil {
		*to = v
	}
}

func valueOf(v *int64) int64 {
	if v == nil {
		return 0
	}
	return *v
}

func IsTrue(b *bool) bool { return b != nil && *b }

// HolderOf returns the card holder's name: the typed one, else the name of the billing address.
func HolderOf(typed string, billing *Contact) string {
	if typed != "" || billing == nil || billing.Address == nil {
		return typed
	}
	return strings.TrimSpace(billing.Address.FirstName + " " + billing.Address.LastName)
}

// CheckConfirm checks the rules that apply only when the card is charged.
func CheckConfirm(p *Payment, in *Input) error {
	d := &p.Details
	switch {
	case d.SetupFutureUsage != "" && p.CustomerID == "":
		return fault.Refused("customer_id is mandatory when setup_future_usage is given").About("customer_id")
	case in.PaymentMethod != "" && in.PaymentMethod != MethodCard:
		return fault.NoConnector("only cards are taken").About("payment_method")
	}
	if err := checkMandateData(p, in); err != nil {
		return err
	}
	return CheckRecurring(p, in)
}

func SessionOf(in *Input, profileSeconds int64) time.Duration {
	s := int64(DefaultSession)
	if profileSeconds > 0 {
		s = profileSeconds
	}
	if in.SessionExpiry != nil {
		s = *in.SessionExpiry
	}
	return time.Duration(s) * time.Second
}

func StatusList(s ...Status) string {
	out := make([]string, len(s))
	for i, v := range s {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}

func MatchSecret(p *Payment, secret string, now time.Time) error {
	hash := sha256.Sum256([]byte(secret))
	if subtle.ConstantTimeCompare(hash[:], p.ClientSecretHash) != 1 {
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_09", Message: "The client_secret provided does not match the client_secret associated with the Payment", Param: "client_secret"}
	}
	if !now.Before(p.ExpiresAt) {
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_08", Message: "The provided client_secret has expired", Param: "client_secret"}
	}
	return nil
}

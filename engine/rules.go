package engine

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

const (
	captureAutomatic           = "automatic"
	captureManual              = "manual"
	captureManualMultiple      = "manual_multiple"
	captureScheduled           = "scheduled"
	captureSequentialAutomatic = "sequential_automatic"

	authenticationThreeDS   = "three_ds"
	authenticationNoThreeDS = "no_three_ds"

	maxAmount        = 999_999_999 // minor units
	minSession       = 60
	maxSession       = 7_890_000
	defaultSession   = 900
	methodCard       = "card"
	setupMandate     = "setup_mandate"
	discoveredManual = "manual"
)

// checkCreate checks a create request against the rules of the API, in the order that the API promises.
func checkCreate(in *PaymentInput) error {
	if in.Currency == "" {
		return Missing("currency")
	}
	if in.Amount == nil {
		return Missing("amount")
	}
	if err := checkMethod(in); err != nil {
		return err
	}
	if isTrue(in.Confirm) && !hasInstrument(in) {
		return Unprocessable("payment_method_data", "A payment token or payment method data or ctp service details is required")
	}
	return checkCommon(in, *in.Amount)
}

// checkMethod checks that the payment method fields of a create, update or confirm fit together.
func checkMethod(in *PaymentInput) error {
	switch {
	case in.HasMethodData && in.PaymentMethod == "":
		return Missing("payment_method")
	case in.PaymentMethod != "" && in.PaymentMethod != methodCard && in.PaymentMethodType == "":
		return Missing("payment_method_type")
	case in.PaymentMethod != "" && !hasInstrument(in):
		return Missing("payment_method_data")
	case in.PaymentMethodType != "" && in.PaymentMethod == methodCard && in.PaymentMethodType != "credit" && in.PaymentMethodType != "debit":
		return Unprocessable("payment_method_type", "payment_method_type doesn't correspond to the specified payment_method").
			WithHint(`For payment_method "card", send "credit" or "debit".`)
	}
	return nil
}

func hasInstrument(in *PaymentInput) bool {
	return in.HasMethodData || in.PaymentToken != "" || in.Recurring != nil || in.MandateID != ""
}

// checkCommon checks the rules that create, update and confirm share. amount is the payment's order amount.
func checkCommon(in *PaymentInput, amount int64) error {
	switch {
	case in.CaptureMethod == captureScheduled:
		return NotImplemented("capture_method: scheduled").About("capture_method")
	case amount > maxAmount:
		return Refused("amount should be less than or equal to " + strconv.Itoa(maxAmount)).About("amount")
	case in.SessionExpiry != nil && (*in.SessionExpiry < minSession || *in.SessionExpiry > maxSession):
		return Unprocessable("session_expiry", "session_expiry should be between "+strconv.Itoa(minSession)+" and "+strconv.Itoa(maxSession)+" seconds")
	case in.Recurring != nil && (in.PaymentToken != "" || in.MandateID != ""):
		return Refused("Expected one out of recurring_details, payment_token and mandate_id but got more than one").About("recurring_details")
	case in.Recurring != nil && in.MandateData != nil:
		return &Error{Kind: KindInvalid, Code: "HE_03", Message: "Mandate Validation Failed", Reason: "Expected one out of recurring_details and mandate_data but got both",
			Param: "mandate_data"}
	case in.External3DS != nil && *in.External3DS && in.AuthenticationType == authenticationNoThreeDS:
		return Refused("request_external_three_ds_authentication needs authentication_type three_ds").About("authentication_type")
	}
	return checkCustomer(in)
}

// checkCustomer refuses an attribute that comes at top level and in customer with different values.
func checkCustomer(in *PaymentInput) error {
	c := in.Customer
	if c == nil {
		return nil
	}
	for _, f := range []struct{ name, top, inner string }{
		{"customer_id", in.CustomerID, c.ID}, {"name", in.Name, c.Name}, {"email", in.Email, c.Email}, {"phone", in.Phone, c.Phone},
		{"phone_country_code", in.PhoneCountryCode, c.PhoneCountryCode},
	} {
		if f.top != "" && f.inner != "" && f.top != f.inner {
			return Refused("The field name `" + f.name + "` sent in both places is ambiguous").About("customer." + strings.TrimPrefix(f.name, "customer_"))
		}
	}
	return nil
}

// checkAmountToCapture checks amount_to_capture against the amount, before the rule of automatic capture. The API words the error of create
// and update differently.
func checkAmountToCapture(toCapture *int64, amount, net int64, method string, create bool) error {
	if toCapture == nil {
		return nil
	}
	if *toCapture > amount && *toCapture > net {
		if create {
			return BadFormat("amount_to_capture", "amount_to_capture lesser than amount")
		}
		return BadFormat("amount_to_capture", "amount_to_capture lesser than or equal to amount")
	}
	if method == captureAutomatic && *toCapture != amount && *toCapture != net {
		return Refused("amount_to_capture must be equal to amount when capture_method = automatic").About("amount_to_capture")
	}
	return nil
}

// apply copies the fields that the request sent into the payment. Fields that the request left out keep their value.
func (in *PaymentInput) apply(p *Payment) {
	d, v := &p.Details, p.Private
	if in.Amount != nil {
		p.Amount = *in.Amount
	}
	if in.Currency != "" {
		p.Currency = in.Currency
	}
	setText(&d.CaptureMethod, in.CaptureMethod)
	setText(&d.AuthenticationType, in.AuthenticationType)
	setText(&d.SetupFutureUsage, in.SetupFutureUsage)
	setText(&d.PaymentType, in.PaymentType)
	setText(&d.Description, in.Description)
	setText(&d.DescriptorName, in.DescriptorName)
	setText(&d.DescriptorSuffix, in.DescriptorSuffix)
	setText(&d.ReturnURL, in.ReturnURL)
	setText(&d.OrderReference, in.OrderReference)
	setPtr(&d.OffSession, in.OffSession)
	setPtr(&d.AmountToCapture, in.AmountToCapture)
	setPtr(&d.ShippingCost, in.ShippingCost)
	setPtr(&d.OrderTaxAmount, in.OrderTaxAmount)
	if in.SurchargeAmount != 0 {
		d.SurchargeAmount = in.SurchargeAmount
	}
	if in.External3DS != nil {
		d.External3DS = *in.External3DS
	}
	if d.External3DS && d.AuthenticationType == "" {
		d.AuthenticationType = authenticationThreeDS // the flag alone asks for 3-D Secure
	}
	if in.Metadata != nil {
		d.Metadata = in.Metadata
	}
	setPtr(&d.Routing, in.Routing)
	for k, r := range in.Echo {
		if d.Echo == nil {
			d.Echo = map[string]json.RawMessage{}
		}
		d.Echo[k] = r
	}
	setPtr(&v.Billing, in.Billing)
	setPtr(&v.Shipping, in.Shipping)
	setPtr(&v.Browser, in.Browser)
	setPtr(&v.MethodBilling, in.MethodBilling)
	setPtr(&v.Acceptance, in.Acceptance)
	if m := in.MandateData; m != nil {
		setPtr(&v.Acceptance, m.Acceptance)
		d.Mandate = &m.Terms
	}
	in.applyCustomer(p)
	p.NetAmount = p.Amount + valueOf(d.ShippingCost) + valueOf(d.OrderTaxAmount) + d.SurchargeAmount
}

func (in *PaymentInput) applyCustomer(p *Payment) {
	id := in.CustomerID
	c := CustomerInput{Name: in.Name, Email: in.Email, Phone: in.Phone, PhoneCountryCode: in.PhoneCountryCode}
	if in.Customer != nil {
		setText(&id, in.Customer.ID)
		setText(&c.Name, in.Customer.Name)
		setText(&c.Email, in.Customer.Email)
		setText(&c.Phone, in.Customer.Phone)
		setText(&c.PhoneCountryCode, in.Customer.PhoneCountryCode)
	}
	setText(&p.CustomerID, id)
	if c == (CustomerInput{}) && id == "" {
		return
	}
	var out CustomerInput
	if p.Private.Customer != nil {
		out = *p.Private.Customer
	}
	out.ID = p.CustomerID
	setText(&out.Name, c.Name)
	setText(&out.Email, c.Email)
	setText(&out.Phone, c.Phone)
	setText(&out.PhoneCountryCode, c.PhoneCountryCode)
	p.Private.Customer = &out
}

func setPtr[T any](to **T, v *T) {
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

func isTrue(b *bool) bool { return b != nil && *b }

// holderOf returns the card holder's name: the typed one, else the name of the billing address.
func holderOf(typed string, billing *Contact) string {
	if typed != "" || billing == nil || billing.Address == nil {
		return typed
	}
	return strings.TrimSpace(billing.Address.FirstName + " " + billing.Address.LastName)
}

// checkConfirm checks the rules that apply only when the card is charged.
func checkConfirm(p *Payment, in *PaymentInput) error {
	d := &p.Details
	switch {
	case d.SetupFutureUsage != "" && p.CustomerID == "":
		return Refused("customer_id is mandatory when setup_future_usage is given").About("customer_id")
	case in.PaymentMethod != "" && in.PaymentMethod != methodCard:
		return noConnector("only cards are taken").About("payment_method")
	}
	if err := checkMandateData(p, in); err != nil {
		return err
	}
	return checkRecurring(p, in)
}

func sessionOf(in *PaymentInput, profileSeconds int64) time.Duration {
	s := int64(defaultSession)
	if profileSeconds > 0 {
		s = profileSeconds
	}
	if in.SessionExpiry != nil {
		s = *in.SessionExpiry
	}
	return time.Duration(s) * time.Second
}

func statusList(s ...PaymentStatus) string {
	out := make([]string, len(s))
	for i, v := range s {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}

func matchSecret(p *Payment, secret string, now time.Time) error {
	hash := sha256.Sum256([]byte(secret))
	if subtle.ConstantTimeCompare(hash[:], p.ClientSecretHash) != 1 {
		return &Error{Kind: KindInvalid, Code: "IR_09", Message: "The client_secret provided does not match the client_secret associated with the Payment", Param: "client_secret"}
	}
	if !now.Before(p.ExpiresAt) {
		return &Error{Kind: KindInvalid, Code: "IR_08", Message: "The provided client_secret has expired", Param: "client_secret"}
	}
	return nil
}

package payer

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/contact"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// A new field of Input has no effect when the payer's device sends it, until payerInput copies the field. This test fails until the field
// stands in one of the three lists.
func TestPayerInputTakesListedFieldsAlone(t *testing.T) {
	taken := []string{"ClientSecret", "PaymentMethod", "PaymentMethodType", "Card", "HasMethodData", "MethodBilling", "PaymentToken", "CardCVC",
		"CardHolder", "Browser", "CallerIP", "Billing", "Shipping", "Email", "Phone", "Name", "Acceptance", "ReturnURL", "IFrameRedirect", "AuthenticationType", "Installment"}
	withConsent := []string{"SetupFutureUsage", "MandateData", "PaymentType"}
	withoutEffect := []string{"Amount", "Confirm", "Shown"}
	values := map[string]any{"ReturnURL": "https://shop.example", "AuthenticationType": payment.AuthenticationThreeDS, "Sent": []string{"field_of_tomorrow"},
		"CardCVC": secret.New("123"), "Lines": []sdk.Line{{Name: "Hat"}}, "Plans": []request.Plans{{PaymentMethod: "card"}}, "Customer": &contact.Customer{ID: "ada"}}

	fields := reflect.TypeFor[request.Input]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		t.Run(name, func(t *testing.T) {
			in := &request.Input{}
			set(t, reflect.ValueOf(in).Elem().Field(i), values[name])
			p := &payment.Payment{Private: &payment.Private{}}
			out, err := Allowed(p, in)
			switch {
			case slices.Contains(taken, name):
				require.NoError(t, err)
				require.Equal(t, in, out)
			case slices.Contains(withoutEffect, name):
				require.NoError(t, err)
				require.Equal(t, &request.Input{}, out)
			default:
				var refused *fault.Error
				require.ErrorAs(t, err, &refused)
				require.NotEmpty(t, refused.Param)
				require.Contains(t, refused.Message, refused.Param)
			}
			if slices.Contains(withConsent, name) {
				in.Acceptance = &payment.Acceptance{Type: "offline"}
				out, err = Allowed(p, in)
				require.NoError(t, err)
				require.Equal(t, in, out)
			}
		})
	}
}

// set gives a field a value that is not its zero value.
func set(t *testing.T, f reflect.Value, value any) {
	switch {
	case value != nil:
		f.Set(reflect.ValueOf(value))
	case f.Kind() == reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
		if f.Elem().Kind() != reflect.Struct {
			set(t, f.Elem(), nil)
		}
	case f.Kind() == reflect.String:
		f.SetString("x")
	case f.Kind() == reflect.Bool:
		f.SetBool(true)
	case f.Kind() == reflect.Int64:
		f.SetInt(1)
	case f.Kind() == reflect.Slice:
		f.SetBytes([]byte(`{"a":1}`))
	case f.Kind() == reflect.Map:
		f.Set(reflect.MakeMap(f.Type()))
		f.SetMapIndex(reflect.ValueOf("metadata_of_tomorrow"), reflect.ValueOf([]byte(`1`)).Convert(f.Type().Elem()))
	default:
		t.Fatalf("no value for a %s", f.Type())
	}
}

package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/routed"
	"payswitch/engine/routing"
	"payswitch/engine/routing/rule"
	"payswitch/sdk"
)

// TestEvaluateCapable: a dry run that names the type of a card payment leaves out the connectors whose adapters do not take the payment.
func TestEvaluateCapable(t *testing.T) {
	t.Parallel()
	euro, late := clerk("euro", says(refusal())), clerk("late", says(refusal()))
	euro.Manifest.Currencies, euro.Manifest.Networks = []sdk.Currency{"EUR"}, []sdk.CardNetwork{sdk.Visa}
	late.Manifest.Captures = []sdk.CaptureMethod{sdk.CaptureManual}
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"euro": euro, "late": late})
	w.account("euro", "")
	w.account("late", "")
	c, _, err := w.CreateRouting(t.Context(), w.auth, routing.ConfigInput{Name: ptr("n"), Description: ptr("d"), ProfileID: ptr(w.profile.ID),
		Algorithm: json.RawMessage(`{"type":"priority","data":["late","euro","late"]}`)})
	require.NoError(t, err)
	_, err = w.ActivateRouting(t.Context(), w.auth, c.ID, routed.ForPayment)
	require.NoError(t, err)
	fact := func(value string) json.RawMessage {
		return json.RawMessage(`{"type":"enum_variant","value":"` + value + `"}`)
	}
	for name, x := range map[string]struct {
		facts map[string]string
		want  []string
	}{
		"without the type the table does not apply": {map[string]string{"currency": "USD", "capture_method": "automatic"}, []string{"late", "euro"}},
		"the type alone":                {map[string]string{"payment_method_type": "credit"}, []string{"late", "euro"}},
		"currency":                      {map[string]string{"payment_method_type": "debit", "currency": "USD"}, []string{"late"}},
		"network":                       {map[string]string{"payment_method_type": "credit", "card_network": "Mastercard"}, []string{"late"}},
		"capture method":                {map[string]string{"payment_method_type": "credit", "capture_method": "automatic", "currency": "EUR"}, []string{"euro"}},
		"neither":                       {map[string]string{"payment_method_type": "credit", "capture_method": "automatic", "currency": "USD"}, nil},
		"of a card":                     {map[string]string{"payment_method_type": "credit", "payment_method": "card", "currency": "USD"}, []string{"late"}},
		"a type without a row passes":   {map[string]string{"payment_method_type": "klarna", "payment_method": "pay_later", "currency": "USD"}, []string{"late", "euro"}},
		"credit counts under card only": {map[string]string{"payment_method_type": "credit", "payment_method": "wallet", "currency": "USD"}, []string{"late", "euro"}},
	} {
		in := routing.EvaluateInput{ProfileID: w.profile.ID, Parameters: map[string]json.RawMessage{}}
		for k, v := range x.facts {
			in.Parameters[k] = fact(v)
		}
		e, err := w.EvaluateRouting(t.Context(), w.auth, in)
		require.NoError(t, err, name)
		names := func(list []rule.Choice) (out []string) {
			for _, c := range list {
				out = append(out, c.Connector)
			}
			return out
		}
		require.Equal(t, x.want, names(e.Eligible), name)
		require.Equal(t, x.want, names(e.Ordered), name)
		require.Len(t, e.Output, 3, "the output is what the configuration says")
	}
}

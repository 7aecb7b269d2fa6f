package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// The payer's device does not decide that its payer need not be authenticated; the merchant's server does, with the same fields.
func TestPayerDoesNotExemptItself(t *testing.T) {
	echo := func(key, value string) func(*request.Input) {
		return func(in *request.Input) { in.Echo = map[string]json.RawMessage{key: json.RawMessage(value)} }
	}
	for field, change := range map[string]func(*request.Input){
		"frm_metadata":                             echo("frm_metadata", `{"risk_accepted":true}`),
		"psd2_sca_exemption_type":                  echo("psd2_sca_exemption_type", `"low_value"`),
		"force_3ds_challenge":                      echo("force_3ds_challenge", "false"),
		"profile_acquirer_id":                      echo("profile_acquirer_id", `"pro_acq_1"`),
		"three_ds_data":                            func(in *request.Input) { in.ThreeDS = &request.ThreeDSInput{} },
		"authentication_type":                      func(in *request.Input) { in.AuthenticationType = "no_three_ds" },
		"request_external_three_ds_authentication": func(in *request.Input) { in.External3DS = ptr(false) },
	} {
		t.Run(field, func(t *testing.T) {
			w := newSecureWorld(t, engine.Options{})
			made := sale(6540, visa, external, echo("force_3ds_challenge", "true"))
			made.Confirm = ptr(false)
			v, err := w.CreatePayment(t.Context(), w.auth, made)
			require.NoError(t, err)
			in := sale(6540, visa)
			in.Confirm, in.ClientSecret = nil, v.Payment.Private.ClientSecret
			change(in)
			payer := w.auth
			payer.Publishable = true
			_, err = w.ConfirmPayment(t.Context(), payer, v.Payment.ID, in)
			var refused *fault.Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, field, refused.Param)
			require.Zero(t, w.bank.count())

			plain := sale(6540, visa) // without it, the payment runs as it was made
			plain.Confirm, plain.ClientSecret = nil, in.ClientSecret
			v, err = w.ConfirmPayment(t.Context(), payer, v.Payment.ID, plain)
			require.NoError(t, err)
			require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
		})
	}
}

package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// The payer's device cannot decide that the payer need not be authenticated. The merchant's server can, with the same fields.
func TestPayerDoesNotExemptItself(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*request.Input){
		"frm_metadata":                             func(in *request.Input) { in.RiskAccepted = ptr(true) },
		"psd2_sca_exemption_type":                  func(in *request.Input) { in.SCAExemption = sdk.ExemptionLowValue },
		"force_3ds_challenge":                      func(in *request.Input) { in.Force3DSChallenge = ptr(false) },
		"profile_acquirer_id":                      func(in *request.Input) { in.ProfileAcquirerID = ptr("pro_acq_1") },
		"three_ds_data":                            func(in *request.Input) { in.ThreeDS = &request.ThreeDSInput{} },
		"authentication_type":                      func(in *request.Input) { in.AuthenticationType = "no_three_ds" },
		"request_external_three_ds_authentication": func(in *request.Input) { in.External3DS = ptr(false) },
	} {
		t.Run(field, func(t *testing.T) {
			w := newSecureWorld(t, engine.Options{})
			made := sale(6540, visa, external, func(in *request.Input) { in.Force3DSChallenge = ptr(true) })
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

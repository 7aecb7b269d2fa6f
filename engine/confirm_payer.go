package engine

import "slices"

// merchantsOwn are the kept fields that decide whether, and to whom, the payer is authenticated. What they leave out is the merchant's risk.
var merchantsOwn = []string{"frm_metadata", "psd2_sca_exemption_type", "force_3ds_challenge", "profile_acquirer_id"}

// payerMay refuses, in a confirm from the payer's device, what would spare the payer an authentication: exemptions, what a risk analysis found, results
// of 3-D Secure, and less authentication than the payment was made with. Errors: IR_06 (422), naming the field.
func payerMay(p *Payment, in *PaymentInput) error {
	refuse := func(field string) error {
		return Unprocessable(field, field+" is for the merchant's server: send it with the secret API key, when the payment is created or updated")
	}
	for _, field := range merchantsOwn {
		if raw, sent := in.Echo[field]; sent && string(raw) != "null" && !slices.Equal(raw, p.Details.Echo[field]) {
			return refuse(field)
		}
	}
	switch {
	case in.ThreeDS != nil:
		return refuse("three_ds_data")
	case in.AuthenticationType == authenticationNoThreeDS && p.Details.AuthenticationType == authenticationThreeDS:
		return refuse("authentication_type")
	case in.External3DS != nil && !*in.External3DS && p.Details.External3DS:
		return refuse("request_external_three_ds_authentication")
	}
	return nil
}

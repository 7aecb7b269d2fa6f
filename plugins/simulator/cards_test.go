package simulator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// amex takes no part in 3-D Secure: its payments are approved at once.
const amex = "3782 822463 10005"

// The documented test cards, and other cards, which are approved like the first.
func TestCards(t *testing.T) {
	const sorry = "message - Your card was declined., decline_code - "
	for _, row := range []struct {
		number  string
		code    string // "" for an approval
		message string
		reason  sdk.DeclineReason
	}{
		{"4242 4242 4242 4242", "", "", ""},
		{"3782 822463 10005", "", "", ""},
		{"4111 1111 1111 1111", "", "", ""},
		{"4000 0025 0000 3155", "", "", ""},
		{"4000 0000 0000 3220", "", "", ""},
		{"5555 5555 5555 4444", "", "", ""},
		{"4000 0566 5566 5556", "", "", ""},
		{"4000 0000 0000 0000 002", "", "", ""}, // differs from a declined card only in length
		{"4000 0000 0000 0002", "card_declined", sorry + "generic_decline", sdk.DeclineGeneric},
		{"4000 0000 0000 9995", "card_declined", "message - Your card has insufficient funds., decline_code - insufficient_funds", sdk.DeclineInsufficientFunds},
		{"4000 0000 0000 9987", "card_declined", sorry + "lost_card", sdk.DeclineLostCard},
		{"4000 0000 0000 9979", "card_declined", sorry + "stolen_card", sdk.DeclineStolenCard},
		{"4000 0000 0000 0069", "expired_card", "message - Your card has expired., decline_code - expired_card", sdk.DeclineExpiredCard},
		{"4000 0000 0000 0127", "incorrect_cvc", "message - Your card's security code is incorrect., decline_code - incorrect_cvc", sdk.DeclineIncorrectCVC},
		{"4000 0000 0000 0119", "processing_error", "message - An error occurred while processing your card. Try again in a little bit., decline_code - processing_error", sdk.DeclineProcessingError},
	} {
		t.Run(row.number, func(t *testing.T) {
			zero := request(row.number, 0, sdk.CaptureAutomatic)
			asked := request(row.number, 6050, sdk.CaptureAutomatic)
			asked.Request3DS = true
			for name, o := range map[string]*sdk.Outcome{
				"automatic": do(t, sdk.OpAuthorize, 0, request(row.number, 6050, sdk.CaptureAutomatic)),
				"manual":    do(t, sdk.OpAuthorize, 0, request(row.number, 6050, sdk.CaptureManual)),
				"3DS":       do(t, sdk.OpAuthorize, 0, asked),
				"zero":      do(t, sdk.OpVerify, 0, zero),
			} {
				if row.code != "" {
					require.Equal(t, sdk.StatusDeclined, o.Status, name)
					require.Equal(t, row.code, o.Decline.Code, name)
					require.Equal(t, row.message, o.Decline.Message, name)
					require.Equal(t, row.reason, o.Decline.Reason, name)
					require.Nil(t, o.NextAction, name)
					require.Nil(t, o.Checks, name)
					require.Empty(t, o.NetworkTransactionID, name)
					continue
				}
				if name == "3DS" && row.number != amex {
					require.Equal(t, sdk.StatusCustomerAction, o.Status)
					require.Nil(t, o.Checks)
					require.Empty(t, o.NetworkTransactionID)
					continue
				}
				want := map[string]sdk.OutcomeStatus{"automatic": sdk.StatusCaptured, "3DS": sdk.StatusCaptured, "manual": sdk.StatusAuthorized, "zero": sdk.StatusVerified}
				require.Equal(t, want[name], o.Status, name)
				require.Equal(t, &sdk.Checks{CVC: "pass", AddressLine1: "pass", PostalCode: "pass"}, o.Checks, name)
				require.Regexp(t, `^[0-9]{15}$`, o.NetworkTransactionID, name)
				require.Equal(t, "sim_pay_1_1", o.TransactionID, name)
				require.Empty(t, o.AuthCode, name)
				require.Equal(t, name == "zero", o.StoredCredential != nil, name)
				if name != "zero" {
					require.Equal(t, usd(6050), *o.Amount, name)
				}
			}
		})
	}
}

// A card still decides when the payment uses its stored credential or network id.
func TestStoredCredentials(t *testing.T) {
	first := request("4111 1111 1111 1111", 1000, sdk.CaptureAutomatic)
	first.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	o := do(t, sdk.OpAuthorize, 0, first)
	require.Equal(t, sdk.StatusCaptured, o.Status)
	require.Equal(t, "simcard_411111x1111_sim_pay_1_1", o.StoredCredential.ID)

	again := do(t, sdk.OpSync, 0, later(first, o))
	require.Equal(t, o.StoredCredential, again.StoredCredential)
	require.Equal(t, o.NetworkTransactionID, again.NetworkTransactionID)

	onSession := first
	onSession.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "on_session"}
	require.Nil(t, do(t, sdk.OpAuthorize, 0, onSession).StoredCredential)

	mit := sdk.Request{Reference: "pay_2_1", Amount: usd(500), Capture: sdk.CaptureAutomatic, Request3DS: true,
		StoredCredential: &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session", Category: "recurring"},
		Instrument:       &sdk.Instrument{StoredCredentialID: o.StoredCredential.ID}}
	charged := do(t, sdk.OpAuthorize, 0, mit)
	require.Equal(t, sdk.StatusCaptured, charged.Status)
	require.NotEmpty(t, charged.NetworkTransactionID)
	require.NotEqual(t, o.NetworkTransactionID, charged.NetworkTransactionID)
	require.Nil(t, charged.StoredCredential)

	require.Equal(t, sdk.DeclineAuthenticationNeeded, do(t, sdk.OpAuthorize, 0, of(mit, amountOf(sdk.DeclineAuthenticationNeeded))).Decline.Reason)

	mit.Instrument = &sdk.Instrument{StoredCredentialID: "simcard_4000000002_sim_pay_0_1"}
	require.Equal(t, sdk.DeclineGeneric, do(t, sdk.OpAuthorize, 0, mit).Decline.Reason)
	mit.Instrument = &sdk.Instrument{StoredCredentialID: "pm_imported"}
	require.Equal(t, sdk.StatusCaptured, do(t, sdk.OpAuthorize, 0, mit).Status)
	mit.Instrument = &sdk.Instrument{Card: cardOf(visa), NetworkTransactionID: o.NetworkTransactionID}
	require.Equal(t, sdk.StatusCaptured, do(t, sdk.OpAuthorize, 0, mit).Status)

	customer := mit
	customer.ReturnURL = "https://switch.example/back"
	customer.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", Usage: "on_session"}
	customer.Instrument = &sdk.Instrument{StoredCredentialID: o.StoredCredential.ID}
	require.Equal(t, sdk.StatusCustomerAction, do(t, sdk.OpAuthorize, 0, customer).Status, "a stored card asked for with 3DS redirects as a typed one")
}

func TestAuthorizeRejects(t *testing.T) {
	for name, row := range map[string]struct {
		change    func(r *sdk.Request)
		code      sdk.RejectCode
		parameter string
	}{
		"nothing to charge": {func(r *sdk.Request) { r.Instrument = nil }, sdk.RejectMissing, "payment_method_data.card"},
		"network id alone":  {func(r *sdk.Request) { r.Instrument.Card = nil; r.Instrument.NetworkTransactionID = "1" }, sdk.RejectMissing, "payment_method_data.card"},
		"negative amount":   {func(r *sdk.Request) { r.Amount.Minor = -1 }, sdk.RejectInvalid, "amount"},
		"3DS to nowhere":    {func(r *sdk.Request) { r.Request3DS = true; r.ReturnURL = "app://back" }, sdk.RejectInvalid, "return_url"},
	} {
		r := request(visa, 100, sdk.CaptureAutomatic)
		row.change(&r)
		result := answer(t, sdk.OpAuthorize, 0, r)
		require.NotNil(t, result.Reject, name)
		require.Equal(t, row.code, result.Reject.Code, name)
		require.Equal(t, row.parameter, result.Reject.Parameter, name)
	}
	result := answer(t, sdk.OpVerify, 0, request(visa, 1, sdk.CaptureAutomatic))
	require.Equal(t, "amount", result.Reject.Parameter)
}

package cybersource_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

func TestStoredCredentials(t *testing.T) {
	r := payment()
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	p := play(t, sdk.OpAuthorize, r, answer(201, `{"id":"7001","status":"AUTHORIZED","tokenInformation":{"customer":{"id":"C1"},"paymentInstrument":{"id":"P1"}}}`))
	require.Equal(t, sdk.StoredCredential{ID: "P1", CustomerID: "C1"}, *p.StoredCredential)
	require.Equal(t, "TOKEN_CREATE", wire.JSONBody(t, p.Sends[0]).Str("processingInformation.actionList.0"))

	for category, want := range map[sdk.MITCategory][2]string{"recurring": {"recurring", "7"}, "installment": {"install", "9"}, "unscheduled": {"internet", "10"},
		"resubmission": {"internet", "1"}, "": {"internet", "10"}} {
		r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Category: category}
		r.Instrument = card("")
		r.Instrument.NetworkTransactionID = "016153570198200"
		info := wire.JSONBody(t, play(t, sdk.OpAuthorize, r, answer(201, approved)).Sends[0]).Get("processingInformation")
		require.Equal(t, want[0], info.Str("commerceIndicator"))
		initiator := info.Get("authorizationOptions.initiator")
		require.Equal(t, "merchant", initiator.Str("type"))
		require.Equal(t, want[1], initiator.Str("merchantInitiatedTransaction.reason"))
	}

	r.StoredCredential, r.Instrument = &sdk.StoredCredentialUse{Initiator: "cit"}, &sdk.Instrument{StoredCredentialID: "P1"}
	b := wire.JSONBody(t, play(t, sdk.OpAuthorize, r, answer(201, approved)).Sends[0])
	require.Equal(t, "P1", b.Str("paymentInformation.paymentInstrument.id"))
	require.Equal(t, "customer", b.Str("processingInformation.authorizationOptions.initiator.type"))

	r.Instrument = &sdk.Instrument{}
	require.Equal(t, sdk.RejectMissing, play(t, sdk.OpAuthorize, r).Reject.Code)
}

func TestVerify(t *testing.T) {
	r := payment()
	r.Amount, r.Capture = usd(0), ""
	p := play(t, sdk.OpVerify, r, answer(201, approved))
	require.Equal(t, sdk.StatusVerified, p.Status)
	b := wire.JSONBody(t, p.Sends[0])
	require.Equal(t, "0.00", b.Str("orderInformation.amountDetails.totalAmount"))
	require.True(t, b.Has("processingInformation.capture"))
	require.False(t, b.Bool("processingInformation.capture"))
}

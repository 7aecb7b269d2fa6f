package cybersource_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/cybersource"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// TestDamage: a damaged answer misleads no operation of several requests.
func TestDamage(t *testing.T) {
	lost, refund, device := later(2499), later(500), payment()
	lost.TransactionID = ""
	captured := later(2499)
	captured.ConnectorData = sdk.Keep("capture", "8001")
	device.Request3DS, device.ConnectorData = true, sdk.Keep("device", "dev-1")
	found := func(id, service string) sdk.Exchange {
		return answer(201, `{"totalCount":1,"_embedded":{"transactionSummaries":[{"id":"`+id+`","clientReferenceInformation":{"code":"ref-1"},`+
			`"applicationInformation":{"applications":[{"name":"`+service+`"}]}}]}}`)
	}
	details := func(id, status string) sdk.Exchange {
		return answer(200, `{"id":"`+id+`","clientReferenceInformation":{"code":"ref-1"},"applicationInformation":{"status":"`+status+`","reasonCode":"100"},`+
			`"orderInformation":{"amountDetails":{"totalAmount":"5.00","authorizedAmount":"24.99","currency":"USD"}}}`)
	}
	enrolled := answer(201, `{"status":"AUTHENTICATION_SUCCESSFUL","consumerAuthenticationInformation":{"cavv":"x","eciRaw":"05","paresStatus":"Y","indicator":"vbv"}}`)
	for name, x := range map[string]struct {
		op      sdk.Operation
		request sdk.Request
		answers []sdk.Exchange
		meant   []string
	}{
		"a payment by our reference": {sdk.OpSync, lost, []sdk.Exchange{found("7001", "ics_auth"), details("7001", "AUTHORIZED")}, nil},
		"a refund by our reference":  {sdk.OpRefundSync, refund, []sdk.Exchange{found("9001", "ics_credit"), details("9001", "TRANSMITTED")}, nil},
		"a capture":                  {sdk.OpSync, captured, []sdk.Exchange{details("8001", "TRANSMITTED")}, nil},
		"a payment after enrollment": {sdk.OpComplete, device, []sdk.Exchange{enrolled, answer(201, approved)}, nil},
	} {
		a := cybersource.Adapter()
		s := wire.NewStep(&a.Manifest, x.op, x.request)
		s.Account.Credentials["api_secret"] = secret
		wrong, err := wire.Damage(a, s, x.answers...)
		require.NoError(t, err, name)
		require.Equal(t, x.meant, wrong, name)
	}
}

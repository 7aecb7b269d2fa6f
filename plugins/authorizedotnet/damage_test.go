package authorizedotnet_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/authorizedotnet"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// TestDamage: a damaged answer misleads no operation of several requests.
func TestDamage(t *testing.T) {
	lost := sdk.Request{Reference: "ref-1", Amount: usd(2499), Payment: &sdk.PaymentState{CreatedAt: now - 60_000}}
	stores := purchase()
	stores.Amount, stores.StoredCredential = usd(0), &sdk.StoredCredentialUse{Initiator: "cit", First: true}
	one := answer(200, `{"transaction":{"transId":"777","transactionStatus":"settledSuccessfully","order":{"invoiceNumber":"ref-1"},"authAmount":24.99,"settleAmount":24.99},`+ok+`}`)
	profile := answer(200, `{"customerProfileId":"1","customerPaymentProfileId":"2","validationDirectResponse":"1,1,1,approved",`+ok+`}`)
	for name, x := range map[string]struct {
		op      sdk.Operation
		request sdk.Request
		answers []sdk.Exchange
	}{
		"a payment by our reference":  {sdk.OpSync, lost, []sdk.Exchange{list(1, "2026-01-15T10:19:30Z", 0, "ref-1", "777"), one}},
		"a payment in a batch":        {sdk.OpSync, lost, []sdk.Exchange{list(0, "", none, "", ""), batches(1), list(1, "2026-01-15T10:19:30Z", 0, "ref-1", "777"), one}},
		"a payment that is not there": {sdk.OpSync, lost, []sdk.Exchange{list(0, "", none, "", ""), batches(0)}},
		"a refund by its id": {sdk.OpRefundSync, sdk.Request{TransactionID: "1", RefundID: "777", Reference: "ref-2", Amount: usd(2499)}, []sdk.Exchange{
			answer(200, details("777", "refundSettledSuccessfully", "24.99", "24.99"))}},
		"a card in a new profile":   {sdk.OpVerify, stores, []sdk.Exchange{answer(200, `{"customerProfileId":"1",`+ok+`}`), profile}},
		"a card in a known profile": {sdk.OpVerify, stores, []sdk.Exchange{answer(200, `{"messages":{"resultCode":"Error","message":[{"code":"E00039","text":"A duplicate record with ID 1 already exists."}]}}`), profile}},
	} {
		a := authorizedotnet.Adapter()
		wrong, err := wire.Damage(a, wire.NewStep(&a.Manifest, x.op, x.request), x.answers...)
		require.NoError(t, err, name)
		wrong = slices.DeleteFunc(wrong, func(w string) bool { return strings.Contains(w, "no batchList[0]:") }) // a list that is one shorter
		if len(wrong) > 0 {
			t.Error(name, strings.Join(wrong, "\n"))
		}
	}
}

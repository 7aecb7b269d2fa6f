package braintree_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/braintree"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// shorter is the path of a list that may be one shorter.
var shorter = regexp.MustCompile(`no data\.search\.transactions\.edges\[\d\]:`)

// TestDamage: a damaged answer misleads no operation, including those of several requests.
func TestDamage(t *testing.T) {
	stores := payment()
	stores.Amount, stores.StoredCredential = usd(0), &sdk.StoredCredentialUse{Initiator: "cit", First: true}
	held := sdk.Request{TransactionID: "dHJhbnNhY3Rpb25fYWJj", Reference: "ref-1", Amount: usd(2499), Payment: &sdk.PaymentState{Authorized: 2499, Currency: "USD"}}
	lost, raised := held, held
	lost.TransactionID, raised.Amount = "", usd(3499)
	events := `,"orderId":"ref-1","statusHistory":[{"status":"AUTHORIZED","amount":{"value":"24.99","currencyCode":"USD"},"processorResponse":{"authorizationId":"A1"}}],` +
		`"refunds":[{"status":"SETTLED","amount":{"value":"2.00","currencyCode":"USD"}}]`
	adjusted := `,"authorizationAdjustments":[{"successful":false,"timestamp":"2026-01-15T10:20:30Z","processorResponse":{"legacyCode":"2001","message":"No"}}]`
	for name, x := range map[string]struct {
		op      sdk.Operation
		request sdk.Request
		answers []sdk.Exchange
	}{
		"a charge":                   {sdk.OpAuthorize, payment(), []sdk.Exchange{token, charged(transaction("SUBMITTED_FOR_SETTLEMENT", "24.99", "USD", events))}},
		"a declined charge":          {sdk.OpAuthorize, payment(), []sdk.Exchange{token, charged(transaction("PROCESSOR_DECLINED", "24.99", "USD", events))}},
		"a refused charge":           {sdk.OpAuthorize, payment(), []sdk.Exchange{token, failure("VALIDATION", "81531", "No.")}},
		"a stored card":              {sdk.OpVerify, stores, []sdk.Exchange{token, data(`{"vaultCreditCard":{"paymentMethod":{"id":"pm"},"verification":{"id":"v","status":"VERIFIED"}}}`)}},
		"a payment":                  {sdk.OpSync, held, []sdk.Exchange{found("transactions", transaction("SETTLED", "24.99", "USD", events))}},
		"a payment by our reference": {sdk.OpSync, lost, []sdk.Exchange{found("transactions", transaction("SETTLED", "24.99", "USD", events))}},
		"the second try":             {sdk.OpSync, lost, []sdk.Exchange{found("transactions", transaction("PROCESSOR_DECLINED", "24.99", "USD", events), transaction("SETTLED", "24.99", "USD", events))}},
		"no payment":                 {sdk.OpSync, lost, []sdk.Exchange{found("transactions")}},
		"a void":                     {sdk.OpVoid, held, []sdk.Exchange{data(`{"reverseTransaction":{"reversal":{"__typename":"Transaction","id":"dHJhbnNhY3Rpb25fYWJj","status":"VOIDED"}}}`)}},
		"an increment":               {sdk.OpIncrementalAuthorize, raised, []sdk.Exchange{data(`{"updateTransactionAmount":{"transaction":` + transaction("AUTHORIZED", "34.99", "USD", adjusted) + `}}`)}},
		"a failed increment":         {sdk.OpIncrementalAuthorize, raised, []sdk.Exchange{data(`{"updateTransactionAmount":{"transaction":` + transaction("AUTHORIZED", "24.99", "USD", adjusted) + `}}`)}},
	} {
		a := braintree.Adapter()
		s := wire.NewStep(&a.Manifest, x.op, x.request)
		s.Account.Config["merchant_config_currency"] = "USD"
		wrong, err := wire.Damage(a, s, x.answers...)
		require.NoError(t, err, name)
		wrong = slices.DeleteFunc(wrong, func(w string) bool { return shorter.MatchString(w) })
		if len(wrong) > 0 {
			t.Error(name, strings.Join(wrong, "\n"))
		}
	}
}

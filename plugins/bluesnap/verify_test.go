package bluesnap_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

func TestVerify(t *testing.T) {
	r := payment()
	r.Amount, r.Capture = usd(0), ""
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	r.Billing = &sdk.Address{FirstName: "Ana", LastName: "Lima", Line1: "Rua 1", Line2: "Apt 2", City: "Lisboa", State: "LX", Zip: "1000-001", Country: "PT", Email: "ana@example.com"}
	r.ThreeDS = &sdk.ThreeDSResult{CAVV: "AAAB", ECI: "05"}
	kept := answer(200, `{"vaultedShopperId":20769005,"paymentSources":{"creditCardInfo":[{"processingInfo":{"cvvResponseCode":"MA","avsResponseCodeZip":"N"}}]}}`)
	p := play(t, sdk.OpVerify, r, kept)
	require.Equal(t, sdk.StatusVerified, p.Status)
	require.Equal(t, &sdk.StoredCredential{ID: "20769005"}, p.StoredCredential)
	require.Equal(t, &sdk.Checks{CVC: "pass", PostalCode: "fail"}, p.Checks)
	require.Equal(t, "https://sandbox.bluesnap.com/services/2/vaulted-shoppers", p.Sends[0].URL)
	require.Equal(t, "3.0", sdk.HeaderValue(p.Sends[0].Headers, "bluesnap-version"))
	require.JSONEq(t, `{"firstName":"Ana","lastName":"Lima","address":"Rua 1","address2":"Apt 2 LX","city":"Lisboa","zip":"1000-001","country":"PT","email":"ana@example.com",
		"paymentSources":{"creditCardInfo":[{"creditCard":{"cardNumber":"4111111111111111","securityCode":"737","expirationMonth":"03","expirationYear":"2030"},
		"billingContactInfo":{"firstName":"Ana","lastName":"Lima","address1":"Rua 1","address2":"Apt 2 LX","city":"Lisboa","zip":"1000-001","country":"PT"}}]},
		"transactionFraudInfo":{"fraudSessionId":"ref-1"},"threeDSecure":{"eci":"05","cavv":"AAAB"}}`, string(p.Sends[0].Body))

	for name, x := range map[string]sdk.Exchange{"no shopper": answer(200, `{}`), "an address alone": answer(201, ""), "theirs": answer(500, `{"vaultedShopperId":1}`)} {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpVerify, r, x).Status, name)
	}
	p = play(t, sdk.OpVerify, r, answer(400, `{"message":[{"errorName":"EXPIRED_CARD","code":"14002","description":"No"}]}`))
	require.Equal(t, sdk.DeclineExpiredCard, p.Decline.Reason)

	r.Billing, r.ThreeDS = nil, nil
	require.Equal(t, sdk.RejectMissing, play(t, sdk.OpVerify, r).Reject.Code, "no name is given")
	r.Instrument.Card.Holder = "Ana Maria Lima"
	j := wire.JSONBody(t, play(t, sdk.OpVerify, r, kept).Sends[0])
	require.Equal(t, []string{"Ana Maria", "Lima"}, []string{j.Str("firstName"), j.Str("lastName")})
	r.Request3DS = true
	require.Equal(t, sdk.RejectUnsupported, play(t, sdk.OpVerify, r).Reject.Code)
	r.Request3DS, r.Amount = false, usd(1)
	require.Equal(t, sdk.RejectInvalid, play(t, sdk.OpVerify, r).Reject.Code)
}

// TestRoom: BlueSnap refuses a payment with too much metadata or too long a session.
func TestRoom(t *testing.T) {
	r := payment()
	r.Reference = "reference-of-more-than-thirty-two-characters"
	r.Metadata = map[string]string{strings.Repeat("k", 41): "v", "long": strings.Repeat("v", 501)}
	for i := range 25 {
		r.Metadata["m"+strconv.Itoa(i)] = "v"
	}
	body := wire.JSONBody(t, play(t, sdk.OpAuthorize, r, done("AUTH_ONLY", "")).Sends[0])
	require.Equal(t, "reference-of-more-than-thirty-tw", body.Str("transactionFraudInfo.fraudSessionId"))
	require.Equal(t, r.Reference, body.Str("merchantTransactionId"))
	require.Equal(t, 20, body.Get("transactionMetaData.metaData").Len())
	require.Equal(t, "m0", body.Str("transactionMetaData.metaData.0.metaKey"))
}

// TestHolder: an address without names belongs to the cardholder.
func TestHolder(t *testing.T) {
	r := payment()
	r.Billing, r.Instrument.Card.Holder = &sdk.Address{FirstName: "Ana", Line1: "1 Main St", Zip: "98101", Country: "US"}, "Ana Lima"
	sent := func() sdk.JSON {
		return wire.JSONBody(t, play(t, sdk.OpAuthorize, r, done("AUTH_ONLY", "")).Sends[0]).Get("cardHolderInfo")
	}
	require.JSONEq(t, `{"firstName":"Ana","lastName":"Lima","address":"1 Main St","zip":"98101","country":"US"}`, sent().Raw(""))
	r.Instrument.Card.Holder = "ANA"
	require.False(t, sent().Exists())
	r.Instrument.Card.Holder, r.Billing = "Ana Lima", nil
	require.False(t, sent().Exists(), "there is nothing to check")
}

func TestDetailsOfThePayment(t *testing.T) {
	r := payment()
	r.Billing = &sdk.Address{FirstName: "John", LastName: "Doe", Line1: "1 Market St", City: "San Francisco", State: "CA", Zip: "94105", Country: "US"}
	r.Shipping = &sdk.Address{FirstName: "Jane", LastName: "Doe", Line1: "2 Pine St", Country: "US"}
	r.Browser, r.DescriptorName, r.DescriptorSuffix = &sdk.Browser{IP: "203.0.113.10"}, "ACME WIDGETS", "ORDER 1001"
	j := wire.JSONBody(t, play(t, sdk.OpAuthorize, r, done("AUTH_ONLY", "")).Sends[0])
	require.JSONEq(t, `{"firstName":"John","lastName":"Doe","address":"1 Market St","city":"San Francisco","state":"CA","zip":"94105","country":"US"}`,
		j.Raw("cardHolderInfo"))
	require.JSONEq(t, `{"fraudSessionId":"ref-1","shopperIpAddress":"203.0.113.10","shippingContactInfo":{"firstName":"Jane","lastName":"Doe","address1":"2 Pine St","country":"US"}}`,
		j.Raw("transactionFraudInfo"))
	require.Equal(t, "ACME WIDGETS ORDER 1", j.Str("softDescriptor"), "20 characters at most")

	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session"}
	j = wire.JSONBody(t, play(t, sdk.OpAuthorize, r, done("AUTH_ONLY", "")).Sends[0])
	require.False(t, j.Has("transactionFraudInfo.shopperIpAddress"), "there is no shopper")
}

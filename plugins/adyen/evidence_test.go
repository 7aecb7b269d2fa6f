package adyen_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// signedItem returns a signed message of one item with any amount.
func signedItem(t *testing.T, event, value, currency string, additional map[string]string) []byte {
	t.Helper()
	text := func(raw string) string { return strings.Trim(raw, `"`) }
	if strings.HasPrefix(value, "{") {
		text = func(string) string { return "" }
	}
	key, err := hex.DecodeString(hmacKey)
	require.NoError(t, err)
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "PSP1:PAY:Shop:order-1:%s:%s:%s:true", text(value), strings.Trim(currency, `"`), event)
	data := map[string]string{"hmacSignature": base64.StdEncoding.EncodeToString(h.Sum(nil))}
	for k, v := range additional {
		data[k] = v
	}
	more, err := json.Marshal(data)
	require.NoError(t, err)
	return []byte(fmt.Sprintf(`{"notificationItems":[{"NotificationRequestItem":{"pspReference":"PSP1","originalReference":"PAY","merchantAccountCode":"Shop",
		"merchantReference":"order-1","amount":{"value":%s,"currency":%s},"eventCode":"%s","success":"true","additionalData":%s}}]}`, value, currency, event, more))
}

// TestUnreadableAmounts: the adapter never takes an unreadable amount for the whole amount.
func TestUnreadableAmounts(t *testing.T) {
	for _, event := range []string{"AUTHORISATION", "CAPTURE", "REFUND", "AUTHORISATION_ADJUSTMENT"} {
		for _, amount := range [][2]string{{`"sixty"`, `"EUR"`}, {`{}`, `"EUR"`}, {`1130`, `"eur"`}, {`10.5`, `"EUR"`}, {`-5`, `"EUR"`}} {
			o := receive(t, signedItem(t, event, amount[0], amount[1], nil), hmacKey)
			require.Len(t, o.Events, 1, amount)
			require.True(t, o.Events[0].Sync && o.Events[0].Outcome == nil, "%s %v", event, amount)
		}
		o := receive(t, signedItem(t, event, `1130`, `"EUR"`, nil), hmacKey)
		require.Equal(t, &sdk.Money{Minor: 1130, Currency: "EUR"}, o.Events[0].Outcome.Amount, event)
	}
}

// TestPartialApproval: an approval of a lower amount counts for that amount, whether a partial approval was requested or not.
func TestPartialApproval(t *testing.T) {
	part := map[string]string{"authorisedAmountValue": "700", "authorisedAmountCurrency": "EUR"}
	e := receive(t, signedItem(t, "AUTHORISATION", `1130`, `"EUR"`, part), hmacKey).Events
	require.True(t, len(e) == 1 && e[0].Sync && e[0].Outcome == nil, "the part is not signed, the whole is not true")

	answer := func(code, fields string) *sdk.Outcome {
		return outcome(t, step(sdk.OpAuthorize), 200, `{"pspReference":"PSP1","resultCode":"`+code+`","additionalData":{`+fields+`}}`)
	}
	c := step(sdk.OpAuthorize).Request.Amount.Currency
	require.Equal(t, &sdk.Money{Minor: 7, Currency: c}, answer("Authorised", `"authorisedAmountValue":"7","authorisedAmountCurrency":"`+string(c)+`"`).Amount)
	require.Equal(t, &sdk.Money{Minor: 7, Currency: c}, answer("PartiallyAuthorised", `"authorisedAmountValue":"7","authorisedAmountCurrency":"`+string(c)+`"`).Amount)
	for _, o := range []*sdk.Outcome{answer("PartiallyAuthorised", ``), answer("Authorised", `"authorisedAmountValue":"seven"`),
		answer("Authorised", `"authorisedAmountValue":"7","authorisedAmountCurrency":"XXX"`)} {
		require.Equal(t, sdk.StatusUnknown, o.Status)
	}
}

// TestAuthenticationError: a failed 3-D Secure run does not ask the payer to authenticate again.
func TestAuthenticationError(t *testing.T) {
	o := outcome(t, step(sdk.OpAuthorize), 200, `{"pspReference":"PSP1","resultCode":"Refused","refusalReason":"3DS Authentication Error","refusalReasonCode":"42"}`)
	require.Equal(t, sdk.DeclineAuthenticationFailed, o.Decline.Reason)
}

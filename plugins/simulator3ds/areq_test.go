package simulator3ds

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a directory server refuses, and how it says so.
func TestAReqIsChecked(t *testing.T) {
	w := newWorld(t, Options{})
	for _, row := range []struct {
		version string
		change  []any
		want    string // "" is accepted
		detail  string
	}{
		{"2.2.0", nil, "", ""}, {"2.1.0", nil, "", ""}, {"2.3.1", nil, "", ""},
		{"2.2.0", []any{"messageType", "PReq"}, "Erro 101", "messageType is not AReq"},
		{"2.2.0", []any{"purchaseAmount", nil, "mcc", ""}, "Erro 201", "mcc,purchaseAmount"},
		{"2.2.0", []any{"browserScreenWidth", nil}, "Erro 201", "browserScreenWidth"},
		{"2.2.0", []any{"browserScreenWidth", nil, "browserScreenHeight", nil, "browserColorDepth", nil, "browserTZ", nil, "browserJavaEnabled", nil,
			"browserJavascriptEnabled", false}, "", ""},
		{"2.1.0", []any{"browserJavascriptEnabled", nil}, "", ""},
		{"2.1.0", []any{"browserTZ", nil, "browserJavascriptEnabled", nil}, "Erro 201", "browserTZ"},
		{"2.2.0", []any{"browserJavascriptEnabled", nil}, "Erro 201", "browserJavascriptEnabled"},
		{"2.3.1", []any{"acceptLanguage", nil}, "Erro 201", "acceptLanguage"},
		{"2.2.0", []any{"purchaseAmount", 6540}, "Erro 203", "purchaseAmount"},
		{"2.2.0", []any{"purchaseAmount", "65.40"}, "Erro 203", "purchaseAmount"},
		{"2.2.0", []any{"cardExpiryDate", "0330x"}, "Erro 203", "cardExpiryDate"},
		{"2.2.0", []any{"cardExpiryDate", "0330"}, "Erro 203", "cardExpiryDate"}, // month first
		{"2.2.0", []any{"merchantCountryCode", "36"}, "Erro 203", "merchantCountryCode"},
		{"2.2.0", []any{"browserColorDepth", "30"}, "Erro 203", "browserColorDepth"},
		{"2.2.0", []any{"browserLanguage", "zh-Hant-TW"}, "Erro 203", "browserLanguage"},
		{"2.3.1", []any{"browserLanguage", "zh-Hant-TW"}, "", ""},
		{"2.2.0", []any{"browserIP", "localhost"}, "Erro 203", "browserIP"},
		{"2.2.0", []any{"email", "not an address"}, "Erro 203", "email"},
		{"2.2.0", []any{"billAddrState", "California"}, "Erro 203", "billAddrState"},
		{"2.2.0", []any{"billAddrState", "CA", "billAddrCountry", nil}, "Erro 201", "billAddrCountry"},
		{"2.2.0", []any{"mobilePhone", message{"cc": "45", "subscriber": "12345678"}}, "", ""},
		{"2.2.0", []any{"mobilePhone", "+4512345678"}, "Erro 203", "mobilePhone"},
		{"2.2.0", []any{"threeDSRequestorChallengeInd", []string{"01"}}, "Erro 203", "threeDSRequestorChallengeInd"},
		{"2.3.1", []any{"threeDSRequestorChallengeInd", "01"}, "Erro 203", "threeDSRequestorChallengeInd"},
		{"2.1.0", []any{"threeDSRequestorChallengeInd", "05"}, "Erro 203", "threeDSRequestorChallengeInd"},
		{"2.2.0", []any{"threeDSRequestorChallengeInd", "10"}, "Erro 203", "threeDSRequestorChallengeInd"},
		{"2.3.1", []any{"threeDSRequestorChallengeInd", []string{"13", "02"}}, "", ""},
		{"2.2.0", []any{"threeDSRequestorAuthenticationInd", "02"}, "Erro 201", "recurringExpiry,recurringFrequency"},
		{"2.2.0", []any{"purchaseExponent", "3"}, "Erro 304", "purchaseCurrency,purchaseExponent"},
		{"2.2.0", []any{"purchaseCurrency", "000"}, "Erro 304", "purchaseCurrency,purchaseExponent"},
		{"2.2.0", []any{"threeDSCompInd", "Y"}, "Erro 203", "threeDSCompInd: Y contradicts what became of the 3DS method"},
		{"2.2.0", []any{"threeRIInd", "11"}, "Erro 203", "threeRIInd"},
		{"2.2.0", []any{"sdkTransID", "2fc0a8c5-2c2b-4d0f-9a41-6a8f0b6a4a11"}, "Erro 203", "sdkTransID"},
		{"2.2.0", []any{"notificationURL", "https://user@switch.example/"}, "Erro 203", "notificationURL"},
		{"2.2.0", []any{"messageVersion", "2.0.0", "threeDSRequestorChallengeInd", nil}, "Erro 203", "messageVersion"},
		{"2.2.0", []any{"messageCategory", "02", "purchaseAmount", nil, "purchaseCurrency", nil, "purchaseExponent", nil, "purchaseDate", nil,
			"acquirerBIN", nil, "threeDSRequestorAuthenticationInd", "04"}, "", ""},
	} {
		number := CardNumber(Visa, "0100")
		m := areqOf(w.call("preauth", message{"acctNumber": number}).text("threeDSServerTransID"), number, row.version)
		out := w.call("auth", with(with(m, "threeDSCompInd", "U"), row.change...))
		if row.want == "" {
			require.Equal(t, "Y", said(out), "%v %v", row.change, out)
			continue
		}
		require.Equal(t, row.want, said(out), "%v %v", row.change, out)
		require.Equal(t, row.detail, out["errorDetail"], row.change)
	}
}

// A setup without an amount is no evidence for a payment: there is no authentication value.
func TestNonPayment(t *testing.T) {
	w := newWorld(t, Options{})
	out := w.begin(CardNumber(Visa, "0100"), "2.2.0", "messageCategory", "02", "threeDSRequestorAuthenticationInd", "04")
	require.Equal(t, "Y", said(out))
	require.Nil(t, out["authenticationValue"])
}

// FuzzMessages holds for whatever is sent: an answer in JSON, and no panic.
func FuzzMessages(f *testing.F) {
	valid, _ := json.Marshal(areqOf("2fc0a8c5-2c2b-4d0f-9a41-6a8f0b6a4a11", CardNumber(Visa, "0070"), "2.2.0"))
	f.Add("auth", string(valid))
	f.Add("preauth", `{"acctNumber":"4000003000700009","ds":"visa"}`)
	f.Add("postauth", `{"threeDSServerTransID":null}`)
	f.Add("complete", `{"otp":"1234"}`)
	f.Add("notify-config", `{"url":"https://switch.example/x","only":1}`)
	f.Fuzz(func(t *testing.T, path, body string) {
		w := newWorld(t, Options{TimeScale: 1000, MaxTransactions: 2})
		for _, p := range []string{"preauth", "auth", "postauth", "complete", "notify-config"} {
			if p == path && json.Valid([]byte(body)) {
				var in message
				if json.Unmarshal([]byte(body), &in) == nil && in != nil && in.text("acctNumber") != "" && cardOf(in.text("acctNumber"), "0000").versions == '8' {
					return
				}
				if in != nil && cardOf(in.text("acctNumber"), "0000").versions != '7' {
					w.call(p, in)
				}
			}
		}
		w.form("/sim/acs/challenge", "creq", body)
		w.form("/sim/acs/method", "threeDSMethodData", body)
		w.form("/sim/acs/challenge/submit", "transaction", body, "form", body)
	})
}

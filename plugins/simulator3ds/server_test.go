package simulator3ds

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Every number of the scheme passes Luhn and has its scheme's length, and is read back as what it was made of.
func TestCardNumbers(t *testing.T) {
	for _, s := range schemes {
		for _, d := range []string{"0000", "9000", "0179", "3458"} {
			n := CardNumber(s.scheme, d)
			require.Len(t, n, s.length)
			require.Equal(t, n[len(n)-1:], luhnDigit(n[:len(n)-1]))
			c := cardOf(n, "0000")
			require.Equal(t, d, string([]byte{c.versions, c.method, c.answer, c.challenge}), n)
		}
	}
	require.Equal(t, "4000003000700001", CardNumber(Visa, "0070"))
	for i := range 10000 { // a processor's sandbox that knows cards by six and four digits would decline it
		n := CardNumber(Visa, fmt.Sprintf("%04d", i))
		require.NotEqual(t, "0002", n[12:])
		require.Equal(t, n[15:], luhnDigit(n[:15]))
	}
	require.Empty(t, CardNumber("acme", "0000"))
	require.Empty(t, CardNumber(Visa, "00x0"))
	for _, a := range aliases {
		require.Equal(t, a.number[len(a.number)-1:], luhnDigit(a.number[:len(a.number)-1]))
	}
	require.Equal(t, card{scheme: Mastercard, versions: '0', method: '0', answer: '0', challenge: '0'}, cardOf("5555555555554444", "0070"))
	require.Equal(t, byte('7'), cardOf("4900000000000003", "0070").answer, "others are as the options say")
	for number, want := range map[string]Scheme{"340000000000009": Amex, "3530111333300000": JCB, "30569309025904": Diners, "2221000000000009": Mastercard,
		"6200000000000005": UnionPay, "6011111111111117": Discover, "4900000000000003": Visa} {
		require.Equal(t, want, cardOf(number, "0000").scheme, number)
	}
}

func TestPreauth(t *testing.T) {
	w := newWorld(t, Options{})
	crd := w.call("preauth", message{"acctNumber": CardNumber(Visa, "0000")})
	require.Equal(t, "CRD", crd["messageType"])
	require.Equal(t, "visa", crd["scheme"])
	require.Regexp(t, "^"+uuidPattern+"$", crd["threeDSServerTransID"])
	require.Equal(t, public+"/sim/acs/method", crd["threeDSMethodURL"])
	require.Equal(t, []any{"2.1.0", "2.2.0", "2.3.1"}, crd["dsProtocolVersions"])
	require.Len(t, crd["acsProtocolVersions"], 3)

	only := w.call("preauth", message{"acctNumber": CardNumber(Amex, "3100")})
	require.Equal(t, "2.3.1", only["acsStartProtocolVersion"])
	require.Nil(t, only["threeDSMethodURL"])
	require.Equal(t, []any{map[string]any{"version": "2.3.1", "acsInfoInd": []any{"01", "02"}}}, only["acsProtocolVersions"])

	require.Equal(t, "Erro 305", said(w.call("preauth", message{"acctNumber": CardNumber(Visa, "9000")})))
	require.Equal(t, "Erro 305", said(w.call("preauth", message{"acctNumber": CardNumber(Visa, "0000"), "ds": "mastercard"})))
	require.Equal(t, "Erro 203", said(w.call("preauth", message{"acctNumber": "4242"})))
	co := CardNumber(CB, "0000")
	require.Equal(t, "visa", w.call("preauth", message{"acctNumber": co})["scheme"])
	require.Equal(t, "cb", w.call("preauth", message{"acctNumber": co, "ds": "cb"})["scheme"])

	for body, want := range map[string]string{"{": "Erro 101", "[]": "Erro 101", `{"acctNumber":"4000003000000000"} {}`: "Erro 101", `{"name":"Zoë"}`: "Erro 101", "null": "Erro 101"} {
		r := httptest.NewRequest("POST", "/sim/3ds/preauth", strings.NewReader(body))
		r.Header.Set("APIKey", "demo")
		out := w.do(r)
		require.Equal(t, http.StatusBadRequest, out.Code)
		m := message{}
		require.NoError(t, json.Unmarshal(out.Body.Bytes(), &m))
		require.Equal(t, want, said(m), body)
	}
}

func TestKeys(t *testing.T) {
	w := newWorld(t, Options{})
	for _, key := range []string{"", "wrong", "wrong-key"} {
		r := httptest.NewRequest("POST", "/sim/3ds/preauth", strings.NewReader(`{}`))
		r.Header.Set("APIKey", key)
		out := w.do(r)
		require.Equal(t, http.StatusUnauthorized, out.Code)
		require.Contains(t, out.Header().Get("Content-Type"), "text/plain")
	}
	ares := w.challenged("0070")
	w.key = "another account"
	require.Equal(t, "Erro 203", said(w.result(ares)), "an account sees its own alone")
	require.Equal(t, "Erro 301", said(w.call("complete", message{"threeDSServerTransID": ares["threeDSServerTransID"], "otp": "1234"})))
	_, log := w.get("/sim/3ds/log")
	require.NotContains(t, log, "ARes")
}

func TestPreauthFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{})
		ask := func(number string) *httptest.ResponseRecorder {
			r := httptest.NewRequest("POST", "/sim/3ds/preauth", strings.NewReader(`{"acctNumber":"`+number+`"}`))
			r.Header.Set("APIKey", "demo")
			return w.do(r)
		}
		require.Equal(t, http.StatusInternalServerError, ask(CardNumber(Visa, "7000")).Code)
		began := time.Now()
		require.Equal(t, http.StatusGatewayTimeout, ask(CardNumber(Visa, "8000")).Code)
		require.Equal(t, hangTime, time.Since(began))
	})
}

func TestAnswers(t *testing.T) {
	w := newWorld(t, Options{})
	for _, row := range []struct {
		scheme  Scheme
		digits  string
		version string
		want    string
		eci     string
		value   bool
	}{
		{Visa, "0100", "2.2.0", "Y", "05", true}, {Mastercard, "0100", "2.2.0", "Y", "02", true}, {Amex, "0100", "2.3.1", "Y", "05", true},
		{Diners, "0100", "2.1.0", "Y", "05", true}, {CB, "0100", "2.2.0", "Y", "05", true},
		{Visa, "0110", "2.2.0", "N/01", "", false}, {Visa, "0120", "2.2.0", "A", "06", true}, {Mastercard, "0120", "2.2.0", "A", "01", true},
		{Visa, "0130", "2.2.0", "R/11", "", false}, {Visa, "0140", "2.2.0", "I", "07", true}, {Mastercard, "0140", "2.2.0", "I/81", "06", true},
		{Visa, "0140", "2.1.0", "U/22", "", false}, {Visa, "0150", "2.2.0", "U/22", "", false}, {Visa, "0151", "2.2.0", "U/83", "", false},
		{Visa, "0152", "2.2.0", "U/14", "", false}, {Visa, "0153", "2.2.0", "U/21", "", false},
		{Visa, "0160", "2.2.0", "Erro 405", "", false}, {Visa, "0190", "2.2.0", "Erro 203", "", false}, {Visa, "0170", "2.2.0", "C", "", false},
		{Visa, "0180", "2.2.0", "U/23", "", false},
		{Visa, "0101", "2.2.0", "Y", "", true}, {Visa, "0102", "2.2.0", "Y", "05", false}, {Visa, "0104", "2.2.0", "Y", "02", true},
		{Mastercard, "0104", "2.2.0", "Y", "05", true},
		{Visa, "2100", "2.1.0", "Erro 102", "", false},
	} {
		ares := w.begin(CardNumber(row.scheme, row.digits), row.version)
		require.Equal(t, row.want, said(ares), row.digits)
		require.Equal(t, row.eci, ares.text("eci"), row.digits)
		require.Equal(t, row.value, ares["authenticationValue"] != nil, row.digits)
		if row.value {
			b, err := base64.StdEncoding.DecodeString(ares.text("authenticationValue"))
			require.NoError(t, err)
			require.Len(t, b, 20)
		}
		if ares["messageType"] == "ARes" {
			for _, id := range []string{"threeDSServerTransID", "dsTransID", "acsTransID"} {
				require.Regexp(t, "^"+uuidPattern+"$", ares[id])
			}
			require.Equal(t, row.version, ares["messageVersion"])
		}
		require.Equal(t, row.want == "C", ares["acsURL"] != nil)
	}
	require.Contains(t, w.begin(CardNumber(Visa, "0103"), "2.2.0")["cardholderInfo"], "phone number")
	require.IsType(t, map[string]any{}, w.begin(CardNumber(Visa, "0103"), "2.3.1")["cardholderInfo"])
	require.Nil(t, w.begin(CardNumber(Visa, "0179"), "2.2.0")["acsURL"])
	data := w.begin(CardNumber(Mastercard, "0130"), "2.2.0", "messageCategory", "80")
	require.Equal(t, "U/80", said(data))
	require.Equal(t, "04", data["eci"])
	require.NotEmpty(t, data["authenticationValue"])
}

// A transaction is used once, with its card, within its time.
func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{TimeScale: 10})
		number := CardNumber(Visa, "0100")
		id := w.call("preauth", message{"acctNumber": number}).text("threeDSServerTransID")
		u := func(m message) message { return with(m, "threeDSCompInd", "U") }
		require.Equal(t, "Erro 203", said(w.call("auth", u(areqOf(id, CardNumber(Visa, "0120"), "2.2.0")))), "another card")
		require.Equal(t, "Y", said(w.call("auth", u(areqOf(id, number, "2.2.0")))))
		require.Equal(t, "Erro 305", said(w.call("auth", u(areqOf(id, number, "2.2.0")))), "again")
		require.Equal(t, "Erro 305", said(w.call("postauth", message{"threeDSServerTransID": id})), "no RReq without a challenge")

		id = w.call("preauth", message{"acctNumber": number}).text("threeDSServerTransID")
		time.Sleep(sessionTime/10 + time.Millisecond)
		require.Equal(t, "Erro 301", said(w.call("auth", u(areqOf(id, number, "2.2.0")))), "too late")
		require.Equal(t, "Erro 301", said(w.call("auth", u(areqOf("2fc0a8c5-2c2b-4d0f-9a41-6a8f0b6a4a11", number, "2.2.0")))))
		require.Equal(t, "Erro 203", said(w.call("postauth", message{"threeDSServerTransID": "x"})))
	})
}

func TestForgets(t *testing.T) {
	w := newWorld(t, Options{MaxTransactions: 3})
	var ids []string
	for range 5 {
		ids = append(ids, w.call("preauth", message{"acctNumber": CardNumber(Visa, "0100")}).text("threeDSServerTransID"))
	}
	require.Len(t, w.sim.transactions, 3)
	require.Len(t, w.sim.byACS, 3)
	require.Nil(t, w.sim.transactions[ids[1]])
	require.NotNil(t, w.sim.transactions[ids[2]])
}

func TestThreeRI(t *testing.T) {
	w := newWorld(t, Options{})
	areq := func(digits string, pairs ...any) message {
		m := areqOf("", CardNumber(Visa, digits), "2.2.0")
		for name := range m {
			if strings.HasPrefix(name, "browser") {
				delete(m, name)
			}
		}
		with(m, "deviceChannel", "03", "threeRIInd", "11", "threeDSServerTransID", nil, "threeDSCompInd", nil, "notificationURL", nil,
			"threeDSRequestorAuthenticationInd", nil, "threeDSRequestorChallengeInd", nil,
			"threeDSRequestorPriorAuthenticationInfo", message{"threeDSReqPriorRef": "2fc0a8c5-2c2b-4d0f-9a41-6a8f0b6a4a11"})
		return w.call("auth", with(m, pairs...))
	}
	require.Equal(t, "Y", said(areq("0000")))
	require.Equal(t, "A", said(areq("0020")))
	require.Equal(t, "R/11", said(areq("0030")))
	require.Equal(t, "N/87", said(areq("0070")))
	require.Equal(t, "Erro 305", said(areq("9000")))
	own := areq("0000", "threeDSServerTransID", "2fc0a8c5-2c2b-4d0f-9a41-6a8f0b6a4a11")
	require.Equal(t, "2fc0a8c5-2c2b-4d0f-9a41-6a8f0b6a4a11", own["threeDSServerTransID"])
	missing := areq("0000", "threeDSRequestorPriorAuthenticationInfo", nil)
	require.Equal(t, "Erro 201", said(missing))
	require.Equal(t, "threeDSRequestorPriorAuthenticationInfo", missing["errorDetail"])
	require.Equal(t, "Erro 203", said(areq("0000", "browserIP", "203.0.113.7")), "there is no browser")
}

func TestLogHoldsNoSecrets(t *testing.T) {
	w := newWorld(t, Options{})
	ares := w.begin(CardNumber(Visa, "0100"), "2.2.0")
	_, log := w.get("/sim/3ds/log")
	require.NotContains(t, log, CardNumber(Visa, "0100"))
	require.NotContains(t, log, ares["authenticationValue"])
	require.NotContains(t, log, `"3003"`) // the whole value: times and ids hold all kinds of digits
	var all struct{ Messages []entry }
	require.NoError(t, json.Unmarshal([]byte(log), &all))
	require.Len(t, all.Messages, 4)
	require.Equal(t, "switch→auth", all.Messages[2].What)
	require.Equal(t, "400000******"+CardNumber(Visa, "0100")[12:], all.Messages[2].Message["acctNumber"])
	for range maxLog {
		w.call("preauth", message{"acctNumber": CardNumber(Visa, "0100")})
	}
	require.Len(t, w.sim.log, maxLog)
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]Options{"no URL": {}, "a path's slash": {PublicURL: public + "/"}, "another scheme": {PublicURL: "ftp://x"},
		"a query": {PublicURL: public + "?a=b"}, "time": {PublicURL: public, TimeScale: -1}, "digits": {PublicURL: public, Others: "70"}} {
		_, err := New(o)
		require.Error(t, err, name)
	}
}

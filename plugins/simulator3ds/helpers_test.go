package simulator3ds

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const public = "https://switch.example"

// world is a simulator and somebody who calls it.
type world struct {
	*testing.T
	sim *Simulator
	key string
}

func newWorld(t *testing.T, o Options) *world {
	t.Helper()
	if o.PublicURL == "" {
		o.PublicURL = public
	}
	s, err := New(o)
	require.NoError(t, err)
	return &world{T: t, sim: s, key: "demo"}
}

func (w *world) do(r *http.Request) *httptest.ResponseRecorder {
	w.Helper()
	out := httptest.NewRecorder()
	w.sim.ServeHTTP(out, r)
	return out
}

// call posts to the API.
func (w *world) call(path string, in any) message {
	w.Helper()
	body, err := json.Marshal(in)
	require.NoError(w, err)
	r := httptest.NewRequest("POST", "/sim/3ds/"+path, strings.NewReader(string(body)))
	r.Header.Set("APIKey", w.key)
	out := message{}
	require.NoError(w, json.Unmarshal(w.do(r).Body.Bytes(), &out))
	return out
}

// form posts a form as a browser does, and answers with the page.
func (w *world) form(path string, pairs ...string) (int, string) {
	w.Helper()
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	r := httptest.NewRequest("POST", path, strings.NewReader(v.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	out := w.do(r)
	require.Contains(w, out.Header().Get("Content-Security-Policy"), "frame-ancestors *")
	require.Empty(w, out.Header().Get("X-Frame-Options"))
	require.Empty(w, out.Header().Get("Set-Cookie"))
	return out.Code, out.Body.String()
}

func (w *world) get(path string) (int, string) {
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("APIKey", w.key)
	out := w.do(r)
	b, _ := io.ReadAll(out.Body)
	return out.Code, string(b)
}

// areqOf returns a valid request of a browser payment of 65.40 EUR after a preauth.
func areqOf(id, number, version string) message {
	m := message{"messageType": "AReq", "messageVersion": version, "messageCategory": "01", "deviceChannel": "02", "threeDSServerTransID": id,
		"threeDSCompInd": "N", "threeDSRequestorURL": "https://shop.example", "threeDSRequestorAuthenticationInd": "01",
		"threeDSRequestorChallengeInd": "01", "notificationURL": "https://switch.example/3ds/c/token", "acctNumber": number, "cardExpiryDate": "3003",
		"acquirerBIN": "412345", "acquirerMerchantID": "MID0000417", "mcc": "5411", "merchantCountryCode": "208", "merchantName": "Example Shop",
		"purchaseAmount": "6540", "purchaseCurrency": "978", "purchaseExponent": "2", "purchaseDate": "20260304101530", "transType": "01",
		"cardholderName": "Ana Perez", "email": "ana@example.com", "billAddrLine1": "1 Main St", "billAddrCountry": "208",
		"browserJavascriptEnabled": true, "browserAcceptHeader": "text/html", "browserUserAgent": "Mozilla/5.0", "browserIP": "203.0.113.7",
		"browserLanguage": "en-GB", "browserJavaEnabled": false, "browserColorDepth": "24", "browserScreenHeight": "900",
		"browserScreenWidth": "1440", "browserTZ": "-60"}
	if version == "2.3.1" {
		m["threeDSRequestorChallengeInd"], m["acceptLanguage"] = []string{"01"}, []string{"en-GB"}
	}
	return m
}

func with(m message, pairs ...any) message {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == nil {
			delete(m, pairs[i].(string))
		} else {
			m[pairs[i].(string)] = pairs[i+1]
		}
	}
	return m
}

// begin is preauth and auth of a card, without its 3DS method.
func (w *world) begin(number, version string, pairs ...any) message {
	w.Helper()
	crd := w.call("preauth", message{"acctNumber": number})
	require.Equal(w, "CRD", crd["messageType"], "%v", crd)
	m := areqOf(crd.text("threeDSServerTransID"), number, version)
	if crd["threeDSMethodURL"] == nil {
		m["threeDSCompInd"] = "U"
	}
	return w.call("auth", with(m, pairs...))
}

// challenged returns a card's challenge, begun.
func (w *world) challenged(digits string) message {
	w.Helper()
	ares := w.begin(CardNumber(Visa, digits), "2.2.0")
	require.Equal(w, "C", ares["transStatus"], "%v", ares)
	return ares
}

// creq opens the challenge page.
func (w *world) creq(ares message, pairs ...any) (int, string) {
	w.Helper()
	creq := with(message{"messageType": "CReq", "messageVersion": ares["messageVersion"], "threeDSServerTransID": ares["threeDSServerTransID"],
		"acsTransID": ares["acsTransID"], "challengeWindowSize": "03"}, pairs...)
	return w.form("/sim/acs/challenge", "creq", encoded(creq), "threeDSSessionData", "c2Vzc2lvbg")
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// fields are the hidden fields of a page.
func fieldsOf(page string) map[string]string {
	all := map[string]string{}
	for _, m := range hidden.FindAllStringSubmatch(page, -1) {
		all[m[1]] = m[2]
	}
	return all
}

// submit acts on a challenge page.
func (w *world) submit(page, action, otp string) (int, string) {
	w.Helper()
	f := fieldsOf(page)
	return w.form("/sim/acs/challenge/submit", "transaction", f["transaction"], "form", f["form"], "action", action, "otp", otp)
}

// result fetches the RReq, or the error instead.
func (w *world) result(ares message) message {
	w.Helper()
	return w.call("postauth", message{"threeDSServerTransID": ares["threeDSServerTransID"]})
}

// said returns the short form of an answer: an error's code, or status, reason and cancel.
func said(m message) string {
	if m["messageType"] == "Erro" {
		return "Erro " + m.text("errorCode")
	}
	return strings.TrimRight(m.text("transStatus")+"/"+m.text("transStatusReason")+"/"+m.text("challengeCancel"), "/")
}

func decode64(t *testing.T, s string) message {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(s)
	require.NoError(t, err)
	m := message{}
	require.NoError(t, json.Unmarshal(b, &m))
	return m
}

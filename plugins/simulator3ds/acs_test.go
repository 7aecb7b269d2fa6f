package simulator3ds

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// methodOf opens the page of a card's 3DS method.
func (w *world) methodOf(id string) (int, string) {
	return w.form("/sim/acs/method", "threeDSMethodData", encoded(message{"threeDSServerTransID": id, "threeDSMethodNotificationURL": "https://switch.example/3ds/m/token"}))
}

func TestMethod(t *testing.T) {
	w := newWorld(t, Options{})
	for digits, want := range map[string]struct {
		notifies bool
		delay    string
	}{"0000": {true, "0"}, "0200": {false, ""}, "0300": {true, "8000"}, "0400": {true, "0"}} {
		number := CardNumber(Visa, digits)
		id := w.call("preauth", message{"acctNumber": number}).text("threeDSServerTransID")
		status, page := w.methodOf(id)
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, want.notifies, strings.Contains(page, `action="https://switch.example/3ds/m/token"`), digits)
		if want.notifies {
			require.Contains(t, page, `data-delay="`+want.delay+`"`)
			told := decode64(t, fieldsOf(page)["threeDSMethodData"])
			require.Equal(t, digits != "0400", told["threeDSServerTransID"] == id)
		}
		require.Equal(t, "Y", said(w.call("auth", with(areqOf(id, number, "2.2.0"), "threeDSCompInd", "Y"))), "the page was opened")
		status, _ = w.methodOf(id)
		require.Equal(t, http.StatusBadRequest, status, "too late")
	}
	// GET, as some requestors do
	id := w.call("preauth", message{"acctNumber": CardNumber(Visa, "0000")}).text("threeDSServerTransID")
	data := encoded(message{"threeDSServerTransID": id, "threeDSMethodNotificationURL": "https://switch.example/3ds/m/token"})
	status, _ := w.get("/sim/acs/method?threeDSMethodData=" + data)
	require.Equal(t, http.StatusOK, status)
}

// Mistakes of encoding surface.
func TestMethodData(t *testing.T) {
	w := newWorld(t, Options{})
	good := []byte(`{"threeDSServerTransID":"x","threeDSMethodNotificationURL":"https://switch.example/a?b"}`)
	for data, want := range map[string]string{
		base64.URLEncoding.EncodeToString(append(good, ' ')): "is padded",
		base64.RawStdEncoding.EncodeToString([]byte("???>")): "standard base64",
		"%%%": "is not base64url",
		"":    "is not base64url",
		base64.RawURLEncoding.EncodeToString([]byte("[]")):              "is not a JSON object",
		base64.RawURLEncoding.EncodeToString(good):                      "is unknown",
		encoded(message{"threeDSMethodNotificationURL": "javascript:"}): "is not an https URL",
	} {
		status, page := w.form("/sim/acs/method", "threeDSMethodData", data)
		require.Equal(t, http.StatusBadRequest, status)
		require.Contains(t, page, want, data)
	}
}

func TestChallenge(t *testing.T) {
	w := newWorld(t, Options{})
	for otp, want := range map[string]struct{ rreq, cres, eci string }{
		"1234": {"Y", "Y", "05"}, "1111": {"N/01", "N", ""}, "2222": {"R/11", "N", ""}, "3333": {"U/22", "N", ""}, "6666": {"Y", "Y", "05"},
		"7777": {"A", "N", "06"}, "0012": {"N/12", "N", ""},
	} {
		ares := w.challenged("0170")
		require.Equal(t, "Erro 305", said(w.result(ares)), "not ready")
		_, page := w.creq(ares)
		for _, text := range []string{"Example Shop", "65.40 EUR", "Visa", CardNumber(Visa, "0170")[12:], `id="otp"`, `id="sendOtp"`, `id="resend"`, `id="cancel"`} {
			require.Contains(t, page, text)
		}
		require.NotContains(t, page, CardNumber(Visa, "0170"))
		_, page = w.submit(page, "submit", otp)
		require.Contains(t, page, `action="https://switch.example/3ds/c/token"`)
		f := fieldsOf(page)
		require.Equal(t, "c2Vzc2lvbg", f["threeDSSessionData"])
		cres := decode64(t, f["cres"])
		require.Equal(t, message{"messageType": "CRes", "messageVersion": "2.2.0", "threeDSServerTransID": ares["threeDSServerTransID"],
			"acsTransID": ares["acsTransID"], "challengeCompletionInd": "Y", "transStatus": want.cres}, cres)
		rreq := w.result(ares)
		require.Equal(t, want.rreq, said(rreq), otp)
		require.Equal(t, want.eci, rreq.text("eci"))
		require.Equal(t, (otp == "1234" || otp == "7777"), rreq["authenticationValue"] != nil, otp)
		require.Equal(t, ares["dsTransID"], rreq["dsTransID"])
		require.Equal(t, "01", rreq["interactionCounter"])
		require.Equal(t, rreq, w.result(ares), "it can be fetched again")
	}
}

func TestWrongCodes(t *testing.T) {
	w := newWorld(t, Options{})
	ares := w.challenged("0170")
	_, page := w.creq(ares)
	for range 2 {
		_, page = w.submit(page, "submit", "9999")
		require.Contains(t, page, "That code is not right")
		require.Contains(t, page, `role="alert"`)
		_, page = w.submit(page, "resend", "")
		require.Contains(t, page, "new code")
	}
	_, page = w.submit(page, "submit", "")
	require.Equal(t, "N", decode64(t, fieldsOf(page)["cres"])["transStatus"])
	require.Equal(t, "N/19", said(w.result(ares)))
	require.Equal(t, "05", w.result(ares)["interactionCounter"])

	ares = w.challenged("0170")
	_, page = w.creq(ares)
	_, again := w.creq(ares)
	require.Equal(t, fieldsOf(page), fieldsOf(again), "a reload is the same challenge")
	_, page = w.submit(page, "cancel", "")
	require.NotEmpty(t, fieldsOf(page)["cres"])
	require.Equal(t, "N/26/01", said(w.result(ares)))
	_, again = w.submit(again, "submit", "1234")
	require.Equal(t, fieldsOf(page)["cres"], fieldsOf(again)["cres"], "what has ended has ended")
	require.Equal(t, "N/26/01", said(w.result(ares)))
}

// The faults of the digit C, with the right code.
func TestChallengeFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{})
		for digit, want := range map[string]struct{ cres, rreq string }{
			"1": {"Y", "Y"}, "2": {"N", "N/01"}, "3": {"", "Y"}, "4": {"Y", "Erro 305"}, "5": {"Y", "N/01"}, "6": {"N", "U/22"}, "7": {"error", "U/22/06"},
			"8": {"Y", "Y"},
		} {
			ares := w.challenged("017" + digit)
			_, page := w.creq(ares)
			if digit > "2" {
				_, page = w.submit(page, "submit", "1234")
			}
			f := fieldsOf(page)
			switch want.cres {
			case "":
				require.Contains(t, page, "never sends you back")
				require.NotContains(t, page, "<form")
			case "error":
				e := decode64(t, f["error"])
				require.Equal(t, "Erro", e["messageType"])
				require.Equal(t, ares["acsTransID"], e["acsTransID"])
			default:
				require.Equal(t, want.cres, decode64(t, f["cres"])["transStatus"], digit)
			}
			require.Equal(t, want.rreq, said(w.result(ares)), digit)
			if digit == "4" {
				time.Sleep(lateResult)
				require.Equal(t, "Y", said(w.result(ares)))
			}
			if digit == "8" {
				require.Nil(t, w.result(ares)["authenticationValue"])
			}
		}
	})
}

// The payer does not come, or comes and goes away.
func TestChallengeTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{TimeScale: 5})
		never := w.challenged("0170")
		time.Sleep(firstCReqTime / 5)
		require.Equal(t, "Erro 305", said(w.result(never)))
		time.Sleep(time.Millisecond)
		require.Equal(t, "U/14/05", said(w.result(never)))

		idle := w.challenged("0170")
		_, page := w.creq(idle)
		time.Sleep(idleTime / 5)
		_, page = w.submit(page, "resend", "")
		time.Sleep(idleTime / 5)
		require.Equal(t, "Erro 305", said(w.result(idle)))
		time.Sleep(time.Millisecond)
		_, page = w.submit(page, "submit", "1234")
		require.Equal(t, "N", decode64(t, fieldsOf(page)["cres"])["transStatus"], "too late")
		require.Equal(t, "N/14/04", said(w.result(idle)))
		time.Sleep(resultTime/5 + time.Millisecond)
		require.Equal(t, "Erro 203", said(w.result(idle)), "forgotten")
	})
}

func TestBadCReq(t *testing.T) {
	w := newWorld(t, Options{})
	ares := w.challenged("0170")
	for name, pairs := range map[string][]any{"another ACS id": {"acsTransID", "x"}, "another server id": {"threeDSServerTransID", "x"}} {
		status, page := w.creq(ares, pairs...)
		require.Equal(t, http.StatusBadRequest, status, name)
		require.Contains(t, page, "is wrong")
	}
	status, page := w.form("/sim/acs/challenge", "creq", "eyJ9=")
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, page, "is padded")
	status, _ = w.form("/sim/acs/challenge/submit", "transaction", ares.text("acsTransID"), "form", "", "otp", "1234")
	require.Equal(t, http.StatusBadRequest, status, "without the page's own field the request is refused")
	require.Equal(t, "Erro 305", said(w.result(ares)))
	for name, pairs := range map[string][]any{"version": {"messageVersion", "2.1.0"}, "window": {"challengeWindowSize", "06"}, "type": {"messageType", "AReq"}} {
		ares := w.challenged("0170")
		_, page := w.creq(ares, pairs...)
		require.NotEmpty(t, fieldsOf(page)["error"], name)
		require.Equal(t, "U/22/06", said(w.result(ares)), name)
	}
	require.Equal(t, http.StatusMethodNotAllowed, w.do(httptest.NewRequest("GET", "/sim/acs/challenge", nil)).Code)
}

// Without a browser: tests, and the payer who approves in the bank's app.
func TestComplete(t *testing.T) {
	w := newWorld(t, Options{})
	ares := w.challenged("0170")
	id := ares["threeDSServerTransID"]
	require.Contains(t, w.call("complete", message{"threeDSServerTransID": id, "otp": "5"})["message"], "not right")
	out := w.call("complete", message{"threeDSServerTransID": id, "otp": "1234"})
	require.Equal(t, "https://switch.example/3ds/c/token", out["notificationURL"])
	require.Equal(t, "Y", decode64(t, out.text("cres"))["transStatus"])
	require.Equal(t, "Y", said(w.result(ares)))
	for how, want := range map[string]string{"cancel": "N/26/01", "timeout": "N/14/04"} {
		ares := w.challenged("0170")
		w.call("complete", message{"threeDSServerTransID": ares["threeDSServerTransID"], "result": how})
		require.Equal(t, want, said(w.result(ares)))
	}
	require.Equal(t, "Erro 203", said(w.call("complete", message{"threeDSServerTransID": w.challenged("0170")["threeDSServerTransID"], "result": "Y"})))
}

func TestDecoupled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{})
		ares := w.begin(CardNumber(Visa, "0182"), "2.2.0", "threeDSRequestorDecReqInd", "Y", "threeDSRequestorDecMaxTime", "00010")
		require.Equal(t, "D", said(ares))
		require.Equal(t, "Y", ares["acsDecConInd"])
		require.Equal(t, "Erro 305", said(w.result(ares)))
		time.Sleep(decoupledTime)
		require.Equal(t, "N/01", said(w.result(ares)))
		require.Equal(t, "04", w.result(ares)["authenticationType"])
	})
}

// Quotes and scripts in what the merchant says stay text.
func TestPagesEscape(t *testing.T) {
	w := newWorld(t, Options{})
	nasty := `"><script>alert(1)</script>`
	ares := w.begin(CardNumber(Visa, "0170"), "2.2.0", "merchantName", nasty, "notificationURL", "https://switch.example/3ds/c/a'%22")
	_, page := w.creq(ares)
	require.NotContains(t, page, nasty)
	_, page = w.submit(page, "submit", "1234")
	require.Equal(t, 1, strings.Count(page, "<script"))
	_, page = w.get("/sim/3ds/cards")
	for _, n := range []string{"4242424242424242", CardNumber(Visa, "0070"), "1234", "37000030"} {
		require.Contains(t, page, n)
	}
	require.NotContains(t, page, "http://", "nothing is loaded")
	require.NotContains(t, page, "src=")
}

func TestPush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{})
		got := make(chan string, 8)
		w.sim.transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			got <- r.URL.String() + " " + r.Header.Get("X-Signature")
			return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
		})
		require.Equal(t, "Erro 203", said(w.call("notify-config", message{"url": "https://elsewhere.example/x"})), "only to the switch itself")
		require.Equal(t, "Erro 203", said(w.call("notify-config", message{"url": public + ".evil.example/x"})))
		w.call("notify-config", message{"url": public + "/webhooks/m/a", "only": true})
		done := make(chan error, 1)
		ctx, stop := context.WithCancel(t.Context())
		go func() { done <- w.sim.Run(ctx) }()

		ares := w.challenged("0170")
		_, page := w.creq(ares)
		w.submit(page, "submit", "1234")
		sent := <-got
		require.Regexp(t, `^https://switch\.example/webhooks/m/a [0-9a-f]{64}$`, sent)
		require.Equal(t, "Erro 305", said(w.result(ares)), "pushed alone")

		w.challenged("0170") // the payer does not come
		began := time.Now()
		<-got
		require.InDelta(t, firstCReqTime.Seconds(), time.Since(began).Seconds(), 1)
		require.Empty(t, w.sim.pushes)
		w.call("notify-config", message{"url": ""})
		require.Equal(t, "Y", said(w.result(ares)))
		stop()
		require.NoError(t, <-done)
	})
}

type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The dsTransID says what it was issued for.
func TestTransactionID(t *testing.T) {
	seen := map[string]bool{}
	for i := range 1000 {
		id := dsTransID(card{scheme: Mastercard}, fmt.Sprint(6540+i), "978")
		require.Regexp(t, `^513d501[02468ace]-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-`+fmt.Sprintf("%012x", 6540+i)+`$`, id)
		seen[id] = true
	}
	require.Len(t, seen, 1000)
	require.Regexp(t, `^513d500[13579bdf]-`, dsTransID(cardOf(CardNumber(Visa, "0000"), "0000"), "6540", "978"))
	require.Regexp(t, `-ffffffffffff$`, dsTransID(card{scheme: Visa}, strings.Repeat("9", 40), "978"))
	require.Regexp(t, `-000000000000$`, dsTransID(card{scheme: Visa}, "", ""))
	require.NotEqual(t, cavv("a", "Y"), cavv("a", "A"))
}

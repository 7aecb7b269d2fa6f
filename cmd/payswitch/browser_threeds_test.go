package main

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// threeDSShop is a merchant whose payments are authenticated at the simulated 3DS server, its pages, and a payer's browser.
type threeDSShop struct {
	*tab
	sw     *running
	pages  *httptest.Server // where payers come back to, and the shop's own checkout
	key    string
	public string
	number *int // of payments so far
	// checkout is the page at /checkout.
	checkout string
	policy   string // its Content-Security-Policy
	dir      string // of the switch's database
}

// newThreeDSShop starts a switch whose simulated bank's times are divided by scale.
func newThreeDSShop(t *testing.T, scale int) *threeDSShop {
	t.Helper()
	s := &threeDSShop{tab: newTab(t), number: new(int), dir: t.TempDir()}
	s.pages = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/checkout" {
			if s.policy != "" {
				w.Header().Set("Content-Security-Policy", s.policy)
			}
			fmt.Fprint(w, s.checkout)
			return
		}
		fmt.Fprintf(w, "<!doctype html><title>Shop</title><p id=back data-status=\"%s\">Back at the shop", html.EscapeString(r.FormValue("status")))
	}))
	t.Cleanup(s.pages.Close)
	s.sw = start(t, append(testEnv(t, s.dir), fmt.Sprint("PAYSWITCH_SIMULATOR__TIME_SCALE=", scale),
		"PAYSWITCH_ENGINE__AUTHENTICATOR_TIME=30s", // the first look-up on a busy machine waits until the adapter is ready
		"PAYSWITCH_SERVER__CORS__ORIGINS="+s.pages.URL+","+strings.Replace(s.pages.URL, "127.0.0.1", "localhost", 1), "PAYSWITCH_ENGINE__RESOLVE_EVERY=200ms"), "serve")
	s.key = s.sw.shop("shop")
	s.sw.authenticateBy("shop", s.key, "simulator3ds", s.pages.URL)
	s.public, _ = s.sw.must(testAdminKey, "/accounts/shop", nil)["publishable_key"].(string)
	return s
}

// list reads a JSON list.
func (r *running) list(key, path string) (int, []object) {
	r.t.Helper()
	req, err := http.NewRequest(http.MethodGet, r.url+path, nil)
	require.NoError(r.t, err)
	req.Header.Set("api-key", key)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(r.t, err)
	defer resp.Body.Close()
	var all []object
	require.NoError(r.t, json.NewDecoder(resp.Body).Decode(&all))
	return resp.StatusCode, all
}

// pay begins a payment with the card of the digits V, M, A and C, and returns it.
func (s *threeDSShop) pay(digits string, change object) object {
	s.Helper()
	*s.number++
	o := securePayment(fmt.Sprint("pay_browser_", *s.number), digits)
	o["return_url"] = s.pages.URL + "/return"
	for k, v := range change {
		o[k] = v
	}
	p := s.sw.must(s.key, "/payments", o)
	require.Equal(s, "requires_customer_action", p["status"], "%v %v", p["error_code"], p["error_message"])
	return p
}

// hosted returns where a payment's hosted page is.
func (s *threeDSShop) hosted(p object) string {
	s.Helper()
	action, _ := p["next_action"].(map[string]any)
	to, _ := action["redirect_to_url"].(string)
	require.NotEmpty(s, to, "%v", p["next_action"])
	return to
}

// open sends the browser to the hosted page of a new payment.
func (s *threeDSShop) open(digits string, change object) object {
	s.Helper()
	p := s.pay(digits, change)
	s.do(chromedp.Navigate(s.hosted(p)))
	return p
}

// back waits until the payer is back at the shop, and the payment there and at the switch has a status.
func (s *threeDSShop) back(p object, status, code string) object {
	s.Helper()
	s.await("document.querySelector('#back')")
	id, _ := p["payment_id"].(string)
	now := s.sw.must(s.key, "/payments/"+id+"?expand_attempts=true", nil)
	require.Equal(s, status, now["status"], "%v %v", now["error_code"], now["error_message"])
	require.Equal(s, status, script[string](s.tab, "document.querySelector('#back').dataset.status"))
	if code != "" {
		require.Equal(s, code, now["error_code"])
	}
	attempts, _ := now["attempts"].([]any)
	require.Len(s, attempts, 1, "one attempt, whatever the browser did")
	return now
}

// bank is the bank's page: in the frame, or the page itself.
const bank = "(document.querySelector('#frame') ? document.querySelector('#frame').contentDocument : document)"

// answer types a code on the bank's page and confirms it.
func (s *threeDSShop) answer(code string) {
	s.Helper()
	s.await(bank + ".querySelector('#otp')")
	script[bool](s.tab, bank+".querySelector('#otp').value = '"+code+"', "+bank+".querySelector('#sendOtp').click(), true")
}

// completion is threeDSCompInd of the last AReq that the simulated 3DS server took.
func (s *threeDSShop) completion() string {
	s.Helper()
	req, err := http.NewRequest(http.MethodGet, s.sw.url+"/sim/3ds/log", nil)
	require.NoError(s, err)
	req.Header.Set("APIKey", "demo")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s, err)
	defer resp.Body.Close()
	var log struct {
		Messages []struct {
			What    string
			Message map[string]any
		}
	}
	require.NoError(s, json.NewDecoder(resp.Body).Decode(&log))
	last := ""
	for _, m := range log.Messages {
		if m.What == "switch→auth" {
			last, _ = m.Message["threeDSCompInd"].(string)
		}
	}
	return last
}

// TestThreeDSInABrowser takes a payer through the hosted page and the simulated bank.
func TestThreeDSInABrowser(t *testing.T) {
	costly(t)
	s := newThreeDSShop(t, 1)
	for _, c := range []struct {
		name string
		run  func(s *threeDSShop)
	}{
		{"frictionless", func(s *threeDSShop) {
			p := s.open("0000", nil)
			s.back(p, "succeeded", "")
			require.Equal(s, "Y", s.completion(), "the 3DS method ran")
			s.do(chromedp.Navigate(s.hosted(p))) // again, as by the back button
			s.back(p, "succeeded", "")
		}},
		{"not authenticated", func(s *threeDSShop) {
			s.back(s.open("0010", nil), "failed", "authentication_failed")
		}},
		{"attempted, manual capture", func(s *threeDSShop) {
			s.back(s.open("0120", object{"capture_method": "manual"}), "requires_capture", "")
		}},
		{"the bank has something to say", func(s *threeDSShop) {
			p := s.open("0103", nil)
			s.await("document.querySelector('.note')")
			s.shot("hosted-note")
			require.Contains(s, script[string](s.tab, "document.querySelector('.note').textContent"), "phone number")
			script[bool](s.tab, "document.querySelector('#onward').click(), true")
			s.back(p, "succeeded", "")
		}},
		{"challenge in a frame of its size", func(s *threeDSShop) {
			p := s.open("0070", nil)
			s.await("document.querySelector('#frame')")
			s.await(bank + ".querySelector('#otp')")
			s.shot("hosted-challenge")
			require.Equal(s, "500x600", script[string](s.tab, "document.querySelector('#frame').clientWidth + 'x' + document.querySelector('#frame').clientHeight"))
			// The page ignores such a message from any other sender.
			script[bool](s.tab, "window.dispatchEvent(new MessageEvent('message', {origin: 'https://evil.example', data: {type: '3ds_challenge_done'}})), true")
			s.answer("1234")
			now := s.back(p, "succeeded", "")
			details, _ := now["external_authentication_details"].(map[string]any)
			require.Equal(s, "challenge", details["authentication_flow"])
			require.Equal(s, "05", details["electronic_commerce_indicator"])
		}},
		{"wrong code three times", func(s *threeDSShop) {
			p := s.open("0170", nil)
			for range 2 {
				s.answer("9999")
				s.await(bank + ".querySelector('#problem')")
				script[bool](s.tab, bank+".querySelector('#problem').remove(), true")
			}
			s.answer("9999")
			s.back(p, "failed", "authentication_failed")
		}},
		{"cancelled at the bank", func(s *threeDSShop) {
			p := s.open("0170", nil)
			s.await(bank + ".querySelector('#cancel')")
			script[bool](s.tab, bank+".querySelector('#cancel').click(), true")
			s.back(p, "failed", "challenge_cancelled")
		}},
		{"approved, and the bank never sends the payer back", func(s *threeDSShop) {
			p := s.open("0173", nil)
			s.answer("1234")
			s.await(bank + ".querySelector('#lost')")
			script[bool](s.tab, "document.querySelector('#cancel button').click(), true") // the result is there
			s.back(p, "succeeded", "")
		}},
		{"the browser says Y, the bank says N", func(s *threeDSShop) {
			p := s.open("0175", nil)
			s.answer("1234")
			s.back(p, "failed", "authentication_failed")
		}},
		{"as a page of its own", func(s *threeDSShop) {
			p := s.open("0070", nil)
			s.await(bank + ".querySelector('#otp')")
			script[bool](s.tab, "document.querySelector('#full').click(), true")
			s.await("!document.querySelector('#frame') && document.querySelector('#otp')")
			s.answer("1234")
			s.back(p, "succeeded", "")
		}},
		{"on a telephone", func(s *threeDSShop) {
			s.size(390, 800)
			defer s.size(1000, 800)
			p := s.open("0070", nil)
			s.await("document.querySelector('#otp')") // the bank has the page for itself
			s.shot("hosted-telephone")
			s.answer("1234")
			s.back(p, "succeeded", "")
		}},
		{"without JavaScript", func(s *threeDSShop) {
			s.scripts(false)
			defer s.scripts(true)
			p := s.open("0070", nil)
			s.await("document.querySelector('#go button')")
			s.shot("hosted-without-scripts")
			s.press("#go button")
			s.press("#open button")
			s.await("document.querySelector('#otp')")
			script[bool](s.tab, "document.querySelector('#otp').value = '1234', true")
			s.press("#sendOtp")
			s.press("#next button")
			s.back(p, "succeeded", "")
			require.Equal(s, "N", s.completion(), "the 3DS method did not run")
		}},
		{"twice", func(s *threeDSShop) {
			p := s.open("0170", nil)
			s.await(bank + ".querySelector('#otp')")
			s.do(chromedp.Reload())
			s.answer("1234")
			s.back(p, "succeeded", "")
			action, _ := p["next_action"].(map[string]any)
			data, _ := action["three_ds_data"].(map[string]any)
			for range 2 {
				s.do(chromedp.Navigate(data["three_ds_authorize_url"].(string)))
				s.back(p, "succeeded", "")
			}
		}},
		{"a return URL with quotes and tags", func(s *threeDSShop) {
			nasty := `"'></script><script>window.evil=1</script>`
			p := s.open("0070", object{"return_url": s.pages.URL + "/return?x=" + url.QueryEscape(nasty) + "&y=%22'"})
			s.answer("1234")
			s.back(p, "succeeded", "")
			require.Equal(s, nasty, script[string](s.tab, "new URLSearchParams(location.search).get('x')"))
			require.False(s, script[bool](s.tab, "'evil' in window"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sub := *s
			sub.tab = &tab{t, s.ctx}
			c.run(&sub)
		})
	}
}

// TestThreeDSMethodWithoutEndInABrowser: the page waits for the bank's 3DS method for ten seconds, as long as EMVCo has it, and goes on.
func TestThreeDSMethodWithoutEndInABrowser(t *testing.T) {
	costly(t)
	s := newThreeDSShop(t, 1)
	began := time.Now()
	p := s.open("0200", nil)
	s.await("document.querySelector('.spin')")
	s.shot("hosted-run")
	s.back(p, "succeeded", "")
	require.Equal(s, "N", s.completion())
	require.GreaterOrEqual(s, time.Since(began), 10*time.Second)
}

// TestThreeDSTimeOutInABrowser has a payer look away until the bank gives up.
func TestThreeDSTimeOutInABrowser(t *testing.T) {
	costly(t)
	s := newThreeDSShop(t, 300) // ten minutes are two seconds
	p := s.open("0170", nil)
	s.await(bank + ".querySelector('#otp')")
	time.Sleep(2500 * time.Millisecond)
	s.answer("1234")
	s.back(p, "failed", "authentication_timeout")
}

// scripts turns the page's own scripts on or off.
func (b *tab) scripts(on bool) {
	b.Helper()
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
		return chromedp.Void{}, err
	})
}

// press clicks on an element as soon as the page has it.
func (b *tab) press(selector string) {
	b.Helper()
	b.await("document.querySelector('" + selector + "')")
	script[bool](b, "document.querySelector('"+selector+"').click(), true")
}

// shopPage is a checkout that works like a shop's 3-D Secure SDK: the 3DS method in a hidden frame, the AReq with the publishable key; the
// challenge in a frame, and then a query after the frame's message.
const shopPage = `<!doctype html><title>Checkout</title><p id="log"></p><script>
const action = ACTION, secret = SECRET, key = KEY;
const data = action.three_ds_data, method = data.three_ds_method_details, log = document.getElementById("log");
const frame = (name) => { const f = document.createElement("iframe"); f.name = name; f.width = 500; f.height = 600; document.body.append(f); return f; };
const post = (url, fields, target) => {
  const f = document.createElement("form"); f.method = "post"; f.action = url; if (target) f.target = target;
  for (const [k, v] of Object.entries(fields)) { const i = document.createElement("input"); i.type = "hidden"; i.name = k; i.value = v; f.append(i); }
  document.body.append(f); f.submit();
};
const heard = (wanted) => new Promise((done) => addEventListener("message", (e) => {
  if (e.origin !== new URL(data.three_ds_authorize_url).origin) return;
  const found = wanted(e.data); if (found) done(found);
}));
(async () => {
  let completion = "U";
  if (method.three_ds_method_data_submission) {
    const ended = heard((m) => m.type === "3ds_method_done");
    frame("method"); post(method.three_ds_method_url, {[method.three_ds_method_key]: method.three_ds_method_data}, "method");
    await ended; completion = "Y";
  }
  const answer = await (await fetch(data.three_ds_authentication_url, {method: "POST", headers: {"content-type": "application/json", "api-key": key},
    body: JSON.stringify({client_secret: secret, device_channel: "BRW", threeds_method_comp_ind: completion})})).json();
  log.textContent = answer.trans_status;
  if (answer.trans_status !== "C") return post(data.three_ds_authorize_url, {});
  const over = heard((m) => m.openurl_if_required || m.poll_status && m.poll_status.poll_id);
  frame("challenge"); post(answer.acs_url, {[answer.challenge_request_key]: answer.challenge_request, threeDSSessionData: answer.three_ds_session_data}, "challenge");
  log.dataset.told = await over;
  for (;;) {
    const poll = await (await fetch(new URL("/poll/status/" + data.poll_config.poll_id, data.three_ds_authorize_url), {headers: {"api-key": key}})).json();
    if (poll.status === "completed") break;
    await new Promise((r) => setTimeout(r, 200));
  }
  location = data.three_ds_authorize_url;
})();
</script>`

// TestThreeDSSDKInABrowser runs the payer's part in the shop's own page, on another origin than ours.
func TestThreeDSSDKInABrowser(t *testing.T) {
	costly(t)
	s := newThreeDSShop(t, 1)
	for _, c := range []struct{ name, digits, status, code string }{
		{"frictionless", "0000", "succeeded", ""},
		{"rejected", "0030", "failed", "authentication_rejected"},
		{"challenge", "0071", "succeeded", ""},
		{"challenge that fails", "0072", "failed", "authentication_failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sub := *s
			sub.tab = &tab{t, s.ctx}
			p := sub.pay(c.digits, nil)
			s.checkout = sub.page(shopPage, p)
			sub.do(chromedp.Navigate(s.pages.URL + "/checkout"))
			sub.back(p, c.status, c.code)
		})
	}
}

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"payswitch/engine/staff"
	"payswitch/router"
	"payswitch/router/dashboard"
	"payswitch/sdk"
)

// person is who looks at the dashboard in a test. The built program has no such way in.
type person struct{ session staff.Session }

// Of implements dashboard.Sessions.
func (p person) Of(*http.Request) (*staff.Session, error) { return &p.session, nil }

// office is a switch with a merchant, and its dashboard as people of several roles see it.
type office struct {
	*testing.T
	api *running
	key string
	n   *node
}

const officeMerchant = "office"

// newOffice starts a switch in this process, because a test has to choose who looks at the pages.
func newOffice(t *testing.T) *office {
	t.Helper()
	return newOfficeOn(t, testEnv(t, t.TempDir()))
}

// newOfficeOn is newOffice with an environment.
func newOfficeOn(t *testing.T, env []string) *office {
	t.Helper()
	c, err := loadConfig(defaultConfig(), "", false, env)
	require.NoError(t, err)
	var log lockedBuffer
	ctx, stop := context.WithCancel(context.Background())
	n, err := openNode(ctx, c, true, newLogger(&log, c.Log))
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- n.run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, n.close())
	})
	o := &office{T: t, api: &running{t: t, url: n.url()}, n: n}
	o.key = o.api.shop(officeMerchant)
	return o
}

// as returns the dashboard as a person of a role sees it, at an address of its own.
func (o *office) as(role staff.Role) string {
	o.Helper()
	at := officeMerchant
	if role == staff.Operator {
		at = ""
	}
	p := person{staff.Session{ID: "s_" + string(role), UserID: "u_" + string(role), Name: string(role), SecondFactorAt: time.Now(),
		Grants: []staff.Grant{{MerchantID: at, Role: role, Limits: map[sdk.Currency]int64{"USD": 2000}}}}}
	pages, err := dashboard.New(dashboard.Deps{Sessions: p, Engine: o.n.engine, Events: o.n.engine.Webhooks, Adapters: o.n.host, Bundles: o.n.bundles, Replayer: replays{o.n}, Presenter: router.Presenter{}, System: systemOf{o.n}, Logs: o.n.book},
		dashboard.Options{APIURL: o.n.url()})
	require.NoError(o, err)
	web := httptest.NewServer(pages)
	o.Cleanup(web.Close)
	return web.URL
}

// pay makes a payment with a card, and returns its id. further fields replace those of the usual payment.
func (o *office) pay(number string, further object) string {
	o.Helper()
	body := object{"amount": 6540, "currency": "USD", "confirm": true, "payment_method": "card", "payment_method_type": "credit",
		"email": "ada@shop.example", "merchant_order_reference_id": "order-77", "payment_method_data": object{"card": object{"card_number": number,
			"card_exp_month": "10", "card_exp_year": "50", "card_holder_name": "Ada Lovelace", "card_cvc": "987"}}}
	for k, v := range further {
		body[k] = v
	}
	id, _ := o.api.must(o.key, "/payments", body)["payment_id"].(string)
	require.NotEmpty(o, id)
	return id
}

// same is a client that follows no redirect.
var same = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: 30 * time.Second}

func (o *office) page(address string) (int, string) {
	o.Helper()
	answer, err := same.Get(address)
	require.NoError(o, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	require.NoError(o, err)
	return answer.StatusCode, string(b)
}

// shows requires a page that answers 200 with these texts.
func (o *office) shows(address string, texts ...string) string {
	o.Helper()
	status, html := o.page(address)
	require.Equal(o, http.StatusOK, status, "%s: %s", address, html)
	for _, text := range texts {
		require.Contains(o, html, text, address)
	}
	return html
}

var hidden = regexp.MustCompile(`name="key" value="([^"]+)"`)

// form opens a sheet and returns the key of its form.
func (o *office) form(address string) string {
	o.Helper()
	m := hidden.FindStringSubmatch(o.shows(address))
	require.NotNil(o, m, "the form of %s has a key", address)
	return m[1]
}

// send posts a form as a browser does, and returns the status and where the answer leads.
func (o *office) send(address string, fields url.Values) (int, string) {
	r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(fields.Encode()))
	require.NoError(o, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := same.Do(r)
	require.NoError(o, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	require.NoError(o, err)
	if to := answer.Header.Get("Location"); to != "" {
		return answer.StatusCode, to
	}
	return answer.StatusCode, string(b)
}

// TestDashboardLooks finds payments by whatever people have of them, and says in a sentence what happened.
func TestDashboardLooks(t *testing.T) {
	costly(t)
	o := newOffice(t)
	paid, refused := o.pay("4242424242424242", nil), o.pay("4000000000000002", object{"email": "bob@shop.example", "merchant_order_reference_id": "order-78"})
	base := o.as(staff.Admin) + "/m/" + officeMerchant
	o.shows(base+"/", "Latest payments", "ada@shop.example")
	list := o.shows(base+"/payments", "65.40", "failed")
	require.Equal(t, 2, strings.Count(list, "<tr><th scope=\"row\""))
	for query, want := range map[string]string{"status=failed": refused, "last4=4242": paid, "order=order-78": refused, "email=ada@shop.example": paid,
		"amount=>65&currency=USD": paid, "amount=65.40&status=paid": paid} {
		require.Contains(t, o.shows(base+"/payments?"+strings.ReplaceAll(query, ">", "%3E")), "/payments/"+want, query)
	}
	require.Contains(t, o.shows(base+"/payments?amount=%3E100"), "No payment matches")
	status, bad := o.page(base + "/payments?amount=lots")
	require.Equal(t, http.StatusBadRequest, status)
	require.NotContains(t, bad, "/payments/"+paid, "a list whose filter cannot be read is not shown as if it had none")

	for text, want := range map[string]string{paid: "/payments/" + paid, "4242": "last4=4242", "order-77": "order=order-77", "ada@shop.example": "email=~",
		"status:failed amount:>10": "amount=%3E10&status=failed"} {
		answer, err := same.Get(base + "/payments?q=" + url.QueryEscape(text))
		require.NoError(t, err)
		answer.Body.Close()
		require.Equal(t, http.StatusSeeOther, answer.StatusCode, text)
		to := answer.Header.Get("Location")
		require.Contains(t, to, want, text)
		if want == "email=~" { // sealed, and it filters all the same
			require.Contains(t, o.shows(strings.TrimSuffix(base, "/m/"+officeMerchant)+to), "/payments/"+paid)
		}
	}

	o.shows(base+"/payments/"+paid, "The customer paid 65.40 USD with Visa ··4242 at Simulator.", "What happened", "authorize 65.40 USD at simulator", "event payment_succeeded",
		"GET /payments/"+paid)
	o.shows(base+"/payments/"+refused, "Simulator refused 65.40 USD", "No money moved.")
	_, file := o.page(base + "/payments.csv?status=failed")
	require.Contains(t, file, refused)
	require.NotContains(t, file, paid)
	status, _ = o.page(base + "/payments/pay_of_another")
	require.Equal(t, http.StatusNotFound, status)

	viewer := o.as(staff.Viewer) + "/m/" + officeMerchant
	seen := o.shows(viewer+"/payments/"+paid, "a···@shop.example")
	require.NotContains(t, seen, "ada@shop.example")
	require.NotContains(t, seen, "/refund\"", "a viewer gets no button that moves money")
	require.NotContains(t, seen, "GET /payments/"+paid, "a viewer sees no raw answer")
	require.NotContains(t, o.shows(viewer+"/payments"), "ada@shop.example")
	_, file = o.page(viewer + "/payments.csv")
	require.NotContains(t, file, "ada@shop.example")
	for _, act := range []string{"refund", "capture", "cancel"} {
		status, _ := o.send(viewer+"/payments/"+paid+"/"+act, url.Values{"amount": {"1.00"}, "key": {"k"}})
		require.Equal(t, http.StatusForbidden, status, act)
	}
	answer := o.api.must(o.key, "/payments/"+paid, nil)
	require.Nil(t, answer["refunds"])
}

// refundsOf returns the sum and the number of a payment's refunds, by the API.
func (o *office) refundsOf(id string) (sum, n int) {
	o.Helper()
	list, _ := o.api.must(o.key, "/payments/"+id, nil)["refunds"].([]any)
	for _, r := range list {
		sum += int(r.(map[string]any)["amount"].(float64))
	}
	return sum, len(list)
}

// TestDashboardMovesMoneyOnce: whatever people do with a form, it moves money once.
func TestDashboardMovesMoneyOnce(t *testing.T) {
	costly(t)
	o := newOffice(t)
	base := o.as(staff.Admin) + "/m/" + officeMerchant
	at := func(id string) string { return base + "/payments/" + id }

	id := o.pay("4242424242424242", nil)
	form := url.Values{"amount": {"10.00"}, "reason": {"damaged"}, "key": {o.form(at(id) + "/refund")}}
	var clicks sync.WaitGroup
	for range 4 { // a double click, and a browser that repeats a form whose answer it lost
		clicks.Go(func() {
			status, to := o.send(at(id)+"/refund", form)
			require.Equal(t, http.StatusSeeOther, status, to)
		})
	}
	clicks.Wait()
	sum, n := o.refundsOf(id)
	require.Equal(t, 1000, sum)
	require.Equal(t, 1, n)
	status, _ := o.send(at(id)+"/refund", form)
	require.Equal(t, http.StatusSeeOther, status, "a reload of the answer")
	form.Set("amount", "11.00")
	status, html := o.send(at(id)+"/refund", form)
	require.Equal(t, http.StatusConflict, status, "the same form with another amount")
	require.Contains(t, html, "This form was sent before with something else in it")
	sum, _ = o.refundsOf(id)
	require.Equal(t, 1000, sum)
	o.shows(at(id)+"?did=refund", "10.00 USD was given back", "The refund of 10.00 USD succeeded", "−10.00", "damaged")

	// Two people give the rest back at the same moment: the money goes back once.
	rest := url.Values{"amount": {"55.40"}}
	answers := make(chan int, 2)
	forms := map[string]url.Values{} // both are open before one of them is sent
	for _, person := range []string{base, o.as(staff.Admin) + "/m/" + officeMerchant} {
		page := person + "/payments/" + id + "/refund"
		forms[page] = url.Values{"amount": rest["amount"], "key": {o.form(page)}}
	}
	for page, fields := range forms {
		clicks.Go(func() {
			status, _ := o.send(page, fields)
			answers <- status
		})
	}
	clicks.Wait()
	require.ElementsMatch(t, []int{http.StatusSeeOther, http.StatusUnprocessableEntity}, []int{<-answers, <-answers})
	sum, n = o.refundsOf(id)
	require.Equal(t, 6540, sum)
	require.Equal(t, 2, n)
	o.shows(at(id), "All of it was given back.", "Refund is not possible")

	for amount, problem := range map[string]string{"10.001": "Write an amount such as 10.50", "": "Write an amount", "-5": "Write an amount", "1e3": "Write an amount", "65.41": "more than the 65.40 USD"} {
		other := o.pay("4242424242424242", nil)
		status, html := o.send(at(other)+"/refund", url.Values{"amount": {amount}, "key": {o.form(at(other) + "/refund")}})
		require.Equal(t, http.StatusUnprocessableEntity, status, amount)
		require.Contains(t, html, problem, amount)
		_, n := o.refundsOf(other)
		require.Zero(t, n, amount)
	}

	// Support refunds up to the limit of the role.
	support := o.as(staff.Support) + "/m/" + officeMerchant + "/payments/" + o.pay("4242424242424242", nil) + "/refund"
	status, html = o.send(support, url.Values{"amount": {"20.01"}, "key": {o.form(support)}})
	require.Equal(t, http.StatusForbidden, status)
	require.Contains(t, html, "above the limit of your role")
	status, _ = o.send(support, url.Values{"amount": {"20.00"}, "key": {o.form(support)}})
	require.Equal(t, http.StatusSeeOther, status)
}

// TestDashboardCapturesAndCancels captures a part, releases held money, and offers exactly what the API allows.
func TestDashboardCapturesAndCancels(t *testing.T) {
	costly(t)
	o := newOffice(t)
	base := o.as(staff.Admin) + "/m/" + officeMerchant + "/payments/"
	held := o.pay("4242424242424242", object{"capture_method": "manual"})
	o.shows(base+held, "Simulator holds 65.40 USD", "/capture\"", "Release the held money")
	status, _ := o.send(base+held+"/capture", url.Values{"amount": {"60.40"}, "key": {o.form(base + held + "/capture")}})
	require.Equal(t, http.StatusSeeOther, status)
	require.EqualValues(t, 6040, o.api.must(o.key, "/payments/"+held, nil)["amount_received"])
	require.Contains(t, o.shows(base+held+"/capture"), "could not be captured", "what is not possible is said, and has no form")

	other := o.pay("4242424242424242", object{"capture_method": "manual", "currency": "JPY", "amount": 1200})
	o.shows(base+other+"/capture", "Capture 1,200 JPY", `value="1200"`)
	status, _ = o.send(base+other+"/cancel", url.Values{"reason": {"sold out"}, "key": {o.form(base + other + "/cancel")}})
	require.Equal(t, http.StatusSeeOther, status)
	o.shows(base+other, "cancelled", "sold out", "No money moved.")

	// A captured payment is voided before it settles, as a whole. Where the processor refuses, the page says so.
	paid := o.pay("4242424242424242", nil)
	o.shows(base+paid, "/void\"")
	o.shows(base+paid+"/void", "Void 65.40 USD", "you receive nothing", "If the payment has settled", "/payments/"+paid+"/cancel_post_capture")
	status, _ = o.send(base+paid+"/void", url.Values{"reason": {"wrong size"}, "key": {o.form(base + paid + "/void")}})
	require.Equal(t, http.StatusSeeOther, status)
	o.shows(base+paid+"?did=void", "The void was sent", "was reversed before it settled", "wrong size")
	late := o.pay("4242424242424242", object{"amount": 900000305})
	status, _ = o.send(base+late+"/void", url.Values{"key": {o.form(base + late + "/void")}})
	require.Equal(t, http.StatusSeeOther, status)
	o.shows(base+late, "A void was asked for and not made (already_settled: The payment has settled.)", "/refund\"")
	require.Contains(t, o.shows(base+held+"/void"), "Void", "a partial capture can be voided too")
}

// hrefs finds the addresses in a page.
var hrefs = regexp.MustCompile(`(?:href|hx-get)="(/[^"#]*)`)

// TestDashboardKeepsSecrets walks through the whole site, and finds no card number, no code, no credential and no client secret in it.
func TestDashboardKeepsSecrets(t *testing.T) {
	costly(t)
	o := newOffice(t)
	o.pay("4242424242424242", object{"customer_id": "cus_office", "setup_future_usage": "off_session",
		"customer_acceptance": object{"acceptance_type": "online", "online": object{"ip_address": "203.0.113.9", "user_agent": "t"}}})
	o.pay("4000000000000002", nil)
	o.pay("5555555555554444", object{"capture_method": "manual"})
	base := o.as(staff.Admin)
	seen, left := map[string]bool{}, []string{"/m/" + officeMerchant + "/"}
	for len(left) > 0 {
		path := strings.ReplaceAll(left[0], "&amp;", "&")
		left = left[1:]
		if seen[path] || strings.HasPrefix(path, "/assets/") || strings.HasSuffix(path, "/simulator") || len(seen) > 400 { // the simulator's page lists test cards
			continue
		}
		seen[path] = true
		status, html := o.page(base + path)
		require.Contains(t, []int{http.StatusOK, http.StatusSeeOther, http.StatusNoContent, http.StatusNotFound}, status, "%s: %s", path, html)
		for _, secret := range []string{"4242424242424242", "4000000000000002", "5555555555554444", `"987"`, "=987", `"any"`, o.key, "_secret_"} {
			require.NotContains(t, html, secret, path)
		}
		for _, m := range hrefs.FindAllStringSubmatch(html, -1) {
			left = append(left, m[1])
		}
	}
	require.Greater(t, len(seen), 20, "the walk has seen the site: %v", seen)
}

// TestDashboardSystem: the page shows this node as it is, what is wrong first, and the configuration without its secrets.
func TestDashboardSystem(t *testing.T) {
	costly(t)
	o := newOffice(t)
	o.pay("4242424242424242", nil)
	base := o.as(staff.Operator)
	require.Eventually(t, func() bool {
		_, html := o.page(base + "/system")
		return strings.Contains(html, "Nodes of this installation")
	}, 30*time.Second, 20*time.Millisecond, "the node notes itself")
	html := o.shows(base+"/system", "node_1", "runs</span>", "Questions about unknown outcomes", "Operations with an unknown outcome", "on average, with", "Free on the disk")
	require.NotContains(t, html, "Alarm ")
	require.NotContains(t, html, "late</span>")
	o.n.metrics.Alarm("late_evidence")
	o.n.metrics.Swept("expiry", time.Hour, time.Second)
	o.n.metrics.Sent("simulator", "processor.example", "timeout", time.Second)
	html = o.shows(base+"/system", "Alarm late_evidence: 1", "Payments that expire is late by 1h0m", "late</span>", "processor.example", "1 (100.0 %)")
	require.Less(t, strings.Index(html, "Alarm late_evidence"), strings.Index(html, "This node"), "what is wrong stands first")
	html = o.shows(base+"/settings", "master_key</dt><dd><bdi>(set)</bdi>", "listen</dt>")
	require.NotContains(t, html, o.n.config.Vault.MasterKey.Reveal())
	status, _ := o.page(o.as(staff.Admin) + "/system")
	require.Equal(t, http.StatusForbidden, status)
}

// TestLoopsAreWatched: each background loop of the engine is in the metric of their lateness and in the guide. It has a name for people on the page System,
// and an alert.
func TestLoopsAreWatched(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root, "engine/resolve.go"))
	require.NoError(t, err)
	there := []string{"resolve"}
	for _, m := range regexp.MustCompile(`(?m)^\t\t\{"(\w+)", .*ResolveEvery, `).FindAllStringSubmatch(string(source), -1) {
		there = append(there, m[1])
	}
	require.Greater(t, len(there), 5)
	require.ElementsMatch(t, there, backgroundLoops)
	guide, err := os.ReadFile(operationsGuide)
	require.NoError(t, err)
	rules := unit(t, "alerts.yaml")
	others := regexp.MustCompile(`background_late_seconds\{loop!~"([\w|]+)"\}`).FindStringSubmatch(rules)
	require.NotNil(t, others)
	for _, loop := range backgroundLoops {
		require.NotEmpty(t, loopNames[loop], loop)
		require.Regexp(t, "`payswitch_background_late_seconds\\{loop\\}`.*`"+loop+"`", string(guide))
		if slices.Contains(strings.Split(others[1], "|"), loop) {
			require.Contains(t, rules, `payswitch_background_late_seconds{loop="`+loop+`"}`)
		}
	}
}

// TestDashboardWeighsLittle: a first page with fifty rows comes in at most four requests and 40 KB.
func TestDashboardWeighsLittle(t *testing.T) {
	costly(t)
	o := newOffice(t)
	for i := range 50 {
		o.pay("4242424242424242", object{"amount": 1000 + i, "email": fmt.Sprint("customer", i, "@shop.example")})
	}
	base := o.as(staff.Admin)
	html := o.shows(base + "/m/" + officeMerchant + "/payments")
	require.Equal(t, 50, strings.Count(html, "<tr><th scope=\"row\""))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, html)
	require.NoError(t, z.Close())
	total, requests := packed.Len(), 1
	for _, m := range regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`).FindAllStringSubmatch(html, -1) {
		r, err := http.NewRequest(http.MethodGet, base+m[1], nil)
		require.NoError(t, err)
		r.Header.Set("Accept-Encoding", "gzip")
		answer, err := http.DefaultTransport.RoundTrip(r)
		require.NoError(t, err)
		b, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		answer.Body.Close()
		require.Equal(t, "gzip", answer.Header.Get("Content-Encoding"))
		total, requests = total+len(b), requests+1
	}
	require.LessOrEqual(t, total, 40<<10)
	require.LessOrEqual(t, requests, 4)
	t.Logf("%d bytes in %d requests", total, requests)
}

// ready is true once the page's script runs: before, keys do nothing.
const ready = "document.querySelector('a.row') && document.querySelector('[data-keys]:not([hidden])')"

// TestDashboardInABrowser refunds a payment by the keyboard alone, and once more in a browser without scripts.
func TestDashboardInABrowser(t *testing.T) {
	costly(t)
	b := newTab(t)
	o := newOffice(t)
	base := o.as(staff.Admin) + "/m/" + officeMerchant
	id := o.pay("4242424242424242", nil)
	b.do(chromedp.Navigate(base + "/"))
	b.await(ready)
	b.keys("gp")
	b.await("location.pathname.endsWith('/payments') && !location.search && " + ready)
	b.do(chromedp.Navigate(base + "/payments?status=paid"))
	b.await("location.search && " + ready)
	b.keys("j")
	b.await("document.activeElement.matches('a.row')")
	b.keys("\r")
	b.await("location.pathname.endsWith('" + id + "') && document.querySelector('a[href$=\"/refund\"][data-htmx-powered]')")
	script[bool](b, "document.querySelector('a[href$=\"/refund\"]').focus(), true")
	b.keys("\r")
	b.await("document.querySelector('#sheet').open && document.activeElement.name === 'amount'")
	b.shot("dashboard-sheet")
	require.Equal(t, "Refund up to 65.40 USD", script[string](b, "document.querySelector('#sheet').ariaLabel"))
	b.keys("\x1b")
	b.await("!document.querySelector('#sheet').open && document.activeElement.matches('a[href$=\"/refund\"]')")
	b.keys("\r")
	b.await("document.querySelector('#sheet').open && document.activeElement.name === 'amount'")
	b.keys("10.00\r") // in the place of the amount that is offered
	b.await("location.search === '?did=refund' && document.querySelector('.say')")
	require.Contains(t, script[string](b, "document.querySelector('.say').textContent"), "10.00 USD was given back")
	b.await("document.querySelector('[data-keys]:not([hidden])')")
	b.keys("\x1b") // the list is as it was left
	b.await("location.pathname.endsWith('/payments') && location.search === '?status=paid' && document.activeElement.matches('a.row') && " + ready)
	b.keys("?")
	b.await("document.querySelector('#sheet').open")
	b.shot("dashboard-keys")

	b.scripts(false)
	b.do(chromedp.Navigate(base+"/payments/"+id+"/refund"), chromedp.WaitVisible("#f-amount"))
	b.do(chromedp.Click("#f-reason"), chromedp.KeyEvent("late"), chromedp.Click("#f-amount", chromedp.NodeVisible), chromedp.KeyEvent("\b\b\b\b\b"), chromedp.KeyEvent("5.00\r"))
	b.do(chromedp.WaitVisible(".box.good"))
	text, err := chromedp.Run(b.ctx, chromedp.Text(".say"))
	require.NoError(t, err)
	require.Contains(t, text, "15.00 USD was given back")
	sum, n := o.refundsOf(id)
	require.Equal(t, 1500, sum)
	require.Equal(t, 2, n)
}

// TestHeldEnterRefundsNothing holds the Enter that opens the form of a refund until the form is there. The form offers the whole amount, and is not sent.
func TestHeldEnterRefundsNothing(t *testing.T) {
	costly(t)
	b := newTab(t)
	o := newOffice(t)
	id := o.pay("4242424242424242", nil)
	b.do(chromedp.Navigate(o.as(staff.Admin) + "/m/" + officeMerchant + "/payments/" + id))
	b.await("document.querySelector('a[href$=\"/refund\"][data-htmx-powered]')")
	script[bool](b, "document.querySelector('a[href$=\"/refund\"]').focus(), true")
	enter := func(kind input.DispatchKeyEventType, repeats bool) {
		e := input.DispatchKeyEventParams{Type: kind, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13, NativeVirtualKeyCode: 13, AutoRepeat: &repeats}
		if kind == input.DispatchKeyEventTypeChar {
			e.Text, e.UnmodifiedText = "\r", "\r"
		}
		b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, input.DispatchKeyEvent, e)
			return chromedp.Void{}, err
		})
	}
	enter(input.DispatchKeyEventTypeRawKeyDown, false)
	b.await("document.querySelector('#sheet').open && document.activeElement.name === 'amount'")
	enter(input.DispatchKeyEventTypeChar, false) // it belongs to the key that went down on the link
	for range 3 {
		enter(input.DispatchKeyEventTypeRawKeyDown, true)
		enter(input.DispatchKeyEventTypeChar, true)
	}
	enter(input.DispatchKeyEventTypeKeyUp, false)
	b.keys("10.00\r")
	b.await("location.search === '?did=refund' && document.querySelector('.say')")
	sum, n := o.refundsOf(id)
	require.Equal(t, []int{1000, 1}, []int{sum, n})
}

// TestDashboardDecidesInABrowser decides what became of a payment by the keyboard alone, and of another one in a browser without scripts.
func TestDashboardDecidesInABrowser(t *testing.T) {
	costly(t)
	b := newTab(t)
	o := newOffice(t)
	for range 2 {
		o.pay("4242424242424242", object{"amount": 900000031})
	}
	base := o.as(staff.Admin)
	b.do(chromedp.Navigate(base + "/m/" + officeMerchant + "/"))
	b.await(ready)
	b.keys("gd")
	b.await("location.pathname === '/decisions' && " + ready)
	b.keys("j")
	b.await("document.activeElement.matches('a.row')")
	b.keys("\r")
	b.await("document.querySelector('#not_done-f-why')")
	script[bool](b, "document.querySelector('#not_done-f-why').closest('details').querySelector('summary').focus(), true")
	b.keys("\r\t")
	b.await("document.activeElement.id === 'not_done-f-why'")
	b.keys("seen on the page of the processor?\t")
	b.await("document.activeElement.matches('button')")
	b.keys("\r")
	b.await("document.body.textContent.includes('The decision stays.')")
	require.Contains(t, script[string](b, "document.querySelector('main').textContent"), "seen on the page of the processor?")

	b.scripts(false)
	b.do(chromedp.Navigate(base+"/decisions"), chromedp.WaitVisible("a.row"), chromedp.Click("a.row"))
	b.do(chromedp.WaitVisible("#decide"), chromedp.Click("#decide details:last-of-type summary"), chromedp.Click("#not_done-f-why"), chromedp.KeyEvent("its support says so"))
	b.do(chromedp.Click("#decide details:last-of-type button"), chromedp.WaitVisible(".box.good"))
	o.shows(base+"/decisions", "Nothing in doubt", "its support says so")
}

// keys presses keys, one after the other.
func (b *tab) keys(text string) {
	b.Helper()
	b.do(chromedp.KeyEvent(text))
}

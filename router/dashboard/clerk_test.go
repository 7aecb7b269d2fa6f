package dashboard

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/sdk"
)

// TestAmountsAsShown: what a page shows can be pasted into a form and into the search. A comma that could be a decimal comma is refused where money moves.
func TestAmountsAsShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"2057.63 USD": 205763, "2,057.63": 205763, " 2,057.63 USD ": 205763, "1,234,567.00": 123456700, "1,000": -1, "10,50": -1, "1,00.00": -1, "2,057.63 EUR": -1, "": -1} {
		m, err := amountOf(text, "USD")
		require.Equal(t, want < 0, err != nil, text)
		if err == nil {
			require.Equal(t, want, m.Minor, text)
		}
	}
	for _, m := range []Money{{145627, "JPY"}, {248714, "BHD"}, {1234567890, "BHD"}, {123456789, "USD"}, {68510, "CLF"}, {1, "JPY"}} {
		got, err := amountOf(m.String(), m.Currency)
		require.NoError(t, err, m.String())
		require.Equal(t, sdk.Money{Minor: m.Minor, Currency: m.Currency}, got)
	}
	_, err := amountOf("1,000", "BHD")
	require.Error(t, err, "one dinar to some, a thousand to others")
	for text, amount := range map[string]string{"2,057.63": "2057.63", "2,057.63 GBP": "2057.63", "145,627 JPY": "145627", ">1,000.50": ">1000.50", "12,345": ""} {
		f := readFilters(url.Values{})
		rest := f.addWords(text)
		require.Equal(t, amount, f.values.Get("amount"), text)
		require.Equal(t, amount == "", rest == text, text)
	}
	for text, bounds := range map[string][2]string{"1,000": {"1000", "1000"}, "1,000-2,000.50": {"1000", "2000.50"}, "1,00": {}, "1,000,": {}, "12345678901234567": {}} {
		f := readFilters(url.Values{"amount": {text}})
		q := f.query(time.UTC)
		require.Equal(t, bounds, [2]string{q.Least, q.Most}, text)
		require.Equal(t, bounds[0] == "", f.problems["amount"] != "", text)
	}
}

// TestRateOfHeldMoney: a shop that captures later has payments that succeeded and hold money.
func TestRateOfHeldMoney(t *testing.T) {
	t.Parallel()
	of := func(list ...listed.Count) string { return sumsOf(list).rate() }
	require.Equal(t, "–", of())
	require.Equal(t, "–", of(listed.Count{Status: payment.Processing, N: 4}))
	require.Equal(t, "90 %", of(listed.Count{Status: payment.RequiresCapture, N: 8}, listed.Count{Status: payment.PartiallyCapturedAndCapturable, N: 1}, listed.Count{Status: payment.Failed, N: 1}))
	require.Equal(t, "75 %", of(listed.Count{Status: payment.Succeeded, N: 2}, listed.Count{Status: payment.RequiresCapture, N: 1}, listed.Count{Status: payment.Failed, N: 1}))
}

// TestEndOfRefund: after a refund the page says what became of it. A refund that the processor refused is no success.
func TestEndOfRefund(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	for number, c := range map[string]struct{ says, class string }{
		"4000000000007734": {"The refund of 15.00 USD failed: no money was given back. The reason: The refund has been refused.", "box bad"},
		"4000000000007726": {"The refund of 15.00 USD was sent, and has not ended yet. Do not repeat it", "box good"},
		"4242424242424242": {"The refund of 15.00 USD succeeded.", "box good"},
	} {
		p := w.pay(6540, func(in *request.Input) { in.Card.Number = secret.New(number) }).Payment
		to := w.done("/m/acme/payments/"+p.ID+"/refund", "amount", "15.00", "key", "k"+number)
		page := w.page(to)
		_, rest, found := strings.Cut(page, c.says)
		require.True(t, found, mainOf(page))
		require.NotEmpty(t, rest)
		line := page[strings.LastIndex(page[:strings.Index(page, c.says)], "<p"):]
		require.Contains(t, line[:40], c.class)
		require.NotContains(t, w.page("/m/acme/payments/"+p.ID), c.says, "the page alone says nothing about what was just done")
	}
}

// TestExportsOfMoney: files for the books say what was captured and given back, and refunds and disputes have files of their own, with all their rows.
func TestExportsOfMoney(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	p := w.pay(6540).Payment
	held := w.pay(145627, func(in *request.Input) {
		in.CaptureMethod, in.Currency = payment.CaptureManual, "JPY"
	}).Payment
	for range listRows + 3 {
		_, err := w.engine.CreateRefund(t.Context(), w.auth, &request.RefundInput{PaymentID: w.pay(500).Payment.ID, Reason: "=1+1"})
		require.NoError(t, err)
	}
	_, err := w.engine.CreateRefund(t.Context(), w.auth, &request.RefundInput{PaymentID: p.ID, Amount: new(int64(1500))})
	require.NoError(t, err)
	w.disputed(700, "opened", `,"respond_by":4000000000`)
	file := func(path string) []string {
		code, body := w.get(path)
		require.Equal(t, http.StatusOK, code)
		return strings.Split(strings.TrimSpace(body), "\n")
	}
	all := strings.Join(file("/m/acme/payments.csv"), "\n")
	require.Contains(t, all, ",captured,refunded")
	require.Regexp(t, p.ID+`,[^\n]*,65\.40,15\.00`, all)
	require.Regexp(t, held.ID+`,[^\n]*,145627,JPY,requires_capture,[^\n]*,0,0`, all)
	refunds := file("/m/acme/refunds.csv")
	require.Len(t, refunds, 1+listRows+4, "the rows of the second page too")
	require.Regexp(t, `^ref_[^,]+,`+p.ID+`,[^,]+Z,15\.00,USD,succeeded,simulator,,$`, refunds[1])
	require.Contains(t, refunds[2], `,5.00,USD,succeeded,simulator,'=1+1,`)
	require.Len(t, file("/m/acme/refunds.csv?status=failed"), 1)
	require.Contains(t, w.page("/m/acme/refunds?status=failed"), `href="/m/acme/refunds.csv?status=failed"`)
	disputes := file("/m/acme/disputes.csv")
	require.Len(t, disputes, 2)
	require.Regexp(t, `,7\.00,USD,opened,[a-z_]+,2096-10-02T[^,]+Z,`, disputes[1])
	require.Contains(t, w.page("/m/acme/disputes"), `href="/m/acme/disputes.csv"`)
}

// signedOut is a browser whose session has ended.
type signedOut struct{}

func (signedOut) Of(*http.Request) (*staff.Session, error) { return nil, ErrNoSession }

// TestSignInLeadsBack: whose session ends on a page comes back to that page, also by a form, a sheet or a poll.
func TestSignInLeadsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Sessions = signedOut{}
	const page = "/m/acme/payments/pay_1?did=refund"
	for _, c := range []struct{ method, path, referer, header, want string }{
		{"GET", "/m/acme/payments", "", "Location", "/login?next=%2Fm%2Facme%2Fpayments"},
		{"GET", "/", "", "Location", "/login"},
		{"POST", "/m/acme/payments/pay_1/refund", "http://example.com" + page, "Location", "/login?next=" + url.QueryEscape(page)},
		{"POST", "/m/acme/payments/pay_1/refund", "http://evil.example" + page, "Location", "/login"},
		{"POST", "/m/acme/payments/pay_1/ask", "http://example.com/login?next=%2Fm", "Location", "/login"},
		{"PART", "/m/acme/payments/pay_1/refund", "http://example.com" + page, "HX-Redirect", "/login?next=" + url.QueryEscape(page)},
		{"PART", "/m/acme/payments/new", "", "HX-Redirect", "/login"},
	} {
		r := httptest.NewRequest(strings.Replace(c.method, "PART", "GET", 1), c.path, nil)
		r.Header.Set("Referer", c.referer)
		if c.method == "PART" {
			r.Header.Set("HX-Request", "true")
			r.Header.Set("HX-Target", "dialog#sheet")
		}
		rec := httptest.NewRecorder()
		w.server.ServeHTTP(rec, r)
		require.Equal(t, c.want, rec.Header().Get(c.header), "%s %s from %s", c.method, c.path, c.referer)
	}
}

// TestZoneOfLists: a list says in which time zone its times are. Empty filters are exported, and wrong ones are not.
func TestZoneOfLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	w.pay(6540)
	require.Contains(t, w.page("/m/acme/payments"), `Time <span class="soft">UTC</span>`)
	w.person.TimeZone = "Asia/Tokyo"
	require.Contains(t, w.page("/m/acme/payments"), `Time <span class="soft">JST</span>`)
	require.Contains(t, w.page("/m/acme/payments"), `href="/m/acme/payments.csv"`)
	code, wrong := w.get("/m/acme/payments?amount=abc")
	require.Equal(t, http.StatusBadRequest, code)
	require.NotContains(t, wrong, "payments.csv")
}

// TestMenuOfOneMerchant: who works for one merchant keeps its menu and its search on pages that are about no merchant.
func TestMenuOfOneMerchant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	whole := func() string { return get(t, w.server, "/decisions").Body.String() }
	for _, text := range []string{`href="/m/acme/payments"`, `action="/m/acme/payments"`, `href="/decisions" aria-current="page"`} {
		require.Contains(t, whole(), text)
	}
	w.as(staff.Grant{Role: staff.Operator})
	require.NotContains(t, whole(), `"/m/`)
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Admin}, staff.Grant{MerchantID: "other", Role: staff.Admin})
	require.NotContains(t, whole(), `action="/m/`)
}

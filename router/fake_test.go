package router_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/link"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/router"
	"payswitch/sdk"
)

// fake is an engine whose answers a test sets. A call of a method that is not set panics.
type fake struct {
	router.Payments
	nextAction func() (*sdk.NextAction, error)
	returned   func(request.ReturnInput) (*change.ReturnView, error)
	create     func() (*change.View, error)
	created    *request.Input // of the latest CreatePayment

	began, finished, abandoned int
	unstored                   error // of an answer to a request with an Idempotency-Key
}

func (f *fake) Authenticate(context.Context, secret.Value) (account.Auth, error) {
	return account.Auth{MerchantID: "m1"}, nil
}

func (f *fake) AuthenticateSDK(context.Context, secret.Value) (account.Auth, *account.SDKToken, error) {
	return account.Auth{}, nil, fault.Unauthorized()
}

func (f *fake) SDKAuthorization(*change.View, bool) string { return "" }

func (f *fake) SecretOf(context.Context, *account.Auth, string) string { return "" }

func (f *fake) BeginIdempotent(context.Context, *account.Auth, string, []byte) (
	*idempotency.Answer, func(context.Context, idempotency.Answer) error, func(context.Context), error) {
	f.began++
	return nil, func(context.Context, idempotency.Answer) error { f.finished++; return f.unstored }, func(context.Context) { f.abandoned++ }, nil
}

func (f *fake) OpensURL(u link.URL) bool { return u.Token == "t" }

func (f *fake) NextAction(context.Context, link.URL) (*sdk.NextAction, error) {
	return f.nextAction()
}

func (f *fake) PaymentReturn(_ context.Context, in request.ReturnInput) (*change.ReturnView, error) {
	return f.returned(in)
}

func (f *fake) CreatePayment(_ context.Context, _ account.Auth, in *request.Input) (*change.View, error) {
	f.created = in
	return f.create()
}

func (f *fake) server(t testing.TB, o router.Options, logs io.Writer) *router.Server {
	o.PublicURL = publicURL
	s, err := router.New(router.Deps{Access: f, Payments: f, Admin: struct{ router.Admin }{}, Logger: slog.New(slog.NewTextHandler(logs, nil)),
		Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": simulator.Adapter()})}, o)
	require.NoError(t, err)
	return s
}

func (f *fake) send(t testing.TB, method, path, body string, headers ...string) response {
	w := &world{t: t, handler: checked(t, f.server(t, router.Options{}, io.Discard))}
	return w.send(method, path, "key", body, headers...)
}

func TestFormPage(t *testing.T) {
	t.Parallel()
	f := &fake{nextAction: func() (*sdk.NextAction, error) {
		return &sdk.NextAction{Type: "form_post", URL: "https://acs.test/x?a=1&b=2", Fields: []sdk.Header{{Name: `P"a`, Value: `<script>alert(1)</script>"'&`}}}, nil
	}}
	r := f.send(t, "GET", "/payments/redirect/p/m1/p_1/t", "")
	require.Equal(t, 200, r.status)
	require.Equal(t, "text/html; charset=utf-8", r.header.Get("Content-Type"))
	require.Contains(t, r.body, `action="https://acs.test/x?a=1&amp;b=2"`)
	require.Contains(t, r.body, `name="P&#34;a" value="&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39;&amp;"`)
	require.Contains(t, r.body, `<noscript><button type="submit">`)
	csp := r.header.Get("Content-Security-Policy")
	require.Contains(t, csp, "default-src 'none'")
	_, nonce, _ := strings.Cut(csp, "script-src 'nonce-")
	nonce, _, _ = strings.Cut(nonce, "'")
	require.GreaterOrEqual(t, len(nonce), 26)
	require.Contains(t, r.body, `<script nonce="`+nonce+`">`)
	require.Equal(t, "no-store", r.header.Get("Cache-Control"))
	require.NotContains(t, f.send(t, "GET", "/payments/redirect/p/m1/p_1/t", "").body, nonce)
}

func TestNextActionLeadsToTheWebOnly(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"javascript:alert(1)", "data:text/html,x", "/relative", "https://", "file:///etc/passwd", ""} {
		f := &fake{nextAction: func() (*sdk.NextAction, error) { return &sdk.NextAction{Type: "redirect", URL: u}, nil }}
		f.send(t, "GET", "/payments/redirect/p/m1/p_1/t", "").expect(500, "HE_00", "Something went wrong")
	}
	f := &fake{nextAction: func() (*sdk.NextAction, error) {
		return &sdk.NextAction{Type: "device_data", URL: "https://acs.test"}, nil
	}}
	require.Equal(t, 400, f.send(t, "GET", "/payments/redirect/p/m1/p_1/t", "").status)
}

func TestReturn(t *testing.T) {
	t.Parallel()
	var got request.ReturnInput
	view := &change.ReturnView{View: sample(payment.Succeeded), URL: "https://shop.test/done?status=succeeded"}
	f := &fake{returned: func(in request.ReturnInput) (*change.ReturnView, error) { got = in; return view, nil }}
	r := f.send(t, "POST", "/payments/p/m1/redirect/complete/stripe/t?x=1&y=a%20b&x=2", "PaRes=a%2Bb&MD=&empty", "Content-Type", "application/x-www-form-urlencoded")
	require.Equal(t, 302, r.status)
	require.Equal(t, view.URL, r.header.Get("Location"))
	require.Equal(t, request.ReturnInput{PaymentID: "p", MerchantID: "m1", Connector: "stripe", Token: "t", Complete: true, Return: sdk.Return{Method: "POST",
		Query: []sdk.Header{{Name: "x", Value: "1"}, {Name: "y", Value: "a b"}, {Name: "x", Value: "2"}},
		Form:  []sdk.Header{{Name: "PaRes", Value: "a+b"}, {Name: "MD"}, {Name: "empty"}}}}, got)
	f.send(t, "GET", "/payments/p/m1/redirect/response/stripe/t", "")
	require.False(t, got.Complete)
	require.Equal(t, "GET", got.Return.Method)
	require.Equal(t, 400, f.send(t, "GET", "/payments/p/m1/redirect/response/stripe/t?a=%zz", "").status)

	view = &change.ReturnView{View: sample(payment.Succeeded), URL: "https://shop.test/done", Fields: []sdk.Header{{Name: "status", Value: "succeeded"}}}
	r = f.send(t, "GET", "/payments/p/m1/redirect/complete/stripe/t", "")
	require.Equal(t, 200, r.status)
	require.Contains(t, r.body, `<form id="next" method="post" action="https://shop.test/done">`)
	require.Contains(t, r.body, `<input type="hidden" name="status" value="succeeded">`)

	view = &change.ReturnView{View: sample(payment.Succeeded), NextURL: publicURL + "/payments/redirect/p/m1/p_1"}
	require.Equal(t, view.NextURL, f.send(t, "GET", "/payments/p/m1/redirect/complete/stripe/t", "").header.Get("Location"))
}

// TestOurFailure: only the log has the cause of an internal error, and the error is not stored for its Idempotency-Key.
func TestOurFailure(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() (*change.View, error){
		"error": func() (*change.View, error) { return nil, errors.New("disk full") },
		"panic": func() (*change.View, error) { panic("disk full") },
	} {
		f, logs := &fake{create: fail}, &strings.Builder{}
		w := &world{t: t, handler: f.server(t, router.Options{}, logs)}
		r := w.send("POST", "/payments", "key", plain, "Idempotency-Key", "k")
		r.expect(500, "HE_00", "Something went wrong")
		require.Equal(t, "api", r.error()["type"])
		require.NotContains(t, r.body, "disk")
		require.Equal(t, 1, strings.Count(logs.String(), "level=ERROR"), name)
		require.Contains(t, logs.String(), "disk full")
		require.Equal(t, [3]int{1, 0, 1}, [3]int{f.began, f.finished, f.abandoned}, name)
	}
	for _, e := range []*fault.Error{
		{Kind: fault.KindUnprocessable, Code: "HE_00", Message: "Resource is busy"}, {Kind: fault.KindLimited, Code: "IR_16", Message: "too many tries"},
		{Kind: fault.KindUnavailable, Code: "HE_00", Message: "later"},
	} {
		f := &fake{create: func() (*change.View, error) { return nil, e }}
		w := &world{t: t, handler: f.server(t, router.Options{}, io.Discard)}
		r := w.send("POST", "/payments", "key", plain, "Idempotency-Key", "k")
		require.Equal(t, map[fault.Kind]int{fault.KindUnprocessable: 422, fault.KindLimited: 429, fault.KindUnavailable: 503}[e.Kind], r.status)
		require.Equal(t, 1, f.abandoned, e.Message)
	}
}

// An answer that was not stored for its Idempotency-Key is not sent: a repeat would get another one.
func TestAnswerThatWasNotStored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err     error
		status  int
		message string
	}{
		"not confirmed": {fault.Internal(fault.ErrOutcome, "store"), 503, "The database did not confirm what was written: repeat the request with the same id or Idempotency-Key"},
		"away":          {fault.Internal(fault.ErrAway, "store"), 503, "The database does not answer: try again"},
		"disk full":     {fault.Internal(errors.New("disk full"), "store"), 500, "Something went wrong"},
	} {
		f := &fake{create: func() (*change.View, error) { return sample(payment.Succeeded), nil }, unstored: c.err}
		w := &world{t: t, handler: f.server(t, router.Options{}, io.Discard)}
		w.send("POST", "/payments", "key", plain, "Idempotency-Key", "k").expect(c.status, "HE_00", c.message)
		require.Equal(t, [3]int{1, 1, 1}, [3]int{f.began, f.finished, f.abandoned}, name)
	}
}

// Fields that decide reach the engine as typed fields, and in Echo for the answers.
func TestFieldsThatDecide(t *testing.T) {
	t.Parallel()
	f := &fake{create: func() (*change.View, error) { return nil, fault.NotFound("Payment") }}
	decides := map[string]string{"mit_category": `"recurring"`, "psd2_sca_exemption_type": `"low_value"`, "is_stored_credential": `false`,
		"force_3ds_challenge": `true`, "frm_metadata": `{"risk_accepted":true,"score":12}`, "profile_acquirer_id": `"pro_acq_1"`}
	body := `{"amount":100,"currency":"USD"`
	for name, value := range decides {
		body += `,"` + name + `":` + value
	}
	f.send(t, "POST", "/payments", body+"}").expect(404, "HE_02", "Payment does not exist in our records")
	yes, no, acquirer := true, false, "pro_acq_1"
	require.Equal(t, sdk.MITRecurring, f.created.MITCategory)
	require.Equal(t, sdk.ExemptionLowValue, f.created.SCAExemption)
	require.Equal(t, []*bool{&no, &yes, &yes}, []*bool{f.created.StoredCredential, f.created.Force3DSChallenge, f.created.RiskAccepted})
	require.Equal(t, &acquirer, f.created.ProfileAcquirerID)
	for name, value := range decides {
		require.Equal(t, value, string(f.created.Echo[name]), name)
	}

	f.send(t, "POST", "/payments", `{"amount":100,"currency":"USD","frm_metadata":{"score":12}}`)
	require.Equal(t, &no, f.created.RiskAccepted, "an analysis without a verdict takes an earlier one back")
	f.send(t, "POST", "/payments", `{"amount":100,"currency":"USD","frm_metadata":null,"force_3ds_challenge":null}`)
	require.Nil(t, f.created.RiskAccepted)
	require.Nil(t, f.created.Force3DSChallenge)
	require.Empty(t, f.created.Echo)
}

func TestErrorExtras(t *testing.T) {
	t.Parallel()
	f := &fake{create: func() (*change.View, error) {
		return nil, &fault.Error{Kind: fault.KindInvalid, Code: "IR_21", Message: "Missing required params", Param: "amount", Hint: "Send it.", Reason: "why", Connector: "stripe"}
	}}
	r := f.send(t, "POST", "/payments", plain)
	require.JSONEq(t, `{"error":{"type":"invalid_request","message":"Missing required params","code":"IR_21","param":"amount","hint":"Send it.","reason":"why","connector":"stripe"}}`, r.body)
}

func TestObserve(t *testing.T) {
	t.Parallel()
	var seen []string
	f := &fake{}
	s := f.server(t, router.Options{Observe: func(method, pattern string, status int, took time.Duration) {
		require.Positive(t, took)
		seen = append(seen, method+" "+pattern)
		require.NotZero(t, status)
	}}, io.Discard)
	for _, path := range []string{"/health", "/nothing"} {
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	require.Equal(t, []string{"GET /health", " "}, seen)
	require.NotZero(t, s.HTTP(s).ReadHeaderTimeout)
}

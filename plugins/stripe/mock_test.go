package stripe_test

import (
	"bytes"
	"cmp"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-mock/embedded"
	"github.com/stripe/stripe-mock/server"
	"github.com/stripe/stripe-mock/spec"

	"payswitch/plugins/stripe"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// A mock is Stripe's own mock server. It checks requests against Stripe's OpenAPI description and answers with its fixtures.
type mock struct {
	handler  http.HandlerFunc
	fixtures *spec.Fixtures
}

func newMock(t *testing.T) *mock {
	description := published(t)
	fixtures, err := server.LoadFixtures(embedded.OpenAPIFixtures, "")
	require.NoError(t, err)
	stub, err := server.NewStubServer(fixtures, description, false, false)
	require.NoError(t, err)
	return &mock{stub.HandleRequest, fixtures}
}

// loaded is the description, read once because reading takes most of these tests' time.
var loaded = sync.OnceValues(func() (*spec.Spec, error) { return server.LoadSpec(embedded.OpenAPISpec, "") })

var describe sync.Once

// published is Stripe's description, with cards added.
func published(t *testing.T) *spec.Spec {
	description, err := loaded()
	require.NoError(t, err)
	describe.Do(func() { describeCards(t, description) })
	return description
}

// describeCards adds cards to the payment_method_data of an intent. The published description has them for PaymentMethods only.
func describeCards(t *testing.T, d *spec.Spec) {
	form := func(path string) map[string]*spec.Schema {
		return d.Paths[spec.Path(path)]["post"].RequestBody.Content["application/x-www-form-urlencoded"].Schema.Properties
	}
	card := form("/v1/payment_methods")["card"]
	require.NotNil(t, card)
	for _, path := range []string{"/v1/payment_intents", "/v1/setup_intents"} {
		data := form(path)["payment_method_data"].Properties
		require.NotContains(t, data, "card", "the description has come to know cards: this is not needed any more")
		data["card"] = card
		data["type"].Enum = append(data["type"].Enum, "card")
	}
}

// set changes a field of a resource's fixture.
func (m *mock) set(t *testing.T, resource spec.ResourceID, field string, value any) {
	fixture, ok := m.fixtures.Resources[resource].(map[string]any)
	require.True(t, ok)
	fixture[field] = value
}

// setAmounts gives the fixtures the amounts of the request: authorized, captured and refunded.
func (m *mock) setAmounts(t *testing.T, a sdk.Money) {
	currency := strings.ToLower(cmp.Or(string(a.Currency), "USD"))
	for _, field := range []string{"amount", "amount_received", "amount_capturable"} {
		m.set(t, "payment_intent", field, a.Minor)
	}
	m.set(t, "payment_intent", "currency", currency)
	m.set(t, "refund", "amount", a.Minor)
	m.set(t, "refund", "currency", currency)
}

// exchange sends a request to the mock server.
func (m *mock) exchange(t *testing.T, s *sdk.Send) sdk.Exchange {
	u, err := url.Parse(s.URL)
	require.NoError(t, err)
	r := httptest.NewRequest(s.Method, u.RequestURI(), bytes.NewReader(s.Body))
	for _, h := range s.Headers {
		r.Header.Set(h.Name, h.Value)
	}
	w := httptest.NewRecorder()
	m.handler(w, r)
	return wire.Answer(w.Code, w.Body.String())
}

// TestStripeMock sends every case to the mock server. The server must accept every request, and the adapter must read the answers.
func TestStripeMock(t *testing.T) {
	m, a := newMock(t), stripe.Adapter()
	requests, _, err := wire.Load(os.DirFS("testdata"), "stripe")
	require.NoError(t, err)
	account := wire.Account(&a.Manifest, requests)
	account.Credentials["api_key"] = "sk_test_123" // the mock server checks the form of the key
	m.set(t, "setup_intent", "status", "succeeded")
	for i := range requests.Cases {
		c := &requests.Cases[i]
		t.Run(c.Name, func(t *testing.T) {
			step := c.Step(c.Operation(), account, requests.Clock)
			status, want := "succeeded", map[sdk.Operation]sdk.OutcomeStatus{sdk.OpRefund: sdk.StatusRefunded, sdk.OpRefundSync: sdk.StatusRefunded,
				sdk.OpVerify: sdk.StatusVerified, sdk.OpVoid: sdk.StatusVoided, sdk.OpIncrementalAuthorize: sdk.StatusAuthorized}[step.Operation]
			switch {
			case want == "" && step.Request.Capture == sdk.CaptureManual, step.Operation == sdk.OpIncrementalAuthorize:
				status, want = "requires_capture", sdk.StatusAuthorized
			case step.Operation == sdk.OpVoid:
				status = "canceled"
			case want == "":
				want = sdk.StatusCaptured
			}
			m.set(t, "payment_intent", "status", status)
			m.setAmounts(t, step.Request.Amount)
			var answers []sdk.Exchange
			for {
				sends, end, err := wire.Play(a, step, answers...)
				require.NoError(t, err)
				if end.Send == nil {
					require.Equal(t, want, end.Outcome.Status)
					return
				}
				answer := m.exchange(t, sends[len(sends)-1])
				require.Equal(t, http.StatusOK, answer.Status, string(answer.Body))
				answers = append(answers, answer)
			}
		})
	}
}

// TestStripeMockRefuses: the mock server checks requests. A malformed request is a decline with Stripe's error.
func TestStripeMockRefuses(t *testing.T) {
	m, a := newMock(t), stripe.Adapter()
	for name, spoil := range map[string]func(s *sdk.Send){
		"unknown parameter": func(s *sdk.Send) { s.Body = append(s.Body, "&colour=red"...) },
		"wrong type":        func(s *sdk.Send) { s.Body = bytes.Replace(s.Body, []byte("amount=1000"), []byte("amount=ten"), 1) },
		"not of the list":   func(s *sdk.Send) { s.Body = bytes.Replace(s.Body, []byte("=automatic"), []byte("=sometimes"), 2) },
	} {
		step := wire.NewStep(&a.Manifest, sdk.OpAuthorize, purchase(1000, "USD"))
		step.Account.Credentials["api_key"] = "sk_test_123"
		sends, _, err := wire.Play(a, step)
		require.NoError(t, err)
		spoil(sends[0])
		_, end, err := wire.Play(a, step, m.exchange(t, sends[0]))
		require.NoError(t, err)
		require.Equal(t, sdk.StatusDeclined, end.Outcome.Status, name)
		require.Equal(t, "invalid_request_error", end.Outcome.Raw["type"], name)
	}
}

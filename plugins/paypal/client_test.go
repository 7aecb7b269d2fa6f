package paypal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	client "github.com/plutov/paypal/v4"
	"github.com/stretchr/testify/require"

	"payswitch/plugins/paypal"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// beyond are fields that PayPal documents and the client lacks, with the source. Each must be needed.
var beyond = map[string]string{
	"payment_source.card.vault_id":           "Orders v2, card_request: the client knows vaulted cards as tokens of billing agreements",
	"payment_source.card.stored_credential":  "Orders v2, card_stored_credential",
	"payment_source.card.attributes":         "Orders v2, card_attributes: storing the card, and 3-D Secure",
	"payment_source.card.experience_context": "Orders v2, card_experience_context: where the customer comes back to",
	"custom_id":                              "Payments v2, refund_request",
}

// A createOrder is the body posted to Orders v2. The client's own type is not exported and lacks the payment source.
type createOrder struct {
	Intent        string                       `json:"intent"`
	PurchaseUnits []client.PurchaseUnitRequest `json:"purchase_units"`
	PaymentSource *client.PaymentSource        `json:"payment_source,omitempty"`
}

// A paymentToken is the body posted to Payment Method Tokens v3, which the client does not have.
type paymentToken struct {
	PaymentSource *client.PaymentSource `json:"payment_source"`
}

// A reauthorization is the body that ReauthorizeAuthorization of the client posts.
type reauthorization struct {
	Amount *client.Money `json:"amount"`
}

// requestTypes are the client's types for posted bodies.
var requestTypes = []struct {
	path *regexp.Regexp
	make func() any
}{
	{regexp.MustCompile(`^/v2/checkout/orders$`), func() any { return &createOrder{} }},
	{regexp.MustCompile(`^/v2/checkout/orders/[^/]+/authorize$`), func() any { return &client.AuthorizeOrderRequest{} }},
	{regexp.MustCompile(`^/v2/checkout/orders/[^/]+/capture$`), func() any { return &client.CaptureOrderRequest{} }},
	{regexp.MustCompile(`^/v2/payments/authorizations/[^/]+/capture$`), func() any { return &client.PaymentCaptureRequest{} }},
	{regexp.MustCompile(`^/v2/payments/authorizations/[^/]+/reauthorize$`), func() any { return &reauthorization{} }},
	{regexp.MustCompile(`^/v2/payments/captures/[^/]+/refund$`), func() any { return &client.RefundCaptureRequest{} }},
	{regexp.MustCompile(`^/v3/vault/payment-tokens/$`), func() any { return &paymentToken{} }},
}

// decode reads a posted body into the client's type for it; an unknown field is an error. left are the fields of beyond that were
// removed before.
func decode(path string, body []byte) (value any, left []string, err error) {
	for _, r := range requestTypes {
		if r.path.MatchString(path) {
			value = r.make()
		}
	}
	if value == nil {
		return nil, nil, fmt.Errorf("the client has nothing for %s", path)
	}
	var tree map[string]any
	if err := json.Unmarshal(body, &tree); err != nil {
		return nil, nil, err
	}
	for p := range beyond {
		at, names := tree, strings.Split(p, ".")
		for _, name := range names[:len(names)-1] {
			at, _ = at[name].(map[string]any)
		}
		if _, ok := at[names[len(names)-1]]; ok {
			delete(at, names[len(names)-1])
			left = append(left, p)
		}
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return value, left, d.Decode(value)
}

// TestRequestsAreOfTheClientsTypes reads every body of the recorded cases into the client's types.
func TestRequestsAreOfTheClientsTypes(t *testing.T) {
	a, used, posts := paypal.Adapter(), map[string]bool{}, 0
	requests, _, err := wire.Load(os.DirFS("testdata"), "paypal")
	require.NoError(t, err)
	for i := range requests.Cases {
		c := &requests.Cases[i]
		step := c.Step(c.Operation(), wire.Account(&a.Manifest, requests), requests.Clock)
		if step.Operation == sdk.OpAccessToken || c.Name == "mandate_payment_minimal" { // a wallet's case, without a reference
			continue
		}
		step.Request.ThreeDS = nil
		sends, _, err := wire.Play(a, step)
		require.NoError(t, err)
		s := sends[0]
		if s.Method != "POST" || len(s.Body) == 0 {
			continue
		}
		posts++
		value, left, err := decode(strings.TrimPrefix(s.URL, requests.BaseURL), s.Body)
		require.NoError(t, err, "%s: %s", c.Name, s.Body)
		for _, p := range left {
			used[p] = true
		}
		again, err := json.Marshal(value)
		require.NoError(t, err)
		var sent, written map[string]any
		require.NoError(t, json.Unmarshal(s.Body, &sent))
		require.NoError(t, json.Unmarshal(again, &written))
		kept(t, c.Name, sent, written)
	}
	require.Greater(t, posts, 15)
	for p := range beyond {
		require.True(t, used[p], "nothing sends %s any more", p)
	}
}

// kept requires that the client writes every sent value, so its types lose none.
func kept(t *testing.T, path string, sent, written any) {
	switch s := sent.(type) {
	case map[string]any:
		w, _ := written.(map[string]any)
		for name, value := range s {
			_, field, _ := strings.Cut(path+"."+name, ".")
			if value != false && beyond[field] == "" { // a missing field means false
				kept(t, path+"."+name, value, w[name])
			}
		}
	case []any:
		require.Len(t, written, len(s), path)
		for i := range s {
			kept(t, path, s[i], written.([]any)[i])
		}
	default:
		require.Equal(t, sent, written, path)
	}
}

// TestDecoderIsStrict: the decoder refuses unknown fields.
func TestDecoderIsStrict(t *testing.T) {
	for body, path := range map[string]string{
		`{"intent":"CAPTURE","colour":"red"}`:                                   "/v2/checkout/orders",
		`{"purchase_units":[{"amount":{"value":10}}]}`:                          "/v2/checkout/orders",
		`{"purchase_units":[{"items":[{"quantity":1}]}]}`:                       "/v2/checkout/orders",
		`{"payment_source":{"card":{"cvv":"123"}}}`:                             "/v2/checkout/orders",
		`{"amount":{"currency":"USD","value":"1.00"}}`:                          "/v2/payments/captures/C/refund",
		`{"amount":{"currency_code":"USD","value":"1.00"},"final_capture":"y"}`: "/v2/payments/authorizations/A/capture",
		`{}`: "/v1/payments/payment",
	} {
		_, _, err := decode(path, []byte(body))
		require.Error(t, err, body)
	}
}

// A received is a request as PayPal receives it.
type received struct {
	method, path string
	body         []byte
	header       http.Header
}

// A fake is a server that notes the requests and gives its answers in order.
type fake struct {
	*httptest.Server
	requests []received
	answers  []answer
}

// An answer is a value of the client's types, returned as JSON; nil for no body.
type answer struct {
	status int
	value  any
}

func newFake(t *testing.T, answers ...answer) *fake {
	f := &fake{answers: answers}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if len(f.requests) >= len(f.answers) {
		http.Error(w, "no such answer", http.StatusTeapot)
		return
	}
	a := f.answers[len(f.requests)]
	f.requests = append(f.requests, received{r.Method, r.URL.EscapedPath(), body, r.Header})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	if a.value != nil {
		_ = json.NewEncoder(w).Encode(a.value)
	}
}

// client returns the Go client, connected to the server.
func (f *fake) client(t *testing.T, token string) *client.Client {
	c, err := client.NewClient("test_client_id", "test_client_secret", f.URL)
	require.NoError(t, err)
	if token != "" {
		c.SetAccessToken(token)
	}
	c.SetReturnRepresentation()
	return c
}

// adapter runs an operation of the adapter against the server.
func (f *fake) adapter(t *testing.T, op sdk.Operation, r sdk.Request) *sdk.Outcome {
	a := paypal.Adapter()
	step := wire.NewStep(&a.Manifest, op, r)
	step.Account.BaseURL, step.Account.Credentials["access_token"] = f.URL, "tok"
	end, err := wire.Converse(a, step, f.Client())
	require.NoError(t, err)
	require.NotNil(t, end.Outcome)
	return end.Outcome
}

// An intent is what a merchant wants, once for the adapter and once for the client.
type intent struct {
	name    string
	op      sdk.Operation
	request sdk.Request
	client  func(context.Context, *client.Client) error
	answers []answer
	want    func(t *testing.T, o *sdk.Outcome)
}

// TestClientAsksTheSame lets the adapter and the client do the same at the same server. Their requests must be equal, and the
// adapter must read the answers, which are the client's own objects.
func TestClientAsksTheSame(t *testing.T) {
	for _, i := range intents() {
		t.Run(i.name, func(t *testing.T) {
			theirs, ours := newFake(t, i.answers...), newFake(t, i.answers...)
			token := "tok"
			if i.op == sdk.OpAccessToken {
				token = ""
			}
			err := i.client(t.Context(), theirs.client(t, token))
			refused := i.answers[len(i.answers)-1].status >= 400
			require.Equal(t, refused, errors.As(err, new(*client.ErrorResponse)), "%v", err)
			o := ours.adapter(t, i.op, i.request)
			require.Len(t, ours.requests, len(i.answers))
			require.Len(t, theirs.requests, len(i.answers))
			for n := range i.answers {
				same(t, i.op, theirs.requests[n], ours.requests[n])
			}
			i.want(t, o)
		})
	}
}

// same compares the adapter's request with the client's.
func same(t *testing.T, op sdk.Operation, want, got received) {
	require.Equal(t, []string{want.method, want.path}, []string{got.method, got.path})
	names := []string{"Authorization", "Prefer"}
	if op == sdk.OpAccessToken {
		names = []string{"Authorization", "Content-Type"} // no resource to represent
		require.Equal(t, string(want.body), string(got.body))
	} else if len(want.body) > 0 {
		names = append(names, "Content-Type")
		theirs, left, err := decode(want.path, want.body)
		require.NoError(t, err)
		require.Empty(t, left)
		ours, _, err := decode(got.path, got.body)
		require.NoError(t, err)
		if o, ok := ours.(*createOrder); ok { // the client cannot send the payment source
			require.NotNil(t, o.PaymentSource)
			o.PaymentSource = nil
		}
		require.Equal(t, theirs, ours)
	} else {
		require.Empty(t, got.body)
	}
	for _, name := range names {
		require.Equal(t, want.header.Get(name), got.header.Get(name), name)
	}
	if op != sdk.OpAccessToken {
		require.Equal(t, got.method == http.MethodPost, got.header.Get("PayPal-Request-Id") != "", "a change without a PayPal-Request-Id")
	}
}

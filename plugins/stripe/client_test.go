package stripe_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	client "github.com/stripe/stripe-go/v85"

	"payswitch/plugins/stripe"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// beyond are parameters that Stripe accepts and its Go client has no field for, with the reason. The client sends them as extra
// parameters. Each must be needed.
var beyond = map[string]string{
	"payment_method_data[card][":                              "full card numbers: an account must be allowed to send them, and the client has them for PaymentMethods only",
	"payment_method_data[ip]":                                 "the payer's address for Radar, which Stripe's scripts in the browser send",
	"payment_method_data[user_agent]":                         "the payer's browser for Radar, which Stripe's scripts in the browser send",
	"payment_method_options[card][mit_exemption][network_tra": "a payment on another processor's agreement: given to accounts on request",
}

// isBeyond is the entry of beyond for a parameter, "" for none.
func isBeyond(name string) string {
	for prefix := range beyond {
		if strings.HasPrefix(name, prefix) {
			return prefix
		}
	}
	return ""
}

// A received is a request as Stripe receives it.
type received struct {
	method, path string
	form         map[string]string // of the body, or of the query
	header       http.Header
}

// A fake is a server that notes the requests and gives its answers in order.
type fake struct {
	*httptest.Server
	t        *testing.T
	requests []received
	answers  []answer
}

// An answer is a value of the client's types, which the server returns as JSON.
type answer struct {
	status int
	value  any
}

func ok(value any) answer { return answer{http.StatusOK, value} }

// failed returns an error in Stripe's form.
func failed(status int, e *client.Error) answer {
	return answer{status, map[string]any{"error": e}}
}

func newFake(t *testing.T, answers ...answer) *fake {
	f := &fake{t: t, answers: answers}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	text := r.URL.RawQuery
	if r.Method == http.MethodPost {
		text = string(body)
	}
	form := map[string]string{}
	values, err := url.ParseQuery(text)
	if err != nil || len(f.requests) >= len(f.answers) {
		http.Error(w, "no such answer", http.StatusTeapot)
		return
	}
	for name, all := range values {
		form[name] = strings.Join(all, " and ") // a repeated name differs from a single one
	}
	a := f.answers[len(f.requests)]
	f.requests = append(f.requests, received{r.Method, r.URL.EscapedPath(), form, r.Header})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.value)
}

// client is Stripe's client, connected to the server.
func (f *fake) client() *client.Client {
	return client.NewClient("sk_test_123", client.WithBackends(client.NewBackendsWithConfig(&client.BackendConfig{URL: &f.URL, HTTPClient: f.Client(),
		MaxNetworkRetries: client.Int64(0), EnableTelemetry: client.Bool(false), LeveledLogger: &client.LeveledLogger{Level: client.LevelNull}})))
}

// adapter runs an operation of the adapter against the server.
func (f *fake) adapter(op sdk.Operation, r sdk.Request, settings ...string) *sdk.Outcome {
	a := stripe.Adapter()
	step := wire.NewStep(&a.Manifest, op, r)
	step.Account.BaseURL, step.Account.Credentials["api_key"] = f.URL, "sk_test_123"
	if len(settings) == 1 {
		step.Account.Config["incremental_authorization"] = settings[0]
	}
	end, err := wire.Converse(a, step, f.Client())
	require.NoError(f.t, err)
	require.NotNil(f.t, end.Outcome)
	return end.Outcome
}

// An intent is what a merchant wants, once for the adapter and once for Stripe's client.
type intent struct {
	name     string
	op       sdk.Operation
	request  sdk.Request
	settings []string
	client   func(context.Context, *client.Client) error
	answers  []answer
	want     func(t *testing.T, o *sdk.Outcome)
}

// TestClientAsksTheSame lets the adapter and Stripe's Go client do the same at the same server. Their requests must be equal in
// names and values, and the adapter must read the answers, which are the client's own objects.
func TestClientAsksTheSame(t *testing.T) {
	used := map[string]bool{}
	done := map[sdk.Operation]bool{sdk.OpWebhook: true, sdk.OpAttachEvidence: true} // TestClientSignature, TestEvidence
	for _, i := range intents() {
		done[i.op] = true
		t.Run(i.name, func(t *testing.T) {
			theirs, ours := newFake(t, i.answers...), newFake(t, i.answers...)
			err := i.client(t.Context(), theirs.client())
			refused := i.answers[len(i.answers)-1].status >= 400
			require.Equal(t, refused, err != nil, "%v", err)
			o := ours.adapter(i.op, i.request, i.settings...)
			require.Len(t, ours.requests, len(i.answers))
			for n := range i.answers {
				want, got := theirs.requests[n], ours.requests[n]
				require.Equal(t, []any{want.method, want.path, want.form}, []any{got.method, got.path, got.form})
				require.Equal(t, want.header.Get("Authorization"), got.header.Get("Authorization"))
				if want.method == http.MethodPost {
					require.Equal(t, want.header.Get("Content-Type"), got.header.Get("Content-Type"))
				}
				require.Equal(t, want.header.Get("Idempotency-Key") != "", got.header.Get("Idempotency-Key") != "")
				require.NotEmpty(t, got.header.Get("Stripe-Version"))
				for name := range got.form {
					used[isBeyond(name)] = true
				}
			}
			i.want(t, o)
		})
	}
	for prefix := range beyond {
		require.True(t, used[prefix], "nothing sends %s any more", prefix)
	}
	m, err := sdk.DecodeManifest(stripe.Adapter().ManifestMessage())
	require.NoError(t, err)
	for _, op := range m.Operations {
		require.True(t, done[op], "no intent for %s", op)
	}
}

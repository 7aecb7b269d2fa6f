package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	otlp "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"

	"payswitch/engine/port"
	"payswitch/sdk"
)

// TestTraces exports the spans of a payment from a running switch, and finds its steps in them, but no card, credential or personal data.
func TestTraces(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var exported strings.Builder
	var tokens []string
	alone := 0
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		exported.WriteString(spanTexts(t, b))
		alone += loneTransactions(t, b)
		tokens = append(tokens, r.Header.Get("Authorization"))
	}))
	t.Cleanup(receiver.Close)
	env := append(testEnv(t, t.TempDir()), "PAYSWITCH_TRACING__ENDPOINT="+receiver.URL+"/v1/traces", "PAYSWITCH_TRACING__TOKEN=collector_secret")
	r := start(t, env, "serve", "--config", writeConfig(t, ""))
	key := r.shop("shop")
	p := cardPayment("traced")
	p["email"], p["description"], p["metadata"] = "ada@private.example", "a private text", object{"note": "a private note"}
	r.must(key, "/payments", p)
	declined := cardPayment("declined")
	declined["payment_method_data"].(object)["card"].(object)["card_number"] = "4000000000000002"
	r.must(key, "/payments", declined)
	lost := cardPayment("lost")
	lost["amount"] = 900_000_031 // its result stays unknown, until an operator's word, which the engine logs
	r.must(key, "/payments", lost)
	_, list, _ := runProgram(t, env, "operations", "list", "--unknown", "--json")
	var op shownOperation
	require.NoError(t, json.Unmarshal([]byte(list), &op), list)
	r.must(testAdminKey, "/operations/"+op.OperationID+"/resolve", object{"outcome": "not_done", "by": "Ops", "why": "test"})
	r.call("wrong_key_of_a_stranger", "/payments/traced?client_secret=in_the_query", nil)
	r.call(key, "/invented/path_with_4242424242424242", nil)
	code, stderr := r.stop()
	require.Equal(t, exitOK, code, stderr)
	require.NotContains(t, stderr, "collector_secret")
	ids, both := map[string]bool{}, 0 // lines about operations carry the id of their request
	for line := range strings.Lines(stderr) {
		var l map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &l), "%s", line)
		id, _ := l["request_id"].(string)
		switch {
		case l["msg"] == "request":
			ids[id] = true
		case l["component"] != "router" && id != "" && l["operation_id"] != nil:
			both++
		}
	}
	require.NotZero(t, both)
	require.Greater(t, len(ids), 3)

	text := exported.String()
	for _, there := range []string{"POST /payments", "GET /payments/{payment_id}", "adapter authorize", "transaction", "traced", "payswitch.request_id", "payswitch.operation_id"} {
		require.Contains(t, text, there)
	}
	require.NotRegexp(t, `\b737\b`, text) // the CVC; the digits may stand in a random id
	for _, data := range []string{"4242424242424242", "424242", "4000000000000002", "Lovelace", "Ada", "private", key, testAdminKey, testMasterKey,
		"wrong_key_of_a_stranger", "in_the_query", "collector_secret", "_secret_", "invented"} {
		require.NotContains(t, text, data)
	}
	require.Contains(t, tokens, "Bearer collector_secret")
	require.Zero(t, alone, "the transactions of background loops are no traces")
}

// loneTransactions counts the transactions that belong to no request and to no operation.
func loneTransactions(t *testing.T, body []byte) (n int) {
	var sent otlp.ExportTraceServiceRequest
	if !assert.NoError(t, proto.Unmarshal(body, &sent)) {
		return 0
	}
	for _, r := range sent.ResourceSpans {
		for _, scope := range r.ScopeSpans {
			for _, span := range scope.Spans {
				if span.Name == "transaction" && len(span.ParentSpanId) == 0 {
					n++
				}
			}
		}
	}
	return n
}

// spanTexts returns every text of exported spans, a line each. It leaves their own ids out, which are random bytes.
func spanTexts(t *testing.T, body []byte) string {
	var sent otlp.ExportTraceServiceRequest
	if !assert.NoError(t, proto.Unmarshal(body, &sent)) {
		return ""
	}
	var out strings.Builder
	_ = protorange.Range(sent.ProtoReflect(), func(p protopath.Values) error {
		if s, ok := p.Index(-1).Value.Interface().(string); ok {
			out.WriteString(s + "\n")
		}
		return nil
	}) // the function returns no error
	return out.String()
}

// sender is a host that sends two requests in each drive.
type sender struct{ port.Connectors }

func (sender) Drive(ctx context.Context, d *port.Drive) (*port.DriveResult, error) {
	first := sdk.Exchange{Sent: true, Status: 201, Body: []byte("4242424242424242")}
	for i, done := range [][]sdk.Exchange{nil, {first}} {
		err := d.BeforeSend(ctx, port.SendIntent{Index: i, Host: "api.processor.example", URL: "https://api.processor.example/secret/path", Exchanges: done})
		if err != nil {
			return nil, err
		}
	}
	return &port.DriveResult{Exchanges: []sdk.Exchange{first, {}}, Outcome: &sdk.Outcome{Status: sdk.StatusUnknown, TransactionID: "tx"}}, nil
}

// A drive's requests are spans below it, each with the status of its own answer.
func TestTracesOfADrive(t *testing.T) {
	out := tracetest.NewInMemoryExporter()
	c := defaultConfig()
	tr := newTracing(c, trace.WithSyncer(out))
	calls := 0
	d := &port.Drive{Connector: "acme", Operation: sdk.OpAuthorize, OperationID: "op_1", BeforeSend: func(context.Context, port.SendIntent) error { calls++; return nil }}
	_, err := tr.connectors(sender{}).Drive(t.Context(), d)
	require.NoError(t, err)
	require.Equal(t, 2, calls)
	spans := out.GetSpans()
	require.Len(t, spans, 3)
	drive := spans[2]
	require.Equal(t, "adapter authorize", drive.Name)
	for i, s := range spans[:2] {
		require.Equal(t, "processor", s.Name)
		require.Equal(t, drive.SpanContext.SpanID(), s.Parent.SpanID())
		require.Equal(t, i == 1, s.Status.Description == "no answer")
		for _, a := range s.Attributes {
			require.NotContains(t, a.Value.String(), "secret")
		}
	}
	require.NoError(t, tr.close(t.Context()))

	var off *tracing
	require.Nil(t, off.request(), "without a collector nothing is wrapped, so that tracing costs nothing")
	require.Equal(t, sender{}, off.connectors(sender{}))
	require.Nil(t, off.store(nil))
	require.NoError(t, off.close(t.Context()))
}

// TestTracesAreSentAgain: a batch is sent again while the collector is away, and not after a refusal.
func TestTracesAreSentAgain(t *testing.T) {
	t.Parallel()
	answers := []int{http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusOK, http.StatusBadRequest}
	var bodies []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		bodies = append(bodies, spanTexts(t, b))
		w.WriteHeader(answers[len(bodies)-1])
	}))
	t.Cleanup(receiver.Close)
	c := &collector{endpoint: receiver.URL}
	list := []*spans.ResourceSpans{{ScopeSpans: []*spans.ScopeSpans{{Spans: []*spans.Span{{Name: "one"}}}}}}
	require.NoError(t, c.UploadTraces(t.Context(), list))
	require.Equal(t, []string{"one\n", "one\n", "one\n"}, bodies)
	require.ErrorContains(t, c.UploadTraces(t.Context(), list), "400 Bad Request")
	require.Len(t, bodies, 4, "a refused batch is not sent again")
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"payswitch/engine/secret"
)

// exportTime bounds the tries to export a batch of spans. The batch is lost afterwards: payments need no traces.
const exportTime = 20 * time.Second

// collector sends spans to an OTLP collector over HTTP, in protobuf. It implements otlptrace.Client. OpenTelemetry's own client over HTTP brings gRPC
// along, which is 1.3 MB of the program.
type collector struct {
	endpoint string
	token    secret.Value // of the header Authorization; zero for none
	client   http.Client
}

// Start implements otlptrace.Client.
func (*collector) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. It tries again as the protocol says: after 429, 502, 503 and 504, and without an answer.
func (c *collector) UploadTraces(ctx context.Context, list []*spans.ResourceSpans) error {
	body, err := proto.Marshal(&spans.TracesData{ResourceSpans: list}) // the same bytes as an ExportTraceServiceRequest
	if err != nil {
		return err
	}
	_, err = backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, c.send(ctx, body) }, backoff.WithMaxElapsedTime(exportTime))
	return err
}

func (c *collector) send(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return backoff.Permanent(err)
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	if !c.token.IsZero() {
		r.Header.Set("Authorization", "Bearer "+c.token.Reveal())
	}
	answer, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // so that the connection can be used again
	err = fmt.Errorf("the collector answers %s", answer.Status)
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if s, e := strconv.Atoi(answer.Header.Get("Retry-After")); e == nil && s > 0 {
			return backoff.RetryAfter(s)
		}
		return err
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return err
	}
	if answer.StatusCode/100 == 2 {
		return nil
	}
	return backoff.Permanent(err)
}

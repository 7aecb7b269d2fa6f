package main

import (
	"context"
	"log/slog"
	"net/http"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"

	"payswitch/engine"
	"payswitch/engine/port"
)

// tracing makes spans of requests, transactions, operations at adapters, and requests to processors. A span has ids, names from closed sets and
// durations, and no other data. Nil makes none, and then no part of the switch is wrapped.
type tracing struct {
	provider *trace.TracerProvider
	tracer   api.Tracer
	trust    bool // take the trace of the caller
}

// openTracing returns nil if no collector is configured.
func openTracing(c Config, log *slog.Logger) *tracing {
	if c.Tracing.Endpoint == "" {
		return nil
	}
	exporter := otlptrace.NewUnstarted(&collector{endpoint: c.Tracing.Endpoint, token: c.Tracing.Token, client: http.Client{Timeout: exportTime / 2}})
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces were not exported", "error", err) }))
	log.Info("traces are exported", keyAddress, c.Tracing.Endpoint, "sample", c.Tracing.Sample)
	return newTracing(c, trace.WithBatcher(exporter))
}

func newTracing(c Config, o ...trace.TracerProviderOption) *tracing {
	b := readBuild()
	about := resource.NewSchemaless(attribute.String("service.name", "payswitch"), attribute.String("service.version", b.version))
	o = append(o, trace.WithResource(about), trace.WithSampler(trace.ParentBased(trace.TraceIDRatioBased(float64(c.Tracing.Sample)/100))))
	p := trace.NewTracerProvider(o...)
	return &tracing{provider: p, tracer: p.Tracer("payswitch"), trust: c.Server.TrustRequestID}
}

// close exports what is left.
func (t *tracing) close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// request begins the span of a request. It is nil without tracing, for router.Options.Trace.
func (t *tracing) request() func(r *http.Request) (context.Context, func(pattern, requestID, merchantID string, status int)) {
	if t == nil {
		return nil
	}
	return func(r *http.Request) (context.Context, func(pattern, requestID, merchantID string, status int)) {
		ctx := r.Context()
		if t.trust {
			ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
		}
		ctx, span := t.tracer.Start(ctx, "request", api.WithSpanKind(api.SpanKindServer))
		return ctx, func(pattern, requestID, merchantID string, status int) {
			if pattern != "" { // a method and a path of the caller's own invention are data
				span.SetName(r.Method + " " + pattern)
				span.SetAttributes(attribute.String("http.request.method", r.Method), attribute.String("http.route", pattern))
			}
			span.SetAttributes(attribute.Int("http.response.status_code", status), attribute.String("payswitch.request_id", requestID),
				attribute.String("payswitch.merchant_id", merchantID))
			if status >= 500 {
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}
	}
}

// store wraps s with spans of its transactions.
func (t *tracing) store(s engine.Store) engine.Store {
	if t == nil {
		return s
	}
	return tracedStore{s, t}
}

type tracedStore struct {
	engine.Store
	t *tracing
}

// Update implements engine.Store.
func (s tracedStore) Update(ctx context.Context, f func(tx engine.Tx) error) error {
	if !api.SpanContextFromContext(ctx).IsValid() { // of a background loop: a trace of its own every few seconds would say nothing
		return s.Store.Update(ctx, f)
	}
	ctx, span := s.t.tracer.Start(ctx, "transaction")
	defer span.End()
	err := s.Store.Update(ctx, f)
	if err != nil { // the text may hold data
		span.SetStatus(codes.Error, "")
	}
	return err
}

// connectors wraps c with spans of operations and of their requests to processors.
func (t *tracing) connectors(c port.Connectors) port.Connectors {
	if t == nil {
		return c
	}
	return tracedConnectors{c, t}
}

type tracedConnectors struct {
	port.Connectors
	t *tracing
}

// Drive implements port.Connectors.
func (c tracedConnectors) Drive(ctx context.Context, d *port.Drive) (*port.DriveResult, error) {
	ctx, span := c.t.tracer.Start(ctx, "adapter "+string(d.Operation))
	defer span.End()
	span.SetAttributes(attribute.String("payswitch.connector", d.Connector), attribute.String("payswitch.account_id", d.Account.ID),
		attribute.String("payswitch.operation_id", d.OperationID), attribute.String("payswitch.payment_id", d.Request.PaymentID),
		attribute.String("payswitch.merchant_id", d.Account.MerchantID))
	traced := *d
	var sending api.Span
	answered := func(status int) {
		if sending == nil {
			return
		}
		if status != 0 {
			sending.SetAttributes(attribute.Int("http.response.status_code", status))
		} else {
			sending.SetStatus(codes.Error, "no answer")
		}
		sending.End()
		sending = nil
	}
	if d.BeforeSend != nil {
		traced.BeforeSend = func(_ context.Context, intent port.SendIntent) error {
			if n := len(intent.Exchanges); n > 0 {
				answered(intent.Exchanges[n-1].Status)
			}
			if err := d.BeforeSend(ctx, intent); err != nil {
				return err
			}
			_, sending = c.t.tracer.Start(ctx, "processor", api.WithSpanKind(api.SpanKindClient), api.WithAttributes(
				attribute.String("server.address", intent.Host), attribute.Int("payswitch.exchange", intent.Index)))
			return nil
		}
	}
	r, err := c.Connectors.Drive(ctx, &traced)
	status := 0
	if r != nil {
		status = r.HTTPStatus
		span.SetAttributes(attribute.String("payswitch.adapter_sha256", r.AdapterHash), attribute.Int("payswitch.steps", r.Steps))
		if r.Outcome != nil {
			span.SetAttributes(attribute.String("payswitch.outcome", string(r.Outcome.Status)))
		}
	}
	answered(status)
	if err != nil {
		span.SetStatus(codes.Error, "")
	}
	return r, err
}

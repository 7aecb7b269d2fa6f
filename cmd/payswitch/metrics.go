package main

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// meters collects the metrics of all parts for Prometheus. It implements port.Metrics and plugins.Observer; storage and router call its methods as hooks.
// Labels come from closed sets: statuses, route patterns, installed adapters. A merchant, a payment or a URL is never a label.
type meters struct {
	registry *prometheus.Registry

	payments   *prometheus.CounterVec
	refunds    *prometheus.CounterVec
	operations *prometheus.HistogramVec
	alarms     *prometheus.CounterVec

	authentications     *prometheus.CounterVec
	authenticationTimes *prometheus.HistogramVec
	exemptions          *prometheus.CounterVec
	refused             *prometheus.CounterVec
	retryLimits         *prometheus.CounterVec
	accountMoves        *prometheus.CounterVec
	accountsOut         prometheus.Gauge

	steps      *prometheus.HistogramVec
	traps      *prometheus.CounterVec
	sends      *prometheus.HistogramVec
	violations *prometheus.CounterVec
	revealed   *prometheus.CounterVec

	requests *prometheus.HistogramVec
	lines    atomic.Pointer[requestLog] // nil without log.requests
	log      atomic.Pointer[logLines]   // nil in a command
	loops    *loopCollector

	webhooks        *prometheus.HistogramVec
	webhookOldest   prometheus.Gauge
	webhooksFailing prometheus.Gauge

	batches prometheus.Histogram
	commits prometheus.Histogram
}

// Buckets: a step takes tens of microseconds, a processor hundreds of milliseconds, a request up to the three minutes of a lock.
var (
	stepBuckets = []float64{25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 10e-3, 50e-3, 250e-3}
	sendBuckets = []float64{5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1, 2.5, 5, 10, 30, 60}
	// A payer at the issuer's page takes up to fifteen minutes.
	authenticationBuckets = []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 900}
	requestBuckets        = []float64{1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1, 2.5, 5, 10, 30, 60, 180}
)

func newMeters() *meters {
	m := &meters{registry: prometheus.NewRegistry()}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "payswitch", Name: name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "payswitch", Name: name, Help: help, Buckets: buckets}, labels)
		m.registry.MustRegister(h)
		return h
	}
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "payswitch", Name: "request_log_dropped_total",
		Help: "Lines that the file of requests did not get."}, func() float64 {
		if l := m.lines.Load(); l != nil {
			return float64(l.dropped.Load())
		}
		return 0
	}))
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "payswitch", Name: "log_dropped_total",
		Help: "Lines of the log that its reader did not get."}, func() float64 {
		if l := m.log.Load(); l != nil {
			return float64(l.dropped.Load())
		}
		return 0
	}))
	m.payments = counter("payments_total", "Payments that reached a status.", "status", "connector")
	m.refunds = counter("refunds_total", "Refunds that succeeded or failed.", "status", "connector")
	m.operations = histogram("operation_seconds", "One operation at a processor, by how it ended.", sendBuckets, "kind", "connector", "status")
	m.alarms = counter("alarms_total", "Things a person must look at: late evidence, an outcome that does not fit, a lost lease.", "kind")
	m.authentications = counter("authentications_total", "3-D Secure authentications by how they ended.", "authenticator", "network", "outcome", "flow")
	m.exemptions = counter("exemptions_total", "Exemptions from strong customer authentication that were claimed, by what the issuer made of them.",
		"connector", "exemption", "route", "outcome")
	m.refused = counter("risk_refusals_total", "Payments that a rule of their merchant stopped before anything was sent.", "cause")
	m.retryLimits = counter("scheme_retry_limits_total", "Declines near or at the retry limits of card schemes, and repeats that were not sent because of them.", "network", "result")
	m.accountMoves = counter("account_breaks_total", "Connector accounts that were taken out because they fail too often, or let in again.", "connector", "to")
	m.accountsOut = prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "payswitch", Name: "accounts_out",
		Help: "Connector accounts that are taken out because they fail too often."})
	m.registry.MustRegister(m.accountsOut)
	m.authenticationTimes = histogram("authentication_seconds", "One 3-D Secure authentication, from confirm to its end.", authenticationBuckets, "authenticator", "flow")
	m.steps = histogram("adapter_step_seconds", "One step of an adapter.", stepBuckets, "adapter")
	m.traps = counter("adapter_traps_total", "Steps that were stopped or gave no valid answer.", "adapter", "kind")
	m.sends = histogram("egress_seconds", "One request to a processor, by class of answer.", sendBuckets, "adapter", "host", "class")
	m.violations = counter("adapter_violations_total", "Rules of the host that an adapter broke.", "adapter", "rule")
	m.revealed = counter("adapter_plain_secrets_total", "Operations whose adapter was given the secrets themselves, as an operator allowed.", "adapter")
	m.requests = histogram("http_request_seconds", "One request to the API.", requestBuckets, "method", "route", "status")
	m.webhooks = histogram("webhook_seconds", "One request to a merchant's endpoint, by result.", sendBuckets, "result")
	m.webhookOldest = prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "payswitch", Name: "webhook_oldest_seconds",
		Help: "Age of the oldest event that an endpoint has not received."})
	m.webhooksFailing = prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "payswitch", Name: "webhook_endpoints_failing",
		Help: "Endpoints that failed at their latest ten requests from this node."})
	m.registry.MustRegister(m.webhookOldest, m.webhooksFailing)
	m.batches = prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "payswitch", Name: "commit_batch_size",
		Help: "Transactions that one commit made durable together.", Buckets: []float64{1, 2, 4, 8, 16, 32, 64, 128}})
	m.commits = prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "payswitch", Name: "commit_seconds",
		Help: "One commit, from the first transaction of its batch on.", Buckets: requestBuckets})

	b := readBuild()
	info := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "payswitch", Name: "build_info", Help: "Always 1; the labels name the build.",
		ConstLabels: prometheus.Labels{"version": b.version, "revision": b.revision, "abi": strconv.Itoa(sdk.ABI)}})
	info.Set(1)
	m.loops = &loopCollector{started: time.Now(), runs: map[string]loopRun{}}
	m.registry.MustRegister(m.loops, m.batches, m.commits, info, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// handler serves the metrics in Prometheus' formats.
func (m *meters) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// PaymentMoved implements port.Metrics.
func (m *meters) PaymentMoved(status payment.Status, connector string) {
	m.payments.WithLabelValues(string(status), connector).Inc()
}

// RefundMoved implements port.Metrics.
func (m *meters) RefundMoved(status payment.RefundStatus, connector string) {
	m.refunds.WithLabelValues(string(status), connector).Inc()
}

// OperationDone implements port.Metrics.
func (m *meters) OperationDone(kind, connector string, status payment.OperationStatus, took time.Duration) {
	m.operations.WithLabelValues(kind, connector, string(status)).Observe(took.Seconds())
}

// AuthenticationDone implements port.Metrics.
func (m *meters) AuthenticationDone(authenticator, network, outcome, flow string, took time.Duration) {
	m.authentications.WithLabelValues(authenticator, network, outcome, flow).Inc()
	m.authenticationTimes.WithLabelValues(authenticator, flow).Observe(took.Seconds())
}

// ExemptionSettled implements port.Metrics.
func (m *meters) ExemptionSettled(connector, exemption, route, outcome string) {
	m.exemptions.WithLabelValues(connector, exemption, route, outcome).Inc()
}

// Swept implements port.Metrics.
func (m *meters) Swept(loop string, late, every time.Duration) { m.loops.ran(loop, late, every) }

// RetryLimited implements port.Metrics.
func (m *meters) RetryLimited(network, result string) {
	m.retryLimits.WithLabelValues(network, result).Inc()
}

// RiskRefused implements port.Metrics.
func (m *meters) RiskRefused(cause string) { m.refused.WithLabelValues(cause).Inc() }

// AccountMoved implements port.Metrics.
func (m *meters) AccountMoved(connector string, out bool, left int) {
	m.accountMoves.WithLabelValues(connector, map[bool]string{true: "out", false: "in"}[out]).Inc()
	m.accountsOut.Set(float64(left))
}

// WebhookSent implements port.Metrics.
func (m *meters) WebhookSent(result string, took time.Duration) {
	m.webhooks.WithLabelValues(result).Observe(took.Seconds())
}

// WebhookBacklog implements port.Metrics.
func (m *meters) WebhookBacklog(oldest time.Duration, failing int) {
	m.webhookOldest.Set(oldest.Seconds())
	m.webhooksFailing.Set(float64(failing))
}

// Alarm implements port.Metrics.
func (m *meters) Alarm(kind alarm.Kind) { m.alarms.WithLabelValues(string(kind)).Inc() }

// Stepped implements plugins.Observer.
func (m *meters) Stepped(adapter string, took time.Duration) {
	m.steps.WithLabelValues(adapter).Observe(took.Seconds())
}

// Trapped implements plugins.Observer.
func (m *meters) Trapped(adapter, kind string) { m.traps.WithLabelValues(adapter, kind).Inc() }

// Sent implements plugins.Observer.
func (m *meters) Sent(adapter, host, class string, took time.Duration) {
	m.sends.WithLabelValues(adapter, host, class).Observe(took.Seconds())
}

// Violated implements plugins.Observer.
func (m *meters) Violated(adapter, rule string) { m.violations.WithLabelValues(adapter, rule).Inc() }

// Revealed implements plugins.Observer.
func (m *meters) Revealed(adapter string) { m.revealed.WithLabelValues(adapter).Inc() }

// committed is the hook that storage calls after each commit.
func (m *meters) committed(batchSize int, took time.Duration) {
	m.batches.Observe(float64(batchSize))
	m.commits.Observe(took.Seconds())
}

// request is the hook that the router calls after each request. The client chooses the method of a request to an unknown route, so that
// the method is no label there.
func (m *meters) request(method, pattern string, status int, took time.Duration) {
	if pattern == "" {
		method, pattern = "other", "none"
	}
	m.requests.WithLabelValues(method, pattern, strconv.Itoa(status)).Observe(took.Seconds())
}

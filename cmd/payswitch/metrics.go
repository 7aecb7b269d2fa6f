package main

import (
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"

	"payswitch/engine"
	"payswitch/plugins"
	"payswitch/sdk"
)

// meters count for Prometheus what the parts tell them. They implement engine.Metrics and plugins.Observer, and are what storage and
// router report to. Labels come from closed sets: statuses, route patterns, installed adapters; a merchant, a payment or a URL is
// never one.
type meters struct {
	registry registry

	payments, alarms, traps, violations *family
	operations, steps, sends, requests  *family
	commitBatch, commitTime             *family
}

// Buckets in seconds: a step takes tens of microseconds, a processor hundreds of milliseconds, a request up to the three minutes of
// a lock.
var (
	stepBuckets    = []float64{25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 10e-3, 50e-3, 250e-3}
	sendBuckets    = []float64{5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1, 2.5, 5, 10, 30, 60}
	requestBuckets = []float64{1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1, 2.5, 5, 10, 30, 60, 180}
	batchBuckets   = []float64{1, 2, 4, 8, 16, 32, 64, 128}
)

func newMeters() *meters {
	m := &meters{}
	r := &m.registry
	m.payments = r.counter("payswitch_payments_total", "Payments that reached a status.", "status", "connector")
	m.operations = r.histogram("payswitch_operation_seconds", "One operation at a processor, by how it ended.", sendBuckets, "kind", "connector", "status")
	m.alarms = r.counter("payswitch_alarms_total", "Things a person must look at: late evidence, an outcome that does not fit, a lost lease.", "kind")
	m.steps = r.histogram("payswitch_adapter_step_seconds", "One step of an adapter.", stepBuckets, "adapter")
	m.traps = r.counter("payswitch_adapter_traps_total", "Steps that were stopped or gave no valid answer.", "adapter", "kind")
	m.sends = r.histogram("payswitch_egress_seconds", "One request to a processor, by class of answer.", sendBuckets, "adapter", "host", "class")
	m.violations = r.counter("payswitch_adapter_violations_total", "Rules of the host that an adapter broke.", "adapter", "rule")
	m.requests = r.histogram("payswitch_http_request_seconds", "One request to the API.", requestBuckets, "method", "route", "status")
	m.commitBatch = r.histogram("payswitch_commit_batch_size", "Transactions that one commit made durable together.", batchBuckets)
	m.commitTime = r.histogram("payswitch_commit_seconds", "One commit, from the first transaction of its batch on.", requestBuckets)

	b := readBuild()
	r.read("gauge", "payswitch_build_info", "Always 1; the labels tell the build.", []string{"version", "revision", "abi", "go"},
		func(emit func(float64, ...string)) {
			emit(1, b.version, b.revision, strconv.Itoa(sdk.ABI), runtime.Version())
		})
	start := float64(time.Now().UnixMilli()) / 1000
	r.read("gauge", "process_start_time_seconds", "When the program started, Unix time.", nil, func(emit func(float64, ...string)) { emit(start) })
	m.runtime("gauge", "go_goroutines", "Goroutines that exist.", "/sched/goroutines:goroutines")
	m.runtime("gauge", "go_memory_bytes", "Memory mapped by the Go runtime.", "/memory/classes/total:bytes")
	m.runtime("gauge", "go_heap_objects_bytes", "Memory of live objects and those not swept yet.", "/memory/classes/heap/objects:bytes")
	m.runtime("counter", "go_gc_cycles_total", "Garbage collections.", "/gc/cycles/total:gc-cycles")
	return m
}

// runtime adds a number of the Go runtime's.
func (m *meters) runtime(kind, name, help, source string) {
	m.registry.read(kind, name, help, nil, func(emit func(float64, ...string)) {
		sample := []metrics.Sample{{Name: source}}
		metrics.Read(sample)
		if sample[0].Value.Kind() == metrics.KindUint64 {
			emit(float64(sample[0].Value.Uint64()))
		}
	})
}

// watch adds the adapters' pools. Builds of one adapter count together.
func (m *meters) watch(stats func() []plugins.AdapterStats) {
	gauge := func(kind, name, help string, value func(plugins.AdapterStats) float64) {
		m.registry.read(kind, name, help, []string{"adapter"}, func(emit func(float64, ...string)) {
			var last string
			var sum float64
			for i, s := range stats() { // by name
				if i > 0 && s.Name != last {
					emit(sum, last)
					sum = 0
				}
				last, sum = s.Name, sum+value(s)
			}
			if last != "" {
				emit(sum, last)
			}
		})
	}
	gauge("gauge", "payswitch_adapter_instances_in_use", "Instances of an adapter that compute.",
		func(s plugins.AdapterStats) float64 { return float64(s.Sandbox.InUse) })
	gauge("gauge", "payswitch_adapter_instances_idle", "Instances of an adapter that wait for a step.",
		func(s plugins.AdapterStats) float64 { return float64(s.Sandbox.Idle) })
	gauge("gauge", "payswitch_adapter_operations", "Operations of an adapter under way.",
		func(s plugins.AdapterStats) float64 { return float64(s.Driving) })
	gauge("gauge", "payswitch_adapter_wait_seconds", "Time that callers have waited for an instance since the builds were loaded.",
		func(s plugins.AdapterStats) float64 { return s.Sandbox.Waited.Seconds() })
}

// PaymentMoved implements engine.Metrics.
func (m *meters) PaymentMoved(status engine.PaymentStatus, connector string) {
	m.payments.inc(string(status), connector)
}

// OperationDone implements engine.Metrics.
func (m *meters) OperationDone(kind, connector string, status engine.OperationStatus, took time.Duration) {
	m.operations.observe(took.Seconds(), kind, connector, string(status))
}

// Alarm implements engine.Metrics.
func (m *meters) Alarm(kind string) { m.alarms.inc(kind) }

// Stepped implements plugins.Observer.
func (m *meters) Stepped(adapter string, took time.Duration) {
	m.steps.observe(took.Seconds(), adapter)
}

// Trapped implements plugins.Observer.
func (m *meters) Trapped(adapter, kind string) { m.traps.inc(adapter, kind) }

// Sent implements plugins.Observer.
func (m *meters) Sent(adapter, host, class string, took time.Duration) {
	m.sends.observe(took.Seconds(), adapter, host, class)
}

// Violated implements plugins.Observer.
func (m *meters) Violated(adapter, rule string) { m.violations.inc(adapter, rule) }

// committed is storage's observer.
func (m *meters) committed(batchSize int, took time.Duration) {
	m.commitBatch.observe(float64(batchSize))
	m.commitTime.observe(took.Seconds())
}

// request is the router's hook. The method of an unknown route is whatever the caller made up, so it is not a label there.
func (m *meters) request(method, pattern string, status int, took time.Duration) {
	if pattern == "" {
		method, pattern = "other", "none"
	}
	m.requests.observe(took.Seconds(), method, pattern, strconv.Itoa(status))
}

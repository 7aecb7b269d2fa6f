package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"payswitch/plugins"
)

// poolCollector reads the adapters' pools at each scrape. It adds up the builds of one adapter.
type poolCollector struct {
	stats func() []plugins.AdapterStats
}

var (
	poolInstances = prometheus.NewDesc("payswitch_adapter_instances", "Instances of an adapter that exist.", []string{"adapter", "state"}, nil)
	poolDriving   = prometheus.NewDesc("payswitch_adapter_operations", "Operations of an adapter under way.", []string{"adapter"}, nil)
	poolWaited    = prometheus.NewDesc("payswitch_adapter_wait_seconds_total", "Time that callers waited for an instance.", []string{"adapter"}, nil)
)

// Describe implements prometheus.Collector.
func (c poolCollector) Describe(out chan<- *prometheus.Desc) {
	out <- poolInstances
	out <- poolDriving
	out <- poolWaited
}

// Collect implements prometheus.Collector.
func (c poolCollector) Collect(out chan<- prometheus.Metric) {
	type pool struct{ inUse, idle, driving, waited float64 }
	pools := map[string]pool{}
	for _, s := range c.stats() {
		p := pools[s.Name]
		p.inUse += float64(s.Sandbox.InUse)
		p.idle += float64(s.Sandbox.Idle)
		p.driving += float64(s.Driving)
		p.waited += s.Sandbox.Waited.Seconds()
		pools[s.Name] = p
	}
	for name, p := range pools {
		out <- prometheus.MustNewConstMetric(poolInstances, prometheus.GaugeValue, p.inUse, name, "in_use")
		out <- prometheus.MustNewConstMetric(poolInstances, prometheus.GaugeValue, p.idle, name, "idle")
		out <- prometheus.MustNewConstMetric(poolDriving, prometheus.GaugeValue, p.driving, name)
		out <- prometheus.MustNewConstMetric(poolWaited, prometheus.CounterValue, p.waited, name)
	}
}

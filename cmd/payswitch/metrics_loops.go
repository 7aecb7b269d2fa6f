package main

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// loopCollector reports how late the engine's background loops are. The lateness of a loop grows while the loop does not come round, so that a
// stuck loop shows. It is safe for concurrent use.
type loopCollector struct {
	started time.Time

	mu   sync.Mutex
	runs map[string]loopRun
}

// loopRun is the latest run of a loop.
type loopRun struct {
	at          time.Time
	late, every time.Duration
}

var loopLate = prometheus.NewDesc("payswitch_background_late_seconds",
	"How late a background loop is: the time that its oldest item has been due, and the time since its next run was due.", []string{"loop"}, nil)

// backgroundLoops are the loops of engine.Engine.Run.
var backgroundLoops = []string{"resolve", "authentications", "expiry", "blocklist", "journal", "health", "lists", "relays"}

func (c *loopCollector) ran(loop string, late, every time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs[loop] = loopRun{time.Now(), late, every}
}

// Describe implements prometheus.Collector.
func (c *loopCollector) Describe(ch chan<- *prometheus.Desc) { ch <- loopLate }

// Collect implements prometheus.Collector.
func (c *loopCollector) Collect(ch chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range backgroundLoops {
		r, ok := c.runs[name]
		if !ok {
			r.at = c.started
		}
		late := r.late + max(0, time.Since(r.at)-r.every)
		ch <- prometheus.MustNewConstMetric(loopLate, prometheus.GaugeValue, late.Seconds(), name)
	}
}

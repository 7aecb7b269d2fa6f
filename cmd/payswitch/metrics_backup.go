package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// backupCollector reports how old the last back-up is. It has no value if the database cannot be read.
type backupCollector struct {
	maxAge   time.Duration // storage.backup_max_age
	backedUp func(context.Context) (time.Time, error)
}

var (
	backupAge = prometheus.NewDesc("payswitch_backup_age_seconds", "Age of the last back-up that is noted; without one, the age of the database.", nil, nil)
	backupMax = prometheus.NewDesc("payswitch_backup_max_age_seconds", "The setting storage.backup_max_age.", nil, nil)
)

// Describe implements prometheus.Collector.
func (c backupCollector) Describe(out chan<- *prometheus.Desc) {
	out <- backupAge
	out <- backupMax
}

// Collect implements prometheus.Collector.
func (c backupCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if at, err := c.backedUp(ctx); err == nil {
		out <- prometheus.MustNewConstMetric(backupAge, prometheus.GaugeValue, time.Since(at).Seconds())
	}
	if c.maxAge > 0 {
		out <- prometheus.MustNewConstMetric(backupMax, prometheus.GaugeValue, c.maxAge.Seconds())
	}
}

package sandbox

import (
	"context"
	"slices"
	"testing"
	"time"
)

func BenchmarkStep(b *testing.B) {
	m := loadGo(b, Options{})
	c := call(string(workMessage))
	if _, err := m.Step(context.Background(), c); err != nil {
		b.Fatal(err)
	}
	took := make([]time.Duration, 0, 1<<20)
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		if _, err := m.Step(context.Background(), c); err != nil {
			b.Fatal(err)
		}
		if len(took) < cap(took) {
			took = append(took, time.Since(began))
		}
	}
	slices.Sort(took)
	us := func(d time.Duration) float64 { return float64(d) / 1e3 }
	b.ReportMetric(us(took[len(took)/2]), "us-median")
	b.ReportMetric(us(took[len(took)*99/100]), "us-p99")
}

package dashboard

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"payswitch/engine/request"
)

// BenchmarkFirstPages measures the server's time for the pages that people open first, over some thousand payments: the median, and the time within which 95 of
// 100 answers are ready. BenchmarkLists in storage has the queries behind them over millions of payments.
func BenchmarkFirstPages(b *testing.B) {
	w := newWorld(b)
	w.done("/m/acme/connectors", "connector", "simulator")
	for i := range 2000 {
		w.pay(int64(1000+i), func(in *request.Input) {
			if i%10 == 0 {
				in.CaptureMethod = "manual"
			}
		})
	}
	for name, path := range map[string]string{"home": "/m/acme/", "payments": "/m/acme/payments", "held": "/m/acme/payments?status=held", "setup": "/m/acme/setup", "decisions": "/decisions"} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				rec, from := httptest.NewRecorder(), time.Now()
				w.server.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
				if took = append(took, time.Since(from)); rec.Code != http.StatusOK {
					b.Fatal(path, rec.Code)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms/p95")
		})
	}
}

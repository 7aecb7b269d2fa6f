package router

import (
	"math"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"payswitch/engine/routing"
	"payswitch/engine/routing/health"
)

var standings = map[health.Standing]string{health.In: "in", health.Trial: "trial", health.Out: "out"}

func (s *Server) accountHealth(c *call) (answer, error) {
	q := c.query()
	profile := q.id("profile_id")
	if q.err != nil {
		return answer{}, q.err
	}
	list, err := s.Admin.AccountHealth(c.ctx(), c.auth, profile)
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeHealth).answer(), nil
}

func writeHealth(w *writer, h routing.AccountHealth) {
	b := h.Breaker
	w.open().str("connector", h.Account.Connector).str("merchant_connector_id", h.Account.ID).str("profile_id", h.Account.ProfileID).str("standing", standings[h.Standing])
	if b.Open {
		w.time("out_since", time.UnixMilli(b.At)).time("next_trial", time.UnixMilli(b.At+b.Pause))
	} else {
		w.null("out_since", "next_trial")
	}
	w.int("trials_answered", int64(b.Trials)).hundredths("recent_answered", h.Good).hundredths("recent_faults", h.Bad)
	writeCounts(w, &h.All)
	listOfAnswers(w.key("declines"), h.All.Reasons, func(w *writer, r health.ReasonCount) {
		w.open().str("reason", string(r.Reason)).hundredths("attempts", r.N).close()
	})
	listOfAnswers(w.key("slices"), h.Slices, func(w *writer, s health.SliceReport) {
		w.open().text("card_network", s.Slice.Network).text("issuer_country", s.Slice.Country).text("currency", s.Slice.Currency)
		writeCounts(w, &s.Counts)
		w.close()
	})
	w.close()
}

// writeCounts writes the counts of an account or a slice.
func writeCounts(w *writer, c *health.Counts) {
	n := c.Total()
	w.hundredths("attempts", n).hundredths("approved", c.Results[health.Approved]).hundredths("declined", c.Results[health.Declined])
	w.hundredths("failed", c.Results[health.Failed]).hundredths("timed_out", c.Results[health.TimedOut])
	if n < 0.005 {
		w.null("success_rate")
	} else {
		w.hundredths("success_rate", 100*c.Results[health.Approved]/n)
	}
	w.latency("latency_p50_ms", c.Quantile(0.5)).latency("latency_p95_ms", c.Quantile(0.95))
}

// hundredths writes a number with at most two decimals.
func (w *writer) hundredths(k string, n float64) *writer {
	return w.key(k).token(jsontext.Float(math.Round(n*100) / 100))
}

// latency writes the upper bound of a class of latencies, null where nothing was measured.
func (w *writer) latency(k string, d time.Duration) *writer {
	if d == 0 {
		return w.null(k)
	}
	return w.int(k, d.Milliseconds())
}

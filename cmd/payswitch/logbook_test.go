package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/router/dashboard"
)

// TestLogbook: the book keeps values of all kinds without secrets, and drops the oldest lines at its bound.
func TestLogbook(t *testing.T) {
	t.Parallel()
	b := &logbook{}
	log := slog.New(b.over(slog.NewJSONHandler(io.Discard, nil)))
	key := secret.New("sk_marked_4711")
	log.With("component", "engine").WithGroup("g").Warn("a line", "key", key, "any", map[string]any{"k": key}, slog.Group("in", "took", 1500*time.Microsecond), "long", strings.Repeat("é", 400))
	lines, since := b.Lines(dashboard.LogFilter{Limit: 10})
	require.Len(t, lines, 1)
	l := lines[0]
	require.Equal(t, l.At, since)
	require.Equal(t, "WARN", l.Level)
	require.Equal(t, "engine", l.Of("component"))
	require.Equal(t, "1.5ms", l.Of("g.in.took"))
	require.Equal(t, strings.Repeat("é", 250)+"…", l.Of("g.long"))
	require.NotContains(t, fmt.Sprint(lines), "marked")

	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 8000 {
				log.Info("many", "text", strings.Repeat("x", 480))
				b.Lines(dashboard.LogFilter{Limit: 1})
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, b.bytes, logbookBytes+1000)
	require.Less(t, len(b.lines), 20_000)
	lines, _ = b.Lines(dashboard.LogFilter{Limit: 2})
	require.EqualValues(t, 32_001, lines[0].Seq)
	older, _ := b.Lines(dashboard.LogFilter{Limit: 1, Before: lines[1].Seq})
	require.EqualValues(t, 31_999, older[0].Seq)
	lines, _ = b.Lines(dashboard.LogFilter{Text: "a line", Limit: 10})
	require.Empty(t, lines, "the oldest line has made room")
}

// TestDashboardLogs: a merchant's people find a request by its id and by its payment. They see no line of another merchant, and no line of the node.
func TestDashboardLogs(t *testing.T) {
	costly(t)
	o := newOffice(t)
	other := o.api.shop("neighbour")
	id := o.pay("4242424242424242", nil)
	o.api.must(other, "/payments", object{"amount": 1, "currency": "USD"})
	r, err := http.NewRequest(http.MethodGet, o.api.url+"/payments/"+id, nil)
	require.NoError(t, err)
	r.Header.Set("api-key", o.key)
	answer, err := same.Do(r)
	require.NoError(t, err)
	answer.Body.Close()
	request := answer.Header.Get("X-Request-Id")
	require.NotEmpty(t, request)
	o.n.log.Error("the node's own line", "payment_id", id)

	base := o.as(staff.Developer) + "/m/" + officeMerchant
	require.Eventually(t, func() bool {
		_, html := o.page(base + "/logs?q=" + request)
		return strings.Contains(html, "GET /payments/{payment_id}")
	}, 30*time.Second, 20*time.Millisecond)
	html := o.shows(base+"/logs?q="+url.QueryEscape(id), "GET /payments/{payment_id}", "200</span>", `href="/m/office/payments/`+id)
	require.NotContains(t, html, "the node&#39;s own line")
	html = o.shows(base+"/logs", "POST /payments")
	require.NotContains(t, html, "neighbour")
	o.shows(base+"/logs?show=5", "No line matches")
	o.shows(o.as(staff.Operator)+"/logs", "merchant_id: neighbour", "the node&#39;s own line")
	require.NotContains(t, o.shows(base+"/logs?before=nonsense&show=trouble&q=%3Cscript%3E"), "<script>x")
	status, _ := o.page(o.as(staff.Viewer) + "/m/" + officeMerchant + "/logs")
	require.Equal(t, http.StatusForbidden, status)
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/router/dashboard"
	"payswitch/sdk"
	"payswitch/storage"
)

// noteEvery is the interval at which a node notes that it runs.
const noteEvery = time.Minute

// keepNoted notes in the database that this node runs, until ctx ends. A failure is logged: it costs the dashboard's list of nodes alone.
func (n *node) keepNoted(ctx context.Context) error {
	tick := time.NewTicker(noteEvery)
	defer tick.Stop()
	for {
		if err := n.db.NoteNode(ctx, storage.Running{Name: n.name, Version: readBuild().version, Started: n.started}); err != nil && ctx.Err() == nil {
			n.log.Warn("payswitch could not note that this node runs", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// systemOf is dashboard.System of a node.
type systemOf struct{ *node }

// queueCounted is the number from which on a queue is not counted.
const queueCounted = 500

// State implements dashboard.System. What cannot be read is a finding.
func (n systemOf) State(ctx context.Context) dashboard.SystemState {
	b := readBuild()
	out := dashboard.SystemState{Version: b.version, Revision: b.revision, Node: n.name, Started: n.started,
		Program: fmt.Sprintf("%s, %s/%s, adapter ABI %d", runtime.Version(), runtime.GOOS, runtime.GOARCH, sdk.ABI)}
	find := func(what, remedy string) {
		out.Findings = append(out.Findings, dashboard.Finding{What: what, Remedy: remedy})
	}

	d := &doctor{c: n.config, now: time.Now()}
	if err := n.ready(); err != nil {
		find("This node does not serve payments: "+err.Error(), "look for a full disk, or a program that has locked the database")
	}
	d.operations(ctx, n.db)
	d.clock(ctx, n.db)
	d.disk()
	d.files()
	d.keyAges(ctx, n.vault)
	d.accounts(ctx, n.db, n.host)
	d.configuration()
	for _, r := range d.list {
		if r.Result == "finding" {
			find(r.Text, r.Remedy)
		} else {
			out.Checked = append(out.Checked, r.Check+": "+r.Text)
		}
	}
	nodes, err := n.db.RunningNodes(ctx)
	if err != nil {
		find("The list of nodes cannot be read: "+err.Error(), "look at the database")
	}
	for _, r := range nodes {
		out.Nodes = append(out.Nodes, dashboard.Node{Name: r.Name, Version: r.Version, Started: r.Started, Seen: r.Seen})
	}
	out.Database = n.databaseState()
	n.queues(ctx, &out, find)
	n.measuredState(&out, find)
	return out
}

// databaseState returns where the database is, and how large.
func (n systemOf) databaseState() dashboard.Database {
	db := dashboard.Database{Address: shownDSN(n.config.Storage.DSN), Size: -1, WAL: -1, Free: -1}
	path, ok := strings.CutPrefix(n.config.Storage.DSN.Reveal(), "sqlite:")
	if !ok {
		return db
	}
	if st, err := os.Stat(path); err == nil {
		db.Size = st.Size()
	}
	if st, err := os.Stat(path + "-wal"); err == nil {
		db.WAL = st.Size()
	}
	if free, known, err := diskSpace(filepath.Dir(path)); err == nil && known {
		db.Free = int64(min(free, 1<<62))
	}
	return db
}

// queues lists what waits in the database.
func (n systemOf) queues(ctx context.Context, out *dashboard.SystemState, find func(what, remedy string)) {
	list, err := n.engine.Operations(ctx, request.OperationFilter{Statuses: []payment.OperationStatus{payment.OperationUnknown}, Limit: queueCounted})
	if err != nil && list == nil {
		find("Operations cannot be read: "+err.Error(), "read Altered rows in OPERATIONS.md")
	}
	q := dashboard.Queue{Name: "Operations with an unknown outcome", N: len(list), More: len(list) == queueCounted, URL: "/decisions",
		Advice: "payswitch keeps asking the processors. A person decides where a processor cannot say."}
	for _, v := range list {
		q.Oldest = max(q.Oldest, time.Since(v.StartedAt))
	}
	out.Queues = append(out.Queues, q)
}

// measuredState adds the figures of /metrics: see metrics.go.
func (n systemOf) measuredState(out *dashboard.SystemState, find func(what, remedy string)) {
	families, err := n.metrics.registry.Gather()
	if err != nil {
		find("The node's figures cannot be read: "+err.Error(), "look at the log")
	}
	type host struct{ adapter, host string }
	sends, times := map[host]*dashboard.Processor{}, map[host]float64{}
	var oldest time.Duration
	failing := 0
	for _, f := range families {
		for _, m := range f.GetMetric() {
			label := map[string]string{}
			for _, l := range m.GetLabel() {
				label[l.GetName()] = l.GetValue()
			}
			switch f.GetName() {
			case "payswitch_background_late_seconds":
				l := dashboard.Loop{Name: loopNames[label["loop"]], Late: seconds(m.GetGauge().GetValue())}
				out.Loops = append(out.Loops, l)
				if l.Late > time.Minute {
					find(l.Name+" is late by "+l.Late.Round(time.Second).String(), "look at the log, and at the load of the database")
				}
			case "payswitch_alarms_total":
				if v := m.GetCounter().GetValue(); v > 0 {
					remedy := "the table of alarms in OPERATIONS.md says what to do"
					if label["kind"] == string(alarm.AwaitsOperator) {
						remedy = "open the page Decisions: a person decides about the operations there"
					}
					find(fmt.Sprintf("Alarm %s: %.0f since the node's start", label["kind"], v), remedy)
				}
			case "payswitch_webhook_oldest_seconds":
				oldest = seconds(m.GetGauge().GetValue())
			case "payswitch_webhook_endpoints_failing":
				failing = int(m.GetGauge().GetValue())
			case "payswitch_commit_seconds":
				if h := m.GetHistogram(); h.GetSampleCount() > 0 {
					out.Database.Commit = fmt.Sprintf("%.2f ms", 1e3*h.GetSampleSum()/float64(h.GetSampleCount()))
				}
			case "payswitch_commit_batch_size":
				if h := m.GetHistogram(); h.GetSampleCount() > 0 {
					out.Database.Batch = fmt.Sprintf("%.1f", h.GetSampleSum()/float64(h.GetSampleCount()))
				}
			case "payswitch_egress_seconds":
				k := host{label["adapter"], label["host"]}
				p := sends[k]
				if p == nil {
					p = &dashboard.Processor{Adapter: k.adapter, Host: k.host}
					sends[k] = p
				}
				h := m.GetHistogram()
				p.Requests += h.GetSampleCount()
				times[k] += h.GetSampleSum()
				if c := label["class"]; !strings.HasPrefix(c, "2") && !strings.HasPrefix(c, "3") && !strings.HasPrefix(c, "4") {
					p.Failed += h.GetSampleCount()
				}
			}
		}
	}
	out.Queues = append(out.Queues, dashboard.Queue{Name: "Endpoints that do not take their events", N: failing, Oldest: oldest,
		Advice: "payswitch repeats the events for days. The page Webhooks of a merchant says which endpoint fails, and how."})
	if oldest > time.Hour {
		find("An event waits for its endpoint since "+oldest.Round(time.Minute).String(), "open the merchant's webhooks: the endpoint's answer says why")
	}
	for k, p := range sends {
		p.Mean = seconds(times[k] / float64(max(p.Requests, 1)))
		out.Processors = append(out.Processors, *p)
	}
	slices.SortFunc(out.Processors, func(a, b dashboard.Processor) int {
		return cmp.Or(cmp.Compare(b.Failed, a.Failed), cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Adapter, b.Adapter))
	})
}

// loopNames are the background loops as people read them.
var loopNames = map[string]string{"resolve": "Questions about unknown outcomes", "authentications": "3-D Secure that no payer has finished", "expiry": "Payments that expire",
	"journal": "Removal of old records", "lists": "Preparation of the lists", "health": "Counts of connector accounts", "blocklist": "Files of blocked cards", "relays": "Questions about relays"}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Settings implements dashboard.System.
func (n systemOf) Settings() (out []dashboard.Setting) {
	c, standard := n.config, defaultConfig()
	fields, usual := fieldsOf(&c), fieldsOf(&standard)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		x := dashboard.Setting{Key: key, Value: shown(key, fields[key]), Default: shown(key, fields[key]) == shown(key, usual[key])}
		if _, isSecret := fields[key].Interface().(secret.Value); isSecret && key != "storage.dsn" {
			x.Default = true // the page does not show whether a secret was changed
		}
		out = append(out, x)
	}
	return out
}

package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// registry holds metric families and writes them in Prometheus' text format (version 0.0.4, "Exposition formats" of the Prometheus
// documentation). Families are added while the program starts; counting is safe for concurrent use.
type registry struct {
	families []*family
}

// family is one metric with its label names. A histogram has buckets; a gauge is read when asked for.
type family struct {
	name, help, kind string
	labels           []string
	buckets          []float64 // upper bounds, ascending, without +Inf
	read             func(emit func(v float64, labelValues ...string))

	mu     sync.RWMutex
	series map[string]*series
}

// series is a family's numbers under one set of label values.
type series struct {
	values []string
	counts []atomic.Uint64 // of a counter one; of a histogram one per bucket and one above
	sum    atomic.Uint64   // of what was observed, as float bits
}

// maxSeries bounds a family: label values are closed sets, and should one prove open, what is beyond counts as "other".
const maxSeries = 2000

func (r *registry) counter(name, help string, labels ...string) *family {
	return r.add(&family{name: name, help: help, kind: "counter", labels: labels})
}

func (r *registry) histogram(name, help string, buckets []float64, labels ...string) *family {
	return r.add(&family{name: name, help: help, kind: "histogram", labels: labels, buckets: buckets})
}

// read adds a metric whose values read gives out whenever somebody asks. Kind is gauge or counter.
func (r *registry) read(kind, name, help string, labels []string, read func(emit func(v float64, labelValues ...string))) {
	r.add(&family{name: name, help: help, kind: kind, labels: labels, read: read})
}

func (r *registry) add(f *family) *family {
	f.series = map[string]*series{}
	r.families = append(r.families, f)
	return f
}

// inc counts one. Label values stand in the order of the names.
func (f *family) inc(values ...string) { f.with(values).counts[0].Add(1) }

// observe adds v to a histogram.
func (f *family) observe(v float64, values ...string) {
	s := f.with(values)
	i, _ := slices.BinarySearch(f.buckets, v)
	s.counts[i].Add(1)
	for {
		old := s.sum.Load()
		if s.sum.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+v)) {
			return
		}
	}
}

func (f *family) with(values []string) *series {
	if len(values) != len(f.labels) {
		panic(fmt.Sprintf("metric %s has the labels %v and got %d values", f.name, f.labels, len(values)))
	}
	key := strings.Join(values, "\xff")
	f.mu.RLock()
	s := f.series[key]
	f.mu.RUnlock()
	if s != nil {
		return s
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.series) >= maxSeries {
		values = slices.Repeat([]string{"other"}, len(values))
		key = strings.Join(values, "\xff")
	}
	if s = f.series[key]; s == nil {
		s = &series{values: slices.Clone(values), counts: make([]atomic.Uint64, len(f.buckets)+1)}
		f.series[key] = s
	}
	return s
}

// ServeHTTP implements http.Handler.
func (r *registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	for _, f := range r.families {
		f.write(&b)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(b.Bytes())
}

func (f *family) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
	if f.read != nil {
		f.read(func(v float64, values ...string) { f.line(b, "", values, "", v) })
		return
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, key := range slices.Sorted(maps.Keys(f.series)) {
		s := f.series[key]
		if f.kind == "counter" {
			f.line(b, "", s.values, "", float64(s.counts[0].Load()))
			continue
		}
		var n uint64 // cumulative, so that the parts of one answer agree
		for i := range s.counts {
			n += s.counts[i].Load()
			bound := math.Inf(1)
			if i < len(f.buckets) {
				bound = f.buckets[i]
			}
			f.line(b, "_bucket", s.values, number(bound), float64(n))
		}
		f.line(b, "_sum", s.values, "", math.Float64frombits(s.sum.Load()))
		f.line(b, "_count", s.values, "", float64(n))
	}
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// line writes name_suffix{label="value",le="bound"} v.
func (f *family) line(b *bytes.Buffer, suffix string, values []string, bound string, v float64) {
	b.WriteString(f.name + suffix)
	var labels []string
	for i, name := range f.labels {
		labels = append(labels, name+`="`+labelEscapes.Replace(values[i])+`"`)
	}
	if bound != "" {
		labels = append(labels, `le="`+bound+`"`)
	}
	if len(labels) > 0 {
		b.WriteString("{" + strings.Join(labels, ",") + "}")
	}
	b.WriteString(" " + number(v) + "\n")
}

func number(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

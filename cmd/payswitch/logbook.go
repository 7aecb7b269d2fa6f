package main

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"payswitch/router/dashboard"
)

// Bounds of the log in memory.
const (
	logbookBytes = 8 << 20
	logbookValue = 500 // bytes of one value
)

// logbook keeps the latest lines of the log in memory, for the dashboard. It is safe for concurrent use. No secret gets into it: the types of secrets
// print nothing, here as on standard error.
type logbook struct {
	mu    sync.Mutex
	lines []dashboard.LogLine // oldest first
	seq   uint64
	bytes int
	kept  bool // a file has the requests too
}

// Kept implements dashboard.Logs.
func (b *logbook) Kept() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kept
}

// over returns a handler that passes lines to next and keeps them.
func (b *logbook) over(next slog.Handler) slog.Handler { return &bookHandler{Handler: next, book: b} }

func (b *logbook) add(l dashboard.LogLine, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	l.Seq, l.Size = b.seq, size
	b.bytes += size
	drop := 0
	for b.bytes > logbookBytes && drop < len(b.lines) {
		b.bytes -= b.lines[drop].Size
		drop++
	}
	b.lines = append(b.lines[drop:], l)
}

// Lines implements dashboard.Logs.
func (b *logbook) Lines(f dashboard.LogFilter) (out []dashboard.LogLine, since time.Time) {
	b.mu.Lock()
	list := b.lines[:len(b.lines):len(b.lines)] // lines never change
	b.mu.Unlock()
	if len(list) > 0 {
		since = list[0].At
	}
	for i := len(list) - 1; i >= 0 && len(out) < f.Limit; i-- {
		if (f.Before == 0 || list[i].Seq < f.Before) && f.Has(list[i]) {
			out = append(out, list[i])
		}
	}
	return out, since
}

// bookHandler is a handler that keeps lines before they are written.
type bookHandler struct {
	slog.Handler
	book  *logbook
	attrs []dashboard.LogAttr // of With
	group string
}

// Handle implements slog.Handler.
func (h *bookHandler) Handle(ctx context.Context, r slog.Record) error {
	l := dashboard.LogLine{At: r.Time, Level: r.Level.String(), Message: cutValue(r.Message), Attrs: make([]dashboard.LogAttr, len(h.attrs), len(h.attrs)+r.NumAttrs())}
	copy(l.Attrs, h.attrs)
	r.Attrs(func(a slog.Attr) bool { l.Attrs = flat(l.Attrs, h.group, a); return true })
	size := 200 + len(l.Message)
	for _, a := range l.Attrs {
		size += 32 + len(a.Name) + len(a.Value)
	}
	h.book.add(l, size)
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *bookHandler) WithAttrs(list []slog.Attr) slog.Handler {
	out := *h
	out.Handler, out.attrs = h.Handler.WithAttrs(list), h.attrs[:len(h.attrs):len(h.attrs)]
	for _, a := range list {
		out.attrs = flat(out.attrs, h.group, a)
	}
	return &out
}

// WithGroup implements slog.Handler.
func (h *bookHandler) WithGroup(name string) slog.Handler {
	out := *h
	out.Handler, out.group = h.Handler.WithGroup(name), h.group+name+"."
	return &out
}

// flat appends an attribute, or those of its group.
func flat(to []dashboard.LogAttr, group string, a slog.Attr) []dashboard.LogAttr {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		if a.Key != "" {
			group += a.Key + "."
		}
		for _, x := range v.Group() {
			to = flat(to, group, x)
		}
		return to
	}
	if a.Equal(slog.Attr{}) {
		return to
	}
	text := v.String()
	if v.Kind() == slog.KindDuration {
		text = v.Duration().Round(time.Microsecond).String()
	}
	return append(to, dashboard.LogAttr{Name: group + a.Key, Value: cutValue(text)})
}

// cutValue bounds a text. A cut text is still valid UTF-8, and a copy keeps no long text alive.
func cutValue(s string) string {
	if len(s) <= logbookValue {
		return s
	}
	end := logbookValue
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.Clone(s[:end]) + "…"
}

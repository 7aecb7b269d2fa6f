package main

import (
	"context"
	"io"
	"log/slog"
	"time"

	"payswitch/router"
)

// Attribute keys of the program's own log lines.
const (
	keyAddress   = "address"
	keyComponent = "component"
	keyDatabase  = "database"
	keyFile      = "file"
	keyLoaded    = "adapters"
	keyTimeout   = "timeout"
	keyTook      = "took"
	keyVersion   = "version"
	keyWarning   = "warning"
)

// newLogger writes to w in the configured form. Durations are written as text ("1.5s"): JSON would have nanoseconds.
func newLogger(w io.Writer, c LogConfig) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		level = slog.LevelInfo // Validate refuses other levels before
	}
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration {
			a.Value = slog.StringValue(a.Value.Duration().Round(time.Microsecond).String())
		}
		return a
	}}
	if c.Format == "text" {
		return slog.New(withRequestID{slog.NewTextHandler(w, o)})
	}
	return slog.New(withRequestID{slog.NewJSONHandler(w, o)})
}

// withRequestID adds the id of the request to the lines of all parts that belong to one.
type withRequestID struct{ slog.Handler }

const keyRequestID = "request_id"

// Handle implements slog.Handler.
func (h withRequestID) Handle(ctx context.Context, r slog.Record) error {
	if id := router.RequestID(ctx); id != "" {
		has := false
		r.Attrs(func(a slog.Attr) bool { has = a.Key == keyRequestID; return !has })
		if !has {
			r = r.Clone()
			r.AddAttrs(slog.String(keyRequestID, id))
		}
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h withRequestID) WithAttrs(a []slog.Attr) slog.Handler {
	return withRequestID{h.Handler.WithAttrs(a)}
}

// WithGroup implements slog.Handler.
func (h withRequestID) WithGroup(name string) slog.Handler {
	return withRequestID{h.Handler.WithGroup(name)}
}

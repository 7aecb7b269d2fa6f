package main

import (
	"io"
	"log/slog"
	"time"
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
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

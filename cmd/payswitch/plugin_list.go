package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"text/tabwriter"

	"payswitch/engine"
	"payswitch/plugins"
)

// pluginList lists the adapters that a switch with this configuration loads. Files that do not load are told on standard error.
func (p *program) pluginList(ctx context.Context, args []string) (err error) {
	c, err := p.parseConfig(p.flags("plugin list"), args)
	if err != nil {
		return err
	}
	o := hostOptions(c)
	if _, err := os.Stat(o.CacheDir); err != nil { // only a switch makes its cache: it belongs to the user it runs as
		o.CacheDir = ""
	}
	o.Logger = slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	h, err := plugins.New(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
	all := h.Adapters()
	if len(all) == 0 {
		fmt.Fprintln(p.stdout, "no adapters: none is built in, and plugins.directory holds none")
		return nil
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CONNECTOR\tVERSION\tFROM\tSHA256")
	for _, a := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", a.Connector, a.Manifest.Version, origin(a), a.Hash)
	}
	return w.Flush()
}

// origin says where an adapter comes from.
func origin(a engine.AdapterInfo) string {
	switch {
	case a.Simulated:
		return "simulated"
	case a.BuiltIn:
		return "built in"
	}
	return "directory"
}

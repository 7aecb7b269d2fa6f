package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// pluginCompile compiles adapters into the switch's cache directory. Run with the new program before an upgrade, it spares the switch that starts
// the compilation, while the old program still serves.
func (p *program) pluginCompile(ctx context.Context, args []string) (err error) {
	names, c, err := p.operandsAndConfig(p.flags("plugin compile [NAME…]"), args, 1000)
	if err != nil {
		return err
	}
	if folder := c.cacheDirectory(); !isMine(folder) {
		return fmt.Errorf("%s is missing, or belongs to another user: run this command as the switch's user, once the switch has made its cache directory", folder)
	}
	h, err := p.openHost(ctx, c, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
	if len(names) == 0 {
		for _, a := range h.Adapters() {
			names = append(names, a.Connector)
		}
	}
	for _, name := range names {
		began := time.Now()
		if err := h.Prepare(ctx, []string{name}); err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "%s is ready (%s)\n", name, time.Since(began).Round(time.Millisecond))
	}
	return nil
}

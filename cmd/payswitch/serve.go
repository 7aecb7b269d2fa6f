package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
)

// serve runs the switch until SIGTERM or SIGINT, then drains. A second signal ends the switch at once; the next start resolves the
// operations in flight, as after any crash.
func (p *program) serve(ctx context.Context, args []string) error {
	keeper, opened := keeperOf(p.env), false
	c, err := p.parseConfig(p.flags("serve"), args)
	defer func() {
		if !opened {
			keeper.giveUp(c.Server.Listen)
		}
	}()
	if err != nil {
		return err
	}
	if c.Vault.current().isZero() {
		return missingMasterKey(ctx, c)
	}
	c.keeper = keeper
	p.tune()
	ctx, stop := untilSignal(ctx)
	defer stop()

	lines := openLogLines(p.stderr, c.Log)
	defer lines.close()
	log := newLogger(lines, c.Log)
	for _, w := range c.warnings() {
		log.Warn("configuration", keyWarning, w)
	}
	began := time.Now()
	n, err := openNode(ctx, c, false, log)
	if err != nil {
		return err
	}
	opened = true
	n.metrics.log.Store(lines)
	b := readBuild()
	log.Info("started", keyVersion, b.version, keyAddress, n.url(), keyDatabase, shownDSN(c.Storage.DSN), keyLoaded, n.adapterNames(), keyTook, time.Since(began))
	if err := n.firstLink(ctx, p.stdout); err != nil {
		return errors.Join(err, n.close())
	}
	fmt.Fprintln(p.stdout, "payswitch is listening on", n.url())
	defer ignoreHangUps(log)()
	err = errors.Join(n.run(ctx), n.close())
	if err == nil {
		log.Info("stopped")
	}
	return err
}

// ignoreHangUps makes SIGHUP write a line to the log, until the returned function is called. Without it, a closed terminal or a rotation of logs would end the
// switch at once, without draining.
func ignoreHangUps(log *slog.Logger) (stop func()) {
	came := make(chan os.Signal, 1)
	signal.Notify(came, syscall.SIGHUP)
	go func() {
		for range came {
			log.Warn("SIGHUP changes nothing: to read the configuration again, restart the switch")
		}
	}()
	return func() { signal.Stop(came); close(came) }
}

// tune sets the Go runtime's parameters that the operator has left alone. By default Go collects a heap of a few megabytes far too often:
// GOGC=200 saves CPU, and the heap stays small. With GOMAXPROCS=1 a commit that waits for the disk would hold up all other work.
func (p *program) tune() {
	if !slices.ContainsFunc(p.env, func(e string) bool { return strings.HasPrefix(e, "GOGC=") }) {
		debug.SetGCPercent(200)
	}
	if runtime.GOMAXPROCS(0) == 1 {
		runtime.GOMAXPROCS(2)
	}
}

// untilSignal ends the context at the first SIGTERM or SIGINT. When the context has ended, another signal ends the process.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	came := make(chan os.Signal, 1)
	signal.Notify(came, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		select {
		case <-came:
		case <-ctx.Done():
		}
		signal.Stop(came) // before the context ends: who sees its end may count on the next signal
		cancel()
	}()
	return ctx, cancel
}

func (n *node) adapterNames() []string {
	var names []string
	for _, a := range n.host.Adapters() {
		names = append(names, a.Name)
	}
	return names
}

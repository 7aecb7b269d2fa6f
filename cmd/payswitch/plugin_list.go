package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"aead.dev/minisign"

	"payswitch/engine/port"
	"payswitch/plugins"
)

// pluginList lists the adapters that a switch with this configuration loads. It logs files that do not load to standard error.
func (p *program) pluginList(ctx context.Context, args []string) error {
	c, err := p.parseConfig(p.flags("plugin list"), args)
	if err != nil {
		return err
	}
	trusted, err := trustedKeys(c.Plugins.TrustedKeys, nil)
	if err != nil {
		return err
	}
	return p.withShared(ctx, c, func(ctx context.Context, s *sharedAdapters) error { return p.listAdapters(ctx, c, s, trusted) })
}

func (p *program) listAdapters(ctx context.Context, c Config, s *sharedAdapters, trusted []minisign.PublicKey) (err error) {
	h, err := p.openHost(ctx, c, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
	all := h.Adapters()
	if len(all) == 0 {
		fmt.Fprintln(p.stdout, "no adapters: none is built in, and none is installed")
		return nil
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CONNECTOR\tVERSION\tFROM\tPINNED\tSHA256")
	for _, a := range all {
		file, pin := h.File(a.Connector)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", a.Connector, a.Manifest.Version, origin(a, file), pinned(a, file, pin, trusted), a.Hash)
	}
	return w.Flush()
}

// origin names the place that an adapter comes from. file is its file in the directory, "" for none.
func origin(a port.AdapterInfo, file string) string {
	switch {
	case a.Simulated:
		return "simulated"
	case a.BuiltIn:
		return "built in"
	case file == "":
		return "database"
	}
	return "directory"
}

// pinned describes the pin of an installed adapter, and its signature.
func pinned(a port.AdapterInfo, file string, pin *plugins.Pin, trusted []minisign.PublicKey) string {
	if a.Simulated || a.BuiltIn {
		return "-"
	}
	if pin == nil {
		return "no"
	}
	key, err := pin.Verify(trusted)
	switch {
	case err == nil:
		return "signed by " + plugins.KeyID(key.ID())
	case errors.Is(err, plugins.ErrUnsigned):
		return "unsigned"
	case errors.Is(err, plugins.ErrUntrusted):
		return "signed, key not in plugins.trusted_keys"
	}
	return "signature is not good"
}

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
func (p *program) pluginList(ctx context.Context, args []string) (err error) {
	c, err := p.parseConfig(p.flags("plugin list"), args)
	if err != nil {
		return err
	}
	trusted, err := trustedKeys(c.Plugins.TrustedKeys, nil)
	if err != nil {
		return err
	}
	h, err := p.openHost(ctx, c)
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
	fmt.Fprintln(w, "CONNECTOR\tVERSION\tFROM\tPINNED\tSHA256")
	for _, a := range all {
		_, pin := h.File(a.Connector)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", a.Connector, a.Manifest.Version, origin(a), pinned(a, pin, trusted), a.Hash)
	}
	return w.Flush()
}

// origin names the place that an adapter comes from.
func origin(a port.AdapterInfo) string {
	switch {
	case a.Simulated:
		return "simulated"
	case a.BuiltIn:
		return "built in"
	}
	return "directory"
}

// pinned describes the pin of an adapter of the directory, and its signature.
func pinned(a port.AdapterInfo, pin *plugins.Pin, trusted []minisign.PublicKey) string {
	if origin(a) != "directory" {
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
		return "signed, key not trusted"
	}
	return "signature is not good"
}

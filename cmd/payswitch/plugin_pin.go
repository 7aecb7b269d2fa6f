package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"payswitch/engine/port"
	"payswitch/engine/vault"
	"payswitch/storage"
)

// pluginHistory lists the kept bundles of an adapter, or of all.
func (p *program) pluginHistory(ctx context.Context, args []string) error {
	given, c, err := p.operandsAndConfig(p.flags("plugin history [NAME]"), args, 1)
	if err != nil {
		return err
	}
	name := ""
	if len(given) > 0 {
		name = given[0]
	}
	return p.openStore(ctx, c, func(ctx context.Context, _ Config, db *storage.DB, _ *vault.Vault) error {
		list, err := db.Bundles(ctx, name)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			fmt.Fprintln(p.stdout, "no bundle is kept: the dashboard, the admin API and, on PostgreSQL, `payswitch plugin install` keep those that they install")
			return nil
		}
		w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ADAPTER\tVERSION\tINSTALLED\tBY\tGIVEN BY\tBUNDLE")
		for _, b := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", b.Name, b.Version, shownTime(b.InstalledAt), b.InstalledBy, b.GivenBy, b.SHA256)
		}
		return w.Flush()
	})
}

// pluginPin installs a kept bundle, named by a hash from `payswitch plugin history`.
func (p *program) pluginPin(ctx context.Context, args []string) error {
	f := p.flags("plugin pin SHA256")
	older := f.Bool("allow-older", false, "replace an installed version by an older one")
	builtIn := f.Bool("replace-builtin", false, "replace the built-in adapter of the bundle's name; plugin remove brings that one back")
	yes := f.Bool("yes", false, "approve without a question, for scripts; allows neither an older version nor the replacement of a built-in adapter")
	sum, c, err := p.operandAndConfig(f, args, "the hash of a bundle, as `payswitch plugin history` shows it")
	if err != nil {
		return err
	}
	return p.openStore(ctx, c, func(ctx context.Context, c Config, db *storage.DB, _ *vault.Vault) (err error) {
		h, err := p.openHost(ctx, c, shared(c, db))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
		kept := newBundles(c, db, h)
		v, err := kept.Bundle(ctx, sum)
		if err != nil {
			return err
		}
		if v.BuiltIn && !*builtIn {
			return builtInKept(v.Name)
		}
		inspection{v.Module, v.Size, v.Manifest}.print(p.stdout)
		fmt.Fprintf(p.stdout, "%-16s%s\n%-16s%s\n", "signature", "by key "+v.Signer, "replaces", v.Replaces)
		if v.Further != "" {
			fmt.Fprintf(p.stdout, "%-16s%s\n", "reaches further", printable(v.Further))
		}
		if !*yes {
			if err := p.ask("\nInstall it, and let it send to these hosts and place these secrets there?"); err != nil {
				return err
			}
		}
		if v, err = kept.Install(ctx, sum, theHost, port.Replacing{Older: *older, BuiltIn: *builtIn}); err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "%s %s is installed. A running switch takes it up within seconds; operations under way end with the build they began with.\n", v.Name, v.Version)
		return nil
	})
}

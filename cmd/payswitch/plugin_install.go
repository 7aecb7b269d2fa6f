package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"aead.dev/minisign"
	"golang.org/x/mod/semver"

	"payswitch/engine"
	"payswitch/engine/approval"
	"payswitch/engine/port"
	"payswitch/engine/vault"
	"payswitch/plugins"
	"payswitch/plugins/sandbox"
	"payswitch/sdk"
	"payswitch/storage"
)

// pluginInstall verifies a bundle, shows it, asks for approval, and installs it with a pin. A running switch then loads it by itself.
func (p *program) pluginInstall(ctx context.Context, args []string) error {
	f := p.flags("plugin install FILE.bundle")
	var keys []string
	f.Func("key", "trust this minisign public `key` (its text, or a file) besides plugins.trusted_keys; may stand again", func(s string) error {
		keys = append(keys, s)
		return nil
	})
	unsigned := f.Bool("allow-unsigned", false, "install an unsigned bundle, after checking it again")
	older := f.Bool("allow-older", false, "replace an installed version by an older one")
	builtIn := f.Bool("replace-builtin", false, "replace the built-in adapter of the bundle's name; plugin remove brings that one back")
	yes := f.Bool("yes", false, "approve without a question, for scripts; allows neither an older version nor the replacement of a built-in adapter")
	path, c, err := p.operandAndConfig(f, args, "a bundle, as: payswitch plugin install acme-0.1.0.bundle")
	if err != nil {
		return err
	}
	if c.Plugins.Directory == "" && !c.sharesAdapters() {
		return errors.New("plugins.directory is not set: name the folder that holds the switch's adapters")
	}
	trusted, err := trustedKeys(c.Plugins.TrustedKeys, keys)
	if err != nil {
		return err
	}
	if c.Plugins.SignedOnly && (*unsigned || len(keys) > 0) {
		return errors.New("plugins.signed_only is set: the switch would not load what only --allow-unsigned or --key lets in; add the key to plugins.trusted_keys")
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() > plugins.MaxBundle {
		return fmt.Errorf("%s: a bundle of more than %d MiB", path, plugins.MaxBundle>>20)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	b, err := plugins.ReadBundle(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	manifest, signer, err := examine(ctx, c, b, trusted, *unsigned, p.stdout)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	approved := approvals{Replacing: port.Replacing{Older: *older, BuiltIn: *builtIn}, yes: *yes}
	return p.withShared(ctx, c, func(ctx context.Context, s *sharedAdapters) error {
		return p.installBundle(ctx, c, s, path, b, manifest, signer, approved)
	})
}

// approvals are what the operator has approved beforehand.
type approvals struct {
	port.Replacing
	yes bool
}

// replacesBuiltIn says that a bundle has the name of a built-in adapter.
func replacesBuiltIn(name string) string {
	return name + " is a built-in adapter, and the bundle would replace it for every account at " + name
}

// installBundle shows a verified bundle, asks, and installs it into the adapters directory, or into the database where s is not nil.
func (p *program) installBundle(ctx context.Context, c Config, s *sharedAdapters, path string, b *plugins.Bundle, manifest *sdk.Manifest, signer string, approved approvals) error {
	now, err := p.installed(ctx, c, s, manifest)
	switch {
	case err != nil:
		return err
	case now.newer && !approved.Older:
		return fmt.Errorf("%s is version %s, and %s is installed: an old bundle stays signed, even if a fault was found in it since. Pass --allow-older to install it",
			path, manifest.Version, now.text)
	case now.builtIn && !approved.BuiltIn:
		return builtInKept(manifest.Name)
	}
	inspection{b.Hash(), len(b.Module), manifest}.print(p.stdout)
	fmt.Fprintf(p.stdout, "%-16s%s\n%-16s%s\n", "signature", signer, "replaces", now.text)
	if !now.further.IsEmpty() {
		fmt.Fprintf(p.stdout, "%-16s%s\n%-16saccounts that exist take no payments with it until each is approved: POST /account/…/connectors/…/approval\n",
			"reaches further", printable(now.further.String()), "")
	}
	if !approved.yes {
		if err := p.ask("\nInstall it, and let it send to these hosts and place these secrets there?"); err != nil {
			return err
		}
	}
	if s != nil {
		err = s.install(ctx, b, manifest.Name, manifest.Version)
	} else {
		err = b.Install(c.Plugins.Directory, manifest.Name, manifest.Version, time.Now())
	}
	if err != nil {
		return fmt.Errorf("install %s: %w", manifest.Name, err)
	}
	fmt.Fprintf(p.stdout, "%s %s is installed. A running switch takes it up within seconds; operations under way end with the build they began with.\n",
		manifest.Name, manifest.Version)
	return nil
}

// builtInKept refuses a bundle that has the name of a built-in adapter, and names the remedy.
func builtInKept(name string) error {
	return errors.New(replacesBuiltIn(name) + ". Give the adapter another name, or pass --replace-builtin")
}

// operandAndConfig parses the flags of a command that takes one argument and needs configuration.
func (p *program) operandAndConfig(f *flag.FlagSet, args []string, what string) (string, Config, error) {
	given, c, err := p.operandsAndConfig(f, args, 1)
	if err == nil && len(given) == 0 {
		err = usageError{fmt.Sprintf("%s needs %s", f.Name(), what)}
	}
	if err != nil {
		return "", Config{}, err
	}
	return given[0], c, nil
}

// trustedKeys returns the keys of the configuration and of the flag --key: each is a key's text, or a file with it.
func trustedKeys(configured, given []string) (all []minisign.PublicKey, err error) {
	for _, text := range configured {
		k, err := plugins.ParsePublicKey(text)
		if err != nil {
			return nil, fmt.Errorf("plugins.trusted_keys: %q: %w", text, err)
		}
		all = append(all, k)
	}
	for _, text := range given {
		k, err := plugins.ParsePublicKey(text)
		if err != nil {
			content, readErr := os.ReadFile(text)
			if readErr != nil {
				return nil, fmt.Errorf("--key: %q is neither a minisign public key nor a file that holds one", text)
			}
			if k, err = plugins.ParsePublicKey(string(content)); err != nil {
				return nil, fmt.Errorf("--key: %s: %w", text, err)
			}
		}
		all = append(all, k)
	}
	return all, nil
}

// examine verifies a bundle: its signature, that the certificate belongs to the module, that the module runs here, and that its manifest
// equals the bundle's. It certifies an unsigned bundle anew, and prints what is wrong with it to out.
func examine(ctx context.Context, c Config, b *plugins.Bundle, trusted []minisign.PublicKey, unsigned bool, out io.Writer) (*sdk.Manifest, string, error) {
	var certificate checkReport
	if err := json.Unmarshal(b.Certificate, &certificate); err != nil {
		return nil, "", fmt.Errorf("the bundle's certificate cannot be read: %w", err)
	}
	key, err := b.Verify(trusted, certificate.Name, certificate.Version)
	signer := "by key " + plugins.KeyID(key.ID()) + ", which is trusted"
	switch {
	case errors.Is(err, plugins.ErrUnsigned) && unsigned:
		signer = "none: the bundle is not signed"
	case errors.Is(err, plugins.ErrUnsigned):
		return nil, "", fmt.Errorf("%w: ask its author for a signed bundle, or install it with --allow-unsigned", err)
	case errors.Is(err, plugins.ErrUntrusted):
		return nil, "", fmt.Errorf("%w: add its author's public key to plugins.trusted_keys, or name it with --key", err)
	case err != nil:
		return nil, "", err
	}
	if certificate.SHA256 != b.Hash() || !certificate.Passed {
		return nil, "", fmt.Errorf("the certificate belongs to another module: it is for sha256 %.64q, passed: %v; the module is %s", certificate.SHA256, certificate.Passed, b.Hash())
	}
	m, err := loadModule(ctx, b.Module, switchSandbox(c))
	if err != nil {
		return nil, "", err
	}
	defer m.Close()
	if err := plugins.CheckManifest(m.manifest); err != nil {
		return nil, "", fmt.Errorf("the manifest is not acceptable:\n%w", err)
	}
	said, err := document(m.manifest)
	if err != nil {
		return nil, "", err
	}
	if !bytes.Equal(said, b.Manifest) || m.manifest.Name != certificate.Name || m.manifest.Version != certificate.Version {
		return nil, "", errors.New("the manifest of the module differs from the bundle's: bundle the adapter again with this version of payswitch")
	}
	if len(b.Signature) == 0 {
		report, err := m.certify(ctx, b.Module, "", "") // a bundle has no cases
		if err != nil {
			return nil, "", err
		}
		if !report.Passed {
			report.print(out)
			return nil, "", fmt.Errorf("it does not pass the check: %s", report.summary())
		}
	}
	return m.manifest, signer, nil
}

// switchSandbox returns the sandbox options of a switch with this configuration. It uses the switch's cache directory if that exists.
func switchSandbox(c Config) sandbox.Options {
	o := hostOptions(c)
	so := sandbox.Options{Limits: o.Sandbox, Compiler: o.Compiler, Unoptimised: o.Unoptimised}
	if compiled := filepath.Join(o.CacheDir, "compiled"); isMine(compiled) {
		so.CacheDir = compiled
	}
	return so
}

// isMine reports whether a folder exists and belongs to the user of this command. Running other users' compiled code would be unsafe.
func isMine(folder string) bool {
	info, err := os.Stat(folder)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// installation is the adapter of a name that a switch loads now, compared with a manifest of that name.
type installation struct {
	text    string         // the adapter in words
	further approval.Reach // what the manifest asks for beyond it
	newer   bool           // its version is newer than the manifest's
	builtIn bool           // it is built in; versions of built-in adapters do not compare with those of bundles
}

// installed compares a manifest with the adapter of its name that a switch with this configuration loads. Another file with that adapter is an
// error.
func (p *program) installed(ctx context.Context, c Config, s *sharedAdapters, m *sdk.Manifest) (now installation, err error) {
	h, err := p.openHost(ctx, c, s)
	if err != nil {
		return now, err
	}
	defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
	return compared(h, c, m)
}

// compared does the work of installed with a host that is open already.
func compared(h *plugins.Host, c Config, m *sdk.Manifest) (installation, error) {
	info, loaded := h.Adapter(m.Name)
	if !loaded || info.Simulated {
		return installation{text: "nothing"}, nil
	}
	now := installation{text: m.Name + " " + info.Manifest.Version + ", sha256 " + info.Hash, further: approval.ReachOf(m).Beyond(approval.ReachOf(info.Manifest))}
	file, pin := h.File(m.Name)
	switch {
	case file == "" && pin == nil:
		now.text, now.builtIn = now.text+", THE BUILT-IN ONE", true
		return now, nil
	case c.sharesAdapters() && file != "":
		return now, fmt.Errorf("%s in %s is an adapter called %s too, and this node would go on with it: remove that file first", file, c.Plugins.Directory, m.Name)
	case !c.sharesAdapters() && file != m.Name+".wasm":
		return now, fmt.Errorf("%s in %s is also an adapter called %s: remove that file first", file, c.Plugins.Directory, m.Name)
	case pin == nil:
		now.text += ", not pinned"
	}
	now.newer = semver.Compare("v"+m.Version, "v"+info.Manifest.Version) < 0
	return now, nil
}

// openHost opens a host as a switch with this configuration does. It makes no cache directory, which must belong to the switch's user. The
// host logs adapters that do not load to standard error.
func (p *program) openHost(ctx context.Context, c Config, s *sharedAdapters) (*plugins.Host, error) {
	o := hostOptions(c)
	if s != nil {
		o.Shared = *s
	}
	o.LoadWait = compileTime
	if c.simulates3DS() {
		o.Simulator3DS = http.NotFoundHandler() // commands ask which adapter an account has, and send nothing
	}
	if !isMine(o.CacheDir) {
		o.CacheDir = ""
	}
	o.Logger = slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return plugins.New(ctx, o)
}

// ask asks a question and reads the answer from standard input.
func (p *program) ask(question string) error {
	fmt.Fprint(p.stdout, question+" [y/N] ")
	answer, err := bufio.NewReader(p.stdin).ReadString('\n')
	fmt.Fprintln(p.stdout)
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	if err != nil {
		return errors.New("not approved: payswitch changed nothing. Answer y, or pass --yes in a script")
	}
	return errors.New("not approved: payswitch changed nothing")
}

// pluginRemove removes an installed adapter. It refuses while accounts use the adapter, unless forced: captures and refunds of their payments
// need it.
func (p *program) pluginRemove(ctx context.Context, args []string) error {
	f := p.flags("plugin remove NAME")
	force := f.Bool("force", false, "remove the adapter although connector accounts use it")
	yes := f.Bool("yes", false, "remove without a question, for scripts")
	name, c, err := p.operandAndConfig(f, args, "an adapter's name, as: payswitch plugin remove acme")
	if err != nil {
		return err
	}
	if !pluginName.MatchString(name) {
		return usageError{fmt.Sprintf("%q is no adapter name", name)}
	}
	if c.sharesAdapters() {
		return p.withShared(ctx, c, func(ctx context.Context, s *sharedAdapters) error {
			return p.removeShared(ctx, c, s, name, *force, *yes)
		})
	}
	path := filepath.Join(c.Plugins.Directory, name+".wasm")
	if c.Plugins.Directory == "" || !exists(path) {
		return fmt.Errorf("no adapter %s is installed in plugins.directory (%q): payswitch plugin list shows the installed ones", name, c.Plugins.Directory)
	}
	if err := p.mayRemove(ctx, c, name, path, *force, *yes); err != nil {
		return err
	}
	if err := plugins.Remove(c.Plugins.Directory, name); err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	fmt.Fprintf(p.stdout, removedAdapter, name)
	return nil
}

const removedAdapter = "%s is removed. A running switch lets go of it within seconds; operations under way end with it.\n"

// removeShared removes an adapter from the database.
func (p *program) removeShared(ctx context.Context, c Config, s *sharedAdapters, name string, force, yes bool) error {
	list, err := s.db.Adapters(ctx)
	if err != nil && !errors.Is(err, vault.ErrAltered) { // an altered adapter can be removed
		return err
	}
	if err == nil && !slices.ContainsFunc(list, func(a storage.Adapter) bool { return a.Name == name }) {
		return fmt.Errorf("no adapter %s is installed in the database: payswitch plugin list shows the installed ones", name)
	}
	if err := p.mayRemove(ctx, c, name, name+" from the database", force, yes); err != nil {
		return err
	}
	if err := s.db.DeleteAdapter(ctx, name); err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	fmt.Fprintf(p.stdout, removedAdapter, name)
	return nil
}

// mayRemove refuses to remove an adapter that accounts use, unless forced, and asks.
func (p *program) mayRemove(ctx context.Context, c Config, name, what string, force, yes bool) error {
	used, err := accountsAt(ctx, c, name)
	if err != nil && !force {
		return fmt.Errorf("payswitch could not find out whether accounts use %s, and keeps the adapter (--force removes it): %w", name, err)
	}
	if used > 0 && !force {
		return fmt.Errorf("%d connector accounts use %s: without it their payments can be neither captured nor refunded. Delete the accounts first, or pass --force", used, name)
	}
	if yes {
		return nil
	}
	return p.ask(fmt.Sprintf("Remove %s (%d connector accounts use it)?", what, used))
}

// accountsAt counts the connector accounts of a connector. It returns 0 while there is no database.
func accountsAt(ctx context.Context, c Config, connector string) (n int, err error) {
	dsn := c.Storage.DSN.Reveal()
	if file, ok := strings.CutPrefix(dsn, "sqlite:"); ok && !exists(file) {
		return 0, nil
	}
	db, err := storage.Open(ctx, dsn, storage.Options{Postgres: c.Storage.Postgres.options()})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.View(ctx, func(r engine.Reader) error { n, err = r.AccountsAt(connector); return err })
	return n, err
}

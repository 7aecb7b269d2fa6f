package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/approval"
	"payswitch/engine/drive"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// pluginDev runs a demo switch with the adapter of a project under development. It builds the project again when a file is saved.
func (p *program) pluginDev(ctx context.Context, args []string) error {
	f := p.flags("plugin dev [DIR]")
	base := f.String("base-url", "", "send the account's requests to this `URL`: a sandbox, or a program on this machine; without the flag, to the\n"+
		"recorded answers of the project's cases, as plugin mock serves them")
	listen := f.String("listen", "127.0.0.1:0", "listen on this `host:port`; port 0 takes a free one")
	given, err := operands(f, args, 1)
	if err != nil {
		return err
	}
	dev := &developing{p: p, dir: ".", baseURL: *base}
	if len(given) == 1 {
		dev.dir = given[0]
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	data, err := os.MkdirTemp("", "payswitch-dev-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	dev.directory = filepath.Join(data, "adapters")
	if err := os.Mkdir(dev.directory, 0o700); err != nil {
		return err
	}
	if err := dev.build(ctx); err != nil {
		return err
	}
	return dev.run(ctx, data, *listen)
}

// developing is a run of plugin dev.
type developing struct {
	p         *program
	dir       string // of the project
	directory string // plugins.directory of the switch
	baseURL   string
	manifest  *sdk.Manifest
	hash      string         // of the build that was made last
	seen      time.Time      // when the last build began
	latest    time.Time      // the latest change of a file at the last look
	problem   string         // why the last build failed, "" if it did not
	shown     map[int64]bool // sequence numbers of the journal's records
	node      *node
	auth      account.Auth
	accountID string
	loaded    atomic.Value // hash of the build that the account uses, a string
	tests     tested
	choice    string // how to choose the mock's answers, "" without a mock
	mock      *mockProcessor
	cases     time.Time // the latest change of the cases that the mock and the tests have read
}

// build builds the project into the switch's folder of adapters.
func (d *developing) build(ctx context.Context) error {
	d.seen = time.Now()
	made := filepath.Join(filepath.Dir(d.directory), "built.wasm")
	if err := d.p.compilePlugin(ctx, d.dir, made, true); err != nil {
		return err
	}
	wasm, err := os.ReadFile(made)
	if err != nil {
		return err
	}
	if d.manifest == nil { // later the switch reads the manifest: compiling the module twice would take seconds
		if d.manifest, err = manifestOf(ctx, wasm); err != nil {
			return fmt.Errorf("the project compiles, but is not an adapter: %w", err)
		}
	}
	d.hash = moduleHash(wasm)
	return os.Rename(made, filepath.Join(d.directory, d.manifest.Name+".wasm"))
}

// config returns the configuration of the switch: that of a demo, with a database of its own.
func (d *developing) config(data, listen, adminKey string) (Config, error) {
	defaults := defaultConfig()
	defaults.Log.Format, defaults.Log.Level = "text", "warn"
	c, err := loadConfig(defaults, "", false, d.p.env)
	if err != nil {
		return c, err
	}
	c.Server.Listen, c.Dashboard.Listen, c.Metrics.Listen = listen, "", ""
	c.Storage.DSN = secret.New("sqlite:" + filepath.Join(data, "dev.db"))
	c.Plugins.Directory, c.Plugins.AllowLoopback, c.Plugins.AllowPrivate = d.directory, true, true
	c.Plugins.Optimise, c.Plugins.developing = false, true // a build is live sooner
	c.Vault.MasterKey, c.Admin.APIKey = secret.New(demoMasterKey), secret.New(adminKey)
	return c, c.Validate()
}

// run runs the switch until the context ends.
func (d *developing) run(ctx context.Context, data, listen string) (err error) {
	keys, err := readDemoKeys(filepath.Join(data, "keys.json"))
	if err != nil {
		return err
	}
	c, err := d.config(data, listen, keys.Admin)
	if err != nil {
		return err
	}
	work, end := context.WithCancel(ctx)
	defer end()
	if d.baseURL == "" {
		mock, err := loadMock(d.dir)
		if err != nil {
			return fmt.Errorf("without --base-url the cases answer: %w", err)
		}
		d.mock = mock
		mock.log = func(text string) { fmt.Fprintln(d.p.stdout, "mock: "+text) }
		base, serve, err := mock.listen("127.0.0.1:0")
		if err != nil {
			return err
		}
		d.baseURL, d.choice = base, "\nmock: "+mock.choice()
		go func() { _ = serve(work) }()
	}
	if d.node, err = openNode(ctx, c, true, newLogger(d.p.stderr, c.Log)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.node.close()) }()
	m, err := d.node.furnish(ctx, keys)
	if err != nil {
		return err
	}
	d.auth = account.Auth{MerchantID: m.ID}
	if _, ok := d.node.host.Adapter(d.manifest.Name); !ok {
		return errors.New("the switch has not loaded the build: its log, above, says why. If it names the time, try again when the machine is less busy")
	}
	// A payment that the adapter cannot take must fail with the reason, and not go on to the simulator.
	if _, err := d.node.engine.UpdateProfile(ctx, d.auth, m.DefaultProfile, account.ProfileInput{Fields: account.Fields{
		"is_strict_routing_enabled": json.RawMessage(`true`)}}); err != nil {
		return fmt.Errorf("restrict the routing to the adapter: %w", err)
	}
	if err := d.makeAccount(ctx); err != nil {
		return fmt.Errorf("make the adapter's account: %w", err)
	}
	d.shown = map[int64]bool{}
	fmt.Fprintf(d.p.stdout, "%s %s runs at %s; its requests go to %s. Save a file to build it again.%s\n%s\n%s\n", d.manifest.Name, d.manifest.Version,
		d.node.url(), d.baseURL, d.choice, d.webhookText(m.ID), d.curl(keys.API))
	watched := make(chan struct{})
	go func() { defer close(watched); d.watch(work) }()
	err = d.node.run(ctx)
	end()
	<-watched
	return err
}

// makeAccount makes the merchant's account at the adapter, with the credentials of the cases, and approves the build for it.
func (d *developing) makeAccount(ctx context.Context) error {
	settings := &wire.Requests{BaseURL: d.baseURL}
	if fsys, _, err := casesOf(filepath.Join(d.dir, "testdata"), "", d.manifest.Name); err == nil {
		if requests, _, err := wire.Load(fsys, d.manifest.Name); err == nil {
			settings.Credentials = requests.Credentials
		}
	}
	given := wire.Account(d.manifest, settings)
	details, hidden, metadata := map[string]string{}, map[string]string{}, map[string]string{}
	for _, f := range d.manifest.Credentials {
		value := cmp.Or(given.Credentials[f.Name], "dev_"+f.Name)
		if key := approval.FieldKey(f); strings.Contains(key, "webhook") || key == "merchant_secret" {
			hidden["merchant_secret"] = value
		} else {
			details[key] = value
		}
	}
	details["auth_type"] = authType(details)
	for _, f := range d.manifest.Config {
		if value := cmp.Or(given.Config[f.Name], f.Default); value != "" {
			metadata[approval.FieldKey(f)] = value
		}
	}
	text, err := json.Marshal(details)
	if err != nil {
		return err
	}
	in := account.AccountInput{Type: "payment_processor", Connector: d.manifest.Name, Credentials: secret.New(string(text)), TestMode: new(true), PaymentMethods: demoMethods}
	if len(metadata) > 0 {
		if in.Metadata, err = json.Marshal(metadata); err != nil {
			return err
		}
	}
	if len(hidden) > 0 {
		text, err := json.Marshal(hidden)
		if err != nil {
			return err
		}
		in.Fields = account.Fields{"connector_webhook_details": text}
	}
	a, err := d.node.engine.CreateAccount(ctx, d.auth, in)
	if err != nil {
		return err
	}
	d.accountID = a.ID
	if err := d.restSimulator(ctx); err != nil {
		return err
	}
	if _, err := d.node.engine.SetEgress(ctx, d.auth, a.ID, account.EgressInput{BaseURL: d.baseURL}); err != nil {
		return err
	}
	d.loaded.Store(d.hash)
	return nil
}

// authType returns the merchant API's name for a set of credentials.
func authType(details map[string]string) string {
	switch {
	case details["key2"] != "":
		return "MultiAuthKey"
	case details["api_secret"] != "":
		return "SignatureKey"
	case details["key1"] != "":
		return "BodyKey"
	}
	return "HeaderKey"
}

// restSimulator disables the demo's account at the simulator: a payment that names no account must reach the adapter, or fail.
func (d *developing) restSimulator(ctx context.Context) error {
	if d.manifest.Kind != sdk.KindProcessor {
		return nil
	}
	accounts, err := d.node.engine.Accounts(ctx, d.auth)
	if err != nil {
		return err
	}
	if a := accountAt(accounts, demoConnector); a != nil {
		_, err = d.node.engine.UpdateAccount(ctx, d.auth, a.ID, account.AccountInput{Type: a.Type, Disabled: new(true)})
	}
	return err
}

// webhookText says where the processor's webhooks arrive, if the adapter reads any.
func (d *developing) webhookText(merchant string) string {
	if !slices.Contains(d.manifest.Operations, sdk.OpWebhook) {
		return ""
	}
	return fmt.Sprintf("webhooks arrive at %s/webhooks/%s/%s\n", d.node.url(), merchant, d.accountID)
}

// curl returns a payment for a shell.
func (d *developing) curl(key string) string {
	amount, currency := int64(1050), "USD"
	if requests, _, err := wire.Load(os.DirFS(filepath.Join(d.dir, "testdata")), d.manifest.Name); err == nil {
		for i := range requests.Cases {
			if c := &requests.Cases[i]; c.Op == sdk.OpAuthorize { // the recorded answer names this amount
				r := c.Step(c.Op, sdk.Account{}, time.Unix(0, 0)).Request
				amount, currency = r.Amount.Minor, string(r.Amount.Currency)
				break
			}
		}
	}
	return fmt.Sprintf(`curl %s/payments -H 'api-key: %s' -H 'Content-Type: application/json' -d '{"amount": %d, "currency": "%s", "confirm": true,
  "payment_method": "card", "payment_method_data": {"card": {"card_number": "4111111111111111", "card_exp_month": "03", "card_exp_year": "2030",
  "card_cvc": "737", "card_holder_name": "Ada Lovelace"}}, "routing": {"type": "single", "data": "%s"}}'
`, d.node.url(), key, amount, currency, d.manifest.Name)
}

// loadTime bounds the wait until the switch has loaded a build. It refuses a module that is no adapter.
const loadTime = 30 * time.Second

// lookEvery is the time between two looks at the project's files, and of the switch at its folder of adapters. showEvery is the time between two looks
// at the journal.
const (
	lookEvery = 25 * time.Millisecond
	showEvery = 200 * time.Millisecond
)

// watch builds the project when a file changes, and shows the operations of the adapter.
func (d *developing) watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	defer d.tests.stop()
	journal, shown := engine.NewJournal(d.node.db, d.node.vault), time.Now()
	d.tests.start(ctx, d)
	d.cases = newest(filepath.Join(d.dir, "testdata"))
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if d.saved() && !d.rebuild(ctx) {
			return
		}
		if at := newest(filepath.Join(d.dir, "testdata")); at.After(d.cases) && time.Since(at) > lookEvery { // an editor may write in several steps
			d.cases = at
			d.readCases(ctx)
		}
		if time.Since(shown) < showEvery {
			continue
		}
		shown = time.Now()
		if err := d.show(ctx, journal); err != nil && ctx.Err() == nil {
			fmt.Fprintf(d.p.stderr, "payswitch: %v\n", err)
		}
	}
}

// readCases gives saved cases to the mock, and tests the build with them.
func (d *developing) readCases(ctx context.Context) {
	if d.mock != nil {
		if err := d.mock.reload(d.dir); err != nil {
			fmt.Fprintf(d.p.stdout, "mock: the saved cases cannot be read, so the earlier ones answer: %v\n", err)
		} else {
			fmt.Fprintln(d.p.stdout, "mock: the saved cases answer")
		}
	}
	d.tests.stop()
	d.tests.start(ctx, d)
}

// saved reports whether a file was saved since the last build. Two looks must agree: some editors write a file in several steps.
func (d *developing) saved() bool {
	before := d.latest
	d.latest = newest(d.dir)
	return d.latest.After(d.seen) && d.latest.Equal(before)
}

// rebuild builds the project, brings the build live and tests it. It shows an error once, however often the author saves with it. It returns
// false if the context has ended.
func (d *developing) rebuild(ctx context.Context) bool {
	began := time.Now()
	d.tests.stop() // of the files as they were
	problem, err := "", d.build(ctx)
	if err != nil {
		problem = err.Error()
	}
	switch {
	case ctx.Err() != nil:
		return false
	case err == nil:
		d.goLive(ctx, began)
		d.tests.start(ctx, d)
	case problem == d.problem:
		fmt.Fprintln(d.p.stdout, "not built: the error is still the same")
	default:
		fmt.Fprintf(d.p.stdout, "not built: %v\n", err)
	}
	d.problem = problem
	return true
}

// goLive waits until the switch has loaded the new build, and approves it for the account.
func (d *developing) goLive(ctx context.Context, began time.Time) {
	if d.hash == d.loaded.Load() {
		fmt.Fprintf(d.p.stdout, "live already: the saved file gives the same build %.12s\n", d.hash)
		return
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(loadTime)
	for live := false; !live; {
		select {
		case <-ctx.Done():
			return
		case <-end:
			fmt.Fprintf(d.p.stdout, "the switch has not loaded the build %.12s: its log says why\n", d.hash)
			return
		case <-tick.C:
		}
		if info, ok := d.node.host.Adapter(d.manifest.Name); ok && info.Hash == d.hash {
			d.manifest, live = info.Manifest, true
		}
	}
	if _, err := d.node.engine.Approve(ctx, d.auth, d.accountID, d.hash, false); err != nil {
		fmt.Fprintf(d.p.stdout, "not approved: %v\n", err)
		return
	}
	d.loaded.Store(d.hash)
	fmt.Fprintf(d.p.stdout, "live after %v: %s %s, build %.12s\n", time.Since(began).Round(10*time.Millisecond), d.manifest.Name, d.manifest.Version, d.hash)
}

// watched are the ends of the names of source files, and unwatched the folders without any of the author's.
var (
	watched   = []string{".go", ".txt", ".mod", ".rs", ".toml", ".ts", ".json"}
	unwatched = []string{"payswitch", "testdata", "target", "node_modules", "build"}
)

// newest returns the time of the latest change of a project's sources. The SDK's copy and made files do not count.
func newest(dir string) (latest time.Time) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // a file that an editor has just removed
		}
		if e.IsDir() && path != dir && (slices.Contains(unwatched, e.Name()) || strings.HasPrefix(e.Name(), ".")) {
			return fs.SkipDir
		}
		if e.IsDir() || !slices.Contains(watched, filepath.Ext(path)) {
			return nil
		}
		if info, err := e.Info(); err == nil && info.ModTime().After(latest) {
			latest = info.ModTime()
		}
		return nil
	})
	return latest
}

// show prints the operations of the adapter that the journal has and that were not shown.
func (d *developing) show(ctx context.Context, journal *drive.Journal) error {
	return journal.Each(ctx, drive.JournalFilter{Adapter: d.manifest.Name}, func(record *drive.JournalRecord) error {
		if d.shown[record.Seq] {
			return nil
		}
		d.shown[record.Seq] = true
		rec, err := journal.Open(record)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(d.p.stdout, "%s %s of %s\n%s", record.Kind, record.OperationID, cmp.Or(record.PaymentID, record.Connector), exchangesText(rec))
		return err
	})
}

// exchangesText shows each exchange of a recorded operation. Stand-ins are marked by the name of what they stand for.
func exchangesText(rec *port.Recording) string {
	b := &strings.Builder{}
	mark := markStandIns(rec.Step)
	for i, s := range rec.Steps {
		result, err := sdk.DecodeResult(s.Result)
		if err != nil {
			fmt.Fprintf(b, "  step %d failed: %s\n", i+1, s.Fault)
			continue
		}
		switch {
		case result.Send != nil:
			fmt.Fprintf(b, "  → %s %s\n", result.Send.Method, mark.Replace(result.Send.URL))
			for _, h := range result.Send.Headers {
				fmt.Fprintf(b, "      %s: %s\n", h.Name, onLine(mark.Replace(h.Value)))
			}
			if name := result.Send.IdempotencyHeader; name != "" { // the host sets its value
				fmt.Fprintf(b, "      %s: «idempotency key»\n", name)
			}
			if len(result.Send.Body) > 0 {
				fmt.Fprintf(b, "      %s\n", onLine(mark.Replace(string(result.Send.Body))))
			}
		case result.Verify != nil:
			fmt.Fprintln(b, "  → verify a signature")
		case result.Reject != nil:
			fmt.Fprintf(b, "  reject %s\n", onLine(result.Reject.Error()))
		case result.Outcome != nil:
			text, _ := json.Marshal(result.Outcome)
			fmt.Fprintf(b, "  outcome %s\n", onLine(mark.Replace(string(text))))
		}
		if n := rec.Resumed + i; n < len(rec.Step.Exchanges) {
			x := &rec.Step.Exchanges[n]
			switch {
			case x.Verified != nil:
				fmt.Fprintf(b, "  ← verified: %v\n", *x.Verified)
			case x.Failure != "":
				fmt.Fprintf(b, "  ← no answer: %s\n", x.Failure)
			default:
				fmt.Fprintf(b, "  ← %d %s\n", x.Status, onLine(strings.TrimSpace(mark.Replace(string(x.Body)))))
			}
		}
	}
	if rec.Error != "" {
		fmt.Fprintf(b, "  failed: %s\n", rec.Error)
	}
	return b.String()
}

// mostDerived is the highest number of a derived value that has a name.
const mostDerived = 99

// markStandIns replaces the stand-ins of a step by their names: «card_number», and «derived 0» for a value that the host computes.
func markStandIns(s *sdk.Step) *strings.Replacer {
	var pairs []string
	add := func(name, standIn string) {
		if len(standIn) > 8 {
			pairs = append(pairs, standIn, "«"+name+"»")
		}
	}
	for name, standIn := range s.Account.Credentials {
		add(name, standIn)
	}
	if i := s.Request.Instrument; i != nil && i.Card != nil {
		add("card_number", i.Card.Number)
		add("cvc", i.Card.CVC)
	}
	if s.Request.ThreeDS != nil {
		add("cavv", s.Request.ThreeDS.CAVV)
	}
	for i := mostDerived; i >= 0; i-- { // «derived 12» before «derived 1»
		add("derived "+strconv.Itoa(i), s.DerivePrefix+strconv.Itoa(i))
	}
	return strings.NewReplacer(pairs...)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/operator"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/restore"
	"payswitch/engine/vault"
	"payswitch/plugins"
	"payswitch/storage"
)

// Limits of payswitch doctor.
const (
	doctorFree    = 1 << 30         // bytes of disk that must be free
	doctorSkew    = 5 * time.Second // difference of clocks
	doctorWrite   = time.Second     // for one commit
	doctorUnknown = time.Hour       // age of an unknown operation
	doctorKeyAge  = 400 * 24 * time.Hour
	doctorOnline  = 5 * time.Second // for one answer of a host
)

// checked is the result of one check. A finding has a remedy.
type checked struct {
	Check  string `json:"check"`
	Result string `json:"result"` // ok, finding, skipped
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

// doctor collects the results of checks.
type doctor struct {
	p      *program
	c      Config
	online bool
	now    time.Time
	client *http.Client
	list   []checked
}

func (d *doctor) ok(check, format string, args ...any) {
	d.list = append(d.list, checked{Check: check, Result: "ok", Text: fmt.Sprintf(format, args...)})
}

func (d *doctor) skip(check, text string) {
	d.list = append(d.list, checked{Check: check, Result: "skipped", Text: text})
}

func (d *doctor) find(check, text, remedy string) {
	d.list = append(d.list, checked{Check: check, Result: "finding", Text: text, Remedy: remedy})
}

// errFindings ends doctor with exit code 1.
var errFindings = errors.New("doctor found something to mend")

// doctor checks the installation. It changes nothing, and runs while nodes run.
func (p *program) doctor(ctx context.Context, args []string) error {
	f := p.flags("doctor")
	online := f.Bool("online", false, "also connect to server.public_url and to the hosts of processors, without credentials")
	asJSON := f.Bool("json", false, "print one JSON object per line")
	c, err := p.parseConfig(f, args)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	d := &doctor{p: p, c: c, online: *online, now: time.Now(), client: &http.Client{Timeout: doctorOnline,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	d.configuration()
	d.proxy(ctx)
	d.files()
	d.disk()
	d.database(ctx)
	d.alarms(ctx)
	return d.report(*asJSON)
}

func (d *doctor) report(asJSON bool) error {
	found := 0
	out := json.NewEncoder(d.p.stdout)
	for _, r := range d.list {
		if r.Result == "finding" {
			found++
		}
		if asJSON {
			if err := out.Encode(r); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(d.p.stdout, "%-8s %s: %s\n", r.Result, r.Check, r.Text)
		if r.Remedy != "" {
			fmt.Fprintf(d.p.stdout, "         %s\n", r.Remedy)
		}
	}
	if found > 0 {
		return fmt.Errorf("%w; findings: %d", errFindings, found)
	}
	return nil
}

func (d *doctor) configuration() {
	warnings := d.c.warnings()
	for _, w := range warnings {
		d.find("configuration", w, "change the setting, then run `payswitch config check`")
	}
	if len(warnings) == 0 {
		d.ok("configuration", "no warnings")
	}
	switch u := d.c.Server.PublicURL; {
	case u == "" && !d.c.testing():
		d.find("public_url", "server.public_url is not set", "set it to the address that customers' browsers reach, such as https://pay.example.com")
	case strings.HasPrefix(u, "http://") && !d.c.testing():
		d.find("public_url", "server.public_url "+u+" is not encrypted", "put a proxy with TLS in front, and set an https address")
	default:
		d.ok("public_url", "%q", u)
	}
}

// proxy checks with --online that payswitch answers under the address that browsers and processors use: DNS, certificate and proxy are in order.
func (d *doctor) proxy(ctx context.Context) {
	u := d.c.Server.PublicURL
	if !d.online || u == "" {
		return
	}
	const remedy = "look at DNS, at the proxy and its certificate, and whether this machine may call that address"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u+"/health", nil)
	if err != nil {
		d.find("public_url", err.Error(), remedy)
		return
	}
	resp, err := d.client.Do(req)
	if err != nil {
		d.find("public_url", u+" does not answer: "+err.Error(), remedy)
		return
	}
	resp.Body.Close()
	switch through := strings.Contains(strings.Join(resp.Header.Values("Via"), ","), "payswitch"); {
	case !through:
		d.find("public_url", fmt.Sprintf("%s answers %d, and the answer is not payswitch's", u, resp.StatusCode), remedy)
	case resp.StatusCode != http.StatusOK:
		d.find("public_url", fmt.Sprintf("payswitch answers %d at %s/health: it is not ready", resp.StatusCode, u), "read the log")
	default:
		d.ok("public_url", "payswitch answers at %s", u)
	}
}

// files checks that only their owner reads the files that hold data or keys.
func (d *doctor) files() {
	before := len(d.list)
	private := func(path string) {
		st, err := os.Stat(path)
		if err == nil && st.Mode().Perm()&0o077 != 0 {
			d.find("files", fmt.Sprintf("others on this machine may use %s (%v)", path, st.Mode().Perm()), "chmod go= "+path)
		}
	}
	if path, ok := strings.CutPrefix(d.c.Storage.DSN.Reveal(), "sqlite:"); ok {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			private(path + suffix)
		}
		if st, err := os.Stat(filepath.Dir(path)); err == nil && st.Mode().Perm()&0o022 != 0 {
			d.find("files", "others on this machine may replace files in "+filepath.Dir(path), "chmod go-w "+filepath.Dir(path))
		}
	}
	if folder := d.c.cacheDirectory(); exists(folder) {
		private(folder)
		if !isMine(folder) {
			d.find("files", "the folder of compiled adapters belongs to another user: "+folder, "run doctor as the user of payswitch, or give that user the folder")
		}
	}
	if len(d.list) == before {
		d.ok("files", "only their owner uses database and adapters")
	}
}

func (d *doctor) disk() {
	path, ok := strings.CutPrefix(d.c.Storage.DSN.Reveal(), "sqlite:")
	if !ok { // the node writes compiled adapters alone
		path = d.c.cacheDirectory()
	}
	free, known, err := diskSpace(filepath.Dir(path))
	size := int64(0)
	if st, err := os.Stat(path); err == nil && ok {
		size = st.Size()
	}
	switch {
	case err != nil && !ok:
		d.find("disk", err.Error(), "make the folder of plugins.cache_directory")
	case err != nil:
		d.find("disk", err.Error(), "make the folder of storage.dsn")
	case !known:
		d.skip("disk", "the free space is not known on this system")
	case !ok && free < doctorFree:
		d.find("disk", fmt.Sprintf("%d MB are free for compiled adapters", free>>20), "free 1 GB at least")
	case !ok:
		d.ok("disk", "%d MB are free for compiled adapters; the database's own disk is for its server to watch", free>>20)
	case free < doctorFree || free < uint64(size):
		d.find("disk", fmt.Sprintf("%d MB are free, the database has %d MB", free>>20, size>>20), "free as much as the database has, and 1 GB at least: a migration copies it")
	default:
		d.ok("disk", "%d MB are free, the database has %d MB", free>>20, size>>20)
	}
}

func (d *doctor) database(ctx context.Context) {
	dsn := d.c.Storage.DSN.Reveal()
	pending, err := storage.Pending(ctx, dsn)
	if err != nil {
		d.find("database", err.Error(), openRemedy(err))
		return
	}
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok && !exists(path) {
		d.find("database", path+" does not exist", "start `payswitch serve` once, or correct storage.dsn")
		return
	}
	if len(pending) > 0 {
		d.find("database", "migrations are missing: "+strings.Join(pending, ", "), "payswitch migrate")
		return
	}
	db, err := storage.Open(ctx, dsn, storage.Options{})
	if err != nil {
		d.find("database", err.Error(), openRemedy(err))
		return
	}
	defer db.Close()
	d.damage(ctx, db)
	d.clock(ctx, db)
	d.keys(ctx, db)
	d.operations(ctx, db)
	d.adapters(ctx, db)
	d.backups(ctx, db)
}

// openRemedy says what to do about a database that does not open. A back-up helps against damage alone. In the place of a database that was moved to
// another address, a back-up would make a second switch of the same shops.
func openRemedy(err error) string {
	for _, damage := range []string{"malformed", "not a database"} {
		if strings.Contains(err.Error(), damage) {
			return "stop payswitch, keep a copy of the files, and restore a back-up"
		}
	}
	return "do what the error says, and restore nothing for it"
}

// backups looks at the age of the last back-up.
func (d *doctor) backups(ctx context.Context, db *storage.DB) {
	const remedy = "take one (payswitch backup, or your server's tools and payswitch backup noted), then read Back-up in OPERATIONS.md"
	most := d.c.Storage.BackupMaxAge
	last, err := db.LastBackup(ctx)
	if errors.Is(err, fault.ErrNotFound) {
		made, err := db.MadeAt(ctx)
		switch age := d.now.Sub(made).Round(time.Minute); {
		case err != nil:
			d.find("back-up", err.Error(), "look at the database")
		case most > 0 && age > most:
			d.find("back-up", fmt.Sprintf("no back-up is noted, and the database is %v old", age), remedy)
		default:
			d.ok("back-up", "none is noted yet; the database is %v old", age)
		}
		return
	}
	if err != nil {
		d.find("back-up", err.Error(), "look at the database")
		return
	}
	age := d.now.Sub(last.TakenAt).Round(time.Minute)
	text := fmt.Sprintf("the last one is of %s, %v ago", last.TakenAt.Format(time.RFC3339), age)
	if last.Place != "" {
		text += ", at " + last.Place
	}
	if last.VerifiedAt.IsZero() {
		text += ", not verified"
	} else {
		text += ", verified at " + last.VerifiedAt.Format(time.RFC3339)
	}
	if most > 0 && age > most {
		d.find("back-up", text, remedy)
		return
	}
	d.ok("back-up", "%s", text)
}

func (d *doctor) damage(ctx context.Context, db *storage.DB) {
	damage, err := db.QuickCheck(ctx)
	if err != nil || len(damage) > 0 {
		d.find("database", strings.Join(append(damage, errText(err)...), "; "), "stop payswitch, keep a copy of the files, and restore a back-up")
		return
	}
	began := time.Now()
	if err := db.Writable(); err != nil {
		d.find("database", "it takes no write: "+err.Error(), "look for a full disk, or a program that has locked the file")
	} else if took := time.Since(began); took > doctorWrite {
		d.find("database", fmt.Sprintf("one write took %v", took.Round(time.Millisecond)), "use a faster disk: every payment waits for two writes")
	} else {
		text := "the schema of this release, a write in %v"
		if strings.HasPrefix(d.c.Storage.DSN.Reveal(), "sqlite:") { // PostgreSQL's own tools look after its files
			text = "no damage, " + text
		}
		d.ok("database", text, took.Round(time.Microsecond))
	}
}

func errText(err error) []string {
	if err == nil {
		return nil
	}
	return []string{err.Error()}
}

// clock compares this machine's clock with the newest change in the database, and with the clock of the database's server.
func (d *doctor) clock(ctx context.Context, db *storage.DB) {
	at, err := db.LastChange(ctx)
	var server time.Time
	if err == nil {
		err = db.Update(ctx, func(tx engine.Tx) error { server = tx.Now(); return nil })
	}
	skew := time.Until(server)
	switch {
	case err != nil:
		d.find("clock", err.Error(), "look at the database")
	case skew.Abs() > doctorSkew:
		d.find("clock", fmt.Sprintf("this machine's clock differs by %v from that of the database's server", -skew.Round(time.Second)),
			"synchronize the clocks of the server and of all nodes (chrony, systemd-timesyncd)")
	case at.After(d.now.Add(doctorSkew)):
		d.find("clock", fmt.Sprintf("the newest payment is from %s, which is %v ahead of this machine's clock", at.Format(time.RFC3339), at.Sub(d.now).Round(time.Second)),
			"synchronize the clocks of all nodes (chrony, systemd-timesyncd)")
	default:
		d.ok("clock", "not behind the database")
	}
}

// keys opens the vault, which proves that the master key opens the keysets.
func (d *doctor) keys(ctx context.Context, db *storage.DB) {
	if d.c.Vault.current().isZero() {
		d.find("keys", "there is no master key, so that the vault was not opened", "run doctor with the environment of payswitch: vault.master_key, _file or _uri")
		return
	}
	v, err := openVault(ctx, db, d.c, newLogger(io.Discard, d.c.Log))
	if err != nil {
		d.find("keys", err.Error(), "give the master key that the database was made with")
		return
	}
	d.keyAges(ctx, v)
}

// keyAges looks for keys that should have been rotated.
func (d *doctor) keyAges(ctx context.Context, v *vault.Vault) {
	list, err := v.Status(ctx)
	if err != nil {
		d.find("keys", err.Error(), "look at the database")
		return
	}
	old := 0
	for _, s := range list {
		for _, k := range s.Keys {
			if s.Encrypt && k.RetiredAt.IsZero() && d.now.Sub(k.CreatedAt) > doctorKeyAge {
				old++
				d.find("keys", fmt.Sprintf("key %s of %s is from %s", k.ID, s.Name, k.CreatedAt.Format(time.DateOnly)), "payswitch vault rotate, then payswitch vault reencrypt")
			}
		}
	}
	if old == 0 {
		d.ok("keys", "the master key opens the vault")
	}
}

func (d *doctor) operations(ctx context.Context, db *storage.DB) {
	var list []operator.View
	var strays []restore.Stray
	var altered error
	err := db.View(ctx, func(r engine.Reader) (err error) {
		list, altered, err = operator.List(r, request.OperationFilter{Statuses: []payment.OperationStatus{payment.OperationUnknown}, Limit: 1000})
		if err == nil {
			strays, err = restore.Strays(r)
		}
		return err
	})
	var changed *vault.AlteredError
	switch {
	case errors.As(errors.Join(err, altered), &changed):
		d.find("operations", changed.Error(), "read Altered rows in OPERATIONS.md, at once")
	case err != nil:
		d.find("operations", err.Error(), "look at the database")
	case len(list) > 0 && d.now.Sub(list[0].StartedAt) > doctorUnknown:
		d.find("operations", fmt.Sprintf("%d operations have an unknown result, the oldest (%s at %s) for %v", len(list), list[0].ID, list[0].Connector,
			d.now.Sub(list[0].StartedAt).Round(time.Minute)), "payswitch operations list --unknown, then Resolve an operation by hand in OPERATIONS.md")
	default:
		d.ok("operations", "%d with an unknown result, none older than %v", len(list), doctorUnknown)
	}
	if len(strays) > 0 {
		d.find("restore", fmt.Sprintf("processors reported %d times on payments that the restored database does not have", len(strays)),
			"payswitch backup strays, then After a restore in OPERATIONS.md")
	}
}

// adapters checks that every account has its adapter, approved as it is now, and with --online that its hosts answer.
func (d *doctor) adapters(ctx context.Context, db *storage.DB) {
	host, err := d.p.openHost(ctx, d.c, shared(d.c, db))
	if err != nil {
		d.find("adapters", err.Error(), "correct plugins.directory or plugins.cache_directory")
		return
	}
	defer func() {
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		host.Close(limit)
	}()
	d.hosts(ctx, d.accounts(ctx, db, host))
}

// accounts checks the accounts against the adapters of a host. It returns the processors' hosts.
func (d *doctor) accounts(ctx context.Context, db *storage.DB, host interface {
	Adapter(connector string) (port.AdapterInfo, bool)
	Adapters() []port.AdapterInfo
}) (hosts []string) {
	accounts, err := allAccounts(ctx, db)
	if err != nil {
		d.find("adapters", err.Error(), "read Altered rows in OPERATIONS.md")
	}
	good := 0
	for _, a := range accounts {
		if a.Disabled {
			continue
		}
		name := fmt.Sprintf("account %s of %s (%s)", a.ID, a.MerchantID, a.Connector)
		if d.c.Keys.Environment == "prd" && (a.Connector == plugins.SimulatorName || a.Connector == plugins.Simulator3DSName) {
			d.find("adapters", name+" is at the simulator, which takes no money, and keys.environment is prd", "disable or delete the account")
			continue
		}
		info, loaded := host.Adapter(a.Connector)
		if !loaded || info.Manifest == nil {
			d.find("adapters", name+" has no adapter", "payswitch plugin list shows the loaded ones; install the missing one, or disable the account")
			continue
		}
		if more := account.AwaitingApproval(a, info); !more.IsEmpty() {
			d.find("adapters", fmt.Sprintf("%s waits for your approval of %s %s: %s", name, info.Name, info.Manifest.Version, more), "read Approval in OPERATIONS.md")
			continue
		}
		good++
		if info.Simulated {
			continue
		}
		for _, e := range info.Manifest.Environments {
			hosts = append(hosts, e.Hosts...)
		}
		hosts = append(hosts, a.Hosts...)
	}
	d.ok("adapters", "%d accounts have an approved adapter, %d adapters are loaded", good, len(host.Adapters()))
	return hosts
}

// allAccounts returns the connector accounts of all merchants that can be read, also with an error.
func allAccounts(ctx context.Context, db *storage.DB) (accounts []*account.Account, err error) {
	err = db.View(ctx, func(r engine.Reader) error {
		accounts = nil
		merchants, err := r.Merchants("")
		for _, m := range merchants {
			list, e := r.Accounts(m.ID)
			accounts, err = append(accounts, list...), errors.Join(err, e)
		}
		return err
	})
	return accounts, err
}

// hosts asks every host for its clock, over TLS as the adapters do, without a path or a credential.
func (d *doctor) hosts(ctx context.Context, hosts []string) {
	slices.Sort(hosts)
	hosts = slices.DeleteFunc(slices.Compact(hosts), func(h string) bool { return strings.Contains(h, "{") })
	if !d.online {
		d.skip("hosts", fmt.Sprintf("%d hosts were not called: add --online", len(hosts)))
		return
	}
	for _, h := range hosts {
		date, err := d.dateOf(ctx, "https://"+h+"/")
		switch skew := time.Since(date); {
		case err != nil:
			d.find("hosts", h+" does not answer: "+err.Error(), "look at DNS, the firewall and the processor's status page")
		case !date.IsZero() && skew.Abs() > doctorSkew+time.Second: // the header has whole seconds
			d.find("clock", fmt.Sprintf("this machine's clock differs by %v from that of %s", skew.Round(time.Second), h), "synchronize the clock (chrony, systemd-timesyncd)")
		default:
			d.ok("hosts", "%s answers", h)
		}
	}
}

// dateOf returns the Date of an answer, zero without one.
func (d *doctor) dateOf(ctx context.Context, url string) (time.Time, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return time.Time{}, err
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return time.Time{}, err
	}
	resp.Body.Close()
	at, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return time.Time{}, nil // the host answers without a Date header
	}
	return at, nil
}

var alarmCount = regexp.MustCompile(`(?m)^payswitch_alarms_total\{kind="(\w+)"\} ([1-9]\S*)$`)

// alarms reads the alarms of the node on this machine since its start.
func (d *doctor) alarms(ctx context.Context) {
	address := d.c.Metrics.Listen
	if address == "" {
		address = d.c.Server.Listen
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "0" || !d.c.Metrics.Enabled {
		d.skip("alarms", "the address of /metrics is not known")
		return
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // an image without a file has no name for it
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/metrics", nil)
	if err != nil {
		d.skip("alarms", err.Error())
		return
	}
	if d.c.Metrics.Listen == "" && !d.c.Admin.APIKey.IsZero() {
		req.Header.Set("api-key", d.c.Admin.APIKey.Reveal())
	}
	resp, err := d.client.Do(req)
	if err != nil {
		d.skip("alarms", "no node answers at "+address)
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil || resp.StatusCode != http.StatusOK {
		d.skip("alarms", fmt.Sprintf("/metrics at %s answers %d", address, resp.StatusCode))
		return
	}
	found := alarmCount.FindAllStringSubmatch(string(text), -1)
	for _, m := range found {
		d.find("alarms", fmt.Sprintf("%s: %s since the node's start", m[1], m[2]), "the table of alarms in OPERATIONS.md says what to do")
	}
	if len(found) == 0 {
		d.ok("alarms", "none since the node's start")
	}
}

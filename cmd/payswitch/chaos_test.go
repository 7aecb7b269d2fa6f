package main

import (
	"bufio"
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/testdata/ledger"
	"payswitch/storage/pgtest"
)

// Settings of the switch under chaos: its deadlines, made short.
const (
	chaosLease     = 5 * time.Second
	chaosPayerWait = 6 * time.Second
	chaosSend      = 2 * time.Second
	chaosOutage    = chaosPayerWait + 10*time.Second // a processor's: longer than a customer waits
	// chaosSettle is the time in which every payment settles once the world is calm: a lease, the time in which the processors may hide a payment, and
	// some queries and messages.
	chaosSettle = time.Minute
)

// chaosAdapters is a folder with the adapters of the recording processors.
var chaosAdapters = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "ledger")
	for _, name := range []string{"keyed", "keyless"} {
		if err := goBuild(wasmEnv, wasmArgs(filepath.Join(dir, name+".wasm"), "./plugins/testdata/ledger/"+name)...); err != nil {
			return "", err
		}
	}
	return dir, nil
})

// chaosRun is a merchant with three processors and the nodes of one switch, in a world that breaks.
type chaosRun struct {
	*testing.T
	seed       uint64
	story      *journal
	nodes      []*chaosNode
	processors []*recordingProcessor
	settle     time.Duration
	crowd      bool
	silent     *recordingProcessor // one of them, which answers nothing until all others' payments have settled
	key        string
	database   string         // the file, "" on PostgreSQL
	postgres   *pgtest.Server // nil on SQLite
	dsn        string         // of postgres
	replica    *pgtest.Server // of postgres, nil for none
	clock      string         // the file with the seconds by which the switch's clock is moved
	diskFaults atomic.Int64   // under way, or a short time ago
	ended      atomic.Bool
	payers     sync.WaitGroup
}

// chaosNode is one process of the switch, started again and again at the same address.
type chaosNode struct {
	run     *chaosRun
	name    string
	address string
	env     []string
	program string
	cmd     *exec.Cmd
	up      atomic.Bool
	log     *lockedBuffer // of all its lives
}

// start starts the node, through a shell with a limit of the size of files where blocks is set. It returns an error if the node ends before it listens.
func (n *chaosNode) start(blocks int64) error {
	n.cmd = exec.Command(n.program, "serve")
	if blocks > 0 {
		n.cmd = exec.Command("sh", "-c", fmt.Sprintf(`ulimit -f %d && exec "$0" serve`, blocks), n.program)
	}
	n.cmd.Env, n.cmd.Dir, n.cmd.Stderr = n.env, n.run.TempDir(), n.log
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := n.cmd.Start(); err != nil {
		return err
	}
	if _, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		n.cmd.Wait()
		return fmt.Errorf("%s ended before it listened: %w", n.name, err)
	}
	n.up.Store(true)
	return nil
}

// kill ends the node as a power cut does.
func (n *chaosNode) kill() {
	n.up.Store(false)
	n.cmd.Process.Kill()
	n.cmd.Wait()
}

// restart starts the node again, without limits.
func (n *chaosNode) restart() {
	require.NoError(n.run, n.start(0), "%s", withoutRequests(n.log.String()))
}

// address returns where a node listens that is up, if one is.
func (r *chaosRun) address() string {
	first := rand.IntN(len(r.nodes))
	for i := range r.nodes {
		if n := r.nodes[(first+i)%len(r.nodes)]; n.up.Load() {
			return n.address
		}
	}
	return r.nodes[first].address
}

func (r *chaosRun) over() bool    { return r.ended.Load() }
func (r *chaosRun) excused() bool { return r.diskFaults.Load() > 0 }

// diskFault excuses errors of the database from now until release is called, and some seconds more.
func (r *chaosRun) diskFault() (release func()) {
	r.diskFaults.Add(1)
	return func() { time.AfterFunc(3*time.Second, func() { r.diskFaults.Add(-1) }) }
}

// chaosOptions say how a run differs from the usual one.
type chaosOptions struct {
	seed    uint64
	program string        // the switch
	planted string        // the defect in it, "" for none
	mute    bool          // processors send no messages
	crowd   bool          // half of the buyers are at the silent processor
	settle  time.Duration // 0 for chaosSettle
	turns   int           // operations at a time of an account at a node; 0 for the usual number
	onPG    bool          // the database is PostgreSQL; else it is SQLite
	replica bool          // of PostgreSQL, which has every commit
	nodes   int           // 0 for two
}

// newChaos starts processors and switch.
func newChaos(t *testing.T, o chaosOptions) *chaosRun {
	folder, err := chaosAdapters()
	require.NoError(t, err)
	dir := t.TempDir()
	r := &chaosRun{T: t, settle: cmp.Or(o.settle, chaosSettle), crowd: o.crowd, seed: o.seed, story: newJournal(), database: filepath.Join(dir, "payswitch.db"),
		clock: filepath.Join(dir, "clock")}
	database := "sqlite:" + r.database
	if o.onPG {
		r.postgres = pgtest.Own(t)
		r.database, r.dsn = "", r.postgres.Create(t)
		if o.replica {
			r.replica = r.postgres.Replica(t)
			r.dsn = pgtest.Or(r.dsn, r.replica)
		}
		database = r.dsn
	}
	for i := range cmp.Or(o.nodes, 2) {
		n := &chaosNode{run: r, name: fmt.Sprint("node ", i+1), address: freeAddress(t), program: o.program, log: &lockedBuffer{}}
		n.env = append(testEnv(t, dir), "PAYSWITCH_PLUGINS__DIRECTORY="+folder, "PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true",
			fmt.Sprint("PAYSWITCH_PLUGINS__SEND_TIMEOUT=", chaosSend), fmt.Sprint("PAYSWITCH_ENGINE__LEASE_TIME=", chaosLease), "PAYSWITCH_ENGINE__LOCK_WAIT=2s",
			fmt.Sprint("PAYSWITCH_PLUGINS__ACCOUNT_CONCURRENCY=", cmp.Or(o.turns, 8)), "PAYSWITCH_PLUGINS__ACCOUNT_WAIT=300ms", "CHAOS_FAULTS="+o.planted, "CHAOS_CLOCK="+r.clock,
			"PAYSWITCH_ENGINE__SETTLE_TIMEOUT=2s", "PAYSWITCH_ENGINE__RESOLVE_EVERY=200ms", "PAYSWITCH_ENGINE__RESOLVE_PAUSE=2s",
			fmt.Sprint("PAYSWITCH_ENGINE__PAYER_WAIT=", chaosPayerWait), "PAYSWITCH_SERVER__LISTEN="+n.address, "PAYSWITCH_SERVER__PUBLIC_URL=http://"+n.address,
			"PAYSWITCH_STORAGE__DSN="+database, "PAYSWITCH_STORAGE__POSTGRES__CONNECTIONS=8")
		r.nodes = append(r.nodes, n)
		t.Cleanup(func() {
			if n.cmd != nil {
				n.cmd.Process.Signal(syscall.SIGCONT)
				n.kill()
			}
		})
	}
	r.nodes[0].restart()
	first := &running{t: t, url: "http://" + r.nodes[0].address}
	first.must(testAdminKey, "/accounts", object{"merchant_id": "shop"})
	r.key, _ = first.must(testAdminKey, "/api_keys/shop", object{"name": "chaos", "expiration": "never"})["api_key"].(string)
	_, profiles := first.list(r.key, "/account/shop/business_profile")
	require.Len(t, profiles, 1)
	first.must(r.key, fmt.Sprint("/account/shop/business_profile/", profiles[0]["profile_id"]), object{"is_manual_retry_enabled": true})
	for _, name := range []string{"keyed", "keyless", "silent"} {
		p := newRecordingProcessor(t, name, o.seed, r.story, func(raw string) string { return at(r.address(), raw) })
		r.processors, p.mute = append(r.processors, p), o.mute
		account := first.must(r.key, "/account/shop/connectors", object{"connector_type": "payment_processor", "connector_name": p.connector(),
			"connector_label": name, "connector_account_details": object{"auth_type": "HeaderKey", "api_key": p.newKey(false)},
			"connector_webhook_details": object{"merchant_secret": webhookKey}})
		p.account = account["merchant_connector_id"].(string)
		first.must(testAdminKey, fmt.Sprintf("/account/shop/connectors/%s/egress", p.account), object{"base_url": p.URL})
	}
	r.silent = r.processors[2]
	r.silent.setOutage(true)
	for _, n := range r.nodes[1:] {
		n.restart()
	}
	return r
}

func (b *buyer) currency() string { return "EUR" }

// chaosFaults break a node or its database and mend it again.
var chaosFaults = map[string]func(r *chaosRun, d *rand.Rand){
	"kill": func(r *chaosRun, d *rand.Rand) {
		n := r.nodes[d.IntN(len(r.nodes))]
		n.kill()
		time.Sleep(time.Duration(d.IntN(1000)) * time.Millisecond)
		n.restart()
	},
	"kill all": func(r *chaosRun, d *rand.Rand) {
		for _, n := range r.nodes {
			n.kill()
		}
		for _, n := range r.nodes {
			n.restart()
		}
	},
	"stop": func(r *chaosRun, d *rand.Rand) { // longer than a lease: the other node takes over
		n := r.nodes[d.IntN(len(r.nodes))]
		release := r.diskFault() // it may hold the lock of the database
		n.up.Store(false)
		n.cmd.Process.Signal(syscall.SIGSTOP)
		time.Sleep(chaosLease + time.Duration(500+d.IntN(2000))*time.Millisecond)
		n.cmd.Process.Signal(syscall.SIGCONT)
		n.up.Store(true)
		release()
	},
	"lock": func(r *chaosRun, d *rand.Rand) {
		release := r.diskFault()
		defer release()
		r.sql(func(db *sql.DB) error {
			if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
				return err
			}
			time.Sleep(time.Duration(2000+d.IntN(3000)) * time.Millisecond)
			_, err := db.Exec("ROLLBACK")
			return err
		})
	},
	"disk full": func(r *chaosRun, d *rand.Rand) {
		release := r.diskFault()
		defer release()
		n := r.nodes[d.IntN(len(r.nodes))]
		n.kill()
		r.sql(func(db *sql.DB) error { _, err := db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); return err }) // the log begins anew, and may grow to the limit
		if err := n.start(200 + d.Int64N(1500)); err == nil {                                              // in blocks of 512 bytes; it may be full at once
			time.Sleep(time.Duration(2000+d.IntN(2000)) * time.Millisecond)
		}
		n.kill()
		n.restart()
	},
	"database": func(r *chaosRun, d *rand.Rand) { // PostgreSQL crashes
		r.postgres.Kill(r)
		time.Sleep(time.Duration(d.IntN(3000)) * time.Millisecond)
		r.postgres.Start(r)
	},
	"connections": func(r *chaosRun, d *rand.Rand) { // all are cut at once, as by a proxy that restarts
		for range 1 + d.IntN(4) {
			require.NoError(r, pgtest.Run(r.dsn, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid()`))
			time.Sleep(time.Duration(d.IntN(700)) * time.Millisecond)
		}
	},
	"kill with database": func(r *chaosRun, d *rand.Rand) { // both at once
		n := r.nodes[d.IntN(len(r.nodes))]
		r.postgres.Kill(r)
		n.kill()
		r.postgres.Start(r)
		n.restart()
	},
	"fail over": func(r *chaosRun, d *rand.Rand) { // the primary is gone, and its replica takes its place
		r.postgres.Kill(r)
		time.Sleep(time.Duration(d.IntN(2000)) * time.Millisecond)
		r.replica.Promote(r)
		r.postgres, r.replica = r.replica, nil
	},
	"outage": func(r *chaosRun, d *rand.Rand) { // longer than a customer waits
		p := r.processors[d.IntN(2)]
		p.setOutage(true)
		time.AfterFunc(chaosOutage, func() { p.setOutage(false) })
	},
	"outage of keyed": func(r *chaosRun, d *rand.Rand) {
		r.processors[0].setOutage(true)
		time.Sleep(chaosOutage)
		r.processors[0].setOutage(false)
	},
	"jump": func(r *chaosRun, d *rand.Rand) { // of the host's clock, for both nodes: by seconds or hours, ahead or back
		by := []int{-2 * 3600, -600, -20, 0, 20, 600, 2 * 3600}[d.IntN(7)]
		r.story.note("", "the clock is %d seconds ahead", by)
		require.NoError(r, os.WriteFile(r.clock+".new", []byte(strconv.Itoa(by)), 0o600))
		require.NoError(r, os.Rename(r.clock+".new", r.clock))
	},
	"credentials": func(r *chaosRun, d *rand.Rand) { // to those of another account at the processor, or rotated
		p, rotated := r.processors[d.IntN(2)], d.IntN(2) == 0
		r.story.note("", "%s gets other credentials, rotated: %v", p.name, rotated)
		body := object{"connector_type": "payment_processor", "connector_account_details": object{"auth_type": "HeaderKey", "api_key": p.newKey(rotated)}}
		if rotated {
			body["credentials_rotated"] = true
		}
		for try := 0; ; try++ {
			n := &running{t: r.T, url: "http://" + r.address()}
			status, answer, err := n.try(r.key, "/account/shop/connectors/"+p.account, body)
			if err == nil && status == 200 {
				return
			}
			require.Less(r, try, 20, "%v %v %v", status, answer, err)
			time.Sleep(300 * time.Millisecond)
		}
	},
	"none": func(*chaosRun, *rand.Rand) { time.Sleep(6 * time.Second) },
}

// sql runs f on a connection of its own to the switch's database.
func (r *chaosRun) sql(f func(db *sql.DB) error) {
	db, err := sql.Open("sqlite", r.database)
	require.NoError(r, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec("PRAGMA busy_timeout = 8000")
	require.NoError(r, errors.Join(err, f(db)))
}

// TestChaos lets clients and payers use the switch while nodes die, stop and run out of disk. Processors lose and delay what they are asked.
// Then the world becomes calm, and the books must be equal: processors, switch, and what clients were answered. CHAOS_KILLS sets the number of kills,
// CHAOS_SEED the seed, CHAOS_DATABASE (sqlite or postgres) and CHAOS_NODES the switch. `make chaos` is the long form.
func TestChaos(t *testing.T) {
	kills := 5
	if text := os.Getenv("CHAOS_KILLS"); text != "" {
		var err error
		kills, err = strconv.Atoi(text)
		require.NoError(t, err, "CHAOS_KILLS")
	} else {
		costly(t)
		t.Parallel()
	}
	seed := chaosSeed(t)
	program, err := binary()
	require.NoError(t, err)
	o := chaosOptions{seed: seed, program: program, nodes: 2}
	if text := os.Getenv("CHAOS_NODES"); text != "" {
		o.nodes, err = strconv.Atoi(text)
		require.NoError(t, err, "CHAOS_NODES")
	}
	others := sqliteFaults
	switch database := cmp.Or(os.Getenv("CHAOS_DATABASE"), "sqlite"); database {
	case "postgres":
		o.onPG, others = true, postgresFaults
	case "sqlite":
	default:
		t.Fatalf("CHAOS_DATABASE is %q: give sqlite or postgres", database)
	}
	r := newChaos(t, o)
	all := r.live(schedule(dice(seed, "schedule"), kills, others))
	r.report(all, r.audit(all))
}

// Faults besides the kills, by database.
var (
	sqliteFaults   = []string{"kill all", "stop", "lock", "credentials", "disk full", "outage", "credentials"}
	postgresFaults = []string{"database", "kill all", "stop", "connections", "credentials", "kill with database", "outage", "database"}
)

// TestChaosOnPostgres is the short crash test on PostgreSQL: nodes die, and the database too.
func TestChaosOnPostgres(t *testing.T) {
	if os.Getenv("CHAOS_KILLS") == "" {
		costly(t)
		t.Parallel()
	}
	program, err := binary()
	require.NoError(t, err)
	for name, o := range map[string]struct {
		nodes  int
		faults []string
	}{
		"one node":    {1, []string{"kill", "database", "connections", "kill with database"}},
		"three nodes": {3, []string{"kill", "database", "stop", "kill all", "kill with database"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newChaos(t, chaosOptions{seed: chaosSeed(t), program: program, onPG: true, nodes: o.nodes})
			all := r.live(o.faults)
			r.report(all, r.audit(all))
		})
	}
}

// TestChaosFailOver kills the primary of a synchronous pair under load, and promotes the replica: the nodes go on with it, and nothing is lost.
func TestChaosFailOver(t *testing.T) {
	if os.Getenv("CHAOS_KILLS") == "" {
		costly(t)
		t.Parallel()
	}
	program, err := binary()
	require.NoError(t, err)
	r := newChaos(t, chaosOptions{seed: chaosSeed(t), program: program, onPG: true, replica: true})
	all := r.live([]string{"kill", "fail over", "connections", "kill all"})
	r.report(all, r.audit(all))
	require.Empty(t, pgtest.Rows(t, r.postgres.DSN("postgres"), "SELECT 'yes' WHERE pg_is_in_recovery()"))
}

// TestChaosWithClockJumps is the crash test on a host whose clock jumps. The switch has the hooks of the build with the tag chaosfaults, and no defect.
func TestChaosWithClockJumps(t *testing.T) {
	faults := []string{"jump", "kill", "jump"}
	if os.Getenv("CHAOS_KILLS") == "" {
		costly(t)
		t.Parallel()
	}
	program, err := faultyBinary()
	require.NoError(t, err)
	seed := chaosSeed(t)
	r := newChaos(t, chaosOptions{seed: seed, program: program})
	d := dice(seed, "schedule")
	for os.Getenv("CHAOS_KILLS") != "" && len(faults) < 24 {
		faults = append(faults, "jump", "kill", "jump", "none", "jump", []string{"stop", "kill all", "outage"}[d.IntN(3)])
	}
	all := r.live(faults)
	r.report(all, r.audit(all))
	require.Contains(t, r.nodes[0].log.String()+r.nodes[1].log.String(), "the clock has jumped")
}

// chaosSeed is CHAOS_SEED; else any for the long form, and 1 for the short one.
func chaosSeed(t *testing.T) uint64 {
	seed := uint64(1)
	if os.Getenv("CHAOS_KILLS") != "" {
		seed = rand.Uint64() % 1_000_000
	}
	if text := os.Getenv("CHAOS_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, "CHAOS_SEED")
	}
	t.Logf("CHAOS_SEED=%d", seed)
	return seed
}

// live runs clients and faults until the last fault is over, and calms the world.
func (r *chaosRun) live(faults []string) []*buyer {
	var all []*buyer
	var mu sync.Mutex
	var clients sync.WaitGroup
	for c := range 24 {
		clients.Go(func() {
			for i := 0; !r.over(); i++ {
				b := r.buyer(fmt.Sprintf("c%dp%d", c, i))
				mu.Lock()
				all = append(all, b)
				mu.Unlock()
				b.buy()
			}
		})
	}
	d := dice(r.seed, "faults")
	for _, name := range faults {
		time.Sleep(time.Duration(500+d.IntN(2000)) * time.Millisecond)
		r.story.note("", "FAULT %s", name)
		chaosFaults[name](r, d)
		r.story.note("", "fault %s is over", name)
	}
	time.Sleep(2 * time.Second)
	r.story.note("", "CALM")
	for _, p := range r.processors {
		if p != r.silent {
			p.beCalm()
		}
	}
	r.ended.Store(true)
	clients.Wait()
	r.payers.Wait()
	return all
}

func (r *chaosRun) buyer(id string) *buyer {
	d := dice(r.seed, "buyer", id)
	at := r.processors[[]int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2}[d.IntN(11)]]
	b := &buyer{chaosRun: r, id: id, d: d, at: at, amount: 100 + d.Int64N(20000)}
	if r.crowd && d.IntN(2) == 0 {
		b.at = r.silent
	}
	return b
}

// schedule returns the order of the faults: kills, and the others among them.
func schedule(d *rand.Rand, kills int, others []string) (names []string) {
	for i := range kills {
		names = append(names, "kill")
		if i < len(others) || i%4 == 0 {
			names = append(names, others[i%len(others)])
		}
	}
	d.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

// audit waits until every payment has settled, at most as long as the switch may take, and compares the books. It returns what is wrong, by payment.
// The payments at the silent processor settle when it answers again, and the others before.
func (r *chaosRun) audit(all []*buyer) map[string][]string {
	for _, p := range r.processors {
		p.working.Wait()
	}
	wrong := r.settled(all, func(b *buyer) bool { return b.at != r.silent })
	if len(wrong) == 0 {
		r.silent.beCalm()
		wrong = r.settled(all, func(*buyer) bool { return true })
	}
	return wrong
}

// settled waits until the books of the payments are equal. It returns what is wrong with them at the end of that time.
func (r *chaosRun) settled(all []*buyer, which func(*buyer) bool) map[string][]string {
	for deadline := time.Now().Add(r.settle); ; time.Sleep(2 * time.Second) {
		wrong, open := map[string][]string{}, r.openOperations()
		for _, b := range all {
			if !which(b) {
				continue
			}
			if found := b.books(open).check(); len(found) > 0 {
				wrong[b.id] = found
			}
		}
		if len(wrong) == 0 || time.Now().After(deadline) {
			return wrong
		}
	}
}

// report fails the test if something is wrong, with the stories of the payments.
func (r *chaosRun) report(all []*buyer, wrong map[string][]string) {
	ends := map[string]int{}
	for _, b := range all {
		ends[b.ended()]++
	}
	r.Logf("%d payments: %v", len(all), ends)
	shown := 0
	for id, found := range wrong {
		if shown++; shown > 8 {
			break
		}
		r.Errorf("CHAOS_SEED=%d, payment %s:\n  %s\nits story:\n%s\n%s", r.seed, id, strings.Join(found, "\n  "), r.story.of(id), r.logsOf(id))
	}
	if len(wrong) > 0 {
		r.Errorf("CHAOS_SEED=%d: %d of %d payments are wrong", r.seed, len(wrong), len(all))
	}
}

// openOperations returns the operations without an end, by payment, as the operator's command lists them.
func (r *chaosRun) openOperations() map[string][]shownOperation {
	cmd := exec.Command(r.nodes[0].program, "operations", "list", "--json", "--limit", "100000")
	cmd.Env = r.nodes[0].env
	out, err := cmd.Output()
	require.NoError(r, err)
	list := map[string][]shownOperation{}
	for line := range strings.Lines(string(out)) {
		var o shownOperation
		require.NoError(r, json.Unmarshal([]byte(line), &o), line)
		list[o.PaymentID] = append(list[o.PaymentID], o)
	}
	return list
}

// books returns what is known of the payment now.
func (b *buyer) books(open map[string][]shownOperation) *books {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := &books{ID: b.id, Amounts: append(b.amounts, b.amount), Currency: b.currency(), Automatic: b.automatic, Open: open[b.id], Told: b.told,
		ChargeWithin: chaosPayerWait + chaosSend + ledger.NotFoundFinalSeconds*time.Second}
	for _, p := range b.processors {
		p.mu.Lock()
		for _, t := range p.txs {
			if paymentOf(t.Reference) == b.id {
				k.Processor = append(k.Processor, *t)
			}
		}
		p.mu.Unlock()
	}
	n := &running{t: b.T, url: "http://" + b.address()}
	status, is := n.call(b.key, "/payments/"+b.id, nil)
	if status == 404 {
		return k
	}
	require.Equal(b.T, 200, status, "%s: %v", b.id, is)
	text, _ := json.Marshal(is)
	require.NoError(b.T, json.Unmarshal(text, &k.Shown))
	return k
}

// ended returns the payment's last status.
func (b *buyer) ended() string {
	if s := b.books(nil).Shown; s != nil {
		return s.Status
	}
	return "absent"
}

// logsOf returns the lines of the nodes' logs about a payment.
func (r *chaosRun) logsOf(id string) string {
	var out strings.Builder
	for _, n := range r.nodes {
		for line := range strings.Lines(n.log.String()) {
			if strings.Contains(line, `"payment_id":"`+id+`"`) || strings.Contains(line, `/payments/`+id) && !strings.Contains(line, `"GET`) {
				fmt.Fprintf(&out, "%s: %s", n.name, line)
			}
		}
	}
	return out.String()
}

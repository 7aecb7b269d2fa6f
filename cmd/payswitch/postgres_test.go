package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/staff"
	"payswitch/storage"
	"payswitch/storage/pgtest"
)

// onPostgres returns an environment whose database is at dsn. The address has a password, which nothing may print.
func onPostgres(t testing.TB, dsn string) []string {
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	u.User = url.UserPassword("postgres", "hunter2")
	return append(testEnv(t, t.TempDir()), "PAYSWITCH_STORAGE__DSN="+u.String(), "PAYSWITCH_STORAGE__POSTGRES__CONNECTIONS=8")
}

// post sends a request, with an Idempotency-Key unless that is "".
func (r *running) post(key, path string, body object, idempotencyKey string) (int, http.Header, object) {
	text, err := json.Marshal(body)
	require.NoError(r.t, err)
	req, err := http.NewRequest(http.MethodPost, r.url+path, bytes.NewReader(text))
	require.NoError(r.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("api-key", key)
	if idempotencyKey != "" {
		req.Header.Set("Idempotency-Key", idempotencyKey)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(r.t, err)
	defer resp.Body.Close()
	var answer object
	require.NoError(r.t, json.NewDecoder(resp.Body).Decode(&answer))
	return resp.StatusCode, resp.Header, answer
}

// TestPostgres takes two nodes on one PostgreSQL database through the API: payments, captures, refunds and saved cards, each asked of both nodes
// at once.
func TestPostgres(t *testing.T) {
	costly(t)
	t.Parallel()
	env := onPostgres(t, pgtest.Empty(t))
	code, out, log := runProgram(t, env, "migrate", "--dry-run")
	require.Equal(t, exitOK, code, log)
	require.Contains(t, out, "pending: 0001_init")
	code, out, log = runProgram(t, env, "migrate")
	require.Equal(t, exitOK, code, log)
	require.Contains(t, out, "applied: 0001_init")
	nodes := []*running{start(t, env, "serve"), start(t, env, "serve")}
	key := nodes[0].shop("shop")
	for _, n := range nodes {
		status, text := n.text("/health")
		require.Equal(t, http.StatusOK, status, text)
	}
	// The other node learns of a new key within a second.
	require.Eventually(t, func() bool {
		status, _ := nodes[1].call(key, "/payments/none", nil)
		return status == http.StatusNotFound
	}, 10*time.Second, 20*time.Millisecond)

	paid := nodes[0].must(key, "/payments", cardPayment("pay_one"))
	require.Equal(t, "succeeded", paid["status"])
	require.Equal(t, paid["connector_transaction_id"], nodes[1].must(key, "/payments/pay_one", nil)["connector_transaction_id"])

	// both sends one request to both nodes at once, several times, and counts the answers with the wanted status.
	both := func(times int, path string, body func(i int) object, want string) (good int) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range times {
			wg.Go(func() {
				status, answer := nodes[i%2].call(key, path, body(i))
				mu.Lock()
				defer mu.Unlock()
				if status == http.StatusOK && answer["status"] == want {
					good++
				} else if status >= 500 {
					t.Errorf("%s: %d %v", path, status, answer)
				}
			})
		}
		wg.Wait()
		return good
	}

	// Refunds beyond what was paid.
	require.Equal(t, 2, both(6, "/refunds", func(i int) object { return object{"payment_id": "pay_one", "amount": 3000} }, "succeeded"))

	// A payment is captured once.
	manual := cardPayment("pay_manual")
	manual["capture_method"] = "manual"
	require.Equal(t, "requires_capture", nodes[0].must(key, "/payments", manual)["status"])
	require.Equal(t, 1, both(6, "/payments/pay_manual/capture", func(int) object { return object{"amount_to_capture": 6540} }, "succeeded"))
	require.EqualValues(t, 6540, nodes[1].must(key, "/payments/pay_manual", nil)["amount_received"])

	// A card is saved, and charged at the other node.
	save := cardPayment("pay_save")
	save["customer_id"], save["setup_future_usage"] = "cus_1", "off_session"
	save["customer_acceptance"] = object{"acceptance_type": "offline"}
	saved := nodes[0].must(key, "/payments", save)
	require.Equal(t, "succeeded", saved["status"])
	method, _ := saved["payment_method_id"].(string)
	require.NotEmpty(t, method, saved)
	again := nodes[1].must(key, "/payments", object{"payment_id": "pay_again", "amount": 100, "currency": "USD", "confirm": true, "customer_id": "cus_1",
		"off_session": true, "recurring_details": object{"type": "payment_method_id", "data": method}})
	require.Equal(t, "succeeded", again["status"], again)

	// Eight first payments of a customer at once make one record, and each succeeds.
	for round := range 8 {
		require.Equal(t, 8, both(8, "/payments", func(i int) object {
			body := cardPayment(fmt.Sprintf("pay_first_%d_%d", round, i))
			body["customer_id"], body["email"] = fmt.Sprint("cus_first_", round), "ada@example.com"
			return body
		}, "succeeded"))
	}

	// One id is one payment, whichever node is asked.
	require.Equal(t, 1, both(6, "/payments", func(int) object { return cardPayment("pay_race") }, "succeeded"))

	// One Idempotency-Key is one payment and one answer.
	var mu sync.Mutex
	ids := map[any]int{}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			body := cardPayment("")
			delete(body, "payment_id")
			status, _, answer := nodes[i%2].post(key, "/payments", body, "one")
			mu.Lock()
			defer mu.Unlock()
			if status == http.StatusOK {
				ids[answer["payment_id"]]++
			} else {
				t.Errorf("%d %v", status, answer)
			}
		})
	}
	wg.Wait()
	require.Len(t, ids, 1)

	for _, command := range [][]string{{"vault", "status"}, {"operations", "list"}, {"vault", "rows"}, {"migrate"}} {
		code, out, log := runProgram(t, env, command...)
		require.Equal(t, exitOK, code, "%v: %s", command, log)
		require.NotContains(t, out+log, "hunter2")
	}
	for _, n := range nodes {
		code, log := n.stop()
		require.Equal(t, exitOK, code, log)
		require.NotContains(t, log, "hunter2")
		require.NotContains(t, log, "4242424242424242")
	}
}

// TestGuidesOnPostgres follows the guides of the API on PostgreSQL.
func TestGuidesOnPostgres(t *testing.T) {
	costly(t)
	t.Parallel()
	for _, guide := range []string{"engine/routing/README.md", "router/HOLDS.md", "router/INSTALLMENTS.md", "router/LINKS.md", "router/REFUNDS.md", "router/RELAY.md",
		"router/SAVED_CARDS.md", "router/THREE_DS.md"} {
		t.Run(guide, func(t *testing.T) {
			dsn := pgtest.Empty(t)
			followGuideOn(t, guide, append(testEnv(t, t.TempDir()), "PAYSWITCH_STORAGE__DSN="+dsn, "PAYSWITCH_STORAGE__POSTGRES__CONNECTIONS=8"))
			require.NotEqual(t, []string{"0"}, pgtest.Rows(t, dsn, "SELECT count(*)::text FROM payments"), "the guide was followed on PostgreSQL")
		})
	}
}

// TestSystemPageOnPostgres: the dashboard's page of the installation has its checks on PostgreSQL too, and no password.
func TestSystemPageOnPostgres(t *testing.T) {
	costly(t)
	t.Parallel()
	o := newOfficeOn(t, onPostgres(t, pgtest.Empty(t)))
	o.pay("4242424242424242", nil)
	html := o.shows(o.as(staff.Operator)+"/system", "clock: not behind the database", "MB are free for compiled adapters", "operations: 0 with an unknown result")
	require.NotContains(t, html, "hunter2")
}

// TestPostgresRole runs the commands of OPERATIONS.md, and a switch as the role that they make.
func TestPostgresRole(t *testing.T) {
	costly(t)
	t.Parallel()
	text, err := os.ReadFile("OPERATIONS.md")
	require.NoError(t, err)
	commands := regexp.MustCompile(`(?m)^    ((?:CREATE ROLE|CREATE DATABASE|REVOKE) .*;)$`).FindAllStringSubmatch(string(text), -1)
	require.Len(t, commands, 3)
	server := pgtest.Own(t)
	for _, c := range commands {
		require.NoError(t, pgtest.Run(server.DSN("postgres"), c[1]))
	}
	dsn := strings.Replace(server.DSN("payswitch"), "postgres@", "payswitch:hunter2@", 1)
	env := append(testEnv(t, t.TempDir()), "PAYSWITCH_STORAGE__DSN="+dsn)
	code, _, log := runProgram(t, env, "migrate")
	require.Equal(t, exitOK, code, log)
	n := start(t, env, "serve")
	key := n.shop("shop")
	require.Equal(t, "succeeded", n.must(key, "/payments", cardPayment("pay_one"))["status"])

	demo := start(t, append(testEnv(t, t.TempDir())[4:], "PAYSWITCH_STORAGE__DSN="+strings.Replace(server.Create(t), "postgres@", "postgres:hunter2@", 1)),
		"demo", "--data", t.TempDir(), "--listen", "127.0.0.1:0")
	status, page := demo.text("/health")
	require.Equal(t, http.StatusOK, status, page)
	require.NotContains(t, demo.banner, "hunter2")
}

// TestPostgresAway kills the database of a running switch. The switch says at once that it is away, and goes on when it is back.
func TestPostgresAway(t *testing.T) {
	costly(t)
	t.Parallel()
	server := pgtest.Own(t)
	env := onPostgres(t, server.Create(t))
	n := start(t, env, "serve")
	key := n.shop("shop")
	n.must(key, "/payments", cardPayment("pay_before"))
	server.Kill(t)
	status, header, answer := n.post(key, "/payments", cardPayment("pay_away"), "")
	require.Equal(t, http.StatusServiceUnavailable, status, answer)
	require.Equal(t, "1", header.Get("Retry-After"))
	require.Contains(t, fmt.Sprint(answer), "The database does not answer: try again")
	require.NotContains(t, fmt.Sprint(answer), "hunter2")
	status, answer = n.call(key, "/payments/pay_before", nil)
	require.Equal(t, http.StatusServiceUnavailable, status, answer)
	require.Eventually(t, func() bool { status, _ := n.text("/health"); return status == http.StatusServiceUnavailable }, 20*time.Second, 20*time.Millisecond)
	server.Start(t)
	require.Eventually(t, func() bool { status, _ := n.text("/health"); return status == http.StatusOK }, 30*time.Second, 20*time.Millisecond)
	require.Equal(t, "succeeded", n.must(key, "/payments/pay_before", nil)["status"])
	require.Equal(t, "succeeded", n.must(key, "/payments", cardPayment("pay_after"))["status"])
	code, log := n.stop()
	require.Equal(t, exitOK, code, log)
	require.NotContains(t, log, "hunter2")
}

// TestPostgresPointInTime brings a database back to an earlier moment with PostgreSQL's own archive. The node notices it at its start, without
// being asked to, and goes on as after any restore. Doctor runs before and after.
func TestPostgresPointInTime(t *testing.T) {
	costly(t)
	t.Parallel()
	server := pgtest.Own(t)
	server.Archive(t)
	dsn := server.Create(t)
	env := onPostgres(t, dsn)
	n := start(t, env, "serve")
	key := n.shop("shop")
	n.must(key, "/payments", cardPayment("before"))
	held := cardPayment("held")
	held["capture_method"] = "manual"
	n.must(key, "/payments", held)
	open := cardPayment("open")
	open["confirm"] = false
	n.must(key, "/payments", open)
	code, out, log := runProgram(t, env, "doctor")
	require.Equal(t, exitOK, code, out+log)
	require.Contains(t, out, "the schema of this release")
	require.Contains(t, out, "MB are free for compiled adapters")
	moment, err := time.Parse("2006-01-02 15:04:05.999999-07", pgtest.Rows(t, dsn, "SELECT clock_timestamp()::text")[0])
	require.NoError(t, err)
	n.must(key, "/payments", cardPayment("after"))
	n.stop()
	c, err := loadConfig(defaultConfig(), "", false, env)
	require.NoError(t, err)
	db, err := storage.Open(t.Context(), dsn, storage.Options{})
	require.NoError(t, err)
	seen, err := (&node{config: c, db: db}).seenFile(t.Context()) // other tests note their databases in the same folder
	require.NoError(t, err)
	require.NoError(t, db.Close())
	n = start(t, env, "serve") // its first act is to note how far the database has come
	require.Eventually(t, func() bool {
		at, _, err := readSeen(seen)
		return err == nil && at == 3
	}, probeWait*10, probeWait/100)
	_, log = n.stop()
	require.NotContains(t, log, "restored")
	_, written, err := readSeen(seen)
	require.NoError(t, err)

	back := server.At(t, moment)
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	env = append(without(env, "PAYSWITCH_STORAGE__DSN"), "PAYSWITCH_STORAGE__DSN="+back.DSN(strings.TrimPrefix(u.Path, "/")))
	n = start(t, env, "serve")
	require.Equal(t, "succeeded", n.must(key, "/payments/before", nil)["status"])
	status, _ := n.call(key, "/payments/after", nil)
	require.Equal(t, http.StatusNotFound, status)
	status, answer := n.call(key, "/payments/open/confirm", object{"payment_method": "card", "payment_method_data": cardPayment("x")["payment_method_data"]})
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, fmt.Sprint(answer), "restored from a back-up")
	require.Equal(t, "succeeded", n.must(key, "/payments/held/capture", object{})["status"])
	require.Equal(t, "succeeded", n.must(key, "/payments", cardPayment("next"))["status"])
	_, log = n.stop()
	require.Contains(t, log, "the database is older than when a node last used it")
	require.Contains(t, log, "the database was restored from a copy")

	// Another node has last seen the lost operations too. The restore is noted already: it asks for no second one.
	require.NoError(t, writeSeen(seen, 1000))
	require.NoError(t, os.Chtimes(seen, written, written))
	n = start(t, env, "serve")
	_, log = n.stop()
	require.NotContains(t, log, "restored")
}

// TestKillPostgres is TestKill on PostgreSQL.
func TestKillPostgres(t *testing.T) {
	costly(t)
	server := pgtest.Own(t)
	testKill(t, onPostgres(t, server.Create(t)))
}

// TestPostgresKilledUnderLoad kills the database in the middle of payments. Every payment that was answered is there, and every other one comes
// to an end.
func TestPostgresKilledUnderLoad(t *testing.T) {
	costly(t)
	server := pgtest.Own(t)
	env := append(onPostgres(t, server.Create(t)), "PAYSWITCH_PLUGINS__SEND_TIMEOUT=3s", "PAYSWITCH_ENGINE__LEASE_TIME=5s", "PAYSWITCH_ENGINE__RESOLVE_EVERY=200ms")
	p := startProcess(t, env, "serve")
	key := p.shop("shop")
	var mu sync.Mutex
	answered, asked := map[string]object{}, map[string]bool{}
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for c := range 8 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				id := fmt.Sprintf("pay_%d_%d", c, i)
				status, answer, err := p.try(key, "/payments", cardPayment(id))
				mu.Lock()
				asked[id] = true
				if err == nil && status == http.StatusOK {
					answered[id] = answer
				}
				mu.Unlock()
				if status == http.StatusServiceUnavailable {
					time.Sleep(20 * time.Millisecond) // as Retry-After asks, shortened
				}
			}
		})
	}
	count := func() int { mu.Lock(); defer mu.Unlock(); return len(answered) }
	for round := range 2 {
		want := count() + 60
		require.Eventually(t, func() bool { return count() >= want }, time.Minute, time.Millisecond, "round %d", round)
		server.Kill(t)
		server.Start(t)
	}
	want := count() + 20
	require.Eventually(t, func() bool { return count() >= want }, time.Minute, time.Millisecond)
	stop()
	wg.Wait()
	for id := range asked {
		require.Eventually(t, func() bool {
			status, is := p.call(key, "/payments/"+id, nil)
			if was, ok := answered[id]; ok {
				return is["status"] == was["status"] && is["connector_transaction_id"] == was["connector_transaction_id"]
			}
			return status == http.StatusNotFound || is["status"] == "succeeded" || is["status"] == "failed" || is["status"] == "requires_payment_method"
		}, 30*time.Second, 200*time.Millisecond, "%s stays open", id)
	}
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, 0, p.exit(), p.stderr.String())
	require.False(t, strings.Contains(p.stderr.String(), "hunter2"))
	t.Logf("%d payments answered of %d", len(answered), len(asked))
}

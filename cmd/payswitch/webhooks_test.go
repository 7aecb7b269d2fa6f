package main

import (
	"crypto/hmac"
	"crypto/sha512"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/storage/pgtest"
)

// testShop receives events. It fails three times of ten: with a status, or by closing the connection, also after it has taken the event.
type testShop struct {
	*httptest.Server
	mu       sync.Mutex
	random   *rand.Rand
	key      []byte
	accepted []string          // ids of events in their order, repeats too
	bodies   map[string]string // by id of event
	problems []string
	failed   int
}

func newTestShop(t *testing.T) *testShop {
	s := &testShop{random: rand.New(rand.NewPCG(7, 7)), bodies: map[string]string{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *testShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var e struct {
		ID string `json:"event_id"`
	}
	if err != nil || json.Unmarshal(body, &e) != nil {
		return // the switch was killed while it sent
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := hmac.New(sha512.New, s.key)
	h.Write(body)
	if hex.EncodeToString(h.Sum(nil)) != r.Header.Get("X-Webhook-Signature-512") || r.Header.Get("webhook-id") != e.ID {
		s.problems = append(s.problems, "bad signature or id: "+e.ID)
	}
	if before, seen := s.bodies[e.ID]; seen && before != string(body) {
		s.problems = append(s.problems, "another body: "+e.ID)
	}
	s.bodies[e.ID] = string(body)
	n := 20
	if s.random != nil { // nil: never fails
		n = s.random.IntN(20)
	}
	switch {
	case n < 3:
		s.failed++
		w.WriteHeader(http.StatusInternalServerError)
		return
	case n < 5:
		s.failed++
		panic(http.ErrAbortHandler)
	case n == 5: // the answer gets lost: the event comes again
		s.failed++
		s.accepted = append(s.accepted, e.ID)
		panic(http.ErrAbortHandler)
	}
	s.accepted = append(s.accepted, e.ID)
}

func (s *testShop) seen() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]bool{}
	for _, id := range s.accepted {
		all[id] = true
	}
	return all
}

// mixed makes the nth payment: it has one to three events.
func mixed(p *running, key string, n int) error {
	id := fmt.Sprint("pay_", n)
	body := cardPayment(id)
	var then []string
	switch n % 5 {
	case 1:
		body["capture_method"], then = "manual", []string{"/payments/" + id + "/capture"}
	case 2:
		body["capture_method"], then = "manual", []string{"/payments/" + id + "/cancel"}
	case 3:
		body["payment_method_data"].(object)["card"].(object)["card_number"] = "4000000000000002"
	case 4:
		body["capture_method"], then = "manual", []string{"/payments/" + id + "/capture", "/refunds"}
	}
	paths, bodies := append([]string{"/payments"}, then...), []object{body, {}, {"payment_id": id, "amount": 100}}
	for i, path := range paths {
		if status, answer, err := p.try(key, path, bodies[i]); err != nil || status != http.StatusOK {
			return fmt.Errorf("%s: HTTP %d %v %w", path, status, answer, err)
		}
	}
	return nil
}

// TestWebhooksSurviveKills sends every event of many payments to a shop that fails three times of ten, and kills the switch in between: each event
// arrives, those of a payment in their order, and a repeat has the same id and body. TEST_ALL makes a thousand payments instead of a hundred.
func TestWebhooksSurviveKills(t *testing.T) {
	costly(t)
	const kills = 4
	batch := 25
	if os.Getenv("TEST_ALL") != "" {
		batch = 250
	}
	dir, shop := t.TempDir(), newTestShop(t)
	env := append(testEnv(t, dir), "PAYSWITCH_WEBHOOKS__ALLOW_PRIVATE=true", "PAYSWITCH_WEBHOOKS__RETRIES=100ms,200ms,300ms")
	p := startProcess(t, env, "serve")
	key := p.shop("m1")
	profile := p.must(testAdminKey, "/accounts/m1", nil)["default_profile"].(string)
	shop.key = []byte(p.must(key, "/account/m1/business_profile/"+profile, object{"webhook_details": object{"webhook_url": shop.URL + "/hook"}})["payment_response_hash_key"].(string))
	for k := range kills {
		var clients sync.WaitGroup
		failures := make(chan error, batch)
		for c := range 5 {
			clients.Go(func() {
				for n := c; n < batch; n += 5 {
					if err := mixed(p.running, key, k*batch+n); err != nil {
						failures <- err
					}
				}
			})
		}
		clients.Wait()
		close(failures)
		for err := range failures {
			require.NoError(t, err)
		}
		require.NoError(t, p.cmd.Process.Kill())
		p.exit()
		p = startProcess(t, env, "serve")
	}

	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "payswitch.db")+"?mode=ro")
	require.NoError(t, err)
	defer db.Close()
	events := map[string]storedEvent{}
	rows, err := db.Query(`SELECT id, CASE WHEN payment_id = '' THEN object_id ELSE payment_id END, number FROM events`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var id string
		var e storedEvent
		require.NoError(t, rows.Scan(&id, &e.payment, &e.number))
		events[id] = e
	}
	require.NoError(t, rows.Err())
	require.Equal(t, kills*batch*9/5, len(events), "1, 2, 2, 1 and 3 events by turns")
	require.Eventually(t, func() bool { return len(shop.seen()) >= len(events) }, 60*time.Second, 50*time.Millisecond, "an event is lost: %v", p.stderr)
	shop.inOrder(t, events)
	t.Logf("%d events accepted %d times, %d failures, %d kills", len(events), len(shop.accepted), shop.failed, kills)
}

// storedEvent is the numberth event of a payment.
type storedEvent struct {
	payment string
	number  int
}

// inOrder checks that the shop got only these events, those of a payment in their order and none left out.
func (s *testShop) inOrder(t *testing.T, events map[string]storedEvent) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Empty(t, s.problems)
	latest := map[string]int{}
	for _, id := range s.accepted {
		e, ok := events[id]
		require.True(t, ok, "an event that the switch does not have: %s", id)
		require.GreaterOrEqual(t, e.number, latest[e.payment], "out of order: %s", e.payment)
		require.LessOrEqual(t, e.number, latest[e.payment]+1, "an event was left out: %s", e.payment)
		latest[e.payment] = e.number
	}
}

// TestWebhooksAtTwoNodes sends the events of many payments from two nodes on one PostgreSQL. First nothing fails: each event is sent once. Then the
// shop fails, and a node is killed after each batch while the other goes on: nothing is lost, and the events of a payment keep their order.
func TestWebhooksAtTwoNodes(t *testing.T) {
	costly(t)
	t.Parallel()
	const batch, kills = 100, 4
	server, shop := pgtest.Own(t), newTestShop(t)
	random := shop.random
	shop.random = nil
	dsn := server.Create(t)
	env := append(onPostgres(t, dsn), "PAYSWITCH_WEBHOOKS__ALLOW_PRIVATE=true", "PAYSWITCH_WEBHOOKS__RETRIES=100ms,200ms,300ms", "PAYSWITCH_WEBHOOKS__TIMEOUT=2s",
		"PAYSWITCH_PLUGINS__SEND_TIMEOUT=2s", "PAYSWITCH_ENGINE__LEASE_TIME=5s")
	nodes := []*process{startProcess(t, env, "serve"), startProcess(t, env, "serve")}
	key := nodes[0].shop("m1")
	profile := nodes[0].must(testAdminKey, "/accounts/m1", nil)["default_profile"].(string)
	path := "/account/m1/business_profile/" + profile
	shop.key = []byte(nodes[0].must(key, path, object{"webhook_details": object{"webhook_url": shop.URL + "/hook"}})["payment_response_hash_key"].(string))
	for _, n := range nodes { // the other node learns of key and profile within a second
		require.Eventually(t, func() bool {
			status, is := n.call(key, path, nil)
			return status == http.StatusOK && is["webhook_details"] != nil
		}, time.Minute, 20*time.Millisecond)
	}
	buy := func(from int) {
		var clients sync.WaitGroup
		for c := range 6 {
			clients.Go(func() {
				for i := c; i < batch; i += 6 {
					if err := mixed(nodes[i%2].running, key, from+i); err != nil {
						t.Error(err)
					}
				}
			})
		}
		clients.Wait()
		require.False(t, t.Failed())
	}
	stored := func() map[string]storedEvent {
		events := map[string]storedEvent{}
		for _, line := range pgtest.Rows(t, dsn, `SELECT id || ' ' || CASE WHEN payment_id = '' THEN object_id ELSE payment_id END || ' ' || number FROM events`) {
			var id string
			var e storedEvent
			_, err := fmt.Sscan(line, &id, &e.payment, &e.number)
			require.NoError(t, err, line)
			events[id] = e
		}
		return events
	}
	arrived := func() map[string]storedEvent {
		t.Helper()
		events := stored()
		require.Eventually(t, func() bool { return len(shop.seen()) >= len(events) }, time.Minute, 50*time.Millisecond, "an event is lost")
		shop.inOrder(t, events)
		require.Equal(t, []string{fmt.Sprint(len(events))}, pgtest.Rows(t, dsn, `SELECT count(*)::text FROM deliveries`), "an event has one delivery")
		return events
	}
	buy(0)
	require.Len(t, arrived(), batch*9/5)
	require.Len(t, shop.accepted, batch*9/5, "each event is sent once")
	require.Eventually(t, func() bool { // a node notes an attempt after the shop's answer
		return len(pgtest.Rows(t, dsn, `SELECT id FROM delivery_attempts`)) == batch*9/5
	}, time.Minute, 20*time.Millisecond)

	shop.mu.Lock()
	shop.random = random
	shop.mu.Unlock()
	for k := range kills {
		buy(batch * (k + 1))
		n := &nodes[k%2]
		require.NoError(t, (*n).cmd.Process.Kill())
		(*n).exit()
		if k == kills-1 {
			break // the other node takes over what this one had
		}
		*n = startProcess(t, env, "serve")
	}
	require.Len(t, arrived(), (kills+1)*batch*9/5)
	t.Logf("%d events accepted %d times, %d failures", (kills+1)*batch*9/5, len(shop.accepted), shop.failed)
}

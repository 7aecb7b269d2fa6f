package main

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNoGrowthThreeDS runs many authentications through the program as it is shipped, and compares what is held before and after: goroutines, the
// adapters' instances, and the rows of what lives for a short time. TEST_AUTHENTICATIONS sets how many; the default is small.
//
//	TEST_AUTHENTICATIONS=10000 go test ./cmd/payswitch -run NoGrowthThreeDS -v -timeout 30m
func TestNoGrowthThreeDS(t *testing.T) {
	costly(t)
	total, err := strconv.Atoi(os.Getenv("TEST_AUTHENTICATIONS"))
	if err != nil {
		total = 300
	}
	dir := t.TempDir()
	p := startProcess(t, append(testEnv(t, dir), "PAYSWITCH_ENGINE__RESOLVE_EVERY=200ms"), "serve")
	g := &growth{running: p.running, key: p.shop("shop")}
	p.authenticateBy("shop", g.key, "simulator3ds", "https://shop.example")
	g.run(64) // pools and connections have their size now
	goroutines, instances := g.gauge("go_goroutines"), g.gauge("payswitch_adapter_instances")
	began := time.Now()
	g.run(total)
	took := time.Since(began)

	var after, pool float64
	held := func() bool {
		after, pool = g.gauge("go_goroutines"), g.gauge("payswitch_adapter_instances")
		return after <= goroutines+20 && g.gauge("payswitch_adapter_operations") == 0
	}
	require.Eventually(t, held, 30*time.Second, 100*time.Millisecond, "goroutines stay")
	t.Logf("%d authentications in %s (%.0f/s): goroutines %.0f → %.0f, instances %.0f → %.0f; ends %v", total, took.Round(time.Second),
		float64(total)/took.Seconds(), goroutines, after, instances, pool, g.ends)
	require.LessOrEqual(t, pool, max(instances, 2*growthClients*2), "no more instances than can be in use at once")

	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "payswitch.db")+"?mode=ro")
	require.NoError(t, err)
	defer db.Close()
	for what, query := range map[string]string{
		"keys of cards":                 `SELECT count(*) FROM short_term_keys`,
		"cards of unconfirmed payments": `SELECT count(*) FROM card_tokens`,
		"cards of authentications":      `SELECT count(*) FROM authentications WHERE instrument IS NOT NULL OR request IS NOT NULL`,
		"cards of operations":           `SELECT count(*) FROM operations WHERE instrument IS NOT NULL`,
		"authentications still due":     `SELECT count(*) FROM authentications WHERE due_at <> 0`,
		"leases of authentications":     `SELECT count(*) FROM authentications WHERE owner <> ''`,
		"open operations":               `SELECT count(*) FROM operations WHERE closed_at = 0 OR owner <> '' OR due_at IS NOT NULL`,
		"payments in flight":            `SELECT count(*) FROM payments WHERE open_operation <> ''`,
		"evidence":                      `SELECT count(*) FROM evidence`,
	} {
		var rows int
		require.Eventually(t, func() bool { require.NoError(t, db.QueryRow(query).Scan(&rows)); return rows == 0 }, 10*time.Second, 100*time.Millisecond,
			"%s: %d rows stay", what, rows)
	}
	var authentications, operations int
	require.NoError(t, db.QueryRow(`SELECT count(*) FROM authentications`).Scan(&authentications))
	require.NoError(t, db.QueryRow(`SELECT count(*) FROM operations`).Scan(&operations))
	require.Equal(t, total+64, authentications)
	require.LessOrEqual(t, operations, 4*(total+64), "look-up, AReq, result, authorization")
}

// growthClients is how many payers there are at a time.
const growthClients = 16

// growth makes authentications.
type growth struct {
	*running
	key    string
	number atomic.Int64
	mu     sync.Mutex
	ends   map[string]int
}

// gauge returns the sum of a metric's series.
func (g *growth) gauge(name string) (sum float64) {
	g.t.Helper()
	text := g.metrics()
	found := regexp.MustCompile(`(?m)^`+name+`(?:\{[^}]*\})? (\S+)$`).FindAllStringSubmatch(text, -1)
	require.NotEmpty(g.t, found, "no metric %s", name)
	for _, m := range found {
		v, err := strconv.ParseFloat(m[1], 64)
		require.NoError(g.t, err)
		sum += v
	}
	return sum
}

// run makes n authentications that end in every way there is.
func (g *growth) run(n int) {
	g.t.Helper()
	g.ends = map[string]int{}
	var left atomic.Int64
	left.Store(int64(n))
	var all sync.WaitGroup
	failed := make(chan error, growthClients)
	for range growthClients {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := g.one(g.number.Add(1)); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	for err := range failed {
		require.NoError(g.t, err)
	}
}

// growthCards are the cards used in turn, with the code where there is a challenge: passed, failed, cancelled by the merchant in between ("").
var growthCards = []struct{ digits, otp string }{{"0100", ""}, {"0170", "1234"}, {"0110", ""}, {"0170", "1111"}, {"0150", ""}, {"0170", ""}, {"0160", ""}, {"0175", "1234"}}

func (g *growth) one(i int64) error {
	card, id := growthCards[i%int64(len(growthCards))], fmt.Sprint("pay_", i)
	status, p, err := g.try(g.key, "/payments", securePayment(id, card.digits))
	if err != nil || p["status"] != "requires_customer_action" {
		return fmt.Errorf("%s: HTTP %d %v %w", id, status, p, err)
	}
	status, out, err := g.try(g.key, "/payments/"+id+"/3ds/authentication", object{"client_secret": p["client_secret"], "device_channel": "BRW", "threeds_method_comp_ind": "U"})
	if err != nil || status != 200 {
		return fmt.Errorf("%s: HTTP %d %v %w", id, status, out, err)
	}
	if out["trans_status"] == "C" {
		if card.otp == "" {
			_, _, err = g.try(g.key, "/payments/"+id+"/cancel", object{})
		} else {
			var to, cres string
			if to, cres, err = confirmAt(g.url, out, card.otp); err == nil && !post(to, url.Values{"cres": {cres}}) {
				err = fmt.Errorf("%s: the CRes was not taken", id)
			}
		}
		if err != nil {
			return err
		}
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_, p, err = g.try(g.key, "/payments/"+id+"?force_sync=true", nil)
		if err != nil {
			return err
		}
		if now, _ := p["status"].(string); now != "processing" && now != "requires_customer_action" {
			g.mu.Lock()
			g.ends[now]++
			g.mu.Unlock()
			return nil
		}
	}
	return fmt.Errorf("%s does not end: %v", id, p["status"])
}

// TestBytesOfAPayment measures what a payment adds to the database: the rows with their indexes, once without a webhook endpoint and once with one that
// has received its event.
func TestBytesOfAPayment(t *testing.T) {
	costly(t)
	const payments = 600
	dir, shop := t.TempDir(), newTestShop(t)
	shop.random = nil
	p := startProcess(t, append(testEnv(t, dir), "PAYSWITCH_WEBHOOKS__ALLOW_PRIVATE=true"), "serve")
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "payswitch.db")+"?mode=ro")
	require.NoError(t, err)
	defer db.Close()
	number := func(query string) (n float64) {
		require.NoError(t, db.QueryRow(query).Scan(&n))
		return n
	}
	const used = `SELECT (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size()) - (SELECT freelist_count FROM pragma_freelist_count()) * 8192`
	bytesEach := func(key, prefix string) float64 {
		require.NoError(t, mixedSale(p.running, key, prefix+"first"))
		before := number(used)
		for n := range payments {
			require.NoError(t, mixedSale(p.running, key, fmt.Sprint(prefix, n)))
		}
		return (number(used) - before) / payments
	}
	key := p.shop("m1")
	without := bytesEach(key, "pay_0197b2f6c3a1e7c44a7d3f1c2b3a4")
	profile := p.must(testAdminKey, "/accounts/m1", nil)["default_profile"].(string)
	shop.key = []byte(p.must(key, "/account/m1/business_profile/"+profile, object{"webhook_details": object{"webhook_url": shop.URL + "/hook"}})["payment_response_hash_key"].(string))
	with := bytesEach(key, "pay_0197b2f6c3a1e7c44a7d3f1c2b3a5")
	require.Eventually(t, func() bool { return len(shop.seen()) > payments }, 30*time.Second, 20*time.Millisecond)
	t.Logf("%.0f bytes a payment, %.0f with a delivery; body of an event %.0f", without, with, number(`SELECT avg(length(body)) FROM events`))
	rows, err := db.Query(`SELECT name, sum(pgsize) / ` + fmt.Sprint(2*payments) + ` FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 24`)
	if err == nil {
		defer rows.Close()
		for rows.Next() {
			var name string
			var n float64
			require.NoError(t, rows.Scan(&name, &n))
			t.Logf("%8.0f %s", n, name)
		}
	}
	require.LessOrEqual(t, with, 5120.0, "a payment costs at most 5 KB, its delivery and its journal record included")
}

// mixedSale makes a payment with what a checkout sends: a customer, an address, a browser.
func mixedSale(p *running, key, id string) error {
	body := cardPayment(id)
	body["email"], body["description"], body["return_url"] = "ada@example.com", "two books", "https://shop.example/done"
	body["billing"] = object{"address": object{"line1": "1 Main Street", "city": "Geneva", "zip": "1200", "country": "CH", "first_name": "Ada", "last_name": "Lovelace"}}
	body["browser_info"] = object{"language": "en-GB", "user_agent": "Mozilla/5.0 (X11; Linux x86_64)", "ip_address": "203.0.113.7", "color_depth": 24, "screen_height": 1080,
		"screen_width": 1920, "time_zone": 0, "java_enabled": false, "java_script_enabled": true, "accept_header": "*/*"}
	if status, answer, err := p.try(key, "/payments", body); err != nil || status != 200 {
		return fmt.Errorf("%s: HTTP %d %v %w", id, status, answer, err)
	}
	return nil
}

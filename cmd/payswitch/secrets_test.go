package main

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSecretsStayIn pays in all kinds of ways, well-formed and not, at the most talkative log level. Afterwards no card number, CVC or key
// stands in the log, the database, its write-ahead log, or any other file the switch has written.
func TestSecretsStayIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := append(testEnv(t, dir), "PAYSWITCH_LOG__LEVEL=debug", "PAYSWITCH_PLUGINS__CACHE_DIRECTORY="+newCache(t, filepath.Join(dir, "cache")))
	p := startProcess(t, env, "serve")
	key := p.shop("shop")
	numbers := []string{"4242424242424242", "378282246310005", "4000000000000002", "4000000000003220", "4242424242424241"}
	for i, number := range numbers {
		for j, change := range []func(object){
			func(object) {},
			func(o object) { o["authentication_type"] = "three_ds" },
			func(o object) { o["confirm"] = false },
			func(o object) { o["capture_method"] = "manual" },
			func(o object) { o["setup_future_usage"] = "off_session"; o["customer_id"] = "cus" },
			func(o object) { o["amount"] = 900000030 }, // ends unknown: the card is kept, sealed
			func(o object) { o["currency"] = "XXX" },
			func(o object) { o["payment_method_data"].(object)["card"].(object)["card_exp_month"] = "13" },
			func(o object) { o["payment_method_data"].(object)["card"].(object)["card_cvc"] = "98765" },
			func(o object) { o["payment_method_data"] = number },
			func(o object) { o["card_number"] = number },
		} {
			o := cardPayment("pay_" + strconv.Itoa(i) + "_" + strconv.Itoa(j))
			o["payment_method_data"].(object)["card"].(object)["card_number"] = number
			o["payment_method_data"].(object)["card"].(object)["card_cvc"] = "98765"[:3]
			change(o)
			status, _ := p.call(key, "/payments", o)
			require.NotEqual(t, http.StatusInternalServerError, status)
		}
	}
	account := p.must(key, "/account/shop/connectors", object{"connector_type": "payment_processor", "connector_name": "simulator", "connector_label": "second",
		"connector_account_details": object{"auth_type": "HeaderKey", "api_key": "sk_secret_of_the_merchant"}})
	require.NotContains(t, account["connector_account_details"], "sk_secret_of_the_merchant")
	require.NoError(t, p.cmd.Process.Kill()) // whatever is on the disk now stays there
	p.exit()

	texts := map[string]string{"log": p.stderr.String()}
	require.NotEmpty(t, texts["log"])
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			texts[path] = string(b)
			return err
		}
		return err
	}))
	require.Greater(t, len(texts), 2)
	secrets := append(numbers, key, "sk_secret_of_the_merchant", "Ada Lovelace", `"987"`)
	for name, text := range texts {
		for _, s := range secrets {
			require.False(t, strings.Contains(text, s), "%s holds %s", name, s)
		}
	}
}

// BenchmarkResident takes 10,000 payments and reports the process's resident memory after them.
func BenchmarkResident(b *testing.B) {
	for b.Loop() {
		p := startProcess(b, testEnv(b, b.TempDir()), "serve")
		key := p.shop("shop")
		next := make(chan int)
		failed := make(chan error, clients)
		for range clients {
			go func() {
				for range next {
					if err := payOnce(http.DefaultClient, p.url, key); err != nil {
						failed <- err
						return
					}
				}
				failed <- nil
			}()
		}
		for i := range 10_000 {
			next <- i
		}
		close(next)
		for range clients {
			require.NoError(b, <-failed)
		}
		b.ReportMetric(resident(b, p.cmd.Process.Pid), "MB-resident")
		require.NoError(b, p.cmd.Process.Kill())
		p.exit()
	}
}

// resident returns a process's resident memory in megabytes (Linux: proc(5), VmRSS).
func resident(t testing.TB, pid int) float64 {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		require.Empty(t, os.Getenv("TEST_ALL"), "make test skips nothing: it needs /proc")
		t.Skip("needs /proc")
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) == 3 && fields[0] == "VmRSS:" {
			kb, err := strconv.ParseFloat(fields[1], 64)
			require.NoError(t, err)
			return kb / 1024
		}
	}
	t.Fatal("no VmRSS")
	return 0
}

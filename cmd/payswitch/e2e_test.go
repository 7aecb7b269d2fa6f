package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/port"
)

func TestServeNeedsMasterKey(t *testing.T) {
	code, stdout, stderr := runProgram(t, nil, "serve", "--config", writeConfig(t, ""))
	require.Equal(t, exitFailed, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "openssl rand -base64 32")
	require.Contains(t, stderr, "PAYSWITCH_VAULT__MASTER_KEY")
}

func TestServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := testEnv(t, dir)
	r := start(t, env, "serve", "--config", writeConfig(t, ""))
	require.True(t, strings.HasSuffix(r.banner, "\n\npayswitch is listening on "+r.url+"\n"), r.banner)
	require.Regexp(t, oneTimeLink, r.banner, "the dashboard's first user follows a link")
	status, text := r.text("/health")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "health is good", text)

	key := r.shop("shop")
	paid := r.must(key, "/payments", cardPayment("pay_one"))
	require.Equal(t, "succeeded", paid["status"])
	require.EqualValues(t, 6540, paid["amount_received"])

	text = r.metrics()
	require.Contains(t, text, `payswitch_payments_total{connector="simulator",status="succeeded"} 1`)
	require.Contains(t, text, `payswitch_operation_seconds_count{connector="simulator",kind="authorize",status="succeeded"} 1`)
	require.Contains(t, text, `payswitch_adapter_step_seconds_count{adapter="simulator"}`)
	require.Contains(t, text, `payswitch_http_request_seconds_count{method="POST",route="/payments",status="200"} 1`)
	require.Contains(t, text, `payswitch_commit_batch_size_count`)

	code, log := r.stop()
	require.Equal(t, exitOK, code, log)
	require.Contains(t, log, `"msg":"stopped"`)
	for _, secret := range []string{key, testAdminKey, testMasterKey, "4242424242424242"} {
		require.NotContains(t, log, secret)
	}
	_, err := http.Get(r.url + "/health")
	require.Error(t, err, "it has stopped listening")

	again := start(t, env, "serve", "--config", writeConfig(t, ""))
	kept := again.must(key, "/payments/pay_one", nil)
	for _, field := range []string{"status", "amount_received", "connector_transaction_id", "created"} {
		require.Equal(t, paid[field], kept[field], field)
	}
	code, log = again.stop()
	require.Equal(t, exitOK, code, log)

	other := append(env, "PAYSWITCH_VAULT__MASTER_KEY=AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=")
	code, _, log = runProgram(t, other, "serve", "--config", writeConfig(t, ""))
	require.Equal(t, exitFailed, code)
	require.Contains(t, log, "vault.master_key (PAYSWITCH_VAULT__MASTER_KEY): open vault: the master key given (local:")
	require.Contains(t, log, "(needed: local:")
	code, _, log = runProgram(t, withoutMasterKey(env), "serve", "--config", writeConfig(t, ""))
	require.Equal(t, exitFailed, code)
	require.Contains(t, log, "vault.master_key is not set")
	require.Contains(t, log, "This database needs local:")

	b, err := os.ReadFile(filepath.Join(dir, "payswitch.db"))
	require.NoError(t, err)
	require.NotContains(t, string(b), "4242424242424242", "no card number in the database")
	require.NotContains(t, string(b), key)
}

func TestServeWithoutAdapters(t *testing.T) {
	require.ErrorContains(t, checkAdapters(nil, ""), "make plugins")
	require.NoError(t, checkAdapters(nil, "adapters"), "they may be dropped in later")
	require.NoError(t, checkAdapters([]port.AdapterInfo{{Name: "simulator"}}, ""))
}

func TestServeAddressTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	env := append(testEnv(t, t.TempDir()), "PAYSWITCH_SERVER__LISTEN="+l.Addr().String())
	code, _, stderr := runProgram(t, env, "serve", "--config", writeConfig(t, ""))
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "server.listen: another program listens on "+l.Addr().String()+": end it, or choose another port with PAYSWITCH_SERVER__LISTEN")
}

func TestMetricsApart(t *testing.T) {
	address := freeAddress(t)
	r := start(t, append(testEnv(t, t.TempDir()), "PAYSWITCH_METRICS__LISTEN="+address), "serve", "--config", writeConfig(t, ""))
	status, _ := r.text("/metrics")
	require.Equal(t, http.StatusNotFound, status)
	apart := &running{t: t, url: "http://" + address}
	status, text := apart.text("/metrics")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, text, "payswitch_build_info")
}

// TestDemoCurl executes the command that the demo prints, as it stands.
func TestDemoCurl(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	env := testEnv(t, t.TempDir())[4:] // the adapters alone
	args := []string{"demo", "--data", data, "--listen", "127.0.0.1:0"}
	var keys []string
	for range 2 { // the second time it finds what the first has made
		r := start(t, env, args...)
		require.Contains(t, r.banner, "DEMO KEY: not for production")
		command := curlIn(r.banner)
		paste(t, command)
		_, key, _ := strings.Cut(command, "api-key: ")
		key, _, _ = strings.Cut(key, "'")
		keys = append(keys, key)
		require.EqualValues(t, len(keys), r.must(keys[0], "/payments/list", nil)["size"])
		if len(keys) == 2 { // the README's, too
			readme, err := os.ReadFile(filepath.Join(root, "README.md"))
			require.NoError(t, err)
			paste(t, strings.NewReplacer("YOUR_KEY", key, "http://127.0.0.1:8080", r.url).Replace(curlIn(string(readme))))
		}
		code, log := r.stop()
		require.Equal(t, exitOK, code, log)
	}
	require.Equal(t, keys[0], keys[1], "a restart keeps the keys")
	info, err := os.Stat(filepath.Join(data, "keys.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// curlIn returns the first curl command in a text, which ends at an empty line.
func curlIn(text string) string {
	_, command, _ := strings.Cut(text, "curl ")
	command, _, _ = strings.Cut(command, "\n\n")
	return "curl " + command
}

// paste runs a curl command as a shell would, and wants a payment that has succeeded. Without the program curl it sends the command's request itself.
func paste(t *testing.T, command string) {
	t.Helper()
	var out []byte
	var err error
	if _, missing := exec.LookPath("curl"); missing == nil {
		out, err = exec.Command("sh", "-c", command).CombinedOutput()
	} else {
		out, err = sendCurl(command)
	}
	require.NoError(t, err, "%s", out)
	var payment object
	require.NoError(t, json.Unmarshal(out, &payment), "%s", out)
	require.Equal(t, "succeeded", payment["status"])
	require.EqualValues(t, 6540, payment["amount_received"])
}

var (
	curlURL    = regexp.MustCompile(`http://\S+`)
	curlHeader = regexp.MustCompile(`-H '([^:']+): ([^']*)'`)
	curlData   = regexp.MustCompile(`-d '([^']*)'`)
)

func sendCurl(command string) ([]byte, error) {
	req, err := http.NewRequest(http.MethodPost, curlURL.FindString(command), strings.NewReader(curlData.FindStringSubmatch(command)[1]))
	if err != nil {
		return nil, err
	}
	for _, h := range curlHeader.FindAllStringSubmatch(command, -1) {
		req.Header.Set(h[1], h[2])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func TestMigrateCommand(t *testing.T) {
	t.Parallel()
	env := testEnv(t, t.TempDir())
	config := writeConfig(t, "")
	code, stdout, stderr := runProgram(t, env, "migrate", "--dry-run", "--config", config)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "pending: 0001_init\n")
	code, stdout, stderr = runProgram(t, env, "migrate", "--config", config)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "applied: 0001_init\n")
	code, stdout, _ = runProgram(t, env, "migrate", "--config", config)
	require.Equal(t, exitOK, code)
	require.Equal(t, "the database is up to date\n", stdout)
}

// TestDrain ends the switch while a request is arriving: it is still answered.
func TestDrain(t *testing.T) {
	t.Parallel()
	r := start(t, testEnv(t, t.TempDir()), "serve", "--config", writeConfig(t, ""))
	key := r.shop("shop")
	body, err := json.Marshal(cardPayment("pay_late"))
	require.NoError(t, err)
	conn := r.begin(key, body, 10)

	code := make(chan int, 1)
	go func() { c, _ := r.stop(); code <- c }()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err == nil {
			conn.Close() // an open one without a request would be waited for as well
		}
		return err != nil
	}, 20*time.Second, 10*time.Millisecond, "it still takes connections")
	require.Empty(t, code, "it did not wait for the request")

	_, err = conn.Write(body[10:])
	require.NoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	var answer object
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer))
	require.Equal(t, "succeeded", answer["status"])
	require.Equal(t, exitOK, <-code)
}

// TestSignals sends real signals to a real process.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := startProcess(t, testEnv(t, t.TempDir()), "serve")
		require.NoError(t, p.cmd.Process.Signal(signal))
		require.Equal(t, exitOK, p.exit(), p.stderr)
		require.Contains(t, p.stderr.String(), `"msg":"stopped"`)
	}
}

// TestSecondSignal ends a switch that drains, at once.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	p := startProcess(t, testEnv(t, t.TempDir()), "serve")
	p.begin(p.shop("shop"), []byte(`{"amount": 1}`), 5)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool { return strings.Contains(p.stderr.String(), `"msg":"draining"`) }, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, -1, p.exit())
}

// TestKill pulls the plug in the middle of payments: every payment that was answered is there as it was answered; one that was not
// is either not there or comes to an end by itself.
func TestKill(t *testing.T) { testKill(t, testEnv(t, t.TempDir())) }

func testKill(t *testing.T, env []string) {
	env = append(env, "PAYSWITCH_PLUGINS__SEND_TIMEOUT=3s", "PAYSWITCH_ENGINE__LEASE_TIME=5s", "PAYSWITCH_ENGINE__RESOLVE_EVERY=200ms")
	p := startProcess(t, env, "serve")
	key := p.shop("shop")

	const clients = 8
	var mu sync.Mutex
	answered, lost, cut := map[string]object{}, []string(nil), 0
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("pay_%d_%d", c, i)
				status, answer, err := p.try(key, "/payments", cardPayment(id))
				mu.Lock()
				if err == nil && status == http.StatusOK {
					answered[id] = answer
				} else {
					lost = append(lost, id) // or told to try again, by a busy switch
				}
				if err != nil {
					cut++
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(answered) > 100 }, time.Minute, time.Millisecond)
	require.NoError(t, p.cmd.Process.Kill())
	wg.Wait()
	require.Equal(t, -1, p.exit())
	require.Equal(t, clients, cut, "every client is cut off in the middle of a payment")

	again := startProcess(t, env, "serve")
	for id, was := range answered {
		is := again.must(key, "/payments/"+id, nil)
		require.Equal(t, "succeeded", is["status"], id)
		require.Equal(t, was["connector_transaction_id"], is["connector_transaction_id"], id)
	}
	for _, id := range lost {
		require.Eventually(t, func() bool {
			status, is := again.call(key, "/payments/"+id, nil)
			return status == http.StatusNotFound || is["status"] == "succeeded" || is["status"] == "failed" || is["status"] == "requires_payment_method"
		}, 30*time.Second, 200*time.Millisecond, "%s stays open", id)
	}
	t.Logf("%d payments answered, %d cut off", len(answered), len(lost))
}

// BenchmarkStartup measures from starting the process to /health answering, with adapters compiled in the cache.
func BenchmarkStartup(b *testing.B) {
	env := testEnv(b, b.TempDir())
	warm := startProcess(b, env, "serve")
	require.NoError(b, warm.cmd.Process.Signal(syscall.SIGTERM))
	warm.exit()
	for b.Loop() {
		p := startProcess(b, env, "serve")
		status, _ := p.text("/health")
		require.Equal(b, http.StatusOK, status)
		b.StopTimer()
		require.NoError(b, p.cmd.Process.Signal(syscall.SIGTERM))
		require.Equal(b, exitOK, p.exit())
		b.StartTimer()
	}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/sandbox"
)

const testAdminKey = "test_admin_key_of_the_e2e_tests"

// scratch is a folder for what tests share: the adapters as built now, their compiled code, the program. TestMain removes it.
var scratch string

// compiledOnce is the name of a folder next to a program. The compilers of the program keep there what they made. compile_once.go has the name too.
const compiledOnce = "compiled-once"

func TestMain(m *testing.M) {
	itself, err := os.Executable()
	if err != nil {
		panic(err)
	}
	shared := filepath.Join(filepath.Dir(itself), compiledOnce)
	sandbox.BecomeKeepingCompiler(shared)
	if scratch, err = os.MkdirTemp("", "payswitch-test-"); err != nil {
		panic(err)
	}
	for _, step := range []error{os.RemoveAll(shared), os.Mkdir(shared, 0o700), os.Symlink(shared, filepath.Join(scratch, compiledOnce))} {
		if step != nil {
			panic(step)
		}
	}
	code := m.Run()
	os.RemoveAll(shared)
	os.RemoveAll(scratch)
	os.Exit(code)
}

// goBuild runs go build at the root. Adapters are built without the flags of make test, as make plugins builds them.
func goBuild(env []string, args ...string) error {
	if env != nil {
		env = append([]string{"GOFLAGS="}, env...)
	}
	cmd := exec.Command("go", append([]string{"build"}, args...)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// builtAdapters are the adapters of this repository that tests have asked for, by name: each is built once.
var builtAdapters sync.Map

// builtAdapter returns the file of an adapter as its source is now.
func builtAdapter(name string) (string, error) {
	once, _ := builtAdapters.LoadOrStore(name, sync.OnceValues(func() (string, error) {
		file := filepath.Join(scratch, "of-this-repository", name+".wasm")
		return file, goBuild(wasmEnv, wasmArgs(file, "./plugins/"+name+"/wasm")...)
	}))
	return once.(func() (string, error))()
}

// folderOf makes a folder in scratch with adapters as their source is now.
func folderOf(folder string, names ...string) (string, error) {
	dir := filepath.Join(scratch, folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, name := range names {
		file, err := builtAdapter(name)
		if err == nil {
			err = os.Link(file, filepath.Join(dir, name+".wasm"))
		}
		if err != nil {
			return "", err
		}
	}
	return dir, nil
}

// freeAddress returns an address to listen on again and again. Its port is below those that outgoing connections take.
func freeAddress(t testing.TB) string {
	t.Helper()
	for {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.N(10_000)))
		if err == nil {
			require.NoError(t, l.Close())
			return l.Addr().String()
		}
	}
}

// adapters is a folder with the simulator, and the authenticator that the simulated 3DS server is reached by, as their source is now; they go before
// built-in ones.
var adapters = sync.OnceValues(func() (string, error) {
	return folderOf("adapters", "simulator", "threedsecureio")
})

// binary is the program, built. A module that one node or command has compiled is not compiled again for another.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "payswitch")
	return path, goBuild(nil, "-tags", "compileonce", "-o", path, "./cmd/payswitch")
})

// cache is a folder with the adapters compiled. The built program fills it: with the race detector in it, compiling takes ten times as
// long, which a busy machine does not have within the sandbox's limit.
var cache = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "cache")
	program, err := binary()
	if err != nil {
		return "", err
	}
	folder, err := adapters()
	if err != nil {
		return "", err
	}
	var stderr lockedBuffer
	cmd := exec.Command(program, "serve")
	cmd.Env, cmd.Stderr = switchEnv(filepath.Join(scratch, "warm.db"), folder, dir), &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	_, err = bufio.NewReader(out).ReadString('\n') // it listens: everything is loaded
	cmd.Process.Signal(syscall.SIGTERM)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return "", fmt.Errorf("fill the cache: %w\n%s", err, &stderr)
	}
	return dir, nil
})

// newCache makes a folder with the compiled adapters. A test may read it, because no other test writes to it.
func newCache(t testing.TB, dir string) string {
	t.Helper()
	from, err := cache()
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() { // native code: the switch refuses a folder that others may write to
			err = os.Chmod(path, 0o700)
		}
		return err
	}))
	return dir
}

// testEnv returns the environment of a switch with its database in dir.
func testEnv(t testing.TB, dir string) []string {
	t.Helper()
	folder, err := adapters()
	require.NoError(t, err)
	compiled, err := cache()
	require.NoError(t, err)
	return switchEnv(filepath.Join(dir, "payswitch.db"), folder, compiled)
}

// withoutMasterKey returns the environment without the variable of the master key.
func withoutMasterKey(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(s string) bool { return strings.HasPrefix(s, "PAYSWITCH_VAULT__MASTER_KEY=") })
}

func switchEnv(database, adapters, cache string) []string {
	return []string{
		"PAYSWITCH_SERVER__LISTEN=127.0.0.1:0",
		"PAYSWITCH_DASHBOARD__LISTEN=127.0.0.1:0",
		"PAYSWITCH_STORAGE__DSN=sqlite:" + database,
		"PAYSWITCH_VAULT__MASTER_KEY=" + testMasterKey,
		"PAYSWITCH_ADMIN__API_KEY=" + testAdminKey,
		"PAYSWITCH_PLUGINS__DIRECTORY=" + adapters,
		"PAYSWITCH_PLUGINS__CACHE_DIRECTORY=" + cache,
		"PAYSWITCH_SERVER__OVERLOAD_LATENCY=10s", // a machine that is busy with other tests takes its time, and refuses nothing
	}
}

// running is a switch that listens.
type running struct {
	t      testing.TB
	url    string
	banner string               // what it printed before url was known, and the rest once it has ended
	stop   func() (int, string) // ends it as SIGTERM does: exit code and standard error
}

// start runs the program in this process until the test ends, or stop is called.
func start(t testing.TB, env []string, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	var stderr lockedBuffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, args, env, strings.NewReader(""), in, &stderr)
		in.Close()
	}()
	r := &running{t: t}
	stopped := sync.OnceValues(func() (int, string) {
		cancel()
		select {
		case c := <-code:
			return c, stderr.String()
		case <-time.After(time.Minute):
			panic("the program did not stop within a minute")
		}
	})
	r.stop = stopped
	t.Cleanup(func() { stopped() })
	r.await(out, &stderr)
	return r
}

// await reads the program's output up to its address, and the rest in the background.
func (r *running) await(out io.Reader, stderr fmt.Stringer) {
	r.t.Helper()
	lines := bufio.NewReader(out)
	for r.url == "" {
		line, err := lines.ReadString('\n')
		require.NoError(r.t, err, "the program ended: %s", stderr)
		r.banner += line
		for _, before := range []string{"payswitch is listening on ", "payswitch demo at "} {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), before); ok {
				r.url = strings.Fields(rest)[0]
			}
		}
	}
	if strings.HasPrefix(strings.TrimSpace(r.banner), "payswitch demo") {
		for !strings.Contains(r.banner, "Ctrl-C") {
			line, err := lines.ReadString('\n')
			require.NoError(r.t, err)
			r.banner += line
		}
	}
	go io.Copy(io.Discard, lines)
}

// lockedBuffer is written by the program while a test reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// object is a JSON object.
type object map[string]any

// call sends a request with a key and reads a JSON object; body nil means GET.
func (r *running) call(key, path string, body object) (int, object) {
	r.t.Helper()
	status, answer, err := r.try(key, path, body)
	require.NoError(r.t, err)
	return status, answer
}

func (r *running) try(key, path string, body object) (int, object, error) {
	method, text := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		text, _ = json.Marshal(body)
	}
	req, err := http.NewRequest(method, r.url+path, bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("api-key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	var answer object
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return 0, nil, fmt.Errorf("read answer: %w", err)
	}
	return resp.StatusCode, answer, nil
}

// must is call where 200 is expected.
func (r *running) must(key, path string, body object) object {
	r.t.Helper()
	status, answer := r.call(key, path, body)
	require.Equal(r.t, http.StatusOK, status, "%s: %v", path, answer)
	return answer
}

// text reads a page that is not JSON.
func (r *running) text(path string) (int, string) {
	r.t.Helper()
	resp, err := http.Get(r.url + path)
	require.NoError(r.t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	return resp.StatusCode, string(b)
}

// begin sends a payment's header and the first n bytes of its body, and leaves the rest to the caller. When it returns, the switch is reading the body.
func (r *running) begin(key string, body []byte, n int) net.Conn {
	r.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	require.NoError(r.t, err)
	r.t.Cleanup(func() { conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /payments HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\napi-key: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		key, len(body))
	require.NoError(r.t, err)
	const reads = "HTTP/1.1 100 Continue\r\n\r\n"
	said := make([]byte, len(reads))
	_, err = io.ReadFull(conn, said)
	require.NoError(r.t, err)
	require.Equal(r.t, reads, string(said))
	_, err = conn.Write(body[:n])
	require.NoError(r.t, err)
	return conn
}

// shop makes a merchant with an account at the simulator, over the API as an operator would, and returns its API key.
func (r *running) shop(id string) string {
	r.t.Helper()
	r.must(testAdminKey, "/accounts", object{"merchant_id": id})
	key, ok := r.must(testAdminKey, "/api_keys/"+id, object{"name": "e2e", "expiration": "never"})["api_key"].(string)
	require.True(r.t, ok)
	r.must(key, "/account/"+id+"/connectors", object{"connector_type": "payment_processor", "connector_name": "simulator",
		"connector_account_details": object{"auth_type": "HeaderKey", "api_key": "any"}})
	return key
}

// cardPayment returns a payment that is approved.
func cardPayment(id string) object {
	return object{"payment_id": id, "amount": 6540, "currency": "USD", "confirm": true, "payment_method": "card",
		"payment_method_type": "credit", "payment_method_data": object{"card": object{"card_number": "4242424242424242",
			"card_exp_month": "10", "card_exp_year": "50", "card_holder_name": "Ada Lovelace", "card_cvc": "737"}}}
}

// process is the built program as a process of its own.
type process struct {
	*running
	cmd    *exec.Cmd
	stderr *lockedBuffer
}

func startProcess(t testing.TB, env []string, args ...string) *process {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	cmd := exec.Command(path, args...)
	p := &process{running: &running{t: t}, cmd: cmd, stderr: &lockedBuffer{}}
	cmd.Env, cmd.Dir, cmd.Stderr = env, t.TempDir(), p.stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	p.await(out, p.stderr)
	return p
}

// exit waits for the process and returns its exit code, -1 when a signal has ended it.
func (p *process) exit() int {
	p.t.Helper()
	var status *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &status) {
		require.NoError(p.t, err)
	}
	return p.cmd.ProcessState.ExitCode()
}

// costly skips a test that costs many seconds of a processor, unless TEST_ALL is set. make test sets it, so that go test alone ends in two minutes.
func costly(t *testing.T) {
	t.Helper()
	if os.Getenv("TEST_ALL") == "" {
		t.Skip("TEST_ALL=1 runs this test too")
	}
}

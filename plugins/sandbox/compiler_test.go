package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// itself is this test program as a compiler.
func itself() []string { return []string{os.Args[0], compilerArgument} }

// badCompilers are programs that do not do what a compiler should.
var badCompilers = map[string]func(){
	"dies": func() { fmt.Fprintln(os.Stderr, "I die"); os.Exit(7) },
	"threads": func() {
		fmt.Fprintln(os.Stderr, "runtime/cgo: pthread_create failed: Resource temporarily unavailable")
		os.Exit(2)
	},
	"faults": func() { // what Go 1.26 wrote under a limit, with GOTRACEBACK=none
		fmt.Fprint(os.Stderr, "SIGSEGV: segmentation violation\nPC=0x4364fd m=6 sigcode=1 addr=0x0\n\ngoroutine 0 gp=0x99addb814a0 m=6 mp=0x99addb85808 [idle]:\n",
			"runtime.(*spanQueue).tryDrain(0x7f9a00000400?, 0x43ed45?, 0xe97148?)\n")
		os.Exit(2)
	},
	"killed":  func() { p, _ := os.FindProcess(os.Getpid()); _ = p.Kill(); select {} },
	"hangs":   func() { time.Sleep(time.Hour) },
	"garbage": func() { fmt.Print("nothing of sense") },
	"silent":  func() {},
	"refuses": func() { _ = writeReport(os.Stdout, report{Error: "no", Refuse: &RefusedError{Reason: "no"}}) },
	"lies":    func() { _ = writeReport(os.Stdout, report{}) },
	"floods":  func() { _, _ = io.Copy(os.Stderr, endless{}) },
	"grows": func() {
		var all [][]byte
		for {
			all = append(all, bytes.Repeat([]byte{1}, 8<<20))
			runtime.KeepAlive(all)
			time.Sleep(time.Millisecond)
		}
	},
	"spies": func() {
		files, _ := filepath.Glob("/proc/self/fd/*")
		var open []string
		for _, f := range files {
			if to, err := os.Readlink(f); err == nil && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "pipe:") {
				open = append(open, to)
			}
		}
		fmt.Fprintf(os.Stderr, "environment %q files %q", os.Environ(), open)
		os.Exit(1)
	},
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func becomeBadCompiler() {
	if len(os.Args) == 3 && os.Args[1] == "bad-compiler" {
		badCompilers[os.Args[2]]()
		os.Exit(0)
	}
}

func badCompiler(name string) []string { return []string{os.Args[0], "bad-compiler", name} }

func TestCompilerMakesTheSame(t *testing.T) {
	costlyAlone(t)
	dir := t.TempDir()
	want := step(t, loadGo(t, Options{}), "m")
	manifest := func(m *Module) string {
		b, err := m.Manifest(context.Background())
		require.NoError(t, err)
		return string(b)
	}
	load := func(o Options) *Module {
		m, err := newRuntime(t, o).Load(goWasm(t), workMessage)
		require.NoError(t, err)
		return m
	}
	m := load(Options{CacheDir: dir, Compiler: itself()})
	require.JSONEq(t, `{"name":"guest"}`, manifest(m))
	require.Equal(t, want, step(t, m, "m"))
	require.True(t, m.Rest())
	require.Equal(t, want, step(t, m, "m"))
	left, err := filepath.Glob(filepath.Join(dir, scratchPrefix+"*"))
	require.NoError(t, err)
	require.Empty(t, left)

	again := load(Options{CacheDir: dir, Compiler: badCompiler("dies")}) // the next process: no compiler is started
	require.Equal(t, want, step(t, again, "m"))
	require.JSONEq(t, `{"name":"guest"}`, manifest(again))

	without := load(Options{Compiler: itself()}) // without a cache directory there is one for as long as the runtime lives
	scratch := without.runtime.scratch.path
	require.Equal(t, want, step(t, without, "m"))
	require.NoError(t, without.runtime.Close(context.Background()))
	require.NoDirExists(t, scratch)

	native, err := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
	require.NoError(t, err)
	require.Len(t, native, 1)
	require.NoError(t, os.Remove(native[0])) // without it wazero would compile in this process
	_, err = load(Options{CacheDir: dir, Compiler: badCompiler("dies")}).Step(context.Background(), call("m"))
	require.ErrorContains(t, err, "I die")
	require.Equal(t, want, step(t, load(Options{CacheDir: dir, Compiler: itself()}), "m"))
}

// TestProductOfAnotherMachine: native code for another processor is made anew, apart.
func TestProductOfAnotherMachine(t *testing.T) {
	dir := t.TempDir()
	o := Options{CacheDir: dir, Compiler: itself()}
	wasm := newAdapter(1).step("", answerAt(outputAt, 0)).build()
	m, err := newRuntime(t, o).Load(wasm, nil)
	require.NoError(t, err)
	require.Empty(t, step(t, m, ""))
	here := machine
	machine = func(string) (string, error) { return "another", nil }
	defer func() { machine = here }()
	_, ok := m.runtime.product(m)
	require.False(t, ok)
}

func TestCompilerSaysWhatIsWrong(t *testing.T) {
	sequential(t)
	r := newRuntime(t, Options{Compiler: itself()})
	manifest := func(b *builder) error {
		m, err := r.Load(b.build(), nil)
		require.NoError(t, err)
		_, err = m.Manifest(context.Background())
		return err
	}
	var refused *RefusedError
	require.ErrorAs(t, manifest(newAdapter(1).step("")), &refused) // not valid
	require.ErrorContains(t, refused, "invalid")
	outside := newAdapter(1)
	outside.segment(pageSize, "x")
	require.ErrorAs(t, manifest(outside.step("", answerAt(0, 0))), &refused)
	require.Positive(t, refused.Offset)

	endless := newAdapter(1)
	endless.start = endless.fn("", "", "", forever())
	var trapped *TrapError
	require.ErrorAs(t, manifest(endless.step("", answerAt(0, 0))), &trapped)
	require.Equal(t, TrapFuel, trapped.Kind)
}

// TestCompilersThatFail: whatever becomes of a compiler, this process goes on and says what it was.
func TestCompilersThatFail(t *testing.T) {
	costlyAlone(t)
	t.Setenv("PAYSWITCH_VAULT__MASTER_KEY", "0123456789abcdef")
	secret := filepath.Join(t.TempDir(), "payswitch.db")
	file, err := os.Create(secret)
	require.NoError(t, err)
	defer file.Close()
	wasm := newAdapter(1).step("", answerAt(outputAt, 0)).build()
	for name, want := range map[string]struct{ limit, text string }{
		"dies":    {"crash", "I die"},
		"killed":  {"crash", "signal: killed"},
		"hangs":   {"time", "longer than 3s"},
		"garbage": {"crash", "report cannot be read"},
		"silent":  {"crash", "report cannot be read"},
		"lies":    {"", "not in the cache directory"},
		"floods":  {"time", "longer than 3s"},
		"grows":   {"memory", "more than 64 MiB"},
		"threads": {"memory", "more than 64 MiB"}, // a new thread finds no memory for its stack
		"faults":  {"memory", "more than 64 MiB"},
		"spies":   {"crash", `environment [\"GOTRACEBACK=none\"] files [`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := Limits{CompileTime: time.Minute, CompileMemory: 64 << 20}
			if want.limit == "time" {
				limits.CompileTime = 3 * time.Second
			}
			r := newRuntime(t, Options{Compiler: badCompiler(name), Limits: limits})
			m, err := r.Load(wasm, nil)
			require.NoError(t, err)
			_, err = m.Manifest(context.Background())
			require.ErrorContains(t, err, want.text)
			require.NotContains(t, err.Error(), secret)
			require.NotContains(t, err.Error(), "MASTER_KEY")
			if want.limit != "" {
				var limit *CompileError
				require.ErrorAs(t, err, &limit)
				require.Equal(t, want.limit, limit.Limit)
			}
			r.compiler, r.limits = itself(), patient(Limits{}).withDefaults() // the next attempt may succeed
			require.Empty(t, step(t, m, ""))
		})
	}
	r := newRuntime(t, Options{Compiler: []string{filepath.Join(t.TempDir(), "nothing")}})
	m, err := r.Load(wasm, nil)
	require.NoError(t, err)
	_, err = m.Manifest(context.Background())
	require.ErrorContains(t, err, "cannot be started")
}

// TestCompilerIsLimited: modules that are let in are given up when they take more than they may, and others are compiled after them.
func TestCompilerIsLimited(t *testing.T) {
	sequential(t)
	good := newAdapter(1).step("", answerAt(outputAt, 0)).build()
	for name, l := range map[string]Limits{
		"memory": {CompileMemory: 96 << 20},
		"time":   {CompileTime: 300 * time.Millisecond},
	} {
		r := newRuntime(t, Options{Compiler: itself(), Limits: l})
		bomb, err := r.Load(compileBomb("indirect calls", 30_000).build(), nil)
		require.NoError(t, err)
		_, err = bomb.Manifest(context.Background())
		var limit *CompileError
		require.ErrorAs(t, err, &limit, name)
		require.Equal(t, name, limit.Limit, "%v", err)
		r.limits = Limits{}.withDefaults()
		m, err := r.Load(good, nil)
		require.NoError(t, err)
		require.Empty(t, step(t, m, ""))
	}
}

// TestInitialisationHoldsUpNobody: a module that runs for long before its first step does so in another process. The processor's time shows where: it does
// not depend on how busy the machine is.
func TestInitialisationHoldsUpNobody(t *testing.T) {
	b := newAdapter(1)
	b.start = b.fn("", "", tI64, forever(get(0), i64c(3), opI64Add, put(0)))
	r := newRuntime(t, Options{Compiler: itself(), Limits: Limits{InitFuel: 24e9, CompileTime: 2 * time.Minute}})
	m, err := r.Load(b.step("", answerAt(0, 0)).build(), nil)
	require.NoError(t, err)
	here, there := processorTime(t, syscall.RUSAGE_SELF), processorTime(t, syscall.RUSAGE_CHILDREN)
	_, err = m.Manifest(t.Context())
	here, there = processorTime(t, syscall.RUSAGE_SELF)-here, processorTime(t, syscall.RUSAGE_CHILDREN)-there
	var trapped *TrapError
	require.ErrorAs(t, err, &trapped)
	require.Equal(t, TrapFuel, trapped.Kind)
	t.Logf("%v in another process, %v here", there, here)
	require.Greater(t, there, 2*here)
}

// loadOwn loads a module as one that is part of this program.
func loadOwn(r *Runtime, wasm []byte) (*Module, error) {
	sum := sha256.Sum256(wasm)
	return r.LoadOwn(hex.EncodeToString(sum[:]), func() ([]byte, error) { return wasm, nil }, nil)
}

// TestOwnModulesAreCompiledHere: the built-in adapters start without a compiler.
func TestOwnModulesAreCompiledHere(t *testing.T) {
	r := newRuntime(t, Options{Compiler: badCompiler("dies")})
	m, err := loadOwn(r, newAdapter(1).step("", answerAt(outputAt, 0)).build())
	require.NoError(t, err)
	require.Empty(t, step(t, m, ""))
}

// TestNobodyWaitsForACompiler: while a compiler is busy with one module, others that need none are made ready.
func TestNobodyWaitsForACompiler(t *testing.T) {
	r := newRuntime(t, Options{Compiler: badCompiler("hangs"), Limits: Limits{CompileTime: 20 * time.Second}})
	slow, err := r.Load(newAdapter(1).step("", answerAt(outputAt, 0)).build(), nil)
	require.NoError(t, err)
	own, err := loadOwn(r, newAdapter(2).step("", answerAt(outputAt, 0)).build())
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err = slow.Manifest(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	began := time.Now()
	require.Empty(t, step(t, own, ""))
	require.Less(t, time.Since(began), 10*time.Second)
	require.NoError(t, r.Close(context.Background())) // ends the compiler
	require.Less(t, time.Since(began), 10*time.Second)
}

// TestDamagedProduct: a product that is cut off or changed is made anew.
func TestDamagedProduct(t *testing.T) {
	sequential(t)
	dir := t.TempDir()
	o := Options{CacheDir: dir, Compiler: itself()}
	wasm := newAdapter(1).step("", answerAt(outputAt, 0)).build()
	m, err := newRuntime(t, o).Load(wasm, nil)
	require.NoError(t, err)
	require.Empty(t, step(t, m, ""))
	path := m.runtime.disk.path(m.productKey(), "image")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, damaged := range [][]byte{nil, whole[:40], whole[:len(whole)-1], append([]byte{1}, whole...)} {
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		m, err := newRuntime(t, o).Load(wasm, nil)
		require.NoError(t, err)
		require.Empty(t, step(t, m, ""))
	}
}

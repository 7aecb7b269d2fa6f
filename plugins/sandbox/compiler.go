package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/tetratelabs/wazero"
)

// A compiler is this program, started once more to compile one module and to run it up to the state from which its calls start. This process
// could interrupt neither: wazero's compiler does not look at a context, and the garbage collector stops everything while it waits for
// guest code. The compiler has limits on memory and time, no environment, and no files but a directory of its own. The files that it
// makes there move into the cache directory.

// compilerArgument is the only argument of a program that is started as a compiler.
const compilerArgument = "compile-adapter"

// Self returns Options.Compiler for a program whose main calls BecomeCompiler first. On Linux this is the running program, even if its
// file was replaced meanwhile.
func Self() []string {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return []string{running, compilerArgument}
	}
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	return []string{path, compilerArgument}
}

// BecomeCompiler compiles and ends the program if the program was started with the command of Self. Otherwise it returns.
func BecomeCompiler() {
	if isCompiler() {
		os.Exit(compilerMain(os.Stdin, os.Stdout, ""))
	}
}

func isCompiler() bool { return len(os.Args) == 2 && os.Args[1] == compilerArgument }

// messages decodes what processes and files of this package hold: CBOR, in which an image is an array of more chunks than other decoders allow.
var messages = func() cbor.DecMode {
	m, err := cbor.DecOptions{MaxArrayElements: math.MaxInt32}.DecMode()
	if err != nil {
		panic(err) // the options are fixed
	}
	return m
}()

// order names the work of a compiler process.
type order struct {
	Limits      Limits
	Unoptimised bool
	Dir         string // for the files that the compiler makes
	Wasm, Warm  []byte
}

// report is the result of an order. Error is "" if the module was compiled.
type report struct {
	Error  string
	Refuse *RefusedError // without Err
	Trap   TrapKind
	Log    string
	Peak   int64 // the most bytes of memory that the compiler used; 0 if unknown
}

// remoteError is a compiler's error. cause is the type by which callers distinguish errors.
type remoteError struct {
	text  string
	cause error
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.cause }

// CompileError says that a compiler passed a limit or crashed while it compiled and initialised a module.
type CompileError struct {
	Limit string // "memory", "time" or "crash"
	Text  string
}

func (e *CompileError) Error() string { return "sandbox: " + e.Text }

// compilerMain runs a compiler and returns its exit code. The compiler ends with its standard input, because the process that started
// it is gone then. folder is that of BecomeKeepingCompiler, or "".
func compilerMain(in io.Reader, out io.Writer, folder string) int {
	var o order
	if err := messages.NewDecoder(in).Decode(&o); err != nil {
		fmt.Fprintf(os.Stderr, "%v: only the switch itself starts this command\n", err)
		return 2
	}
	limitProcess(o.Limits)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		os.Exit(3)
	}()
	if err := writeReport(out, o.fulfilled(folder)); err != nil {
		return 1
	}
	return 0
}

// report fulfils the order and says how.
func (o *order) report() report {
	var log bytes.Buffer
	res := report{}
	if err := o.fulfil(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))); err != nil {
		res.Error = err.Error()
		if refusal, ok := errors.AsType[*RefusedError](err); ok {
			cause := *refusal
			cause.Err = nil
			res.Refuse = &cause
		}
		if trap, ok := errors.AsType[*TrapError](err); ok {
			res.Trap = trap.Kind
		}
	}
	res.Log, res.Peak = log.String(), peakMemory()
	return res
}

func writeReport(out io.Writer, r report) error { return cbor.NewEncoder(out).Encode(r) }

// limitProcess sets limits on this process. The process that started it also watches memory and time, but not at every moment.
func limitProcess(l Limits) {
	l = l.withDefaults()
	debug.SetMemoryLimit(l.CompileMemory * 3 / 4)
	limit := func(what int, most uint64) { _ = syscall.Setrlimit(what, &syscall.Rlimit{Cur: most, Max: most}) }
	if !raceEnabled { // the race detector's shadow memory would count
		limit(syscall.RLIMIT_DATA, uint64(l.CompileMemory)*3/2)
	}
	limit(syscall.RLIMIT_CPU, uint64(l.CompileTime/time.Second)*2+10)
	limit(syscall.RLIMIT_FSIZE, 1<<30)
	limit(syscall.RLIMIT_CORE, 0)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // where memory runs out, this process ends, not the switch
}

// fulfil compiles the module and writes the files into the directory.
func (o *order) fulfil(log *slog.Logger) (err error) {
	ctx := context.Background()
	r, err := New(ctx, Options{Limits: o.Limits, CacheDir: o.Dir, Logger: log, Unoptimised: o.Unoptimised})
	if err != nil {
		return err
	}
	m, err := r.Load(o.Wasm, o.Warm)
	if err != nil {
		return err
	}
	c, _, err := r.build(m)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(r.disk.dir, "wazero-*", "*"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("sandbox: the compiler made %d files of one module: %w", len(files), err)
	}
	file, err := filepath.Rel(r.disk.dir, files[0])
	if err != nil {
		return err
	}
	made, err := machine(r.disk.dir)
	if err != nil {
		return err
	}
	b, err := cbor.Marshal(product{Machine: made, File: file, Manifest: c.manifest, Globals: c.image.globals, Ticks: c.image.ticks, Chunks: c.image.chunks})
	if err != nil {
		return err
	}
	r.disk.write(m.productKey(), "image", b, log)
	return nil
}

// product is what a compiler makes of a module, except the native code.
type product struct {
	Machine  string // the machine it was made for
	File     string // the file of the native code, relative to the cache directory
	Manifest []byte
	Globals  []uint64
	Ticks    uint64
	Chunks   [][]byte // of the image
}

// productKey returns the key of the product, which depends on the module and the warm-up.
func (m *Module) productKey() string { return m.hash + "\x00image\x00" + string(m.warm) }

// product returns a module's product from the cache directory, if it is there with native code for this machine.
func (r *Runtime) product(m *Module) (*product, bool) {
	b, ok := r.disk.read(m.productKey(), "image")
	if !ok {
		return nil, false
	}
	var p product
	if err := messages.Unmarshal(b, &p); err != nil {
		return nil, false
	}
	if here, err := machine(r.disk.dir); err != nil || p.Machine != here {
		return nil, false
	}
	if _, err := os.Stat(filepath.Join(r.disk.dir, p.File)); err != nil {
		return nil, false
	}
	for i, c := range p.Chunks {
		if len(c) == 0 {
			p.Chunks[i] = nil
		} else if len(c) != chunkSize {
			return nil, false
		}
	}
	return &p, true
}

// image returns the state that a product holds. It fails if the state does not fit the module's globals and memory.
func (p *product) image(c *code, least uint32) (*image, error) {
	im := &image{chunks: p.Chunks, globals: p.Globals, ticks: p.Ticks}
	if size := im.size(); len(im.globals) != len(c.globals) || size%pageSize != 0 || size < uint64(least)*pageSize || size > c.memoryBytes {
		return nil, errors.New("sandbox: the image in the cache directory does not fit the module: remove the contents of the directory")
	}
	return im, nil
}

// takeOver loads what a compiler made of the module, without running guest code. If wazero does not accept the native code, the compiler
// makes it again, once.
func (c *code) takeOver(m *Module, wasm []byte, least uint32) (*instance, error) {
	r := c.runtime
	made, err := r.made(m, wasm)
	if err != nil {
		return nil, err
	}
	if c.compiled, err = r.compile(c.wazero, c.wasm); errors.Is(err, ErrClosed) {
		return nil, err
	} else if err != nil {
		r.log.Warn("sandbox: native code in the cache directory cannot be used and is compiled again", "module", m.hash, "error", err)
		if err := os.Remove(filepath.Join(r.disk.dir, made.File)); err != nil {
			return nil, fmt.Errorf("sandbox: cache directory: %w", err)
		}
		if made, err = r.made(m, wasm); err != nil {
			return nil, err
		}
		if c.compiled, err = r.compile(c.wazero, c.wasm); err != nil {
			return nil, err
		}
	}
	c.manifest = made.Manifest
	if c.image, err = made.image(c, least); err != nil {
		return nil, err
	}
	return c.fork(c.image)
}

// made returns the product of a module, from the cache directory or a compiler.
func (r *Runtime) made(m *Module, wasm []byte) (*product, error) {
	if p, ok := r.product(m); ok {
		return p, nil
	}
	if err := r.compileApart(m, wasm); err != nil {
		return nil, err
	}
	p, ok := r.product(m)
	if !ok {
		return nil, fmt.Errorf("sandbox: the compiler's files are not in the cache directory %s: check whether its disk is full", r.disk.dir)
	}
	return p, nil
}

// compileApart lets a compiler make a module's product and moves it into the cache directory.
func (r *Runtime) compileApart(m *Module, wasm []byte) error {
	select {
	case r.apart <- struct{}{}: // r.compiling would make modules wait whose code is in the cache
	case <-r.ending:
		return ErrClosed
	}
	defer func() { <-r.apart }()
	dir, err := os.MkdirTemp(r.disk.dir, scratchPrefix+"*")
	if err != nil {
		return fmt.Errorf("sandbox: cache directory: %w", err)
	}
	defer os.RemoveAll(dir)
	res, err := r.runCompiler(order{Limits: r.limits, Unoptimised: r.unoptimised, Dir: dir, Wasm: wasm, Warm: m.warm})
	if err != nil {
		return err
	}
	if res.Log != "" {
		r.log.Warn("sandbox: while a module was compiled", "module", m.hash, "text", res.Log)
	}
	r.log.Info("sandbox: a module was compiled", "module", m.hash, "memory", res.Peak)
	switch {
	case res.Error == "":
		return r.disk.adopt(dir)
	case res.Refuse != nil:
		return &remoteError{res.Error, res.Refuse}
	case res.Trap != "":
		return &remoteError{res.Error, &TrapError{Kind: res.Trap, Err: errors.New(res.Error)}}
	}
	return errors.New(res.Error)
}

// runCompiler starts a compiler and waits for it, within the limits.
func (r *Runtime) runCompiler(o order) (*report, error) {
	input, err := newInput(o)
	if err != nil {
		return nil, err
	}
	var out, complaint capped
	out.room, complaint.room = 1<<20, 64<<10
	cmd := exec.Command(r.compiler[0], r.compiler[1:]...)
	cmd.Env = []string{"GOTRACEBACK=none"} // the environment of this process holds secrets
	cmd.Dir = o.Dir
	cmd.Stdout, cmd.Stderr = &out, &complaint
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals of the terminal go to this process alone
	cmd.WaitDelay = time.Second                           // processes that it started may hold its output open
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("sandbox: start the compiler: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("sandbox: the compiler cannot be started: %w: check that the program %s exists and may be run; it compiles all adapters that are not built in", err, r.compiler[0])
	}
	go func() { _, _ = stdin.Write(input) }() // stdin stays open, because a compiler ends when its standard input ends
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	limit, err := r.watch(cmd, ended)
	_ = stdin.Close()
	if errors.Is(err, ErrClosed) {
		return nil, err
	}
	text := strings.TrimSpace(complaint.String())
	if err != nil && limit == "" {
		limit = "crash"
		for _, shortOf := range shortOfMemory {
			if strings.Contains(text, shortOf) {
				limit = "memory"
			}
		}
	}
	const remedy = "do not load it, or ask its author for less code in one function"
	switch limit {
	case "memory":
		return nil, &CompileError{limit, fmt.Sprintf("the module takes more than %d MiB of memory to compile and start: %s", r.limits.CompileMemory>>20, remedy)}
	case "time":
		return nil, &CompileError{limit, fmt.Sprintf("the module takes longer than %v to compile and start: %s", r.limits.CompileTime, remedy)}
	case "crash":
		first, _, _ := strings.Cut(text, "\n")
		return nil, &CompileError{limit, fmt.Sprintf("the module makes the compiler crash (%v: %.200q): do not load it, unless the system was short of memory", err, first)}
	}
	var res report
	if err := messages.Unmarshal(out.Bytes(), &res); err != nil {
		return nil, &CompileError{"crash", fmt.Sprintf("the compiler's report cannot be read (%v): do not load the module", err)}
	}
	return &res, nil
}

// shortOfMemory are the texts of a Go program that gets no memory from the system.
var shortOfMemory = []string{
	"out of memory", "cannot allocate memory",
	"pthread_create failed",      // a thread needs memory for its stack
	"\nruntime.(*spanQueue).try", // the collector's newSpanSPMC (Go 1.26) uses memory without checking that it got some, and faults
}

// newInput encodes an order for a compiler.
func newInput(o order) ([]byte, error) {
	return cbor.Marshal(o)
}

// watchEvery is the time between two looks at a compiler's memory.
const watchEvery = 20 * time.Millisecond

// watch waits until a compiler ends, and kills it when it passes a limit. It returns the limit, "" for none, and the error of the process.
func (r *Runtime) watch(cmd *exec.Cmd, ended <-chan error) (limit string, err error) {
	timeout := time.NewTimer(r.limits.CompileTime)
	defer timeout.Stop()
	look := time.NewTicker(watchEvery)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return limit, err
		case <-r.ending:
			_ = cmd.Process.Kill()
			<-ended
			return "", ErrClosed
		case <-timeout.C:
			limit = "time"
			_ = cmd.Process.Kill()
		case <-look.C:
			if limit == "" && resident(cmd.Process.Pid) > r.limits.CompileMemory {
				limit = "memory"
				_ = cmd.Process.Kill()
			}
		}
	}
}

// resident returns the bytes of memory that a process uses, or 0 if unknown. The limits that the process set for itself hold anyway.
func resident(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	fields := strings.Fields(string(b))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// peakMemory returns the most bytes of memory that this process has used, or 0 if unknown.
func peakMemory() int64 {
	b, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(kilobytes, 10, 64)
	return n << 10
}

// capped is a buffer that keeps the first room bytes and drops the others.
type capped struct {
	bytes.Buffer
	room int
}

func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), c.room)
	c.room -= n
	_, _ = c.Buffer.Write(p[:n])
	return len(p), nil
}

// machine returns a name for everything that native code depends on, except the module: wazero's version and the processor's abilities. wazero names
// its files by a digest of these and the module, so the file of one fixed module identifies them. wazero would not find a product of another machine
// and would compile in this process instead.
var machine = func(cacheDir string) (string, error) {
	found.Lock()
	defer found.Unlock()
	if found.machine != "" {
		return found.machine, nil
	}
	name, err := findMachine(cacheDir)
	if err == nil {
		found.machine = name
	}
	return name, err
}

var found struct {
	sync.Mutex
	machine string // "" until known
}

func findMachine(cacheDir string) (string, error) {
	dir, err := os.MkdirTemp(cacheDir, scratchPrefix+"*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return "", err
	}
	ctx := context.Background()
	defer cache.Close(ctx)
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache))
	defer rt.Close(ctx)
	smallest := slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), []byte{secType, 4, 1, 0x60, 0, 0}, []byte{secFunction, 2, 1, 0}, []byte{secCode, 4, 1, 2, 0, opEnd})
	if _, err := rt.CompileModule(ctx, smallest); err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(files) != 1 {
		return "", fmt.Errorf("sandbox: wazero made %d files of one module: %w", len(files), err)
	}
	return filepath.Rel(dir, files[0])
}

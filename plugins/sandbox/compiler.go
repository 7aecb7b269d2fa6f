package sandbox

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log/slog"
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

	"github.com/tetratelabs/wazero"
)

// A compiler is this program, started once more to compile one module and to run it up to the state its calls start from. Neither can
// be interrupted in our own process: wazero's compiler does not look at a context, and guest code holds up the garbage collector and with it
// everything else. The compiler has limits on memory and time, no environment and no files but a directory of its own. What it makes there
// is moved into the cache directory.

// compilerArgument is the only argument of a program that is started as a compiler.
const compilerArgument = "compile-adapter"

// Self is Options.Compiler for a program whose main calls BecomeCompiler first. On Linux it is the program that runs, also when its file
// was replaced meanwhile.
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

// BecomeCompiler does not return in a program that was started as Self says.
func BecomeCompiler() {
	if len(os.Args) == 2 && os.Args[1] == compilerArgument {
		os.Exit(compilerMain(os.Stdin, os.Stdout))
	}
}

// order is what a compiler is to do.
type order struct {
	Limits      Limits
	Unoptimised bool
	Dir         string // where what it makes goes
	Wasm, Warm  []byte
}

// report is what became of it. Error is "" when it is done.
type report struct {
	Error  string
	Refuse *RefusedError // without Err
	Trap   TrapKind
	Log    string
	Peak   int64 // bytes of memory it took at most, 0 where that is not known
}

// remoteError is a compiler's error with what its callers tell apart.
type remoteError struct {
	text  string
	cause error
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.cause }

// CompileError says that a module was given up while it was compiled and initialised.
type CompileError struct {
	Limit string // "memory", "time" or "crash"
	Text  string
}

func (e *CompileError) Error() string { return "sandbox: " + e.Text }

// compilerMain is a compiler's whole life. It ends when standard input does: then the process that started it is gone.
func compilerMain(in io.Reader, out io.Writer) int {
	var o order
	if err := gob.NewDecoder(in).Decode(&o); err != nil {
		fmt.Fprintf(os.Stderr, "this command is for the switch itself: %v\n", err)
		return 2
	}
	limitProcess(o.Limits)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		os.Exit(3)
	}()
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
	if err := writeReport(out, res); err != nil {
		return 1
	}
	return 0
}

func writeReport(out io.Writer, r report) error { return gob.NewEncoder(out).Encode(r) }

// limitProcess bounds this process. The process that started it watches over memory and time as well; these limits hold between its looks.
func limitProcess(l Limits) {
	l = l.withDefaults()
	debug.SetMemoryLimit(l.CompileMemory * 3 / 4)
	limit := func(what int, most uint64) { _ = syscall.Setrlimit(what, &syscall.Rlimit{Cur: most, Max: most}) }
	if !raceEnabled { // whose shadow memory counts
		limit(syscall.RLIMIT_DATA, uint64(l.CompileMemory)*3/2)
	}
	limit(syscall.RLIMIT_CPU, uint64(l.CompileTime/time.Second)*2+10)
	limit(syscall.RLIMIT_FSIZE, 1<<30)
	limit(syscall.RLIMIT_CORE, 0)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // where memory runs out, this process ends, not the switch
}

// fulfil compiles the module into the directory.
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
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(product{Machine: made, File: file, Manifest: c.manifest, Globals: c.image.globals, Ticks: c.image.ticks, Chunks: c.image.chunks}); err != nil {
		return err
	}
	r.disk.write(m.productKey(), "image", b.Bytes(), log)
	return nil
}

// product is what a compiler makes of a module beside the native code.
type product struct {
	Machine  string // it was made for
	File     string // with the native code, within the cache directory
	Manifest []byte
	Globals  []uint64
	Ticks    uint64
	Chunks   [][]byte // of the image
}

// productKey is what the product depends on. The warm-up is part of it.
func (m *Module) productKey() string { return m.hash + "\x00image\x00" + string(m.warm) }

// product finds the product of a module in the cache directory, with the native code for this machine.
func (r *Runtime) product(m *Module) (*product, bool) {
	b, ok := r.disk.read(m.productKey(), "image")
	if !ok {
		return nil, false
	}
	var p product
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&p); err != nil {
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

// image is the state that a product holds, if it fits a module of these globals and memory.
func (p *product) image(c *code, least uint32) (*image, error) {
	im := &image{chunks: p.Chunks, globals: p.Globals, ticks: p.Ticks}
	if size := im.size(); len(im.globals) != len(c.globals) || size%pageSize != 0 || size < uint64(least)*pageSize || size > c.memoryBytes {
		return nil, errors.New("sandbox: what is in the cache directory does not fit the module: remove the directory's contents")
	}
	return im, nil
}

// takeOver loads what a compiler made of the module. No guest code runs. Native code that wazero does not accept is made anew, once.
func (c *code) takeOver(m *Module, wasm []byte, least uint32) (*instance, error) {
	r := c.runtime
	made, err := r.made(m, wasm)
	if err != nil {
		return nil, err
	}
	if c.compiled, err = r.compile(c.wasm); err != nil {
		r.log.Warn("sandbox: native code in the cache directory cannot be used and is made anew", "module", m.hash, "error", err)
		if err := os.Remove(filepath.Join(r.disk.dir, made.File)); err != nil {
			return nil, fmt.Errorf("sandbox: cache directory: %w", err)
		}
		if made, err = r.made(m, wasm); err != nil {
			return nil, err
		}
		if c.compiled, err = r.compile(c.wasm); err != nil {
			return nil, err
		}
	}
	c.source, c.data, c.manifest = nil, nil, made.Manifest
	if c.image, err = made.image(c, least); err != nil {
		return nil, err
	}
	return c.fork(c.image)
}

// made is the product of a module, from the cache directory or a compiler.
func (r *Runtime) made(m *Module, wasm []byte) (*product, error) {
	if p, ok := r.product(m); ok {
		return p, nil
	}
	if err := r.compileApart(m, wasm); err != nil {
		return nil, err
	}
	p, ok := r.product(m)
	if !ok {
		return nil, fmt.Errorf("sandbox: what the compiler made is not in the cache directory %s: is its disk full?", r.disk.dir)
	}
	return p, nil
}

// compileApart has a compiler make a module's product and takes it into the cache directory.
func (r *Runtime) compileApart(m *Module, wasm []byte) error {
	select {
	case r.apart <- struct{}{}: // not r.compiling: what is compiled already must not wait for it
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

// runCompiler starts a compiler and waits for it, under the limits.
func (r *Runtime) runCompiler(o order) (*report, error) {
	input, err := newInput(o)
	if err != nil {
		return nil, err
	}
	var out, complaint capped
	out.room, complaint.room = 1<<20, 64<<10
	cmd := exec.Command(r.compiler[0], r.compiler[1:]...)
	cmd.Env = []string{"GOTRACEBACK=none"} // no secrets of ours
	cmd.Dir = o.Dir
	cmd.Stdout, cmd.Stderr = &out, &complaint
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals of the terminal are for us
	cmd.WaitDelay = time.Second                           // for what it may have started, which has its output
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("sandbox: start the compiler: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("sandbox: the compiler cannot be started: %w: adapters that are not built in are compiled by the program %s", err, r.compiler[0])
	}
	go func() { _, _ = stdin.Write(input) }() // stays open: its end would end the compiler
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
		if strings.Contains(text, "out of memory") || strings.Contains(text, "cannot allocate memory") {
			limit = "memory"
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
	if err := gob.NewDecoder(bytes.NewReader(out.Bytes())).Decode(&res); err != nil {
		return nil, &CompileError{"crash", fmt.Sprintf("the compiler's report cannot be read (%v): do not load the module", err)}
	}
	return &res, nil
}

// newInput is an order as it is written to a compiler.
func newInput(o order) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(o)
	return b.Bytes(), err
}

// watchEvery is how often a compiler's memory is looked at.
const watchEvery = 20 * time.Millisecond

// watch waits for a compiler's end, and brings it about where a limit is passed. It says which, and how the compiler ended.
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

// resident is the memory a process takes, 0 where that is not known: the limits it set for itself remain.
func resident(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	fields := strings.Fields(string(b))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// peakMemory is the most memory this process has taken, 0 where that is not known.
func peakMemory() int64 {
	b, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(kilobytes, 10, 64)
	return n << 10
}

// capped keeps the beginning of what is written to it.
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

// machine is what native code depends on beside the module: wazero's version and the processor's abilities. wazero names its files by a
// digest of both and the module; the file of a module that is always the same stands for them. A product made for another machine would
// not be found by wazero, which would compile here instead.
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

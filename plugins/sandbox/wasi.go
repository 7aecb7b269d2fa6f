package sandbox

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// WASI error numbers.
const (
	errnoSuccess = 0
	errnoBadf    = 8
	errnoFault   = 21
	errnoInval   = 28
	errnoNosys   = 52
)

// The fuel that stubs charge: a call into the host, and one I/O vector, take about as long as so many units.
const (
	stubCost    = 400
	vectorCost  = 20
	randomShift = 1 // one unit pays for 1<<randomShift random bytes
	maxVectors  = 1024
)

// stub is one function of WASI preview 1 as guests see it.
type stub struct {
	params, results string
	run             func(in *instance, args []uint64) uint64 // returns an error number
}

// wasiStubs holds all functions of WASI preview 1. The stubs keep no state from call to call. The wall clock stands still during a call,
// every call restarts the random bytes, and standard output goes to the debug log. There are no arguments, environment, files and
// sockets. proc_exit stops the guest, and so does a wait of more than a moment. Stubs write into guest memory through
// instance.writable, which notes what they write.
var wasiStubs = map[string]stub{}

func init() {
	i32, i64 := types(typeI32), types(typeI64)
	sign := strings.NewReplacer("i", i32, "I", i64)
	add := func(name, params string, run func(*instance, []uint64) uint64) {
		wasiStubs[name] = stub{sign.Replace(params), i32, run}
	}
	always := func(errno uint64) func(*instance, []uint64) uint64 {
		return func(*instance, []uint64) uint64 { return errno }
	}
	add("args_get", "ii", always(errnoSuccess))
	add("args_sizes_get", "ii", noStrings)
	add("environ_get", "ii", always(errnoSuccess))
	add("environ_sizes_get", "ii", noStrings)
	add("clock_res_get", "ii", clockResolution)
	add("clock_time_get", "iIi", clockTime)
	add("random_get", "ii", randomGet)
	add("fd_write", "iiii", fdWrite)
	add("sched_yield", "", always(errnoSuccess))
	add("poll_oneoff", "iiii", pollOneoff)
	add("proc_raise", "i", always(errnoNosys))
	wasiStubs["proc_exit"] = stub{i32, "", func(_ *instance, args []uint64) uint64 {
		panic(&stop{TrapExit, fmt.Sprintf("the guest called proc_exit(%d)", uint32(args[0]))})
	}}
	for _, f := range strings.Fields("fd_advise:iIIi fd_allocate:iII fd_close:i fd_datasync:i fd_fdstat_get:ii " +
		"fd_fdstat_set_flags:ii fd_fdstat_set_rights:iII fd_filestat_get:ii fd_filestat_set_size:iI " +
		"fd_filestat_set_times:iIIi fd_pread:iiiIi fd_prestat_get:ii fd_prestat_dir_name:iii fd_pwrite:iiiIi " +
		"fd_read:iiii fd_readdir:iiiIi fd_renumber:ii fd_seek:iIii fd_sync:i fd_tell:ii path_create_directory:iii " +
		"path_filestat_get:iiiii path_filestat_set_times:iiiiIIi path_link:iiiiiii path_open:iiiiiIIii " +
		"path_readlink:iiiiii path_remove_directory:iii path_rename:iiiiii path_symlink:iiiii path_unlink_file:iii " +
		"sock_accept:iii sock_recv:iiiiii sock_send:iiiii sock_shutdown:ii") {
		name, params, _ := strings.Cut(f, ":")
		add(name, params, always(errnoBadf))
	}
}

// instanceKey is the context key of the instance that calls a stub.
type instanceKey struct{}

// instantiateWASI registers the stubs with a runtime.
func instantiateWASI(ctx context.Context, rt wazero.Runtime) error {
	b := rt.NewHostModuleBuilder(wasiModule)
	for name, s := range wasiStubs {
		run, answers := s.run, s.results != ""
		f := func(ctx context.Context, _ api.Module, stack []uint64) {
			in := ctx.Value(instanceKey{}).(*instance)
			in.charge(stubCost)
			if errno := run(in, stack); answers {
				stack[0] = errno
			}
		}
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(f), []byte(s.params), []byte(s.results)).Export(name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

func noStrings(in *instance, args []uint64) uint64 {
	if !in.writeUint32(uint32(args[0]), 0) || !in.writeUint32(uint32(args[1]), 0) {
		return errnoFault
	}
	return errnoSuccess
}

func clockResolution(in *instance, args []uint64) uint64 {
	if uint32(args[0]) > 3 {
		return errnoInval
	}
	if !in.writeUint64(uint32(args[1]), 1) {
		return errnoFault
	}
	return errnoSuccess
}

// tick is how many nanoseconds the monotonic clock advances with every reading.
const tick = 1000

// clockTime returns the call's time for the wall clock. The monotonic and CPU clocks advance by a tick with every reading: the
// garbage collector of a Go guest waits for ever if they stand still.
func clockTime(in *instance, args []uint64) uint64 {
	t := in.now
	switch id := uint32(args[0]); {
	case id > 3:
		return errnoInval
	case id != 0:
		in.ticks++
		t = in.ticks * tick
	}
	if !in.writeUint64(uint32(args[2]), t) {
		return errnoFault
	}
	return errnoSuccess
}

func randomGet(in *instance, args []uint64) uint64 {
	p, n := uint32(args[0]), uint32(args[1])
	in.charge(int64(n >> randomShift))
	b, ok := in.writable(p, n)
	if !ok {
		return errnoFault
	}
	_, _ = in.random.Read(b)
	return errnoSuccess
}

// fdWrite copies what the guest writes to standard output and error into the debug log, as far as there is room. It reports success for
// all of it.
func fdWrite(in *instance, args []uint64) uint64 {
	fd, vectors, count, result := uint32(args[0]), uint32(args[1]), uint32(args[2]), uint32(args[3])
	if fd != 1 && fd != 2 {
		return errnoBadf
	}
	if count > maxVectors {
		return errnoInval
	}
	in.charge(int64(count) * vectorCost)
	list, ok := in.memory.slice(vectors, count*8)
	if !ok {
		return errnoFault
	}
	var total uint32
	for ; len(list) > 0; list = list[8:] {
		p, n := binary.LittleEndian.Uint32(list), binary.LittleEndian.Uint32(list[4:])
		b, ok := in.memory.slice(p, n)
		if !ok {
			return errnoFault
		}
		in.charge(int64(n >> bulkShift))
		in.debug(b)
		total += n
	}
	if !in.writeUint32(result, total) {
		return errnoFault
	}
	return errnoSuccess
}

// maxNap is the longest pause, in nanoseconds, that does not stop a guest.
const maxNap = 10e6

// pollOneoff stops the guest, unless it waits for at most maxNap and for nothing else. Then the monotonic clock advances by that much,
// and no time passes. A Go guest naps for a millisecond before it prints why it panics.
func pollOneoff(in *instance, args []uint64) uint64 {
	subscriptions, events, count, result := uint32(args[0]), uint32(args[1]), uint32(args[2]), uint32(args[3])
	sub, ok := in.memory.slice(subscriptions, 48)
	if !ok {
		return errnoFault
	}
	// userdata u64, tag u8 (0: clock), clock u32 at 16, timeout u64 at 24, flags u16 at 40 (1: absolute)
	nap := binary.LittleEndian.Uint64(sub[24:])
	if count != 1 || sub[8] != 0 || binary.LittleEndian.Uint16(sub[40:])&1 != 0 || nap > maxNap {
		panic(&stop{TrapBlocked, "the guest wanted to wait (poll_oneoff): adapters must not wait"})
	}
	userdata := binary.LittleEndian.Uint64(sub)
	event, ok := in.writable(events, 32)
	if !ok || !in.writeUint32(result, 1) {
		return errnoFault
	}
	in.ticks += nap/tick + 1
	clear(event) // error none, type clock
	binary.LittleEndian.PutUint64(event, userdata)
	return errnoSuccess
}

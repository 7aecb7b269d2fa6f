// Package sandbox runs adapters: WebAssembly modules that anyone may have written. It knows nothing of payments. A module
// is a pure function from message to message; the sandbox sees to it that
//
//   - it always comes to an end: all guest code runs on fuel, which bounds time without any timer or signal;
//   - nothing of one call is there in the next: after every call, memory and globals are put back to an image taken once;
//   - the same call gives the same answer, to the bit, here and on every other machine (as long as the guest does not look
//     at the bits of a NaN, which WebAssembly leaves to the processor);
//   - it can reach nothing but the message, and can do no more harm than to fail itself.
//
// # The guest
//
// It exports memory, payswitch_alloc(len u32) → ptr u32, payswitch_manifest() → u64, payswitch_step(ptr u32, len u32) →
// u64 (both answer ptr<<32|len) and, if it likes, _initialize. The host calls payswitch_alloc for every message, writes
// the message there and calls payswitch_step. It may import WASI preview 1, of which it gets a wall clock that shows
// Call.Now, a monotonic clock that goes on by a microsecond whenever it is read, random bytes made from Call.Seed (ChaCha8,
// restarted by every call), and standard output and error, which go to Call.Debug. Files, sockets, arguments and
// environment are not there. proc_exit stops the guest; so does poll_oneoff, unless all it waits for is that at most 10 ms
// pass, which then have passed: a Go guest naps before it prints why it panics.
//
// # How
//
// A module is validated as it was received, and then rewritten (rewrite.go): the order matters, because a module that
// names the globals the rewriter adds would be valid afterwards. Three kinds of code are put in. Fuel is charged by basic
// block and checked at function entries and loop headers, and charged by length before memory.copy, memory.fill and what
// the WASI stubs do. Functions that call others count the depth of the stack, because wazero lets it grow to 84 MB of heap.
// Stores note the kilobyte they write to in a ledger behind the guest's memory (ledger.go), so that a reset copies back just what was
// touched. What the host writes is noted by the one function that writes
// (instance.writable). Loads and stores that go by the same local share their address, its check and the note (base.go). Jumps that the Go compiler
// makes by starting a loop anew go to their blocks directly (jump.go). All mutable globals are exported, under names a guest may not use, so that they can be put back:
// Go keeps its stack pointer in one.
//
// The image is taken after start function, _initialize, the manifest and one warm-up step. Memory cannot shrink: an
// instance whose memory grew in a step is replaced. If the warm-up step still has to grow the memory after the image was
// taken, the image is taken again with more room, for guests that can use it. A trap throws the instance away; the module
// and everybody else go on.
//
// Memory above 8 MiB costs fuel, 80,000 units per page and call, because a guest that jumps about in it takes fifty times
// as long for the same work: what is left of the fuel then bounds the time.
//
// # What is refused, and why
//
//   - table.set, table.grow, table.fill, table.copy, table.init, elem.drop, data.drop, mutable globals that hold
//     references: a reset does not put these back. Passive data segments and memory.init with them, since data segments
//     are applied by the host, once; compilers make them for threads only.
//   - Imports of memories, tables and globals, and of functions other than WASI's: the guest would not be alone.
//   - Vector and atomic instructions, shared, 64-bit and second memories: their stores would have to be noted too.
//   - Every opcode that is not known to be harmless, so that what a later wazero learns is not let in by accident.
//   - Exports whose names begin with payswitch/sandbox/.
//   - Modules, functions, tables, parameter lists and memories above the caps, and functions with so many basic blocks or
//     so deeply nested loops that wazero would take very long for them: it takes time by the square, or the cube.
//
// A refusal names the function and the offset in the module as received.
//
// # Keeping things on disk
//
// With a cache directory, wazero's native code, the verdict on a module and its manifest are kept, under keys of the
// module's hash, the rewriter's version, wazero's and the limits. Whoever can write to the directory can run code in this
// process: it must be ours alone.
//
// # Figures
//
// The cost of the instrumentation in a step of the Go guest, before addresses were shared: fuel 14 %, notes 6 %, stack depth 2 %, the reset 2 %.
package sandbox

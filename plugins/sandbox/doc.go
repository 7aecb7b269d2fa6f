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
// the WASI stubs do. It comes in rations, so that no guest holds up the garbage collector for long. Functions that call others count the depth of the stack, because wazero lets it grow to 84 MB of heap.
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
//
//   - Imports of memories, tables and globals, and of functions other than WASI's: the guest would not be alone.
//
//   - Vector and atomic instructions, shared, 64-bit and second memories: their stores would have to be noted too.
//
//   - Every opcode that is not known to be harmless, so that what a later wazero learns is not let in by accident.
//
//   - Exports whose names begin with payswitch/sandbox/.
//
//   - Modules, functions, tables, parameter lists and memories above the caps, and functions with so many basic blocks or
//     so deeply nested loops that wazero would take very long for them: it takes time by the square, or the cube.
//
//   - ref.func in function bodies: wazero keeps a new reference for each execution, for as long as the instance lives. Compilers need it for
//     none of what is let in; constant expressions may hold it.
//
//   - Functions and modules for which the compiler would need too much memory (effort.go).
//
// A refusal names the function and the offset in the module as received.
//
// # What is kept outside a guest's memory
//
// Everything that an instruction, a host function or a section makes this process keep, and what bounds it:
//
//	ref.func                    a reference per execution             refused in bodies
//	constant ref.func, elements a reference per entry and instance    65,536 entries, 10,000 globals a module
//	tables                      8 bytes per entry and instance        65,536 entries, 16 tables
//	table.get, ref.null,        nothing
//	ref.is_null, table.size
//	calls                       the guest's stack, on the Go heap     8 MiB of frames by the count in stackUnits; wazero doubles
//	                                                                  the stack as it grows, so up to 24 MiB an instance
//	memory.grow                 nothing: the address space is there   Limits.MemoryPages
//	memory.copy, memory.fill,   nothing
//	loads, stores, numbers
//	traps                       an error with a stack trace           2 KiB; 30 frames; names of at most 256 bytes
//	fd_write                    the debug log                         64 KiB a call
//	random_get                  nothing, paid for by length first     fuel
//	poll_oneoff, clocks, exit,  nothing
//	all other host functions
//	the answer, the manifest    a copy                                Limits.MessageBytes
//	types                       a key per type, for the runtime's life 65,536 parameters and results a module
//	names, exports, imports     strings of the module                 Limits.ModuleBytes, 10,000 exports, 1000 imports
//	instances                   memory, tables and globals            Limits.Instances; a trap throws the instance away
//	the image                   the memory that is not zero, once     Limits.MemoryPages
//	the cache directory         code, image, manifest, verdict        once a module; the operator clears it
//	the compiler                see below                             Limits.CompileMemory, Limits.CompileTime
//
// wazero makes room for as many elements as a section says it has, before it reads one: parse.go counts first, and names are read and written
// anew (custom.go).
//
// # The compiler
//
// A module is compiled, and run up to its image, by a process of its own where Options.Compiler says so (compiler.go): this program once more,
// without environment and files, with limits on memory and time. Neither can be had in this process: wazero's compiler does not look at a
// context. What the compiler makes is moved into the cache directory, or into a temporary one where there is none. This
// process then only loads native code and image; of the guest's code it runs nothing but steps. It survives whatever becomes of the compiler, and says
// which limit it was. What LoadOwn loads is compiled here. Where the system's memory runs out, the compiler is the first process to be ended.
//
// The limits bound an honest compiler of a hostile module. The compiler runs as the same user: a module that broke out of wazero there could do
// what this user can, as it could here. Its product is native code, which this process runs without a look.
//
// # Time
//
// Guest code cannot be interrupted, and the garbage collector waits for it while everything stands still. So a guest has its fuel in rations of
// 400,000 units, and comes back to the host after each (ration.go): the slowest code known takes 16 ms for one. Steps as a whole
// are bounded by Limits.StepFuel: 20 million units are 0.8 s of loads that miss all caches, and 20 ms of ordinary code.
//
// # Keeping things on disk
//
// With a cache directory, wazero's native code, the verdict on a module, its manifest and, from a compiler, its image are kept, under keys of the
// module's hash, the rewriter's version, wazero's and the limits. Whoever can write to the directory can run code in this
// process: it must be ours alone.
//
// # Figures
//
// The cost of the instrumentation in a step of the Go guest, before addresses were shared: fuel 14 %, notes 6 %, stack depth 2 %, the reset 2 %.
package sandbox

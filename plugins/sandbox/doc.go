// Package sandbox runs adapters: WebAssembly modules that anyone may have written. It knows nothing of payments. A module is a pure
// function from message to message. The sandbox guarantees that
//
//   - every call ends: guest code runs on fuel, which bounds time without a timer or a signal;
//   - no call sees anything of an earlier one: after every call, memory and globals are put back to an image that was taken once;
//   - the same call gives the same answer, to the bit, on every machine. That holds as long as the guest does not look at the bits of a NaN, which
//     WebAssembly leaves to the processor; and as long as it stays within its memory;
//   - a guest reaches nothing but its message, and harms nothing but its own call.
//
// # Files
//
//	sandbox.go            Runtime, Options and Limits; Load
//	module.go             Module: Step, Manifest, Rest, Close
//	pool.go, stats.go     the instances of a module; what a module has done
//	errors.go             TrapError, RefusedError
//	reader.go, parse.go   reading a binary module
//	opcodes.go            instructions: which are known, what they cost in fuel
//	check.go, effort.go   what is refused because it would cost the host too much
//	validate.go           validation by wazero, without compilation
//	scan.go               one pass over a function body: what to instrument
//	rewrite.go, rewrite_function.go, ration.go, custom.go
//	                      instrumentation: fuel, stack depth, notes, the host's globals
//	optimised.go          the optimised form of a module; the rewrites are in package optimise
//	build.go              compilation, first instance, image
//	compiler.go           compilation in a process of its own
//	soon.go               interpreted code, until the compiled code is there
//	disk.go, scratch.go   the cache directory
//	instance.go           one running copy of a module
//	memory.go, ledger.go  its memory, the image, the notes of what was written to
//	wasi.go               the functions of WASI preview 1 that a guest gets
//
// Package sandbox imports package optimise, the standard library and wazero. The race_*.go files say whether the race detector runs.
//
// # The guest
//
// A guest exports memory, payswitch_alloc(len u32) → ptr u32, payswitch_manifest() → u64, payswitch_step(ptr u32, len u32) → u64 (the
// last two answer ptr<<32|len) and, if it likes, _initialize. The host calls payswitch_alloc for every message, writes the message there
// and calls payswitch_step.
//
// A guest may import WASI preview 1. The wall clock shows Call.Now. The monotonic clock advances by a microsecond with every reading. Random bytes
// come from Call.Seed (ChaCha8, restarted by every call). Standard output and error go to Call.Debug. There are no files, sockets, arguments and
// environment. proc_exit stops the guest. poll_oneoff stops it too, except for a wait of at most 10 ms, which then counts as passed: a Go
// guest naps before it prints why it panics.
//
// # Instrumentation
//
// The sandbox validates a module as it was received and then rewrites it (rewrite.go). The order matters: a module that names the globals
// which the rewriter adds would be valid afterwards. The rewriter adds three kinds of code.
//
//   - Fuel is charged by basic block and checked at function entries and loop headers, in front of the charge. memory.copy, memory.fill and
//     the WASI functions are charged by length. Fuel comes in rations, so that no guest holds up the garbage collector for long.
//   - Functions that call others count the depth of the stack, because wazero lets the stack grow to 84 MB of heap.
//   - Stores note the kilobyte that they write to, in a ledger behind the guest's memory (ledger.go). A reset copies back only what was
//     touched. The host notes what it writes in one function, instance.writable.
//
// All mutable globals are exported, under names that a guest may not use, so that a reset can put them back: Go keeps its stack pointer in one.
//
// Before the instrumentation, package optimise makes the module faster, unless Options.Unoptimised is set. One of its rewrites depends on
// how the Go compiler enters functions. It is for modules of LoadOwn alone.
//
// The image is taken after the start function, _initialize, the manifest and one warm-up step. Memory cannot shrink, so an instance
// whose memory grew in a step is replaced. If the warm-up step still has to grow the memory, the image is taken again with more room, for
// guests that can use it. A trap throws the instance away; the module and all other instances go on.
//
// Memory above 8 MiB costs fuel, 80,000 units per page and call: a guest that jumps about in it takes fifty times as long for the same work.
//
// # What is refused, and why
//
//   - table.set, table.grow, table.fill, table.copy, table.init, elem.drop, data.drop and mutable globals that hold references: a reset does
//     not put these back. Passive data segments and memory.init: the host applies data segments, once. Compilers make passive ones for
//     threads only.
//
//   - Imports of memories, tables and globals, and of functions other than WASI's: through them a guest would reach more than its message.
//
//   - Vector and atomic instructions, shared, 64-bit and second memories: the rewriter does not note their stores.
//
//   - Every opcode that is not known to be harmless, so that a later wazero does not let in a new one by accident.
//
//   - Exports whose names begin with payswitch/sandbox/.
//
//   - Modules, functions, tables, parameter lists and memories above the caps; functions with so many basic blocks or so deeply nested
//     loops that wazero would take very long: its time grows with the square, or the cube.
//
//   - ref.func in function bodies: wazero keeps a new reference for each execution, for as long as the instance lives. Compilers do not need
//     it for what is allowed here. Constant expressions may hold it.
//
//   - Functions and modules for which the compiler would need too much memory (effort.go).
//
// A refusal names the function and the offset in the module as received.
//
// # What this process keeps for a guest outside the guest's memory
//
// This is everything that an instruction, a host function or a section makes this process keep, and its bound:
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
//	the cache directory         code, image, manifest, verdict        once a module and form; the operator clears it
//	the compiler                see below                             Limits.CompileMemory, Limits.CompileTime
//
// wazero makes room for as many elements as a section claims, before it reads one. So parse.go counts first, and custom.go reads names
// and writes them anew.
//
// # The compiler
//
// With Options.Compiler, a process of its own compiles a module and runs it up to its image (compiler.go). The process is this program once more,
// without environment and files, with limits on memory and time. This process cannot set such limits for itself, because wazero's compiler does not
// look at a context. The results move into the cache directory, or into a temporary one. This process then loads native code and image,
// and runs nothing of the guest but steps. It survives whatever happens to the compiler, and reports which limit was passed. What
// LoadOwn loads is compiled in this process. Where the system's memory runs out, the system ends the compiler first.
//
// The limits bound an honest compiler of a hostile module. The compiler runs as the same user: a module that broke out of wazero there
// could do what this user can. Its product is native code, which this process runs unseen.
//
// # Time
//
// Guest code cannot be interrupted, and the garbage collector stops everything while it waits for guest code. So a guest gets its fuel
// in rations of 400,000 units and returns to the host after each (ration.go). The slowest code known takes 16 ms for a ration.
// Limits.StepFuel bounds a whole step: 20 million units are 0.8 s of loads that miss all caches, and 20 ms of ordinary code.
//
// # The cache directory
//
// A cache directory keeps wazero's native code, the verdict on a module, its manifest and, from a compiler, its image. The keys are the module's
// hash, its form, its origin (Load or LoadOwn), the versions of the rewriter and of wazero, and the limits. A user who can write to the directory can run code in this
// process, so the directory must belong to this user alone.
//
// # Figures
//
// In a step of the Go guest as received, fuel costs 14 %, notes 6 %, stack depth 2 % and the reset 2 %.
package sandbox

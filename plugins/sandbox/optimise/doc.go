// Package optimise finds edits that make function bodies of WebAssembly modules run faster in the sandbox, without a change of what
// they compute. README.md says what each rewrite does, why it is sound, what it saves and how to switch it off.
//
// The package knows instructions, not modules: the sandbox decodes a body, passes every instruction to a Function, and applies the
// edits that come back. The package imports the standard library alone, and only package sandbox imports it.
//
//	function.go    Function, Instruction and Edit: what the sandbox calls
//	jumps.go       direct jumps
//	entries.go     pruned entries, for the Go modules of this program
//	addresses.go   shared addresses
//	origin.go      which local a value on the operand stack comes from, for shared addresses
//	notes.go       Notes: shared notes
//	opcodes.go     opcodes, and their effect on the operand stack
//
// A change of a rewrite needs a new sandbox.rewriterVersion, so that the sandbox does not load code of the earlier one. The tests
// are in package sandbox, which can run both forms: forms_test.go, jumps_test.go, shared_test.go and reset_test.go.
package optimise

package sandbox

import (
	"errors"
	"fmt"
	"strings"
)

// ErrClosed is the error of every call on a closed Module or Runtime.
var ErrClosed = errors.New("sandbox: closed")

// ErrInputTooLarge is returned by Step, before any guest code runs, for an input above Limits.MessageBytes.
var ErrInputTooLarge = errors.New("sandbox: input too large")

// TrapKind says why a guest was stopped. Its values are a closed set, fit for logs and metrics.
type TrapKind string

const (
	TrapFuel        TrapKind = "fuel"        // the guest used up its fuel
	TrapMemory      TrapKind = "memory"      // the guest read or wrote outside its memory
	TrapUnreachable TrapKind = "unreachable" // the guest gave up: unreachable, division by zero, a bad indirect call, …
	TrapExit        TrapKind = "exit"        // the guest called proc_exit, as a Go guest that panics does
	TrapBlocked     TrapKind = "blocked"     // the guest wanted to wait: poll_oneoff
	TrapOutput      TrapKind = "output"      // the answer, or the buffer for the input, is out of bounds or too large
	TrapStack       TrapKind = "stack"       // the guest recursed too deep
)

// TrapError reports that a guest was stopped. The instance is gone; the module remains usable.
type TrapError struct {
	Kind TrapKind
	Err  error // what happened, with the guest's stack where it is known; the guest chooses parts of the text: do not trust it
}

func (e *TrapError) Error() string {
	return fmt.Sprintf("sandbox: guest trapped (%s): %v", e.Kind, e.Err)
}

func (e *TrapError) Unwrap() error { return e.Err }

func trap(kind TrapKind, format string, args ...any) *TrapError {
	return &TrapError{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// stop is the panic by which a stub ends a call. wazero turns it into the call's error and adds the guest's stack.
type stop struct {
	kind TrapKind
	text string
}

func (s *stop) Error() string { return s.text }

// RefusedError says why the sandbox does not run a module, and where in the module the reason stands.
type RefusedError struct {
	Function int   // index of the function, imports included; -1 when the reason is not in one function
	Offset   int64 // byte offset in the module as received; -1 when the reason is not in one place
	Reason   string
	Err      error // the cause, where there is one
}

func (e *RefusedError) Error() string {
	var b strings.Builder
	b.WriteString("sandbox: module refused: ")
	if e.Function >= 0 {
		fmt.Fprintf(&b, "function %d: ", e.Function)
	}
	b.WriteString(e.Reason)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " (at offset %#x)", e.Offset)
	}
	return b.String()
}

func (e *RefusedError) Unwrap() error { return e.Err }

// refused builds a RefusedError about the place offset; -1 for none.
func refused(offset int, format string, args ...any) *RefusedError {
	return &RefusedError{Function: -1, Offset: int64(offset), Reason: fmt.Sprintf(format, args...)}
}

// maxTrace bounds, in bytes, how much of a guest's stack trace is kept: the guest chooses the names of its functions.
const maxTrace = 2048

// classify turns an error of wazero into a TrapError. wazero's run-time errors live in an internal package, so classify compares
// their texts. A test pins the texts down.
func classify(err error) *TrapError {
	text := shortened(err)
	var s *stop
	if errors.As(err, &s) {
		return &TrapError{Kind: s.kind, Err: errors.New(text)}
	}
	kind := TrapUnreachable
	switch first, _, _ := strings.Cut(text, "\n"); {
	case strings.Contains(first, "out of bounds memory access"):
		kind = TrapMemory
	case strings.Contains(first, "stack overflow"):
		kind = TrapStack
	}
	return &TrapError{Kind: kind, Err: errors.New(text)}
}

func shortened(err error) string {
	s := err.Error()
	if len(s) > maxTrace {
		s = s[:maxTrace] + "…"
	}
	return s
}

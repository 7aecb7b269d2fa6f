package sandbox

import (
	"bytes"
	"context"
	"errors"
)

// With Options.Soon a module of Load begins with an interpreter, while the compiler compiles the same module. The compiled code then replaces
// the interpreted one between two steps. No caller can tell which of them ran a step, except by a clock. Both run the module as the sandbox
// instrumented it, so they count fuel, memory and the depth of the stack alike. A step depends on nothing but its call.
//
// Two differences remain, and the compiled code decides both. The interpreter itself allows 2000 calls within each other: a step that goes
// deeper waits for the compiled code and runs there. And the compiler may refuse what the interpreter runs: from then on the module is refused. A
// compiler that runs out of time or memory refuses nothing: the module stays interpreted.

// interpreted reports whether the code is interpreted.
func (c *code) interpreted() bool {
	return c.runtime.interpreter != nil && c.wazero == c.runtime.interpreter
}

// errTooDeep says that an interpreted step ran out of stack.
var errTooDeep = errors.New("sandbox: the interpreter's stack is exhausted")

// interpret brings the module's interpreted code, and compiles the module after that. It reports false if the module must be compiled first.
func (m *Module) interpret(b *build) bool {
	m.mu.Lock()
	again := m.improved != nil
	m.mu.Unlock()
	if _, ready := m.runtime.product(m); ready || again {
		return false // compiled code is there sooner, or has been waited for
	}
	code, first, err := m.runtime.buildIn(m.runtime.interpreter, m)
	if err != nil {
		m.runtime.log.Info("sandbox: a module is not interpreted", "module", m.hash, "error", err) // the compiler has the last word
		return false
	}
	if m.expected != nil && !bytes.Equal(code.manifest, m.expected) {
		first.close()
		_ = code.compiled.Close(context.Background())
		return false
	}
	improved := make(chan struct{})
	m.mu.Lock()
	m.improved = improved
	m.mu.Unlock()
	m.install(b, code, first)
	go func() {
		defer close(improved)
		m.improve(code)
	}()
	return true
}

// improve replaces interpreted code by compiled code, or by the compiler's refusal.
func (m *Module) improve(slow *code) {
	b := &build{done: make(chan struct{})}
	var first *instance
	b.code, first, b.err = m.built()
	close(b.done)
	if b.failedForNow() {
		m.mu.Lock()
		m.uncompiled = b.err
		m.mu.Unlock()
		return
	}
	if err := m.pool.acquireAll(); err != nil { // the module closes
		if b.err == nil {
			first.close()
			_ = b.code.compiled.Close(context.Background())
		}
		return
	}
	defer m.pool.leave()
	for in := m.pool.take(); in != nil; in = m.pool.take() {
		m.discard(in)
	}
	if b.err == nil {
		m.stats.live.Add(1)
		m.pool.put(first)
	}
	m.mu.Lock()
	m.building = b
	m.code.Store(b.code) // nil with b.err
	m.mu.Unlock()
	_ = slow.compiled.Close(context.Background())
}

// improving reports whether compiled code is still to come. m.mu is held.
func (m *Module) improving() bool {
	if m.improved == nil {
		return false
	}
	select {
	case <-m.improved:
		return false
	default:
		return true
	}
}

// Compiled waits until the module's steps are not interpreted any more. Its errors are those of Step.
func (m *Module) Compiled(ctx context.Context) error {
	if _, err := m.ready(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	improved := m.improved
	m.mu.Unlock()
	if improved != nil {
		select {
		case <-improved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	m.mu.Lock()
	err := m.uncompiled
	m.mu.Unlock()
	if err != nil {
		return err
	}
	_, err = m.ready(ctx)
	return err
}

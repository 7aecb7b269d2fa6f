package sandbox

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tetratelabs/wazero/api"
)

// maxDebug bounds, in bytes, what one call may write to the debug log.
const maxDebug = 64 << 10

// instance is one running copy of a module. One goroutine uses it at a time.
type instance struct {
	code   *code
	mod    api.Module
	memory *linearMemory
	ctx    context.Context // carries the instance to the stubs

	step, alloc api.Function
	fuel, depth api.MutableGlobal
	rest        api.MutableGlobal // fuel beyond the present ration
	ledger      api.MutableGlobal // its first address
	globals     []api.MutableGlobal

	now       uint64 // of the call, nanoseconds since 1970
	ticks     uint64 // of the monotonic clock
	random    *rand.ChaCha8
	debugLog  []byte
	wantDebug bool
	stack     [2]uint64
}

// newInstance instantiates compiled code without running any of it. Its memory is empty.
func (c *code) newInstance() (in *instance, err error) {
	mem, err := newLinearMemory(c.memoryBytes, uint64(c.ledger)*pageSize)
	if err != nil {
		return nil, err
	}
	in = &instance{code: c, memory: mem, random: newRandom()}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("sandbox: instantiate: %v", r)
		}
		if err != nil {
			in.close()
			in = nil
		}
	}()
	in.ctx = context.WithValue(context.Background(), instanceKey{}, in)
	in.mod, err = c.wazero.InstantiateModule(withMemory(in.ctx, mem), c.compiled, c.runtime.moduleConfig)
	if err != nil {
		return in, fmt.Errorf("sandbox: instantiate: %w", err)
	}
	in.step, in.alloc = in.mod.ExportedFunction(exportStep), in.mod.ExportedFunction(exportAlloc)
	mutable := func(name string) api.MutableGlobal {
		g, ok := in.mod.ExportedGlobal(name).(api.MutableGlobal)
		if !ok {
			err = fmt.Errorf("sandbox: instantiate: no mutable global %q", name)
		}
		return g
	}
	in.fuel, in.depth, in.ledger, in.rest = mutable(exportFuel), mutable(exportDepth), mutable(exportLedger), mutable(exportRest)
	for _, name := range c.globals {
		in.globals = append(in.globals, mutable(name))
	}
	return in, err
}

func newRandom() *rand.ChaCha8 { return rand.NewChaCha8([32]byte{}) }

// fork makes an instance in the state of the image without running any guest code.
func (c *code) fork(im *image) (*instance, error) {
	in, err := c.newInstance()
	if err != nil {
		return nil, err
	}
	if missing := im.size() - in.memory.size; missing > 0 {
		if _, ok := in.mod.Memory().Grow(uint32(missing / pageSize)); !ok {
			in.close()
			return nil, fmt.Errorf("sandbox: the guest needs %d bytes of memory, more than there are", im.size())
		}
		in.ledger.Set(im.size())
	}
	im.fill(in.memory.bytes())
	in.ticks = im.ticks
	for i, g := range in.globals {
		g.Set(im.globals[i])
	}
	return in, nil
}

// initialise brings a new instance to where its guest can be called: data segments, start function, _initialize.
func (in *instance) initialise() error {
	for i, s := range in.code.data {
		n := uint32(s.data.end - s.data.start)
		b, ok := in.memory.slice(s.offset, n)
		if !ok {
			return refused(s.at, "data segment %d lies outside the memory", i)
		}
		copy(b, in.code.source[s.data.start:s.data.end])
	}
	in.begin(in.code.runtime.limits.InitFuel, initialTime, in.code.seed())
	for _, name := range []string{exportStart, exportInitialize} {
		if f := in.mod.ExportedFunction(name); f != nil {
			if err := in.call(f, 0); err != nil {
				return fmt.Errorf("sandbox: initialise: %w", err)
			}
		}
	}
	return nil
}

// initialTime is the time that a guest's clock shows before its first call.
var initialTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// begin sets fuel, clock, random bytes and stack for a call.
func (in *instance) begin(fuel int64, now time.Time, seed [32]byte) {
	in.now = 0
	if now.Year() >= 1970 && now.Year() < 2262 { // UnixNano overflows outside
		in.now = uint64(now.UnixNano())
	}
	in.random.Seed(seed)
	in.debugLog = in.debugLog[:0]
	if pages := int64(in.memory.size / pageSize); pages > freePages {
		fuel -= (pages - freePages) * pageCost
	}
	in.give(fuel)
	in.depth.Set(stackUnits)
}

// call runs one function. in.stack holds its parameters before and its result after the call.
func (in *instance) call(f api.Function, params int) error {
	err := f.CallWithStack(in.ctx, in.stack[:max(params, 1)])
	switch {
	case err == nil && in.memory.strayed():
		return trap(TrapMemory, "the guest wrote beyond the end of its memory")
	case err == nil:
		return nil
	case in.left() < 0:
		return &TrapError{Kind: TrapFuel, Err: fmt.Errorf("fuel exhausted: %s", shortened(err))}
	case int32(uint32(in.depth.Get())) < 0:
		return &TrapError{Kind: TrapStack, Err: fmt.Errorf("stack exhausted: %s", shortened(err))}
	}
	return classify(err)
}

// run passes one message to the guest and returns a copy of its answer.
func (in *instance) run(message []byte) ([]byte, error) {
	in.stack[0] = uint64(len(message))
	if err := in.call(in.alloc, 1); err != nil {
		return nil, err
	}
	p := uint32(in.stack[0])
	if !in.write(p, message) {
		return nil, trap(TrapOutput, "%s(%d) answered %#x, which is outside the memory", exportAlloc, len(message), p)
	}
	in.stack[0], in.stack[1] = uint64(p), uint64(len(message))
	if err := in.call(in.step, 2); err != nil {
		return nil, err
	}
	return in.answer(exportStep)
}

// answer copies the bytes to which a function's result points.
func (in *instance) answer(name string) ([]byte, error) {
	p, n := uint32(in.stack[0]>>32), uint32(in.stack[0])
	if limit := in.code.runtime.limits.MessageBytes; uint64(n) > uint64(limit) {
		return nil, trap(TrapOutput, "%s answered %d bytes, at most %d are allowed", name, n, limit)
	}
	b, ok := in.memory.slice(p, n)
	if !ok {
		return nil, trap(TrapOutput, "%s answered %d bytes at %#x, which is outside the memory", name, n, p)
	}
	return append(make([]byte, 0, n), b...), nil
}

// reset puts memory and globals back to the image and returns how many bytes it restored. ok is false if the memory grew, which cannot
// be undone.
func (in *instance) reset(im *image) (restored int, ok bool) {
	if in.memory.size != im.size() {
		return 0, false
	}
	for i, g := range in.globals {
		g.Set(im.globals[i])
	}
	restored = im.restore(in.memory)
	in.ticks = im.ticks
	in.random.Seed([32]byte{})
	clear(in.debugLog)
	return restored, true
}

// snapshot takes the image of the instance's present state and empties the ledger.
func (in *instance) snapshot() *image {
	globals := make([]uint64, len(in.globals))
	for i, g := range in.globals {
		globals[i] = g.Get()
	}
	in.memory.forget()
	return newImage(in.memory.bytes(), globals, in.ticks)
}

// is reports whether memory and globals equal the image.
func (in *instance) is(im *image) bool {
	for i, g := range in.globals {
		if g.Get() != im.globals[i] {
			return false
		}
	}
	return im.is(in.memory.bytes())
}

func (in *instance) close() {
	if in.mod != nil {
		_ = in.mod.Close(context.Background())
	}
	in.memory.Free()
}

// give sets the fuel that is left.
func (in *instance) give(units int64) {
	now := min(units, ration)
	in.fuel.Set(uint64(now))
	in.rest.Set(uint64(units - now))
}

// left returns the fuel that is left. It is negative if the guest used more.
func (in *instance) left() int64 { return int64(in.fuel.Get()) + int64(in.rest.Get()) }

// charge takes fuel for work of the host, before the host does it. It stops the guest if there is too little.
func (in *instance) charge(units int64) {
	left := in.left() - units
	in.give(left)
	if left < 0 {
		panic(&stop{TrapFuel, "fuel exhausted in a host function"})
	}
}

// writable returns the n bytes at p for writing, and notes them in the ledger.
func (in *instance) writable(p, n uint32) ([]byte, bool) {
	b, ok := in.memory.slice(p, n)
	if ok {
		in.memory.note(p, n)
	}
	return b, ok
}

func (in *instance) write(p uint32, v []byte) bool {
	b, ok := in.writable(p, uint32(len(v)))
	copy(b, v)
	return ok
}

func (in *instance) writeUint32(p, v uint32) bool {
	b, ok := in.writable(p, 4)
	if ok {
		binary.LittleEndian.PutUint32(b, v)
	}
	return ok
}

func (in *instance) writeUint64(p uint32, v uint64) bool {
	b, ok := in.writable(p, 8)
	if ok {
		binary.LittleEndian.PutUint64(b, v)
	}
	return ok
}

func (in *instance) debug(b []byte) {
	if room := maxDebug - len(in.debugLog); in.wantDebug && room > 0 {
		in.debugLog = append(in.debugLog, b[:min(len(b), room)]...)
	}
}

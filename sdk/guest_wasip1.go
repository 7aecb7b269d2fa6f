//go:build wasip1 && wasm

package sdk

import (
	"runtime"
	"strings"
	"unsafe"
)

// The buffers are globals: the garbage collector must not free them while only the host holds their addresses, and reuse keeps a warm
// instance from growing.
var (
	guestIn  = make([]byte, 16<<10)
	guestOut = make([]byte, 0, 16<<10)
)

// guestWarm is true after the first step. The host runs the first step on invented data and keeps the resulting state for all
// others.
var guestWarm bool

// headroom is the heap in bytes that init takes from the host and returns to Go's allocator. It keeps an ordinary step from growing
// the memory: the host throws away an instance whose memory has grown.
const headroom = 1 << 20

func init() {
	room = make([]byte, headroom)
	room = nil
	runtime.GC()
}

// guestAlloc returns the address of a buffer for a message of n bytes, 0 if n is more than MaxMessage. The buffer is valid until
// the next call of guestAlloc.
//
//go:wasmexport payswitch_alloc
func guestAlloc(n uint32) uint32 {
	if n > MaxMessage {
		return 0
	}
	if uint32(len(guestIn)) < n {
		guestIn = make([]byte, n)
	}
	return address(guestIn)
}

// guestManifest returns the place of the manifest's message: address<<32 | length.
//
//go:wasmexport payswitch_manifest
func guestManifest() uint64 {
	guestOut = append(guestOut[:0], adapter().ManifestMessage()...)
	return uint64(address(guestOut))<<32 | uint64(len(guestOut))
}

// guestStep answers the message of n bytes at p, an address from guestAlloc. It returns the place of the result's message, which is
// valid until the next call: address<<32 | length.
//
//go:wasmexport payswitch_step
func guestStep(p, n uint32) uint64 {
	if p != address(guestIn) || n > uint32(len(guestIn)) {
		panic("payswitch_step: the message is not in the buffer that payswitch_alloc returned")
	}
	warm := guestWarm
	if !warm {
		guestWarm = true
		growStack(0)
		warmUp(adapter(), guestIn[:n])
		makeRoom()
	}
	emptyRoom()
	guestOut = adapter().appendHandle(guestOut[:0], guestIn[:n])
	if !warm { // the host restores this state before every step: then no step has to empty the room
		emptyRoom()
	}
	return uint64(address(guestOut))<<32 | uint64(len(guestOut))
}

// warmUp runs every operation on the request of the first step, and once more with a meaningless answer. Go sets things up on first
// use, above all heap spans for each size of object. After the warm-up the host's snapshot holds them, which saves a third of a
// step's time.
func warmUp(a *Adapter, message []byte) {
	first, err := decodeHosts(message)
	if err != nil {
		return
	}
	for _, op := range operations {
		in := *first
		in.Operation = op
		r := a.Step(&in)
		guestOut = appendResult(guestOut[:0], &r)
		if r.Send == nil {
			continue
		}
		in.Exchanges = []Exchange{{Now: in.Now, RequestHash: RequestHash(r.Send), RequestCheck: RequestCheck(r.Send), Sent: true, Status: 200, Body: []byte(ordinary)}}
		r = a.Step(&in)
		guestOut = appendResult(guestOut[:0], &r)
	}
}

// largest is the largest object in bytes for which makeRoom prepares the heap.
const largest = 8 << 10

var (
	room     []byte
	pointers []*byte
)

// makeRoom has the allocator hold a span for each size of object, with pointers and without. Otherwise each step takes spans from
// the heap anew, which is the most expensive part of allocating.
func makeRoom() {
	runtime.GC()
	for size := 8; size <= largest; size += max(8, size/16) {
		room, pointers = make([]byte, size), make([]*byte, size/8)
	}
	room, pointers = nil, nil
}

// ordinary is a meaningless answer of ordinary size.
var ordinary = `{"warm_up":[` + strings.Repeat(`{"object":"warm up","amount":1000,"empty":null},`, 80) + `0]}`

// growStack makes the stack large once. Growing the stack little by little in every step costs as much as the step itself.
//
//go:noinline
func growStack(i byte) byte {
	var room [32 << 10]byte
	room[int(i)*100] = 1
	return room[int(i)]
}

func adapter() *Adapter {
	if served == nil {
		panic("sdk.Serve was not called: call it from init, as a module does not run main")
	}
	return served
}

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

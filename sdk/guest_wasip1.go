//go:build wasip1 && wasm

package sdk

import (
	"runtime"
	"strings"
	"unsafe"
)

// The buffers below are globals so that they are reachable for the garbage collector while only the host holds their addresses, and
// used again, so that a warm instance does not grow.
var (
	guestIn  = make([]byte, 16<<10)
	guestOut = make([]byte, 0, 16<<10)
)

// guestWarm says that the first step, which hosts take on invented data before they keep the state every other begins with, is over.
var guestWarm bool

// headroom is how much heap, in bytes, is taken from the host and given back to Go's allocator before the first call, so that an
// ordinary step does not make the memory grow: the host throws away an instance whose memory has grown.
const headroom = 1 << 20

func init() {
	room = make([]byte, headroom)
	room = nil
	runtime.GC()
}

// guestAlloc returns the address of room for a message of n bytes, 0 if n is more than MaxMessage. The room is valid until the next
// call of guestAlloc.
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

// guestManifest returns where the manifest's message is: address<<32 | length.
//
//go:wasmexport payswitch_manifest
func guestManifest() uint64 {
	guestOut = append(guestOut[:0], adapter().ManifestMessage()...)
	return uint64(address(guestOut))<<32 | uint64(len(guestOut))
}

// guestStep answers the message of n bytes at p, which guestAlloc gave: address<<32 | length of the result's message, which is valid
// until the next call.
//
//go:wasmexport payswitch_step
func guestStep(p, n uint32) uint64 {
	if p != address(guestIn) || n > uint32(len(guestIn)) {
		panic("payswitch_step: the message is not where payswitch_alloc has made room for it")
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
	if !warm { // so that no step has to, where the host puts this state back
		emptyRoom()
	}
	return uint64(address(guestOut))<<32 | uint64(len(guestOut))
}

// warmUp runs every operation on the request of the first step, and once more with an answer that says nothing, so that what Go sets up
// on first use (room on the heap for each size of object, above all) need not be set up in every step after the host has put the memory
// back. It is worth a third of a step's time.
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

// largest is the largest object, in bytes, that there is room for after makeRoom.
const largest = 8 << 10

var (
	room     []byte
	pointers []*byte
)

// makeRoom has the allocator hold a span with room for each size of object, with pointers and without. Without it each step takes some
// from the heap anew, which is the dearest part of allocating.
func makeRoom() {
	runtime.GC()
	for size := 8; size <= largest; size += max(8, size/16) {
		room, pointers = make([]byte, size), make([]*byte, size/8)
	}
	room, pointers = nil, nil
}

// ordinary is an answer of ordinary size that means nothing.
var ordinary = `{"warm_up":[` + strings.Repeat(`{"object":"warm up","amount":1000,"empty":null},`, 80) + `0]}`

// growStack makes the stack large once: growing it step by step, in every step, costs as much as the step.
//
//go:noinline
func growStack(i byte) byte {
	var room [32 << 10]byte
	room[int(i)*100] = 1
	return room[int(i)]
}

func adapter() *Adapter {
	if served == nil {
		panic("sdk.Serve has not been called: call it from init, main is not run in a module")
	}
	return served
}

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

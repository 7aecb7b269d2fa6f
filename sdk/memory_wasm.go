package sdk

import (
	"unsafe"

	"payswitch/sdk/internal/jsontext"
	"payswitch/sdk/internal/sha256"
)

// The functions of this file and of memory_native.go differ between a guest and native code. A guest has one thread. Its buffers belong to
// the SDK and do not change during a step. A guest trusts the host to write valid messages.

func sha256Sum(b []byte) [32]byte { return sha256.Sum(b) }

// textOf returns b as a string, without a copy.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// decodeHosts reads a step from the host without copying it.
func decodeHosts(message []byte) (*Step, error) {
	json, bodies, err := splitEnvelope(message)
	if err != nil {
		return nil, err
	}
	return decodeStep(jsontext.NewTrustingReader(textOf(json)), bodies)
}

var scratchBuffer = make([]byte, 0, 4<<10)

// scratch returns an empty buffer with room for about n bytes. The buffer is valid until the next call of scratch.
func scratch(int) []byte { return scratchBuffer[:0] }

// The parts of the current step.
var (
	parts       stepParts
	partsTaken  bool
	credentials = make(map[string]string, 8)
	config      = make(map[string]string, 8)
)

func newParts() *stepParts {
	if partsTaken {
		return new(stepParts)
	}
	partsTaken = true
	parts.Account.Credentials, parts.Account.Config = credentials, config
	return &parts
}

// emptyRoom frees everything that the last step decoded and built.
func emptyRoom() {
	if partsTaken {
		parts, partsTaken = stepParts{}, false
		for _, m := range [...]map[string]string{credentials, config} {
			m["room"] = "" // a map allocates with its first entry
			clear(m)
		}
	}
	jsontext.EmptyRoom()
}

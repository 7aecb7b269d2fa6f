package sdk

import (
	"unsafe"

	"payswitch/sdk/internal/jsontext"
	"payswitch/sdk/internal/sha256"
)

// The functions in this file and its native twin are those that differ inside a guest: there is one thread, the buffers belong to the
// SDK and are not changed during a step, and the host is trusted to write valid messages.

func sha256Sum(b []byte) [32]byte { return sha256.Sum(b) }

// textOf is b as a string, without a copy.
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

// scratch returns an empty buffer with room for about n bytes, to be used until the next call of scratch.
func scratch(int) []byte { return scratchBuffer[:0] }

// The parts of the step that is decoded.
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

// emptyRoom gives back what the last step has decoded and built.
func emptyRoom() {
	if partsTaken {
		parts, partsTaken = stepParts{}, false
		for _, m := range [...]map[string]string{credentials, config} {
			m["room"] = "" // a map takes its room with its first entry
			clear(m)
		}
	}
	jsontext.EmptyRoom()
}

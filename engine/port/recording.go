package port

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/s2"

	"payswitch/engine/compress"
	"payswitch/sdk"
)

// Recording is one drive of an operation as its adapter saw it. With a Recording the drive can be run again bit by bit, with the same build
// or another one. It contains stand-ins instead of secrets, and scrubbed answers. It is immutable.
type Recording struct {
	Adapter string // the adapter's own name; "" if only the journal's row names it
	Hash    string // SHA-256 of the build, lowercase hex; "" if only the journal's row names it
	// Seed is the operation's seed. The adapter's random numbers come from it.
	Seed [32]byte
	// Step is the input of the last step. All earlier inputs follow from it: step i saw the first Resumed+i exchanges, at the time of its
	// own exchange. The last step ran at Step.Now.
	Step *sdk.Step
	// Resumed is the number of exchanges from earlier drives.
	Resumed int
	Steps   []RecordedStep
	// Error is the host's text about the failure of the drive, or "". The failure may concern the last step or what followed it.
	Error string
	// Altered is true if a secret was blanked in the adapter's input, such as a processor's message. A replay sees the blanks.
	Altered bool
}

// RecordedStep is one step and its result.
type RecordedStep struct {
	Result []byte // message of the result (sdk.DecodeResult); nil: the adapter gave none
	Fault  string // why Result is nil: the kind of the trap, or "garbage"
	// Refreshed is true if the step's request was sent again with a new access token, because the first was refused.
	Refreshed bool
	Took      time.Duration // duration of the step
	Exchange  time.Duration // duration of the step's exchange, from the step's end to the complete answer
}

// Input returns the adapter's input after n exchanges. For this drive's first step, n is Resumed.
func (r *Recording) Input(n int) *sdk.Step {
	s := *r.Step
	if n < len(s.Exchanges) {
		s.Now = s.Exchanges[n].Now
	}
	s.Exchanges = s.Exchanges[:n:n]
	return &s
}

// recordingHeader is the JSON at the start of a recording. The messages of the step and the results follow, each after its length.
type recordingHeader struct {
	Version int                  `json:"v"`
	Adapter string               `json:"adapter,omitempty"`
	Hash    string               `json:"hash,omitempty"`
	Seed    []byte               `json:"seed"`
	Resumed int                  `json:"resumed,omitempty"`
	Error   string               `json:"error,omitempty"`
	Altered bool                 `json:"altered,omitempty"`
	Steps   []recordedStepHeader `json:"steps"`
}

type recordedStepHeader struct {
	Fault     string `json:"fault,omitempty"`
	Refreshed bool   `json:"refreshed,omitempty"`
	Took      int64  `json:"us"`                    // microseconds
	Exchange  int64  `json:"exchange_us,omitempty"` // microseconds
}

const recordingVersion = 1

// maxRecording limits the size after decompression: a step and eight results of maximum size, and some more.
const maxRecording = 16 << 20

// recording1 is the dictionary of recordings: one of a card payment. Never change it: stored recordings need every byte of it.
//
//go:embed recording1.dict
var recording1 []byte

const recording1ID = 3

var recordings = compress.New(maxRecording, map[byte][]byte{recording1ID: recording1})

// Encode returns the recording's bytes, packed with a dictionary of the names in it: half of what S2 alone leaves.
func (r *Recording) Encode() ([]byte, error) {
	h := recordingHeader{Version: recordingVersion, Adapter: r.Adapter, Hash: r.Hash, Seed: r.Seed[:], Resumed: r.Resumed, Error: r.Error,
		Altered: r.Altered, Steps: make([]recordedStepHeader, len(r.Steps))}
	for i := range r.Steps {
		s := &r.Steps[i]
		h.Steps[i] = recordedStepHeader{Fault: s.Fault, Refreshed: s.Refreshed, Took: s.Took.Microseconds(), Exchange: s.Exchange.Microseconds()}
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encode recording: %w", err)
	}
	step := sdk.EncodeStep(r.Step)
	size := len(head) + len(step) + 8
	for i := range r.Steps {
		size += len(r.Steps[i].Result) + 4
	}
	b := appendPart(appendPart(make([]byte, 0, size), head), step)
	for i := range r.Steps {
		b = appendPart(b, r.Steps[i].Result)
	}
	return recordings.Pack(recording1ID, b), nil
}

// unpackRecording decompresses a recording. Older versions compressed one with S2 alone: the length that begins such a recording is at least that of its
// header, so no packed text begins like it.
func unpackRecording(b []byte) ([]byte, error) {
	if compress.Packed(b) {
		return recordings.Unpack(b)
	}
	if n, err := s2.DecodedLen(b); err != nil || n > maxRecording {
		return nil, errRecording
	}
	out, err := s2.Decode(nil, b)
	if err != nil {
		return nil, fmt.Errorf("decode recording: %w", err)
	}
	return out, nil
}

// DecodeRecording reads a result of Encode. The bodies share the memory of b.
func DecodeRecording(b []byte) (*Recording, error) {
	b, err := unpackRecording(b)
	if err != nil {
		return nil, err
	}
	head, b, ok := cutPart(b)
	var h recordingHeader
	if !ok {
		return nil, errRecording
	}
	if err := json.Unmarshal(head, &h); err != nil {
		return nil, fmt.Errorf("decode recording: %w", err)
	}
	if h.Version != recordingVersion {
		return nil, fmt.Errorf("decode recording: its version is %d, but this payswitch reads version %d: use the payswitch that wrote it or a later one", h.Version, recordingVersion)
	}
	message, b, ok := cutPart(b)
	if !ok || len(h.Seed) != 32 {
		return nil, errRecording
	}
	r := &Recording{Adapter: h.Adapter, Hash: h.Hash, Seed: [32]byte(h.Seed), Resumed: h.Resumed, Error: h.Error, Altered: h.Altered}
	if r.Step, err = sdk.DecodeStep(message); err != nil {
		return nil, fmt.Errorf("decode recording: step: %w", err)
	}
	for _, s := range h.Steps {
		step := RecordedStep{Fault: s.Fault, Refreshed: s.Refreshed, Took: time.Duration(s.Took) * time.Microsecond,
			Exchange: time.Duration(s.Exchange) * time.Microsecond}
		if step.Result, b, ok = cutPart(b); !ok {
			return nil, errRecording
		}
		r.Steps = append(r.Steps, step)
	}
	if len(b) > 0 || r.Resumed < 0 || r.Resumed > len(r.Step.Exchanges) {
		return nil, errRecording
	}
	return r, nil
}

var errRecording = errors.New("decode recording: the recording is damaged")

func appendPart(b, part []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(part))), part...)
}

// cutPart takes the first part off b. part is nil if it is empty.
func cutPart(b []byte) (part, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	b = b[4:]
	switch {
	case n > uint64(len(b)):
		return nil, nil, false
	case n == 0:
		return nil, b, true
	}
	return b[:n:n], b[n:], true
}

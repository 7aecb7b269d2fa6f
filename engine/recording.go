package engine

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/s2"

	"payswitch/sdk"
)

// Recording is one drive of an operation as its adapter saw it: all that is needed to run it again, bit for bit, with this build or
// another. Of secrets it holds stand-ins alone, and answers as they were scrubbed. It must not be changed once it is made.
type Recording struct {
	Adapter string // the adapter's own name
	Hash    string // of the build, lowercase hex SHA-256
	// Seed of the operation. What the adapter finds random comes from it.
	Seed [32]byte
	// Step is the input of the last step, and so that of every step: step i saw the first Resumed+i exchanges, at the time of the
	// exchange that came of it, the last one at Step.Now.
	Step *sdk.Step
	// Resumed is how many of the exchanges an earlier drive had made.
	Resumed int
	Steps   []RecordedStep
	// Error is why the drive failed, "" where it did not: the host's words, which may concern the last step or what came after it.
	Error string
	// Altered says that a secret was blanked in what the adapter was asked (a processor's message, say): run again, it sees the
	// blanks.
	Altered bool
}

// RecordedStep is one step and what came of it.
type RecordedStep struct {
	Result []byte // message of the result (sdk.DecodeResult); nil where the adapter gave none
	Fault  string // why it gave none: the kind of the trap, or "garbage"
	// Refreshed says that its request was sent once more, with a new access token: the first was refused.
	Refreshed bool
	Took      time.Duration // of the step
	Exchange  time.Duration // of the exchange that came of it, from the step's end to the whole answer
}

// Input is what the adapter is given once n exchanges have been made: in this drive's first step that is Resumed of them.
func (r *Recording) Input(n int) *sdk.Step {
	s := *r.Step
	if n < len(s.Exchanges) {
		s.Now = s.Exchanges[n].Now
	}
	s.Exchanges = s.Exchanges[:n:n]
	return &s
}

// recordingHeader is the JSON that a recording begins with. The messages of its step and results follow, each after its length.
type recordingHeader struct {
	Version int                  `json:"v"`
	Adapter string               `json:"adapter"`
	Hash    string               `json:"hash"`
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

// maxRecording bounds what is decompressed: eight results and a step at their largest, and room to spare.
const maxRecording = 16 << 20

// Encode returns a recording's bytes, compressed: by S2, which takes a tenth of the time of DEFLATE or Zstandard for a quarter more bytes.
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
	return s2.Encode(nil, b), nil
}

// DecodeRecording reads what Encode made. Bodies share its memory.
func DecodeRecording(b []byte) (*Recording, error) {
	if n, err := s2.DecodedLen(b); err != nil || n > maxRecording {
		return nil, errRecording
	}
	b, err := s2.Decode(nil, b)
	if err != nil {
		return nil, fmt.Errorf("decode recording: %w", err)
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
		return nil, fmt.Errorf("decode recording: its version is %d, known is %d: use the payswitch that wrote it or a later one", h.Version, recordingVersion)
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

var errRecording = errors.New("decode recording: it is damaged")

func appendPart(b, part []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(part))), part...)
}

// cutPart takes the first part; nil when it is empty.
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

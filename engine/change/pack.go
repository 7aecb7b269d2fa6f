package change

import (
	"bytes"
	_ "embed"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// events1 is the dictionary of packed events: bodies as the switch renders them. Never change the file: stored events need every byte of it. A
// better dictionary is a further file with the next id.
//
//go:embed events1.dict
var events1 []byte

const (
	events1ID = 1
	// maxBody bounds an unpacked body, so that a damaged row cannot fill the memory.
	maxBody = 16 << 20
)

var (
	packer = must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderDictRaw(events1ID, events1), zstd.WithWindowSize(32<<10),
		zstd.WithEncoderCRC(false))) // the vault's seal finds a damaged byte
	unpacker = must(zstd.NewReader(nil, zstd.WithDecoderDictRaw(events1ID, events1), zstd.WithDecoderMaxMemory(maxBody), zstd.WithDecoderConcurrency(0)))
)

// The first use makes the encoder's channel, which must not belong to a test's bubble (testing/synctest).
var _ = packer.EncodeAll([]byte("{}"), nil)

// must is for options that are constants: no input can make them fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Pack compresses the body of an event. A body of 4 KB becomes some 600 bytes, because the dictionary has the names of its fields.
func Pack(body []byte) []byte { return packer.EncodeAll(body, nil) }

// Unpack reverses Pack. It returns a body that an older version stored plain as it is.
func Unpack(packed []byte) ([]byte, error) {
	if bytes.HasPrefix(packed, []byte("{")) {
		return packed, nil
	}
	body, err := unpacker.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack event: %w", err)
	}
	return body, nil
}

package vault

import (
	"bytes"
	_ "embed"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// Dictionaries of packed texts: events as the switch renders them, and the JSON of requests and private parts of rows. Never change these files: stored
// rows need every byte of them. A better dictionary is a further file with the next id.
var (
	//go:embed events1.dict
	events1 []byte
	//go:embed documents1.dict
	documents1 []byte
)

const (
	events1ID, documents1ID = 1, 2

	// maxUnpacked bounds an unpacked text, so that a damaged row cannot fill the memory.
	maxUnpacked = 64 << 20
	// packFrom is the length from which JSON is packed.
	packFrom = 100
)

// packedMark begins every packed text. No JSON begins with it.
var packedMark = []byte{0x28, 0xb5, 0x2f, 0xfd}

var (
	eventPacker    = newPacker(events1ID, events1)
	documentPacker = newPacker(documents1ID, documents1)
	unpacker       = must(zstd.NewReader(nil, zstd.WithDecoderDictRaw(events1ID, events1), zstd.WithDecoderDictRaw(documents1ID, documents1),
		zstd.WithDecoderMaxMemory(maxUnpacked), zstd.WithDecoderConcurrency(0)))
)

func newPacker(id uint32, dictionary []byte) *zstd.Encoder {
	e := must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderDictRaw(id, dictionary), zstd.WithWindowSize(32<<10),
		zstd.WithEncoderCRC(false))) // the vault's seal finds a damaged byte
	e.EncodeAll([]byte("{}"), nil) // the first use makes a channel, which must not belong to a test's bubble (testing/synctest)
	return e
}

// must is for options that are constants: no input can make them fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// PackEvent compresses the body of an event. A body of 4 KB becomes some 550 bytes, because the dictionary has the names of its fields.
func PackEvent(body []byte) []byte { return eventPacker.EncodeAll(body, nil) }

// packDocument compresses JSON that is about to be sealed. Short JSON stays as it is.
func packDocument(text []byte) []byte {
	if len(text) < packFrom {
		return text
	}
	return documentPacker.EncodeAll(text, nil)
}

// Unpack reverses PackEvent and packDocument. It returns a text that is not packed, such as that of an older version, as it is.
func Unpack(packed []byte) ([]byte, error) {
	if !bytes.HasPrefix(packed, packedMark) {
		return packed, nil
	}
	text, err := unpacker.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return text, nil
}

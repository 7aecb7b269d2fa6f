package vault

import (
	_ "embed"

	"payswitch/engine/compress"
)

// Dictionaries of packed texts: events as the switch renders them, and the JSON of requests and private parts of rows. Never change these files: stored
// rows need every byte of them. A better dictionary is a further file with the next id.
var (
	//go:embed events1.dict
	events1 []byte // of older versions; events2 has the fields that were added since
	//go:embed events2.dict
	events2 []byte
	//go:embed documents1.dict
	documents1 []byte

	dictionaries = compress.New(maxUnpacked, map[byte][]byte{events1ID: events1, documents1ID: documents1, events2ID: events2})
)

const (
	events1ID, documents1ID, events2ID = 1, 2, 4 // 3 is recording1

	// maxUnpacked bounds an unpacked text in bytes.
	maxUnpacked = 64 << 20
	// packFrom is the length from which JSON is packed.
	packFrom = 100
)

// PackEvent compresses the body of an event.
func PackEvent(body []byte) []byte { return dictionaries.Pack(events2ID, body) }

// packDocument compresses JSON that is about to be sealed. Short JSON stays as it is.
func packDocument(text []byte) []byte {
	if len(text) < packFrom {
		return text
	}
	return dictionaries.Pack(documents1ID, text)
}

// Unpack reverses PackEvent and packDocument. It returns a text that is not packed, such as that of an older version, as it is.
func Unpack(packed []byte) ([]byte, error) { return dictionaries.Unpack(packed) }

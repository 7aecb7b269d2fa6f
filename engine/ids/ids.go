package ids

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"
)

const Alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// New returns prefix and 20 characters of [0-9A-Za-z]: 8 characters of Unix milliseconds, then 12 random ones (71 bits). Ids sort by time,
// because time-ordered keys keep the database's indexes small and fast.
func New(prefix string) string { return At(prefix, time.Now()) }

func At(prefix string, at time.Time) string {
	b := make([]byte, len(prefix)+20)
	copy(b, prefix)
	ms := uint64(at.UnixMilli())
	for i := len(prefix) + 7; i >= len(prefix); i-- {
		b[i] = Alphabet[ms%62]
		ms /= 62
	}
	randomBase62(b[len(prefix)+8:])
	return string(b)
}

// Made reports whether an id has the form of At: a prefix, a time from 2020 to 2100, and random characters. What follows after an underscore does not count.
// An id that a caller chose does not have this form, unless its characters are random.
func Made(id string) bool {
	_, rest, found := strings.Cut(id, "_")
	rest, _, _ = strings.Cut(rest, "_")
	if !found || len(rest) != 20 {
		return false
	}
	ms := uint64(0)
	for i := range len(rest) {
		n := strings.IndexByte(Alphabet, rest[i])
		if n < 0 {
			return false
		}
		if i < 8 {
			ms = 62*ms + uint64(n)
		}
	}
	return ms >= 1_577_836_800_000 && ms < 4_102_444_800_000
}

// Random returns n characters of [0-9A-Za-z] that cannot be guessed.
func Random(n int) string {
	b := make([]byte, n)
	randomBase62(b)
	return string(b)
}

func randomBase62(b []byte) {
	var r [64]byte
	for i := 0; i < len(b); {
		rand.Read(r[:])
		for _, c := range r {
			if c >= 248 { // 248 is 4*62: larger bytes would favour some characters
				continue
			}
			b[i] = Alphabet[c%62]
			if i++; i == len(b) {
				return
			}
		}
	}
}

// NewEvent returns evt_ and the hex digits of a UUID version 7 (RFC 9562). Such ids sort by time, and within a millisecond by number, which counts the
// events of a payment. The UUID has room for 4,095 of them.
func NewEvent(at time.Time, number int) string {
	var b [16]byte
	ms := uint64(at.UnixMilli())
	rand.Read(b[8:])
	for i := 5; i >= 0; i-- {
		b[i] = byte(ms)
		ms >>= 8
	}
	binary.BigEndian.PutUint16(b[6:], 0x7000|uint16(min(number, 0xfff)))
	b[8] = b[8]&0x3f | 0x80
	return "evt_" + hex.EncodeToString(b[:])
}

// FirstEvent returns the smallest id that an event of the time at can have.
func FirstEvent(at time.Time) string {
	var b [6]byte
	ms := uint64(at.UnixMilli())
	for i := 5; i >= 0; i-- {
		b[i] = byte(ms)
		ms >>= 8
	}
	return "evt_" + hex.EncodeToString(b[:])
}

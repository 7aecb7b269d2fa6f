package payment

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"time"
)

// NewEventID returns evt_ and the hex digits of a UUID version 7 (RFC 9562). Such ids sort by time.
func NewEventID(at time.Time) string {
	var b [16]byte
	ms := uint64(at.UnixMilli())
	rand.Read(b[:])
	for i := 5; i >= 0; i-- {
		b[i] = byte(ms)
		ms >>= 8
	}
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	return "evt_" + hex.EncodeToString(b[:])
}

// AnnouncementOf identifies a state for which merchants receive one event. A further partial capture makes a new state.
func AnnouncementOf(p *Payment, a *Attempt) string {
	s := string(p.Status) + "/" + strconv.Itoa(a.Number)
	if a.Captured > 0 {
		s += "/" + strconv.FormatInt(a.Captured, 10)
	}
	return s
}

// FirstEventID returns the smallest id that an event of the time at can have.
func FirstEventID(at time.Time) string {
	var b [6]byte
	ms := uint64(at.UnixMilli())
	for i := 5; i >= 0; i-- {
		b[i] = byte(ms)
		ms >>= 8
	}
	return "evt_" + hex.EncodeToString(b[:])
}

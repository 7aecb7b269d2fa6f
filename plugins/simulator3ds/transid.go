package simulator3ds

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"hash"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/google/uuid"
)

// A dsTransID of the simulator encodes the purchase that it was issued for. The simulated processor stores nothing, so
// it compares an authorization with the dsTransID. The id is a UUID of version 8 (RFC 9562) with these bytes:
//
//	0–2    51 3d 50, the mark of the simulator
//	3      the scheme's place in schemes (4 bits), random, 1 for a card number with a bin of schemes (1 bit)
//	4–5    random
//	6–7    version (4 bits), the currency's ISO 4217 number (10 bits), random
//	8–9    variant (2 bits), random
//	10–15  the amount in minor units, at most maxAmount
//
// Package plugins/simulator reads it. Tests of package plugins check that the two packages agree.
const (
	transIDMark = "\x51\x3d\x50"
	maxAmount   = 1<<48 - 1
)

// dsTransID makes a dsTransID. Without a purchase, amount and currency are "".
func dsTransID(c card, amount, currency string) string {
	var id [16]byte
	rand.Read(id[:])
	minor, err := strconv.ParseUint(amount, 10, 64)
	if amount != "" && (err != nil || minor > maxAmount) {
		minor = maxAmount
	}
	number, _ := strconv.ParseUint(currency, 10, 10)
	binary.BigEndian.PutUint64(id[8:], minor|uint64(id[8]&0x3f|0x80)<<56|uint64(id[9])<<48)
	binary.BigEndian.PutUint16(id[6:], 8<<12|uint16(number)<<2|uint16(id[7]&3))
	id[3] = byte(slices.Index(schemeOrder(), c.scheme))<<4 | id[3]&0xe
	if c.own {
		id[3] |= 1
	}
	copy(id[:], transIDMark)
	return uuid.UUID(id).String()
}

func schemeOrder() (all []Scheme) {
	for _, s := range schemes {
		all = append(all, s.scheme)
	}
	return all
}

// cavv returns the authentication value of a result: standard base64 of 20 bytes, as with every scheme. The bytes are
// FNV-1a hashes of 128 and of 32 bits. They use no key and prove nothing outside the simulated processor.
func cavv(dsTransID, status string) string {
	long, short := fnv.New128a(), fnv.New32a()
	for _, h := range []hash.Hash{long, short} {
		h.Write([]byte("payswitch simulator3ds " + dsTransID + " " + status))
	}
	return base64.StdEncoding.EncodeToString(short.Sum(long.Sum(nil)))
}

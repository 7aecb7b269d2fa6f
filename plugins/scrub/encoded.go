package scrub

import "strings"

// Encoded ASCII text has a mark: the highest bit of each of its bytes is 0. For every character of base64, encoding holds the places, of 16 in
// twelve such bytes, where the character can stand. For every hexadecimal digit it holds the places of 24. So the search needs a shift and a
// mask for each byte (the shift-and algorithm of Baeza-Yates and Gonnet). What it finds is decoded and read.
var encoding = func() (all [256]uint64) {
	for c := range all {
		if s := sextets[c]; s < 64 {
			var can uint64
			for at, ok := range [4]bool{s < 32, s&8 == 0, s&2 == 0, true} {
				if ok {
					can |= 1 << at
				}
			}
			all[c] = can * 0x1111
		}
		if isHex(byte(c)) {
			can := uint64(0b10) // the low half of a byte
			if unhexByte(byte(c)) < 8 {
				can |= 0b01
			}
			all[c] |= can * 0x555555 << base64Places
		}
	}
	return all
}()

const (
	base64Places = 16
	hexPlaces    = 24
	foundBase64  = 1 << (base64Places - 1)
	foundHex     = 1 << (base64Places + hexPlaces - 1)
)

// sextets are the values of characters of base64 in both its alphabets; 64 for others.
var sextets = func() (all [256]byte) {
	for i := range all {
		all[i] = 64
	}
	for i, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		all[c] = byte(i)
	}
	all['-'], all['_'] = 62, 63
	return all
}()

// encoded blanks base64 and hexadecimal text with a secret in it. It decodes each run once in each alignment in which the run may be text.
func (r *reading) encoded(v *view) {
	if r.depth >= maxEncodings {
		return
	}
	t := v.text
	r.dumped(v)
	var run encodedRun
	for i := base64Places - 1; i < len(t); { // most words are too short to hold anything: their end is looked at first
		k := i
		for k > i-base64Places && sextets[t[k]] < 64 {
			k--
		}
		if k > i-base64Places {
			i = k + base64Places
			continue
		}
		i = r.encodedFrom(v, k+1, &run) + base64Places
	}
}

// encodedFrom reads a run of base64 characters, which include the hexadecimal ones, and returns its end. b64 is the last run that was found.
// This run may continue it.
func (r *reading) encodedFrom(v *view, i int, b64 *encodedRun) int {
	var state uint64
	var hex encodedRun
	t := v.text
	for ; i < len(t) && sextets[t[i]] < 64; i++ {
		if state = (state<<1 | 1 | 1<<base64Places) & encoding[t[i]]; state&(foundBase64|foundHex) == 0 {
			continue
		}
		if state&foundHex != 0 {
			if i >= hex.end {
				hex = hexRun(t, i)
			}
			if n := hex.alignment(i-hexPlaces+1, 2); n >= 0 && r.holds(unhexed(hex.chars[n:])) {
				v.blank(hex.start, hex.end)
				hex.looked = 0xF
			}
		}
		if state&foundBase64 == 0 {
			continue
		}
		if i >= b64.end {
			*b64 = base64Run(t, i)
		}
		n := b64.alignment(i-base64Places+1, 4)
		if n < 0 {
			continue
		}
		found := false
		if b64.lines {
			found, b64.looked = r.holdsAtAny(b64.chars), 0xF
		} else {
			found = r.holds(unbase64(b64.chars[n:]))
		}
		if found {
			v.blank(b64.start, b64.end)
			b64.looked = 0xF
		}
	}
	return i
}

// encodedRun is a run of characters of an encoding.
type encodedRun struct {
	start, end int
	chars      string
	lines      bool // spans more than one line
	looked     byte // the alignments in which the run was read
}

// alignment returns the number of characters left over before a place that begins with a whole byte, or -1 if the run was read so.
func (e *encodedRun) alignment(at, of int) int {
	n := max(0, at-e.start) % of
	if e.looked&(1<<n) != 0 || n >= len(e.chars) {
		return -1
	}
	e.looked |= 1 << n
	return n
}

// holdsAtAny reports whether base64 of several lines holds a secret in any alignment.
func (r *reading) holdsAtAny(chars string) bool {
	for n := range min(4, len(chars)) {
		if r.holds(unbase64(chars[n:])) {
			return true
		}
	}
	return false
}

// holds reports whether a decoded text holds a secret.
func (r *reading) holds(decoded string) bool {
	if r.work -= len(decoded); r.work < 0 {
		return true // too much to search
	}
	if len(decoded) < 3 {
		return false
	}
	inner := reading{Scrubber: r.Scrubber, request: r.request, others: r.others, depth: r.depth + 1, work: r.work}
	clean := inner.read(decoded)
	r.work, r.known = inner.work, r.known || inner.known
	return clean != decoded
}

// hexRun returns the run of hexadecimal digits around a place.
func hexRun(t string, at int) encodedRun {
	start, end := at, at
	for start > 0 && isHex(t[start-1]) {
		start--
	}
	for end < len(t) && isHex(t[end]) {
		end++
	}
	return encodedRun{start: start, end: end, chars: t[start:end]}
}

func unhexed(t string) string {
	b := make([]byte, 0, len(t)/2)
	for ; len(t) > 1; t = t[2:] {
		b = append(b, unhexByte(t[0])<<4|unhexByte(t[1]))
	}
	return string(b)
}

// leastLine is the smallest length of a base64 line that continues in the next line.
const leastLine = 60

// base64Run returns the run of base64 around a place, also over line breaks.
func base64Run(t string, at int) encodedRun {
	start, end := at, at
	for start > 0 {
		if sextets[t[start-1]] < 64 {
			start--
			continue
		}
		before, isBreak := strings.CutSuffix(t[:start], "\n")
		before = strings.TrimSuffix(before, "\r")
		line := len(before)
		for line > 0 && sextets[before[line-1]] < 64 {
			line--
		}
		if !isBreak || len(before)-line < leastLine {
			break
		}
		start = line
	}
	var joined []byte // set if there is more than one line
	line := start
	for end = start; ; end++ {
		if end < len(t) && sextets[t[end]] < 64 {
			continue
		}
		n := lineBreak(t[end:])
		if n == 0 || end-line < leastLine {
			break
		}
		joined = append(joined, t[line:end]...)
		end += n - 1
		line = end + 1
	}
	e := encodedRun{start: start, chars: t[start:end]}
	if joined != nil {
		e.chars, e.lines = string(append(joined, t[line:end]...)), true
	}
	for end < len(t) && t[end] == '=' {
		end++
	}
	e.end = end
	return e
}

// lineBreak returns the length of the line break, plain or escaped, at the beginning of a text.
func lineBreak(t string) int {
	for _, s := range [...]string{"\r\n", "\n", `\r\n`, `\n`} {
		if strings.HasPrefix(t, s) {
			return len(s)
		}
	}
	return 0
}

func unbase64(t string) string {
	b := make([]byte, 0, len(t)*3/4+3)
	for ; len(t) > 1; t = t[min(4, len(t)):] {
		b = append(b, sextets[t[0]]<<2|sextets[t[1]]>>4)
		if len(t) > 2 {
			b = append(b, sextets[t[1]]<<4|sextets[t[2]]>>2)
		}
		if len(t) > 3 {
			b = append(b, sextets[t[2]]<<6|sextets[t[3]])
		}
	}
	return string(b)
}

package sdk

// RequestHash returns the hash of a send. It covers everything that decides which bytes leave and which parts of the answer the adapter sees.
// The hash is lowercase hex of the SHA-256 over
//
//	text("send") text(method) text(url)
//	count(headers) { text(name) text(value) }
//	text(idempotency_header)
//	count(derive) { text(stand_in) expr }
//	count(capture) { text(path) text(name) }
//	text(body)
//
// count is 4 bytes, little-endian. text is the count of bytes, then the bytes. expr is
// text(fn) text(text) count(args) { expr }. Times, safe_to_repeat and timeout_ms are not part of it. Values are hashed as they stand
// in the message: header names keep their case, stand-ins are not replaced.
func RequestHash(s *Send) string { return canonical(s).sum() }

// RequestSums returns RequestHash and RequestCheck at once.
func RequestSums(s *Send) (hash, check string) {
	b := canonical(s)
	return b.sum(), b.check()
}

// RequestCheck returns a shorter hash of a send: 16 lowercase hex digits of the 64-bit FNV-1a over the same bytes as RequestHash. A guest
// computes it in a tenth of the time. It detects an adapter that diverges by mistake. The host relies on RequestHash, as an adapter could
// forge a RequestCheck.
func RequestCheck(s *Send) string { return canonical(s).check() }

func (b hashed) check() string {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for len(b) >= 8 { // unrolled: a turn of a loop is expensive in a guest
		w := (*[8]byte)(b)
		h = (h ^ uint64(w[0])) * prime
		h = (h ^ uint64(w[1])) * prime
		h = (h ^ uint64(w[2])) * prime
		h = (h ^ uint64(w[3])) * prime
		h = (h ^ uint64(w[4])) * prime
		h = (h ^ uint64(w[5])) * prime
		h = (h ^ uint64(w[6])) * prime
		h = (h ^ uint64(w[7])) * prime
		b = b[8:]
	}
	for _, c := range b {
		h = (h ^ uint64(c)) * prime
	}
	var text [16]byte
	for i := range text {
		text[i] = hexDigits[h>>(60-4*i)&15]
	}
	return string(text[:])
}

// asked reports whether the exchange belongs to the send.
func (x *Exchange) asked(s *Send) bool {
	switch {
	case x.Verified != nil:
		return false
	case x.RequestCheck != "":
		return x.RequestCheck == RequestCheck(s)
	}
	return x.RequestHash == RequestHash(s)
}

// canonical returns the bytes to hash. They are valid until the next use of scratch.
func canonical(s *Send) hashed {
	h := hashed(scratch(512 + len(s.Body)))
	h.text("send")
	h.text(s.Method)
	h.text(s.URL)
	h.count(len(s.Headers))
	for i := range s.Headers {
		h.text(s.Headers[i].Name)
		h.text(s.Headers[i].Value)
	}
	h.text(s.IdempotencyHeader)
	h.count(len(s.Derive))
	for i := range s.Derive {
		h.text(s.Derive[i].StandIn)
		h.expr(&s.Derive[i].Expr)
	}
	h.count(len(s.Capture))
	for i := range s.Capture {
		h.text(s.Capture[i].Path)
		h.text(s.Capture[i].Name)
	}
	h.count(len(s.Body))
	return append(h, s.Body...)
}

// VerifyHash returns the hash of a verify: lowercase hex of the SHA-256 over text("verify") expr text(equal), in the notation of
// RequestHash.
func VerifyHash(v *Verify) string {
	h := hashed(scratch(512))
	h.text("verify")
	h.expr(&v.Expr)
	h.text(v.Equal)
	return h.sum()
}

const hexDigits = "0123456789abcdef"

// hashed is the canonical byte string to hash.
type hashed []byte

func (h *hashed) count(n int) { *h = appendUint32(*h, uint32(n)) }

func (h *hashed) text(s string) {
	h.count(len(s))
	*h = append(*h, s...)
}

func (h *hashed) expr(e *Expr) {
	h.text(e.Fn)
	h.text(e.Text)
	h.count(len(e.Args))
	for i := range e.Args {
		h.expr(&e.Args[i])
	}
}

func (h hashed) sum() string {
	var text [64]byte
	for i, b := range sha256Sum(h) {
		text[2*i], text[2*i+1] = hexDigits[b>>4], hexDigits[b&15]
	}
	return string(text[:])
}

// appendUint32 appends n in little-endian order. encoding/binary would bring package reflect into the guest.
func appendUint32(b []byte, n uint32) []byte {
	return append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

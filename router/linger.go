package router

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

// If the server closes a connection while the caller still sends its body, the kernel resets the connection and the caller may lose the answer. So
// the server answers at once and then reads and drops the rest of the body, within these limits. nginx calls this lingering_close.
var (
	lingerTime        = 10 * time.Second
	lingerBytes int64 = 128 << 20
)

// writeTime is how long a caller may take to read an answer. Without it, a caller that reads nothing would hold its connection for ever.
var writeTime = 30 * time.Second

// smallRest is the largest number of bytes of a body that net/http itself reads after an answer, in order to reuse the connection.
const smallRest = 256 << 10

// sentBody is a request's body that counts the bytes read from it.
type sentBody struct {
	io.ReadCloser
	read  int64
	ended bool
}

func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	b.ended = b.ended || err != nil
	return n, err
}

// unread reports whether the caller will send more of the body than net/http itself reads.
func (b *sentBody) unread(r *http.Request) bool {
	switch {
	case b.ended || r.ContentLength == 0 || r.ProtoMajor != 1:
		return false
	case r.Header.Get("Expect") != "" && b.read == 0:
		return false // the caller sends no body before it gets 100 Continue
	case r.ContentLength > 0:
		return r.ContentLength-b.read > smallRest
	}
	io.CopyN(io.Discard, b, smallRest) // the length is unknown, and most bodies are short
	return !b.ended
}

// send writes an answer. If much of the body is still to come, send then drops it within the limits above, and the connection closes.
func (b *sentBody) send(w http.ResponseWriter, r *http.Request, a answer) {
	r.Body = b.ReadCloser // net/http recognises only its own type when it looks for the rest of a body
	c := http.NewResponseController(w)
	_ = c.SetWriteDeadline(time.Now().Add(writeTime)) // set here, because the handler may have taken minutes
	if len(a.body) > 0 {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body))) // net/http would send a body of more than 2 KB in chunks
	}
	if !b.unread(r) {
		w.WriteHeader(a.status)
		w.Write(a.body) // it fails only if the caller has gone
		return
	}
	w.Header().Set("Connection", "close")
	// These calls fail if the connection has gone or does not support them. The caller then gets the usual answer of net/http.
	_ = c.EnableFullDuplex()
	w.WriteHeader(a.status)
	w.Write(a.body)
	if c.Flush() != nil || c.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return
	}
	io.CopyN(io.Discard, b, lingerBytes)
	_ = c.SetReadDeadline(time.Now())
}

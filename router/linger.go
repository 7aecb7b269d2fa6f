package router

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

// A caller that is still sending its body when we answer and close gets a reset from the kernel, which may take our answer from it. So we
// answer at once, and go on reading for a while what the caller sends, as nginx does (lingering_close).
var (
	lingerTime        = 10 * time.Second // how long
	lingerBytes int64 = 128 << 20        // and how much we read at most
)

// writeTime is how long a caller may take to read an answer. Without a limit, callers that read nothing hold a connection each for ever.
var writeTime = 30 * time.Second

// smallRest is what net/http reads by itself, to use the connection again.
const smallRest = 256 << 10

// sentBody counts what was read of a request's body.
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

// unread says whether more of the body will come than net/http reads by itself.
func (b *sentBody) unread(r *http.Request) bool {
	switch {
	case b.ended || r.ContentLength == 0 || r.ProtoMajor != 1:
		return false
	case r.Header.Get("Expect") != "" && b.read == 0:
		return false // the caller waits for our word before it sends
	case r.ContentLength > 0:
		return r.ContentLength-b.read > smallRest
	}
	io.CopyN(io.Discard, b, smallRest) // of unknown length: most are short
	return !b.ended
}

// send writes an answer. What the caller still sends of its body is read and dropped, within the limits above; then the connection closes.
func (b *sentBody) send(w http.ResponseWriter, r *http.Request, a answer) {
	r.Body = b.ReadCloser // net/http looks at its own type, to know what is left
	c := http.NewResponseController(w)
	_ = c.SetWriteDeadline(time.Now().Add(writeTime)) // counts from here: the answer itself may have taken minutes
	if !b.unread(r) {
		w.WriteHeader(a.status)
		w.Write(a.body) // a caller that has gone is no failure of ours
		return
	}
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	// The errors below are those of a connection that cannot do it, or has gone. The caller then gets what net/http makes of it.
	_ = c.EnableFullDuplex()
	w.WriteHeader(a.status)
	w.Write(a.body)
	if c.Flush() != nil || c.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return
	}
	io.CopyN(io.Discard, b, lingerBytes)
	_ = c.SetReadDeadline(time.Now())
}

package router

import (
	"bytes"
	"net"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"payswitch/engine/fault"
)

// net/http itself answers a request that it cannot parse, in plain text and before any handler runs: a URL with a malformed %, a header without a
// colon, headers over MaxHeaderBytes. Listener turns these answers into the JSON error that clients of the API read.

// Listener wraps the listener that Server.HTTP serves. Without it, a request that net/http cannot parse is answered in plain text.
func Listener(l net.Listener) net.Listener { return jsonListener{WatchLengths(l)} }

type jsonListener struct{ net.Listener }

func (l jsonListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return jsonConn{c}, nil
}

// unparsedHeaders is what net/http writes after the status line of such an answer. A handler's answer always has other headers first.
var unparsedHeaders = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

type jsonConn struct{ net.Conn }

// Write replaces the plain answer; net/http writes it with one call. It passes on everything else as it is.
func (c jsonConn) Write(p []byte) (int, error) {
	line, rest, _ := bytes.Cut(p[:min(len(p), 512)], []byte("\r\n"))
	if !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) || !bytes.HasPrefix(p[len(line):], unparsedHeaders) {
		return c.Conn.Write(p)
	}
	detail := string(rest[len(unparsedHeaders)-len("\r\n"):])
	if _, err := c.Conn.Write(unparsedAnswer(string(line), detail)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// CloseWrite lets net/http end the answer while the caller still sends, as it does on a TCP connection.
func (c jsonConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// unparsedAnswer returns the JSON error in place of a plain one, by the status line and the text of the plain one.
func unparsedAnswer(statusLine, text string) []byte {
	_, detail, _ := strings.Cut(text, ": ")
	switch {
	case strings.HasPrefix(text, "431"):
		detail = "the headers are larger than 16 KiB"
	case strings.HasPrefix(text, "Unsupported transfer encoding"):
		detail = "its Transfer-Encoding is not chunked; send Content-Length, or Transfer-Encoding: chunked"
	case detail == "":
		detail = "in the URL, a % must be followed by two hexadecimal digits; each header must be one line, as in Name: value"
	}
	a := errorAnswer(&fault.Error{Kind: fault.KindInvalid, Code: "IR_06", Message: "the HTTP request cannot be parsed: " + detail, Hint: "Change the request as the message says."})
	h := a.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", "application/json")
	h.Set("Connection", "close")
	h.Set("X-Request-Id", uuid.Must(uuid.NewV7()).String())
	keepPrivate(h, http.StatusBadRequest)
	var out bytes.Buffer
	out.WriteString(statusLine + "\r\n")
	_ = h.Write(&out) // a bytes.Buffer does not fail
	out.WriteString("\r\n")
	out.Write(a.body)
	return out.Bytes()
}

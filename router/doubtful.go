package router

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

// A request that has both Content-Length and Transfer-Encoding may end at another byte for a proxy in front than for this server. The rest of its
// body would then be the beginning of the next payer's request. net/http takes the chunks and drops the length without a word, and it drops
// Transfer-Encoding from a request of HTTP/1.0. RFC 9112, section 6.1, requires that the connection closes after the answer. So the connection counts
// these headers as they arrive, and the handler compares the count with those that net/http used.

// WatchLengths wraps a listener so that CloseDoubtful works on its connections. Listener includes it.
func WatchLengths(l net.Listener) net.Listener { return watchedListener{l} }

type watchedListener struct{ net.Listener }

func (l watchedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &watchedConn{Conn: c}, nil
}

// watchedConn counts the lines that arrive and begin with Content-Length or Transfer-Encoding. Such a line within a body counts too: the
// connection then closes early, which does no harm.
type watchedConn struct {
	net.Conn
	lines atomic.Int64
	used  int64 // of the lines, those that net/http used; the handlers of a connection run one after the other

	name   [len(transferEncoding)]byte // the beginning of the line
	length int
	rest   bool // the line has another name, or has counted
}

const (
	contentLength    = "content-length:"
	transferEncoding = "transfer-encoding:"
)

func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.watch(p[:n])
	return n, err
}

// CloseWrite lets net/http end the answer while the caller still sends.
func (c *watchedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *watchedConn) watch(p []byte) {
	for len(p) > 0 {
		if c.rest {
			_, after, found := bytes.Cut(p, []byte("\n"))
			c.rest, c.length, p = !found, 0, after
			continue
		}
		b := p[0]
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		c.name[c.length] = b
		c.length++
		switch name := string(c.name[:c.length]); {
		case b == '\n':
			c.length = 0
		case name == contentLength, name == transferEncoding:
			c.lines.Add(1)
			c.rest = true
		case !strings.HasPrefix(contentLength, name) && !strings.HasPrefix(transferEncoding, name):
			c.rest = true
		}
		p = p[1:]
	}
}

// doubtful reports whether more headers about lengths have arrived than net/http has used up to this request.
func (c *watchedConn) doubtful(r *http.Request) bool {
	if r.Header["Content-Length"] != nil {
		c.used++
	}
	if len(r.TransferEncoding) > 0 {
		c.used++
	}
	return c.lines.Load() > c.used
}

type watchedKey struct{}

// CloseDoubtful makes a server close the connection after a request whose end is in doubt. The server's listener must come from Listener or
// WatchLengths.
func CloseDoubtful(s *http.Server) {
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if j, ok := c.(jsonConn); ok {
			c = j.Conn
		}
		if w, ok := c.(*watchedConn); ok {
			ctx = context.WithValue(ctx, watchedKey{}, w)
		}
		return ctx
	}
	next := s.Handler
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(watchedKey{}).(*watchedConn); ok && c.doubtful(r) {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

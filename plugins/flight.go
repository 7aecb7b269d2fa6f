package plugins

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// gate is a connection that counts what is written to it and can be shut for writing, so that "nothing has left" is a fact about the
// socket and stays one.
type gate struct {
	net.Conn
	mu      sync.Mutex
	written int64
	isShut  bool
}

var errShut = errors.New("connection shut: the request must not leave again")

func (g *gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	if g.isShut {
		g.mu.Unlock()
		return 0, errShut
	}
	g.written += int64(len(p)) // before the write: what may have left counts
	g.mu.Unlock()
	return g.Conn.Write(p)
}

func (g *gate) count() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.written
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.isShut = true
}

// shutUnwritten shuts the gate if nothing was written since the count was start, and says whether that is so: if it is, nothing will.
func (g *gate) shutUnwritten(start int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.written != start {
		return false
	}
	g.isShut = true
	return true
}

// flight follows one request through net/http, which would send some requests again when a kept connection turns out to be dead: those
// without a body, and by RFC 9110 those it takes for idempotent. Here a request that may have left on one connection gets no second
// one unless the adapter declared it safe to repeat.
type flight struct {
	safeToRepeat bool
	stop         context.CancelCauseFunc

	// These belong to the goroutine in RoundTrip.
	connected bool
	conn      *gate // of an HTTP/1 connection; nil for HTTP/2, where others use it too
	start     int64
	left      bool // something may have left on an earlier connection
	repeated  bool // and a second was refused

	handshaking atomic.Bool // a dialling goroutine's
}

func (f *flight) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:           f.gotConn,
		TLSHandshakeStart: func() { f.handshaking.Store(true) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			f.handshaking.Store(err != nil)
		},
	}
}

// gotConn is called before anything of the request is written to the connection.
func (f *flight) gotConn(info httptrace.GotConnInfo) {
	f.left = f.left || f.connected && !f.unwritten()
	f.connected, f.conn = true, nil
	c, multiplexed := info.Conn, false
	if t, ok := c.(*tls.Conn); ok {
		multiplexed = t.ConnectionState().NegotiatedProtocol == "h2"
		c = t.NetConn()
	}
	if g, ok := c.(*gate); ok && !multiplexed {
		f.conn, f.start = g, g.count()
	}
	if f.left && !f.safeToRepeat {
		f.repeated = true
		if f.conn != nil {
			f.conn.shut()
		}
		f.stop(errShut) // HTTP/2 looks at this before it writes the headers
	}
}

// unwritten says that nothing was, and makes sure that nothing will be, written on the connection got last.
func (f *flight) unwritten() bool { return f.conn != nil && f.conn.shutUnwritten(f.start) }

// maySent says, after RoundTrip has failed, whether something of the request can have left. While it has no connection nothing can:
// TLS handshakes carry none of it (the client has no early data).
func (f *flight) maySent() bool { return f.left || f.connected && !f.unwritten() }

func (f *flight) failure(ctx context.Context, err error, sent bool) string {
	var refused errAddress
	var timeout net.Error
	switch {
	case errors.As(err, &refused):
		return failRefused
	case ctx.Err() != nil && !f.repeated, errors.As(err, &timeout) && timeout.Timeout() && f.connected:
		return failTimeout
	case sent || f.connected:
		return failReset
	case f.handshaking.Load():
		return failTLS
	}
	return failConnect
}

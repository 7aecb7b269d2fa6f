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

// gate is a connection that counts the written bytes and can be shut for writing. So "nothing has left" is a fact about the
// socket, and stays one.
type gate struct {
	net.Conn
	mu      sync.Mutex
	written int64
	isShut  bool
}

var errShut = errors.New("connection shut: the request must not leave a second time")

func (g *gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	if g.isShut {
		g.mu.Unlock()
		return 0, errShut
	}
	g.written += int64(len(p)) // counted before the write, so that bytes that may have left always count
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

// shutUnwritten shuts the gate if the count is still start, so that nothing was written since. It reports whether it has shut the gate.
func (g *gate) shutUnwritten(start int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.written != start {
		return false
	}
	g.isShut = true
	return true
}

// flight follows one request through net/http. When a kept connection turns out to be dead, net/http sends some requests again:
// those without a body, and those it takes for idempotent (RFC 9110). A flight denies a second connection to a request that may
// have left on the first, unless the adapter declared it safe to repeat.
type flight struct {
	safeToRepeat bool
	stop         context.CancelCauseFunc

	// These fields belong to the goroutine in RoundTrip.
	connected bool
	conn      *gate // an HTTP/1 connection; nil for HTTP/2, whose connections are shared
	start     int64
	left      bool // a part of the request may have left on an earlier connection
	repeated  bool // a second connection was refused

	handshaking atomic.Bool // set by a dialling goroutine
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

// gotConn is called before any byte of the request is written to the connection.
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
		f.stop(errShut) // HTTP/2 checks the context before it writes the headers
	}
}

// unwritten shuts the latest connection if nothing was written to it, and reports whether it has shut it.
func (f *flight) unwritten() bool { return f.conn != nil && f.conn.shutUnwritten(f.start) }

// maySent reports, after RoundTrip has failed, whether a part of the request can have left. A TLS handshake carries no part of it:
// the client uses no early data.
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

package plugins

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"syscall"
	"time"

	"payswitch/sdk"
)

// Failures of an exchange, as values of sdk.Exchange.Failure.
const (
	failTimeout  = "timeout"
	failConnect  = "connect"
	failTLS      = "tls"
	failReset    = "reset"
	failTooLarge = "too_large"
	failRefused  = "refused"
)

// maxAnswerHeaders bounds the header lines of an answer; maxHeaderBytes bounds their bytes.
const maxAnswerHeaders = 500

// maxCertificates bounds how many client certificates have open connections at a time.
const maxCertificates = 256

// egress is the only HTTP client that talks to processors. It sends each request at most once, follows no redirect, keeps no
// cookies and uses no proxy. It reports whether a part of the request can have left. It is safe for concurrent use.
type egress struct {
	opts    Options
	instead func(ctx context.Context, o *outgoing) answer // answers every request, and none leaves; nil: requests leave

	mu         sync.Mutex
	transports map[[32]byte]*transport // by client certificate
}

type transport struct {
	*http.Transport
	used   time.Time
	warned time.Time // when the log last named the certificate's expiry
}

func newEgress(o Options) *egress {
	return &egress{opts: o, transports: make(map[[32]byte]*transport)}
}

func (e *egress) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.transports {
		t.CloseIdleConnections()
	}
	clear(e.transports)
}

// answer is the result of a request. Exactly one of status and failure is set.
type answer struct {
	sent    bool
	status  int
	headers []sdk.Header
	body    []byte
	failure string
	err     error // the cause of the failure, for the log
}

// do sends one request. It ends with ctx or with the request's own time-out. An answer that the host cannot read is a failure.
func (e *egress) do(ctx context.Context, o *outgoing) answer { return readable(e.exchange(ctx, o)) }

func (e *egress) exchange(ctx context.Context, o *outgoing) answer {
	if e.instead != nil {
		return e.instead(ctx, o)
	}
	if e.opts.Simulator3DS != nil && o.url.Host == simulatorHost {
		return e.simulate(ctx, o)
	}
	t := e.transport(o)
	o.header["Accept-Encoding"] = []string{identity}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	f := &flight{safeToRepeat: o.safeToRepeat, stop: stop}
	req := &http.Request{Method: o.method, URL: o.url, Header: o.header, Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	if len(o.body) > 0 { // without GetBody net/http cannot send the body again
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(o.body)), int64(len(o.body))
	}
	res, err := t.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, f.trace())))
	if err != nil {
		sent := f.maySent()
		return answer{sent: sent, failure: f.failure(ctx, err, sent), err: err}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(o.maxResponse)+1))
	switch {
	case len(body) > o.maxResponse:
		return answer{sent: true, failure: failTooLarge, err: fmt.Errorf("the answer has more than %d bytes", o.maxResponse)}
	case err != nil:
		return answer{sent: true, failure: f.failure(ctx, err, true), err: err}
	}
	headers := answerHeaders(res.Header)
	if len(headers) > maxAnswerHeaders {
		return answer{sent: true, failure: failTooLarge, err: fmt.Errorf("the answer has more than %d headers", maxAnswerHeaders)}
	}
	return answer{sent: true, status: res.StatusCode, headers: headers, body: body}
}

// answerHeaders sorts headers by name. Lines of one name keep their order.
func answerHeaders(h http.Header) []sdk.Header {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	out := make([]sdk.Header, 0, len(h))
	for _, name := range names {
		for _, v := range h[name] {
			out = append(out, sdk.Header{Name: name, Value: v})
		}
	}
	return out
}

// transport returns the connections of a client certificate. Two certificates never share a connection.
func (e *egress) transport(o *outgoing) *transport {
	id := idOf(o.certificate)
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.transports[id]
	if t == nil {
		c := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: e.opts.RootCAs}
		if o.certificate != nil {
			// The client offers its one certificate whatever authorities the server names: some servers name the wrong ones.
			c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return o.certificate, nil }
		}
		if len(e.transports) >= maxCertificates {
			e.evict()
		}
		t = &transport{Transport: e.newTransport(c)}
		e.transports[id] = t
	}
	t.used = time.Now()
	if o.certificate != nil {
		e.warnOfExpiry(t, o)
	}
	return t
}

// idOf identifies a certificate with its key: a public key has one private key.
func idOf(c *tls.Certificate) (id [32]byte) {
	if c == nil {
		return id
	}
	h := sha256.New()
	for _, der := range c.Certificate {
		fmt.Fprintf(h, "%d ", len(der))
		h.Write(der)
	}
	h.Sum(id[:0])
	return id
}

// expiryWarning is how long before its expiry the log names a client certificate, once a day.
const expiryWarning = 30 * 24 * time.Hour

// warnOfExpiry logs a certificate that expires soon. The caller holds mu.
func (e *egress) warnOfExpiry(t *transport, o *outgoing) {
	now, leaf := e.opts.Clock(), o.certificate.Leaf
	left := leaf.NotAfter.Sub(now)
	if left > expiryWarning || now.Sub(t.warned) < 24*time.Hour {
		return
	}
	t.warned = now
	e.opts.Logger.Warn("a client certificate expires soon: replace it in the connector account", "adapter", o.adapter, "host", o.url.Host,
		"subject", leaf.Subject.CommonName, "serial", leaf.SerialNumber.String(), "expires", leaf.NotAfter.UTC(), "days_left", int(left.Hours()/24))
}

func (e *egress) evict() {
	var oldest [32]byte
	var at time.Time
	for id, t := range e.transports {
		if at.IsZero() || t.used.Before(at) {
			oldest, at = id, t.used
		}
	}
	e.transports[oldest].CloseIdleConnections()
	delete(e.transports, oldest)
}

func (e *egress) newTransport(c *tls.Config) *http.Transport {
	return &http.Transport{
		DialContext:            e.dial,
		TLSClientConfig:        c,
		TLSHandshakeTimeout:    e.opts.DialTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // the host must read every answer
		MaxIdleConnsPerHost:    128,
		IdleConnTimeout:        20 * time.Second, // shorter than servers allow, so that few requests meet a closing connection
		MaxResponseHeaderBytes: maxHeaderBytes,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second},
	}
}

// errAddress is the error of a connection to a forbidden address.
type errAddress struct{ address string }

func (e errAddress) Error() string {
	return "address " + e.address + " is not allowed: processors have public addresses"
}

// dial connects to a host. It checks every address after DNS, at the last moment, so no name can lead to a private address. A name
// of this machine may only mean loopback addresses, and no other name may mean them.
func (e *egress) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	local := isLoopbackName(host)
	d := net.Dialer{Timeout: e.opts.DialTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		ip, err := addressOf(address)
		if err != nil {
			return err
		}
		switch {
		case local && ip.IsLoopback() && (e.opts.AllowLoopbackHTTP || e.opts.AllowPrivate):
		case !local && (isPublic(ip) || e.opts.AllowPrivate):
		default:
			return errAddress{ip.String()}
		}
		return nil
	}}
	c, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &gate{Conn: c}, nil
}

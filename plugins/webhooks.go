package plugins

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"payswitch/engine/webhook"
)

// Limits on the answers of merchants' endpoints. Only the status counts, so payswitch reads little of the rest.
const (
	webhookAnswer       = 4 << 10  // bytes of a body
	webhookAnswerHeader = 16 << 10 // bytes of all headers
	webhookAnswerTime   = 2 * time.Second
)

// metadataV6 is the address of a cloud's metadata service within the private addresses of IPv6.
var metadataV6 = netip.MustParseAddr("fd00:ec2::254")

// WebhookOptions are the settings of NewWebhooks. Zero values mean the defaults.
type WebhookOptions struct {
	// AllowPrivate allows plain HTTP, private addresses and this machine. Link-local addresses stay forbidden: clouds keep credentials there.
	AllowPrivate bool
	Timeout      time.Duration  // for a whole request; default 30 s
	RootCAs      *x509.CertPool // nil: the host's
	// Resolve looks up the addresses of a name; nil: the host's resolver. Tests replace it.
	Resolve func(ctx context.Context, name string) ([]netip.Addr, error)
}

// Webhooks is the HTTP client that posts events to merchants' endpoints. It implements webhook.Sender. It follows no redirect, keeps no cookies and
// uses no proxy.
type Webhooks struct {
	o         WebhookOptions
	transport *http.Transport
}

// NewWebhooks makes a Webhooks.
func NewWebhooks(o WebhookOptions) *Webhooks {
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Resolve == nil {
		o.Resolve = func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		}
	}
	w := &Webhooks{o: o}
	w.transport = &http.Transport{
		DialContext:            w.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // a small answer must not become a large one
		MaxIdleConns:           512,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        20 * time.Second,
		MaxResponseHeaderBytes: webhookAnswerHeader,
	}
	return w
}

// Close closes the idle connections.
func (w *Webhooks) Close() { w.transport.CloseIdleConnections() }

// Allows implements webhook.Sender.
func (w *Webhooks) Allows(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("it is not a URL")
	case u.Scheme == "http" && !w.o.AllowPrivate:
		return errors.New("it must begin with https://, because the events have personal data")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("it must begin with https:// and a host")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !w.allowed(ip) {
		return errWebhookAddress
	}
	return nil
}

// errWebhookAddress does not name the address: the merchant may have asked to find out the address of a name inside the operator's network. A name without an
// address has the same text, so that no merchant finds out which names exist there.
var errWebhookAddress = errors.New("its host has no public address, and payswitch posts to public addresses alone")

func (w *Webhooks) allowed(ip netip.Addr) bool {
	if isPublic(ip) {
		return true
	}
	return w.o.AllowPrivate && ip.Zone() == "" && !ip.Is4In6() && (ip.IsPrivate() || ip.IsLoopback()) && ip != metadataV6
}

// dial resolves the host once, refuses it if any of its addresses is forbidden, and connects to those addresses alone. Control checks the address
// of the socket once more.
func (w *Webhooks) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ips := make([]netip.Addr, 1)
	if ips[0], err = netip.ParseAddr(host); err != nil {
		if ips, err = w.o.Resolve(ctx, host); err != nil {
			return nil, err
		}
	}
	if len(ips) == 0 {
		return nil, &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	for i, ip := range ips {
		if ip.Is4In6() {
			ips[i] = ip.Unmap() // resolvers return IPv4 addresses in this form
		}
		if !w.allowed(ips[i]) {
			return nil, errWebhookAddress
		}
	}
	d := net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		if ip, err := addressOf(address); err != nil || !w.allowed(ip) {
			return errWebhookAddress
		}
		return nil
	}}
	var problems []error
	for _, ip := range ips[:min(len(ips), 4)] {
		c, err := d.DialContext(ctx, network, net.JoinHostPort(ip.String(), port))
		if err == nil {
			return c, nil
		}
		problems = append(problems, err)
	}
	return nil, errors.Join(problems...)
}

// Post implements webhook.Sender.
func (w *Webhooks) Post(ctx context.Context, to string, header http.Header, body []byte) webhook.Reply {
	if err := w.Allows(to); err != nil {
		return webhook.Reply{Class: "address", Failure: "the endpoint's URL cannot be used: " + err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, w.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return webhook.Reply{Class: "address", Failure: "the endpoint's URL cannot be used: it is not a URL"}
	}
	req.Header = header
	res, err := w.transport.RoundTrip(req) // a client would follow redirects
	if err != nil {
		return w.failed(ctx, err)
	}
	slow := time.AfterFunc(webhookAnswerTime, cancel)
	defer slow.Stop()
	defer res.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(res.Body, webhookAnswer)) // the status has come: an error while the host reads the rest does not count
	r := webhook.Reply{Status: res.StatusCode, Body: text}
	for _, h := range answerHeaders(res.Header) {
		r.Headers = append(r.Headers, [2]string{h.Name, h.Value})
	}
	return r
}

// failed describes an error for the merchant. The error itself may name addresses of the operator's network.
func (w *Webhooks) failed(ctx context.Context, err error) webhook.Reply {
	var dns *net.DNSError
	var op *net.OpError
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var late net.Error
	switch {
	case errors.Is(err, errWebhookAddress):
		return webhook.Reply{Class: "address", Failure: "the endpoint's URL cannot be used: " + errWebhookAddress.Error()}
	case errors.As(err, &dns) && w.o.AllowPrivate:
		return webhook.Reply{Class: failConnect, Failure: "the endpoint's host name has no address"}
	case errors.As(err, &dns):
		return webhook.Reply{Class: failConnect, Failure: "the endpoint's URL cannot be used: " + errWebhookAddress.Error()}
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		return webhook.Reply{Class: failTimeout, Failure: "the endpoint did not answer in time"}
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error"): // alerts of TLS
		return webhook.Reply{Class: failTLS, Failure: "the endpoint's TLS failed: check its certificate and the https:// of its URL"}
	case errors.As(err, &op) && op.Op == "dial":
		return webhook.Reply{Class: failConnect, Failure: "the endpoint does not take connections"}
	case errors.As(err, &late) && late.Timeout(): // the handshake of TLS has a time of its own
		return webhook.Reply{Class: failTimeout, Failure: "the endpoint did not answer in time"}
	}
	return webhook.Reply{Class: failReset, Failure: "the endpoint closed the connection before it answered"}
}

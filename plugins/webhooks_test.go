package plugins_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/webhook"
	"payswitch/plugins"
)

// postTo posts an event as a payment's delivery does.
func postTo(t *testing.T, w *plugins.Webhooks, url string) webhook.Reply {
	t.Helper()
	t.Cleanup(w.Close)
	return w.Post(t.Context(), url, http.Header{"Content-Type": {"application/json"}}, []byte(`{"event_id":"evt_1"}`))
}

// endpoint serves raw answers: it reads the request, then write has the connection.
func endpoint(t *testing.T, write func(c net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				c.Read(make([]byte, 4096))
				write(c)
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/hook"
}

// TestHostileEndpoints has endpoints that try to hold, fill or fool the switch.
func TestHostileEndpoints(t *testing.T) {
	drip := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			for i := 0; ; i++ {
				if _, err := c.Write([]byte{text[i%len(text)]}); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}
	}
	var after atomic.Int64
	for _, c := range []struct {
		name   string
		write  func(net.Conn)
		status int
		class  string
		body   string
	}{
		{"answers", func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }, 200, "", "ok"},
		{"drips its headers", drip("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 1<<10)), 0, "timeout", ""},
		{"drips its body", func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
			drip("z")(c)
		}, 204, "", ""},
		{"closes early", func(c net.Conn) { io.WriteString(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\npart") }, 202, "", "part"},
		{"closes before its status", func(c net.Conn) { io.WriteString(c, "HTTP/1.1 20") }, 0, "reset", ""},
		{"sends a gigabyte", func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 500 Oops\r\nContent-Length: 1073741824\r\n\r\n")
			for block := []byte(strings.Repeat("g", 64<<10)); ; {
				n, err := c.Write(block)
				if after.Add(int64(n)); err != nil {
					return
				}
			}
		}, 500, "", strings.Repeat("g", 4096)},
		{"sends endless headers", func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for i := 0; ; i++ {
				if _, err := fmt.Fprintf(c, "X-%d: %s\r\n", i, strings.Repeat("h", 1<<10)); err != nil {
					return
				}
			}
		}, 0, "reset", ""},
		{"redirects inside", func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://169.254.169.254/latest/meta-data/\r\nContent-Length: 0\r\n\r\n")
		}, 307, "", ""},
		{"says go on for ever", func(c net.Conn) {
			for {
				if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\n\r\n"); err != nil {
					return
				}
			}
		}, 0, "", ""},
		{"speaks no HTTP", func(c net.Conn) { io.WriteString(c, "220 mail.test ESMTP\r\n") }, 0, "reset", ""},
		{"answers with garbage after its status", func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot a length\r\n\x00\xff")
		}, 200, "", ""},
		{"sends a broken header", func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n") }, 0, "reset", ""},
		{"answers when its time is over", func(c net.Conn) {
			c.Read(make([]byte, 1)) // until payswitch has closed the connection
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}, 0, "timeout", ""},
		{"switches protocols", func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		}, 101, "", ""},
		{"is silent", func(c net.Conn) { c.Read(make([]byte, 1)) }, 0, "timeout", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := postTo(t, plugins.NewWebhooks(plugins.WebhookOptions{AllowPrivate: true, Timeout: time.Second}), endpoint(t, c.write))
			require.Equal(t, c.status, r.Status, r.Failure)
			if c.class != "" {
				require.Equal(t, c.class, r.Class)
			}
			require.Equal(t, c.status == 0, r.Failure != "")
			require.Equal(t, c.body, string(r.Body))
			require.NotContains(t, r.Failure, "127.0.0.1")
		})
	}
	t.Cleanup(func() { require.Less(t, after.Load(), int64(64<<20), "the gigabyte is not read") })
}

// TestWebhookTLS: an endpoint whose TLS is wrong gets nothing. The failure names TLS.
func TestWebhookTLS(t *testing.T) {
	var got atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got.Add(1) }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	known := x509.NewCertPool()
	known.AddCert(s.Certificate())
	resolve := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	post := func(roots *x509.CertPool, url string) webhook.Reply {
		return postTo(t, plugins.NewWebhooks(plugins.WebhookOptions{AllowPrivate: true, RootCAs: roots, Resolve: resolve, Timeout: time.Second}), url)
	}
	require.Equal(t, 200, post(known, "https://example.com"+port+"/hook").Status, "the certificate is for example.com")
	old := httptest.NewUnstartedServer(s.Config.Handler)
	old.Config.ErrorLog, old.TLS = s.Config.ErrorLog, &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.StartTLS()
	t.Cleanup(old.Close)
	plain := httptest.NewServer(s.Config.Handler)
	t.Cleanup(plain.Close)
	for name, r := range map[string]webhook.Reply{
		"a certificate that nobody knows":    post(x509.NewCertPool(), "https://example.com"+port+"/hook"),
		"a certificate for another name":     post(known, "https://shop.test"+port+"/hook"),
		"TLS 1.1":                            post(known, "https://example.com"+old.URL[strings.LastIndex(old.URL, ":"):]+"/hook"),
		"plain HTTP behind the port of TLS":  post(known, "https://example.com"+plain.URL[strings.LastIndex(plain.URL, ":"):]+"/hook"),
		"no TLS, because it ends at once":    post(known, strings.Replace(endpoint(t, func(c net.Conn) { c.Close() }), "http:", "https:", 1)),
		"a handshake that goes on for ever ": post(known, strings.Replace(endpoint(t, func(c net.Conn) { c.Read(make([]byte, 1)) }), "http:", "https:", 1)),
	} {
		require.Zero(t, r.Status, name)
		require.NotEmpty(t, r.Failure, name)
		switch {
		case strings.HasPrefix(name, "no TLS"):
			require.Equal(t, "reset", r.Class, name)
		case strings.HasPrefix(name, "a handshake"):
			require.Equal(t, "timeout", r.Class, name)
		default:
			require.Equal(t, "tls", r.Class, "%s: %s", name, r.Failure)
			require.Contains(t, r.Failure, "check its certificate", name)
		}
	}
	require.EqualValues(t, 1, got.Load(), "the others got no event")
}

// TestWebhookAddresses: whatever a URL or a name leads to, payswitch connects to public addresses alone.
func TestWebhookAddresses(t *testing.T) {
	var reached atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer s.Close()
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	names := map[string][]string{
		"internal.test": {"127.0.0.1"}, "mixed.test": {"93.184.215.14", "127.0.0.1"}, "metadata.test": {"169.254.169.254"}, "mapped.test": {"::ffff:127.0.0.1"},
		"ten.test": {"10.0.0.1"}, "six.test": {"::1"}, "ula.test": {"fd00:ec2::254"}, "nat64.test": {"64:ff9b::7f00:1"}, "none.test": {}, "zero.test": {"0.0.0.0"},
	}
	resolve := func(_ context.Context, name string) (out []netip.Addr, err error) {
		list, ok := names[name]
		if !ok {
			return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
		}
		for _, text := range list {
			out = append(out, netip.MustParseAddr(text))
		}
		return out, nil
	}
	w := plugins.NewWebhooks(plugins.WebhookOptions{Resolve: resolve, Timeout: time.Second})
	for name := range names {
		r := postTo(t, w, "https://"+name+port+"/hook")
		require.Zero(t, r.Status, name)
		require.NotContains(t, r.Failure, "127.0", "the failure does not tell the merchant what a name means inside")
		if name != "none.test" {
			require.Equal(t, "address", r.Class, name)
		}
		require.Equal(t, postTo(t, w, "https://missing.test"+port+"/hook").Failure, r.Failure, "%s: no merchant learns which names exist inside", name)
	}
	for _, host := range []string{"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", "192.168.1.1", "0.0.0.0", "[fe80::1%25eth0]", "100.64.0.1"} {
		require.Error(t, w.Allows("https://"+host+port+"/hook"), host)
		require.Equal(t, "address", postTo(t, w, "https://"+host+port+"/hook").Class, host)
	}
	for _, url := range []string{"http://shop.test/", "ftp://shop.test/", "https://", "file:///etc/passwd", "gopher://x/", "https://\x00/", "//shop.test"} {
		require.Error(t, w.Allows(url), url)
		require.Equal(t, "address", postTo(t, w, url).Class, url)
	}
	for _, odd := range []string{"https://2130706433", "https://0x7f000001", "https://127.1", "https://localhost"} { // names, as far as URLs go
		require.NotEqual(t, 200, postTo(t, w, odd+port+"/hook").Status, odd)
	}
	require.NoError(t, w.Allows("https://shop.test/hook"))
	require.False(t, reached.Load())

	open := plugins.NewWebhooks(plugins.WebhookOptions{AllowPrivate: true, Resolve: resolve, Timeout: time.Second})
	require.Equal(t, 200, postTo(t, open, "http://internal.test"+port+"/hook").Status)
	for _, name := range []string{"metadata.test", "ula.test", "zero.test"} {
		require.Equal(t, "address", postTo(t, open, "http://"+name+port+"/hook").Class, "not even if the operator allows private addresses: %s", name)
	}
}

// TestWebhookRebinding: a name that changes its address between two look-ups gains nothing, because a connection uses the addresses of its one look-up.
func TestWebhookRebinding(t *testing.T) {
	var asked atomic.Int64
	w := plugins.NewWebhooks(plugins.WebhookOptions{Timeout: time.Second, Resolve: func(context.Context, string) ([]netip.Addr, error) {
		if asked.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("203.0.113.1")}, errors.New("the first answer would be public")
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}})
	require.NotEqual(t, 200, postTo(t, w, "https://shop.test/hook").Status)
	require.EqualValues(t, 1, asked.Load(), "one look-up for one connection")
	require.Equal(t, "address", postTo(t, w, "https://shop.test/hook").Class)
}

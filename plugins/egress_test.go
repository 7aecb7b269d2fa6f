package plugins

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// client returns an egress to loopback addresses that trusts s.
func client(t testing.TB, s *httptest.Server, o Options) *egress {
	o.AllowLoopbackHTTP = true
	if s != nil && s.Certificate() != nil {
		o.RootCAs = x509.NewCertPool()
		o.RootCAs.AddCert(s.Certificate())
	}
	e := newEgress(o.withDefaults())
	t.Cleanup(e.close)
	return e
}

func request(t testing.TB, method, to, body string) *outgoing {
	u, err := url.Parse(to)
	require.NoError(t, err)
	return &outgoing{method: method, url: u, header: http.Header{}, body: []byte(body), timeout: 5 * time.Second, maxResponse: 1 << 20}
}

func keyedRequest(t testing.TB, method, to, body string) *outgoing {
	o := request(t, method, to, body)
	o.header.Set("Idempotency-Key", "op_1-0")
	return o
}

// killer returns a server that answers the first request of a connection and closes it after reading the second: a server whose connection dies while
// it works.
func killer(t testing.TB, start func(*httptest.Server)) (*httptest.Server, *atomic.Int64) {
	arrivals := new(atomic.Int64)
	type served struct {
		net.Conn
		requests atomic.Int64
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		arrivals.Add(1)
		if c := r.Context().Value(connKey{}).(*served); c.requests.Add(1) == 2 {
			_ = c.Close()
			panic(http.ErrAbortHandler)
		}
	}))
	s.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, &served{Conn: c})
	}
	start(s)
	t.Cleanup(s.Close)
	return s, arrivals
}

type connKey struct{}

// When a kept connection dies, net/http repeats requests that it takes for repeatable. The host must not.
func TestNothingIsSentTwiceOverDeadConnections(t *testing.T) {
	starts := map[string]func(*httptest.Server){
		"http":   (*httptest.Server).Start,
		"https":  (*httptest.Server).StartTLS,
		"http/2": func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() },
	}
	requests := map[string]func(to string) *outgoing{
		"keyed POST":               func(to string) *outgoing { return keyedRequest(t, "POST", to, `{"amount":1}`) },
		"keyed POST without body":  func(to string) *outgoing { return keyedRequest(t, "POST", to, "") },
		"POST":                     func(to string) *outgoing { return request(t, "POST", to, "x") },
		"GET":                      func(to string) *outgoing { return request(t, "GET", to, "") },
		"keyed GET":                func(to string) *outgoing { return keyedRequest(t, "GET", to, "") },
		"keyed DELETE":             func(to string) *outgoing { return keyedRequest(t, "DELETE", to, "") },
		"keyed POST, safe by word": func(to string) *outgoing { o := keyedRequest(t, "POST", to, "{}"); o.safeToRepeat = true; return o },
	}
	for protocol, start := range starts {
		for name, make := range requests {
			t.Run(protocol+" "+name, func(t *testing.T) {
				s, arrivals := killer(t, start)
				e := client(t, s, Options{})
				first := e.do(context.Background(), request(t, "GET", s.URL, ""))
				require.Equal(t, 200, first.status, "%v", first.err)
				a := e.do(context.Background(), make(s.URL))
				require.Equal(t, failReset, a.failure, "%v", a.err)
				require.True(t, a.sent)
				require.Zero(t, a.status)
				require.EqualValues(t, 2, arrivals.Load())

				next := e.do(context.Background(), make(s.URL))
				require.Equal(t, 200, next.status, "the next one goes over a new connection: %v", next.err)
			})
		}
	}
	t.Run("net/http does repeat", func(t *testing.T) { // otherwise the tests above prove nothing
		s, arrivals := killer(t, (*httptest.Server).StartTLS)
		e := client(t, s, Options{})
		transport := e.transport(request(t, "GET", s.URL, ""))
		require.Equal(t, 200, e.do(context.Background(), request(t, "GET", s.URL, "")).status)
		o := keyedRequest(t, "POST", s.URL, "")
		res, err := transport.RoundTrip(&http.Request{Method: "POST", URL: o.url, Header: o.header})
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.EqualValues(t, 3, arrivals.Load())
	})
	t.Run("a declared query may be repeated", func(t *testing.T) {
		s, arrivals := killer(t, (*httptest.Server).StartTLS)
		e := client(t, s, Options{})
		require.Equal(t, 200, e.do(context.Background(), request(t, "GET", s.URL, "")).status)
		o := request(t, "GET", s.URL, "")
		o.safeToRepeat = true
		require.Equal(t, 200, e.do(context.Background(), o).status)
		require.EqualValues(t, 3, arrivals.Load())
	})
}

// A shut gate stays shut for every writer.
func TestGate(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	go func() { _, _ = io.Copy(io.Discard, far) }()
	g := &gate{Conn: near}
	_, err := g.Write([]byte("handshake"))
	require.NoError(t, err)
	start := g.count()
	_, err = g.Write([]byte("x"))
	require.NoError(t, err)
	require.False(t, g.shutUnwritten(start))
	_, err = g.Write([]byte("x"))
	require.NoError(t, err, "still open")
	require.True(t, g.shutUnwritten(g.count()))
	_, err = g.Write([]byte("x"))
	require.ErrorIs(t, err, errShut)
}

func TestNothingHasLeft(t *testing.T) {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer plain.Close()
	accepted := make(chan net.Conn, 8)
	go func() {
		for {
			c, err := plain.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	selfSigned := httptest.NewTLSServer(http.NotFoundHandler())
	selfSigned.Config.ErrorLog = nil
	defer selfSigned.Close()

	for name, c := range map[string]struct {
		to, failure string
	}{
		"no such name":        {"https://payswitch.invalid", failConnect},
		"no server listens":   {"http://127.0.0.1:1", failConnect},
		"unknown certificate": {selfSigned.URL, failTLS},
		"silent handshake":    {"https://" + plain.Addr().String(), failTLS},
		"private address":     {"https://10.1.2.3", failRefused},
		"cloud metadata":      {"https://169.254.169.254", failRefused},
		"mapped address":      {"https://[::ffff:10.1.2.3]", failRefused},
		"NAT64":               {"https://[64:ff9b::a01:203]", failRefused},
		"unspecified":         {"https://0.0.0.0", failRefused},
	} {
		t.Run(name, func(t *testing.T) {
			e := client(t, nil, Options{DialTimeout: 200 * time.Millisecond})
			a := e.do(context.Background(), request(t, "POST", c.to, "pay"))
			require.False(t, a.sent, "%v", a.err)
			require.Equal(t, c.failure, a.failure, "%v", a.err)
			require.Error(t, a.err)
		})
	}
	t.Run("time-out while connecting", func(t *testing.T) {
		e := client(t, nil, Options{})
		o := request(t, "POST", "https://"+plain.Addr().String(), "pay")
		o.timeout = 50 * time.Millisecond
		a := e.do(context.Background(), o)
		require.False(t, a.sent)
		require.Equal(t, failTimeout, a.failure)
	})
	t.Run("loopback unless allowed", func(t *testing.T) {
		e := newEgress(Options{}.withDefaults())
		for _, to := range []string{"http://" + plain.Addr().String(), "https://localhost:1", "https://[::1]:1"} {
			a := e.do(context.Background(), request(t, "POST", to, "pay"))
			require.False(t, a.sent)
			require.Equal(t, failRefused, a.failure)
		}
	})
}

// Once the first byte may have been written, the request may have left.
func TestSomethingMayHaveLeft(t *testing.T) {
	handlers := map[string]struct {
		serve   http.HandlerFunc
		failure string
	}{
		"hang up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, failReset},
		"silence": {func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			panic(http.ErrAbortHandler) // returning would answer
		}, failTimeout},
		"slow body": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("x"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, failTimeout},
		"half a body": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("x"))
			panic(http.ErrAbortHandler)
		}, failReset},
		"large body":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2<<20)) }, failTooLarge},
		"many headers":  {func(w http.ResponseWriter, _ *http.Request) { w.Header()["X"] = make([]string, maxAnswerHeaders+1) }, failTooLarge},
		"large headers": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<17)) }, failReset},
	}
	for name, c := range handlers {
		for _, http2 := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " http/2"}[http2], func(t *testing.T) {
				s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client leaves
					c.serve(w, r)
				}))
				s.EnableHTTP2 = http2
				s.StartTLS()
				defer s.Close()
				o := request(t, "POST", s.URL, "pay")
				if c.failure == failTimeout {
					o.timeout = 300 * time.Millisecond
				}
				a := client(t, s, Options{}).do(context.Background(), o)
				require.True(t, a.sent, "%v", a.err)
				require.Equal(t, c.failure, a.failure, "%v", a.err)
				require.Zero(t, a.status)
				require.Empty(t, a.body)
			})
		}
	}
}

func TestAnswersAreTakenAsTheyAre(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(make([]byte, 5<<20))
	require.NoError(t, z.Close())
	var redirected atomic.Bool
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb":
			require.Equal(t, []string{"identity"}, r.Header["Accept-Encoding"])
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped.Bytes())
		case "/redirect":
			w.Header().Add("X-Two", "1")
			w.Header().Add("X-Two", "2")
			http.Redirect(w, r, "/target", http.StatusTemporaryRedirect)
		case "/target":
			redirected.Store(true)
		}
	}))
	defer s.Close()
	e := client(t, s, Options{})
	a := e.do(context.Background(), request(t, "GET", s.URL+"/bomb", ""))
	require.Equal(t, failUnreadable, a.failure, "nothing is unpacked, and nothing is handed on as it is: %v", a.err)
	require.True(t, a.sent)
	require.Zero(t, a.status)
	require.Empty(t, a.body)
	a = e.do(context.Background(), request(t, "GET", s.URL+"/redirect", ""))
	require.Equal(t, 307, a.status)
	require.False(t, redirected.Load())
	var two []string
	for _, h := range a.headers {
		if h.Name == "X-Two" {
			two = append(two, h.Value)
		}
	}
	require.Equal(t, []string{"1", "2"}, two)
}

func TestWhatIsSent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	got := make(chan string)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r := bufio.NewReader(c)
			var b strings.Builder
			for line := ""; line != "\r\n"; b.WriteString(line) {
				line, _ = r.ReadString('\n')
			}
			_ = c.Close()
			got <- b.String()
		}
	}()
	e := client(t, nil, Options{})
	for want, o := range map[string]*outgoing{
		"POST / HTTP/1.1\r\nHost: H\r\nContent-Length: 0\r\nAccept-Encoding: identity\r\nIdempotency-Key: op_1-0\r\n\r\n":   keyedRequest(t, "POST", "http://"+l.Addr().String(), ""),
		"GET /a?b HTTP/1.1\r\nHost: H\r\nAccept-Encoding: identity\r\n\r\n":                                                 request(t, "GET", "http://"+l.Addr().String()+"/a?b", ""),
		"PUT /%2F HTTP/1.1\r\nHost: H\r\nContent-Length: 3\r\nAccept-Encoding: identity\r\nIdempotency-Key: op_1-0\r\n\r\n": keyedRequest(t, "PUT", "http://"+l.Addr().String()+"/%2F", "pay"),
	} {
		o.header["User-Agent"] = nil
		go e.do(context.Background(), o)
		require.Equal(t, strings.Replace(want, "Host: H", "Host: "+l.Addr().String(), 1), <-got)
	}
}

package router_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/router"
)

// served returns a Server on a real listener, set up as in the program.
func served(t *testing.T) (*world, string) {
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := w.server.HTTP(w.server)
	done := make(chan struct{})
	go func() { defer close(done); s.Serve(router.Listener(l)) }()
	t.Cleanup(func() { s.Close(); <-done })
	return w, l.Addr().String()
}

const mib = 1 << 20

// refusal is a request and the status that refuses it.
type refusal struct {
	name, method, path, key, contentType string
	status                               int
}

func refusals(w *world) []refusal {
	return []refusal{
		{name: "over the limit", method: "POST", path: "/payments", key: w.secret, contentType: "application/json", status: 413},
		{name: "no key", method: "POST", path: "/payments", status: 401},
		{name: "unknown URL", method: "POST", path: "/nothing", key: w.secret, status: 404},
		{name: "wrong method", method: "POST", path: "/health", status: 405},
		{name: "wrong method, nothing is read", method: "PATCH", path: "/payments", key: w.secret, status: 405},
		{name: "wrong token", method: "POST", path: "/3ds/c/x", status: 404},
		{name: "webhook", method: "POST", path: "/webhooks/m1/stripe", status: 413},
		{name: "a GET with a body", method: "GET", path: "/health", status: 200},
	}
}

// TestRefusalsOfLargeBodiesAreRead: a client that sends its whole body before it reads gets the answer, not a connection reset.
func TestRefusalsOfLargeBodiesAreRead(t *testing.T) {
	t.Parallel()
	w, address := served(t)
	chunk := bytes.Repeat([]byte("x"), mib)
	for _, size := range []int{5, 100} {
		for _, chunked := range []bool{false, true} {
			for _, c := range refusals(w) {
				if size == 100 && c.status != 413 {
					continue
				}
				t.Run(fmt.Sprintf("%d MiB, chunked %v, %s", size, chunked, c.name), func(t *testing.T) {
					conn, err := net.Dial("tcp", address)
					require.NoError(t, err)
					defer conn.Close()
					require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
					head := c.method + " " + c.path + " HTTP/1.1\r\nHost: switch.test\r\napi-key: " + c.key + "\r\nContent-Type: " + c.contentType + "\r\n"
					if chunked {
						head += "Transfer-Encoding: chunked\r\n\r\n"
					} else {
						head += fmt.Sprintf("Content-Length: %d\r\n\r\n", size*mib)
					}
					_, err = io.WriteString(conn, head)
					require.NoError(t, err)
					for range size {
						if chunked {
							_, err = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(chunk), chunk)
						} else {
							_, err = conn.Write(chunk)
						}
						require.NoError(t, err, "the connection was reset while the body was sent")
					}
					if chunked {
						_, err = io.WriteString(conn, "0\r\n\r\n")
						require.NoError(t, err)
					}
					resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
					require.NoError(t, err)
					body, err := io.ReadAll(resp.Body)
					require.NoError(t, err)
					require.Equal(t, c.status, resp.StatusCode, string(body))
					if c.status == 413 {
						require.Contains(t, string(body), "the request body is larger than")
					}
				})
			}
		}
	}
}

// TestRefusalsOfLargeBodiesByNetHTTP repeats this twenty times with Go's client, which sends and reads at the same time.
func TestRefusalsOfLargeBodiesByNetHTTP(t *testing.T) {
	t.Parallel()
	w, address := served(t)
	for _, size := range []int{5, 100} {
		for i := range 20 {
			if size == 100 && i == 4 {
				break
			}
			var body io.Reader = bytes.NewReader(make([]byte, size*mib))
			if i%2 == 1 {
				body = io.MultiReader(body) // of unknown length: chunked
			}
			r, err := http.NewRequest("POST", "http://"+address+"/payments", body)
			require.NoError(t, err)
			r.Header.Set("api-key", w.secret)
			r.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			text, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			require.NoError(t, err)
			require.Equal(t, 413, resp.StatusCode)
			require.Contains(t, string(text), "the request body is larger than 32768 bytes")
		}
	}
}

// TestEndlessBodyEnds: a body without end, fast or slow, does not hold a connection. After a small refused body the connection can be reused.
func TestEndlessBodyEnds(t *testing.T) {
	t.Cleanup(router.Linger(500*time.Millisecond, 8*mib))
	_, address := served(t)
	for name, send := range map[string]func(conn net.Conn) error{
		"fast": func(conn net.Conn) error {
			for {
				if _, err := conn.Write(make([]byte, 64<<10)); err != nil {
					return err
				}
			}
		},
		"slow": func(conn net.Conn) error {
			for {
				if _, err := conn.Write([]byte("x")); err != nil {
					return err
				}
				time.Sleep(20 * time.Millisecond)
			}
		},
		"silent": func(conn net.Conn) error { _, err := io.Copy(io.Discard, conn); return errors.Join(io.EOF, err) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", address)
			require.NoError(t, err)
			defer conn.Close()
			_, err = io.WriteString(conn, "POST /payments HTTP/1.1\r\nHost: switch.test\r\nContent-Length: 1099511627776\r\n\r\n")
			require.NoError(t, err)
			ended := make(chan error, 1)
			began := time.Now()
			go func() { ended <- send(conn) }()
			select {
			case err := <-ended:
				require.Error(t, err)
				require.Less(t, time.Since(began), 5*time.Second)
			case <-time.After(10 * time.Second):
				t.Fatal("the connection is still open")
			}
		})
	}
	t.Run("kept", func(t *testing.T) {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer conn.Close()
		in := bufio.NewReader(conn)
		for range 3 {
			for _, body := range []string{"Content-Length: 10\r\n\r\n0123456789", "Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n"} {
				_, err = io.WriteString(conn, "POST /payments HTTP/1.1\r\nHost: switch.test\r\n"+body)
				require.NoError(t, err)
				resp, err := http.ReadResponse(in, nil)
				require.NoError(t, err)
				_, err = io.Copy(io.Discard, resp.Body)
				require.NoError(t, err)
				require.Equal(t, 401, resp.StatusCode)
				require.False(t, resp.Close)
			}
		}
	})
	t.Run("expects", func(t *testing.T) { // asks before it sends: the answer is no, and nothing is waited for
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, "POST /payments HTTP/1.1\r\nHost: switch.test\r\nExpect: 100-continue\r\nContent-Length: 104857600\r\n\r\n")
		require.NoError(t, err)
		began := time.Now()
		all, err := io.ReadAll(conn)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(all), "HTTP/1.1 401 "), string(all))
		require.Less(t, time.Since(began), 3*time.Second)
	})
}

// TestAnswersHaveALength: an answer of any size names its length, to GET and HEAD alike. net/http alone would send a large one in chunks.
func TestAnswersHaveALength(t *testing.T) {
	t.Parallel()
	_, address := served(t)
	for _, path := range []string{"/openapi.yaml", "/health", "/nothing"} {
		var of [2]*http.Response
		for i, method := range []string{http.MethodGet, http.MethodHead} {
			r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path, nil)
			require.NoError(t, err)
			r.Header.Set("Accept-Encoding", "identity")
			of[i], err = http.DefaultClient.Do(r)
			require.NoError(t, err)
			body, err := io.ReadAll(of[i].Body)
			require.NoError(t, err)
			require.NoError(t, of[i].Body.Close())
			require.Empty(t, of[i].TransferEncoding, path)
			if method == http.MethodGet {
				require.EqualValues(t, len(body), of[i].ContentLength, path)
			}
		}
		if of[1].StatusCode == http.StatusOK {
			require.Equal(t, of[0].ContentLength, of[1].ContentLength, path)
		}
	}
}

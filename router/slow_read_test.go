package router_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/router"
	"payswitch/sdk"
)

// TestCallersThatReadNothing: a caller that sends many requests and reads no answer loses its connection.
func TestCallersThatReadNothing(t *testing.T) {
	t.Cleanup(router.SetWriteTime(300 * time.Millisecond))
	_, address := served(t)
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	began := time.Now()
	for err == nil { // until the buffers of both sides are full, and then until the connection ends
		_, err = io.WriteString(conn, "GET /openapi.yaml HTTP/1.1\r\nHost: switch.test\r\n\r\n")
	}
	require.Less(t, time.Since(began), 15*time.Second, "the connection was kept: %v", err)
}

// TestSlowReadersGetTheirAnswers: the write time-out counts for each answer, not for the connection.
func TestSlowReadersGetTheirAnswers(t *testing.T) {
	const writeTime = time.Second // a busy machine must not take as long to write an answer
	t.Cleanup(router.SetWriteTime(writeTime))
	_, address := served(t)
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	b := make([]byte, 8192)
	for i := range 2 {
		if i > 0 {
			time.Sleep(writeTime + 100*time.Millisecond)
		}
		_, err = io.WriteString(conn, "GET /health HTTP/1.1\r\nHost: switch.test\r\n\r\n")
		require.NoError(t, err)
		n, err := conn.Read(b)
		require.NoError(t, err)
		require.Contains(t, string(b[:n]), "200 OK")
	}
}

// slowAccess finds keys slowly, as with a database that hardly answers: it asks for the body's packet, waits until the packet is out, and then for longer.
type slowAccess struct {
	router.Access
	wait       time.Duration
	asks, sent chan struct{}
}

func (a slowAccess) Authenticate(ctx context.Context, key secret.Value) (account.Auth, error) {
	a.asks <- struct{}{}
	<-a.sent
	time.Sleep(a.wait)
	return a.Access.Authenticate(ctx, key)
}

// TestSlowKeysAreNoFaultOfTheCaller: a body that has arrived is read, also when the switch has taken longer than the time for a request to find the key.
// A body that does not arrive is refused as before.
func TestSlowKeysAreNoFaultOfTheCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const arrives = 200 * time.Millisecond
	slow := slowAccess{w.engine, 2 * arrives, make(chan struct{}), make(chan struct{})}
	s, err := router.New(router.Deps{Access: slow, Payments: w.engine, Admin: w.engine, Webhooks: w.engine.Webhooks,
		Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": simulator.Adapter()}), Logger: slog.New(slog.DiscardHandler)}, router.Options{PublicURL: publicURL, ReadTimeout: arrives, TestCardsWithoutLuhn: true})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := s.HTTP(s)
	server.ReadHeaderTimeout = time.Minute // only the body's time counts here: a busy machine may take long to read a header
	go server.Serve(router.Listener(l))
	t.Cleanup(func() { server.Close() })
	for sent, status := range map[int]int{len(plain): 200, len(plain) - 1: 400} {
		conn, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
		_, err = fmt.Fprintf(conn, "POST /payments HTTP/1.1\r\nHost: switch.test\r\nContent-Type: application/json\r\napi-key: %s\r\nContent-Length: %d\r\n\r\n", w.secret, len(plain))
		require.NoError(t, err)
		<-slow.asks // the header has been read: the body is a packet of its own
		_, err = io.WriteString(conn, plain[:sent])
		require.NoError(t, err)
		slow.sent <- struct{}{}
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Equal(t, status, answer.StatusCode, string(body))
	}
}

package router_test

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/router"
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
	t.Cleanup(router.SetWriteTime(300 * time.Millisecond))
	_, address := served(t)
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	b := make([]byte, 8192)
	for range 4 {
		_, err = io.WriteString(conn, "GET /health HTTP/1.1\r\nHost: switch.test\r\n\r\n")
		require.NoError(t, err)
		n, err := conn.Read(b)
		require.NoError(t, err)
		require.Contains(t, string(b[:n]), "200 OK")
		time.Sleep(400 * time.Millisecond)
	}
}

package dashboard

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/router"
)

// TestDoubtfulEnds: a request with two lengths ends its connection at the dashboard too. Behind a proxy its rest would be the beginning of another
// person's request.
func TestDoubtfulEnds(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := newWorld(t).server.HTTP()
	done := make(chan struct{})
	go func() { defer close(done); s.Serve(router.WatchLengths(l)) }()
	defer func() { s.Close(); <-done }()
	conn, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	const next = "GET /login HTTP/1.1\r\nHost: x\r\n\r\n"
	_, err = io.WriteString(conn, "POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+next)
	require.NoError(t, err)
	r := bufio.NewReader(conn)
	got, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, got.Body)
	require.NoError(t, err)
	require.True(t, got.Close)
	_, err = r.ReadByte()
	require.Error(t, err, "nothing follows")
}

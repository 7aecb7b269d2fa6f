package router_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDoubtfulEnds: after a request that a proxy and this server may end at different bytes, the connection closes. So nothing that follows counts as a
// request. Other connections stay open.
func TestDoubtfulEnds(t *testing.T) {
	t.Parallel()
	_, address := served(t)
	const (
		host    = " HTTP/1.1\r\nHost: switch.test\r\n"
		next    = "GET /health" + host + "\r\n"
		chunked = "Transfer-Encoding: chunked\r\n"
		json    = "Content-Type: application/json\r\n"
	)
	for name, c := range map[string]struct {
		requests []string // sent one after the other, each after the answer to the one before
		closes   bool     // after the last of them; what follows gets no answer
	}{
		"both":                      {[]string{"POST /payments" + host + json + "Content-Length: 4\r\n" + chunked + "\r\n0\r\n\r\n" + next}, true},
		"both, the other way round": {[]string{"POST /payments" + host + chunked + "content-length: 4\r\n" + json + "\r\n0\r\n\r\n" + next}, true},
		"both, bare line feeds":     {[]string{"POST /payments HTTP/1.1\nHost: x\ntransfer-ENCODING: chunked\nContent-Length: 4\n\n0\r\n\r\n" + next}, true},
		"both, after honest ones": {[]string{"POST /payments" + host + json + "Content-Length: 2\r\n\r\n{}", "POST /payments" + host + json + chunked + "\r\n2\r\n{}\r\n0\r\n\r\n",
			next, "POST /payments" + host + "Content-Length: 4\r\n" + chunked + "\r\n0\r\n\r\n" + next}, true},
		"both, of a GET":           {[]string{"GET /health" + host + "Content-Length: 4\r\n" + chunked + "\r\n0\r\n\r\n" + next}, true},
		"both, at an unknown URL":  {[]string{"POST /nothing" + host + "Content-Length: 4\r\n" + chunked + "\r\n0\r\n\r\n" + next}, true},
		"both, at an open page":    {[]string{"GET /" + host + "Content-Length: 4\r\n" + chunked + "\r\n0\r\n\r\n" + next}, true},
		"both, behind much":        {[]string{"GET /health" + host + "X: " + strings.Repeat("x", 4090) + "\r\nContent-Length: 4\r\n" + chunked + "\r\n0\r\n\r\n" + next}, true},
		"the same length twice":    {[]string{"POST /payments" + host + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}" + next}, true},
		"chunks in HTTP/1.0":       {[]string{"POST /payments HTTP/1.0\r\nConnection: keep-alive\r\n" + chunked + "\r\n" + next}, true},
		"a length":                 {[]string{"POST /payments" + host + "Content-Length: 2\r\n\r\n{}", next}, false},
		"a length of nothing":      {[]string{"GET /health" + host + "Content-Length: 0\r\n\r\n", next}, false},
		"chunks":                   {[]string{"POST /payments" + host + chunked + "\r\n2\r\n{}\r\n0\r\n\r\n", next}, false},
		"HTTP/1.0 that stays open": {[]string{"GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", next}, false},
		"similar names":            {[]string{"GET /health" + host + "Content-Lengths: 4\r\nX-Content-Length: 3\r\nContent-Len: 3\r\nT: 1\r\n\r\n", next}, false},
	} {
		for _, piece := range []int{1 << 20, 7} {
			t.Run(name+" in pieces of "+strconv.Itoa(piece), func(t *testing.T) {
				t.Parallel()
				conn, err := net.Dial("tcp", address)
				require.NoError(t, err)
				defer conn.Close()
				require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
				r := bufio.NewReader(conn)
				for i, text := range c.requests {
					for part := range slices.Chunk([]byte(text), piece) {
						if _, err := conn.Write(part); err != nil {
							break // the server has answered and closed
						}
					}
					got, err := http.ReadResponse(r, nil)
					require.NoError(t, err)
					_, err = io.Copy(io.Discard, got.Body)
					require.NoError(t, err)
					require.Equal(t, c.closes && i == len(c.requests)-1, got.Close, "answer %d", i)
				}
				if c.closes {
					_, err = r.ReadByte()
					require.Error(t, err, "nothing follows")
				}
			})
		}
	}
}

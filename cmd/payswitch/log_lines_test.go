package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// gate is a writer that takes nothing until it is open.
type gate struct {
	lockedBuffer
	asked, open chan struct{}
}

func newGate() *gate { return &gate{asked: make(chan struct{}, 1), open: make(chan struct{})} }

func (g *gate) Write(b []byte) (int, error) {
	select {
	case g.asked <- struct{}{}:
	default:
	}
	<-g.open
	return g.lockedBuffer.Write(b)
}

// TestLogLines: a writer never waits for the reader of its lines. The reader gets what fits into memory, and reads how many lines are missing. A reader that
// is gone, or takes nothing at the end, holds up nothing.
func TestLogLines(t *testing.T) {
	t.Parallel()
	g := newGate()
	l := openLogLines(g, defaultConfig().Log)
	log := newLogger(l, defaultConfig().Log)
	log.Info("the first line")
	<-g.asked // from here on the reader stands still
	text := strings.Repeat("x", 1<<10)
	for i := range 3 * logWaiting >> 10 {
		log.Info(text, "i", i)
	}
	missing := l.dropped.Load()
	require.NotZero(t, missing)
	close(g.open)
	require.Eventually(t, func() bool { return strings.Contains(g.String(), fmt.Sprintf(`"dropped":%d`, missing)) }, time.Minute, time.Millisecond)
	log.Info("the last line")
	l.close()
	require.True(t, strings.HasSuffix(strings.TrimSpace(g.String()), `"msg":"the last line"}`))
	require.EqualValues(t, 3*logWaiting>>10+3, uint64(strings.Count(g.String(), "\n"))+missing)
	log.Info("a line after the end")

	stuck := openLogLines(newGate(), defaultConfig().Log)
	stuck.Write([]byte("a line\n"))
	stuck.close()

	r, w := io.Pipe()
	r.Close()
	gone := openLogLines(w, defaultConfig().Log)
	gone.Write([]byte("a line\n"))
	gone.close()
	require.EqualValues(t, 1, gone.dropped.Load())
}

// TestLogReaderStops: a program that stops to read the log, and then ends, neither holds up payments nor ends the switch.
func TestLogReaderStops(t *testing.T) {
	t.Parallel()
	path, err := binary()
	require.NoError(t, err)
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer reader.Close()
	cmd := exec.Command(path, "serve")
	cmd.Env, cmd.Dir, cmd.Stderr = testEnv(t, t.TempDir()), t.TempDir(), writer
	p := &process{running: &running{t: t}, cmd: cmd, stderr: &lockedBuffer{}}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	writer.Close()
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	p.await(out, p.stderr)
	key := p.shop("shop")

	client := &http.Client{Timeout: 30 * time.Second}
	lines := func(n int) { // a pipe holds 64 KB
		for range n {
			answer, err := client.Get(p.url + "/payments/none")
			require.NoError(t, err, "the log's reader holds up a request")
			answer.Body.Close()
		}
	}
	lines(400)
	require.Equal(t, "succeeded", p.must(key, "/payments", cardPayment("pay_1"))["status"])
	reader.Close()
	lines(20)
	require.Equal(t, "succeeded", p.must(key, "/payments", cardPayment("pay_2"))["status"])
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, exitOK, p.exit())
}

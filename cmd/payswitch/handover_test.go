package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakeSystemd keeps file descriptors as systemd does for a unit with FileDescriptorStoreMax.
type fakeSystemd struct {
	t    *testing.T
	path string
	mu   sync.Mutex
	kept map[string]*os.File
}

func newFakeSystemd(t *testing.T) *fakeSystemd {
	t.Helper()
	s := &fakeSystemd{t: t, path: filepath.Join(t.TempDir(), "notify"), kept: map[string]*os.File{}}
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: s.path, Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	go func() {
		for text, oob := make([]byte, 4096), make([]byte, 256); ; {
			n, m, _, _, err := c.ReadMsgUnix(text, oob)
			if err != nil {
				return
			}
			s.hear(string(text[:n]), oob[:m])
		}
	}()
	return s
}

func (s *fakeSystemd) hear(message string, oob []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, name, _ := strings.Cut(message, "FDNAME=")
	if strings.HasPrefix(message, "FDSTOREREMOVE=1\n") {
		if s.kept[name] != nil {
			s.kept[name].Close()
			delete(s.kept, name)
		}
		return
	}
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil || len(messages) != 1 {
		return
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return
	}
	s.kept[name] = os.NewFile(uintptr(fds[0]), name)
}

// keeps waits until the socket of this name is the only one that is kept.
func (s *fakeSystemd) keeps(name string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.kept) == 1 && s.kept[name] != nil
	}, time.Minute, time.Millisecond)
}

// command makes the command that starts the program as systemd does, with copies of the file descriptors that it keeps.
func (s *fakeSystemd) command(env []string) *exec.Cmd {
	s.t.Helper()
	path, err := binary()
	require.NoError(s.t, err)
	cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" serve`, path)
	var names []string
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, f := range s.kept {
		fd, err := syscall.Dup(int(f.Fd()))
		require.NoError(s.t, err)
		syscall.CloseOnExec(fd)
		names, cmd.ExtraFiles = append(names, name), append(cmd.ExtraFiles, os.NewFile(uintptr(fd), name))
	}
	cmd.Env = append(env, "PATH="+os.Getenv("PATH"), "NOTIFY_SOCKET="+s.path)
	if len(names) > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprint("LISTEN_FDS=", len(names)), "LISTEN_FDNAMES="+strings.Join(names, ":"))
	}
	cmd.Dir = s.t.TempDir()
	return cmd
}

// start starts the program.
func (s *fakeSystemd) start(env []string) *process {
	s.t.Helper()
	cmd := s.command(env)
	p := &process{running: &running{t: s.t}, cmd: cmd, stderr: &lockedBuffer{}}
	cmd.Stderr = p.stderr
	out, err := cmd.StdoutPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, cmd.Start())
	for _, f := range cmd.ExtraFiles {
		require.NoError(s.t, f.Close())
	}
	s.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	p.await(out, p.stderr)
	return p
}

// TestRestartBreaksNoRequest: clients that send without a pause, on connections that they keep, get an answer to every request while systemd restarts the
// switch. They repeat none, as a proxy must not repeat a payment.
func TestRestartBreaksNoRequest(t *testing.T) {
	t.Parallel()
	systemd := newFakeSystemd(t)
	address := freeAddress(t)
	env := append(testEnv(t, t.TempDir()), "PAYSWITCH_SERVER__LISTEN="+address)
	p := systemd.start(env)
	var answered, broken atomic.Int64
	var first atomic.Value
	ended := make(chan struct{})
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			keeps := &http.Transport{MaxIdleConnsPerHost: 1}
			defer keeps.CloseIdleConnections()
			for {
				select {
				case <-ended:
					return
				case <-time.After(2 * time.Millisecond):
				}
				r, err := http.NewRequest(http.MethodPost, "http://"+address+"/payments", io.NopCloser(strings.NewReader("{}")))
				if err != nil {
					panic(err)
				}
				resp, err := keeps.RoundTrip(r)
				if err != nil {
					broken.Add(1)
					first.CompareAndSwap(nil, err.Error())
					continue
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				answered.Add(1)
			}
		})
	}
	for range 3 {
		before := answered.Load()
		require.Eventually(t, func() bool { return answered.Load() > before+100 }, time.Minute, 5*time.Millisecond)
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
		require.Equal(t, exitOK, p.exit(), p.stderr)
		p = systemd.start(env)
	}
	before := answered.Load()
	require.Eventually(t, func() bool { return answered.Load() > before+100 }, time.Minute, 5*time.Millisecond)
	close(ended)
	clients.Wait()
	require.Zero(t, broken.Load(), "of %d answered: %v", answered.Load(), first.Load())
}

// TestKeptSocket: a kill keeps the connections that wait, and another server.listen gives the kept socket up. What another process is meant to get is ignored.
func TestKeptSocket(t *testing.T) {
	t.Parallel()
	systemd := newFakeSystemd(t)
	address := freeAddress(t)
	env := append(testEnv(t, t.TempDir()), "PAYSWITCH_SERVER__LISTEN="+address)
	p := systemd.start(env)
	systemd.keeps("api-" + strings.ReplaceAll(address, ":", "_"))
	require.NoError(t, p.cmd.Process.Kill())
	require.Equal(t, -1, p.exit())
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err, "the socket listens while no process runs")
	defer conn.Close()
	_, err = io.WriteString(conn, "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	require.NoError(t, err)
	p = systemd.start(env)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, exitOK, p.exit(), p.stderr)

	other := freeAddress(t)
	p = systemd.start(append(env, "PAYSWITCH_SERVER__LISTEN="+other))
	require.Equal(t, "http://"+other, p.url)
	systemd.keeps("api-" + strings.ReplaceAll(other, ":", "_"))
	_, err = net.Dial("tcp", address)
	require.Error(t, err)

	require.NoError(t, p.cmd.Process.Kill())
	require.Equal(t, -1, p.exit())
	conn, err = net.Dial("tcp", other)
	require.NoError(t, err)
	defer conn.Close()
	failed := systemd.command(append(env, "PAYSWITCH_SERVER__LISTEN="+other, "PAYSWITCH_KEYS__ENVIRONMENT=no such one"))
	require.Error(t, failed.Run())
	require.NoError(t, failed.ExtraFiles[0].Close())
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
	_, err = conn.Read(make([]byte, 1))
	require.ErrorIs(t, err, syscall.ECONNRESET, "a switch that does not start lets no client wait")

	require.Empty(t, keeperOf([]string{"LISTEN_PID=1", "LISTEN_FDS=1", "LISTEN_FDNAMES=api-x"}).passed)
	require.Empty(t, keeperOf([]string{fmt.Sprint("LISTEN_PID=", os.Getpid()), "LISTEN_FDS=2", "LISTEN_FDNAMES=api-x"}).passed)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// A restart refuses and breaks no connection: systemd keeps the API's socket meanwhile, so that new connections wait in its queue, and connections that are
// open close after an answer.

// keeper is the service manager that keeps the API's socket while it restarts the switch: systemd, with FileDescriptorStoreMax in the unit. The zero value
// keeps nothing.
type keeper struct {
	socket string   // that takes messages to systemd: NOTIFY_SOCKET of sd_notify(3); "" without systemd
	passed []string // the names of the file descriptors that systemd has passed, the first of them firstPassed
}

// firstPassed follows standard input, output and error, see sd_listen_fds(3).
const firstPassed = 3

// keeperOf reads the variables that systemd sets.
func keeperOf(env []string) (k keeper) {
	vars := map[string]string{}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		vars[name] = value
	}
	k.socket = vars["NOTIFY_SOCKET"]
	if n, err := strconv.Atoi(vars["LISTEN_FDS"]); err == nil && vars["LISTEN_PID"] == strconv.Itoa(os.Getpid()) {
		if names := strings.Split(vars["LISTEN_FDNAMES"], ":"); len(names) == n {
			k.passed = names
		}
	}
	return k
}

// socketName is the name of the API's socket for the keeper.
func socketName(address string) string { return "api-" + strings.ReplaceAll(address, ":", "_") }

// giveUp makes the keeper close the sockets, where the switch does not start: clients would wait for it, and leave, and a later start would carry out what they
// asked for.
func (k keeper) giveUp(address string) {
	if k.socket == "" {
		return
	}
	for _, name := range append(slices.Clone(k.passed), socketName(address)) {
		_ = k.tell("FDSTOREREMOVE=1\nFDNAME="+name, nil)
	}
}

// listen returns the socket on which an earlier process has listened at the address. Without one it makes a socket, and gives the keeper a copy. It may be
// called once, because it closes what the keeper has passed.
func (k keeper) listen(ctx context.Context, key, address string) (net.Listener, error) {
	name := socketName(address)
	var kept net.Listener
	for i, passed := range k.passed {
		f := os.NewFile(uintptr(firstPassed+i), passed)
		if passed == name && kept == nil {
			kept, _ = net.FileListener(f)
		}
		if passed != name || kept == nil { // of an earlier server.listen
			_ = k.tell("FDSTOREREMOVE=1\nFDNAME="+passed, nil)
		}
		_ = f.Close()
	}
	if kept != nil {
		return kept, nil
	}
	l, err := listen(ctx, key, address)
	if err != nil {
		return nil, err
	}
	if tcp, ok := l.(*net.TCPListener); ok && k.socket != "" {
		_ = k.tell("FDSTORE=1\nFDNAME="+name, tcp) // without the copy a restart refuses connections for a moment
	}
	return l, nil
}

// tell sends the keeper a message, and with it a copy of a socket, unless that is nil.
func (k keeper) tell(message string, l *net.TCPListener) error {
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: k.socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("reach the service manager: %w", err)
	}
	defer c.Close()
	if l == nil {
		_, err = c.Write([]byte(message))
		return err
	}
	from, err := l.SyscallConn() // not l.File, which would make the socket block
	if err != nil {
		return err
	}
	to, err := c.SyscallConn() // not c.WriteMsgUnix, which refuses a datagram socket with a peer
	if err != nil {
		return err
	}
	var sent error
	err = from.Control(func(fd uintptr) {
		err := to.Control(func(at uintptr) {
			sent = syscall.Sendmsg(int(at), []byte(message), syscall.UnixRights(int(fd)), nil, 0)
		})
		sent = errors.Join(sent, err)
	})
	return errors.Join(err, sent)
}

// leaveTime is how long clients may leave their open connections before a node that drains closes them.
const leaveTime = 250 * time.Millisecond

// leaving ends the open connections of a server between two requests. A proxy keeps connections for its next requests: where the server closes one by itself,
// a request that is just on its way is lost, and the proxy must not repeat it.
type leaving struct {
	open atomic.Int64 // connections
	now  atomic.Bool
}

// watch counts the connections of a server. From let on its answers close their connections.
func (l *leaving) watch(s *http.Server) {
	s.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			l.open.Add(1)
		case http.StateClosed, http.StateHijacked:
			l.open.Add(-1)
		}
	}
	next := s.Handler
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l.now.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// let waits until all clients have left, leaveTime at most. New connections are still served meanwhile.
func (l *leaving) let() {
	l.now.Store(true)
	for end := time.Now().Add(leaveTime); l.open.Load() > 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
}

package main

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Bounds of the lines of a node's log that its reader has not taken.
const (
	logWaiting = 4 << 20         // bytes in memory
	logEnds    = 2 * time.Second // for the last lines, when the node has ended
)

// logLines is a node's log on its way to standard error. Each request writes a line: a program behind a pipe that stops to read would hold up all
// payments, and one that ends would end the switch. So lines wait in memory, and lines beyond logWaiting are dropped and counted.
// It is safe for concurrent use.
type logLines struct {
	to      io.Writer
	own     *slog.Logger // writes to to
	wake    chan struct{}
	quit    chan struct{}
	done    chan struct{}
	dropped atomic.Uint64

	mu      sync.Mutex
	waiting []byte
	missing uint64 // lines that were dropped, and that the log does not mention yet
}

// openLogLines begins to write to to. The caller closes the lines.
func openLogLines(to io.Writer, c LogConfig) *logLines {
	l := &logLines{to: to, own: newLogger(to, c), wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE) // without it Go ends a program whose standard error is a broken pipe
	go func() {
		defer close(l.done)
		defer signal.Stop(broken)
		l.write()
	}()
	return l
}

// Write implements io.Writer for lines. It never blocks, and its error is nil.
func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	if len(l.waiting)+len(line) > logWaiting {
		l.missing++
		l.dropped.Add(1)
	} else {
		l.waiting = append(l.waiting, line...)
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return len(line), nil
}

// write writes what waits until the lines are closed.
func (l *logLines) write() {
	for ended := false; !ended; {
		select {
		case <-l.wake:
		case <-l.quit:
			ended = true
		}
		l.mu.Lock()
		text, missing := l.waiting, l.missing
		l.waiting, l.missing = nil, 0
		l.mu.Unlock()
		if len(text) == 0 {
			continue
		}
		if n, err := l.to.Write(text); err != nil {
			l.dropped.Add(uint64(bytes.Count(text[n:], []byte("\n"))))
			continue
		}
		if missing > 0 {
			l.own.Warn("the reader of the log was away: lines were dropped, and payments went on", "dropped", missing)
		}
	}
}

// close writes what waits. A reader that takes nothing loses the lines after logEnds.
func (l *logLines) close() {
	close(l.quit)
	select {
	case <-l.done:
	case <-time.After(logEnds):
	}
}

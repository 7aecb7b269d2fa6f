package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"payswitch/router"
	"payswitch/router/dashboard"
)

// requestLog writes a line for each request of the API to files. A request never waits for it: while the disk is slow or full, lines are dropped and
// counted. It is safe for concurrent use.
type requestLog struct {
	path    string
	limit   int64 // bytes of a file, after which the next begins
	files   int   // with the one that is written
	log     *slog.Logger
	lines   chan router.LoggedRequest
	quit    chan struct{}
	done    chan struct{}
	dropped atomic.Uint64

	// Only the writer's goroutine uses these.
	file  *os.File
	size  int64
	tries time.Time // when the file may be opened again
}

// Bounds of the request log.
const (
	requestLogFiles = 8
	requestLogQueue = 4096 // lines that wait for the disk
	requestLogPause = 10 * time.Second
)

// requestLine is a line of the file. It has no field for a body, a header or a URL: no text that a caller chooses freely gets into the file.
type requestLine struct {
	At        time.Time `json:"time"`
	RequestID string    `json:"request_id"`
	Method    string    `json:"method"`
	Route     string    `json:"route"`
	Status    int       `json:"status"`
	Code      string    `json:"code,omitempty"`
	Merchant  string    `json:"merchant_id,omitempty"`
	Key       string    `json:"key_id,omitempty"`
	Payment   string    `json:"payment_id,omitempty"`
	Took      float64   `json:"took_ms"`
}

// openRequestLog begins to write to the file path. Older files are path.1 and so on. If it cannot open a file, it warns and tries again later: payments
// do not need it. The caller closes the log.
func openRequestLog(path string, limit int64, files int, log *slog.Logger) *requestLog {
	l := &requestLog{path: path, limit: limit, files: files, log: log, lines: make(chan router.LoggedRequest, requestLogQueue), quit: make(chan struct{}), done: make(chan struct{})}
	if err := l.open(); err != nil {
		l.failed(err)
	} else {
		log.Info("requests are logged", keyFile, path)
	}
	go l.write()
	return l
}

// add hands a request to the writer. It never blocks.
func (l *requestLog) add(r router.LoggedRequest) {
	select {
	case l.lines <- r:
	default:
		l.dropped.Add(1)
	}
}

// close writes what waits, and ends the writer. Lines of requests that end later are lost. A nil log is closed already.
func (l *requestLog) close() {
	if l != nil {
		close(l.quit)
		<-l.done
	}
}

// write writes lines until the log is closed: those that wait together in one write.
func (l *requestLog) write() {
	defer close(l.done)
	for ended := false; !ended; {
		var text []byte
		var n uint64
		select {
		case r := <-l.lines:
			text, n = appendLine(nil, r), 1
		case <-l.quit:
			ended = true
		}
		for more := len(l.lines); more > 0; more-- {
			text, n = appendLine(text, <-l.lines), n+1
		}
		if n == 0 {
			continue
		}
		if err := l.append(text); err != nil {
			l.dropped.Add(n)
			l.failed(err)
		}
	}
	if l.file != nil {
		l.file.Close()
	}
}

func appendLine(to []byte, r router.LoggedRequest) []byte {
	b, _ := json.Marshal(requestLine{r.At.UTC().Truncate(time.Millisecond), r.RequestID, r.Method, r.Route, r.Status, r.Code, r.MerchantID, r.KeyID, r.PaymentID,
		float64(r.Took.Microseconds()) / 1000}) // such a struct always has a JSON form
	return append(append(to, b...), '\n')
}

// errPaused says that the last failure is too recent for another try.
var errPaused = errors.New("the file is tried again later")

func (l *requestLog) append(text []byte) error {
	if l.file == nil {
		if time.Now().Before(l.tries) {
			return errPaused
		}
		if err := l.open(); err != nil {
			return err
		}
		l.log.Info("requests are logged again", keyFile, l.path)
	}
	if l.size > 0 && l.size+int64(len(text)) > l.limit {
		if err := l.turn(); err != nil {
			return err
		}
	}
	n, err := l.file.Write(text)
	l.size += int64(n)
	if err != nil && n > 0 { // half a line would spoil the next one
		err = errors.Join(err, l.file.Truncate(l.size-int64(n)))
	}
	return err
}

// open opens the file, which only its owner may read, and goes on at its end.
func (l *requestLog) open() error {
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New(l.path + " is not a regular file")
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, st.Size()
	return nil
}

// turn gives each file the next number, drops the last, and begins a new file.
func (l *requestLog) turn() error {
	err := l.file.Close()
	l.file = nil
	for n := l.files - 1; n > 0; n-- {
		if e := os.Rename(l.older(n-1), l.older(n)); e != nil && !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		return err
	}
	return l.open()
}

// older returns the name of the file n before the one that is written.
func (l *requestLog) older(n int) string {
	if n == 0 {
		return l.path
	}
	return l.path + "." + strconv.Itoa(n)
}

// failed closes the file and says why, once until the file is tried again.
func (l *requestLog) failed(err error) {
	if errors.Is(err, errPaused) {
		return
	}
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
	l.tries = time.Now().Add(requestLogPause)
	l.log.Warn("requests cannot be logged to their file; payments go on without it", keyFile, l.path, "error", err, "dropped", l.dropped.Load(), "again_in", requestLogPause)
}

// remember fills the book with the latest requests of the files of an earlier run. Lines that are no JSON are left out.
func (b *logbook) remember(path string) {
	for _, name := range []string{path + ".1", path} { // a new file alone would remember little
		text, err := tail(name, logbookBytes/4)
		if err != nil {
			continue // the first run has no file, and openRequestLog has reported any other error
		}
		for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
			var r requestLine
			if json.Unmarshal(s.Bytes(), &r) != nil || r.At.IsZero() {
				continue
			}
			b.addRequest(r)
		}
	}
	b.mu.Lock()
	b.kept = true
	b.mu.Unlock()
}

// addRequest keeps a request in the form that the router's line in the log has.
func (b *logbook) addRequest(r requestLine) {
	l := dashboard.LogLine{At: r.At, Level: slog.LevelInfo.String(), Message: "request"}
	size := 200
	for _, a := range []dashboard.LogAttr{{Name: keyComponent, Value: "router"}, {Name: keyRequestID, Value: r.RequestID}, {Name: "method", Value: r.Method}, {Name: "route", Value: r.Route},
		{Name: "status", Value: strconv.Itoa(r.Status)}, {Name: keyTook, Value: time.Duration(r.Took * float64(time.Millisecond)).String()}, {Name: "merchant_id", Value: r.Merchant},
		{Name: "payment_id", Value: r.Payment}, {Name: "code", Value: r.Code}, {Name: "key_id", Value: r.Key}} {
		if a.Value != "" {
			a.Value = cutValue(a.Value)
			l.Attrs = append(l.Attrs, a)
			size += 32 + len(a.Name) + len(a.Value)
		}
	}
	b.add(l, size)
}

// tail reads the last bytes of a file, from the beginning of a line.
func tail(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil, errors.Join(err, os.ErrInvalid)
	}
	from := max(0, st.Size()-most)
	text, err := io.ReadAll(io.NewSectionReader(f, from, st.Size()-from))
	if from > 0 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text, err
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"payswitch/sdk/sdktest/wire"
)

// pluginMock serves the recorded answers of an adapter's cases, as the processor would.
func (p *program) pluginMock(ctx context.Context, args []string) error {
	f := p.flags("plugin mock [DIR]")
	listen := f.String("listen", "127.0.0.1:0", "listen on this `host:port`; port 0 takes a free one")
	given, err := operands(f, args, 1)
	if err != nil {
		return err
	}
	dir := "."
	if len(given) == 1 {
		dir = given[0]
	}
	mock, err := loadMock(dir)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	base, serve, err := mock.listen(*listen)
	if err != nil {
		return err
	}
	mock.log = func(text string) { fmt.Fprintln(p.stdout, text) }
	fmt.Fprintf(p.stdout, "recorded answers of %s at %s\n%s\n", mock.name, base, mock.choice())
	return serve(ctx)
}

// choice says how to choose an answer.
func (m *mockProcessor) choice() string {
	return fmt.Sprintf("POST %s/_mock/next?sample=NAME chooses the next answer: %s", m.origin, strings.Join(m.sampleNames(), ", "))
}

// mockProcessor answers requests with the samples of an adapter's cases.
type mockProcessor struct {
	name      string
	origin    string // scheme, host and port
	basePath  string // path of the cases' base URL
	requests  []mockRequest
	samples   []wire.Case
	connector *wire.Requests

	newer atomic.Pointer[mockProcessor] // has the cases that were saved since, nil for none

	mu   sync.Mutex
	next string           // the sample that the next request gets, "" for the one that fits
	log  func(one string) // nil says nothing
}

// loadMock reads the cases of the project in a folder.
func loadMock(dir string) (*mockProcessor, error) {
	found, err := filepath.Glob(filepath.Join(dir, "testdata", "*.responses.json"))
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%s holds %d files of answers, and one is needed: testdata/NAME.responses.json, as sdk/CASES.md describes", dir, len(found))
	}
	name := strings.TrimSuffix(filepath.Base(found[0]), ".responses.json")
	fsys, file, err := casesOf(filepath.Join(dir, "testdata"), "", name)
	if err != nil {
		return nil, err
	}
	requests, responses, err := wire.Load(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	base, err := url.Parse(requests.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("%s: base_url: %w", file, err)
	}
	m := &mockProcessor{name: name, basePath: strings.TrimRight(base.Path, "/"), connector: requests, samples: responses.Samples}
	for i := range requests.Cases {
		c := &requests.Cases[i]
		if c.Request == nil {
			continue
		}
		u, err := url.Parse(c.Request.URL)
		if err != nil {
			return nil, fmt.Errorf("%s: request.url: %w", c.Where(), err)
		}
		q, err := newMockRequest(c, u.Path)
		if err != nil {
			return nil, err
		}
		m.requests = append(m.requests, q)
	}
	return m, nil
}

// listen opens the mock's address. base is the base URL for an account. serve answers until the context ends.
func (m *mockProcessor) listen(address string) (base string, serve func(ctx context.Context) error, err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "", nil, err
	}
	m.origin = "http://" + l.Addr().String()
	server := &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second}
	return m.origin + m.basePath, func(ctx context.Context) error {
		stop := context.AfterFunc(ctx, func() { _ = server.Close() })
		defer stop()
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}, nil
}

func (m *mockProcessor) sampleNames() (all []string) {
	for i := range m.samples {
		if m.samples[i].Response != nil {
			all = append(all, m.samples[i].Name)
		}
	}
	return all
}

// reload reads the cases of the project again. With an error the earlier ones stay.
func (m *mockProcessor) reload(dir string) error {
	n, err := loadMock(dir)
	if err != nil {
		return err
	}
	n.origin, n.log = m.origin, m.log
	m.newer.Store(n)
	return nil
}

// ServeHTTP implements http.Handler.
func (m *mockProcessor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if n := m.newer.Load(); n != nil {
		n.ServeHTTP(w, r)
		return
	}
	if r.URL.Path == "/_mock/next" {
		m.choose(w, r.URL.Query().Get("sample"))
		return
	}
	of := m.recorded(r)
	if of == nil {
		m.refuse(w, http.StatusNotImplemented, "no case matches "+r.Method+" "+r.URL.Path+": add one. The base is "+cmp.Or(m.basePath, "/"))
		return
	}
	op := of.Operation()
	answer, from := m.answer(of)
	if answer == nil {
		m.refuse(w, http.StatusNotImplemented, "no sample answers the operation "+string(op)+": add one")
		return
	}
	for name, value := range answer.Headers {
		w.Header().Set(name, value)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	m.say(r.Method + " " + r.URL.Path + " is " + string(op) + ", answered with " + from)
	w.WriteHeader(answer.Status)
	if text, ok := answer.Body.(string); ok {
		_, _ = w.Write([]byte(text))
	} else if answer.Body != nil {
		_ = json.NewEncoder(w).Encode(later(answer.Body, time.Since(m.connector.Clock).Truncate(time.Second)))
	}
}

// zonedTimes are the forms of times that name their zone.
var zonedTimes = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999-0700"}

// later returns a recorded body with its times moved from the clock of the cases to now. So a token that ended half an hour after the recording ends
// half an hour from now.
func later(body any, by time.Duration) any {
	switch v := body.(type) {
	case map[string]any:
		moved := make(map[string]any, len(v))
		for name, value := range v {
			moved[name] = later(value, by)
		}
		return moved
	case []any:
		moved := make([]any, len(v))
		for i, value := range v {
			moved[i] = later(value, by)
		}
		return moved
	case string:
		for _, form := range zonedTimes {
			if at, err := time.Parse(form, v); err == nil {
				return at.Add(by).Format(form)
			}
		}
	}
	return body
}

// answer returns the answer to the request of a case, and its name. The chosen sample comes first, then a good sample of the same request. The next
// is the answer that a case of a later request records, and the last any sample of the operation.
func (m *mockProcessor) answer(of *wire.Case) (*wire.Response, string) {
	c, chosen := m.sample(of)
	if c == nil {
		return nil, ""
	}
	sent := len(of.Exchanges)
	if chosen || c.Response.Status/100 == 2 && len(c.Exchanges) == sent && unlike(c, of) == 0 {
		return c.Response, "the sample " + c.Name
	}
	for _, q := range m.requests {
		l := q.of
		if l.Operation() == of.Operation() && l.Request.URL != of.Request.URL && len(l.Exchanges) > sent && l.Exchanges[sent].Status/100 == 2 {
			return &l.Exchanges[sent], "the exchange " + strconv.Itoa(sent+1) + " of the case " + l.Name
		}
	}
	return c.Response, "the sample " + c.Name
}

func (m *mockProcessor) say(text string) {
	if m.log != nil {
		m.log(text)
	}
}

func (m *mockProcessor) refuse(w http.ResponseWriter, status int, why string) {
	m.say(why)
	http.Error(w, "payswitch plugin mock: "+why, status)
}

// choose sets the sample that the next request gets.
func (m *mockProcessor) choose(w http.ResponseWriter, name string) {
	for _, known := range m.sampleNames() {
		if known == name {
			m.mu.Lock()
			m.next = name
			m.mu.Unlock()
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	m.refuse(w, http.StatusNotFound, "no sample is called "+name+": choose one of "+strings.Join(m.sampleNames(), ", "))
}

// recorded returns the case of a request, nil for none. Of the cases with the same method and the most equal segments of the path, it is the nearest.
// A segment that the case's input or an earlier answer gives may differ, and one more that can be an id.
func (m *mockProcessor) recorded(r *http.Request) *wire.Case {
	best := 0
	var candidates []*mockRequest
	got := strings.Split(r.URL.Path, "/")
	resource := len(strings.Split(m.basePath, "/")) // the segment after the base path names the kind of object
	for i := range m.requests {
		q := &m.requests[i]
		if q.method != r.Method || len(q.path) != len(got) {
			continue
		}
		same, varied, other := 0, 0, false
		for i := range got {
			switch {
			case got[i] == q.path[i]:
				same += 2
			case q.path[i] == anyValue:
				same++
				varied++
			case i <= resource:
				other = true
			}
		}
		switch {
		case other || same < 2*(len(got)-1)-varied || same < best:
		case same > best:
			best, candidates = same, []*mockRequest{q}
		default:
			candidates = append(candidates, q)
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	return nearestCase(candidates, arrivedFields(r))
}

// sample returns the chosen sample, else the first good one that answers what the case asks for, else any of the operation. A sample of the same
// request of the operation comes before those of another one.
func (m *mockProcessor) sample(of *wire.Case) (found *wire.Case, chosen bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	least := 0
	for i := range m.samples {
		c := &m.samples[i]
		if c.Response == nil {
			continue
		}
		if m.next != "" && c.Name == m.next {
			m.next = ""
			return c, true
		}
		if c.Operation() != of.Operation() {
			continue
		}
		n := unlike(c, of)
		if len(c.Exchanges) != len(of.Exchanges) {
			n += 100
		}
		if c.Response.Status/100 != 2 {
			n += 1000 // after every good one
		}
		if found == nil || n < least {
			found, least = c, n
		}
	}
	return found, false
}

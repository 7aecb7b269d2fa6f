package plugins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// Rehearsal holds the answers for a rehearsed operation.
type Rehearsal struct {
	// Answers are given to the operation's requests in order.
	Answers []Answer
	// AccessToken is the account's access token. With the zero value a request that needs a token is preceded by the request that
	// fetches it.
	AccessToken secret.Value
}

// Answer is an HTTP answer of a processor.
type Answer struct {
	Status int // HTTP status, 100 to 599
	Header http.Header
	Body   []byte
}

// Rehearsed is the end of a rehearsed operation. Exactly one of Request, Outcome and Reject is set.
type Rehearsed struct {
	Request *Request // the first request without an answer
	Outcome *sdk.Outcome
	Reject  *sdk.Reject
	// Answered lists the method and URL of each answered request, in order.
	Answered []string
	// Recordings hold the adapter's steps with stand-ins in place of secrets, also of the operation that fetched an access token. The last step of
	// the last one asked for Request, if that is set. An adapter that receives the real secrets has none.
	Recordings []*port.Recording
}

// Request is an HTTP request with its secrets, byte for byte as it would leave. Header holds what the adapter and the host set;
// headers of the connection, such as Host and Content-Length, are added on sending.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
}

// Rehearse performs an operation with the code of Drive, but its code path has no network. All steps happen at d.Started;
// d.BeforeSend is not called, and metrics do not count. An access token in the outcome is the answer's, not a stand-in. Errors are
// those of Drive.
func (h *Host) Rehearse(ctx context.Context, d *port.Drive, r Rehearsal) (*Rehearsed, error) {
	b, err := h.acquire(ctx, d)
	if err != nil {
		return nil, err
	}
	defer h.release(b)
	return rehearse(ctx, h.opts, &b.adapter, d, r)
}

// Rehearse does what Host.Rehearse does, with the one build of the adapter.
func (n *Native) Rehearse(ctx context.Context, d *port.Drive, r Rehearsal) (*Rehearsed, error) {
	a, ok := n.adapters[d.Connector]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrNoAdapter, d.Connector)
	}
	return rehearse(ctx, n.driver.opts, &a.adapter, d, r)
}

func rehearse(ctx context.Context, opts Options, a *adapter, d *port.Drive, r Rehearsal) (*Rehearsed, error) {
	ctx, cancel := context.WithTimeout(ctx, opts.OperationTimeout)
	defer cancel()
	opts.Clock = func() time.Time { return d.Started }
	opts.Observer = noObserver{}
	in := *d
	in.BeforeSend, in.Record = nil, true
	stage := &stage{answers: r.Answers, end: cancel}
	driver := newDriver(opts)
	driver.egress.instead = stage.answer
	driver.tokens.given = r.AccessToken
	o := &operation{driver: driver, adapter: a, in: &in, res: &port.DriveResult{AdapterHash: a.hash}, started: time.Now()}
	err := o.prepare()
	if err == nil {
		err = o.run(ctx)
	}
	recordings := o.res.Recordings
	if len(o.steps) > 0 && !o.plain {
		recordings = append(recordings, o.recording(err))
	}
	for _, r := range recordings { // equal rehearsals are recorded alike
		for i := range r.Steps {
			r.Steps[i].Took, r.Steps[i].Exchange = 0, 0
		}
	}
	if stage.request != nil { // without an answer the operation's own end means nothing
		return &Rehearsed{Request: stage.request, Answered: stage.answered, Recordings: untilUnanswered(recordings)}, nil
	}
	if v, ok := errors.AsType[*Violation](err); ok {
		v.Adapter = a.name
	}
	if err != nil {
		return nil, fmt.Errorf("rehearse %s of adapter %s: %w", d.Operation, a.name, err)
	}
	if out := o.res.Outcome; out != nil && out.Token != nil {
		if i := o.secrets.named(out.Token.Value); i >= 0 {
			out.Token.Value = o.secrets.secrets[i].value.Reveal()
		}
	}
	return &Rehearsed{Outcome: o.res.Outcome, Reject: o.res.Reject, Answered: stage.answered, Recordings: recordings}, nil
}

// untilUnanswered cuts the recordings after the step that asked for the request without an answer. What follows that step is the stage's doing.
func untilUnanswered(all []*port.Recording) []*port.Recording {
	for i, r := range all {
		for n, x := range r.Step.Exchanges {
			if x.Verified != nil || x.Sent {
				continue
			}
			r.Step.Exchanges, r.Error = r.Step.Exchanges[:n:n], ""
			r.Steps = r.Steps[:min(n+1, len(r.Steps))]
			return all[:i+1]
		}
	}
	return all
}

// stage plays the processor of one rehearsed operation.
type stage struct {
	answers  []Answer
	answered []string
	request  *Request // the first request without an answer
	end      func()   // ends the operation
}

func (s *stage) answer(_ context.Context, o *outgoing) answer {
	if len(s.answers) == 0 {
		if s.request == nil {
			s.request = &Request{Method: o.method, URL: o.url.String(), Header: o.header, Body: o.body}
		}
		s.end()
		return answer{failure: failConnect, err: io.EOF}
	}
	s.answered = append(s.answered, o.method+" "+o.url.String())
	next := s.answers[0]
	s.answers = s.answers[1:]
	if len(next.Body) > o.maxResponse {
		return answer{sent: true, failure: failTooLarge, err: fmt.Errorf("the answer has more than %d bytes", o.maxResponse)}
	}
	return answer{sent: true, status: next.Status, headers: answerHeaders(next.Header), body: bytes.Clone(next.Body)}
}

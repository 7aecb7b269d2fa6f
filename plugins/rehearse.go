package plugins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"payswitch/engine"
	"payswitch/sdk"
)

// Rehearsal is what a rehearsed operation meets instead of a processor.
type Rehearsal struct {
	// Answers are given to the operation's requests one after the other.
	Answers []Answer
	// AccessToken is what the account is taken to have; absent, a request that needs one is preceded by the request that fetches it.
	AccessToken engine.Secret
}

// Answer is a processor's, as it would come.
type Answer struct {
	Status int // HTTP status, 100 to 599
	Header http.Header
	Body   []byte
}

// Rehearsed is how far a rehearsed operation came. Exactly one of Request, Outcome and Reject is set.
type Rehearsed struct {
	Request *Request // the first that no answer was left for
	Outcome *sdk.Outcome
	Reject  *sdk.Reject
	// Answered are the method and URL of each request that was given an answer, in order.
	Answered []string
}

// Request is an HTTP request with everything that was secret to the adapter in it, to the byte as it would leave. Header holds what the
// adapter and the host set; Host, Content-Length and what else belongs to a connection come on top.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
}

// Rehearse performs an operation by the same code as Drive and sends nothing: there is no way from it to the network. All its steps are
// at d.Started, d.BeforeSend is not called, and nothing is counted. An access token in the outcome is the one of the answer, not a
// stand-in. Errors are those of Drive.
func (h *Host) Rehearse(ctx context.Context, d *engine.Drive, r Rehearsal) (*Rehearsed, error) {
	b, err := h.acquire(ctx, d)
	if err != nil {
		return nil, err
	}
	defer h.release(b)
	return rehearse(ctx, h.opts, &b.adapter, d, r)
}

// Rehearse is as Host.Rehearse, of the current build alone.
func (n *Native) Rehearse(ctx context.Context, d *engine.Drive, r Rehearsal) (*Rehearsed, error) {
	a, ok := n.adapters[d.Connector]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrNoAdapter, d.Connector)
	}
	return rehearse(ctx, n.driver.opts, &a.adapter, d, r)
}

func rehearse(ctx context.Context, opts Options, a *adapter, d *engine.Drive, r Rehearsal) (*Rehearsed, error) {
	ctx, cancel := context.WithTimeout(ctx, opts.OperationTimeout)
	defer cancel()
	opts.Clock = func() time.Time { return d.Started }
	opts.Observer = noObserver{}
	in := *d
	in.BeforeSend = nil
	stage := &stage{answers: r.Answers, end: cancel}
	driver := newDriver(opts)
	driver.egress.instead = stage.answer
	driver.tokens.given = r.AccessToken
	o := &operation{driver: driver, adapter: a, in: &in, res: &engine.DriveResult{AdapterHash: a.hash}, started: time.Now()}
	err := o.prepare()
	if err == nil {
		err = o.run(ctx)
	}
	if stage.request != nil { // what became of the operation without an answer is of no interest
		return &Rehearsed{Request: stage.request, Answered: stage.answered}, nil
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
	return &Rehearsed{Outcome: o.res.Outcome, Reject: o.res.Reject, Answered: stage.answered}, nil
}

// stage plays the processor of one rehearsed operation.
type stage struct {
	answers  []Answer
	answered []string
	request  *Request // the first that no answer was left for
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
		return answer{sent: true, failure: failTooLarge, err: fmt.Errorf("answer of more than %d bytes", o.maxResponse)}
	}
	return answer{sent: true, status: next.Status, headers: answerHeaders(next.Header), body: bytes.Clone(next.Body)}
}

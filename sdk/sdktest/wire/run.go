package wire

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"payswitch/sdk"
)

// TB is the part of testing.TB that this package needs. testing.TB itself would make package testing and its flags part of every program
// that reads an adapter's facts.
type TB interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Log(args ...any)
	Logf(format string, args ...any)
}

// T is the part of *testing.T that this package needs.
type T[Self any] interface {
	TB
	Run(name string, f func(Self)) bool
}

// Run runs the adapter against its two files in fsys, which have the manifest's name. Each case is a subtest.
func Run[Self T[Self]](t Self, a *sdk.Adapter, fsys fs.FS, o Options) {
	t.Helper()
	requests, responses, err := Load(fsys, a.Manifest.Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := requests.Fits(&a.Manifest); err != nil {
		t.Fatal(fmt.Errorf("%s.json: %w", a.Manifest.Name, err))
	}
	r := newRunner(&a.Manifest, a.Step, requests, o)
	r.subtest = func(name string, check func() []string) {
		t.Run(name, func(t Self) {
			if wrong := check(); len(wrong) > 0 {
				t.Error(strings.Join(wrong, "\n"))
			}
		})
	}
	if o.Credentials != nil {
		o.Credentials(&r.account)
	}
	ends := r.cover.begin()
	r.all(responses)
	for _, line := range r.needless() {
		t.Error(line)
	}
	t.Logf("%d run, %d skipped", r.done, len(r.skipped))
	if old := oldWords(requests, responses); old > 0 {
		t.Logf("%d cases name their operation by flow, in the old words: sdk/CASES.md has the SDK's", old)
	}
	os.Stdout.WriteString(ends(a, responses))
	for _, line := range r.skipped {
		t.Log("skipped " + line)
	}
}

// A runner runs the cases of one adapter.
type runner struct {
	manifest    *sdk.Manifest
	take        func(*sdk.Step) sdk.Result // performs one step of the adapter
	requests    *Requests
	options     Options
	account     sdk.Account
	skip, allow ledger
	subtest     func(name string, check func() []string)
	cover       coverage
	op          sdk.Operation // of the next check, and where its case stands
	where       string
	done        int
	skipped     []string
}

func newRunner(m *sdk.Manifest, take func(*sdk.Step) sdk.Result, requests *Requests, o Options) *runner {
	return &runner{manifest: m, take: take, requests: requests, options: o, account: Account(m, requests),
		skip: ledger{union(requests.Skip, o.Skip), map[string]bool{}}, allow: ledger{union(requests.Allow, o.Allow), map[string]bool{}}}
}

func union(a, b map[string]string) map[string]string {
	both := maps.Clone(a)
	if both == nil {
		return b
	}
	maps.Copy(both, b)
	return both
}

// all runs every case. responses may be nil.
func (r *runner) all(responses *Responses) {
	for i := range r.requests.Cases {
		c := &r.requests.Cases[i]
		r.cover.operation(r.operation(c))
		r.at(r.operation(c), c.Where())
		r.run([]string{"request/" + c.Name, c.Name}, c.Flow, func() []string { return r.checkRequest(c) })
	}
	if responses != nil {
		r.checkResponses(responses)
		r.checkOffered()
	}
}

// at names what the next checks are about.
func (r *runner) at(op sdk.Operation, where string) { r.op, r.where = op, where }

// needless lists the exceptions that match nothing.
func (r *runner) needless() (all []string) {
	for _, key := range r.skip.unused() {
		all = append(all, fmt.Sprintf("skip: %q matches no case: remove it", key))
	}
	for _, key := range r.allow.unused() {
		all = append(all, fmt.Sprintf("allow: %q matches no difference: remove it", key))
	}
	return all
}

// run makes a check a subtest, unless Options.Skip names it. names are the names of the check; the first is the subtest's.
func (r *runner) run(names []string, flow string, check func() []string) {
	if reason, ok := r.skips(names, flow); ok {
		r.skipped = append(r.skipped, names[0]+": "+reason)
		return
	}
	r.done++
	r.subtest(names[0], check)
}

func (r *runner) skips(names []string, flow string) (string, bool) {
	keys := slices.Clone(names)
	for name := names[0]; strings.Contains(name, "/"); {
		name = name[:strings.LastIndex(name, "/")]
		keys = append(keys, name)
	}
	for _, key := range append(keys, "flow/"+flow) {
		if reason, ok := r.skip.has(key); ok {
			return reason, true
		}
	}
	return "", false
}

func (r *runner) operation(c *Case) sdk.Operation {
	if r.options.Operation != nil {
		if op := r.options.Operation(c); op != "" {
			return op
		}
	}
	return c.Operation()
}

func (r *runner) step(c *Case) (*sdk.Step, error) {
	op := r.operation(c)
	if op == "" {
		return nil, fmt.Errorf("flow %s is not an operation: name it in Skip, or give its operation in Options.Operation", c.Flow)
	}
	s := c.Step(op, r.account, r.requests.Clock)
	if r.options.Input != nil {
		r.options.Input(c, s)
	}
	return s, nil
}

// send steps the adapter up to the send that the case describes. The step's exchanges are those before this send.
func (r *runner) send(c *Case, s *sdk.Step) (*sdk.Send, error) {
	for i := 0; ; i++ {
		result := r.take(s)
		if result.Send == nil {
			return nil, fmt.Errorf("the adapter sends no request: %s", ending(&result))
		}
		var answer *Response
		switch {
		case i < len(c.Exchanges):
			answer = &c.Exchanges[i]
		case r.options.Answer != nil:
			answer = r.options.Answer(c, i, result.Send)
		}
		if answer == nil {
			return result.Send, nil
		}
		s.Exchanges = append(s.Exchanges, answer.exchange(s.Now, sdk.RequestHash(result.Send)))
	}
}

func (r *Response) exchange(now int64, hash string) sdk.Exchange {
	return sdk.Exchange{Now: now, RequestHash: hash, Sent: true, Status: r.Status, Headers: headers(r.Headers), Body: r.bytes()}
}

// ending describes the result of a step for a report.
func ending(r *sdk.Result) string {
	switch {
	case r.Reject != nil:
		return "rejected: " + r.Reject.Error()
	case r.Outcome != nil:
		s := "outcome " + string(r.Outcome.Status)
		for _, k := range slices.Sorted(maps.Keys(r.Outcome.Raw)) {
			s += fmt.Sprintf(", %s %q", k, r.Outcome.Raw[k])
		}
		return s
	case r.Verify != nil:
		return "a verify"
	case r.Send != nil:
		return "after this answer the adapter sends " + r.Send.Method + " " + r.Send.URL +
			": if the sample is the answer to that request, put the answers to the earlier ones into the sample's exchanges"
	}
	return "nothing"
}

// checkRequest compares the request of a case with the adapter's. Then it runs the case again with stand-ins.
func (r *runner) checkRequest(c *Case) []string {
	s, err := r.step(c)
	if err != nil {
		return []string{err.Error()}
	}
	if c.Request == nil {
		return []string{"the case has no request"}
	}
	send, err := r.send(c, s)
	if err != nil {
		return []string{err.Error()}
	}
	real, err := Substitute(send, nil)
	if err != nil {
		return []string{err.Error()}
	}
	all, err := compare(c, real)
	if err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	for _, d := range all {
		if !r.allow.allows([]string{c.Name, "request/" + c.Name}, d.path) {
			wrong = append(wrong, d.String())
		}
	}
	return append(wrong, r.checkBlind(c, real)...)
}

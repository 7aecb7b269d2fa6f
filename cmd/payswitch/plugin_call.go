package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"payswitch/engine/port"
	"payswitch/plugins"
	"payswitch/sdk"
)

// pluginCall shows the request that an adapter would send for a case, or the outcome that it makes of an answer. The adapter runs as in the
// switch, but without access to the network.
func (p *program) pluginCall(ctx context.Context, args []string) (err error) {
	f := p.flags("plugin call")
	cases := f.String("cases", "", "read JSON lines, one case each, from this `file` or standard input (-), and answer each with a line, which\n"+
		"holds the request to the byte. Without the flag, read one case from standard input, and show secrets by their names")
	cache := f.String("cache", p.userCache(), "keep compiled adapters in this `folder`; \"\" keeps none")
	var files []string
	f.Func("plugin", "call the adapter in this .wasm `file` instead of the built-in ones; repeat the flag for more adapters", func(name string) error {
		files = append(files, name)
		return nil
	})
	if err := parse(f, args); err != nil {
		return err
	}
	in := p.stdin
	if *cases != "" && *cases != "-" {
		file, err := os.Open(*cases)
		if err != nil {
			return fmt.Errorf("--cases: %w", err)
		}
		defer file.Close()
		in = file
	}
	host, err := openCallHost(ctx, files, *cache, p.stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close(context.WithoutCancel(ctx))) }()
	c := caller{host: host, stderr: p.stderr, reported: map[string]bool{}}
	if *cases == "" {
		return c.one(ctx, in, p)
	}
	return c.lines(ctx, in, p.stdout)
}

// cacheVariable is plugins.cache_directory in the environment.
const cacheVariable = envPrefix + "PLUGINS__CACHE_DIRECTORY"

// userCache returns the default folder for compiled adapters: the switch's folder if the environment names one, else a folder of the user's,
// because there may be no database.
func (p *program) userCache() string {
	value := func(name string) string {
		for _, e := range p.env {
			if v, ok := strings.CutPrefix(e, name+"="); ok {
				return v
			}
		}
		return ""
	}
	switch dir, home := value("XDG_CACHE_HOME"), value("HOME"); {
	case value(cacheVariable) != "":
		return value(cacheVariable)
	case filepath.IsAbs(dir):
		return filepath.Join(dir, "payswitch", "adapters")
	case home != "":
		return filepath.Join(home, ".cache", "payswitch", "adapters")
	}
	return ""
}

// openCallHost loads the adapters of the files, or the built-in ones without files, under a switch's default limits.
func openCallHost(ctx context.Context, files []string, cache string, stderr io.Writer) (*plugins.Host, error) {
	o := hostOptions(defaultConfig())
	o.CacheDir, o.Sandbox.CompileTime = cache, compileTime
	o.Logger = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	if len(files) == 0 {
		host, err := plugins.New(ctx, o)
		if err == nil {
			err = checkAdapters(host.Adapters(), "")
		}
		return host, err
	}
	dir, err := os.MkdirTemp("", "payswitch-call-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for i, file := range files {
		wasm, err := readWASM(file)
		if err != nil {
			return nil, fmt.Errorf("--plugin: %w", err)
		}
		name := fmt.Sprintf("%d-%s.wasm", i, strings.TrimSuffix(filepath.Base(file), ".wasm"))
		if err := os.WriteFile(filepath.Join(dir, name), wasm, 0o600); err != nil {
			return nil, err
		}
	}
	o.BuiltIn = os.DirFS(dir)
	host, err := plugins.New(ctx, o)
	if err != nil {
		return nil, err
	}
	if n := len(host.Adapters()); n != len(files) {
		err = fmt.Errorf("--plugin: %d of %d files hold an adapter that can be loaded and whose name no other file has", n, len(files))
		return nil, errors.Join(err, host.Close(ctx))
	}
	return host, nil
}

// caller answers cases.
type caller struct {
	host     *plugins.Host
	stderr   io.Writer
	reported map[string]bool // the hints that were written already
}

// tell writes each hint for the case's author once: fields without effect, missing credentials, a currency for which the switch would not
// choose this processor. The hints are no errors: the request is right otherwise.
func (c caller) tell(k *callCase, m *sdk.Manifest) {
	var all []string
	if k.Op == "" {
		for _, path := range unread("", k.Input) {
			all = append(all, "input."+path+": a case has no such field, so it has no effect")
		}
	}
	if missing := k.missing(m); len(missing) > 0 {
		all = append(all, "credentials: "+strings.Join(missing, ", ")+" missing: the request to "+m.Name+" names no account")
	}
	if currency := sdk.Currency(inputText(k.Input["currency"])); currency != "" && len(m.Currencies) > 0 && !slices.Contains(m.Currencies, currency) {
		all = append(all, "input.currency: "+m.Name+" does not take "+string(currency)+": the switch would choose another processor")
	}
	c.say(all...)
}

// say writes each text once.
func (c caller) say(all ...string) {
	for _, text := range all {
		if !c.reported[text] {
			c.reported[text] = true
			fmt.Fprintln(c.stderr, text)
		}
	}
}

// A callAnswer is the answer to a case. Exactly one field is set.
type callAnswer struct {
	Request *callRequest `json:"request,omitempty"`
	Outcome *sdk.Outcome `json:"outcome,omitempty"`
	Error   string       `json:"error,omitempty"`

	recordings []*port.Recording // what the adapter did
}

// callRequest is an HTTP request, exact to the byte except for the order and case of its headers.
type callRequest struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"` // lower-case names; lines with the same name are joined
	Body    string            `json:"body"`
}

// newCallRequest adds host to the headers, because some processors' signatures cover it. It leaves out the other headers of the connection.
func newCallRequest(r *plugins.Request) (*callRequest, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, err
	}
	headers := map[string]string{"host": u.Host}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return &callRequest{Method: r.Method, URL: r.URL, Headers: headers, Body: string(r.Body)}, nil
}

// one answers a single case, for a person to read: with each request that the adapter makes, and the outcome as JSON. Secrets and card data stand in
// the requests by name. The outcome alone goes to the standard output, for programs.
func (c caller) one(ctx context.Context, in io.Reader, p *program) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	a, err := c.call(ctx, text)
	if a == nil {
		return err
	}
	out := p.stdout
	if err != nil || a.Outcome != nil {
		out = c.stderr
	}
	for _, rec := range a.recordings {
		if _, err := io.WriteString(out, exchangesText(rec)); err != nil {
			return err
		}
	}
	switch {
	case err != nil:
		return err
	case a.Outcome != nil:
		return p.printJSON(a.Outcome)
	case len(a.recordings) == 0:
		_, err = fmt.Fprintln(out, "the adapter receives the secrets themselves, so its request is not shown: --cases shows it")
	}
	return err
}

// lines answers every line that is not blank with one line. A case that cannot be answered is no error: its line gives the reason.
func (c caller) lines(ctx context.Context, in io.Reader, out io.Writer) error {
	r, w := bufio.NewReader(in), bufio.NewWriter(out)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return errors.Join(err, w.Flush())
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := e.Encode(c.answer(ctx, line)); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), w.Flush())
		}
		if err == io.EOF {
			return w.Flush()
		}
		if r.Buffered() == 0 { // the author of the cases may wait for the answer
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

func (c caller) answer(ctx context.Context, text []byte) *callAnswer {
	a, err := c.call(ctx, text)
	if err != nil {
		return &callAnswer{Error: err.Error()}
	}
	return a
}

// call answers a case. With an error, the answer may hold the recordings alone.
func (c caller) call(ctx context.Context, text []byte) (*callAnswer, error) {
	k, err := readCallCase(text)
	if err != nil {
		return nil, err
	}
	if k.Connector == "" && len(c.host.Adapters()) == 1 {
		k.Connector = c.host.Adapters()[0].Name
	}
	info, ok := c.host.Adapter(k.Connector)
	if !ok {
		return nil, c.noAdapter(k.Connector)
	}
	if err := k.undeclared(info.Manifest); err != nil {
		return nil, err
	}
	c.tell(k, info.Manifest)
	d, err := k.drive(info.Manifest)
	if err == nil {
		d, err = c.prepared(ctx, k, info.Manifest, d)
	}
	if err != nil {
		return nil, err
	}
	r, err := c.rehearse(ctx, k, d)
	switch {
	case err != nil:
		return nil, k.explain(err, info.Manifest)
	case r.Reject != nil:
		err = fmt.Errorf("the adapter rejects the case: %w%s", r.Reject, inCase(r.Reject.Parameter))
		if d.Operation == sdk.OpComplete && d.Request.ConnectorData == nil {
			err = fmt.Errorf("%w; input.connector_data: missing: give the connector_data of the outcome that asked for the customer, if it had any", err)
		}
		return &callAnswer{recordings: r.Recordings}, k.explain(err, info.Manifest)
	case r.Outcome != nil:
		if reply := r.Outcome.Reply; d.Operation == sdk.OpWebhook && reply != nil && reply.Status >= 400 {
			c.say(fmt.Sprintf("the adapter refuses the message with status %d: %s", reply.Status, cmp.Or(r.Outcome.Raw["error"], "it gives no reason in raw.error")))
		}
		if r.Outcome.Status == sdk.StatusUnknown && len(r.Answered) > 1 { // the answers may belong to other requests
			c.say("the outcome is unknown: the answers were read as answers to " + strings.Join(r.Answered, ", then "))
		}
		return &callAnswer{Outcome: r.Outcome, recordings: r.Recordings}, nil
	}
	request, err := newCallRequest(r.Request)
	return &callAnswer{Request: request, recordings: r.Recordings}, err
}

func (c caller) noAdapter(connector string) error {
	var names []string
	for _, a := range c.host.Adapters() {
		names = append(names, a.Connector)
	}
	if connector == "" {
		return fmt.Errorf("connector: missing: give one of %s", strings.Join(names, ", "))
	}
	return fmt.Errorf("connector: no adapter is called %q: choose one of %s", connector, strings.Join(names, ", "))
}

package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"payswitch/sdk"
)

// A Case is one request with its input, or one answer (Response, Expected) with the part of the input that matters.
type Case struct {
	Name string `json:"name"`
	// Op is the operation. A case that names it speaks the SDK's vocabulary: see the package comment.
	Op sdk.Operation `json:"operation,omitempty"`
	// Flow is the operation in the older vocabulary of cases: payment_sync, setup_mandate, mandate_payment … If Op is set, Flow is Op's text.
	Flow string `json:"flow"`
	// Input is sdk.Request in its own JSON. With Flow it has the names of the older vocabulary.
	Input map[string]any `json:"input"`
	// Exchanges are the processor's answers to the earlier requests.
	Exchanges []Response `json:"exchanges,omitempty"`
	Request   *Request   `json:"request,omitempty"`
	Volatile  Volatile   `json:"volatile"`
	// Origin is "derived" if the request was composed from documentation.
	Origin string `json:"origin,omitempty"`

	Kind     string    `json:"kind,omitempty"` // of an answer: success, requires_action, decline, error
	Response *Response `json:"response,omitempty"`
	Expected Expected  `json:"expected"`
	Message  *Message  `json:"message,omitempty"` // of a webhook

	want map[string]any // the expected outcome in the SDK's vocabulary
	file string         // where it stands
	line int
}

// plainCase is a Case without its method of decoding.
type plainCase Case

// UnmarshalJSON implements json.Unmarshaler. It refuses a case that names an operation and breaks the schema.
func (c *Case) UnmarshalJSON(text []byte) error {
	if err := loose(text, (*plainCase)(c)); err != nil {
		return plainError(err)
	}
	if err := c.settle(text); err != nil {
		return fmt.Errorf("case %s: %w", c.Name, err)
	}
	return nil
}

// Request is an HTTP request as the processor receives it.
type Request struct {
	Method   string            `json:"method"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"` // lower-case names
	BodyKind string            `json:"body_kind"`
	Body     any               `json:"body,omitempty"`
	Raw      string            `json:"raw,omitempty"`
}

// Volatile lists fields that differ from run to run.
type Volatile struct {
	Clock  []string `json:"clock,omitempty"`
	Random []string `json:"random,omitempty"`
}

// Response is an answer of the processor. A Body that is a string is sent unchanged, everything else as JSON.
type Response struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    any               `json:"body,omitempty"`
}

// Expected is the meaning of an answer.
type Expected struct {
	Status               string         `json:"status"`
	TransactionID        string         `json:"connector_transaction_id"`
	RefundID             string         `json:"connector_refund_id"`
	NetworkTransactionID string         `json:"network_transaction_id"`
	CustomerID           string         `json:"connector_customer_id"`
	CapturedAmount       *int64         `json:"captured_amount"`
	Mandate              map[string]any `json:"mandate"`
	Redirect             *Redirect      `json:"redirect"`
	Error                *Error         `json:"error"`
	AccessToken          string         `json:"access_token"`
	ExpiresIn            int64          `json:"expires_in"`
	PaymentMethodToken   string         `json:"payment_method_token"`
	// Authentication is the whole outcome of an authenticator in its own JSON. Status is the outcome's status then.
	Authentication map[string]any `json:"authentication"`
}

// Redirect is the target of the customer's browser.
type Redirect struct {
	Method string            `json:"method"`
	URL    string            `json:"url"`
	Form   map[string]string `json:"form"`
}

// Error is the processor's statement about a failure.
type Error struct {
	Code          string `json:"code"`
	Message       string `json:"message"`
	NetworkCode   string `json:"network_decline_code"`
	AdviceCode    string `json:"network_advice_code"`
	DeclineCode   string `json:"decline_code"`
	DeclineReason string `json:"decline_reason"`
	TransactionID string `json:"connector_transaction_id"`
}

// StatusTable holds the meanings of the values of one field of an answer.
type StatusTable struct {
	Op      sdk.Operation     `json:"operation,omitempty"`
	Flow    string            `json:"flow"`
	Capture string            `json:"capture,omitempty"`
	Field   string            `json:"field"`
	Map     map[string]string `json:"map"`

	file string // where it stands
	line int
}

// Requests is the file of requests.
type Requests struct {
	BaseURL     string      `json:"base_url"`
	Credentials Credentials `json:"credentials"`
	Clock       time.Time   `json:"clock"`
	Cases       []Case      `json:"cases"`
	// Skip and Allow are exceptions, each with its reason, as Options has them. Those of the file hold for plugin check too.
	Skip  map[string]string `json:"skip,omitempty"`
	Allow map[string]string `json:"allow,omitempty"`
}

// Credentials are the settings of the account, secret or not: an object of names and values. The old form has the values in values.
type Credentials struct {
	Fields []CredentialField
	Values map[string]string

	old bool // the old form
}

// CredentialField describes a setting in the old form.
type CredentialField struct {
	Name   string `json:"name"`
	Secret bool   `json:"secret"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Credentials) UnmarshalJSON(text []byte) error {
	var old struct {
		Fields []CredentialField `json:"fields"`
		Values map[string]string `json:"values"`
	}
	if err := json.Unmarshal(text, &old); err == nil && old.Values != nil {
		c.Fields, c.Values, c.old = old.Fields, old.Values, true
		return nil
	}
	if json.Unmarshal(text, &c.Values) != nil {
		return errors.New("credentials: must be an object of texts")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		c.Fields = append(c.Fields, CredentialField{Name: name})
	}
	return nil
}

// Responses is the file of answers.
type Responses struct {
	Samples      []Case        `json:"samples"`
	StatusTables []StatusTable `json:"status_tables"`
	Declines     struct {
		Field string            `json:"field"`
		Codes map[string]string `json:"codes"`

		file string // where they stand
		line int
	} `json:"declines"`
	Webhooks struct {
		Header string         `json:"header"`
		Sample *WebhookSample `json:"sample"`
	} `json:"webhooks"`
}

// WebhookSample is a correctly signed message.
type WebhookSample struct {
	Secret   string            `json:"secret"`
	URL      string            `json:"url,omitempty"`
	Headers  map[string]string `json:"headers"`
	Body     any               `json:"body"`
	Expected Expected          `json:"expected"`

	file string // where it stands
	line int
}

// Load reads the two files of a connector. The file of answers may be missing: then it is nil.
func Load(fsys fs.FS, name string) (*Requests, *Responses, error) {
	requests := new(Requests)
	if err := load(fsys, name+".json", requests); err != nil {
		return nil, nil, err
	}
	responses := new(Responses)
	err := load(fsys, name+".responses.json", responses)
	if errors.Is(err, fs.ErrNotExist) {
		return requests, nil, nil
	}
	return requests, responses, err
}

func load(fsys fs.FS, file string, into interface {
	locate(file string, text []byte)
	settle() error
}) error {
	text, err := fs.ReadFile(fsys, file)
	if err != nil {
		return fmt.Errorf("wire: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		if at := new(time.ParseError); errors.As(err, &at) {
			err = fmt.Errorf("clock: %q is not a time such as 2026-01-15T10:20:30Z", strings.Trim(at.Value, `"`))
		}
		return fmt.Errorf("wire: read %s: %w", file, err)
	}
	into.locate(file, text)
	if err := into.settle(); err != nil {
		return fmt.Errorf("wire: read %s: %w", file, err)
	}
	return nil
}

// settle refuses requests that could seem to prove more than they do.
func (f *Requests) settle() error {
	for _, key := range slices.Sorted(maps.Keys(f.Allow)) {
		path, wild := strings.CutSuffix(key, "*")
		_, name, field := strings.Cut(path, ".")
		if wild && !strings.Contains(key, " ") && !(field && name != "") {
			return fmt.Errorf("allow: %q holds for every difference: name one case, a space, and the path before the *", key)
		}
	}
	if err := f.controls(); err != nil {
		return err
	}
	return settleAll("cases", f.Cases)
}

// settleAll checks the cases of a list.
func settleAll(list string, cases []Case) error {
	for i := range cases {
		if err := cases[i].slips(); err != nil {
			return err
		}
	}
	return unique(list, cases)
}

// unique returns an error if two cases of a list have the same name: exceptions and reports name cases.
func unique(list string, cases []Case) error {
	seen := map[string]bool{}
	for i := range cases {
		if name := cases[i].Name; seen[name] {
			return fmt.Errorf("%s[%d].name: %q is used twice: choose another name", list, i, name)
		}
		seen[cases[i].Name] = true
	}
	return nil
}

// own reports whether the answers speak the SDK's vocabulary.
func (f *Responses) own() bool {
	return slices.ContainsFunc(f.Samples, func(c Case) bool { return c.own() })
}

// settle checks names, tables and decline codes.
func (f *Responses) settle() error {
	if err := settleAll("samples", f.Samples); err != nil {
		return err
	}
	for i := range f.StatusTables {
		t := &f.StatusTables[i]
		if t.Op == "" {
			continue
		}
		t.Flow = string(t.Op)
		for _, value := range slices.Sorted(maps.Keys(t.Map)) {
			if err := knownStatus(sdk.OutcomeStatus(t.Map[value]), t.Op); err != nil {
				return fmt.Errorf("%s: %w", where(t.file, t.line, "status", value), err)
			}
		}
	}
	if !f.own() {
		return nil
	}
	for _, code := range slices.Sorted(maps.Keys(f.Declines.Codes)) {
		if err := knownReason(sdk.DeclineReason(f.Declines.Codes[code])); err != nil {
			return fmt.Errorf("declines.codes.%s: %w", code, err)
		}
	}
	return nil
}

// bytes returns the body as the processor sends it.
func (r *Response) bytes() []byte {
	switch b := r.Body.(type) {
	case nil:
		return nil
	case string:
		return []byte(b)
	}
	b := &bytes.Buffer{}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r.Body); err != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

// clone copies the parts of a case that a hook or a table may change.
func (c *Case) clone() *Case {
	n := *c
	n.Input = maps.Clone(c.Input)
	if n.Input == nil {
		n.Input = map[string]any{}
	}
	if c.Response != nil {
		r := *c.Response
		r.Headers = maps.Clone(r.Headers)
		r.Body = deepCopy(r.Body)
		n.Response = &r
	}
	return &n
}

func deepCopy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, x := range v {
			m[k] = deepCopy(x)
		}
		return m
	case []any:
		a := make([]any, len(v))
		for i, x := range v {
			a[i] = deepCopy(x)
		}
		return a
	}
	return v
}

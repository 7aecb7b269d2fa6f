package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"payswitch/sdk"
)

// own reports whether the case speaks the SDK's vocabulary: it names its operation, its input is an sdk.Request, its expectation an sdk.Outcome.
func (c *Case) own() bool { return c.Op != "" }

// ownCase is a Case with the fields of the SDK's vocabulary.
type ownCase struct {
	Name      string          `json:"name"`
	Op        sdk.Operation   `json:"operation"`
	Input     json.RawMessage `json:"input"`
	Exchanges []Response      `json:"exchanges"`
	Request   *Request        `json:"request"`
	Volatile  Volatile        `json:"volatile"`
	Origin    string          `json:"origin"`
	Message   *Message        `json:"message"`
	Response  *Response       `json:"response"`
	Expected  json.RawMessage `json:"expected"`
}

// A Message is a webhook message of a case.
type Message struct {
	Method  string            `json:"method,omitempty"` // "" means POST
	URL     string            `json:"url,omitempty"`    // the webhook URL that the processor was given, with its query
	Headers map[string]string `json:"headers,omitempty"`
	Body    any               `json:"body,omitempty"` // a text is sent unchanged, everything else as JSON
}

// purchase is the input of a case: sdk.Request in its own JSON, with a shorter form of amount and card.
type purchase struct {
	sdk.Request
	Amount   json.RawMessage `json:"amount,omitempty"` // minor units of Currency, or sdk.Money
	Currency sdk.Currency    `json:"currency,omitempty"`
	Card     *sdk.Card       `json:"card,omitempty"`
	Final    *bool           `json:"final_capture,omitempty"`
}

// settle checks a case that speaks the SDK's vocabulary, and prepares it. The error names the field and the remedy.
func (c *Case) settle(text json.RawMessage) error {
	var given struct {
		Op     *sdk.Operation  `json:"operation"`
		Flow   *string         `json:"flow"`
		Expect json.RawMessage `json:"expected"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	if given.Op == nil {
		return nil
	}
	switch {
	case given.Flow != nil:
		return errors.New("flow: the case names its operation already: leave flow out")
	case !slices.Contains(sdk.Operations(), c.Op):
		return fmt.Errorf("operation: %q is not an operation: choose one of %s", c.Op, names(sdk.Operations()))
	}
	c.Flow = string(c.Op)
	if err := strict(text, new(ownCase)); err != nil {
		return err
	}
	if _, err := c.ownRequest(time.Unix(0, 0)); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	if c.Op == sdk.OpWebhook && c.Message == nil && c.Request == nil {
		return errors.New("message: missing: a case of webhook holds the message, with headers and body")
	}
	if given.Expect == nil {
		return nil
	}
	var outcome sdk.Outcome
	if err := strict(given.Expect, &outcome); err != nil {
		return fmt.Errorf("expected: %w", err)
	}
	if outcome.Status == "" {
		return errors.New("expected.status: missing: without it the sample proves nothing. Choose one of " + names(c.Op.Outcomes()) + ", unknown")
	}
	if err := knownStatus(outcome.Status, c.Op); err != nil {
		return fmt.Errorf("expected.status: %w", err)
	}
	if d := outcome.Decline; d != nil && d.Reason != "" {
		if err := knownReason(d.Reason); err != nil {
			return fmt.Errorf("expected.decline.reason: %w", err)
		}
	}
	if t := outcome.Token; t != nil && t.ExpiresIn != 0 && t.Impossible() != "" {
		return errors.New("expected.token." + t.Impossible())
	}
	return loose(given.Expect, &c.want)
}

// knownStatus returns an error if an operation cannot end with a status. For an old word the error names the SDK's.
func knownStatus(s sdk.OutcomeStatus, op sdk.Operation) error {
	if s == "" || op.EndsWith(s) {
		return nil
	}
	choice := "choose one of " + names(op.Outcomes()) + ", unknown"
	if old := statuses[string(s)]; len(old) > 0 && op.EndsWith(old[0]) {
		choice = "the SDK's word for it is " + string(old[0])
	}
	return fmt.Errorf("%q is not a result of %s: %s", s, op, choice)
}

// knownReason returns an error for a word that is not a decline reason. For an old word the error names the SDK's.
func knownReason(r sdk.DeclineReason) error {
	if _, ok := r.Facts(); ok {
		return nil
	}
	choice := "sdk.DeclineReason lists them"
	if old := reasons[string(r)]; len(old) > 0 {
		choice = "the SDK's word for it is " + string(old[0])
	}
	return fmt.Errorf("%q is not a decline reason: %s", r, choice)
}

func names[T ~string](all []T) string {
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = string(all[i])
	}
	return strings.Join(texts, ", ")
}

// strict decodes JSON and refuses names that the type does not have.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err != nil {
		if _, quoted, ok := strings.Cut(err.Error(), "unknown field "); ok {
			return misplaced(text, into, strings.Trim(quoted, `"`))
		}
	}
	return plainError(err)
}

// loose decodes JSON with exact numbers.
func loose(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// plainError replaces Go's error for a mistake in JSON by one that names the field.
func plainError(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: must be %s, not a JSON %s", kind.Field, kindText(kind.Type.Kind().String()), kind.Value)
	}
	if _, name, ok := strings.Cut(err.Error(), "unknown field "); ok {
		return fmt.Errorf("%s is not a field here: cases.schema.json lists the fields", name)
	}
	return err
}

func kindText(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case kind == "bool":
		return "true or false"
	case kind == "string":
		return "a text"
	case kind == "slice":
		return "a list"
	}
	return "an object"
}

// ownRequest makes the request of a case in the SDK's vocabulary. It fills in what the case leaves out and the host always knows: the rest of
// the card, the state of the payment, the capture method.
func (c *Case) ownRequest(now time.Time) (sdk.Request, error) {
	p := purchase{}
	given, err := json.Marshal(c.Input)
	if err != nil {
		return p.Request, err
	}
	if err := strict(given, &p); err != nil {
		return p.Request, err
	}
	r := &p.Request
	switch {
	case len(p.Amount) > 0 && p.Amount[0] == '{':
		err = strict(p.Amount, &r.Amount)
	case len(p.Amount) > 0:
		err = json.Unmarshal(p.Amount, &r.Amount.Minor)
	}
	if err != nil {
		return *r, errors.New("amount: must be a whole number of minor units, or an object of minor and currency")
	}
	if p.Currency != "" {
		r.Amount.Currency = p.Currency
	}
	if _, known := r.Amount.Currency.Exponent(); !known && r.Amount.Currency != "" {
		return *r, fmt.Errorf("currency: %q is not an ISO 4217 code", r.Amount.Currency)
	}
	if p.Card != nil {
		if r.Instrument != nil && r.Instrument.Card != nil {
			return *r, errors.New("card: instrument holds a card already")
		}
		if r.Instrument == nil {
			r.Instrument = &sdk.Instrument{}
		}
		r.Instrument.Card = p.Card
	}
	if r.Instrument != nil && r.Instrument.Card != nil {
		fillCard(r.Instrument.Card)
	}
	r.PaymentID, r.AttemptID = or(r.PaymentID, "pay_wire"), or(r.AttemptID, "pay_wire_1")
	switch c.Op {
	case sdk.OpAuthorize, sdk.OpVerify:
		r.Capture = or(r.Capture, sdk.CaptureAutomatic)
		return *r, nil
	case sdk.OpWebhook, sdk.OpAccessToken:
		return *r, nil
	}
	if slices.Contains(authentications, c.Op) {
		if r.Authentication == nil {
			r.Authentication = &sdk.AuthenticationRequest{}
		}
		r.Authentication.AuthenticationID = or(r.Authentication.AuthenticationID, "auth_wire")
		return *r, nil
	}
	if c.Op == sdk.OpComplete {
		r.Capture = or(r.Capture, sdk.CaptureAutomatic)
	}
	if d := r.Dispute; d != nil {
		d.Status, d.Amount = or(d.Status, sdk.DisputeOpened), or(d.Amount, r.Amount)
		if f := d.File; f != nil && f.Body == nil {
			f.Body = []byte("%PDF-1.4 a file of evidence") // a case has no place for the bytes of a file
		}
	}
	r.FinalCapture = c.Op == sdk.OpCapture && (p.Final == nil || *p.Final)
	if r.Payment == nil {
		r.Payment = paymentOf(c.Op, r, now)
	}
	return *r, nil
}

func or[T comparable](v, otherwise T) T {
	if v == *new(T) {
		return otherwise
	}
	return v
}

// fillCard sets the facts of a card that follow from its number.
func fillCard(k *sdk.Card) {
	if len(k.Number) < 12 {
		return
	}
	k.BIN, k.LastFour = or(k.BIN, k.Number[:6]), or(k.LastFour, k.Number[len(k.Number)-4:])
	k.Length = or(k.Length, len(k.Number))
	k.Network = or(k.Network, k.Scheme())
}

// paymentOf returns the state of the payment as it usually is before an operation of its amount.
func paymentOf(op sdk.Operation, r *sdk.Request, now time.Time) *sdk.PaymentState {
	total := r.Amount.Minor
	p := &sdk.PaymentState{Currency: or(r.Amount.Currency, "USD"), Requested: total, Authorized: total, Capture: sdk.CaptureManual,
		CreatedAt: now.UnixMilli() - 60_000, BIN: "411111", LastFour: "1111"}
	if r.Instrument != nil && r.Instrument.Card != nil {
		p.BIN, p.LastFour = r.Instrument.Card.BIN, r.Instrument.Card.LastFour
	}
	switch op {
	case sdk.OpUnreferencedRefund: // nothing was held or taken
		p.Authorized, p.Requested = 0, 0
	case sdk.OpRefund, sdk.OpRefundSync, sdk.OpAcceptDispute, sdk.OpAttachEvidence, sdk.OpSubmitEvidence, sdk.OpDisputeSync:
		p.Captured = total // Refunded is that of other refunds
	case sdk.OpSync, sdk.OpComplete:
		p.Authorized = 0
		p.Capture = or(r.Capture, sdk.CaptureAutomatic)
		if op == sdk.OpSync {
			r.Capture = ""
		}
	}
	return p
}

// ownStep sets the request of a case in the SDK's vocabulary.
func (c *Case) ownStep(s *sdk.Step, now time.Time) {
	r, err := c.ownRequest(now)
	if err != nil {
		panic("wire: " + c.Where() + ": " + err.Error()) // Load has refused such a case
	}
	if s.Request = r; c.Message != nil {
		s.Request.Webhook, s.Request.WebhookURL = c.Message.webhook()
	}
}

// webhook returns the message as the host hands it to an adapter, and the URL that the processor called.
func (m *Message) webhook() (*sdk.WebhookMessage, string) {
	w := &sdk.WebhookMessage{Method: or(m.Method, "POST"), Headers: headers(m.Headers), Body: (&Response{Body: m.Body}).bytes()}
	url, query, _ := strings.Cut(m.URL, "?")
	w.Query, _ = sdk.ParseForm(query)
	return w, url
}

// wrongOutcome compares the outcome with the expectation of a sample. Everything that the expectation names must be so.
func wrongOutcome(want map[string]any, o *sdk.Outcome) (all []difference) {
	text, err := json.Marshal(o)
	got := map[string]any{}
	if err == nil {
		err = loose(text, &got)
	}
	if err != nil {
		return []difference{{"outcome", "", err.Error()}}
	}
	differ("", want, got, func(path string, want, got any) {
		d := difference{path, plainText(want), plainText(got)}
		if path == "status" {
			d.got += rawText(o)
		}
		all = append(all, d)
	})
	return all
}

// differ reports every place at which got lacks something of want. A list must have the same length.
func differ(path string, want, got any, report func(path string, want, got any)) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			report(path, want, got)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(w)) {
			differ(strings.TrimPrefix(path+"."+name, "."), w[name], g[name], report)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			report(path, want, got)
			return
		}
		for i := range w {
			differ(fmt.Sprintf("%s[%d]", path, i), w[i], g[i], report)
		}
	default:
		if plainText(want) != plainText(got) && !empty(want, got) {
			report(path, want, got)
		}
	}
}

// empty reports whether an expected zero value is missing in the outcome, whose JSON leaves it out.
func empty(want, got any) bool {
	return got == nil && (want == nil || want == "" || want == false || want == json.Number("0"))
}

func plainText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return compact(v)
}

// checkMessage gives the adapter the message of a case unchanged, with one letter changed and, if the manifest has a tolerance, a day later.
func (r *runner) checkMessage(c *Case) {
	tell := func(forge bool, later time.Duration) (*sdk.Outcome, string) {
		s := c.Step(sdk.OpWebhook, r.account, r.requests.Clock.Add(later))
		if r.options.Input != nil {
			r.options.Input(c, s)
		}
		if forge {
			s.Request.Webhook.Body = slices.Clone(s.Request.Webhook.Body)
			forgery(s.Request.Webhook.Body)
		}
		_, result, err := play(r.take, s)
		if err != nil {
			return nil, err.Error()
		}
		return result.Outcome, ending(&result)
	}
	r.run([]string{"webhook/" + c.Name}, "webhook", func() []string {
		o, end := tell(false, 0)
		if o == nil {
			return []string{end}
		}
		return r.texts("webhook/"+c.Name, wrongOutcome(c.want, o))
	})
	o, _ := tell(false, 0)
	if !statesEvent(o) {
		return
	}
	r.run([]string{"forged/" + c.Name, "webhook/" + c.Name}, "webhook", func() []string {
		if o, _ := tell(true, 0); statesEvent(o) {
			return []string{"the adapter believes a changed message"}
		}
		return nil
	})
	if w := r.manifest.Webhook; w != nil && w.ToleranceSeconds > 0 {
		r.run([]string{"old/" + c.Name, "webhook/" + c.Name}, "webhook", func() []string {
			if o, _ := tell(false, 24*time.Hour); statesEvent(o) {
				return []string{"the adapter believes a message of yesterday"}
			}
			return nil
		})
	}
}

// texts returns the differences that Options.Allow does not name.
func (r *runner) texts(subject string, all []difference) (wrong []string) {
	for _, d := range all {
		if !r.allow.allows([]string{subject}, d.path) {
			wrong = append(wrong, d.String())
		}
	}
	return wrong
}

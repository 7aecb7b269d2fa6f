package dashboard

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/staff"
	"payswitch/engine/timeline"
	"payswitch/sdk"
)

// moneyMoves is what the sheets of a payment need of the engine.
type moneyMoves interface {
	CapturePayment(ctx context.Context, auth account.Auth, id string, in *request.CaptureInput) (*change.View, error)
	CancelPayment(ctx context.Context, auth account.Auth, id, reason string) (*change.View, error)
	CancelCaptured(ctx context.Context, auth account.Auth, id, reason string) (*change.View, error)
	CreateRefund(ctx context.Context, auth account.Auth, in *request.RefundInput) (*payment.Refund, error)
	IncrementAuthorization(ctx context.Context, auth account.Auth, id string, in request.IncrementInput) (*change.View, error)
	ExtendAuthorization(ctx context.Context, auth account.Auth, id string) (*change.View, error)
	BeginIdempotent(ctx context.Context, a *account.Auth, key string, requestHash []byte) (
		stored *idempotency.Answer, finish func(ctx context.Context, answer idempotency.Answer) error, abandon func(ctx context.Context), err error)
}

// sheetPage asks a person before an action: it has a sentence about the effect, the fields, and the same action as a command. Without a script it is
// a page of its own.
type sheetPage struct {
	Heading, Action, Back string
	Words                 []string // the consequences
	Fields                []Field
	Button                string
	Danger                bool
	Curl                  string
	Problem               string
	Refused               bool // nothing can be done now: Problem says why
}

func (*sheetPage) file() string    { return "sheet" }
func (p *sheetPage) Title() string { return p.Heading }

// sheet is one action on a payment.
type sheet struct {
	name  string // of the action, in addresses
	whole bool   // it has no amount of its own
	total bool   // its amount is the new total of the held money
	may   func(a *timeline.Actions) timeline.Action
	page  func(p *sheetPage, m Money, a timeline.Action, v *change.View, at string) // at is the name of the processor
	do    func(s *Server, c *call, ctx context.Context, auth account.Auth, v *change.View, minor int64, most *int64) error
}

// sheets are the actions that move money.
var sheets = map[string]sheet{
	"capture": {name: "capture", may: func(a *timeline.Actions) timeline.Action { return a.Capture }, page: func(p *sheetPage, m Money, _ timeline.Action, v *change.View, at string) {
		p.Heading, p.Button = "Capture "+m.String(), "Capture"
		p.Words = []string{at + " takes the captured amount from the customer's card."}
		if v.Payment.Details.CaptureMethod != payment.CaptureManualMultiple {
			p.Words = append(p.Words, "If you capture less, the rest is released to the customer and cannot be captured later.")
		}
	}, do: func(s *Server, c *call, ctx context.Context, auth account.Auth, v *change.View, minor int64, most *int64) error {
		_, err := s.Engine.CapturePayment(ctx, auth, v.Payment.ID, &request.CaptureInput{Amount: &minor, Most: most})
		return err
	}},
	"refund": {name: "refund", may: func(a *timeline.Actions) timeline.Action { return a.Refund }, page: func(p *sheetPage, m Money, _ timeline.Action, _ *change.View, at string) {
		p.Heading, p.Button = "Refund up to "+m.String(), "Refund"
		p.Words = []string{at + " gives the amount back to the customer's card. Banks take up to ten days to show it.", "A refund cannot be taken back."}
		p.Fields = append(p.Fields, Field{Name: "reason", Label: "Reason (kept with the refund)", Kind: "text", Max: 255, Autocomplete: "off"})
	}, do: func(s *Server, c *call, ctx context.Context, auth account.Auth, v *change.View, minor int64, most *int64) error {
		_, err := s.Engine.CreateRefund(ctx, auth, &request.RefundInput{PaymentID: v.Payment.ID, Amount: &minor, Reason: strings.TrimSpace(c.PostForm.Get("reason")), Most: most})
		return err
	}},
	"void": {name: "void", whole: true, may: func(a *timeline.Actions) timeline.Action { return a.Void }, page: func(p *sheetPage, m Money, _ timeline.Action, _ *change.View, at string) {
		p.Heading, p.Button, p.Danger = "Void "+m.String(), "Void", true
		p.Words = []string{at + " takes the whole capture back before it settles: the customer pays nothing, and you receive nothing.",
			"A void cannot be taken back. If the payment has settled, " + at + " refuses the void and the payment stays as it is: refund it then."}
		p.Fields = append(p.Fields, Field{Name: "reason", Label: "Reason (kept with the payment)", Kind: "text", Max: 255, Autocomplete: "off"})
	}, do: func(s *Server, c *call, ctx context.Context, auth account.Auth, v *change.View, _ int64, _ *int64) error {
		_, err := s.Engine.CancelCaptured(ctx, auth, v.Payment.ID, strings.TrimSpace(c.PostForm.Get("reason")))
		return err
	}},
	"raise": {name: "raise", total: true, may: func(a *timeline.Actions) timeline.Action { return a.Raise }, page: func(p *sheetPage, _ Money, _ timeline.Action, _ *change.View, at string) {
		p.Heading, p.Button = "Raise the held amount", "Raise"
		p.Words = []string{at + " asks the card's bank to hold more. A refusal changes nothing: what is held stays held.", "No money moves before you capture it."}
		p.Fields = append(p.Fields, Field{Name: "reason", Label: "Reason (for the processor)", Kind: "text", Max: 255, Autocomplete: "off"})
	}, do: func(s *Server, c *call, ctx context.Context, auth account.Auth, v *change.View, minor int64, _ *int64) error {
		_, err := s.Engine.IncrementAuthorization(ctx, auth, v.Payment.ID, request.IncrementInput{Amount: minor, Reason: strings.TrimSpace(c.PostForm.Get("reason"))})
		return err
	}},
	"extend": {name: "extend", whole: true, may: func(a *timeline.Actions) timeline.Action { return a.Extend }, page: func(p *sheetPage, _ Money, _ timeline.Action, _ *change.View, at string) {
		p.Heading, p.Button = "Hold the money for longer", "Hold for longer"
		p.Words = []string{at + " is asked to hold the same amount for longer. Some processors answer later: until then you cannot capture the payment."}
	}, do: func(s *Server, _ *call, ctx context.Context, auth account.Auth, v *change.View, _ int64, _ *int64) error {
		_, err := s.Engine.ExtendAuthorization(ctx, auth, v.Payment.ID)
		return err
	}},
	"cancel": {name: "cancel", whole: true, may: func(a *timeline.Actions) timeline.Action { return a.Cancel }, page: func(p *sheetPage, m Money, a timeline.Action, _ *change.View, at string) {
		p.Heading, p.Button, p.Danger = "Cancel this payment", "Cancel the payment", true
		p.Words = []string{"The payment ends. The customer pays nothing and can no longer finish it."}
		if a.Most > 0 {
			p.Heading, p.Button = "Release "+m.String(), "Release"
			p.Words = []string{at + " releases the held money to the customer. It cannot be captured afterwards."}
		}
		p.Fields = append(p.Fields, Field{Name: "reason", Label: "Reason (kept with the payment)", Kind: "text", Max: 255, Autocomplete: "off"})
	}, do: func(s *Server, c *call, ctx context.Context, auth account.Auth, v *change.View, _ int64, _ *int64) error {
		_, err := s.Engine.CancelPayment(ctx, auth, v.Payment.ID, strings.TrimSpace(c.PostForm.Get("reason")))
		return err
	}},
}

// sheet returns the handlers that show an action and perform it.
func (s *Server) sheet(name string) (ask, do handler) {
	kind := sheets[name]
	ask = func(c *call) (response, error) {
		ctx, end := c.reading()
		defer end()
		v, allowed, err := s.subject(ctx, c)
		if err != nil {
			return nil, err
		}
		a := kind.may(allowed)
		p := s.sheetOf(c, kind, v, a, rand.Text(), Money{c.offered(kind, v, a), v.Payment.Currency}.plain())
		if !a.Allowed {
			p.Heading, p.Words, p.Refused, p.Problem = p.Button, nil, true, a.Why
			if p.Problem == "" {
				p.Problem = "The payment's status, " + words(string(v.Payment.Status)) + ", does not allow it."
			}
		}
		return show(p), nil
	}
	return ask, func(c *call) (response, error) { return s.perform(c, kind) }
}

// subject reads the payment of a sheet, and refuses a person who may not move its money.
func (s *Server) subject(ctx context.Context, c *call) (*change.View, *timeline.Actions, error) {
	id := c.PathValue("id")
	v, err := s.Engine.RetrievePayment(ctx, c.auth(), id, request.RetrieveInput{})
	if err != nil {
		return nil, nil, err
	}
	if !c.Session.MayOn(staff.MoveMoney, c.Merchant.ID, isLive(v)) {
		return nil, nil, &denied{staff.MoveMoney}
	}
	allowed, err := s.Engine.Allowed(ctx, c.auth(), id)
	if err != nil {
		return nil, nil, err
	}
	allowed.Refund.Why = refundWhy(v.Payment, allowed.Refund)
	return v, allowed, nil
}

// refundWhy says why a payment allows no refund. If nothing is left to refund, it has words of its own: the engine's are about the amount 0, which no
// person has typed.
func refundWhy(p *payment.Payment, a timeline.Action) string {
	switch {
	case a.Allowed || !p.Status.Facts().Refund || p.Refundable() > 0:
		return a.Why
	case p.Disputed() > 0:
		return "What is left of the payment is disputed."
	}
	return "Nothing of the payment is left to give back."
}

// offered returns the amount that a new form begins with: all that is left, or as much of it as the person's role allows. A new total begins with the
// old one.
func (c *call) offered(kind sheet, v *change.View, a timeline.Action) int64 {
	if kind.total {
		return v.Payment.NetAmount
	}
	most, limited := c.Session.Limit(c.Merchant.ID, v.Payment.Currency)
	if left := most - movedBefore(v, kind); limited && a.Partial && left > 0 {
		return min(a.Most, left)
	}
	return a.Most
}

func isLive(v *change.View) bool { return v.Attempt.Details.Environment == "live" }

// sheetOf makes the page of an action.
func (s *Server) sheetOf(c *call, kind sheet, v *change.View, a timeline.Action, key, amount string) *sheetPage {
	m, at := Money{a.Most, v.Payment.Currency}, s.connectorName(v.Attempt.Connector)
	here := c.at() + "/payments/" + v.Payment.ID
	p := &sheetPage{Action: here + "/" + kind.name, Back: here}
	if !kind.whole {
		f := Field{Name: "amount", Label: "Amount in " + string(m.Currency), Kind: "text", Value: amount, Required: true, Autocomplete: "off", Max: 20,
			Hint: "At most " + m.String() + "."}
		if kind.total {
			f.Label, f.Hint = "New total in "+string(m.Currency), "More than the "+Money{v.Payment.NetAmount, m.Currency}.String()+" that are held now."
		} else if a.Allowed && !a.Partial {
			f.Hint = at + " offers the whole amount alone: " + m.String() + "."
		}
		if most, limited := c.Session.Limit(c.Merchant.ID, m.Currency); limited && a.Allowed && most < m.Minor+v.Payment.Refunded {
			f.Hint += " Your role moves at most " + Money{most, m.Currency}.String() + " of a payment."
		}
		p.Fields = append(p.Fields, f)
	}
	kind.page(p, m, a, v, at)
	p.Fields = append(p.Fields, Field{Name: "key", Kind: "hidden", Value: key})
	most := a.Most
	if kind.total {
		most = v.Payment.NetAmount
	}
	p.Curl = s.curl(kind.name, v.Payment.ID, most)
	return p
}

// curl is the same action as a command.
func (s *Server) curl(name, id string, minor int64) string {
	path, body := "/payments/"+id+"/"+name, `{}`
	switch name {
	case "capture":
		body = `{"amount_to_capture": ` + sdk.Decimal(minor, 0) + `}`
	case "void":
		path = "/payments/" + id + "/cancel_post_capture"
	case "raise":
		path, body = "/payments/"+id+"/incremental_authorization", `{"amount": `+sdk.Decimal(minor, 0)+`}`
	case "extend":
		path = "/payments/" + id + "/extend_authorization"
	case "refund":
		path, body = "/refunds", `{"payment_id": "`+id+`", "amount": `+sdk.Decimal(minor, 0)+`}`
	}
	return "curl -X POST " + s.opts.APIURL + path + " \\\n  -H 'Content-Type: application/json' -H 'api-key: YOUR_KEY' \\\n  -d '" + body + "'"
}

// cardInText refuses a text that is kept as it was typed.
const cardInText = "This holds a card number. Leave it out: the text is kept where others read it."

// errOverLimit is the error for an amount above the limit of the person's role.
var errOverLimit = errors.New("the amount is above the limit of the role")

// overLimit says why an amount is refused.
func overLimit(v *change.View, kind sheet) string {
	did := map[string]string{"refund": "that this payment gave back before", "capture": "that were captured before"}[kind.name]
	if before := movedBefore(v, kind); before > 0 {
		return "Together with the " + Money{before, v.Payment.Currency}.String() + " " + did + ", the amount is above the limit of your role. Ask an administrator."
	}
	return "This amount is above the limit of your role. Ask an administrator."
}

// movedBefore returns what earlier actions of the same kind have moved of the payment. An accepted dispute gives money back as a refund does.
func movedBefore(v *change.View, kind sheet) int64 {
	switch kind.name {
	case "refund":
		return v.Payment.Refunded + v.Payment.GivenUp("", "")
	case "capture":
		return v.Attempt.Captured + v.Attempt.Unsettled()
	}
	return 0
}

// bound returns the limit of the person's role, nil without one. The engine holds it against what the payment has moved when it decides. Another
// request may move money after this one has read the payment.
func (c *call) bound(v *change.View) *int64 {
	most, bounded := c.Session.Bound(c.Merchant.ID, v.Payment.Currency, isLive(v), c.server.Now())
	if !bounded {
		return nil
	}
	return &most
}

// withinLimit refuses an amount above the limit of the person's role. All refunds of a payment count together, and so do its captures, so that a person cannot
// move more in small parts. A cancel without held money has no amount.
func (c *call) withinLimit(kind sheet, v *change.View, a timeline.Action, minor int64) error {
	if minor += movedBefore(v, kind); kind.whole {
		minor = a.Most
	}
	if minor == 0 {
		return nil
	}
	switch c.Session.MayMove(c.Merchant.ID, sdk.Money{Minor: minor, Currency: v.Payment.Currency}, isLive(v), c.server.Now()) {
	case staff.Refused:
		return errOverLimit
	case staff.StepUp:
		return &needsStepUp{c.URL.Path}
	}
	return nil
}

// once calls do for the first request with a form's key. A repeat of it, such as a second click, a lost answer or a reload, leads to done as the
// first does. about is what the form asks for: the same key with something else is refused. begun is false if do was not called.
func (c *call) once(done seeOther, about []string, do func(auth account.Auth) error) (begun bool, err error) {
	ctx, auth := c.Context(), c.auth()
	hash := sha256.Sum256([]byte(c.Session.UserID + "\n" + strings.Join(about, "\n")))
	stored, finish, abandon, err := c.server.Engine.BeginIdempotent(ctx, &auth, "dashboard-"+c.PostForm.Get("key"), hash[:])
	if err != nil || stored != nil {
		return false, err
	}
	if err := do(auth); err != nil {
		abandon(context.WithoutCancel(ctx))
		return true, err
	}
	return true, finish(context.WithoutCancel(ctx), idempotency.Answer{Status: http.StatusSeeOther, Body: []byte(done)})
}

// needsStepUp is the error for an action that needs a fresh second factor. The person comes back to the address afterwards.
type needsStepUp struct{ back string }

func (*needsStepUp) Error() string { return "the second factor has to be given again" }

// askProcessor asks the processor what became of a payment. It moves no money, and may be repeated.
func (s *Server) askProcessor(c *call) (response, error) {
	v, err := s.Engine.RetrievePayment(c.Context(), c.auth(), c.PathValue("id"), request.RetrieveInput{ForceSync: true})
	if err != nil {
		return nil, err
	}
	return seeOther(c.at() + "/payments/" + v.Payment.ID + "?did=ask"), nil
}

// askSheet asks the person before payswitch asks the processor.
func (s *Server) askSheet(c *call) (response, error) {
	ctx, end := c.reading()
	defer end()
	v, err := s.Engine.RetrievePayment(ctx, c.auth(), c.PathValue("id"), request.RetrieveInput{})
	if err != nil {
		return nil, err
	}
	here := c.at() + "/payments/" + v.Payment.ID
	return show(&sheetPage{Heading: "Ask the processor now", Action: here + "/ask", Back: here, Button: "Ask",
		Words: []string{"payswitch asks " + v.Attempt.Connector + " what became of the payment, and books the answer.", "No request is sent that could move money."},
		Curl:  "curl '" + s.opts.APIURL + "/payments/" + v.Payment.ID + "?force_sync=true' \\\n  -H 'api-key: YOUR_KEY'"}), nil
}

// resendSheet asks before an event is sent again, and resend sends it.
func (s *Server) resendSheet(c *call) (response, error) {
	id := c.PathValue("event")
	back := c.backTo(c.URL.Query().Get("of"))
	return show(&sheetPage{Heading: "Send the event again", Action: c.at() + "/events/" + id + "/resend", Back: back, Button: "Send again",
		Words:  []string{"The event goes to your endpoint once more, with the same id and the same body. A shop that has booked it already must ignore it."},
		Fields: []Field{{Name: "of", Kind: "hidden", Value: c.URL.Query().Get("of")}},
		Curl:   "curl -X POST " + s.opts.APIURL + "/events/" + c.Merchant.ID + "/" + id + "/retry \\\n  -H 'api-key: YOUR_KEY'"}), nil
}

func (s *Server) resend(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	if s.Events == nil {
		return nil, fault.NotFound("Event")
	}
	id := c.PathValue("event")
	if err := c.perform(Act{Needs: staff.Resend, Action: "event.resend", Target: id}, func(ctx context.Context) error {
		_, err := s.Events.Redeliver(ctx, c.auth(), id, "")
		return err
	}); err != nil {
		return nil, err
	}
	return seeOther(c.backTo(c.PostForm.Get("of")) + "?did=resend"), nil
}

// backTo returns the page of a payment, or the list without an id.
func (c *call) backTo(paymentID string) string {
	if !isID(paymentID) {
		return c.at() + "/payments"
	}
	return c.at() + "/payments/" + paymentID
}

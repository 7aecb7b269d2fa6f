package dashboard

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/request"
	"payswitch/engine/staff"
	"payswitch/engine/timeline"
)

// errLost is what a person reads when nothing is known of the end of an action.
const errLost = "No answer came in time. The outcome is unknown: do not repeat it with a new form. This page shows the result as soon as it is known."

// sentSheet is the form of a sheet that a person has sent, with the payment as it was read last.
type sentSheet struct {
	*call
	kind  sheet
	v     *change.View
	a     timeline.Action
	key   string // the same for each repeat of the form
	text  string // the amount as typed
	minor int64
}

// perform performs the action of a sheet. The form's key makes every repeat of it the same request: a second click, a lost answer and a reload move
// no money twice.
func (s *Server) perform(c *call, kind sheet) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	f := &sentSheet{call: c, kind: kind, key: c.PostForm.Get("key"), text: strings.TrimSpace(c.PostForm.Get("amount"))}
	if err := f.readPayment(); err != nil {
		return nil, err
	}
	if card.HoldsCard(c.PostForm.Get("reason")) {
		return f.refused(http.StatusUnprocessableEntity, "reason", cardInText), nil
	}
	if !kind.whole {
		m, err := amountOf(f.text, f.v.Payment.Currency)
		if err != nil || m.Minor <= 0 {
			return f.refused(http.StatusUnprocessableEntity, "amount", "Write an amount such as "+Money{1050, f.v.Payment.Currency}.plain()+"."), nil
		}
		f.minor = m.Minor
	}
	done := seeOther(c.at() + "/payments/" + f.v.Payment.ID + "?did=" + kind.name)
	begun, err := f.act(done)
	if err != nil {
		return f.notDone(begun, err)
	}
	s.Logger.InfoContext(c.Context(), "a person acted on a payment", "action", kind.name, "payment_id", f.v.Payment.ID, "user_id", c.Session.UserID)
	return done, nil
}

// readPayment reads the payment, and what the person may do with it now.
func (f *sentSheet) readPayment() error {
	v, allowed, err := f.server.subject(f.Context(), f.call)
	if err == nil {
		f.v, f.a = v, f.kind.may(allowed)
	}
	return err
}

// act performs the action once for the form's key. begun is false if an earlier request has the key.
func (f *sentSheet) act(done seeOther) (begun bool, err error) {
	c, kind, v := f.call, f.kind, f.v
	details := map[string]string{}
	if f.minor > 0 {
		details["amount"] = Money{f.minor, v.Payment.Currency}.String()
	}
	return c.once(done, []string{c.URL.Path, f.text, c.PostForm.Get("reason")}, func(auth account.Auth) error {
		if err := c.withinLimit(kind, v, f.a, f.minor); err != nil { // compared here, so that a repeat of the form does not count as a second amount
			return err
		}
		return c.perform(Act{Needs: staff.MoveMoney, Live: isLive(v), Action: "payment." + kind.name, Target: v.Payment.ID, Details: details}, func(ctx context.Context) error {
			return kind.do(c.server, c, ctx, auth, v, f.minor, c.bound(v))
		})
	})
}

// notDone returns the page for an action that has failed, or has no known end. begun is that of act.
func (f *sentSheet) notDone(begun bool, err error) (response, error) {
	if errors.Is(err, request.ErrAboveMost) { // another action on the payment has ended since the page was read
		if err := f.readPayment(); err != nil {
			return nil, err
		}
		if err = f.withinLimit(f.kind, f.v, f.a, f.minor); err == nil {
			err = errOverLimit // the earlier request has failed since: a new form tries again
		}
	}
	var known *fault.Error
	switch {
	case errors.Is(err, errOverLimit):
		f.key = rand.Text() // nothing was done, so that another amount is a new request
		return f.refused(http.StatusForbidden, either(f.minor > 0, "amount", ""), overLimit(f.v, f.kind)), nil
	case errors.As(err, new(*needsStepUp)):
		return nil, err
	case !begun && errors.As(err, &known) && known.Code == "IR_38":
		f.a.Allowed = false // this form keeps the key of the earlier request, whatever the person types into it
		return f.refused(http.StatusConflict, "", "This form was sent before with something else in it, and that may be done. Look at the payment, and open a new form there."), nil
	case !begun && errors.As(err, &known) && known.Code == "HE_00" && known.Kind != fault.KindInternal:
		return f.refused(http.StatusConflict, "", "Your first click on this form has not ended yet. Wait a moment, and look at the payment."), nil
	case !begun:
		return nil, err
	case f.Context().Err() != nil || !errors.As(err, &known) || known.Kind == fault.KindInternal:
		f.server.Logger.ErrorContext(f.Context(), "an action on a payment has no known end", "action", f.kind.name, "payment_id", f.v.Payment.ID, "error", err)
		return f.refused(http.StatusBadGateway, "", errLost), nil
	}
	if known.Kind != fault.KindUnavailable { // the engine has refused it for good
		f.key = rand.Text()
	}
	field, problem := "", known.Message
	if known.Reason != "" {
		problem += " (" + known.Reason + ")"
	}
	if strings.HasPrefix(known.Param, "amount") {
		field = "amount"
		if err := f.readPayment(); err != nil {
			return nil, err
		}
		problem = f.aboutAmount(problem)
	}
	return f.refused(http.StatusUnprocessableEntity, field, problem), nil
}

// aboutAmount says in the payment's currency why the engine has refused the amount. The engine's own words, in problem, count in minor units.
func (f *sentSheet) aboutAmount(problem string) string {
	switch {
	case !f.a.Allowed:
		return either(f.a.Why != "", f.a.Why, problem)
	case f.kind.total && f.minor <= f.v.Payment.NetAmount:
		return "This is not more than the " + Money{f.v.Payment.NetAmount, f.v.Payment.Currency}.String() + " that are held now."
	case f.minor > f.a.Most:
		can := map[string]string{"refund": "given back", "capture": "captured", "raise": "held"}[f.kind.name]
		return "This is more than the " + Money{f.a.Most, f.v.Payment.Currency}.String() + " that can be " + can + "."
	}
	return problem
}

// refused shows the form again with a problem, at the field that it is about; "" for none.
func (f *sentSheet) refused(status int, field, problem string) response {
	p := f.server.sheetOf(f.call, f.kind, f.v, f.a, f.key, f.text)
	if p.Refused = !f.a.Allowed; p.Refused {
		p.Heading, p.Words, field = p.Button, nil, ""
	}
	for i := range p.Fields {
		if p.Fields[i].Name == "reason" {
			p.Fields[i].Value = f.PostForm.Get("reason")
		}
		if p.Fields[i].Name == field && field != "" {
			p.Fields[i].Problem, problem = problem, ""
		}
	}
	p.Problem = problem
	return shown{status: status, page: p}
}

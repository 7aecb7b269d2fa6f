package dashboard

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"payswitch/engine/staff"
)

// Act is a change that a person makes, as a line of the audit has it.
type Act struct {
	Needs    staff.Permission
	Merchant string // "": the installation
	Live     bool   // the change is about a live account or a live key
	StepUp   bool   // asks for a fresh second factor, even where staff.NeedsStepUp does not
	Action   string // such as keys.create
	Target   string // id of what is changed
	Details  map[string]string
}

// Audit performs changes: it refuses what the person may not do, and writes a line of the audit for each change, in the transaction of the change. Its error is ErrStepUp if the person
// has to give the second factor first.
type Audit interface {
	Perform(r *http.Request, s *staff.Session, a Act, change func(ctx context.Context) error) error
}

// ErrStepUp is the error for a change that needs a fresh second factor.
var ErrStepUp = errors.New("confirm with your second factor first")

// perform makes a change of the merchant of the page, or of the installation.
func (c *call) perform(a Act, change func(ctx context.Context) error) error {
	if c.Merchant != nil {
		a.Merchant = c.Merchant.ID
	}
	if !c.Session.MayOn(a.Needs, a.Merchant, a.Live) {
		return &denied{a.Needs}
	}
	if (a.StepUp || staff.NeedsStepUp(a.Needs)) && !c.Session.Fresh(c.server.Now()) {
		return ErrStepUp
	}
	if c.server.Audit == nil {
		c.server.Logger.LogAttrs(c.Context(), slog.LevelInfo, "a person made a change", slog.String("user_id", c.Session.UserID), slog.String("action", a.Action),
			slog.String("merchant_id", a.Merchant), slog.String("target", a.Target))
		return change(c.Context())
	}
	return c.server.Audit.Perform(c.Request, c.Session, a, change)
}

// guard returns a block that asks for the second factor, if a change under p will ask for it. The person gives it before typing.
func (c *call) guard(p staff.Permission, also bool) []Block {
	if !c.may(p) || !also && !staff.NeedsStepUp(p) || c.Session.Fresh(c.server.Now()) {
		return nil
	}
	return []Block{{Tone: "wait", Text: []string{"A change on this page asks for your second factor. Give it first: a form that is sent without it is refused."},
		Links: []Link{{confirmPath(c.URL.RequestURI()), "Confirm with the second factor"}}}}
}

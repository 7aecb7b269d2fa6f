package staff

import (
	"context"
	"maps"

	"payswitch/engine/port"
)

// note writes a line of the audit in the caller's transaction. session is nil before a login, and for a command on the host.
func (s *Service) note(tx Tx, session *Session, v Visit, e Entry) error {
	e.ID, e.At = s.newID("aud_"), s.Now()
	if session != nil {
		e.UserID, e.SessionID = session.UserID, session.ID
	}
	if v.Address != "" {
		e.Details = maps.Clone(e.Details)
		if e.Details == nil {
			e.Details = map[string]string{}
		}
		e.Details["address"] = v.Address
	}
	return link(tx, &e)
}

// Record writes a line of the audit in a transaction of the caller, together with the change that it is about. Details hold names and ids, never
// a secret.
func (s *Service) Record(tx Tx, session *Session, e Entry) error {
	return s.note(tx, session, Visit{}, e)
}

// Perform checks the permission and the second factor, and then makes the change. The line of the audit is written by the change's first transaction. No
// change is without its line, and no line without its change. A change that fails gets a line that says so. live says that the change is about
// a live account or key.
func (s *Service) Perform(ctx context.Context, session *Session, v Visit, p Permission, live bool, e Entry, change func(ctx context.Context) error) error {
	if !session.MayOn(p, e.MerchantID, live) {
		return ErrNotPermitted
	}
	if NeedsStepUp(p) && !session.Fresh(s.Now()) {
		return ErrStepUp
	}
	noted, line := port.WithNote(ctx, func(tx any) error { return s.note(tx.(Tx), session, v, e) })
	err := change(noted)
	if err == nil && line.Written() {
		return nil
	}
	if err != nil {
		e.Action += ".failed"
	}
	failed := s.update(context.WithoutCancel(ctx), "write the audit", func(tx Tx) error { return s.note(tx, session, v, e) })
	if err != nil {
		return err // it matters more than a failure to write the line
	}
	return failed
}

// Line is a line of the audit with the names that people read.
type Line struct {
	Entry
	Person string // name of the user; "the host" for a command
	Other  string // name of the user that the line is about, if Target names one
}

// Lines lists the audit of a merchant, or with "" of the installation, the latest line first. The second result is the cursor of the next page.
func (s *Service) Lines(ctx context.Context, session *Session, f EntryFilter) (lines []Line, next string, err error) {
	if !session.May(SeeAudit, f.MerchantID) {
		return nil, "", ErrNotPermitted
	}
	if f.Limit <= 0 || f.Limit > 200 {
		f.Limit = 50
	}
	want := f.Limit
	f.Limit++
	err = s.view(ctx, "read the audit", func(r Reader) error {
		entries, err := r.StaffEntries(f)
		if err != nil {
			return err
		}
		if len(entries) > want {
			entries = entries[:want]
			next = entries[want-1].ID
		}
		names := map[string]string{"": ""}
		name := func(id string) string {
			if n, ok := names[id]; ok || len(id) < 5 || id[:5] != "user_" {
				return n
			}
			if u, err := s.user(r, id); err == nil {
				names[id] = u.Private.Name
			}
			return names[id]
		}
		lines = nil
		for _, e := range entries {
			l := Line{Entry: *e, Person: name(e.UserID), Other: name(e.Target)}
			if e.UserID == "" {
				l.Person = "the host"
			}
			lines = append(lines, l)
		}
		return nil
	})
	return lines, next, err
}

// refused notes a login or a code that was not right. An address that no user has gets the same line, so that both take the same time.
func (s *Service) refused(ctx context.Context, v Visit, userID, what string) error {
	if err := s.update(ctx, "write the audit", func(tx Tx) error {
		return s.note(tx, nil, v, Entry{UserID: userID, Action: "login.refused", Details: map[string]string{"with": what}})
	}); err != nil {
		return err
	}
	return ErrLogin
}

package timeline

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// Bounds of one timeline. A payment with more is shown without its oldest part, and Timeline.Left says so.
const (
	maxOperations = 60
	maxDrives     = 12 // of one operation
)

// Timelines reads what happened. It is safe for concurrent use.
type Timelines struct {
	Store   change.Store
	Vault   *vault.Vault
	Changes *change.Changes
	Checks
}

// New returns the timelines of the payments that c reads.
func New(c *change.Changes, checks Checks) *Timelines {
	return &Timelines{Store: c.Store, Vault: c.Vault, Changes: c, Checks: checks}
}

// Timeline is everything about one payment, oldest first.
type Timeline struct {
	Attempts   []*payment.Attempt // opened
	Operations []*Operation
	Events     []*payment.Event // Body is sealed
	Left       int              // operations that are not shown
	Now        time.Time        // of the database
}

// Operation is one operation and what is known of it.
type Operation struct {
	*payment.Operation
	Result   *sdk.Outcome // what closed it; nil while it is open, or if nothing was answered
	Drives   []*Drive
	Evidence []Evidence
}

// Drive is one run of an operation's adapter.
type Drive struct {
	At            time.Time
	Adapter, Hash string
	Failed        string // why the drive failed, in the host's words
	Altered       bool   // a secret in the adapter's input was blanked
	Exchanges     []Exchange
}

// Evidence is what arrived about an operation after it had closed.
type Evidence struct {
	At           time.Time
	Source, Note string
	Outcome      *sdk.Outcome
}

// Timeline returns what happened to a payment.
func (s *Timelines) Timeline(ctx context.Context, auth account.Auth, id string) (*Timeline, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	out := &Timeline{}
	journal := map[string][]*drive.JournalRecord{}
	sends := map[string][]drive.ExchangeRecord{}
	err := s.Store.View(ctx, func(r change.Reader) error {
		clear(journal)
		*out = Timeline{Now: r.Now()}
		p, err := r.Payment(auth.MerchantID, id)
		if err != nil {
			return err
		}
		if auth.ProfileID != "" && auth.ProfileID != p.ProfileID {
			return fault.ErrNotFound
		}
		if out.Attempts, err = r.Attempts(auth.MerchantID, id); err != nil {
			return err
		}
		ops, err := r.Operations(auth.MerchantID, id)
		if err != nil {
			return err
		}
		if out.Left = max(0, len(ops)-maxOperations); out.Left > 0 {
			ops = ops[out.Left:]
		}
		for _, op := range ops {
			o := &Operation{Operation: op}
			out.Operations = append(out.Operations, o)
			if journal[op.ID], err = r.Journal(op.ID); err != nil {
				return err
			}
			if len(journal[op.ID]) == 0 {
				if sends[op.ID], err = r.Exchanges(op.ID); err != nil {
					return err
				}
			}
			said, err := r.Evidence(op.ID)
			if err != nil {
				return err
			}
			for _, e := range said {
				o.Evidence = append(o.Evidence, Evidence{At: e.At, Source: string(e.Source), Note: e.Note, Outcome: outcome(e.Outcome)})
			}
		}
		out.Events, err = events(r, auth.MerchantID, p)
		return err
	})
	if errors.Is(err, fault.ErrNotFound) {
		return nil, fault.NotFound("Payment")
	}
	if err != nil {
		return nil, fault.Internal(err, "read what happened to a payment")
	}
	for _, a := range out.Attempts {
		if err := s.Vault.OpenAttempt(a); err != nil {
			return nil, fault.Internal(err, "open an attempt")
		}
	}
	for _, o := range out.Operations {
		o.Result = outcome(o.Outcome)
		s.drives(o, journal[o.ID], sends[o.ID])
	}
	return out, nil
}

// events returns the events of a payment and of its refunds and disputes.
func events(r change.Reader, merchantID string, p *payment.Payment) ([]*payment.Event, error) {
	all, err := r.Events(merchantID, p.ID)
	if err != nil {
		return nil, err
	}
	refunds, err := r.RefundsOf(merchantID, p.ID)
	if err != nil {
		return nil, err
	}
	for _, f := range refunds {
		list, err := r.Events(merchantID, f.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	if len(p.Details.Disputes) == 0 {
		return all, nil
	}
	disputes, err := r.DisputesOf(merchantID, p.ID)
	if err != nil {
		return nil, err
	}
	for _, d := range disputes {
		list, err := r.Events(merchantID, d.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// outcome reads a stored outcome, nil if there is no outcome that can be read.
func outcome(b []byte) *sdk.Outcome {
	if len(b) == 0 {
		return nil
	}
	o := &sdk.Outcome{}
	if json.Unmarshal(b, o) != nil {
		return nil
	}
	return o
}

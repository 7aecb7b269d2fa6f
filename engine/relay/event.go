package relay

import (
	"context"
	"log/slog"

	"payswitch/engine/account"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// BookEvent books an event of a processor's message for the relay of the account that it names: by the processor's id of what the relay made, else by our
// reference if the answer with that id was lost. found is false if the event names no relay. An event without an outcome, or without a proof of its
// sender, makes BookEvent ask the processor instead, as often as messages may make it. Events may repeat and come in any order.
func (s *Relays) BookEvent(ctx context.Context, n *account.Account, r *port.DriveResult, ev *sdk.Event) (found bool, err error) {
	k, err := s.named(ctx, n, ev)
	if k == nil || err != nil {
		return false, err
	}
	if k.Status != Pending {
		if r.Verified() {
			s.contradicted(ctx, k, ev.Outcome)
		}
		return true, nil
	}
	if ev.Sync || ev.Outcome == nil || !r.Verified() {
		if err := s.Driver.AllowQuery(r, k.MerchantID, k.ID); err != nil {
			return true, err
		}
		return true, s.sync(ctx, k)
	}
	w := &drive.Run{Unstored: true}
	if s.adapter(n, w) != nil {
		return true, nil // without its adapter the relay stays as stored
	}
	s.begin(k, w)
	err = s.book(ctx, k, read(w, ev.Outcome, false), "")
	if err == nil && k.Status != Pending {
		s.Log.LogAttrs(ctx, slog.LevelInfo, "relay resolved", slog.String("relay_id", k.ID), slog.String("by", string(drive.SourceWebhook)),
			slog.String("status", string(k.Status)))
	}
	return true, err
}

// named returns the relay that an event is about, nil for none. An event of a payment says nothing about a raise or a void: other operations on the
// transaction have the same id.
func (s *Relays) named(ctx context.Context, n *account.Account, ev *sdk.Event) (*Relay, error) {
	kind, id := Refund, ev.RefundID
	switch {
	case ev.Object == sdk.EventPayment && ev.Outcome != nil:
		kind, id = Capture, ev.Outcome.CaptureID
	case ev.Object != sdk.EventRefund:
		return nil, nil
	}
	for _, by := range []struct{ id, reference string }{{id, ""}, {"", ev.Reference}} {
		if by.id == "" && by.reference == "" {
			continue
		}
		var list []*Relay
		err := s.Store.View(ctx, func(tx Reader) (err error) { list, err = tx.RelaysAt(n.MerchantID, n.ID, by.id); return err })
		if err != nil {
			return nil, fault.Internal(err, "find relay of a message")
		}
		for _, k := range list {
			if (k.Type == kind || kind == Refund && k.Type.refunds()) && (by.reference == "" || k.Details.Reference == by.reference) {
				return k, nil
			}
		}
	}
	return nil, nil
}

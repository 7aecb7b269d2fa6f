package relay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/sdk"
)

// hashOf returns the hash of an adapter's request, which has no secrets.
func hashOf(r *sdk.Request) string {
	b, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Repeatable reports whether a repetition of the request, with its Idempotency-Key, may find out more: the relay has no answer.
func (r *Relay) Repeatable() bool { return r.Status == Pending && r.Details.Unanswered }

// again finds out about a relay whose request the merchant repeats with its Idempotency-Key. It asks the processor first. Then it sends the operation
// again, with the same key of the processor's, as long as the processor remembers that: the processor repeats its first answer, or performs the
// operation now.
//
// An unreferenced refund goes out again with the card of the repetition alone, because no card is kept. Another card than the first one is not sent.
func (s *Relays) again(ctx context.Context, a account.Auth, r *Relay, in *card.Input) error {
	if err := s.sync(ctx, r); err != nil || !r.Repeatable() {
		return err
	}
	w := &drive.Run{Token: a.RequestToken, Unstored: true}
	n, err := s.Registry.Serving(ctx, r.MerchantID, r.AccountID, r.Details.AccountVersion)
	if err != nil || s.adapter(n, w) != nil {
		return nil // without its account or adapter the relay is shown as stored
	}
	turn, end, err := s.Connectors.Turn(ctx, w.Account.ID)
	if err != nil {
		return fault.Busy(w.Account.Connector)
	}
	defer end()
	first := r.Details.Data.Unreferenced
	c, err := s.recipient(r, in, r.CreatedAt)
	if err != nil || first != nil && first.CardHash != r.Details.Data.Unreferenced.CardHash {
		r.Details.Data.Unreferenced = first
		return err
	}
	s.begin(r, w)
	give(w, c)
	rule, sent := w.Adapter.Manifest.Resolve, s.Driver.Timing().LastSend(w.Operation)
	calm, err := s.Driver.ClockIsCalm(ctx)
	if err != nil {
		return fault.Internal(err, "read the clock")
	}
	same := r.Details.AdapterHash == w.Adapter.Hash && r.Details.Request != "" && r.Details.Request == hashOf(&w.Request)
	if !calm || !same || !slices.Contains(rule.By, sdk.ResolveByIdempotentResend) || !s.Driver.Timing().MayResend(w.Operation, rule, s.Now()) {
		return nil
	}
	w.KeepSend = s.keepSend(r)
	until := s.Now().Add(s.Driver.LeaseTime).UTC().Truncate(time.Millisecond)
	if err := s.keep(ctx, r, func(d *Details) { d.SentUntil = until }); err != nil {
		if errors.Is(err, errEnded) {
			return nil
		}
		return fault.FromStore(err, "store that a relay is sent again")
	}
	defer s.Driver.FlushJournal(turn, w)
	return s.book(turn, r, s.Driver.SendAgain(turn, w, sent), "")
}

var (
	errEnded = errors.New("other evidence has ended the relay")
	errOther = errors.New("the adapter made another request than before: it is not sent, because the first one may have left")
)

// keepSend makes each send of a relay durable before it leaves. It leaves out the first send, which follows from the relay's own fields.
func (s *Relays) keepSend(r *Relay) func(context.Context, int, string) error {
	return func(ctx context.Context, index int, hash string) error {
		if index <= len(r.Details.Sends) {
			if r.Details.Sends[index-1] == hash {
				return nil
			}
			return errOther
		}
		return s.keep(ctx, r, func(d *Details) { d.Sends = append(slices.Clone(d.Sends), hash) })
	}
}

// keep stores a change of a pending relay's details. What a message or a query has stored meanwhile stays.
func (s *Relays) keep(ctx context.Context, r *Relay, change func(*Details)) error {
	for {
		next := *r
		change(&next.Details)
		err := s.Store.Update(ctx, func(tx Tx) error { return tx.UpdateRelay(&next) })
		if err == nil {
			*r = next
			return nil
		}
		if !errors.Is(err, fault.ErrConflict) {
			return err
		}
		fresh, err := s.read(ctx, r.MerchantID, r.ID)
		if err != nil {
			return err
		}
		if *r = *fresh; r.Status != Pending {
			return errEnded
		}
	}
}

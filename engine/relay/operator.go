package relay

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/fault"
	"payswitch/engine/operator"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// IsRelay reports whether an id in a list of operations is that of a relay.
func IsRelay(id string) bool { return strings.HasPrefix(id, "relay_") }

// Open lists the relays that have not ended, of all merchants or of those that the filter names, oldest first, in the form of operations. altered names the rows that
// the list lacks, because somebody has changed them in the database; nil for none.
func Open(r Reader, f request.OperationFilter) (list []operator.View, altered, err error) {
	if f.Resolved {
		return nil, nil, nil
	}
	all, err := r.RelaysPending(time.Unix(0, 0))
	left, err := account.LeftOut(nil, err)
	if left != nil {
		altered = left
	}
	for _, k := range all {
		v := k.view()
		if (len(f.Merchants) == 0 || slices.Contains(f.Merchants, k.MerchantID)) && (len(f.Statuses) == 0 || slices.Contains(f.Statuses, v.Status)) {
			list = append(list, v)
		}
	}
	return list, altered, err
}

// With puts the relays that have not ended between the operations of a list.
func With(r Reader, ops []operator.View, altered error, f request.OperationFilter) ([]operator.View, error, error) {
	relays, more, err := Open(r, f)
	if len(relays) == 0 || err != nil {
		return ops, errors.Join(altered, more), err
	}
	all := slices.Concat(ops, relays)
	slices.SortStableFunc(all, func(a, b operator.View) int { return a.StartedAt.Compare(b.StartedAt) })
	return all[:min(len(all), f.Limit)], errors.Join(altered, more), nil
}

// view is the relay as operators see it. It has no payment.
func (r *Relay) view() operator.View {
	amount, _, currency := r.Details.Data.amounts()
	op := &payment.Operation{ID: r.ID, MerchantID: r.MerchantID, AccountID: r.AccountID, Connector: r.Connector, Kind: r.Type.operation(), Amount: amount,
		Status: payment.OperationPending, StartedAt: r.CreatedAt, LastSendAt: r.CreatedAt, ErrorText: "transaction " + r.ResourceID + ": " + r.Details.Waits,
		Resolution: r.Details.Resolution}
	if r.Details.Unanswered {
		op.Status = payment.OperationUnknown
	}
	if r.Details.SentUntil.After(op.LastSendAt) {
		op.LastSendAt = r.Details.SentUntil
	}
	switch r.Status {
	case Success:
		op.Status, op.ClosedAt = payment.OperationSucceeded, r.ModifiedAt
	case Failure:
		op.Status, op.ClosedAt = payment.OperationDeclined, r.ModifiedAt
		if s := r.Details.Resolution; s != nil && s.Outcome == payment.FoundNotDone {
			op.Status = payment.OperationNotActed
		}
	}
	return operator.View{Operation: op, Currency: currency}
}

// waiting reads a relay that has not ended, of any merchant.
func (s *Relays) waiting(ctx context.Context, id string) (found *Relay, err error) {
	err = s.Store.View(ctx, func(r Reader) error {
		all, err := r.RelaysPending(time.Unix(0, 0))
		for _, k := range all {
			if k.ID == id {
				found = k
			}
		}
		if found == nil && errors.Is(err, vault.ErrAltered) {
			return err
		}
		if _, err = account.LeftOut(nil, err); err == nil && found == nil {
			return fault.ErrNotFound
		}
		return err
	})
	if errors.Is(err, fault.ErrNotFound) {
		return nil, fault.NotFound("Open relay")
	}
	return found, fault.FromStore(err, "read relay")
}

// Waiting returns a relay that has not ended as operators see it. Error: HE_02 for another one.
func (s *Relays) Waiting(ctx context.Context, id string) (operator.View, error) {
	k, err := s.waiting(ctx, id)
	if err != nil {
		return operator.View{}, err
	}
	return k.view(), nil
}

// ResolveRelay ends a relay by an operator's word. The relay keeps the word. It is refused while the relay's own request may be under way, and where the profile
// asks for a second person. No payment changes by the word; the processor is asked about an own payment.
func (s *Relays) ResolveRelay(ctx context.Context, id string, in request.ResolutionInput) (v operator.View, err error) {
	for {
		k, err := s.waiting(ctx, id)
		if err != nil {
			return v, err
		}
		if err := s.resolve(ctx, k, in); errors.Is(err, fault.ErrConflict) {
			continue // the processor's answer has come
		} else if err != nil {
			return v, err
		}
		s.Log.LogAttrs(ctx, slog.LevelWarn, "an operator resolved a relay", slog.String("relay_id", k.ID), slog.String("outcome", string(in.Outcome)), slog.String("by", in.By))
		return k.view(), nil
	}
}

func (s *Relays) resolve(ctx context.Context, k *Relay, in request.ResolutionInput) error {
	now := s.Now().UTC().Truncate(time.Millisecond)
	amount, _, currency := k.Details.Data.amounts()
	second, err := s.needsSecond(ctx, k, amount, currency)
	if err != nil {
		return err
	}
	said := &payment.Resolution{Outcome: in.Outcome, Reference: in.Reference, By: in.By, Why: in.Why, Was: k.view().Status, At: now}
	switch {
	case second:
		return fault.Refused("The profile asks for a second person, and the decision about a relay has no place for one").WithParam("operation_id").
			WithHint("Repeat the relay's request with its Idempotency-Key. Or raise the limit in second_person_for_decisions of the profile, and resolve again.")
	case s.since(k, k.CreatedAt) < sweepAfter || !k.Details.SentUntil.IsZero() && s.since(k, k.Details.SentUntil) < 0:
		return &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "The relay's request may be under way: wait two minutes and try again"}
	case in.Outcome == payment.FoundSucceeded && k.Type != Void:
		if said.Amount = amount; in.Amount != nil {
			said.Amount = *in.Amount
		}
		if said.Amount <= 0 || said.Amount > amount {
			most := strconv.FormatInt(amount, 10)
			return fault.Unprocessable("amount", "amount must be between 1 and "+most+", the amount of the relay in minor units").WithHint("Send a whole number from 1 to " + most + ".")
		}
	}
	k.Details.Resolution, k.Details.Waits, k.ModifiedAt = said, "", now
	switch in.Outcome {
	case payment.FoundSucceeded:
		k.Status = Success
		k.name(&sdk.Outcome{CaptureID: in.Reference, RefundID: in.Reference})
		if err := s.askOwn(ctx, k); err != nil {
			return err
		}
	case payment.FoundDeclined:
		k.Status, k.Details.Error = Failure, &Error{Code: "declined", Message: "The processor refused it, as an operator found."}
	default:
		k.Status, k.Details.Error = Failure, &Error{Code: payment.CodeNotProcessed, Message: "The processor never acted, as an operator found."}
	}
	err = s.store(ctx, k, in.Reference != "")
	switch {
	case errors.Is(err, errOtherID):
		return fault.Unprocessable("reference", "the processor's id belongs to another relay, payment or refund").WithHint("Compare the id with the processor's records.")
	case errors.Is(err, fault.ErrConflict):
		return err
	}
	return fault.FromStore(err, "book an operator's word on a relay")
}

// needsSecond reports whether the profile of the relay, or that of its account, asks for a second person. The caller may have named any profile, and the money
// moves at the account.
func (s *Relays) needsSecond(ctx context.Context, k *Relay, amount int64, currency sdk.Currency) (bool, error) {
	profiles := []string{k.ProfileID}
	n, err := s.Registry.Serving(ctx, k.MerchantID, k.AccountID, k.Details.AccountVersion)
	if err == nil {
		profiles = append(profiles, n.ProfileID)
	} else if known, ok := errors.AsType[*fault.Error](err); !ok || known.Kind == fault.KindInternal {
		return false, err
	}
	for _, id := range profiles {
		p, err := s.Registry.Dir.Profile(ctx, k.MerchantID, id)
		if err != nil && !fault.IsNotFound(err) {
			return false, err
		}
		if err == nil && p.Settings.SecondPerson.Needed(amount, currency) {
			return true, nil
		}
	}
	return false, nil
}

// contradicted raises a processor's word against an operator's on a relay.
func (s *Relays) contradicted(ctx context.Context, k *Relay, o *sdk.Outcome) {
	said := k.Details.Resolution
	if said == nil || o == nil {
		return
	}
	made := o.Status == sdk.StatusCaptured || o.Status == sdk.StatusRefunded
	if made == (k.Status == Success) || !made && o.Status != sdk.StatusDeclined {
		return
	}
	s.Metrics.Alarm(alarm.LateEvidence)
	s.Log.LogAttrs(ctx, slog.LevelError, "a processor's word contradicts an operator's word on a relay", slog.String("relay_id", k.ID), slog.String("by", said.By),
		slog.String("evidence", string(o.Status)))
}

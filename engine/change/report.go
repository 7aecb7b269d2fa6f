package change

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// KeepReport stores an outcome that a source has stated, once, as evidence about the attempt's latest operation. first is false if it was stored before.
func (s *Changes) KeepReport(ctx context.Context, w *Loaded, source drive.Source, o *sdk.Outcome, note string) (first bool, err error) {
	ops, err := s.OperationsOf(ctx, w.Payment)
	if err != nil {
		return false, err
	}
	id := ""
	for _, op := range ops {
		if op.AttemptID == w.Attempt.ID && !op.OutsidePayment() {
			id = op.ID
		}
	}
	return s.KeepMessage(ctx, id, w.Payment.MerchantID, source, o, note)
}

// KeepMessage keeps what a message says of an operation, once. first is false if it was kept before.
func (s *Changes) KeepMessage(ctx context.Context, id, merchantID string, source drive.Source, o *sdk.Outcome, note string) (first bool, err error) {
	stated, err := json.Marshal(o)
	if err != nil {
		return false, fault.Internal(err, "encode evidence")
	}
	err = s.Store.Update(ctx, func(tx Tx) error {
		first = false
		// The operation's row is locked, so that two nodes that get the message at once keep it once.
		if _, err := tx.Operation(id); err != nil && !errors.Is(err, fault.ErrNotFound) && !errors.Is(err, vault.ErrAltered) {
			return err
		}
		kept, err := tx.Evidence(id)
		if err != nil {
			return err
		}
		for _, k := range kept {
			if k.Source == source && k.Note == note && string(k.Outcome) == string(stated) {
				return nil // the processor sent the message again
			}
		}
		first = true
		return tx.InsertEvidence(drive.Evidence{OperationID: id, MerchantID: merchantID, At: tx.Now(), Source: source, Outcome: stated, Note: note})
	})
	if err != nil {
		return false, fault.Internal(err, "keep a processor's message")
	}
	return first, nil
}

// NormalizeReport returns a message's outcome in terms of the request. Some processors capture at once and offer no query. Their approval is the
// last message about the payment, so NormalizeReport turns it into a capture, as it is in an answer.
func (w *Loaded) NormalizeReport(o *sdk.Outcome) *sdk.Outcome {
	if o.Status != sdk.StatusAuthorized || drive.AdapterCapture(w.Payment.Details.CaptureMethod) == sdk.CaptureManual ||
		slices.Contains(w.Adapter.Manifest.Operations, sdk.OpSync) {
		return o
	}
	taken := *o
	taken.Status = sdk.StatusCaptured
	return &taken
}

// EarlierCharge reads an earlier attempt of the payment whose money was taken after all, nil for none.
func (s *Changes) EarlierCharge(ctx context.Context, w *Loaded) (*payment.Attempt, error) {
	if w.Payment.AttemptCount < 2 || w.Attempt.ID != w.Payment.AttemptID {
		return nil, nil
	}
	var all []*payment.Attempt
	err := s.Store.View(ctx, func(r Reader) (err error) {
		all, err = r.Attempts(w.Payment.MerchantID, w.Payment.ID)
		return err
	})
	for _, a := range all {
		if err == nil && a.ID != w.Attempt.ID && a.TakenLate() {
			return a, s.Vault.OpenAttempt(a)
		}
	}
	return nil, err
}

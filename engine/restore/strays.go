package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/sdk"
)

const (
	// strayTime is how long after a restore the engine keeps messages about payments that it does not know.
	strayTime = 30 * 24 * time.Hour
	// strayLimit bounds the kept messages. Later ones are counted alone.
	strayLimit = 1000
)

// Stray is a processor's genuine message about a payment that the restored database does not have.
type Stray struct {
	At         time.Time `json:"at"`
	MerchantID string    `json:"merchant_id"`
	AccountID  string    `json:"merchant_connector_id"`
	Connector  string    `json:"connector"`
	Event      sdk.Event `json:"event"`
}

// KeepStrays keeps the events of a genuine message that came after a restore and is about no payment of this database. kept is false if the
// message is not to be kept.
func (c *Copy) KeepStrays(ctx context.Context, a *account.Account, r *port.DriveResult, events []sdk.Event) (kept bool, err error) {
	if c.restored.IsZero() || !r.Verified() || c.Now().After(c.restored.Add(strayTime)) {
		return false, nil
	}
	for i := range events {
		ev := events[i]
		ev.Sync = false
		stray, err := json.Marshal(Stray{MerchantID: a.MerchantID, AccountID: a.ID, Connector: a.Connector, Event: ev})
		if err != nil {
			return false, fault.Internal(err, "encode a message about an unknown payment")
		}
		isNew := false
		err = c.Store.Update(ctx, func(tx Tx) error {
			isNew = false
			list, err := tx.Evidence("")
			if err != nil || len(list) >= strayLimit {
				return err
			}
			if slices.ContainsFunc(list, func(k drive.Evidence) bool { return string(k.Outcome) == string(stray) }) {
				return nil // the processor sent the message again
			}
			isNew = true
			return tx.InsertEvidence(drive.Evidence{MerchantID: a.MerchantID, At: tx.Now(), Source: drive.SourceStray, Outcome: stray})
		})
		if err != nil {
			return false, fault.Internal(err, "keep a message about an unknown payment")
		}
		if isNew {
			c.Metrics.Alarm(alarm.UnknownPayment)
			c.Log.LogAttrs(ctx, slog.LevelError, "a processor reports a payment that the restored database does not have", slog.String("account_id", a.ID),
				slog.String("connector", a.Connector), slog.String("transaction_id", ev.TransactionID), slog.String("reference", ev.Reference))
		}
	}
	return true, nil
}

// Strays lists the kept messages about unknown payments, in the order of their arrival.
func Strays(r Reader) (out []Stray, err error) {
	list, err := r.Evidence("")
	for _, k := range list {
		var s Stray
		if k.Source != drive.SourceStray {
			continue
		}
		if e := json.Unmarshal(k.Outcome, &s); e != nil {
			return nil, errors.Join(err, fmt.Errorf("read a kept message of %s: %w", k.At, e))
		}
		s.At = k.At
		out = append(out, s)
	}
	return out, err
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
	"payswitch/storage"
)

// openOperation is an operation in the list, as --json prints it.
type openOperation struct {
	OperationID  string     `json:"operation_id"`
	MerchantID   string     `json:"merchant_id"`
	PaymentID    string     `json:"payment_id"`
	AttemptID    string     `json:"attempt_id"`
	Kind         string     `json:"kind"`
	Status       string     `json:"status"`
	Amount       int64      `json:"amount"` // minor units
	Currency     string     `json:"currency"`
	Connector    string     `json:"connector"`
	AccountID    string     `json:"merchant_connector_id"`
	StartedAt    *time.Time `json:"started_at"`
	LastSendAt   *time.Time `json:"last_send_at"` // null: nothing has left
	ResolveTries int        `json:"resolve_tries"`
	ResolveAt    *time.Time `json:"resolve_at"`
	Answer       string     `json:"last_answer"` // why the operation is still open
}

// listOperations lists operations without an end, oldest first.
func (p *program) listOperations(ctx context.Context, args []string) error {
	f := p.flags("operations list")
	unknown := f.Bool("unknown", false, "list only the operations of which nobody knows whether the processor has acted")
	asJSON := f.Bool("json", false, "print one JSON object per line")
	limit := f.Int("limit", 1000, "list at most `n` operations")
	return p.withStore(ctx, f, args, func(ctx context.Context, _ Config, db *storage.DB, _ *vault.Vault) error {
		if *limit < 1 {
			return usageError{"--limit must be 1 or more"}
		}
		statuses := []payment.OperationStatus{payment.OperationStarted, payment.OperationUnknown, payment.OperationPending}
		if *unknown {
			statuses = []payment.OperationStatus{payment.OperationUnknown}
		}
		var list []openOperation
		var altered *vault.AlteredError
		err := db.View(ctx, func(r engine.Reader) error {
			ops, err := r.OperationsWithStatus(statuses, *limit)
			if altered, err = account.LeftOut(nil, err); err != nil {
				return err
			}
			for _, op := range ops {
				pay, err := r.Payment(op.MerchantID, op.PaymentID)
				if err != nil {
					return fmt.Errorf("read payment %s: %w", op.PaymentID, err)
				}
				list = append(list, shownOperation(op, string(pay.Currency)))
			}
			return nil
		})
		if err != nil {
			return err
		}
		err = p.printOperations(list, *asJSON)
		if altered != nil {
			err = errors.Join(err, altered)
		}
		return err
	})
}

func shownOperation(o *payment.Operation, currency string) openOperation {
	at := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	return openOperation{OperationID: o.ID, MerchantID: o.MerchantID, PaymentID: o.PaymentID, AttemptID: o.AttemptID, Kind: string(o.Kind), Status: string(o.Status),
		Amount: o.Amount, Currency: currency, Connector: o.Connector, AccountID: o.AccountID, StartedAt: at(o.StartedAt), LastSendAt: at(o.LastSendAt),
		ResolveTries: o.ResolveTries, ResolveAt: at(o.ResolveAt), Answer: o.ErrorText}
}

func (p *program) printOperations(list []openOperation, asJSON bool) error {
	if asJSON {
		out := json.NewEncoder(p.stdout)
		for _, o := range list {
			if err := out.Encode(o); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "STARTED\tMERCHANT\tPAYMENT\tOPERATION\tSTATUS\tAMOUNT\tCONNECTOR\tTRIES\tLAST ANSWER")
	for _, o := range list {
		started := "-"
		if o.StartedAt != nil {
			started = o.StartedAt.Format(time.RFC3339)
		}
		fmt.Fprintln(w, strings.Join([]string{started, o.MerchantID, o.PaymentID, o.Kind, o.Status, fmt.Sprintf("%d %s", o.Amount, o.Currency), o.Connector,
			fmt.Sprint(o.ResolveTries), o.Answer}, "\t"))
	}
	return w.Flush()
}

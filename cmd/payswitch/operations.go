package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/operator"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/vault"
	"payswitch/router"
	"payswitch/storage"
)

// shownOperation is an operation as --json prints it. GET /operations has the same keys.
type shownOperation struct {
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
	ClosedAt     *time.Time `json:"closed_at"`
	ResolveTries int        `json:"resolve_tries"`
	ResolveAt    *time.Time `json:"resolve_at"`
	Answer       string     `json:"last_answer"` // why the operation is still open
	// Resolution is the operator's word that ended the operation, nil for an operation that ended in another way.
	Resolution   *shownResolution `json:"resolution"`
	SecondPerson bool             `json:"second_person"`
	// Proposal is the decision that waits for a second person, nil for none.
	Proposal *shownProposal `json:"proposal"`
}

type shownProposal struct {
	ID        string    `json:"proposal_id"`
	Outcome   string    `json:"outcome"`
	Amount    *int64    `json:"amount"`
	Reference string    `json:"reference"`
	By        string    `json:"by"`
	Why       string    `json:"why"`
	At        time.Time `json:"at"`
}

type shownResolution struct {
	Outcome   string    `json:"outcome"`
	Amount    int64     `json:"amount"`
	Reference string    `json:"reference"`
	By        string    `json:"by"`
	Why       string    `json:"why"`
	Was       string    `json:"was"`
	At        time.Time `json:"at"`
	Second    string    `json:"second"`
}

func showOperation(v operator.View) shownOperation {
	at := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	o := shownOperation{OperationID: v.ID, MerchantID: v.MerchantID, PaymentID: v.PaymentID, AttemptID: v.AttemptID, Kind: string(v.Kind),
		Status: string(v.Status), Amount: v.Amount, Currency: string(v.Currency), Connector: v.Connector, AccountID: v.AccountID,
		StartedAt: at(v.StartedAt), LastSendAt: at(v.LastSendAt), ClosedAt: at(v.ClosedAt), ResolveTries: v.ResolveTries,
		ResolveAt: at(v.ResolveAt), Answer: v.ErrorText, SecondPerson: v.SecondPerson}
	if r := v.Resolution; r != nil {
		o.Resolution = &shownResolution{Outcome: string(r.Outcome), Amount: r.Amount, Reference: r.Reference, By: r.By, Why: r.Why,
			Was: string(r.Was), At: r.At, Second: r.Second}
	}
	if p := v.Proposal; p != nil {
		o.Proposal = &shownProposal{ID: p.ID, Outcome: string(p.Details.Outcome), Amount: p.Details.Amount, Reference: p.Details.Reference, By: p.Details.By, Why: p.Details.Why, At: p.ProposedAt}
	}
	return o
}

// listOperations lists operations and relays without an end, oldest first, or those that an operator has resolved, newest first.
func (p *program) listOperations(ctx context.Context, args []string) error {
	f := p.flags("operations list")
	unknown := f.Bool("unknown", false, "list only the operations whose result payswitch does not know")
	resolved := f.Bool("resolved", false, "list the operations that an operator has resolved, newest first")
	asJSON := f.Bool("json", false, "print one JSON object per line")
	limit := f.Int("limit", 1000, "list at most `n` operations")
	return p.withStore(ctx, f, args, func(ctx context.Context, _ Config, db *storage.DB, _ *vault.Vault) error {
		switch {
		case *limit < 1:
			return usageError{"--limit must be 1 or more"}
		case *unknown && *resolved:
			return usageError{"--unknown and --resolved exclude each other: an operator's word ends an operation"}
		}
		filter := request.OperationFilter{Resolved: *resolved, Limit: *limit, Relays: true}
		if *unknown {
			filter.Statuses = []payment.OperationStatus{payment.OperationUnknown}
		}
		var list []operator.View
		var altered error
		err := db.View(ctx, func(r engine.Reader) (err error) { list, altered, err = engine.OpenOperations(r, filter); return err })
		if err != nil {
			return err
		}
		return errors.Join(p.printOperations(list, *asJSON), altered)
	})
}

func (p *program) printOperations(list []operator.View, asJSON bool) error {
	if asJSON {
		out := json.NewEncoder(p.stdout)
		for _, v := range list {
			if err := out.Encode(showOperation(v)); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "STARTED\tID\tMERCHANT\tPAYMENT\tOPERATION\tSTATUS\tAMOUNT\tCONNECTOR\tTRIES\tLAST ANSWER\tRESOLVED BY\tWHY")
	for _, v := range list {
		by, why := "-", "-"
		if r := v.Resolution; r != nil {
			by, why = r.By, r.Why
		}
		cells := []string{v.StartedAt.Format(time.RFC3339), v.ID, v.MerchantID, cmp.Or(v.PaymentID, "-"), string(v.Kind), string(v.Status),
			fmt.Sprintf("%d %s", v.Amount, v.Currency), v.Connector, fmt.Sprint(v.ResolveTries), v.ErrorText, by, why}
		for i := range cells {
			cells[i] = strings.Join(strings.Fields(cells[i]), " ") // a line for each operation
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

// resolveOperation books an operator's word on an operation, next to running nodes or without them.
func (p *program) resolveOperation(ctx context.Context, args []string) error {
	f := p.flags("operations resolve OPERATION")
	in := request.ResolutionInput{}
	f.StringVar((*string)(&in.Outcome), "outcome", "", "succeeded: the processor carried it out; declined: it refused; not_done: it never acted")
	f.StringVar(&in.By, "by", "", "your `name`")
	f.StringVar(&in.Why, "why", "", "what you know it from, such as the processor's statement")
	f.StringVar(&in.Reference, "reference", "", "the processor's `id` of the payment, capture or refund")
	amount := f.Int64("amount", 0, "what was held, taken or given back, in minor units; default: what the operation asked for")
	given, c, err := p.operandsAndConfig(f, args, 1)
	if err != nil {
		return err
	}
	if len(given) == 0 {
		return usageError{"operations resolve needs the id of an operation, from `payswitch operations list`"}
	}
	f.Visit(func(one *flag.Flag) {
		if one.Name == "amount" {
			in.Amount = amount
		}
	})
	return p.decide(ctx, c, func(e *engine.Engine) (operator.View, error) { return e.ResolveOperation(ctx, given[0], in) })
}

// secondPerson confirms or withdraws what another person has proposed with operations resolve.
func (p *program) secondPerson(ctx context.Context, name string, args []string) error {
	f := p.flags("operations " + name + " OPERATION")
	in := request.ReviewInput{}
	f.StringVar(&in.By, "by", "", "your `name`")
	f.StringVar(&in.ProposalID, "proposal", "", "the `id` of the proposal, from payswitch operations list --json")
	given, c, err := p.operandsAndConfig(f, args, 1)
	if err != nil {
		return err
	}
	if len(given) == 0 {
		return usageError{"operations " + name + " needs the id of an operation, from `payswitch operations list`"}
	}
	return p.decide(ctx, c, func(e *engine.Engine) (operator.View, error) {
		if name == "confirm" {
			return e.ConfirmResolution(ctx, given[0], in)
		}
		return e.WithdrawResolution(ctx, given[0], in)
	})
}

// decide runs a use case next to running nodes or without them, and prints the operation.
func (p *program) decide(ctx context.Context, c Config, do func(e *engine.Engine) (operator.View, error)) error {
	return p.openStore(ctx, c, func(ctx context.Context, c Config, db *storage.DB, v *vault.Vault) error {
		host, err := p.openHost(ctx, c, shared(c, db))
		if err != nil {
			return err
		}
		deps := engine.Deps{Store: db, Connectors: host, Vault: v, Presenter: router.Presenter{}, Logger: newLogger(p.stderr, c.Log)}
		err = p.decideWith(ctx, c, deps, do)
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		return errors.Join(err, host.Close(limit))
	})
}

func (p *program) decideWith(ctx context.Context, c Config, d engine.Deps, do func(e *engine.Engine) (operator.View, error)) error {
	e, err := engine.New(d, engine.Options{PublicURL: c.Server.PublicURL, KeyEnvironment: c.Keys.Environment, LeaseTime: c.Engine.LeaseTime,
		SettleTimeout: c.Engine.SettleTimeout, PayerWait: c.Engine.PayerWait, ResolvePause: c.Engine.ResolvePause, JournalKeep: c.journalKeep()})
	if err != nil {
		return err
	}
	done, err := do(e)
	if err == nil {
		err = p.printOperations([]operator.View{done}, true)
	}
	var refused *fault.Error
	if errors.As(err, &refused) && refused.Kind != fault.KindInternal {
		text := refused.Message
		for _, more := range []string{refused.Reason, refused.Hint} {
			if more != "" {
				text += ": " + more
			}
		}
		err = errors.New(text)
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Server.ShutdownTimeout)
	defer cancel()
	return errors.Join(err, e.Close(limit))
}

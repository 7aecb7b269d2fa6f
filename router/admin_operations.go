package router

import (
	"context"

	"payswitch/engine/fault"
	"payswitch/engine/operator"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// operationAdmin are the operator's use cases about operations of all merchants.
type operationAdmin interface {
	Operations(ctx context.Context, f request.OperationFilter) ([]operator.View, error)
	Operation(ctx context.Context, id string) (operator.View, error)
	ResolveOperation(ctx context.Context, id string, in request.ResolutionInput) (operator.View, error)
	ConfirmResolution(ctx context.Context, id string, second request.ReviewInput) (operator.View, error)
	WithdrawResolution(ctx context.Context, id string, second request.ReviewInput) (operator.View, error)
}

// operationFilters are the values of the query parameter status.
var operationFilters = []string{"open", "started", "unknown", "pending", "resolved"}

func (s *Server) listOperations(c *call) (answer, error) {
	const most = 1000
	q := c.query()
	q.only("status", "limit")
	f, status := request.OperationFilter{Limit: 100, Relays: true}, q.text("status")
	switch status {
	case "", "open":
	case "started", "unknown", "pending":
		f.Statuses = []payment.OperationStatus{payment.OperationStatus(status)}
	case "resolved":
		f.Resolved = true
	default:
		q.fail("status", "status: unknown value, expected "+oneOfText(operationFilters), fault.ChoiceHint(status, operationFilters))
	}
	if n, given := q.int("limit"); given {
		if n < 1 || n > most {
			return answer{}, fault.Unprocessable("limit", "limit should be in between 1 and 1000").WithHint("Send a whole number from 1 to 1000.")
		}
		f.Limit = int(n)
	}
	if q.err != nil {
		return answer{}, q.err
	}
	list, err := s.Admin.Operations(c.ctx(), f)
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	w.open().int("count", int64(len(list))).key("data")
	return listOfAnswers(w, list, writeOperation).close().answer(), nil
}

func (s *Server) retrieveOperation(c *call) (answer, error) {
	return operationAnswer(s.Admin.Operation(c.ctx(), c.param("operation_id")))
}

var operatorWordFields = closedObject(
	must(at("outcome", oneOf(request.Findings), func(o *request.ResolutionInput) *payment.Finding { return &o.Outcome })),
	must(at("by", text, func(o *request.ResolutionInput) *string { return &o.By })),
	must(at("why", text, func(o *request.ResolutionInput) *string { return &o.Why })),
	opt("amount", amount, func(o *request.ResolutionInput) **int64 { return &o.Amount }),
	at("reference", apart(text), func(o *request.ResolutionInput) *string { return &o.Reference }),
)

// resolveOperation books what an operator found out about an operation.
func (s *Server) resolveOperation(c *call) (answer, error) {
	var in request.ResolutionInput
	if err := decode(c, operatorWordFields, &in); err != nil {
		return answer{}, err
	}
	return operationAnswer(s.Admin.ResolveOperation(c.ctx(), c.param("operation_id"), in))
}

var secondWordFields = closedObject(
	must(at("proposal_id", text, func(w *request.ReviewInput) *string { return &w.ProposalID })),
	must(at("by", text, func(w *request.ReviewInput) *string { return &w.By })),
)

// confirmOperation books a decision that another person has proposed.
func (s *Server) confirmOperation(c *call) (answer, error) {
	var in request.ReviewInput
	if err := decode(c, secondWordFields, &in); err != nil {
		return answer{}, err
	}
	return operationAnswer(s.Admin.ConfirmResolution(c.ctx(), c.param("operation_id"), in))
}

// withdrawOperation drops the proposal of a decision.
func (s *Server) withdrawOperation(c *call) (answer, error) {
	var in request.ReviewInput
	if err := decode(c, secondWordFields, &in); err != nil {
		return answer{}, err
	}
	return operationAnswer(s.Admin.WithdrawResolution(c.ctx(), c.param("operation_id"), in))
}

func operationAnswer(v operator.View, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	writeOperation(w, v)
	return w.answer(), nil
}

// writeOperation writes an operation as operators see it. `payswitch operations list --json` has the same keys.
func writeOperation(w *writer, v operator.View) {
	w.open().str("operation_id", v.ID).str("merchant_id", v.MerchantID).str("payment_id", v.PaymentID).str("attempt_id", v.AttemptID)
	w.str("kind", string(v.Kind)).str("status", string(v.Status)).int("amount", v.Amount).str("currency", string(v.Currency))
	w.str("connector", v.Connector).str("merchant_connector_id", v.AccountID).time("started_at", v.StartedAt).time("last_send_at", v.LastSendAt)
	w.time("closed_at", v.ClosedAt).int("resolve_tries", int64(v.ResolveTries)).time("resolve_at", v.ResolveAt).text("last_answer", v.ErrorText)
	if r := v.Resolution; r == nil {
		w.null("resolution")
	} else {
		w.key("resolution").open().str("outcome", string(r.Outcome)).int("amount", r.Amount).text("reference", r.Reference).str("by", r.By).str("why", r.Why)
		w.str("was", string(r.Was)).time("at", r.At).text("second", r.Second).close()
	}
	w.bool("second_person", v.SecondPerson)
	if p := v.Proposal; p == nil {
		w.null("proposal")
	} else {
		w.key("proposal").open().str("proposal_id", p.ID).str("outcome", string(p.Details.Outcome))
		if p.Details.Amount == nil {
			w.null("amount")
		} else {
			w.int("amount", *p.Details.Amount)
		}
		w.text("reference", p.Details.Reference).str("by", p.Details.By).str("why", p.Details.Why).time("at", p.ProposedAt).close()
	}
	w.close()
}

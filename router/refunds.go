package router

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// Refunds are the engine's use cases of refunds. *engine.Engine implements them.
type Refunds interface {
	CreateRefund(ctx context.Context, a account.Auth, in *request.RefundInput) (*payment.Refund, error)
	RetrieveRefund(ctx context.Context, a account.Auth, id string, forceSync bool) (*payment.Refund, error)
	UpdateRefund(ctx context.Context, a account.Auth, id string, in request.RefundUpdate) (*payment.Refund, error)
	ListRefunds(ctx context.Context, a account.Auth, in request.RefundListInput) (list []*payment.Refund, total int, err error)
	CountRefunds(ctx context.Context, a account.Auth, from, to time.Time) (listed.Tally, error)
	DecideRefund(ctx context.Context, id string, in request.RefundDecision) error
}

func (s *Server) refundRoutes() []route {
	const refundPath = "/refunds/{refund_id}"
	return []route{
		{method: "POST", pattern: "/refunds", who: secretField, handle: s.createRefund},
		{method: "POST", pattern: "/refunds/list", who: secretField, handle: s.listRefunds},
		{method: "POST", pattern: "/refunds/profile/list", who: secretField, handle: s.listRefunds},
		{method: "POST", pattern: "/refunds/filter", who: secretField, handle: s.refundValues},
		{method: "GET", pattern: "/refunds/v2/filter", who: secretField, handle: s.refundChoices},
		{method: "GET", pattern: "/refunds/v2/profile/filter", who: secretField, handle: s.refundChoices},
		{method: "GET", pattern: "/refunds/aggregate", who: secretField, handle: s.aggregateRefunds},
		{method: "GET", pattern: "/refunds/profile/aggregate", who: secretField, handle: s.aggregateRefunds},
		{method: "POST", pattern: "/refunds/sync", who: secretField, handle: s.syncRefund},
		{method: "GET", pattern: refundPath, who: secretField, handle: s.retrieveRefund},
		{method: "POST", pattern: refundPath, who: secretField, handle: s.updateRefund},
		{method: "PUT", pattern: refundPath + "/manual-update", who: admin, handle: s.decideRefund},
	}
}

func refundAnswer(r *payment.Refund, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	writeRefund(w, r)
	return w.answer(), nil
}

// refundTypes are the values of refund_type.
var refundTypes = []payment.RefundType{payment.RefundInstant, payment.RefundScheduled}

// refundFields are the fields of a refund's creation. Other keys are refused.
var refundFields = closedObject(
	must(at("payment_id", identifier, func(in *request.RefundInput) *string { return &in.PaymentID })),
	at("refund_id", refundID, func(in *request.RefundInput) *string { return &in.RefundID }),
	at("merchant_id", text, func(in *request.RefundInput) *string { return &in.MerchantID }),
	opt("amount", integer(math.MinInt64, math.MaxInt64), func(in *request.RefundInput) **int64 { return &in.Amount }),
	at("reason", text, func(in *request.RefundInput) *string { return &in.Reason }),
	at("refund_type", oneOf(refundTypes), func(in *request.RefundInput) *payment.RefundType { return &in.Type }),
	at("metadata", anyObject, func(in *request.RefundInput) *json.RawMessage { return &in.Metadata }),
	drop[request.RefundInput]("merchant_connector_details", anyObject),
	field[request.RefundInput]{key: "split_refunds", read: func(r *reader, _ *request.RefundInput) error {
		if _, err := r.value(); err != nil {
			return err
		}
		return fault.Unprocessable("split_refunds", "split_refunds is not supported: send one refund for each part").WithHint("Leave the field out.")
	}},
	drop[request.RefundInput]("all_keys_required", boolean),
)

// refundID is the id that the caller chooses. As identifier, it is exempt from the search for card numbers.
var refundID = apart(readRefundID)

// readRefundID differs from identifier in the error for a long id.
func readRefundID(r *reader) (string, error) {
	id, err := text(r)
	switch {
	case err != nil:
		return "", err
	case len(id) > 64:
		return "", fault.BadFormat("refund_id", "refund_id of at most 64 characters")
	}
	if err := checkID(id); err != nil {
		return "", r.fail(err.Error(), idHint)
	}
	return id, nil
}

func (s *Server) createRefund(c *call) (answer, error) {
	in := &request.RefundInput{}
	if err := decode(c, refundFields, in); err != nil {
		return answer{}, err
	}
	if err := checkLengths(length{"reason", in.Reason, 255}); err != nil {
		return answer{}, err
	}
	if err := s.unreserved("refunds", "refund_id", in.RefundID); err != nil {
		return answer{}, err
	}
	return refundAnswer(s.Payments.CreateRefund(c.ctx(), c.auth, in))
}

func (s *Server) retrieveRefund(c *call) (answer, error) {
	q := c.query()
	force := q.bool("force_sync")
	q.bool("all_keys_required")
	if q.err != nil {
		return answer{}, q.err
	}
	return refundAnswer(s.Payments.RetrieveRefund(c.ctx(), c.auth, c.param("refund_id"), force))
}

// refundSync is the body of a retrieve by POST.
type refundSync struct {
	id    string
	force bool
}

var refundSyncFields = closedObject(
	must(at("refund_id", identifier, func(s *refundSync) *string { return &s.id })),
	at("force_sync", boolean, func(s *refundSync) *bool { return &s.force }),
	drop[refundSync]("merchant_connector_details", anyObject),
	drop[refundSync]("all_keys_required", boolean),
)

func (s *Server) syncRefund(c *call) (answer, error) {
	var in refundSync
	if err := decode(c, refundSyncFields, &in); err != nil {
		return answer{}, err
	}
	return refundAnswer(s.Payments.RetrieveRefund(c.ctx(), c.auth, in.id, in.force))
}

var refundUpdateFields = closedObject(
	opt("reason", text, func(u *request.RefundUpdate) **string { return &u.Reason }),
	at("metadata", anyObject, func(u *request.RefundUpdate) *json.RawMessage { return &u.Metadata }),
)

func (s *Server) updateRefund(c *call) (answer, error) {
	var in request.RefundUpdate
	if err := decode(c, refundUpdateFields, &in); err != nil {
		return answer{}, err
	}
	if in.Reason != nil {
		if err := checkLengths(length{"reason", *in.Reason, 255}); err != nil {
			return answer{}, err
		}
	}
	return refundAnswer(s.Payments.UpdateRefund(c.ctx(), c.auth, c.param("refund_id"), in))
}

// refundFilters are the statuses in filters, under their internal names. No refund has the status transaction_failure.
var refundFilters = []string{"success", "failure", "pending", "manual_review", "transaction_failure"}

var refundFilterStatus = map[string]payment.RefundStatus{"success": payment.RefundSucceeded, "failure": payment.RefundFailed, "pending": payment.RefundPending,
	"manual_review": payment.RefundReview, "transaction_failure": "transaction_failure"}

// refundList is the body of a list of refunds.
type refundList struct {
	request.RefundListInput
	limit, offset *int64
	currencies    []sdk.Currency
}

// amountRange is the filter by amount.
type amountRange struct{ start, end *int64 }

var amountRangeFields = openObject(
	opt("start_amount", amount, func(a *amountRange) **int64 { return &a.start }),
	opt("end_amount", amount, func(a *amountRange) **int64 { return &a.end }),
)

var refundListFields = openObject(
	at("payment_id", identifier, func(l *refundList) *string { return &l.PaymentID }),
	at("refund_id", identifier, func(l *refundList) *string { return &l.RefundID }),
	at("profile_id", identifier, func(l *refundList) *string { return &l.ProfileID }),
	opt("limit", integer(math.MinInt32, math.MaxInt32), func(l *refundList) **int64 { return &l.limit }),
	opt("offset", integer(0, math.MaxInt32), func(l *refundList) **int64 { return &l.offset }),
	at("start_time", timestamp, func(l *refundList) *time.Time { return &l.From }),
	at("end_time", timestamp, func(l *refundList) *time.Time { return &l.To }),
	field[refundList]{key: "amount_filter", read: func(r *reader, l *refundList) error {
		a, err := amountRangeFields.parse(r)
		l.MinAmount, l.MaxAmount = a.start, a.end
		return err
	}},
	at("connector", listOf(text), func(l *refundList) *[]string { return &l.Connectors }),
	at("merchant_connector_id", listOf(text), func(l *refundList) *[]string { return &l.Accounts }),
	at("currency", listOf(oneOf(currencies)), func(l *refundList) *[]sdk.Currency { return &l.currencies }),
	at("refund_status", listOf(oneOf(refundFilters)), func(l *refundList) *[]string { return &l.Statuses }),
)

func (s *Server) listRefunds(c *call) (answer, error) {
	var in refundList
	if err := decode(c, refundListFields, &in); err != nil {
		return answer{}, err
	}
	if in.limit != nil {
		if *in.limit < 1 || *in.limit > 100 {
			return answer{}, fault.Unprocessable("limit", "limit should be in between 1 and 100").WithHint("Send a whole number from 1 to 100.")
		}
		in.Limit = int(*in.limit)
	}
	if in.offset != nil {
		in.Offset = int(*in.offset)
	}
	for _, currency := range in.currencies {
		in.Currencies = append(in.Currencies, string(currency))
	}
	for i, status := range in.Statuses {
		in.Statuses[i] = string(refundFilterStatus[status])
	}
	list, total, err := s.Payments.ListRefunds(c.ctx(), c.auth, in.RefundListInput)
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	w.open().int("count", int64(len(list))).int("total_count", int64(total)).key("data")
	return listOfAnswers(w, list, writeRefund).close().answer(), nil
}

var decidedStatuses = []string{"succeeded", "failed", "pending", "review"}

var refundDecisionFields = closedObject(
	must(at("merchant_id", identifier, func(d *request.RefundDecision) *string { return &d.MerchantID })),
	at("status", oneOf(decidedStatuses), func(d *request.RefundDecision) *string { return &d.Status }),
	opt("error_code", setOrUnset, func(d *request.RefundDecision) **string { return &d.ErrorCode }),
	opt("error_message", setOrUnset, func(d *request.RefundDecision) **string { return &d.ErrorMessage }),
)

var setFields = closedObject(must(at("set", text, func(s *string) *string { return s })))

// setOrUnset reads {"set": "text"} or "unset", which is "".
func setOrUnset(r *reader) (string, error) {
	if r.kind() == '{' {
		return setFields.parse(r)
	}
	_, err := oneOf([]string{"unset"})(r)
	return "", err
}

func (s *Server) decideRefund(c *call) (answer, error) {
	var in request.RefundDecision
	if err := decode(c, refundDecisionFields, &in); err != nil {
		return answer{}, err
	}
	return answer{}, s.Payments.DecideRefund(c.ctx(), c.param("refund_id"), in)
}

package router

import (
	"context"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/disputed"
	"payswitch/engine/fault"
	"payswitch/engine/listed"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// Disputes are the engine's use cases of disputes. *engine.Engine implements them.
type Disputes interface {
	RetrieveDispute(ctx context.Context, a account.Auth, id string, forceSync bool) (*disputed.Record, error)
	ListDisputes(ctx context.Context, a account.Auth, in request.DisputeListInput) ([]*disputed.Record, error)
	AcceptDispute(ctx context.Context, a account.Auth, in *request.AcceptInput) (*disputed.Record, error)
	SubmitEvidence(ctx context.Context, a account.Auth, in *request.EvidenceInput) (*disputed.Record, error)
	AttachEvidence(ctx context.Context, a account.Auth, in *request.EvidenceFileInput) (id string, err error)
	Evidence(ctx context.Context, a account.Auth, id string) ([]disputed.EvidenceFile, error)
	DeleteEvidence(ctx context.Context, a account.Auth, id string, kind sdk.EvidenceType) error
	CountDisputes(ctx context.Context, a account.Auth, from, to time.Time) (listed.Tally, error)
}

func (s *Server) disputeRoutes() []route {
	return []route{
		{method: "GET", pattern: "/disputes/list", who: secretField, handle: s.listDisputes},
		{method: "GET", pattern: "/disputes/profile/list", who: secretField, handle: s.listDisputes},
		{method: "GET", pattern: "/disputes/filter", who: secretField, handle: s.disputeChoices},
		{method: "GET", pattern: "/disputes/profile/filter", who: secretField, handle: s.disputeChoices},
		{method: "GET", pattern: "/disputes/aggregate", who: secretField, handle: s.aggregateDisputes},
		{method: "GET", pattern: "/disputes/profile/aggregate", who: secretField, handle: s.aggregateDisputes},
		{method: "POST", pattern: "/disputes/accept/{dispute_id}", who: secretField, handle: s.acceptDispute},
		{method: "POST", pattern: "/disputes/evidence", who: secretField, handle: s.submitEvidence},
		{method: "PUT", pattern: "/disputes/evidence", who: secretField, handle: s.attachEvidence, body: sdk.MaxEvidenceFile + maxFrame},
		{method: "DELETE", pattern: "/disputes/evidence", who: secretField, handle: s.deleteEvidence, body: maxBlockBody},
		{method: "GET", pattern: "/disputes/evidence/{dispute_id}", who: secretField, handle: s.listEvidence},
		{method: "GET", pattern: "/disputes/{dispute_id}", who: secretField, handle: s.retrieveDispute},
	}
}

// disputePrefix begins the API's names of a dispute's statuses.
const disputePrefix = "dispute_"

var (
	disputeStages   = textsOf(disputed.Stages)
	disputeStatuses = prefixed(disputed.DisputeStatuses)
)

func prefixed(list []sdk.DisputeStatus) []string {
	out := textsOf(list)
	for i := range out {
		out[i] = disputePrefix + out[i]
	}
	return out
}

func (s *Server) retrieveDispute(c *call) (answer, error) {
	q := c.query()
	sync := q.bool("force_sync")
	if q.err != nil {
		return answer{}, q.err
	}
	return disputeAnswer(s.Payments.RetrieveDispute(c.ctx(), c.auth, c.param("dispute_id"), sync))
}

func (s *Server) listDisputes(c *call) (answer, error) {
	in, err := disputeListInput(c.query())
	if err != nil {
		return answer{}, err
	}
	list, err := s.Payments.ListDisputes(c.ctx(), c.auth, in)
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeDispute).answer(), nil
}

func disputeListInput(q *query) (request.DisputeListInput, error) {
	q.only("dispute_id", "payment_id", "limit", "offset", "profile_id", "dispute_status", "dispute_stage", "reason", "connector", "merchant_connector_id",
		"currency", "start_time", "end_time")
	in := request.DisputeListInput{
		DisputeID:  q.id("dispute_id"),
		PaymentID:  q.id("payment_id"),
		ProfileID:  q.id("profile_id"),
		AccountID:  q.id("merchant_connector_id"),
		Reason:     q.text("reason"),
		Offset:     q.count("offset", 0),
		From:       q.time("start_time"),
		To:         q.time("end_time"),
		Connectors: q.list("connector", nil),
		Currencies: q.list("currency", textsOf(currencies)),
		Stages:     q.list("dispute_stage", disputeStages),
		Statuses:   q.list("dispute_status", disputeStatuses),
	}
	for i, status := range in.Statuses {
		in.Statuses[i] = strings.TrimPrefix(status, disputePrefix)
	}
	if limit, given := q.int("limit"); given {
		if limit < 1 || limit > 100 {
			return in, fault.Unprocessable("limit", "limit should be in between 1 and 100").WithHint("Send a whole number from 1 to 100.")
		}
		in.Limit = int(limit)
	}
	return in, q.err
}

// disputeChoices answers with what a list of disputes can be filtered by: the merchant's accounts by connector, and all currencies, statuses and stages.
func (s *Server) disputeChoices(c *call) (answer, error) {
	w := new(writer).open()
	if err := s.writeAccountChoices(c, w); err != nil {
		return answer{}, err
	}
	return w.strings("currency", textsOf(currencies)).strings("dispute_status", disputeStatuses).strings("dispute_stage", disputeStages).close().answer(), nil
}

// aggregateDisputes answers with the number of disputes in each status, zeros included.
func (s *Server) aggregateDisputes(c *call) (answer, error) {
	from, to, err := c.query().timeRange()
	if err != nil {
		return answer{}, err
	}
	counts, err := s.Payments.CountDisputes(c.ctx(), c.auth, from, to)
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().key("status_with_count").open()
	for i, name := range disputeStatuses {
		w.int(name, counts.Statuses[string(disputed.DisputeStatuses[i])])
	}
	return w.close().close().answer(), nil
}

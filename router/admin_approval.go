package router

import (
	"context"
	"maps"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/approval"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// operatorAdmin are the use cases of the operator: the approvals and the violations of connector accounts' adapters.
type operatorAdmin interface {
	Approval(ctx context.Context, a account.Auth, id string) (*account.ApprovalView, error)
	Approve(ctx context.Context, a account.Auth, id, hash string, plain bool) (*account.ApprovalView, error)
	Violations(ctx context.Context, a account.Auth, id string) ([]*port.Violation, error)
}

// operatorRoutes returns the routes of the operator. Only the admin key opens them.
func (s *Server) operatorRoutes() []route {
	const accountPath = "/account/{merchant_id}/connectors/{merchant_connector_id}"
	return []route{
		{method: "GET", pattern: accountPath + "/approval", who: admin, handle: s.retrieveApproval},
		{method: "POST", pattern: accountPath + "/approval", who: admin, handle: s.approve},
		{method: "GET", pattern: accountPath + "/violations", who: admin, handle: s.listViolations},
		{method: "GET", pattern: "/operations", who: admin, handle: s.listOperations},
		{method: "GET", pattern: "/operations/{operation_id}", who: admin, handle: s.retrieveOperation},
		{method: "POST", pattern: "/operations/{operation_id}/resolve", who: admin, handle: s.resolveOperation},
		{method: "POST", pattern: "/operations/{operation_id}/confirm", who: admin, handle: s.confirmOperation},
		{method: "POST", pattern: "/operations/{operation_id}/withdraw", who: admin, handle: s.withdrawOperation},
	}
}

// toApprove names the build of an adapter to approve, and whether it may also see plain secrets.
type toApprove struct {
	hash  string
	plain bool
}

var approvalFields = closedObject(
	must(at("sha256", text, func(b *toApprove) *string { return &b.hash })),
	at("plain_secrets", boolean, func(b *toApprove) *bool { return &b.plain }),
)

func (s *Server) retrieveApproval(c *call) (answer, error) {
	return approvalAnswer(s.Admin.Approval(c.ctx(), c.merchant(), c.param("merchant_connector_id")))
}

// approve grants the named build the reach that its manifest asks for.
func (s *Server) approve(c *call) (answer, error) {
	var in toApprove
	if err := decode(c, approvalFields, &in); err != nil {
		return answer{}, err
	}
	return approvalAnswer(s.Admin.Approve(c.ctx(), c.merchant(), c.param("merchant_connector_id"), in.hash, in.plain))
}

func approvalAnswer(v *account.ApprovalView, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	status := "approved"
	switch {
	case v.Adapter.Manifest == nil:
		status = "not_installed"
	case !v.Awaiting.IsEmpty():
		status = "awaiting_approval"
	case v.Adapter.BuiltIn:
		status = "built_in"
	}
	w := new(writer).open().str("merchant_connector_id", v.Account.ID).str("connector_name", v.Account.Connector).str("status", status)
	if v.Adapter.Manifest == nil {
		w.null("adapter")
	} else {
		w.key("adapter").open().str("name", v.Adapter.Name).str("version", v.Adapter.Manifest.Version).str("sha256", v.Adapter.Hash).close()
	}
	w.bool("plain_secrets", v.Adapter.Manifest != nil && !v.Adapter.BuiltIn && v.Account.Operator.PlainSecrets(v.Adapter.Hash))
	if v.Awaiting.IsEmpty() {
		w.null("awaiting")
	} else {
		writeReach(w.key("awaiting"), v.Awaiting)
	}
	if caution := v.Caution(); caution == "" {
		w.null("caution")
	} else {
		w.str("caution", caution)
	}
	w.key("approvals").openList()
	for _, a := range v.Account.Operator.Approvals {
		w.open().time("at", a.At).str("by", string(a.By)).str("name", a.Adapter).str("version", a.Version).str("sha256", a.Hash)
		writeReach(w.key("reach"), a.Reach).bool("plain_secrets", a.PlainSecrets).close()
	}
	return w.closeList().close().answer(), nil
}

// writeReach writes the reach of an adapter. A placement is written as a sentence.
func writeReach(w *writer, r approval.Reach) *writer {
	w.open().key("hosts").open()
	for _, name := range slices.Sorted(maps.Keys(r.Hosts)) {
		w.strings(name, r.Hosts[name])
	}
	return w.close().strings("credentials", r.Credentials).strings("config", r.Config).strings("authentication", placementTexts(r.Authentication)).
		strings("placements", placementTexts(r.Placements)).bool("plain_secrets", r.PlainSecrets).close()
}

func placementTexts(all []sdk.Placement) []string {
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = approval.PlacementText(all[i])
	}
	return texts
}

// listViolations lists the rules that the account's adapter has broken.
func (s *Server) listViolations(c *call) (answer, error) {
	id := c.param("merchant_connector_id")
	list, err := s.Admin.Violations(c.ctx(), c.merchant(), id)
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().str("merchant_connector_id", id)
	return listOfAnswers(w.key("adapter_violations"), list, func(w *writer, v *port.Violation) {
		w.open().time("at", v.At).str("operation_id", v.OperationID).str("operation", string(v.Operation)).str("adapter", v.Adapter).
			str("sha256", v.AdapterHash).str("rule", v.Rule).str("place", v.Place).close()
	}).close().answer(), nil
}

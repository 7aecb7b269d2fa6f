package router_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/approval"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/router"
	"payswitch/sdk"
)

// Only the admin key can approve an adapter.
func TestApprovalIsTheOperators(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/account/m1/connectors/" + w.get("/account/m1/connectors").list()[0]["merchant_connector_id"].(string) + "/approval"
	for _, key := range []string{w.secret, w.publishable, ""} {
		w.send("GET", path, key, "").refused(401, "IR_01", "")
		w.send("POST", path, key, `{"sha256":"x"}`).refused(401, "IR_01", "")
	}
	a := w.admin("GET", path, "").ok()
	require.Equal(t, "built_in", a["status"])
	require.Nil(t, a["awaiting"])
	made := a["approvals"].([]any)[0].(map[string]any)
	require.Equal(t, "creation", made["by"])
	hash := a["adapter"].(map[string]any)["sha256"].(string)
	require.Equal(t, hash, made["sha256"])
	again := w.admin("POST", path, `{"sha256":"`+hash+`"}`).ok()
	require.Len(t, again["approvals"], 2)
	w.admin("POST", path, `{"sha256":"`+hash+`","plain_secrets":true}`).refused(422, "IR_06", "simulator is built in and works with stand-ins")
	w.admin("POST", path, `{"sha256":"00"}`).refused(422, "IR_06", "sha256 is not the hash of the installed adapter")
	w.admin("POST", path, `{}`).refused(400, "IR_06", "missing field `sha256`")
	w.admin("GET", "/account/m1/connectors/mca_none/approval", "").refused(404, "HE_02", "Merchant connector account")
}

// operator is a fake engine with an account that awaits approval.
type operator struct {
	router.Admin
	view *account.ApprovalView
}

func (o operator) Approval(context.Context, account.Auth, string) (*account.ApprovalView, error) {
	return o.view, nil
}

func (o operator) Violations(context.Context, account.Auth, string) ([]*port.Violation, error) {
	return []*port.Violation{{At: time.UnixMilli(1_760_000_000_000), OperationID: "op_1", Operation: sdk.OpAuthorize, Adapter: "acme", AdapterHash: "ab",
		Rule: "host", Place: "evil.example"}}, nil
}

func TestViolations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/account/m1/connectors/" + w.get("/account/m1/connectors").list()[0]["merchant_connector_id"].(string) + "/violations"
	w.send("GET", path, w.secret, "").refused(401, "IR_01", "")
	require.Empty(t, w.admin("GET", path, "").ok()["adapter_violations"])
	w.admin("GET", "/account/m1/connectors/mca_none/violations", "").refused(404, "HE_02", "Merchant connector account")
	require.Equal(t, map[string]any{"merchant_connector_id": "mca_1", "adapter_violations": []any{map[string]any{"at": "2025-10-09T08:53:20.000Z",
		"operation_id": "op_1", "operation": "authorize", "adapter": "acme", "sha256": "ab", "rule": "host", "place": "evil.example"}}},
		operator{}.world(t).send("GET", "/account/m1/connectors/mca_1/violations", adminKey, "").ok())
}

// world returns a Server over o.
func (o operator) world(t *testing.T) *world {
	s, err := router.New(router.Deps{Access: &fake{}, Payments: &fake{}, Admin: o, Logger: slog.New(slog.NewTextHandler(&bytes.Buffer{}, nil)),
		Connectors: plugins.NativeConnectors(nil)}, router.Options{AdminKey: secret.New(adminKey), PublicURL: publicURL})
	require.NoError(t, err)
	return &world{t: t, handler: checked(t, s)}
}

func TestAwaitingApproval(t *testing.T) {
	t.Parallel()
	m := &sdk.Manifest{Version: "2.0.0", Environments: map[string]sdk.Environment{"test": {Hosts: []string{"b.example", "a.example"}}},
		Credentials:    []sdk.Field{{Name: "secret", Key: "api_key", Type: "secret"}},
		Config:         []sdk.Field{{Name: "region", Type: "text", Default: "eu"}},
		Authentication: []sdk.Placement{{Secret: "secret", In: "header", Field: "Authorization"}},
		Placements:     []sdk.Placement{{Secret: "cvc", In: "body", Field: "card.cvc", Method: "POST", Path: "/v1", Operation: sdk.OpAuthorize}}}
	v := &account.ApprovalView{Account: &account.Account{ID: "mca_1", Connector: "acme"},
		Adapter: port.AdapterInfo{Name: "acme", Hash: "ab", Manifest: m}, Awaiting: approval.ReachOf(m)}
	v.Account.Operator.Approvals = []approval.Approval{{At: time.UnixMilli(1_760_000_000_000), By: approval.ApprovedAtCreation, Adapter: "acme", Version: "1.0.0", Hash: "cd", PlainSecrets: true}}
	get := func() map[string]any {
		return operator{view: v}.world(t).send("GET", "/account/m1/connectors/mca_1/approval", adminKey, "").ok()
	}
	require.Equal(t, map[string]any{
		"merchant_connector_id": "mca_1", "connector_name": "acme", "status": "awaiting_approval", "plain_secrets": false,
		"adapter": map[string]any{"name": "acme", "version": "2.0.0", "sha256": "ab"},
		"awaiting": map[string]any{"hosts": map[string]any{"test": []any{"a.example", "b.example"}}, "credentials": []any{"api_key as secret (secret)"}, "config": []any{"region as region (text; default eu)"},
			"authentication": []any{"secret in header Authorization"}, "placements": []any{"cvc in body card.cvc of POST /v1 (authorize)"}, "plain_secrets": false},
		"caution": approval.ReachOf(m).Caution(),
		"approvals": []any{map[string]any{"at": "2025-10-09T08:53:20.000Z", "by": "creation", "name": "acme", "version": "1.0.0", "sha256": "cd",
			"reach": map[string]any{"hosts": map[string]any{}, "credentials": []any{}, "config": []any{}, "authentication": []any{}, "placements": []any{}, "plain_secrets": false}, "plain_secrets": true}},
	}, get())
	v.Adapter.Hash = "cd"
	require.Equal(t, true, get()["plain_secrets"])
	v.Adapter, v.Awaiting = port.AdapterInfo{}, approval.Reach{}
	gone := get()
	require.Equal(t, "not_installed", gone["status"])
	require.Nil(t, gone["adapter"])
}

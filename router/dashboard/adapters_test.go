package dashboard

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/port"
	"payswitch/engine/staff"
)

// foreign is the adapters with one that is not built in, as an operator has installed it.
type foreign struct{ of Adapters }

func (f foreign) Adapter(name string) (port.AdapterInfo, bool) {
	info, ok := f.of.Adapter(name)
	info.BuiltIn = false
	return info, ok
}

func (f foreign) Adapters() []port.AdapterInfo { return f.of.Adapters() }

// approver keeps what was approved.
type approver struct {
	Engine
	hash string
}

func (a *approver) Approve(_ context.Context, auth account.Auth, id, hash string, plain bool) (*account.ApprovalView, error) {
	a.hash = auth.MerchantID + " " + id + " " + hash
	return &account.ApprovalView{}, nil
}

// TestApproveAdapter: an operator sees what an adapter asks for and approves the build that the page shows; other people see nothing of it.
func TestApproveAdapter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "adyen", "credential.api_key", "k", "credential.key1", "k")
	require.Equal(t, http.StatusForbidden, get(t, w.server, "/adapters").Code)
	w.as(staff.Grant{Role: staff.Operator})
	require.Contains(t, w.page("/adapters"), "1 account")
	require.NotContains(t, w.page("/adapters/adyen"), "Approve for")
	list, err := w.engine.Accounts(t.Context(), w.auth)
	require.NoError(t, err)
	list[0].Operator.Approvals = nil
	kept := &approver{Engine: w.server.Engine}
	w.server.Engine, w.server.Adapters = kept, foreign{w.server.Adapters}
	info, _ := w.server.Adapters.Adapter("adyen")
	c := &call{server: w.server, Session: w.person}
	html := rendered(t, w.server, c.adapterOf(info, list, nil, nil, nil))
	require.Contains(t, html, "Approve for adyen_default")
	require.Contains(t, html, "checkout-test.adyen.com")
	w.done("/adapters/adyen/approve", "merchant", "acme", "account", list[0].ID, "hash", info.Hash)
	require.Equal(t, "acme "+list[0].ID+" "+info.Hash, kept.hash)
	require.Equal(t, "adapter.approve", w.audit.acts[len(w.audit.acts)-1].Action)
	w.person.SecondFactorAt = time.Time{}
	require.Equal(t, http.StatusForbidden, w.post("/adapters/adyen/approve", "account", list[0].ID, "hash", info.Hash).Code)
	require.Equal(t, http.StatusNotFound, get(t, w.server, "/adapters/nothing").Code)
}

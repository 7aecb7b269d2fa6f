package engine_test

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/approval"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
)

// droppedIn are replaceable adapters, like those from a directory. Earlier builds stay available by hash.
type droppedIn struct {
	t      *testing.T
	mu     sync.Mutex
	builds []port.Connectors // newest last
}

func (d *droppedIn) install(a *sdk.Adapter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.builds = append(d.builds, plugins.NativeConnectors(map[string]*sdk.Adapter{a.Manifest.Name: a}))
}

func (d *droppedIn) all() []port.Connectors {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.builds
}

func (d *droppedIn) Adapter(connector string) (port.AdapterInfo, bool) {
	all := d.all()
	info, ok := all[len(all)-1].Adapter(connector)
	info.BuiltIn = false
	return info, ok
}

func (d *droppedIn) Adapters() []port.AdapterInfo {
	all := d.all()
	return all[len(all)-1].Adapters()
}

func (d *droppedIn) Drive(ctx context.Context, in *port.Drive) (*port.DriveResult, error) {
	all := d.all()
	for _, c := range all {
		if info, ok := c.Adapter(in.Connector); ok && info.Hash == in.AdapterHash {
			return c.Drive(ctx, in)
		}
	}
	return all[len(all)-1].Drive(ctx, in)
}

func (d *droppedIn) Turn(ctx context.Context, accountID string) (context.Context, func(), error) {
	return d.all()[0].Turn(ctx, accountID)
}

// reaching returns a processor's adapter that accepts every request, for hosts, with one more placement for each of fields.
func reaching(version string, hosts []string, fields ...string) *sdk.Adapter {
	post := func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := c.Do(&sdk.Send{Method: "POST", URL: "/do", SafeToRepeat: true, IdempotencyHeader: "Idempotency-Key",
			Headers: []sdk.Header{sdk.H("Content-Type", "application/json"), sdk.H("Authorization", "Bearer "+c.Account.Credentials["key"])},
			Body:    sdk.NewObject().Str("reference", c.Request.Reference).Bytes()})
		if err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.OutcomeStatus(r.JSON().Str("status")), TransactionID: cmp.Or(c.Request.TransactionID, "t_"+c.Request.Reference)}, nil
	}
	sync := func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := c.Get("/ask", sdk.H("Authorization", "Bearer "+c.Account.Credentials["key"]))
		if err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.OutcomeStatus(r.JSON().Str("status")), TransactionID: cmp.Or(c.Request.TransactionID, "t_"+c.Request.Reference)}, nil
	}
	a := &sdk.Adapter{Authorize: post, Capture: post, Void: post, Sync: sync}
	a.Manifest = sdk.Manifest{Name: "shop", Kind: sdk.KindProcessor, Version: version,
		Environments:   map[string]sdk.Environment{"test": {BaseURL: "https://" + hosts[0], Hosts: hosts}},
		Credentials:    []sdk.Field{{Name: "key", Key: "api_key", Type: "secret"}},
		Authentication: []sdk.Placement{{Secret: "key", In: "header", Field: "Authorization"}},
		Resolve:        sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}}}
	for _, f := range fields {
		a.Manifest.Placements = append(a.Manifest.Placements, sdk.Placement{Secret: "card_number", In: "body", Field: f})
	}
	return a
}

// newShop returns a world with the adapter, an account and the account's processor, which answers with *status.
func newShop(t *testing.T, status *string) (*world, *droppedIn, *account.Account) {
	d := &droppedIn{t: t}
	d.install(reaching("1.0.0", []string{"api.shop.example"}, "number"))
	w := newWorldWith(t, engine.Options{}, d, filepath.Join(t.TempDir(), "p.db"))
	p := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		answer := *status
		if r.Method == http.MethodGet {
			answer = "authorized"
		}
		_, _ = rw.Write([]byte(`{"status":"` + answer + `"}`))
	}))
	t.Cleanup(p.Close)
	a, err := w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "shop",
		Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"sk_of_the_shop"}`)})
	require.NoError(t, err)
	_, err = w.SetEgress(t.Context(), w.auth, a.ID, account.EgressInput{BaseURL: p.URL})
	require.NoError(t, err)
	return w, d, a
}

// A build that reaches further than the approval makes no charges until the operator approves it.
func TestApproval(t *testing.T) {
	t.Parallel()
	status := "authorized"
	w, d, a := newShop(t, &status)
	view := func() *account.ApprovalView {
		v, err := w.Approval(t.Context(), w.auth, a.ID)
		require.NoError(t, err)
		return v
	}
	first := view()
	require.True(t, first.Awaiting.IsEmpty())
	require.Len(t, first.Account.Operator.Approvals, 1)
	require.Equal(t, approval.ApprovedAtCreation, first.Account.Operator.Approvals[0].By)
	held := w.pay(sale(1000, "4242424242424242", manual))
	require.Equal(t, payment.RequiresCapture, held.Payment.Status)

	d.install(reaching("1.0.1", []string{"api.shop.example"}, "number")) // the same reach
	require.True(t, view().Awaiting.IsEmpty())
	require.Equal(t, payment.RequiresCapture, w.pay(sale(1000, "4242424242424242", manual)).Payment.Status)

	d.install(reaching("1.1.0", []string{"api.shop.example", "evil.example"}, "number", "description"))
	awaiting := view().Awaiting
	require.Equal(t, "test host evil.example; card_number in body description", awaiting.String())
	_, err := w.CreatePayment(t.Context(), w.auth, sale(1000, "4242424242424242"))
	require.Equal(t, "HE_03", code(t, err))
	require.ErrorContains(t, err, "awaits the operator's approval")
	require.ErrorContains(t, err, "evil.example")
	_, err = w.CapturePayment(t.Context(), w.auth, held.Payment.ID, &request.CaptureInput{})
	require.Equal(t, "HE_03", code(t, err))
	require.ErrorContains(t, err, "shop 1.1.0 asks for test host evil.example")
	require.Equal(t, payment.RequiresCapture, w.get(held.Payment.ID, request.RetrieveInput{}).Payment.Status, "as it was")
	require.GreaterOrEqual(t, w.alarms.all()["awaiting_approval"], 2)
	synced := w.get(held.Payment.ID, request.RetrieveInput{ForceSync: true})
	require.Equal(t, payment.RequiresCapture, synced.Payment.Status)

	other, err := w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "shop", Label: "new",
		Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"sk_of_the_shop"}`)})
	require.NoError(t, err)
	v, err := w.Approval(t.Context(), w.auth, other.ID)
	require.NoError(t, err)
	require.True(t, v.Awaiting.IsEmpty(), "an account made now takes what is installed now")
	require.NoError(t, w.DeleteAccount(t.Context(), w.auth, other.ID))

	_, err = w.Approve(t.Context(), w.auth, a.ID, first.Adapter.Hash, false)
	require.ErrorContains(t, err, "is not the hash of the installed adapter")
	_, err = w.Approve(t.Context(), w.auth, a.ID, "", false)
	require.Equal(t, "IR_04", code(t, err))
	approved, err := w.Approve(t.Context(), w.auth, a.ID, view().Adapter.Hash, false)
	require.NoError(t, err)
	require.True(t, approved.Awaiting.IsEmpty())
	require.Len(t, approved.Account.Operator.Approvals, 2)
	status = "captured"
	captured, err := w.CapturePayment(t.Context(), w.auth, held.Payment.ID, &request.CaptureInput{})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, captured.Payment.Status)
}

// Routing takes another account that can make the payment.
func TestRoutingPassesWhatAwaitsApproval(t *testing.T) {
	t.Parallel()
	status := "captured"
	w, d, a := newShop(t, &status)
	d.install(reaching("2.0.0", []string{"api.shop.example", "other.example"}, "number"))
	second, err := w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "shop", Label: "second",
		Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"sk_of_the_shop"}`)})
	require.NoError(t, err)
	first, err := w.Account(t.Context(), w.auth, a.ID)
	require.NoError(t, err)
	_, err = w.SetEgress(t.Context(), w.auth, second.ID, account.EgressInput{BaseURL: first.BaseURL})
	require.NoError(t, err)
	v := w.pay(sale(1000, "4242424242424242"))
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, second.ID, v.Attempt.AccountID)
}

// Hosts that the operator has set replace the hosts of any manifest.
func TestApprovalOfHostsSet(t *testing.T) {
	t.Parallel()
	status := "captured"
	w, d, a := newShop(t, &status)
	base, err := w.Account(t.Context(), w.auth, a.ID)
	require.NoError(t, err)
	_, err = w.SetEgress(t.Context(), w.auth, a.ID, account.EgressInput{BaseURL: base.BaseURL, Hosts: []string{"api.shop.example"}})
	require.NoError(t, err)
	d.install(reaching("2.0.0", []string{"api.shop.example", "other.example"}, "number"))
	require.Equal(t, payment.Succeeded, w.pay(sale(1000, "4242424242424242")).Payment.Status)
}

func TestReachBeyond(t *testing.T) {
	t.Parallel()
	built := func() *sdk.Manifest {
		m := &reaching("1.0.0", []string{"api.shop.example"}, "number").Manifest
		m.Config = []sdk.Field{{Name: "region", Type: "enum", Values: []string{"eu", "us"}, Default: "eu"}}
		return m
	}
	base := approval.ReachOf(built())
	for name, tc := range map[string]struct {
		change func(m *sdk.Manifest)
		want   string
	}{
		"nothing":             {func(*sdk.Manifest) {}, ""},
		"less":                {func(m *sdk.Manifest) { m.Placements, m.Authentication = nil, nil }, ""},
		"other words":         {func(m *sdk.Manifest) { m.Description, m.Credentials[0].Label = "x", "y" }, ""},
		"host of another env": {func(m *sdk.Manifest) { m.Environments["live"] = sdk.Environment{Hosts: []string{"api.shop.example"}} }, "live host api.shop.example"},
		"secret as text":      {func(m *sdk.Manifest) { m.Credentials[0].Type = "text" }, "credential api_key as key (text)"},
		"other key":           {func(m *sdk.Manifest) { m.Credentials[0].Key = "key1" }, "credential key1 as key (secret)"},
		"config":              {func(m *sdk.Manifest) { m.Config = append(m.Config, sdk.Field{Name: "shop", Type: "text"}) }, "config shop as shop (text)"},
		"a config's key":      {func(m *sdk.Manifest) { m.Config[0].Key = "area" }, "config area as region (enum: eu, us; default eu)"},
		"a default":           {func(m *sdk.Manifest) { m.Config[0].Default = "us" }, "config region as region (enum: eu, us; default us)"},
		"a value to choose":   {func(m *sdk.Manifest) { m.Config[0].Values = []string{"eu", "evil"} }, "config region as region (enum: eu, evil; default eu)"},
		"less config":         {func(m *sdk.Manifest) { m.Config = nil }, ""},
		"authentication":      {func(m *sdk.Manifest) { m.Authentication[0].Field = "X-Key" }, "authentication key in header X-Key"},
		"narrower":            {func(m *sdk.Manifest) { m.Placements[0].Path, m.Placements[0].Operation = "/p", sdk.OpAuthorize }, ""},
		"other escapes":       {func(m *sdk.Manifest) { m.Placements[0].Escapes = "form" }, "card_number in body number escaped for form"},
		"cvc": {func(m *sdk.Manifest) {
			m.Placements = append(m.Placements, sdk.Placement{Secret: "cvc", In: "body", Field: "number", Method: "POST", Path: "/p", Operation: sdk.OpAuthorize})
		}, "cvc in body number of POST /p (authorize)"},
	} {
		m := built()
		tc.change(m)
		require.Equal(t, tc.want, approval.ReachOf(m).Beyond(base).String(), name)
	}
	narrow := built()
	narrow.Placements[0].Path = "/p"
	require.Equal(t, "card_number in body number", base.Beyond(approval.ReachOf(narrow)).String(), "any path is more than one")
	require.Contains(t, base.Caution(), "could name another account")
	require.Empty(t, approval.Reach{}.Caution())
}

// An approval without config, from an earlier release, holds for its own build. The next build needs an approval of its config.
func TestApprovalWithoutConfig(t *testing.T) {
	t.Parallel()
	m := &reaching("1.0.0", []string{"api.shop.example"}, "number").Manifest
	m.Config = []sdk.Field{{Name: "region", Type: "text", Default: "eu"}}
	var old approval.Reach
	stored, err := json.Marshal(approval.ReachOf(m))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(regexp.MustCompile(`"config":\[[^]]*\],`).ReplaceAll(stored, nil), &old))
	require.Nil(t, old.Config)
	d := approval.OperatorDecisions{Approvals: []approval.Approval{{Hash: "this build", Reach: old}}}
	require.True(t, d.Beyond("this build", m, nil).IsEmpty(), "an unchanged adapter stops no payments")
	require.Equal(t, "config region as region (text; default eu)", d.Beyond("the next", m, nil).String())
	m.Config = nil
	require.True(t, d.Beyond("the next", m, nil).IsEmpty())
}

// The newest approvals are kept. An earlier approval still lets operations end that began under it.
func TestApprovalsAreBounded(t *testing.T) {
	t.Parallel()
	status := "captured"
	w, d, a := newShop(t, &status)
	for i := range 25 {
		d.install(reaching("2.0."+strconv.Itoa(i), []string{"api.shop.example", strings.Repeat("x", i+1) + ".example"}, "number"))
		info, _ := d.Adapter("shop")
		_, err := w.Approve(t.Context(), w.auth, a.ID, info.Hash, false)
		require.NoError(t, err)
	}
	n, err := w.Account(t.Context(), w.auth, a.ID)
	require.NoError(t, err)
	require.Len(t, n.Operator.Approvals, 20)
	earlier := reaching("2.0.0", []string{"api.shop.example", strings.Repeat("x", 20) + ".example"}, "number").Manifest
	require.True(t, n.Operator.Beyond("", &earlier, nil).IsEmpty())
	gone := reaching("2.0.0", []string{"api.shop.example", "x.example"}, "number").Manifest
	require.False(t, n.Operator.Beyond("", &gone, nil).IsEmpty())
}

// The operator gives the secrets themselves to one build. Later builds do not get them. Texts that the adapter makes of them are not
// stored.
func TestPlainSecretsOfAnAccount(t *testing.T) {
	t.Parallel()
	status := "authorized"
	w, d, a := newShop(t, &status)
	seen := map[string]string{}
	curious := func(version string) *sdk.Adapter {
		adapter := reaching(version, []string{"api.shop.example"}, "number")
		do := adapter.Authorize
		adapter.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
			number := c.Request.Instrument.Card.Number
			seen[version] = number
			for i := range 2 { // the second round reads the approval from the database
				if _, err := c.Do(&sdk.Send{Method: "POST", URL: "/look?" + number + strconv.Itoa(i), Body: []byte(number)}); err != nil {
					return nil, err
				}
			}
			o, err := do(c)
			if o != nil {
				o.ConnectorData = &sdk.ConnectorData{Payment: number}
			}
			return o, err
		}
		return adapter
	}
	d.install(curious("2.0.0"))
	approve := func(plain bool) {
		t.Helper()
		info, _ := d.Adapter("shop")
		v, err := w.Approve(t.Context(), w.auth, a.ID, info.Hash, plain)
		require.NoError(t, err)
		require.Equal(t, plain, v.Account.Operator.PlainSecrets(info.Hash))
		require.True(t, v.Awaiting.IsEmpty())
	}
	approve(true)
	require.Equal(t, payment.RequiresCapture, w.pay(sale(1000, "4242424242424242", manual)).Payment.Status)
	require.Equal(t, "4242424242424242", seen["2.0.0"])
	files, err := filepath.Glob(w.file + "*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NotContains(t, string(b), "4242424242424242", f)
	}
	records, _ := w.journal()
	require.Empty(t, records, "nothing is kept of requests that hold secrets")

	d.install(curious("2.0.1"))
	_, err = w.CreatePayment(t.Context(), w.auth, sale(1000, "4242424242424242"))
	require.Equal(t, "HE_03", code(t, err))
	require.ErrorContains(t, err, "shop 2.0.1 asks for the secrets themselves (plain_secrets)")
	approve(false)
	_, err = w.CreatePayment(t.Context(), w.auth, sale(1000, "4242424242424242"))
	require.Equal(t, "HE_00", code(t, err), "blind again: its request is a violation")
	require.NotContains(t, seen["2.0.1"], "4242")
	approve(true)
	w.pay(sale(1000, "4242424242424242", manual))
	require.Equal(t, "4242424242424242", seen["2.0.1"])
}

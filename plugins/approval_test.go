package plugins_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/approval"
	"payswitch/engine/port"
	"payswitch/plugins"
	"payswitch/sdk"
)

// A build that reaches further than approved is refused before any request leaves. Operations that only ask go on within the
// approved reach.
func TestWithinApproval(t *testing.T) {
	p, other := newProcessor(t), newProcessor(t)
	to := p.URL
	secretIn := "Authorization"
	ask := func(c *sdk.Call) (*sdk.Outcome, error) {
		method := http.MethodPost
		if c.Operation() == sdk.OpSync {
			method = http.MethodGet
		}
		if _, err := c.Do(&sdk.Send{Method: method, URL: to + "/x", Headers: []sdk.Header{sdk.H(secretIn, c.Account.Credentials["secret_key"])}}); err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusPending}, nil
	}
	a := scripted(ask)
	approvedHost, otherHost := p.Listener.Addr().String(), other.Listener.Addr().String()
	a.Manifest.Authentication = []sdk.Placement{{Secret: "secret_key", In: "header", Field: "Authorization"}}
	approved := approval.Approval{Hash: "an earlier build", Reach: approval.ReachOf(&a.Manifest)}
	approved.Reach.Hosts = map[string][]string{"test": {approvedHost}}
	a.Manifest.Authentication = append(a.Manifest.Authentication, sdk.Placement{Secret: "secret_key", In: "header", Field: "X-More"})
	native, err := plugins.NewNative(map[string]*sdk.Adapter{"scripted": a}, plugins.Options{AllowLoopbackHTTP: true})
	require.NoError(t, err)
	drive := func(op sdk.Operation, decisions *approval.OperatorDecisions) error {
		d := authorize("scripted", "")
		d.Operation, d.Account.Operator = op, decisions
		_, err := native.Drive(t.Context(), d)
		return err
	}
	one := &approval.OperatorDecisions{Approvals: []approval.Approval{approved}}
	violates := func(err error, rule string) {
		t.Helper()
		var v *plugins.Violation
		require.ErrorAs(t, err, &v)
		require.Equal(t, rule, v.Rule)
	}

	for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpCapture, sdk.OpVoid} {
		err := drive(op, one)
		require.ErrorIs(t, err, port.ErrNotApproved)
		require.ErrorContains(t, err, "scripted 1.0.0 asks for authentication secret_key in header X-More")
	}
	require.ErrorIs(t, drive(sdk.OpAuthorize, &approval.OperatorDecisions{}), port.ErrNotApproved, "nothing is approved")
	require.ErrorIs(t, drive(sdk.OpSync, &approval.OperatorDecisions{}), port.ErrNotApproved, "no host is approved")
	require.Zero(t, p.arrivals.Load())

	require.NoError(t, drive(sdk.OpSync, one))
	require.EqualValues(t, 1, p.arrivals.Load())
	secretIn = "X-More"
	violates(drive(sdk.OpSync, one), plugins.RuleSecret)
	to, secretIn = other.URL, "Authorization"
	violates(drive(sdk.OpSync, one), plugins.RuleHost)
	require.EqualValues(t, 1, p.arrivals.Load()+other.arrivals.Load())

	info, _ := native.Adapter("scripted")
	this := approval.Approval{Hash: info.Hash}
	d := authorize("scripted", "")
	d.Account.Hosts = []string{otherHost}
	d.Account.Operator = &approval.OperatorDecisions{Approvals: []approval.Approval{approved, this, approved}}
	_, err = native.Drive(t.Context(), d)
	require.NoError(t, err, "this build was approved")
	require.EqualValues(t, 1, other.arrivals.Load())
}

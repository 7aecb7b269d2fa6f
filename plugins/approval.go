package plugins

import (
	"fmt"
	"slices"

	"payswitch/engine/approval"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// asking are the operations that only ask for the state of money. While a build awaits approval they go on within the approved
// reach, so open operations still get resolved. The host refuses all others.
var asking = []sdk.Operation{sdk.OpSync, sdk.OpRefundSync, sdk.OpDisputeSync, sdk.OpResult, sdk.OpWebhook}

// withinApproval compares the build's reach with what the operator has approved for the account. It returns the account and the
// placements to drive with, or port.ErrNotApproved.
func (o *operation) withinApproval() (*port.DriveAccount, []place, error) {
	account, all := &o.in.Account, o.adapter.places
	d, m := account.Operator, o.adapter.manifest
	if d == nil {
		return account, all, nil
	}
	o.plain = d.PlainSecrets(o.adapter.hash)
	more := d.Beyond(o.adapter.hash, m, account.Hosts)
	if more.IsEmpty() {
		return account, all, nil
	}
	approved := d.Approved()
	hosts := approved.Hosts[account.Environment]
	if len(account.Hosts) > 0 {
		hosts = account.Hosts
	}
	if !slices.Contains(asking, o.in.Operation) || len(more.Credentials) > 0 || more.PlainSecrets || len(hosts) == 0 {
		return nil, nil, fmt.Errorf("%w: %s %s asks for %s", port.ErrNotApproved, m.Name, m.Version, more)
	}
	within := *account
	within.Hosts = hosts
	return &within, slices.DeleteFunc(slices.Clone(all), func(p place) bool {
		if p.authentication {
			return !approval.Covered(&p.Placement, approved.Authentication)
		}
		return !approval.Covered(&p.Placement, approved.Placements)
	}), nil
}

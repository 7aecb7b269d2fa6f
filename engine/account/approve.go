package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"payswitch/engine/alarm"
	"payswitch/engine/approval"
	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// AwaitingApproval returns the part of the adapter's reach that the operator has not approved for the account. Running the binary approves its
// built-in adapters.
func AwaitingApproval(a *Account, info port.AdapterInfo) approval.Reach {
	if info.BuiltIn {
		return approval.Reach{}
	}
	return a.Operator.Beyond(info.Hash, info.Manifest, a.Hosts)
}

// NotApproved returns the error for an account that needs an approval first. The error lists what the adapter asks for.
func (s *Registry) NotApproved(ctx context.Context, a *Account, info port.AdapterInfo, more approval.Reach) *fault.Error {
	s.Metrics.Alarm(alarm.AwaitingApproval)
	s.Log.LogAttrs(ctx, slog.LevelWarn, "connector account awaits approval of its adapter", slog.String("account_id", a.ID), slog.String("connector", a.Connector),
		slog.String("sha256", info.Hash), slog.String("awaiting", more.String()))
	return fault.ApprovalError(a.Connector, fmt.Sprintf("%s %s asks for %s", info.Name, info.Manifest.Version, more)).WithParam("merchant_connector_id").WithHint("Ask the operator of the switch to approve the adapter.")
}

// WithoutApproval turns a drive that was refused without an approval into a reject, which the caller sees. Other drives are left as they
// are.
func (s *Registry) WithoutApproval(r *port.DriveResult, err error) error {
	if !errors.Is(err, port.ErrNotApproved) || r.MayHaveLeft {
		return err
	}
	s.Metrics.Alarm(alarm.AwaitingApproval)
	r.Reject = &sdk.Reject{Code: approval.RejectNotApproved, Message: err.Error()}
	return nil
}

// ApprovalView is an account with its approvals, as an operator sees it.
type ApprovalView struct {
	Account *Account
	Adapter port.AdapterInfo // the build that is installed now; its Manifest is nil if no adapter is installed
	// AwaitingApproval is the part of the adapter's reach that is not approved. If it is empty, payments go through.
	Awaiting approval.Reach
}

// Caution returns Reach.Caution of the installed adapter.
func (v *ApprovalView) Caution() string {
	if v.Adapter.Manifest == nil {
		return ""
	}
	return approval.ReachOf(v.Adapter.Manifest).Caution()
}

// Approval returns what the operator has approved of an account's adapter, and what awaits approval. Errors: HE_02.
func (s *Registry) Approval(ctx context.Context, a Auth, id string) (*ApprovalView, error) {
	n, err := s.Account(ctx, a, id)
	if err != nil {
		return nil, err
	}
	return s.approvalView(n), nil
}

func (s *Registry) approvalView(n *Account) *ApprovalView {
	v := &ApprovalView{Account: n}
	if info, ok := s.Connectors.Adapter(n.Connector); ok {
		v.Adapter, v.Awaiting = info, AwaitingApproval(n, info)
	}
	return v
}

// Approve approves the reach of the installed build for an account. hash must be the hash of that build, so that the operator approves
// exactly what the operator has seen. With plain, the adapter gets the secrets themselves. Without plain, it gets stand-ins, even if it had
// the secrets before. Errors: HE_02; IR_04; IR_06 (422) for another build, and for plain with a built-in adapter.
func (s *Registry) Approve(ctx context.Context, a Auth, id, hash string, plain bool) (*ApprovalView, error) {
	if hash == "" {
		return nil, fault.Missing("sha256")
	}
	var n *Account
	err := s.change(ctx, "approve adapter of connector account", func(tx Tx) (err error) {
		if n, err = accountOf(tx, a, id); err != nil {
			return err
		}
		info, ok := s.Connectors.Adapter(n.Connector)
		if !ok {
			return fault.Unprocessable("sha256", "no adapter is installed for "+n.Connector+": install one, then approve it").WithHint("Install an adapter for the connector first.")
		}
		if info.Hash != hash {
			return fault.Unprocessable("sha256", "sha256 is not the hash of the installed adapter: read what that adapter asks for, then approve "+info.Hash).WithHint("Send " + info.Hash + ".")
		}
		if plain && info.BuiltIn {
			return fault.Unprocessable("plain_secrets", "plain_secrets must be false: "+info.Name+" is built in and works with stand-ins").WithHint("Leave the field out.")
		}
		n.Operator.Approve(info.Hash, info.Manifest, approval.ApprovedByOperator, plain, tx.Now())
		n.ModifiedAt = tx.Now()
		return tx.UpdateAccount(n)
	})
	if err != nil {
		return nil, err
	}
	s.Log.LogAttrs(ctx, slog.LevelInfo, "adapter of connector account approved", slog.String("account_id", n.ID), slog.String("connector", n.Connector),
		slog.String("sha256", hash), slog.Bool("plain_secrets", plain))
	return s.approvalView(n), nil
}

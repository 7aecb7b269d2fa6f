package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"payswitch/sdk"
)

// awaiting is what the account's adapter asks for beyond what is approved. What is built in comes with the binary, and is approved
// by running it.
func awaiting(a *Account, info AdapterInfo) Reach {
	if info.BuiltIn {
		return Reach{}
	}
	return a.Operator.Beyond(info.Hash, info.Manifest, a.Hosts)
}

// notApproved refuses what needs an approval first, and says which.
func (s *Registry) notApproved(ctx context.Context, a *Account, info AdapterInfo, more Reach) *Error {
	s.Metrics.Alarm("awaiting_approval")
	s.Log.LogAttrs(ctx, slog.LevelWarn, "connector account awaits approval of its adapter", slog.String("account_id", a.ID), slog.String("connector", a.Connector),
		slog.String("sha256", info.Hash), slog.String("awaiting", more.String()))
	return approvalError(a.Connector, fmt.Sprintf("%s %s asks for %s", info.Name, info.Manifest.Version, more))
}

// withoutApproval turns a drive that was refused for want of an approval into a reject that the caller is told.
func (s *Registry) withoutApproval(r *DriveResult, err error) error {
	if !errors.Is(err, ErrNotApproved) || r.MayHaveLeft {
		return err
	}
	s.Metrics.Alarm("awaiting_approval")
	r.Reject = &sdk.Reject{Code: rejectNotApproved, Message: err.Error()}
	return nil
}

// ApprovalView is what an operator sees of an account's approvals.
type ApprovalView struct {
	Account *Account
	Adapter AdapterInfo // installed now; its Manifest is nil where none is
	// Awaiting is what the adapter asks for beyond what is approved; empty: nothing, and payments go through.
	Awaiting Reach
}

// Caution is Reach.Caution of the adapter that is installed now.
func (v *ApprovalView) Caution() string {
	if v.Adapter.Manifest == nil {
		return ""
	}
	return ReachOf(v.Adapter.Manifest).Caution()
}

// Approval shows what of its adapter an account's operator has approved, and what awaits approval. Errors: HE_02.
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
		v.Adapter, v.Awaiting = info, awaiting(n, info)
	}
	return v
}

// Approve lets an account's adapter have the reach that the build with this hash asks for, and with plain the secrets themselves: an
// operator's decision. It must be the build that is installed now, so that nobody approves what he has not seen. Without plain, secrets
// that the adapter was given until now are stand-ins again. Errors: HE_02; IR_04; IR_06 (422) for another build, and for secrets to a
// built-in adapter, which are all blind.
func (s *Registry) Approve(ctx context.Context, a Auth, id, hash string, plain bool) (*ApprovalView, error) {
	if hash == "" {
		return nil, Missing("sha256")
	}
	var n *Account
	err := s.change(ctx, "approve adapter of connector account", func(tx AccountTx) (err error) {
		if n, err = accountOf(tx, a, id); err != nil {
			return err
		}
		info, ok := s.Connectors.Adapter(n.Connector)
		if !ok {
			return Unprocessable("sha256", "no adapter is installed for "+n.Connector+": there is nothing to approve")
		}
		if info.Hash != hash {
			return Unprocessable("sha256", "sha256 is not that of the adapter that is installed now: look at what it asks for, and approve "+info.Hash)
		}
		if plain && info.BuiltIn {
			return Unprocessable("plain_secrets", "plain_secrets is for adapters that cannot be blind: "+info.Name+" is built in, and needs no secrets")
		}
		n.Operator.approve(info.Hash, info.Manifest, ApprovedByOperator, plain, tx.Now())
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

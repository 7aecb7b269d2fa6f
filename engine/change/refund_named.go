package change

import (
	"context"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// RefundNamed finds the refund that an event of an account names, by the processor's id, else by payswitch's reference. It returns nil if the event names
// none. own is false for a refund that has another id of the processor's than the event: one reference stands for two refunds there.
func (s *Changes) RefundNamed(ctx context.Context, at *account.Account, ev *sdk.Event) (f *payment.Refund, own bool, err error) {
	var list []*payment.Refund
	err = s.Store.View(ctx, func(r Reader) (err error) {
		list, err = r.RefundsAt(at.MerchantID, at.ID, ev.RefundID, ev.Reference)
		return err
	})
	if err != nil {
		return nil, false, fault.FromStore(err, "find refund of a message")
	}
	for _, f := range list {
		if f.ProcessorID == ev.RefundID && ev.RefundID != "" {
			return f, true, nil
		}
	}
	for _, f := range list {
		if f.ProcessorID == "" || ev.RefundID == "" {
			return f, true, nil
		}
	}
	if len(list) > 0 {
		return list[0], false, nil
	}
	return nil, false, nil
}

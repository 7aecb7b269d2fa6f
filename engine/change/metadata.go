package change

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// takesMetadata are the statuses in which a merchant adds metadata to a payment. Before that an update of the payment changes it.
var takesMetadata = []payment.Status{payment.Succeeded, payment.Failed, payment.PartiallyCaptured, payment.PartiallyCapturedAndCapturable, payment.RequiresCapture,
	payment.RequiresCustomerAction}

// UpdateMetadata adds members to the metadata of a payment that can no longer be updated; a member of the same name is replaced. The merchant gets no
// event of it. IR_16 for a payment with another status.
func (s *Changes) UpdateMetadata(ctx context.Context, auth account.Auth, id string, in request.MetadataInput) (*View, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	return s.Decide(ctx, auth, id, func(w *Loaded) (*Change, error) {
		p := w.Payment
		if !slices.Contains(takesMetadata, p.Status) {
			hint := p.Status.Remedy()
			if p.Status.Facts().Update {
				hint = "Update the payment with POST /payments/{payment_id}."
			}
			return nil, fault.Refused("You cannot update_metadata this payment because it has status " + string(p.Status)).WithParam("status").WithHint(hint)
		}
		members := map[string]json.RawMessage{}
		for _, object := range []json.RawMessage{p.Details.Metadata, in.Metadata} {
			if err := json.Unmarshal([]byte(cmp.Or(string(object), "{}")), &members); err != nil {
				return nil, fault.Internal(err, "read metadata")
			}
		}
		merged, err := json.Marshal(members)
		if err != nil {
			return nil, fault.Internal(err, "write metadata")
		}
		p.Details.Metadata, p.ModifiedAt = merged, s.Now().UTC().Truncate(time.Millisecond)
		if in.FeatureMetadata != nil {
			p.Details.Echo = maps.Clone(p.Details.Echo)
			p.Details.SetEcho("feature_metadata", string(in.FeatureMetadata))
		}
		return &Change{Payment: p}, nil
	})
}

package dispute

import (
	"cmp"
	"context"
	"errors"

	"payswitch/engine/account"
	"payswitch/engine/disputed"
	"payswitch/engine/fault"
	"payswitch/sdk"
)

// Answers says which answers a dispute takes now. A field is "" if that answer is possible, else the reason in the API's words.
type Answers struct{ Accept, Submit, Attach string }

// DisputeWithAnswers returns a dispute, and which answers it takes now. It asks the checks of AcceptDispute, SubmitEvidence and AttachEvidence, so that a page
// and the API never disagree.
func (s *Disputes) DisputeWithAnswers(ctx context.Context, auth account.Auth, id string) (*disputed.Record, *Answers, error) {
	d, err := s.own(ctx, auth, id)
	if err != nil {
		return nil, nil, err
	}
	w, err := s.Changes.Load(ctx, d.MerchantID, d.PaymentID)
	if err != nil {
		return nil, nil, err
	}
	w.Dispute = d
	out := &Answers{}
	for kind, why := range map[sdk.Operation]*string{sdk.OpAcceptDispute: &out.Accept, sdk.OpSubmitEvidence: &out.Submit, sdk.OpAttachEvidence: &out.Attach} {
		var refused *fault.Error
		switch err := s.mayAnswer(ctx, w, kind); {
		case errors.As(err, &refused) && refused.Kind != fault.KindInternal:
			*why = cmp.Or(refused.Reason, refused.Message)
		case err != nil:
			return nil, nil, err
		}
	}
	return d, out, nil
}

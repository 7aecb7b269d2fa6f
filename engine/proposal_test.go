package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// needsTwo makes the profile of a world ask for a second person.
func (w *world) needsTwo(rule string) {
	w.t.Helper()
	list, err := w.Profiles(w.t.Context(), w.auth)
	require.NoError(w.t, err)
	_, err = w.UpdateProfile(w.t.Context(), w.auth, list[0].ID, account.ProfileInput{Fields: account.Fields{"second_person_for_decisions": json.RawMessage(rule)}})
	require.NoError(w.t, err)
}

func person(id, name string, proposal *payment.Proposal) request.ReviewInput {
	return request.ReviewInput{ProposalID: proposal.ID, By: name, Person: id}
}

// TestSecondPerson: where the profile asks for it, one person's word changes nothing until another one confirms it.
func TestSecondPerson(t *testing.T) {
	t.Parallel()
	w, _, id, op := unknown(t, sdk.OpCapture, manual)
	w.needsTwo(`{"required":true,"limits":{"USD":599}}`)
	before := w.get(id, request.RetrieveInput{}).Payment
	in := word("not_done")
	in.Person = "user_ada"
	v, err := w.ResolveOperation(t.Context(), op, in)
	require.NoError(t, err)
	require.True(t, v.SecondPerson)
	require.Equal(t, payment.OperationUnknown, v.Status)
	require.Nil(t, v.Resolution)
	require.Equal(t, before.Version, w.get(id, request.RetrieveInput{}).Payment.Version, "nothing has moved")

	again, err := w.ResolveOperation(t.Context(), op, in)
	require.NoError(t, err, "a form that is sent twice proposes once")
	require.Equal(t, v.Proposal, again.Proposal)
	_, err = w.ResolveOperation(t.Context(), op, word("declined", func(in *request.ResolutionInput) { in.By = "Bob" }))
	require.ErrorContains(t, err, "waits for a second person")
	for _, same := range []request.ReviewInput{person("user_ada", "Ada the Second", v.Proposal), person("user_bob", " ada ", v.Proposal), person("", "Ada", v.Proposal)} {
		_, err = w.ConfirmResolution(t.Context(), op, same)
		require.ErrorContains(t, err, "another person has to confirm", "%+v", same)
	}
	_, err = w.ConfirmResolution(t.Context(), op, request.ReviewInput{ProposalID: "prop_other", By: "Bob"})
	require.ErrorContains(t, err, "no such proposal")

	w.needsTwo(`{"required":false}`) // the proposal needs another person also after somebody has switched the rule off
	_, err = w.ResolveOperation(t.Context(), op, word("not_done", func(in *request.ResolutionInput) { in.By = "Eve" }))
	require.ErrorContains(t, err, "waits for a second person")
	_, err = w.ConfirmResolution(t.Context(), op, person("user_ada", "Ada", v.Proposal))
	require.ErrorContains(t, err, "another person has to confirm")

	done, err := w.ConfirmResolution(t.Context(), op, person("user_bob", "Bob", v.Proposal))
	require.NoError(t, err)
	require.Equal(t, []any{"Ada", "Bob", payment.FoundNotDone}, []any{done.Resolution.By, done.Resolution.Second, done.Resolution.Outcome})
	require.Nil(t, done.Proposal)
	require.Equal(t, payment.RequiresCapture, w.get(id, request.RetrieveInput{}).Payment.Status)
	_, err = w.ConfirmResolution(t.Context(), op, person("user_bob", "Bob", v.Proposal))
	require.ErrorContains(t, err, "has ended")
}

// TestSecondPersonWithdraws: a proposal that is withdrawn decides nothing, and another one takes its place. A word that the engine would refuse is not
// kept as a proposal.
func TestSecondPersonWithdraws(t *testing.T) {
	t.Parallel()
	w, _, id, op := unknown(t, sdk.OpRefund)
	w.needsTwo(`{"required":true}`)
	_, err := w.ResolveOperation(t.Context(), op, word("succeeded", amountOf(601), reference("re_1")))
	require.ErrorContains(t, err, "amount must be between 1 and 600")
	require.ErrorContains(t, w.DecideRefund(t.Context(), "r", request.RefundDecision{MerchantID: "m1", Status: "failed"}), "second person")
	first, err := w.ResolveOperation(t.Context(), op, word("not_done"))
	require.NoError(t, err)
	gone, err := w.WithdrawResolution(t.Context(), op, person("", "Bob", first.Proposal))
	require.NoError(t, err)
	require.Nil(t, gone.Proposal)
	_, err = w.ConfirmResolution(t.Context(), op, person("", "Bob", first.Proposal))
	require.ErrorContains(t, err, "no such proposal")
	require.Equal(t, payment.RefundPending, w.refunded("r").Status)
	second, err := w.ResolveOperation(t.Context(), op, word("succeeded", reference("re_1")))
	require.NoError(t, err)
	_, err = w.ConfirmResolution(t.Context(), op, person("", "Bob", second.Proposal))
	require.NoError(t, err)
	require.Equal(t, payment.RefundSucceeded, w.refunded("r").Status)
	for _, status := range []string{"failed", "pending"} { // one person alone would free the amount for another refund
		require.ErrorContains(t, w.DecideRefund(t.Context(), "r", request.RefundDecision{MerchantID: "m1", Status: status}), "second person")
	}
	require.NoError(t, w.DecideRefund(t.Context(), "r", request.RefundDecision{MerchantID: "m1", ErrorMessage: ptr("seen")}))
	require.EqualValues(t, 400, w.get(id, request.RetrieveInput{}).Payment.Refundable())
	w.needsTwo(`{"required":true,"limits":{"USD":600}}`)
	require.NoError(t, w.DecideRefund(t.Context(), "r", request.RefundDecision{MerchantID: "m1", Status: "failed"}))
}

// TestSecondPersonAboveALimit: small sums are decided alone, as without the rule.
func TestSecondPersonAboveALimit(t *testing.T) {
	t.Parallel()
	for rule, needed := range map[string]bool{`{"required":true,"limits":{"USD":600}}`: false, `{"required":true,"limits":{"USD":599}}`: true,
		`{"required":true,"limits":{"EUR":99999}}`: true, `{"required":false,"limits":{"USD":0}}`: false} {
		t.Run(rule, func(t *testing.T) {
			w, _, _, op := unknown(t, sdk.OpRefund)
			w.needsTwo(rule)
			v, err := w.ResolveOperation(t.Context(), op, word("not_done"))
			require.NoError(t, err)
			require.Equal(t, needed, v.SecondPerson)
			require.Equal(t, needed, v.Resolution == nil)
		})
	}
}

package dashboard

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/staff"
)

// doubt makes a payment whose authorization is unknown, and returns the operation's id.
func (w *world) doubt() string {
	w.t.Helper()
	w.pay(900000031)
	list, err := w.engine.Operations(w.t.Context(), request.OperationFilter{Statuses: []payment.OperationStatus{payment.OperationUnknown}, Limit: 10})
	require.NoError(w.t, err)
	require.NotEmpty(w.t, list)
	return list[len(list)-1].ID
}

// TestDecide: an operation in doubt is shown with its evidence, and only what the engine allows can be said about it, with a reason.
func TestDecide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Contains(t, w.page("/decisions"), "Nothing in doubt")
	w.done("/m/acme/connectors", "connector", "simulator")
	id := w.doubt()
	require.Contains(t, w.page("/decisions"), "9,000,000.31")
	page := w.page("/decisions/" + id)
	for _, text := range []string{"What is known", "Evidence", "The processor never acted", "the customer pays twice", "Processor&#39;s reference"} {
		require.Contains(t, page, text)
	}
	for name, pairs := range map[string][]string{
		"why":       {"outcome", "not_done", "why", " "},
		"reference": {"outcome", "succeeded", "amount", "9000000.31", "reference", "", "why", "seen"},
		"amount":    {"outcome", "succeeded", "amount", "9000000.311", "reference", "r", "why", "seen"},
	} {
		rec := w.post("/decisions/"+id, pairs...)
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, name)
		require.Contains(t, rec.Body.String(), `id="`+pairs[1]+`-p-`+name+`"`, name)
	}
	over := w.post("/decisions/"+id, "outcome", "succeeded", "amount", "9000000.32", "reference", "r", "why", "seen")
	require.Equal(t, http.StatusUnprocessableEntity, over.Code)
	require.Contains(t, over.Body.String(), "This is more than the 9,000,000.31 USD that the operation was about")
	require.NotEqual(t, http.StatusSeeOther, w.post("/decisions/"+id, "outcome", "guessed", "why", "seen").Code)

	w.person.Email = "ada@example.com"
	require.Equal(t, "/decisions/"+id, w.done("/decisions/"+id, "outcome", "not_done", "why", "the processor's page"))
	v, err := w.engine.Operation(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "Ada Lovelace <ada@example.com>", v.Resolution.By)
	require.Equal(t, "operation.decide", w.audit.acts[len(w.audit.acts)-1].Action)
	after := w.page("/decisions/" + id)
	require.Contains(t, after, "the processor never acted")
	require.NotContains(t, after, "Decide: ", "a decision is made once")
	require.Contains(t, w.page("/decisions"), "Nothing in doubt")
	require.Contains(t, w.page("/decisions"), "The last decision")
	require.NotEqual(t, http.StatusSeeOther, w.post("/decisions/"+id, "outcome", "declined", "why", "again").Code)
}

// TestDoubtLeadsToTheDecision: the payment in doubt leads to the decision, which says what to look the operation up by. An operation that the processor's
// answer has ended says that nothing is left to decide.
func TestDoubtLeadsToTheDecision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	id := w.doubt()
	v, err := w.engine.Operation(t.Context(), id)
	require.NoError(t, err)
	pay := "/m/acme/payments/" + v.PaymentID
	require.Contains(t, w.page(pay), `href="/decisions/`+id+`"`)
	page := w.page("/decisions/" + id)
	require.Contains(t, page, "Reference at the processor")
	require.Contains(t, page, v.LastSendAt.UTC().Format("15:04:05.000")+" UTC", "an earlier look at the processor proves nothing")
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support})
	require.NotContains(t, w.page(pay), "/decisions/")

	w.as(staff.Grant{MerchantID: "acme", Role: staff.Admin})
	paid := w.pay(6540).Payment
	st, err := w.engine.Timeline(t.Context(), w.auth, paid.ID)
	require.NoError(t, err)
	page = w.page("/decisions/" + st.Operations[0].ID)
	require.Contains(t, page, "Nothing to decide")
	require.NotContains(t, page, "not asked yet")
	require.NotContains(t, page, "Your decision was not booked.")
	late := w.post("/decisions/"+st.Operations[0].ID, "outcome", "not_done", "why", "seen")
	require.Contains(t, late.Body.String(), "Your decision was not booked.")
	require.Contains(t, page, "sim_"+paid.ID, "the processor&#39;s id")
}

// TestWhoDecides: support sees no decision, and an admin sees those of the own merchant alone.
func TestWhoDecides(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	id := w.doubt()
	w.as(staff.Grant{MerchantID: "other", Role: staff.Admin})
	require.Contains(t, w.page("/decisions"), "Nothing in doubt")
	for _, code := range []int{get(t, w.server, "/decisions/"+id).Code, w.post("/decisions/"+id, "outcome", "not_done", "why", "seen").Code} {
		require.Equal(t, http.StatusNotFound, code)
	}
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support})
	require.Equal(t, http.StatusForbidden, get(t, w.server, "/decisions").Code)
	w.as(staff.Grant{Role: staff.Operator})
	require.Contains(t, w.page("/decisions"), "9,000,000.31")
	w.person.SecondFactorAt = time.Time{}
	require.Contains(t, w.page("/decisions/"+id), "second factor")
	require.Equal(t, http.StatusForbidden, w.post("/decisions/"+id, "outcome", "not_done", "why", "seen").Code)
}

// TestSecondPersonDecides: above the profile's sum one person proposes, and another confirms or refuses. The own proposal has no button to confirm.
func TestSecondPersonDecides(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	profile := "/m/acme/profiles/" + w.profile().ID + "/decisions"
	wrong := w.post(profile, "second_person", "on", "limits", "lots")
	require.Equal(t, http.StatusUnprocessableEntity, wrong.Code)
	require.Contains(t, wrong.Body.String(), "write amounts such as")
	require.Equal(t, http.StatusOK, w.post(profile, "second_person", "on", "limits", "1000.00 USD, 50 EUR").Code)
	require.Contains(t, w.page("/m/acme/profiles/"+w.profile().ID), `value="1000.00 USD, 50.00 EUR"`)
	id := w.doubt()
	require.Contains(t, w.page("/decisions/"+id), "Propose: the processor never acted")
	acts := func() (out []string) {
		for _, a := range w.audit.acts {
			if a.Target == id {
				out = append(out, a.Action)
			}
		}
		return out
	}
	propose := func() string {
		t.Helper()
		w.done("/decisions/"+id, "outcome", "not_done", "why", "the processor's page")
		v, err := w.engine.Operation(t.Context(), id)
		require.NoError(t, err)
		require.Nil(t, v.Resolution)
		return v.Proposal.ID
	}
	first := propose()
	own := w.page("/decisions/" + id)
	require.Contains(t, own, "You have proposed this yourself")
	require.Contains(t, own, "Withdraw the proposal")
	require.NotContains(t, own, "/confirm\"")
	require.Contains(t, w.page("/decisions"), "waits for a second person")
	refused := w.post("/decisions/"+id+"/confirm", "proposal", first)
	require.Equal(t, http.StatusUnprocessableEntity, refused.Code)
	require.Contains(t, refused.Body.String(), "another person has to confirm it")

	w.person.UserID, w.person.Name = "user_bob", "Bob"
	other := w.page("/decisions/" + id)
	for _, text := range []string{"Ada Lovelace", "the processor&#39;s page", "the customer pays twice", "Confirm: the processor never acted", "Refuse the proposal"} {
		require.Contains(t, other, text)
	}
	w.as(staff.Grant{MerchantID: "other", Role: staff.Admin})
	require.Equal(t, http.StatusNotFound, w.post("/decisions/"+id+"/confirm", "proposal", first).Code)
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support})
	require.Equal(t, http.StatusForbidden, w.post("/decisions/"+id+"/confirm", "proposal", first).Code)
	require.Equal(t, http.StatusForbidden, w.post("/decisions/"+id+"/withdraw", "proposal", first).Code)
	w.as(staff.Grant{Role: staff.Operator})
	fresh := w.person.SecondFactorAt
	w.person.SecondFactorAt = time.Time{}
	require.Equal(t, http.StatusForbidden, w.post("/decisions/"+id+"/confirm", "proposal", first).Code, "the second person needs a second factor")
	w.person.SecondFactorAt = fresh
	w.done("/decisions/"+id+"/withdraw", "proposal", first)
	second := propose() // by Bob, now
	require.Equal(t, http.StatusUnprocessableEntity, w.post("/decisions/"+id+"/confirm", "proposal", second).Code)
	w.person.UserID, w.person.Name = "user_ada", "Ada Lovelace"
	require.Equal(t, http.StatusUnprocessableEntity, w.post("/decisions/"+id+"/confirm", "proposal", first).Code, "the proposal that the page showed is gone")
	w.done("/decisions/"+id+"/confirm", "proposal", second)
	require.Contains(t, w.page("/decisions/"+id), "confirmed by Ada Lovelace")
	require.Equal(t, []string{"operation.propose", "operation.confirm", "operation.withdraw", "operation.propose", "operation.confirm", "operation.confirm", "operation.confirm"}, acts())
}

package engine_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/disputed"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// arbiter is a processor with one dispute.
type arbiter struct {
	*httptest.Server
	mu      sync.Mutex
	id      string // of the dispute; "" is dp_1
	act     string // ok, refuse, drop (never arrives), lose (acts, and the answer is lost), other (names another dispute), won (a status that no answer has)
	status  sdk.DisputeStatus
	answers int
	hold    chan struct{} // an answer waits for it; nil for none
	arrived chan struct{}
}

func newArbiter(t *testing.T) *arbiter {
	a := &arbiter{act: "ok", status: sdk.DisputeOpened, arrived: make(chan struct{}, 10)}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Server.CloseClientConnections)
	t.Cleanup(a.Server.Close)
	return a
}

func (a *arbiter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/pay" {
		var in struct{ Reference string }
		json.NewDecoder(r.Body).Decode(&in)
		w.Write([]byte(`{"id":"tx_` + in.Reference + `"}`))
		return
	}
	a.mu.Lock()
	act, hold := a.act, a.hold
	id := cmp.Or(a.id, "dp_1")
	if r.Method == "POST" {
		a.answers++
		switch act {
		case "refuse":
			w.WriteHeader(400)
		case "drop":
		default:
			a.status = map[string]sdk.DisputeStatus{"/accept": sdk.DisputeAccepted, "/evidence": sdk.DisputeChallenged}[r.URL.Path]
		}
	}
	status := a.status
	a.mu.Unlock()
	if r.Method == "POST" {
		if hold != nil {
			a.arrived <- struct{}{}
			<-hold
		}
		switch act {
		case "drop", "lose":
			panic(http.ErrAbortHandler)
		case "other":
			id = "dp_2"
		case "won":
			status = sdk.DisputeWon
		}
	}
	w.Write([]byte(`{"id":"` + id + `","status":"` + string(status) + `","code":"too_late"}`))
}

func (a *arbiter) sent() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.answers
}

func (a *arbiter) acts(how string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.act = how
}

// arbitrated returns an adapter for an arbiter. Without asks it offers no query.
func arbitrated(asks bool) *sdk.Adapter {
	a := mailing(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference, sdk.ResolveByIdempotentResend, sdk.ResolveByWebhook},
		IdempotencyWindowSeconds: 3600, NotFoundFinalAfterSeconds: 30})
	do := func(method, path string) sdk.Func {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			r, err := c.Do(&sdk.Send{Method: method, URL: path, SafeToRepeat: method == "GET"})
			if err != nil {
				return nil, err
			}
			if r.Status == 400 {
				return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: r.JSON().Str("code"), Message: "The time is over.", Reason: sdk.DeclineNotPermitted}}, nil
			}
			o := c.Disputed(sdk.DisputeStatus(r.JSON().Str("status")), r.JSON().Str("status"))
			o.Dispute.ID = r.JSON().Str("id")
			o.Dispute.Amount.Minor = 1 // an answer must change no amount
			if method == "GET" {
				o.Dispute.Amount = c.Request.Dispute.Amount
			}
			return o, nil
		}
	}
	a.Refund = func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := c.Do(&sdk.Send{Method: "POST", URL: "/pay", Body: []byte(`{"reference":"` + c.Request.Reference + `"}`)})
		if err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusRefunded, RefundID: r.JSON().Str("id")}, nil
	}
	a.Manifest.Features.PartialRefund = true
	a.AcceptDispute, a.SubmitEvidence = do("POST", "/accept"), do("POST", "/evidence")
	if asks {
		a.DisputeSync = do("GET", "/dispute")
	}
	return a
}

// answerWorld returns a world with an open dispute of 600 of a payment of 1000 USD.
func answerWorld(t *testing.T, p *arbiter, asks bool) (w *world, a *account.Account, id, dispute string) {
	return answerWorldOf(t, p, asks, 20*time.Millisecond)
}

// answerWorldOf is answerWorld with the time between two looks for open operations.
func answerWorldOf(t *testing.T, p *arbiter, asks bool, every time.Duration) (w *world, a *account.Account, id, dispute string) {
	w = newWorld(t, engine.Options{ResolveEvery: every, LeaseTime: 10 * time.Second, LockWait: 200 * time.Millisecond}, map[string]*sdk.Adapter{"shop": arbitrated(asks)})
	a = w.mailAccount("shop", p.URL, "")
	id = w.pay(sale(1000, visa)).Payment.ID
	require.NoError(t, w.dispute(a, hookSecret, id, "dp_1", sdk.DisputeOpened, 600, "USD", 10))
	list, err := w.ListDisputes(t.Context(), w.auth, request.DisputeListInput{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	return w, a, id, list[0].ID
}

func (w *world) disputed(id string) *disputed.Record {
	w.t.Helper()
	d, err := w.RetrieveDispute(w.t.Context(), w.auth, id, false)
	require.NoError(w.t, err)
	return d
}

func (w *world) disputeBecomes(id string, status sdk.DisputeStatus, answer disputed.AnswerStatus) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		d := w.disputed(id)
		return d.Status == status && d.Details.Answer.Status == answer
	}, 10*time.Minute, 100*time.Millisecond, "the dispute never became %s with an answer that is %s", status, answer)
}

// What the adapter says of an answer counts only as far as it can be right. An answer changes no amount.
func TestDisputeAnswerJudged(t *testing.T) {
	for act, c := range map[string]struct {
		code, alarm string
		status      sdk.DisputeStatus
		answer      disputed.AnswerStatus
	}{
		"ok":     {"", "", sdk.DisputeAccepted, disputed.AnswerDone},
		"refuse": {"CE_08", "", sdk.DisputeOpened, disputed.AnswerFailed},
		"lose":   {"", "", sdk.DisputeOpened, disputed.AnswerProcessing},
		"other":  {"", "impossible_outcome", sdk.DisputeOpened, disputed.AnswerProcessing},
		"won":    {"", "impossible_outcome", sdk.DisputeOpened, disputed.AnswerProcessing},
	} {
		p := newArbiter(t)
		w, _, id, dispute := answerWorld(t, p, true)
		p.acts(act)
		_, err := w.AcceptDispute(t.Context(), w.auth, &request.AcceptInput{DisputeID: dispute})
		if c.code == "" {
			require.NoError(t, err, act)
		} else {
			require.Equal(t, c.code, code(t, err), act)
		}
		d := w.disputed(dispute)
		require.Equal(t, []any{c.status, c.answer, int64(600)}, []any{d.Status, d.Details.Answer.Status, d.Amount}, act)
		require.Equal(t, int64(600), w.get(id, request.RetrieveInput{}).Payment.Disputed(), act)
		if c.alarm != "" {
			require.Equal(t, 1, w.alarms.all()[c.alarm], act)
		}
	}
}

// A question of the issuer's that a refund has answered is not accepted as well: the customer would get the amount twice. A part of the payment that is left may
// be given up.
func TestAcceptAfterARefund(t *testing.T) {
	t.Parallel()
	for refunded, accepts := range map[int64]bool{400: true, 401: false, 1000: false} {
		for _, relayed := range []bool{false, true} {
			p := newArbiter(t)
			w, a, id, _ := answerWorld(t, p, true)
			_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "dispute", "reference": w.get(id, request.RetrieveInput{}).Attempt.Details.Reference,
				"time": 11000, "dispute": sdk.Dispute{ID: "dp_1", Status: sdk.DisputeWon, Amount: sdk.Money{Minor: 600, Currency: "USD"}}}))
			require.NoError(t, err)
			question := w.asks(a, id)
			if relayed {
				r, err := w.givesBack(a.ID, w.get(id, request.RetrieveInput{}).Attempt.TransactionID, refunded)
				require.NoError(t, err)
				require.Equal(t, relay.Success, r.Status)
			} else {
				r, err := w.refund(id, refunded)
				require.NoError(t, err)
				require.Equal(t, payment.RefundSucceeded, r.Status)
			}
			_, err = w.AcceptDispute(t.Context(), w.auth, &request.AcceptInput{DisputeID: question})
			if accepts {
				require.Equal(t, 1, p.sent(), "%v", err)
			} else {
				require.ErrorContains(t, err, "Dispute status validation failed", "by a relay: %v", relayed)
				require.Zero(t, p.sent())
			}
		}
	}
}

// asks has the issuer ask about 600 of a payment, and returns the id of the question's dispute.
func (w *world) asks(a *account.Account, id string) string {
	w.t.Helper()
	_, err := w.ReceiveWebhook(w.t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "dispute", "reference": w.get(id, request.RetrieveInput{}).Attempt.Details.Reference,
		"time": 12000, "dispute": sdk.Dispute{ID: "dp_3", Stage: sdk.StagePreDispute, Status: sdk.DisputeOpened, Amount: sdk.Money{Minor: 600, Currency: "USD"}}}))
	require.NoError(w.t, err)
	list, err := w.ListDisputes(w.t.Context(), w.auth, request.DisputeListInput{Stages: []string{"pre_dispute"}})
	require.NoError(w.t, err)
	require.Len(w.t, list, 1)
	return list[0].ID
}

// While it is not known whether a captured payment was voided, no question of the issuer's about it is accepted: the customer would get the amount twice.
func TestAcceptDuringAVoid(t *testing.T) {
	t.Parallel()
	p, accepted := newTill(t), 0
	w, at, pay := voiding(t, p, byReference, 1000, func(a *sdk.Adapter) {
		a.AcceptDispute = func(c *sdk.Call) (*sdk.Outcome, error) {
			accepted++
			return nil, errors.New("not expected")
		}
	})
	question := w.asks(at, pay.id)
	p.set("/void", "later")
	v, err := w.takeBack(pay.id)
	require.NoError(t, err)
	require.Equal(t, undecided, stands(v))
	_, err = w.AcceptDispute(t.Context(), w.auth, &request.AcceptInput{DisputeID: question})
	require.ErrorContains(t, err, "Dispute status validation failed")
	require.Zero(t, accepted)
}

// While it is not known whether a question of the issuer's was accepted, no refund gives the same amount back. An acceptance that was not
// carried out leaves the amount to refunds.
func TestRefundDuringAnAcceptance(t *testing.T) {
	t.Parallel()
	for act, refunds := range map[string]bool{"lose": false, "ok": false, "refuse": true, "drop": true} {
		p := newArbiter(t)
		inBubble(t, func(t *testing.T) {
			w, a, id, _ := answerWorldOf(t, p, true, 2*time.Second)
			says := func(dispute sdk.Dispute, at int64) {
				t.Helper()
				dispute.Amount = sdk.Money{Minor: 600, Currency: "USD"}
				_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "dispute", "reference": w.get(id, request.RetrieveInput{}).Attempt.Details.Reference,
					"time": at, "dispute": dispute}))
				require.NoError(t, err)
			}
			says(sdk.Dispute{ID: "dp_1", Status: sdk.DisputeCancelled}, 11000)
			question := sdk.Dispute{ID: "dp_3", Stage: sdk.StagePreDispute, Status: sdk.DisputeOpened}
			says(question, 12000)
			list, err := w.ListDisputes(t.Context(), w.auth, request.DisputeListInput{Stages: []string{"pre_dispute"}})
			require.NoError(t, err)
			p.id = "dp_3"
			p.acts(act)
			w.AcceptDispute(t.Context(), w.auth, &request.AcceptInput{DisputeID: list[0].ID})
			says(question, 13000) // the message comes again
			if act == "lose" || act == "drop" {
				_, err = w.refund(id, 401)
				require.ErrorContains(t, err, "400 of the captured 1000", act)
			}
			w.running()
			time.Sleep(5 * time.Minute)
			require.NotEqual(t, disputed.AnswerProcessing, w.disputed(list[0].ID).Details.Answer.Status, act)
			_, err = w.refund(id, 401)
			require.Equal(t, refunds, err == nil, "%s: %v", act, err)
		}, p.Server)
	}
}

// The processor's clock is ahead, or its times have fractions of a second. An acceptance that it has carried out leaves nothing of the amount to refunds.
// What it says of the dispute when it is asked is booked.
func TestAcceptanceAtAnotherClock(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{time.Minute, -time.Millisecond} {
		p := newArbiter(t)
		p.id = "dp_3"
		w, a, id, _ := answerWorld(t, p, true)
		require.NoError(t, w.dispute(a, hookSecret, id, "dp_1", sdk.DisputeCancelled, 600, "USD", 11))
		now := time.Now()
		if ahead < 0 { // late in this second, and before the acceptance
			now = now.Truncate(time.Second).Add(time.Second)
		}
		_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "dispute", "reference": w.get(id, request.RetrieveInput{}).Attempt.Details.Reference,
			"time": now.Add(ahead).UnixMilli(), "dispute": sdk.Dispute{ID: "dp_3", Stage: sdk.StagePreDispute, Status: sdk.DisputeOpened, Amount: sdk.Money{Minor: 600, Currency: "USD"}}}))
		require.NoError(t, err)
		list, err := w.ListDisputes(t.Context(), w.auth, request.DisputeListInput{Stages: []string{"pre_dispute"}})
		require.NoError(t, err)
		_, err = w.AcceptDispute(t.Context(), w.auth, &request.AcceptInput{DisputeID: list[0].ID})
		require.NoError(t, err)
		require.Equal(t, sdk.DisputeAccepted, w.disputed(list[0].ID).Status)
		_, err = w.refund(id, 401)
		require.ErrorContains(t, err, "400 of the captured 1000")
		p.mu.Lock()
		p.status = sdk.DisputeLost
		p.mu.Unlock()
		d, err := w.RetrieveDispute(t.Context(), w.auth, list[0].ID, true)
		require.NoError(t, err)
		require.Equal(t, sdk.DisputeLost, d.Status)
	}
}

// An answer whose result was lost is asked about, and never sent again: it was carried out, or it never arrived.
func TestDisputeAnswerUnknown(t *testing.T) {
	for act, c := range map[string]struct {
		status sdk.DisputeStatus
		answer disputed.AnswerStatus
	}{"lose": {sdk.DisputeAccepted, disputed.AnswerDone}, "drop": {sdk.DisputeOpened, disputed.AnswerFailed}} {
		p := newArbiter(t)
		inBubble(t, func(t *testing.T) {
			w, _, id, dispute := answerWorld(t, p, true)
			p.acts(act)
			_, err := w.AcceptDispute(t.Context(), w.auth, &request.AcceptInput{DisputeID: dispute})
			require.NoError(t, err)
			_, err = w.AcceptDispute(t.Context(), w.auth, &request.AcceptInput{DisputeID: dispute})
			require.Equal(t, "HE_03", code(t, err), "one answer at a time")
			w.running()
			w.disputeBecomes(dispute, c.status, c.answer)
			require.Equal(t, 1, p.sent())
			want := []string{"dispute_opened"}
			if c.status != sdk.DisputeOpened {
				want = append(want, "dispute_accepted")
			}
			require.Equal(t, want, w.events(dispute))
			require.Equal(t, int64(600), w.get(id, request.RetrieveInput{}).Payment.Disputed())
		}, p.Server)
	}
}

// A processor that answers no queries reports the result with a message.
func TestDisputeAnswerTold(t *testing.T) {
	p := newArbiter(t)
	w, a, id, dispute := answerWorld(t, p, false)
	p.acts("lose")
	_, err := w.SubmitEvidence(t.Context(), w.auth, &request.EvidenceInput{DisputeID: dispute, Texts: map[string]string{"customer_name": "Jane Doe"}})
	require.NoError(t, err)
	require.Equal(t, disputed.AnswerProcessing, w.disputed(dispute).Details.Answer.Status)
	require.Equal(t, "WE_01", code(t, w.dispute(a, "a wrong secret", id, "dp_1", sdk.DisputeChallenged, 600, "USD", 4_000_000_000)))
	require.Equal(t, disputed.AnswerProcessing, w.disputed(dispute).Details.Answer.Status, "a message without proof")
	require.NoError(t, w.dispute(a, hookSecret, id, "dp_1", sdk.DisputeChallenged, 600, "USD", 4_000_000_000))
	d := w.disputed(dispute)
	require.Equal(t, []any{sdk.DisputeChallenged, disputed.AnswerDone}, []any{d.Status, d.Details.Answer.Status})
	require.Equal(t, []string{"dispute_opened", "dispute_challenged"}, w.events(dispute))
}

// While one answer is on its way no other leaves, and the message about it comes first. The answer that comes later changes nothing.
func TestDisputeAnswersAtOnce(t *testing.T) {
	p := newArbiter(t)
	w, a, id, dispute := answerWorld(t, p, true)
	p.hold = make(chan struct{})
	done := make(chan error)
	go func() {
		_, err := w.AcceptDispute(t.Context(), w.auth, &request.AcceptInput{DisputeID: dispute})
		done <- err
	}()
	<-p.arrived
	for range 5 {
		_, err := w.SubmitEvidence(t.Context(), w.auth, &request.EvidenceInput{DisputeID: dispute, Texts: map[string]string{"customer_name": "Jane Doe"}})
		require.Equal(t, "HE_03", code(t, err))
	}
	_, err := w.RetrieveDispute(t.Context(), w.auth, dispute, true)
	require.NoError(t, err)
	require.Equal(t, disputed.AnswerProcessing, w.disputed(dispute).Details.Answer.Status, "its own answer tells more than a query")
	require.NoError(t, w.dispute(a, hookSecret, id, "dp_1", sdk.DisputeLost, 600, "USD", 4_000_000_000))
	close(p.hold)
	require.NoError(t, <-done)
	d := w.disputed(dispute)
	require.Equal(t, []any{sdk.DisputeLost, disputed.AnswerDone, 1}, []any{d.Status, d.Details.Answer.Status, p.sent()})
	require.Equal(t, []string{"dispute_opened", "dispute_lost"}, w.events(dispute))
	require.Empty(t, w.alarms.all())
}

// A repeated request with the same Idempotency-Key sends no second answer.
func TestDisputeAnswerRepeated(t *testing.T) {
	p := newArbiter(t)
	w, _, _, dispute := answerWorld(t, p, true)
	auth := w.auth
	auth.RequestToken = "a token"
	for range 2 {
		d, err := w.AcceptDispute(t.Context(), auth, &request.AcceptInput{DisputeID: dispute})
		require.NoError(t, err)
		require.Equal(t, sdk.DisputeAccepted, d.Status)
	}
	require.Equal(t, 1, p.sent())
}

// A node that dies while it sends an answer leaves it unknown: another node asks.
func TestDisputeAnswerOfDeadNode(t *testing.T) {
	p := newArbiter(t)
	inBubble(t, func(t *testing.T) {
		w, _, _, dispute := answerWorld(t, p, true)
		p.acts("lose")
		_, err := w.AcceptDispute(t.Context(), w.auth, &request.AcceptInput{DisputeID: dispute})
		require.NoError(t, err)
		require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { // as the node left it
			op, err := tx.Operation(w.disputed(dispute).Details.Answer.OperationID)
			if err != nil {
				return err
			}
			op.Status, op.Owner, op.LeaseUntil, op.LastSendAt, op.ResolveAt = payment.OperationStarted, "dead", tx.Now().Add(time.Second), time.Time{}, time.Time{}
			return tx.UpdateOperation(op)
		}))
		w.running()
		w.disputeBecomes(dispute, sdk.DisputeAccepted, disputed.AnswerDone)
		require.Equal(t, 1, p.sent())
	}, p.Server)
}

// An operator's word ends an answer whose end payswitch cannot find out.
func TestDisputeAnswerResolvedByOperator(t *testing.T) {
	p := newArbiter(t)
	w, _, _, dispute := answerWorld(t, p, false)
	p.acts("lose")
	_, err := w.AcceptDispute(t.Context(), w.auth, &request.AcceptInput{DisputeID: dispute})
	require.NoError(t, err)
	op := w.disputed(dispute).Details.Answer.OperationID
	_, err = w.ResolveOperation(t.Context(), op, request.ResolutionInput{Outcome: payment.FoundSucceeded, By: "jane", Why: "the processor's page"})
	require.NoError(t, err)
	d := w.disputed(dispute)
	require.Equal(t, []any{sdk.DisputeAccepted, disputed.AnswerDone}, []any{d.Status, d.Details.Answer.Status})
	require.Equal(t, []string{"dispute_opened", "dispute_accepted"}, w.events(dispute))
}

package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/threeds/flow"
	"payswitch/sdk"
)

// inChallenge returns a payment whose payer is at the issuer's page, with the token of the URL to which the ACS leads back.
func (w *secureWorld) inChallenge(change ...func(*request.Input)) (*change.View, string) {
	w.t.Helper()
	w.a.authenticate = challenged
	v := w.begun(change...)
	require.Equal(w.t, "C", w.authenticated(v).TransStatus)
	return v, token(w.a.last(w.t, sdk.OpAuthenticate).Authentication.NotificationURL)
}

// comesBack brings a CRes to the challenge URL.
func (w *secureWorld) comesBack(token, message string) *flow.CallbackView {
	w.t.Helper()
	v, err := w.ChallengeNotified(w.t.Context(), token, message, "")
	require.NoError(w.t, err)
	return v
}

// passes moves the clock, so that background work becomes due.
func (w *world) passes(paymentID string, d time.Duration) {
	w.t.Helper()
	w.pass(d)
	require.Eventually(w.t, func() bool {
		a := w.record(paymentID)
		if a.DueAt.IsZero() {
			return true
		}
		a.DueAt = time.Now().Add(-time.Second)
		return w.db.Update(w.t.Context(), func(tx engine.Tx) error { return tx.UpdateAuthentication(a) }) == nil
	}, 20*time.Second, time.Millisecond)
}

func cancelled(code string) func(o *sdk.AuthenticationOutcome) {
	return func(o *sdk.AuthenticationOutcome) { o.ChallengeCancel = code }
}

func reason(code string) func(o *sdk.AuthenticationOutcome) {
	return func(o *sdk.AuthenticationOutcome) { o.TransStatusReason = code }
}

// Ends of a challenge: the result decides, and not the browser's message.
func TestChallengeOutcomes(t *testing.T) {
	for name, c := range map[string]struct {
		result func(*sdk.Request) *sdk.AuthenticationOutcome
		cres   string // the claim of the CRes, "" for an Erro instead of one
		want   payment.Status
		code   string
		eci    string
		alarm  string
	}{
		"F23 cancelled by the payer":    {result: always("N", cancelled("01")), cres: "N", want: payment.Failed, code: "challenge_cancelled"},
		"F24 wrong code too often":      {result: always("N", reason("19")), cres: "N", want: payment.Failed, code: "authentication_failed"},
		"F25 timed out at the ACS":      {result: always("N", cancelled("04"), reason("14")), cres: "N", want: payment.Failed, code: "authentication_timeout"},
		"F26 the CReq came too late":    {result: always("U", cancelled("05")), cres: "N", want: payment.Failed, code: "authentication_abandoned"},
		"F27 an error, then the result": {result: always("U", cancelled("06")), want: payment.Failed, code: "authentication_unavailable"},
		"F29 the CRes says Y":           {result: always("N"), cres: "Y", want: payment.Failed, code: "authentication_failed", alarm: "cres_rreq_mismatch"},
		"F29 rejected":                  {result: always("R"), cres: "Y", want: payment.Failed, code: "authentication_rejected", alarm: "cres_rreq_mismatch"},
		"F30 the CRes says N":           {result: always("Y"), cres: "N", want: payment.Succeeded, eci: "05"},
		"F34 gone": {result: func(*sdk.Request) *sdk.AuthenticationOutcome { return &sdk.AuthenticationOutcome{Gone: true} }, cres: "Y", want: payment.Failed,
			code: "authentication_result_lost"},
		"F35 unavailable":       {result: always("U"), cres: "N", want: payment.Failed, code: "authentication_unavailable"},
		"F36 attempted":         {result: always("A"), cres: "N", want: payment.Succeeded, eci: "06"},
		"C inside the result":   {result: always("C"), cres: "Y", want: payment.Failed, code: "authentication_protocol_error"},
		"I inside the result":   {result: always("I"), cres: "Y", want: payment.Failed, code: "authentication_protocol_error"},
		"Y without CAVV":        {result: always("Y", func(o *sdk.AuthenticationOutcome) { o.CAVV = "" }), cres: "Y", want: payment.Failed, code: "authentication_unavailable"},
		"refused by the vendor": {result: failing(sdk.ErrorBadRequest, "203"), cres: "Y", want: payment.Failed, code: "authentication_error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newSecureWorld(t, engine.Options{})
			v, back := w.inChallenge()
			w.a.result = c.result
			message := cres("server-x", c.cres)
			if c.cres == "" {
				message = erro("server-x")
			}
			require.True(t, w.comesBack(back, message).Known)
			v = w.done(v.Payment.ID)
			require.Equal(t, c.want, v.Payment.Status)
			s := v.Attempt.Details.Authentication
			if c.want == payment.Failed {
				require.Zero(t, w.bank.count())
				require.Equal(t, c.code, v.Attempt.Details.Error.Code)
				require.Equal(t, []string{"action_required", "payment_failed"}, w.events(v.Payment.ID))
			} else {
				require.Equal(t, 1, w.bank.count())
				require.Equal(t, c.eci, w.bank.last(t).ThreeDS.ECI)
				require.Equal(t, "success", string(s.Status))
			}
			require.Empty(t, w.record(v.Payment.ID).Instrument)
			if c.alarm != "" {
				require.Eventually(t, func() bool { return w.alarms.all()[c.alarm] == 1 }, 20*time.Second, time.Millisecond, "the alarm follows the commit")
			}
		})
	}
}

// The strict preset authorizes Y alone.
func TestStrictPolicy(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	w.setProfile(`{"external_three_ds_policy":{"preset":"strict"}}`)
	for _, status := range []string{"A", "U"} {
		w.a.authenticate = always(status)
		v := w.begun()
		w.authenticated(v)
		require.Equal(t, payment.Failed, w.done(v.Payment.ID).Payment.Status, status)
	}
	require.Zero(t, w.bank.count())
}

// F28: a message of another challenge changes nothing.
func TestForgedCRes(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	v, back := w.inChallenge()
	w.a.result = always("Y")
	for _, message := range []string{"", "garbage", cres("another", "Y"), erro("another")} {
		require.False(t, w.comesBack(back, message).Known, message)
	}
	_, err := w.ChallengeNotified(t.Context(), back, cres("server-x", "Y"), "forged session data")
	require.NoError(t, err)
	other, _ := w.inChallenge()
	require.False(t, w.comesBack(token(w.a.last(t, sdk.OpAuthenticate).Authentication.NotificationURL), cres("server-x", "Y")).Known, "swapped with another payment's")
	for use, url := range map[string]string{"method": w.a.last(t, sdk.OpAuthenticate).Authentication.MethodNotificationURL, "result": w.a.last(t, sdk.OpAuthenticate).Authentication.ResultURL} {
		require.False(t, w.comesBack(token(url), cres("server-xxx", "Y")).Known, "the token of the %s URL is for nothing else", use)
	}
	require.Equal(t, payment.RequiresCustomerAction, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.Equal(t, payment.RequiresCustomerAction, w.get(other.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.Zero(t, w.a.count(sdk.OpResult))
	require.NotZero(t, w.alarms.all()["three_ds_id_mismatch"])
	require.NotZero(t, w.alarms.all()["three_ds_session_mac"])
}

// F9: the notification of another transaction's 3DS method does not count, nor does one after the AReq.
func TestMethodNotification(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newSecureWorld(t, engine.Options{})
		v := w.begun()
		m := token(w.a.last(t, sdk.OpPrepare).Authentication.MethodNotificationURL)
		got, err := w.MethodNotified(t.Context(), m, "eyJ0aHJlZURTU2VydmVyVHJhbnNJRCI6Im90aGVyIn0")
		require.NoError(t, err)
		require.False(t, got.Known)
		require.Zero(t, w.record(v.Payment.ID).Details.MethodNotifiedAt)
		in := browserInput(v)
		in.Completion = "Y" // the client's report
		began := time.Now()
		_, err = w.AuthenticatePayment(t.Context(), w.auth, v.Payment.ID, in)
		require.NoError(t, err)
		require.GreaterOrEqual(t, time.Since(began), 3*time.Second, "the notification is waited for")
		require.Equal(t, "N", w.a.last(t, sdk.OpAuthenticate).Authentication.MethodCompletion, "F8")
		_, err = w.MethodNotified(t.Context(), m, "")
		require.NoError(t, err)
		require.Zero(t, w.record(v.Payment.ID).Details.MethodNotifiedAt)
	})
}

// F10, F22, F33: neither payer nor merchant goes on.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	t.Run("F10 never authenticated", func(t *testing.T) {
		w := newSecureWorld(t, quick)
		v := w.begun()
		w.passes(v.Payment.ID, 14*time.Minute)
		w.running()
		time.Sleep(100 * time.Millisecond)
		require.Equal(t, payment.RequiresCustomerAction, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status, "the payer still has time")
		w.passes(v.Payment.ID, 2*time.Minute)
		v = w.eventually(v.Payment.ID, payment.Failed)
		require.Equal(t, "authentication_abandoned", v.Attempt.Details.Error.Code)
		require.Equal(t, []string{"action_required", "payment_failed"}, w.events(v.Payment.ID))
		require.Empty(t, w.record(v.Payment.ID).Instrument)
		require.Zero(t, w.a.count(sdk.OpAuthenticate))
	})
	t.Run("F22 the tab is closed, the result comes", func(t *testing.T) {
		w := newSecureWorld(t, quick)
		v, _ := w.inChallenge()
		w.a.result = always("Y")
		w.passes(v.Payment.ID, time.Minute)
		w.running()
		require.Equal(t, payment.Succeeded, w.eventually(v.Payment.ID, payment.Succeeded).Payment.Status)
		require.Equal(t, 1, w.bank.count())
	})
	t.Run("F22 the tab is closed, no result comes", func(t *testing.T) {
		w := newSecureWorld(t, quick)
		v, _ := w.inChallenge()
		w.running()
		w.passes(v.Payment.ID, time.Minute)
		require.Eventually(t, func() bool { return w.a.count(sdk.OpResult) == 1 }, 20*time.Second, 10*time.Millisecond)
		w.passes(v.Payment.ID, 15*time.Minute)
		v = w.eventually(v.Payment.ID, payment.Failed)
		require.Equal(t, "authentication_abandoned", v.Attempt.Details.Error.Code)
		require.Eventually(t, func() bool { return w.a.count(sdk.OpCancelChallenge) == 1 }, 20*time.Second, 10*time.Millisecond, "the authenticator gets the cancellation")
	})
	t.Run("F33 came back, no result", func(t *testing.T) {
		w := newSecureWorld(t, quick)
		v, back := w.inChallenge()
		require.True(t, w.comesBack(back, cres("server-x", "Y")).Known)
		require.Eventually(t, func() bool { return w.a.count(sdk.OpResult) > 0 }, 20*time.Second, 5*time.Millisecond)
		w.running()
		w.passes(v.Payment.ID, 16*time.Minute)
		v = w.eventually(v.Payment.ID, payment.Failed)
		require.Equal(t, "authentication_timeout", v.Attempt.Details.Error.Code)
		require.Zero(t, w.bank.count())
	})
	t.Run("F27 an error of the ACS, no result", func(t *testing.T) {
		w := newSecureWorld(t, quick)
		v, back := w.inChallenge()
		require.True(t, w.comesBack(back, erro("server-x")).Known)
		w.running()
		w.passes(v.Payment.ID, 31*time.Second)
		v = w.eventually(v.Payment.ID, payment.Failed)
		require.Equal(t, "authentication_protocol_error", v.Attempt.Details.Error.Code)
	})
	t.Run("F32 late, but in time", func(t *testing.T) {
		w := newSecureWorld(t, quick)
		v, back := w.inChallenge()
		require.True(t, w.comesBack(back, cres("server-x", "Y")).Known)
		require.Eventually(t, func() bool { return w.a.count(sdk.OpResult) > 0 }, 20*time.Second, 5*time.Millisecond)
		w.a.mu.Lock()
		w.a.result = always("Y")
		w.a.mu.Unlock()
		require.Equal(t, payment.Succeeded, w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true}).Payment.Status, "a forced sync waits for the result")
	})
}

// F37, F38: a cancelled payment stays cancelled, whatever messages come.
func TestCancelDuringChallenge(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	v, back := w.inChallenge()
	c, err := w.CancelPayment(t.Context(), w.auth, v.Payment.ID, "requested_by_customer")
	require.NoError(t, err)
	require.Equal(t, payment.Cancelled, c.Payment.Status)
	require.Eventually(t, func() bool { return w.a.count(sdk.OpCancelChallenge) == 1 }, 20*time.Second, 5*time.Millisecond)
	a := w.record(v.Payment.ID)
	require.Equal(t, authentication.Expired, a.State)
	require.Empty(t, a.Instrument)
	w.a.result = always("Y")
	w.comesBack(back, cres("server-x", "Y"))
	require.Equal(t, payment.Cancelled, w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true}).Payment.Status)
	require.Zero(t, w.bank.count())
	require.Equal(t, []string{"action_required", "payment_cancelled"}, w.events(v.Payment.ID))
}

// The payment is cancelled while the AReq is under way: the answer is stored, but nothing uses it.
func TestCancelDuringAReq(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	v := w.begun()
	w.a.before = func(op sdk.Operation) {
		if op == sdk.OpAuthenticate {
			_, err := w.CancelPayment(t.Context(), w.auth, v.Payment.ID, "")
			require.NoError(t, err)
		}
	}
	w.authenticated(v)
	require.Equal(t, payment.Cancelled, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.Zero(t, w.bank.count())
	require.Equal(t, "Y", w.record(v.Payment.ID).Details.TransStatus)
}

// The payer's request comes when the card is destroyed, by a cancel of the same moment or by its time: that is no fault of payswitch.
func TestAuthenticateWithoutTheCard(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	v := w.begun(func(in *request.Input) { in.SessionExpiry = ptr[int64](4 * 24 * 3600) })
	w.pass(3 * 24 * time.Hour)
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { _, err := tx.DeleteExpired(); return err }))
	_, err := w.AuthenticatePayment(t.Context(), w.auth, v.Payment.ID, browserInput(v))
	require.Equal(t, "IR_16", code(t, err))
	require.Zero(t, w.a.count(sdk.OpAuthenticate))
}

// F49, F51: the authorize URL waits and reports. After a closed challenge it asks once more, then gives the challenge up.
func TestAuthorizeURL(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newSecureWorld(t, engine.Options{})
		visit := func(v *change.View, token string) *flow.AuthorizeView {
			t.Helper()
			out, err := w.AuthorizeReturn(t.Context(), flow.AuthorizeInput{PaymentID: v.Payment.ID, MerchantID: "m1", Connector: "bank", Token: token, Alone: true})
			require.NoError(t, err)
			return out
		}
		v := w.begun()
		secret := v.Attempt.Private.Invoke.AuthorizeToken
		require.NotEmpty(t, visit(v, secret).Poll, "nothing has been asked yet")
		w.authenticated(v)
		for range 3 {
			out := visit(v, secret)
			require.Contains(t, out.Return.URL, "status=succeeded")
			require.Empty(t, out.Poll)
			require.Equal(t, []string{"https://shop.test", "https://switch.test"}, out.Origins)
		}
		require.Equal(t, 1, w.bank.count())

		approved, _ := w.inChallenge() // the payer approves in the bank's app, then closes the window
		w.a.result = always("Y")
		require.Contains(t, visit(approved, approved.Attempt.Private.Invoke.AuthorizeToken).Return.URL, "status=succeeded")

		closed, _ := w.inChallenge()
		w.a.result = func(*sdk.Request) *sdk.AuthenticationOutcome { return &sdk.AuthenticationOutcome{Pending: true} }
		for _, token := range []string{"", "x", secret, approved.Attempt.Private.Invoke.AuthorizeToken, closed.Attempt.Private.Invoke.PageToken} {
			_, err := w.AuthorizeReturn(t.Context(), flow.AuthorizeInput{PaymentID: closed.Payment.ID, MerchantID: "m1", Connector: "bank", Token: token, Alone: true})
			require.EqualError(t, err, "HE_02: Payment does not exist in our records", "a URL without its own token leads to no payment")
		}
		require.Equal(t, payment.RequiresCustomerAction, w.get(closed.Payment.ID, request.RetrieveInput{}).Payment.Status)
		require.Contains(t, visit(closed, closed.Attempt.Private.Invoke.AuthorizeToken).Return.URL, "status=failed")
		require.Equal(t, "challenge_cancelled", w.get(closed.Payment.ID, request.RetrieveInput{}).Attempt.Details.Error.Code)
		require.Equal(t, 2, w.bank.count())
	})
}

// A payer who opens the authorize URL again and again makes the authenticator hear a bounded number of questions.
func TestVisitsOfTheAuthorizeURLAreBounded(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newSecureWorld(t, engine.Options{})
		v, back := w.inChallenge()
		w.a.result = func(*sdk.Request) *sdk.AuthenticationOutcome { return &sdk.AuthenticationOutcome{Pending: true} }
		require.True(t, w.comesBack(back, cres("server-x", "Y")).Known)
		for range 200 {
			ctx, leave := context.WithTimeout(t.Context(), 10*time.Millisecond)
			_, _ = w.AuthorizeReturn(ctx, flow.AuthorizeInput{PaymentID: v.Payment.ID, MerchantID: "m1", Connector: "bank", Token: v.Attempt.Private.Invoke.AuthorizeToken, Alone: true})
			leave()
		}
		require.LessOrEqual(t, w.a.count(sdk.OpResult), 30)
		w.a.mu.Lock()
		w.a.result = always("Y")
		w.a.mu.Unlock()
		time.Sleep(10 * time.Second)
		require.Equal(t, payment.Succeeded, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	})
}

// A page in a frame gets its answer at once, whatever is not known yet. A result that comes within the waiting time counts without another visit.
func TestAuthorizeURLInAFrame(t *testing.T) {
	t.Parallel()
	for name, returned := range map[string]bool{"the payer came back": true, "the payer closed the challenge": false} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				w := newSecureWorld(t, engine.Options{})
				v, c := w.inChallenge()
				began := time.Now()
				w.a.result = func(*sdk.Request) *sdk.AuthenticationOutcome {
					if time.Since(began) < 6*time.Second {
						return &sdk.AuthenticationOutcome{Pending: true}
					}
					return always("Y")(nil)
				}
				if returned {
					require.Equal(t, flow.PollID(v.Payment.ID), w.comesBack(c, cres("server-x", "Y")).Poll)
				}
				for range 3 {
					out, err := w.AuthorizeReturn(t.Context(), flow.AuthorizeInput{PaymentID: v.Payment.ID, MerchantID: "m1", Connector: "bank",
						Token: v.Attempt.Private.Invoke.AuthorizeToken})
					require.NoError(t, err)
					require.Equal(t, flow.PollID(v.Payment.ID), out.Poll)
				}
				require.Zero(t, time.Since(began), "no visit waits")
				time.Sleep(9 * time.Second) // of the bubble's clock
				s, err := w.PollStatus(t.Context(), w.pk, flow.PollID(v.Payment.ID))
				require.NoError(t, err)
				require.Equal(t, "completed", s)
				require.Equal(t, payment.Succeeded, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
			})
		})
	}
}

// F3 and the binding: the facts that an authentication was made for cannot change under it.
func TestBinding(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	v := w.begun()
	_, err := w.UpdatePayment(t.Context(), w.auth, v.Payment.ID, &request.Input{Amount: ptr(int64(1))})
	require.Equal(t, "IR_16", code(t, err), "F39")
	_, err = w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, sale(6540, visa, external))
	require.Equal(t, "IR_16", code(t, err))
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { // a fault that must not lead to a charge
		p, err := tx.Payment("m1", v.Payment.ID)
		if err != nil {
			return err
		}
		a, err := tx.Attempt("m1", v.Attempt.ID)
		if err != nil {
			return err
		}
		p.Amount, p.NetAmount, a.Amount = 9999, 9999, 9999
		if err := tx.UpdateAttempt(a); err != nil {
			return err
		}
		return tx.UpdatePayment(p)
	}))
	w.authenticated(v)
	v = w.done(v.Payment.ID)
	require.Equal(t, payment.Failed, v.Payment.Status)
	require.Zero(t, w.bank.count())
	require.Equal(t, 1, w.alarms.all()["authentication_binding"])
}

// A payment cannot be used to try card after card.
func TestAuthenticationLimit(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	w.setProfile(`{"is_manual_retry_enabled":true}`)
	w.a.authenticate = always("N")
	v := w.begun()
	for range 2 {
		w.authenticated(v)
		require.Equal(t, payment.Failed, w.done(v.Payment.ID).Payment.Status)
		var err error
		v, err = w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, sale(6540, visa, external))
		require.NoError(t, err)
		require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
	}
	w.authenticated(v)
	w.done(v.Payment.ID)
	_, err := w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, sale(6540, visa, external))
	var e *fault.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, fault.KindLimited, e.Kind)
	require.Equal(t, 3, w.a.count(sdk.OpAuthenticate))
	require.Zero(t, w.bank.count())
}

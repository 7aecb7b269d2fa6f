package engine_test

import (
	"context"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/link"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/threeds/flow"
	"payswitch/sdk"
)

// redirectOf returns the URL of the redirect page of a payment that waits for its payer.
func redirectOf(v *change.View) link.URL {
	return link.URL{Use: authentication.URLRedirect, MerchantID: v.Payment.MerchantID, PaymentID: v.Payment.ID, AttemptID: v.Attempt.ID, Token: path.Base(v.RedirectURL)}
}

// returnToken returns the token of the return URL that the simulator received.
func (w *world) returnToken(v *change.View) string {
	w.t.Helper()
	u, err := url.Parse(v.Attempt.Details.NextAction.URL)
	require.NoError(w.t, err)
	back := u.Query().Get("return_url")
	require.Contains(w.t, back, "/redirect/complete/simulator/")
	return path.Base(back)
}

func (w *world) comesHome(v *change.View, token, connector string) (*change.ReturnView, error) {
	return w.PaymentReturn(w.t.Context(), request.ReturnInput{PaymentID: v.Payment.ID, MerchantID: v.Payment.MerchantID, Connector: connector, Token: token, Complete: true,
		Return: sdk.Return{Method: "POST", Form: []sdk.Header{{Name: "result", Value: "approve"}}}})
}

// TestPublicURLsAreUnguessable: a caller with the ids of a payment, and with tokens of another payment, attempt or use. It gets the answer for a
// payment that does not exist.
func TestPublicURLsAreUnguessable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v, other := w.pay(sale(1000, visa, threeDS)), w.pay(sale(1000, visa, threeDS))
	right, page := w.returnToken(v), redirectOf(v)
	require.Len(t, right, 23, "128 bits and the attempt's number")
	require.NotEqual(t, page.Token, right)
	_, nothing := w.comesHome(&change.View{Payment: &payment.Payment{ID: "pay_none", MerchantID: "m1"}}, right, "simulator")
	require.EqualError(t, nothing, "HE_02: Payment does not exist in our records")
	for name, token := range map[string]string{
		"none": "", "a guess": strings.Repeat("A", 22) + "1", "the redirect page's": page.Token, "and with a number": page.Token + "1", "another payment's": w.returnToken(other),
		"cut": right[:len(right)-2], "without the attempt": right[:22], "of another attempt": right[:22] + "2", "number written otherwise": right[:22] + "01", "signed number": right[:22] + "+1",
		"longer": right + "1", "another case": strings.ToUpper(right), "last bits changed": right[:21] + string(right[21]^1) + "1",
	} {
		_, err := w.comesHome(v, token, "simulator")
		require.Equal(t, nothing.Error(), err.Error(), name)
		wrong := page
		if wrong.Token = token; name == "the redirect page's" {
			wrong.Token = right
		}
		_, err = w.NextAction(t.Context(), wrong)
		require.Equal(t, nothing.Error(), err.Error(), name)
	}
	_, err := w.comesHome(v, right, "stripe")
	require.Equal(t, nothing.Error(), err.Error(), "another connector's URL")
	wrong := redirectOf(v)
	wrong.Use = authentication.URLReturn
	_, err = w.NextAction(t.Context(), wrong)
	require.Equal(t, nothing.Error(), err.Error())
	require.Equal(t, payment.RequiresCustomerAction, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status, "nothing has changed")
	require.Len(t, w.operations(v.Payment.ID), 1)
	back, err := w.comesHome(v, right, "simulator")
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, back.View.Payment.Status)
}

// TestReturnURLOfAnEndedAttempt: a return URL from a log has little use. Soon after the payment has ended it no longer yields the client
// secret. The URL of an attempt that another attempt has followed leads to nothing.
func TestReturnURLOfAnEndedAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	wait := func(d time.Duration) { w.pass(d) }
	w.account("simulator", "")
	w.setProfile(`{"session_expiry":86400,"is_manual_retry_enabled":true}`)
	v := w.pay(sale(1000, visa, threeDS))
	token, status := w.returnToken(v), "succeeded"
	secretIn := func() bool {
		t.Helper()
		back, err := w.comesHome(v, token, "simulator")
		require.NoError(t, err)
		u, err := url.Parse(back.URL)
		require.NoError(t, err)
		require.Equal(t, status, u.Query().Get("status"))
		require.NotEmpty(t, u.Query().Get("signature"))
		return u.Query().Has("payment_intent_client_secret")
	}
	wait(30 * time.Minute) // the payer takes a long time
	require.True(t, secretIn())
	wait(9 * time.Minute)
	require.True(t, secretIn(), "shoppers reload")
	wait(2 * time.Minute)
	require.False(t, secretIn())

	// The payment is created long before its confirmation, and captured long after the payer has left.
	in := sale(1000, visa, threeDS)
	in.Confirm, in.CaptureMethod = nil, "manual"
	v = w.pay(in)
	wait(20 * time.Minute)
	confirm := sale(1000, visa, threeDS)
	confirm.CaptureMethod = "manual"
	v, err := w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, confirm)
	require.NoError(t, err)
	token, status = w.returnToken(v), "requires_capture"
	require.True(t, secretIn())
	wait(11 * time.Minute)
	require.False(t, secretIn())
	_, err = w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{})
	require.NoError(t, err)
	status = "succeeded"
	require.False(t, secretIn(), "a later act of the merchant must not reveal the secret again")

	v = w.pay(sale(1000, visa, threeDS))
	token = w.returnToken(v)
	wait(25 * time.Hour) // the client secret has expired
	require.False(t, secretIn())

	v = w.pay(sale(1000, visa, threeDS))
	old := w.returnToken(v)
	_, err = w.PaymentReturn(t.Context(), request.ReturnInput{PaymentID: v.Payment.ID, MerchantID: "m1", Connector: "simulator", Token: old, Complete: true,
		Return: sdk.Return{Method: "POST", Form: []sdk.Header{{Name: "result", Value: "decline"}}}})
	require.NoError(t, err)
	again, err := w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, sale(1000, visa, threeDS))
	require.NoError(t, err)
	require.Equal(t, payment.RequiresCustomerAction, again.Payment.Status)
	require.NotEqual(t, old, w.returnToken(again))
	_, err = w.comesHome(v, old, "simulator")
	require.EqualError(t, err, "HE_02: Payment does not exist in our records", "the first attempt's page is over")
	require.Equal(t, payment.RequiresCustomerAction, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
}

// TestWrongTokenReadsNothing: without a readable database, a wrong token is refused as before. No look-up precedes the check, so the time of
// the answer does not reveal whether the payment exists.
func TestWrongTokenReadsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v := w.pay(sale(1000, visa, threeDS))
	page, home := redirectOf(v), w.returnToken(v)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the database cannot be read
	_, err := w.NextAction(ctx, page)
	require.ErrorContains(t, err, "Something went wrong", "the right one is looked up")
	page.Token = home[:22]
	_, err = w.NextAction(ctx, page)
	require.EqualError(t, err, "HE_02: Payment does not exist in our records")
	_, err = w.PaymentReturn(ctx, request.ReturnInput{PaymentID: v.Payment.ID, MerchantID: "m1", Connector: "simulator", Token: redirectOf(v).Token + "1"})
	require.EqualError(t, err, "HE_02: Payment does not exist in our records")
	guess := strings.Repeat("0", 42)
	_, err = w.AuthorizeReturn(ctx, flow.AuthorizeInput{PaymentID: v.Payment.ID, MerchantID: "m1", Connector: "simulator", Token: guess})
	require.EqualError(t, err, "HE_02: Payment does not exist in our records")
	_, err = w.HostedPage(ctx, guess)
	require.EqualError(t, err, "HE_02: Payment does not exist in our records")
	for _, use := range []authentication.URLUse{authentication.URLMethod, authentication.URLChallenge, authentication.URLEvent, authentication.URLResult, authentication.URLFrames, authentication.URLOpen, "unknown"} {
		require.False(t, w.OpensURL(link.URL{Use: use, Token: guess}), use)
	}
	back, err := w.ChallengeNotified(ctx, guess, "", "")
	require.NoError(t, err)
	require.False(t, back.Known)
}

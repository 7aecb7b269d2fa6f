package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// softDecline declines payments without proof of authentication.
func softDecline(r *sdk.Request) *sdk.Outcome {
	if r.ThreeDS == nil {
		return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "65", Message: "authentication required", NetworkCode: "65", Reason: sdk.DeclineAuthenticationNeeded}}
	}
	return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx_" + r.Reference}
}

func browser(in *request.Input) {
	external(in)
	in.External3DS, in.AuthenticationType = nil, ""
}

// F41: after a soft decline the payer is authenticated, once, with a mandated challenge.
func TestStepUp(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	w.bank.answer = softDecline
	w.a.authenticate = challenged
	v := w.pay(sale(6540, visa, browser))
	require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status, "the payer is asked at once")
	require.Equal(t, 2, v.Payment.AttemptCount)
	require.NotNil(t, v.Attempt.Private.Invoke)
	require.Equal(t, []string{"action_required"}, w.events(v.Payment.ID))
	first := w.get(v.Payment.ID, request.RetrieveInput{Attempts: true}).Attempts[0]
	require.Equal(t, payment.AttemptFailure, first.Status)
	require.Equal(t, sdk.DeclineAuthenticationNeeded, first.Details.Error.Reason)

	require.Equal(t, "C", w.authenticated(v).TransStatus)
	req := w.a.last(t, sdk.OpAuthenticate)
	require.Equal(t, []string{"04"}, req.Authentication.ChallengeInds, "2.2.0 has no word for the issuer's demand")
	w.a.result = always("Y")
	w.comesBack(token(req.Authentication.NotificationURL), cres("server-x", "Y"))
	v = w.done(v.Payment.ID)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, 2, w.bank.count())
	require.Equal(t, "05", w.bank.last(t).ThreeDS.ECI)
	require.NotEqual(t, w.bank.requests[0].Reference, w.bank.requests[1].Reference)
	for _, op := range w.operations(v.Payment.ID) {
		require.Empty(t, op.Instrument)
	}
}

func TestNoStepUp(t *testing.T) {
	t.Parallel()
	t.Run("a second soft decline is final", func(t *testing.T) {
		w := newSecureWorld(t, engine.Options{})
		w.bank.answer = func(r *sdk.Request) *sdk.Outcome { r.ThreeDS = nil; return softDecline(r) }
		v := w.pay(sale(6540, visa, browser))
		require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
		w.authenticated(v)
		v = w.done(v.Payment.ID)
		require.Equal(t, payment.Failed, v.Payment.Status)
		require.Equal(t, 2, v.Payment.AttemptCount)
		require.Equal(t, 2, w.bank.count())
	})
	for name, c := range map[string]struct {
		profile string
		in      func(*request.Input)
	}{
		"switched off":      {`{"external_three_ds_policy":{"step_up_on_soft_decline":"off"}}`, browser},
		"the payer is away": {`{}`, func(*request.Input) {}},
		"no authenticator":  {`{"authentication_connector_details":{"authentication_connectors":[]}}`, browser},
		"an acquirer that there is not": {`{}`, func(in *request.Input) {
			browser(in)
			in.ProfileAcquirerID = ptr("pro_acq_none")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSecureWorld(t, engine.Options{})
			w.setProfile(c.profile)
			w.bank.answer = softDecline
			v := w.pay(sale(6540, visa, c.in))
			require.Equal(t, payment.Failed, v.Payment.Status)
			require.Equal(t, 1, v.Payment.AttemptCount)
			require.Equal(t, []string{"payment_failed"}, w.events(v.Payment.ID))
			require.Zero(t, w.a.count(sdk.OpPrepare))
			bad := v.Attempt.Details.Error
			require.Equal(t, sdk.DeclineAuthenticationNeeded, bad.Reason)
			require.Equal(t, "65", bad.NetworkCode)
			if name == "the payer is away" { // the merchant may bring the payer back
				require.Equal(t, "authentication_required", bad.Code)
				require.Equal(t, "The card's issuer asks for authentication: bring the customer back and authenticate. The processor answered 65: authentication required.", bad.Message)
			} else {
				require.Equal(t, "65", bad.Code)
			}
		})
	}
}

// Requests to the issuer: no preference, a challenge, or an exemption in the values of the message version.
func TestChallengeIndicators(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change    func(*request.Input)
		inds      []string
		exemption string
	}{
		"nothing":        {func(*request.Input) {}, []string{"01"}, ""},
		"forced":         {func(in *request.Input) { in.Force3DSChallenge = ptr(true) }, []string{"04"}, ""},
		"card for later": {func(in *request.Input) { in.SetupFutureUsage, in.CustomerID = "off_session", "cus_1" }, []string{"04"}, ""},
		"risk analysis": {func(in *request.Input) {
			in.SCAExemption, in.Currency = sdk.ExemptionRiskAnalysis, "EUR"
		}, []string{"05"}, "transaction_risk_analysis"},
		"risk analysis over its limit": {func(in *request.Input) {
			in.SCAExemption, in.Currency, in.Amount = sdk.ExemptionRiskAnalysis, "EUR", ptr(int64(50001))
		}, []string{"01"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSecureWorld(t, engine.Options{})
			w.a.prepare = func(*sdk.Request) *sdk.AuthenticationOutcome { return enrolled("") }
			w.a.authenticate = always("I", func(o *sdk.AuthenticationOutcome) { o.ECI, o.CAVV = "07", cavv })
			v := w.begun(c.change)
			require.Equal(t, c.exemption, v.Attempt.Details.Authentication.Exemption)
			w.authenticated(v)
			require.Equal(t, c.inds, w.a.last(t, sdk.OpAuthenticate).Authentication.ChallengeInds)
			v = w.done(v.Payment.ID)
			require.Equal(t, payment.Succeeded, v.Payment.Status)
			sent := w.bank.last(t)
			if c.exemption == "" {
				require.Nil(t, sent.ThreeDS, "I was not asked for")
				require.Empty(t, sent.Exemption)
			} else {
				require.Equal(t, "07", sent.ThreeDS.ECI)
				require.Equal(t, c.exemption, string(sent.Exemption))
				require.Equal(t, "exempted", string(v.Attempt.Details.Authentication.Outcome))
			}
		})
	}
}

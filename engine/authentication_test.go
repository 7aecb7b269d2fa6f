package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/authentication"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/threeds/flow"
	"payswitch/sdk"
)

func TestFrictionless(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	v := w.begun()
	in := v.Attempt.Private.Invoke
	require.Equal(t, methodURL, in.MethodURL)
	require.Equal(t, "2.2.0", in.Version)
	require.Equal(t, "A000000003", in.DirectoryServerID)
	require.Equal(t, "started", string(v.Attempt.Details.Authentication.Status))
	require.Zero(t, w.bank.count())
	prep := w.a.last(t, sdk.OpPrepare)
	require.Equal(t, "412345", prep.Authentication.AcquirerBIN)
	require.Equal(t, "DK", prep.Authentication.AcquirerCountry)
	require.Equal(t, []string{"action_required"}, w.events(v.Payment.ID))

	_, err := w.MethodNotified(t.Context(), token(prep.Authentication.MethodNotificationURL), "")
	require.NoError(t, err)
	out := w.authenticated(v)
	require.Equal(t, "Y", out.TransStatus)
	require.Empty(t, out.ACSURL)
	require.Equal(t, "https://shop.test", out.RequestorURL)
	again := w.authenticated(v)
	out.Status, again.Status = "", ""
	require.Equal(t, out, again, "the same answer")
	require.Equal(t, 1, w.a.count(sdk.OpAuthenticate))
	req := w.a.last(t, sdk.OpAuthenticate)
	require.Equal(t, "Y", req.Authentication.MethodCompletion)
	require.Equal(t, "server-x", req.Authentication.ServerTransID)
	require.Equal(t, "8000", req.Billing.Zip)
	require.EqualValues(t, 6540, req.Amount.Minor)

	v = w.done(v.Payment.ID)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, 1, w.bank.count())
	got := w.bank.last(t).ThreeDS
	require.NotEmpty(t, got.CAVV)
	require.NotEqual(t, cavv, got.CAVV, "adapters see a stand-in")
	got.CAVV = ""
	require.Equal(t, &sdk.ThreeDSResult{ECI: "05", TransStatus: "Y", Version: "2.2.0", DSTransID: "ds-1", ServerTransID: "server-x", ACSTransID: "acs-1", Flow: "frictionless"}, got)
	s := v.Attempt.Details.Authentication
	require.Equal(t, "success", string(s.Status))
	require.Equal(t, "expected", s.Shift)
	require.Equal(t, "ds-1", s.DSTransID)
	require.Nil(t, v.Attempt.Private.Invoke)
	a := w.record(v.Payment.ID)
	require.Equal(t, authentication.Consumed, a.State)
	require.Equal(t, "authenticated", string(a.Outcome))
	require.Empty(t, a.Instrument, "no card is kept with an authentication that has ended")
	require.Empty(t, a.Request)
	require.Equal(t, []string{"action_required", "payment_succeeded"}, w.events(v.Payment.ID))
	for _, op := range w.operations(v.Payment.ID) {
		require.Equal(t, payment.OperationSucceeded, op.Status, op.Kind)
		require.Empty(t, op.Instrument)
	}
	require.Empty(t, w.alarms.all())
	require.Equal(t, []string{"authenticated"}, w.alarms.authentications)
}

func TestChallenge(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	w.a.authenticate = challenged
	v := w.begun(manual)
	out := w.authenticated(v)
	require.Equal(t, "C", out.TransStatus)
	require.Equal(t, acsURL, out.ACSURL)
	require.Equal(t, "creq", out.ChallengeKey)
	require.NotEmpty(t, out.ChallengeRequest)
	require.Equal(t, out, w.authenticated(v), "the same answer")
	s, err := w.PollStatus(t.Context(), w.pk, flow.PollID(v.Payment.ID))
	require.NoError(t, err)
	require.Equal(t, "pending", s)

	w.a.result = always("Y")
	c := token(w.a.last(t, sdk.OpAuthenticate).Authentication.NotificationURL)
	back, err := w.ChallengeNotified(t.Context(), c, cres("server-x", "Y"), "")
	require.NoError(t, err)
	require.True(t, back.Known)
	require.Equal(t, v.Payment.ID, back.PaymentID)
	v = w.done(v.Payment.ID)
	require.Equal(t, payment.RequiresCapture, v.Payment.Status)
	require.Equal(t, "challenge", w.bank.last(t).ThreeDS.Flow)
	s, err = w.PollStatus(t.Context(), w.pk, flow.PollID(v.Payment.ID))
	require.NoError(t, err)
	require.Equal(t, "completed", s)
	again, err := w.ChallengeNotified(t.Context(), c, cres("server-x", "Y"), "")
	require.NoError(t, err)
	require.Equal(t, flow.PollID(v.Payment.ID), back.Poll, "the result is not known yet")
	back.Poll = ""
	require.Equal(t, back, again, "replayed: the same page, and the result is known")
	require.Equal(t, 1, w.bank.count())
	require.Empty(t, w.alarms.all())
}

// Answers of the ARes, and the payment's status by default.
func TestFrictionlessOutcomes(t *testing.T) {
	t.Parallel()
	noCAVV := func(o *sdk.AuthenticationOutcome) { o.CAVV = "" }
	for name, c := range map[string]struct {
		answer       func(*sdk.Request) *sdk.AuthenticationOutcome
		want         payment.Status
		code         string
		eci, shift   string // ECI and shift of an authorization
		withoutProof bool
		told         string // trans_status in the browser's answer
	}{
		"F15 N":                {answer: always("N"), want: payment.Failed, code: "authentication_failed", told: "N"},
		"F16 R":                {answer: always("R"), want: payment.Failed, code: "authentication_rejected", told: "R"},
		"F17 U":                {answer: always("U"), want: payment.Succeeded, withoutProof: true, eci: "07", shift: "not_expected", told: "U"},
		"A":                    {answer: always("A"), want: payment.Succeeded, eci: "06", shift: "expected", told: "A"},
		"F18 I not asked for":  {answer: always("I"), want: payment.Succeeded, withoutProof: true, eci: "07", shift: "not_expected", told: "I"},
		"F18 D not asked for":  {answer: always("D"), want: payment.Succeeded, withoutProof: true, eci: "07", shift: "not_expected", told: "D"},
		"F18 S not supported":  {answer: always("S"), want: payment.Succeeded, withoutProof: true, eci: "07", shift: "not_expected", told: "S"},
		"F19 C without acsURL": {answer: always("C", func(o *sdk.AuthenticationOutcome) { o.ACSURL = "" }), want: payment.Failed, code: "authentication_protocol_error", told: "U"},
		"F19 C over http":      {answer: always("C", func(o *sdk.AuthenticationOutcome) { o.ACSURL = "http://acs.test" }), want: payment.Failed, code: "authentication_protocol_error", told: "U"},
		"F20 Y without CAVV":   {answer: always("Y", noCAVV), want: payment.Succeeded, withoutProof: true, eci: "07", shift: "not_expected", told: "Y"},
		"F21 no dsTransID":     {answer: always("Y", func(o *sdk.AuthenticationOutcome) { o.DSTransID = "-" }), want: payment.Failed, code: "authentication_protocol_error", told: "Y"},
		"F21 another server transaction": {answer: always("Y", func(o *sdk.AuthenticationOutcome) { o.ServerTransID = "other" }), want: payment.Failed,
			code: "authentication_protocol_error", told: "Y"},
		"F12 no answer":     {answer: noAnswer, want: payment.Succeeded, withoutProof: true, eci: "07", shift: "not_expected", told: "U"},
		"F12 Erro 405":      {answer: failing(sdk.ErrorTechnical, "405"), want: payment.Succeeded, withoutProof: true, eci: "07", shift: "not_expected", told: "U"},
		"F13 Erro 203":      {answer: failing(sdk.ErrorBadRequest, "203"), want: payment.Failed, code: "authentication_error", told: "U"},
		"F13 configuration": {answer: failing(sdk.ErrorConfig, "306"), want: payment.Failed, code: "authentication_error", told: "U"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSecureWorld(t, engine.Options{})
			w.a.authenticate = c.answer
			v := w.begun()
			out := w.authenticated(v)
			require.Equal(t, c.told, out.TransStatus)
			require.Empty(t, out.ACSURL)
			v = w.done(v.Payment.ID)
			require.Equal(t, c.want, v.Payment.Status)
			s := v.Attempt.Details.Authentication
			if c.want == payment.Failed {
				require.Zero(t, w.bank.count())
				require.Equal(t, c.code, v.Attempt.Details.Error.Code)
				require.Equal(t, c.code, s.ErrorCode)
				require.NotEmpty(t, out.ErrorMessage)
				require.Equal(t, "failed", string(s.Status))
				require.Equal(t, []string{"action_required", "payment_failed"}, w.events(v.Payment.ID))
			} else {
				require.Equal(t, 1, w.bank.count())
				require.Equal(t, c.withoutProof, w.bank.last(t).ThreeDS == nil)
				require.Equal(t, c.eci, w.record(v.Payment.ID).Details.RecordedECI)
				require.Equal(t, c.withoutProof, s.ECI == "", "the answer shows the ECI that the processor received")
				require.Equal(t, c.shift, s.Shift)
			}
			a := w.record(v.Payment.ID)
			require.Empty(t, a.Instrument)
			require.True(t, a.State.Ended())
			require.Zero(t, a.DueAt)
		})
	}
}

// F11, F12, F14: one more try, in a new session, without the 3DS method.
func TestAReqAgain(t *testing.T) {
	t.Parallel()
	t.Run("F12 no answer once", func(t *testing.T) {
		w := newSecureWorld(t, engine.Options{})
		w.a.authenticate = func(*sdk.Request) *sdk.AuthenticationOutcome {
			if w.a.count(sdk.OpAuthenticate) == 1 {
				return nil
			}
			return status("Y")
		}
		v := w.begun()
		require.Equal(t, "Y", w.authenticated(v).TransStatus)
		require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
		require.Equal(t, 2, w.a.count(sdk.OpPrepare))
		require.Equal(t, "server-xxx", w.a.last(t, sdk.OpAuthenticate).Authentication.ServerTransID)
		require.Equal(t, 2, w.record(v.Payment.ID).Details.Tries)
	})
	t.Run("F14 version not supported", func(t *testing.T) {
		w := newSecureWorld(t, engine.Options{})
		w.a.prepare = func(*sdk.Request) *sdk.AuthenticationOutcome {
			o := enrolled("")
			o.Ranges[0].Versions = append(o.Ranges[0].Versions, sdk.ProtocolVersion{Version: "2.3.1"})
			return o
		}
		w.a.authenticate = func(r *sdk.Request) *sdk.AuthenticationOutcome {
			if r.Authentication.MessageVersion == "2.3.1" {
				return failing(sdk.ErrorBadRequest, "102")(r)
			}
			return status("Y")
		}
		v := w.begun()
		require.Equal(t, "Y", w.authenticated(v).TransStatus)
		require.Equal(t, "2.2.0", w.a.last(t, sdk.OpAuthenticate).Authentication.MessageVersion)
		require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
	})
	t.Run("F11 session spent", func(t *testing.T) {
		w := newSecureWorld(t, engine.Options{})
		v := w.begun()
		_, err := w.MethodNotified(t.Context(), token(w.a.last(t, sdk.OpPrepare).Authentication.MethodNotificationURL), "")
		require.NoError(t, err)
		w.pass(81 * time.Second)
		require.Equal(t, "Y", w.authenticated(v).TransStatus)
		req := w.a.last(t, sdk.OpAuthenticate)
		require.Equal(t, "N", req.Authentication.MethodCompletion, "the 3DS method was of the session before")
		require.Equal(t, "server-xx", req.Authentication.ServerTransID)
		require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
	})
}

// The version look-up: F4, F5, F6, F7, and calls that the adapter cannot make.
func TestPrepareOutcomes(t *testing.T) {
	t.Parallel()
	t.Run("F4 not enrolled", func(t *testing.T) {
		w := newSecureWorld(t, engine.Options{})
		w.a.prepare = func(*sdk.Request) *sdk.AuthenticationOutcome { return &sdk.AuthenticationOutcome{NotEnrolled: true} }
		v := w.pay(sale(6540, visa, external))
		require.Equal(t, payment.Succeeded, v.Payment.Status, "at once")
		require.Nil(t, w.bank.last(t).ThreeDS)
		require.Equal(t, "not_enrolled", string(v.Attempt.Details.Authentication.Outcome))
		require.Equal(t, []string{"payment_succeeded"}, w.events(v.Payment.ID))
	})
	t.Run("F5 no version of ours", func(t *testing.T) {
		w := newSecureWorld(t, engine.Options{})
		w.a.prepare = func(*sdk.Request) *sdk.AuthenticationOutcome {
			o := enrolled("")
			o.Ranges[0].Versions = o.Ranges[0].Versions[:1] // 2.1.0
			return o
		}
		require.Equal(t, payment.Succeeded, w.pay(sale(6540, visa, external)).Payment.Status)
	})
	t.Run("F6 unreachable", func(t *testing.T) {
		w := newSecureWorld(t, engine.Options{})
		w.a.prepare = noAnswer
		v := w.pay(sale(6540, visa, external))
		require.Equal(t, payment.Failed, v.Payment.Status)
		require.Equal(t, "authenticator_unreachable", v.Attempt.Details.Error.Code)
		require.Equal(t, 2, w.a.count(sdk.OpPrepare), "asked once more")
		require.Zero(t, w.bank.count())
	})
	t.Run("F7 credentials", func(t *testing.T) {
		w := newSecureWorld(t, engine.Options{})
		w.a.prepare = failing(sdk.ErrorCredentials, "http_401")
		v := w.pay(sale(6540, visa, external))
		require.Equal(t, "authenticator_credentials", v.Attempt.Details.Error.Code)
		require.Equal(t, 1, w.a.count(sdk.OpPrepare))
		require.Equal(t, 1, w.alarms.all()["authenticator_refused"])
	})
	t.Run("rejected by the adapter", func(t *testing.T) {
		w := newSecureWorld(t, engine.Options{})
		w.a.reject = &sdk.Reject{Code: sdk.RejectMissing, Message: "needs a phone", Parameter: "phone"}
		_, err := w.CreatePayment(t.Context(), w.auth, sale(6540, visa, external, func(in *request.Input) { in.PaymentID = "pay_rejected" }))
		require.Equal(t, "IR_04", code(t, err))
		v := w.get("pay_rejected", request.RetrieveInput{})
		require.Equal(t, payment.RequiresPaymentMethod, v.Payment.Status)
		w.a.reject = nil
		v, err = w.ConfirmPayment(t.Context(), w.auth, "pay_rejected", sale(6540, visa, external))
		require.NoError(t, err)
		require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
	})
}

// The API's errors at confirm: the caller learns about missing settings before any call leaves.
func TestExternalPrerequisites(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	pay := func(change ...func(*request.Input)) error {
		_, err := w.CreatePayment(t.Context(), w.auth, sale(100, visa, append([]func(*request.Input){external}, change...)...))
		return err
	}
	require.Equal(t, "IR_16", code(t, pay(func(in *request.Input) { in.AuthenticationType = "no_three_ds" })))
	w.setProfile(`{"authentication_connector_details":{"authentication_connectors":[]}}`)
	require.ErrorContains(t, pay(), "No authentication_connector found for profile_id")
	w.setProfile(`{"authentication_connector_details":{"authentication_connectors":["netcetera"]}}`)
	require.Equal(t, "HE_02", code(t, pay()), "no account of it")
	require.Zero(t, w.a.count(sdk.OpPrepare))

	other := openSecureWorld(t, engine.Options{}, newAuthenticator(), &bank{rule: byReference}, t.TempDir()+"/p.db")
	_, err := other.CreatePayment(t.Context(), other.auth, sale(100, visa, external))
	require.Equal(t, "IR_20", code(t, err), "F2: never a silent skip")
	var e *fault.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "bank", e.Connector)
}

// A result that the merchant brings goes to the processor, and the engine runs no authentication.
func TestBroughtResult(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	v := w.pay(sale(100, visa, external, func(in *request.Input) {
		in.ThreeDS = &request.ThreeDSInput{CAVV: secret.New(cavv), ECI: "05", DSTransID: "ds-9", Version: "2.1.0", TransStatus: "Y"}
	}))
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, "ds-9", w.bank.last(t).ThreeDS.DSTransID)
	require.Zero(t, w.a.count(sdk.OpPrepare))
}

func TestAuthenticateRefused(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{})
	v := w.begun()
	call := func(id string, in flow.AuthenticationInput) error {
		_, err := w.AuthenticatePayment(t.Context(), w.pk, id, in)
		return err
	}
	in := browserInput(v)
	in.ClientSecret = ""
	require.Equal(t, "IR_04", code(t, call(v.Payment.ID, in)))
	in.ClientSecret = strings.ToUpper(v.Payment.Private.ClientSecret)
	require.Equal(t, "IR_09", code(t, call(v.Payment.ID, in)))
	require.Equal(t, "HE_02", code(t, call("pay_other", browserInput(v))))
	plain := w.pay(sale(100, visa))
	require.ErrorContains(t, call(plain.Payment.ID, browserInput(plain)), "external_three_ds_authentication_attempted is false")
	poor := w.begun(func(in *request.Input) { in.Billing = nil })
	require.ErrorContains(t, call(poor.Payment.ID, browserInput(poor)), "billing_address")
	require.Zero(t, w.a.count(sdk.OpAuthenticate))
	_, err := w.CancelPayment(t.Context(), w.auth, v.Payment.ID, "")
	require.NoError(t, err)
	require.ErrorContains(t, call(v.Payment.ID, browserInput(v)), "because it has status cancelled")
	w.pass(time.Hour)
	require.Equal(t, "IR_08", code(t, call(v.Payment.ID, browserInput(v))))
}

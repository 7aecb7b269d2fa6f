package threeds

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// TestUnavailableAfterChallenge: a profile that takes the risk authorizes answers that only a broken ACS can give, and no answer that a payer
// can cause.
func TestUnavailableAfterChallenge(t *testing.T) {
	cfg := Default()
	cfg.OnUnavailableAfterChallenge = RuleAuthorizeWithoutShift
	for _, tc := range []struct {
		scheme         sdk.CardNetwork
		reason, cancel string
		outcome        Outcome
		code           string // "" authorizes
	}{
		{sdk.Visa, "22", "", Unavailable, ""},
		{sdk.Visa, "", "", Unavailable, ""},
		{sdk.Visa, "80", "", Unavailable, ""},
		{sdk.Visa, "83", "", Unavailable, ""},
		{sdk.Visa, "84", "", Unavailable, CodeUnavailable},
		{sdk.Visa, "8", "", Unavailable, CodeUnavailable},
		{sdk.Mastercard, "22", "", Unavailable, ""},
		{sdk.Mastercard, "81", "", Unavailable, CodeUnavailable},
		{sdk.Visa, "14", "", Abandoned, CodeTimeout},
		{sdk.Visa, "19", "", Unavailable, CodeUnavailable},
		{sdk.Visa, "26", "", Unavailable, CodeUnavailable},
		{sdk.Visa, "22", "01", Abandoned, CodeChallengeCanceled},
		{sdk.Visa, "22", "03", Abandoned, CodeTimeout},
		{sdk.Visa, "22", "04", Abandoned, CodeTimeout},
		{sdk.Visa, "22", "05", Abandoned, CodeAbandoned},
		{sdk.Visa, "22", "06", Unavailable, CodeUnavailable},
		{sdk.Visa, "22", "07", Unavailable, CodeUnavailable},
		{sdk.Visa, "22", "08", Abandoned, CodeTimeout},
		{sdk.Visa, "22", "10", Unavailable, CodeUnavailable},
	} {
		d := Decide(cfg, Run{Phase: Final, Scheme: tc.scheme, Returned: true}, Result{TransStatus: "U", TransStatusReason: tc.reason,
			ChallengeCancel: ChallengeCancel(tc.cancel)})
		require.Equal(t, tc.outcome, d.Outcome, "%+v", tc)
		require.Equal(t, tc.code, d.ErrorCode, "%+v", tc)
		require.Equal(t, tc.code == "", d.Action == AuthorizeWithout, "%+v", tc)
	}
}

// TestNotAuthenticatedAfterChallenge checks the error code of each end of a challenge without success.
func TestNotAuthenticatedAfterChallenge(t *testing.T) {
	for _, tc := range []struct{ reason, cancel, code string }{
		{"01", "", CodeFailed}, {"19", "", CodeFailed}, {"14", "", CodeTimeout}, {"", "01", CodeChallengeCanceled}, {"", "03", CodeTimeout},
		{"14", "04", CodeTimeout}, {"", "05", CodeAbandoned}, {"", "08", CodeTimeout}, {"14", "06", CodeFailed}, {"", "99", CodeFailed},
	} {
		res := Result{TransStatus: "N", TransStatusReason: tc.reason, ChallengeCancel: ChallengeCancel(tc.cancel)}
		d := Decide(Default(), Run{Phase: Final}, res)
		require.Equal(t, tc.code, d.ErrorCode, "%+v", tc)
		require.Equal(t, NotAuthenticated, d.Outcome)
		d = Decide(Default(), Run{Phase: Authenticate}, res)
		require.Equal(t, CodeFailed, d.ErrorCode, "without a challenge nothing was cancelled")
	}
}

// TestResultUnreachable: a payer who did not come back fails, even if the authenticator cannot report the result.
func TestResultUnreachable(t *testing.T) {
	risk := Default()
	risk.OnUnavailableAfterChallenge = RuleAuthorizeWithoutShift
	res := Result{Class: Technical, Code: "http_timeout"}
	require.Equal(t, AuthorizeWithout, Decide(risk, Run{Phase: Final, Returned: true}, res).Action)
	require.Equal(t, CodeUnavailable, Decide(risk, Run{Phase: Final}, res).ErrorCode)
	require.Equal(t, CodeUnavailable, Decide(Default(), Run{Phase: Final, Returned: true}, res).ErrorCode)
}

func TestPrepareErrors(t *testing.T) {
	lenient := Default()
	lenient.OnAuthenticatorUnreachable = RuleFailoverAuthorize
	run := Run{Phase: Prepare, Scheme: sdk.Visa}
	d := Decide(lenient, run, Result{Class: Technical})
	require.Equal(t, Decision{Action: AuthorizeWithout, Outcome: Unavailable, Liability: ShiftNotExpected, ECI: "07",
		Flags: []Flag{FlagAuthenticatorOutages}}, d)
	for class, code := range map[Class]string{Credentials: CodeCredentials, Misconfigured: CodeError, BadRequest: CodeError, Protocol: CodeProtocol,
		"other": CodeError} {
		d := Decide(lenient, run, Result{Class: class})
		require.Equal(t, Fail, d.Action, class)
		require.Equal(t, code, d.ErrorCode, class)
	}
	require.Equal(t, CodeCredentials, Decide(lenient, run, Result{Class: Misconfigured, Code: "303"}).ErrorCode, "access denied")
	run.Phase = Authenticate
	require.Equal(t, CodeError, Decide(lenient, run, Result{Class: Credentials}).ErrorCode)
}

// TestWrongIDs: an answer about another transaction never counts. Before the result, no other answer can still come.
func TestWrongIDs(t *testing.T) {
	run := Run{Phase: Authenticate, Scheme: sdk.Visa, ServerTransID: "S1"}
	good := Result{TransStatus: "Y", HasValue: true, ServerTransID: "s1", DSTransID: "d", ACSTransID: "a"}
	require.Equal(t, Authorize, Decide(Default(), run, good).Action, "letters of UUIDs come in either case")
	other := good
	other.ServerTransID = "s2"
	require.Equal(t, CodeProtocol, Decide(Default(), run, other).ErrorCode)

	final := Run{Phase: Final, Scheme: sdk.Visa, MessageVersion: "2.2.0", ServerTransID: "s1", ACSTransID: "a", DSTransID: "d"}
	require.Equal(t, Authorize, Decide(Default(), final, good).Action)
	bare := good
	bare.DSTransID, bare.ACSTransID = "", ""
	require.Equal(t, "d", Decide(Default(), final, bare).Proof.DSTransID, "the ids of the ARes hold")
	for _, change := range []func(r *Result){func(r *Result) { r.ServerTransID = "x" }, func(r *Result) { r.ACSTransID = "x" },
		func(r *Result) { r.DSTransID = "x" }, func(r *Result) { r.MessageVersion = "2.1.0" }} {
		wrong := good
		change(&wrong)
		d := Decide(Default(), final, wrong)
		require.Equal(t, Ignore, d.Action)
		require.Equal(t, []Flag{FlagIDMismatch}, d.Flags)
	}
	good.DSTransID = ""
	require.Equal(t, CodeProtocol, Decide(Default(), run, good).ErrorCode, "a proof needs the directory server's id")
}

func TestAlerts(t *testing.T) {
	for _, f := range []Flag{FlagThreeRIError, FlagRefused, FlagIDMismatch, FlagSessionMAC, FlagUnexpectedCRes, FlagCResMismatch, FlagLateResult,
		FlagAuthenticatorOutages} {
		require.True(t, f.Alert(), f)
	}
	for _, f := range []Flag{FlagECIUnexpected, FlagValueMissing, FlagInformational, FlagDecoupled, FlagSPC, FlagVersionUnsupported, FlagCancelUnexpected} {
		require.False(t, f.Alert(), f)
	}
}

func TestExemptionValid(t *testing.T) {
	for _, e := range []Exemption{NoExemption, ExemptLowValue, ExemptTRA, ExemptTrustedBeneficiary, ExemptSecureCorporate, ExemptDelegation,
		ExemptDataOnly} {
		require.True(t, e.Valid(), e)
	}
	require.False(t, Exemption("vip").Valid())
}

// TestChallengeURLGuardsTheBrowser: the policy sends no browser to a page that cannot be an issuer's. An app needs no page.
func TestChallengeURLGuardsTheBrowser(t *testing.T) {
	run := Run{Phase: Authenticate, Channel: Browser}
	local := Result{TransStatus: "C", ACSTransID: "a", ACSURL: "http://127.0.0.1:8080/sim/acs/challenge"}
	require.Equal(t, CodeProtocol, Decide(Default(), run, local).ErrorCode)
	run.Development = true
	require.Equal(t, StartChallenge, Decide(Default(), run, local).Action)
	require.Equal(t, StartChallenge, Decide(Default(), Run{Phase: Authenticate, Channel: App}, Result{TransStatus: "C", ACSTransID: "a"}).Action)
	local.ACSTransID = ""
	require.Equal(t, CodeProtocol, Decide(Default(), run, local).ErrorCode, "a CReq needs the ACS's id")
}

package threeds

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/threeds/internal/vector"
	"payswitch/engine/threeds/message"
	"payswitch/sdk"
)

func TestReconcile(t *testing.T) {
	type input struct {
		CRes          string  `json:"cres"`
		RReq          string  `json:"rreq"`
		Reason        string  `json:"rreq_reason"`
		ECI           string  `json:"eci"`
		Value         string  `json:"authentication_value"`
		Scheme        string  `json:"scheme"`
		Result        string  `json:"result"`
		Deliveries    int     `json:"deliveries"`
		ACSTransID    *string `json:"rreq_acs_trans_id"`
		PaymentBefore string  `json:"payment_status_before"`
	}
	type expect struct {
		Final          string `json:"final"`
		PaymentStatus  string `json:"payment_status"`
		ErrorCode      string `json:"error_code"`
		Alert          *Flag  `json:"alert"`
		Authorizations *int   `json:"authorizations"`
	}
	endings := map[string]Ending{"gone": ResultGone, "not_ready_until_deadline": ResultLate}
	vector.Each(t, "reconcile", func(t *testing.T, v vector.Vectors, in input, want expect) {
		run := Run{Phase: Final, Channel: Browser, Scheme: schemes[in.Scheme], MessageVersion: "2.2.0", Returned: in.CRes != "",
			ServerTransID: v.IDs.Server, ACSTransID: v.IDs.ACS, DSTransID: v.IDs.DS}
		state, d := StateResultPending, Decision{Action: Continue}
		if in.CRes == "" {
			state = StateChallengePending
		}
		if in.PaymentBefore == "failed" {
			state, d = StateExpired, End(PayerNeverCame)
		}
		var alert Flag
		final, authorizations := "", 0
		for range max(in.Deliveries, 1) {
			if in.RReq == "" {
				require.Contains(t, endings, in.Result)
				d = End(endings[in.Result])
				continue
			}
			res := Result{TransStatus: TransStatus(in.RReq), TransStatusReason: in.Reason, ECI: in.ECI, HasValue: in.Value != "",
				ServerTransID: v.IDs.Server, ACSTransID: v.IDs.ACS, DSTransID: v.IDs.DS}
			if in.ACSTransID != nil {
				res.ACSTransID = *in.ACSTransID
			}
			use, flag := ReceiveResult(state, run, res)
			alert = flag
			if flag != FlagIDMismatch {
				final = in.RReq
			}
			if !use {
				continue
			}
			state, d = StateDone, Decide(overrides(t, v.KnobDefaults, nil), run, res)
			if d.Action.Authorizes() {
				authorizations++
			}
			if message.CResMismatch(in.CRes, in.RReq) {
				alert = FlagCResMismatch
			}
			if in.Deliveries > 1 {
				require.Empty(t, alert)
			}
		}
		status, _ := paymentStatus(d.Action, "", "")
		require.Equal(t, want.PaymentStatus, status)
		require.Equal(t, want.ErrorCode, d.ErrorCode)
		require.Equal(t, want.Final, final)
		if want.Alert != nil {
			require.Equal(t, *want.Alert, alert)
		} else {
			require.Empty(t, alert)
		}
		if want.Authorizations != nil {
			require.Equal(t, *want.Authorizations, authorizations)
		}
	})
}

// TestCResMismatch: N in a CRes fits every result but Y. A missing CRes contradicts no result.
func TestCResMismatch(t *testing.T) {
	mismatch := map[string]string{"Y": "NRU", "N": "Y"}
	for _, cres := range []string{"", "Y", "N", "x"} {
		for _, result := range []string{"Y", "A", "N", "R", "U"} {
			want := false
			for _, r := range mismatch[cres] {
				want = want || string(r) == result
			}
			require.Equal(t, want, message.CResMismatch(cres, result), "%s %s", cres, result)
		}
	}
}

// TestEnd: an authentication without an answer never authorizes, and every ending has an outcome.
func TestEnd(t *testing.T) {
	for e, want := range map[Ending]string{PayerNeverCame: CodeAbandoned, WindowClosed: CodeChallengeCanceled, ResultLate: CodeTimeout,
		DecoupledLate: CodeTimeout, ResultGone: CodeResultLost, ChallengeError: CodeProtocol, "unheard of": CodeError} {
		d := End(e)
		require.Equal(t, Fail, d.Action, e)
		require.Equal(t, want, d.ErrorCode, e)
		require.Contains(t, []Outcome{Abandoned, Errored}, d.Outcome, e)
		require.Equal(t, ShiftNotExpected, d.Liability, e)
	}
	require.Equal(t, Decision{Action: Ignore, Outcome: Abandoned, Liability: ShiftNotExpected}, End(MerchantCancelled))
}

func TestReceiveResultInEveryState(t *testing.T) {
	run, res := Run{Phase: Final, ServerTransID: "s"}, Result{TransStatus: "Y", ServerTransID: "s"}
	for state, want := range map[State]struct {
		use  bool
		flag Flag
	}{
		StateCreated: {}, StatePrepared: {}, StateAuthenticating: {}, StateChallengePending: {use: true}, StateDecoupledPending: {use: true},
		StateResultPending: {use: true}, StateDone: {}, StateConsumed: {}, StateExpired: {flag: FlagLateResult},
		StateBroken: {flag: FlagLateResult},
	} {
		use, flag := ReceiveResult(state, run, res)
		require.Equal(t, want.use, use, state)
		require.Equal(t, want.flag, flag, state)
	}
	_, flag := ReceiveResult(StateExpired, run, Result{TransStatus: "N", ServerTransID: "s"})
	require.Empty(t, flag, "a late refusal needs no flag")
}

func TestBinding(t *testing.T) {
	type side struct {
		Amount          int64        `json:"amount"`
		Currency        sdk.Currency `json:"currency"`
		CardFingerprint string       `json:"pan_fp"`
		AcquirerBIN     string       `json:"acquirer_bin"`
		AcquirerMID     string       `json:"acquirer_mid"`
		Used            bool         `json:"used"`
	}
	type input struct {
		Bound     side `json:"bound"`
		Authorize side `json:"authorize"`
	}
	type expect struct {
		Use    bool  `json:"use"`
		Reason Unfit `json:"reason"`
	}
	binding := func(s side) Binding {
		return Binding{sdk.Money{Minor: s.Amount, Currency: s.Currency}, s.CardFingerprint, s.AcquirerBIN, s.AcquirerMID}
	}
	vector.Each(t, "binding", func(t *testing.T, _ vector.Vectors, in input, want expect) {
		got := binding(in.Bound).Serves(binding(in.Authorize), in.Bound.Used)
		require.Equal(t, want.Reason, got)
		require.Equal(t, want.Use, got == Fit)
	})
	require.Equal(t, CardChanged, Binding{}.Serves(Binding{}, false), "an unknown card is not the same card")
}

func TestCompletion(t *testing.T) {
	type input struct {
		Offered     bool   `json:"method_url_for_version"`
		NotifiedMS  *int64 `json:"notified_after_ms"`
		Client      string `json:"client_value"`
		Reprepared  bool   `json:"reprepared_without_method"`
		Completion  string `json:"completion"`
		CallAtMS    *int64 `json:"call_at_ms"`
		GraceMillis *int64 `json:"grace_ms"`
	}
	type expect struct {
		CompInd string `json:"threeDSCompInd"`
	}
	vector.Each(t, "comp_ind", func(t *testing.T, _ vector.Vectors, in input, want expect) {
		m := MethodRun{Offered: in.Offered, Reprepared: in.Reprepared, Client: in.Client, ClientSignals: in.Completion == "post_message"}
		if in.GraceMillis != nil {
			require.Equal(t, methodGrace.Milliseconds(), *in.GraceMillis)
		}
		if in.NotifiedMS != nil {
			// the notification came before the call, or while the call waited
			m.Notified = in.CallAtMS == nil || *in.NotifiedMS <= *in.CallAtMS+m.Grace().Milliseconds()
		}
		require.Equal(t, want.CompInd, m.Completion())
	})
}

// TestGrace: authenticate waits only if a notification may still come.
func TestGrace(t *testing.T) {
	require.Equal(t, methodGrace, MethodRun{Offered: true, Client: "Y"}.Grace())
	for _, m := range []MethodRun{{}, {Client: "Y"}, {Offered: true, Client: "N"}, {Offered: true, Client: "U"}, {Offered: true},
		{Offered: true, Client: "Y", Notified: true}, {Offered: true, Client: "Y", Reprepared: true},
		{Offered: true, Client: "Y", ClientSignals: true}} {
		require.Zero(t, m.Grace(), "%+v", m)
	}
}

func TestNextTry(t *testing.T) {
	with := Default()
	with.FallbackAuthenticator = "netcetera"
	noFailover := with
	noFailover.OnAuthenticatorUnreachable = RuleFail
	offered := []string{"2.2.0", "2.3.1"}
	prepare := Run{Phase: Prepare}
	areq := Run{Phase: Authenticate, Scheme: sdk.Visa, MessageVersion: "2.3.1"}
	master := Run{Phase: Authenticate, Scheme: sdk.Mastercard, MessageVersion: "2.2.0"}
	u := func(reason string) Result { return Result{TransStatus: "U", TransStatusReason: reason} }
	technical := Result{Class: Technical}
	for _, tc := range []struct {
		name  string
		cfg   Config
		run   Run
		res   Result
		tried Tried
		want  Retry
	}{
		{"prepare dead", Default(), prepare, technical, Tried{}, RetrySame},
		{"prepare dead twice", Default(), prepare, technical, Tried{Same: true}, NoRetry},
		{"prepare dead twice, fallback", with, prepare, technical, Tried{Same: true}, RetryAnother},
		{"fallback dead too", with, prepare, technical, Tried{Same: true, Another: true}, NoRetry},
		{"no failover wanted", noFailover, prepare, technical, Tried{Same: true}, NoRetry},
		{"credentials", with, prepare, Result{Class: Credentials}, Tried{}, NoRetry},
		{"not enrolled", with, prepare, Result{Class: NotEnrolled}, Tried{}, NoRetry},
		{"U at the ACS", Default(), areq, u("22"), Tried{}, RetryFresh},
		{"U again", Default(), areq, u("22"), Tried{Fresh: true}, NoRetry},
		{"U again, fallback", with, areq, u("14"), Tried{Fresh: true}, RetryAnother},
		{"U of the card", with, areq, u("08"), Tried{}, NoRetry},
		{"Visa 83", Default(), areq, u("83"), Tried{}, RetryFresh},
		{"Mastercard 82 is no fault", Default(), master, u("82"), Tried{}, NoRetry},
		{"data only", Default(), Run{Phase: Authenticate, Category: DataOnly, Scheme: sdk.Mastercard}, u("22"), Tried{}, NoRetry},
		{"DS unreachable", Default(), areq, Result{Class: Technical, Code: "405"}, Tried{}, RetryFresh},
		{"session too old", Default(), areq, Result{Class: BadRequest, Code: "301"}, Tried{}, RetryFresh},
		{"session too old twice", with, areq, Result{Class: BadRequest, Code: "301"}, Tried{Fresh: true}, NoRetry},
		{"version refused", Default(), areq, Result{Class: BadRequest, Code: "102"}, Tried{}, RetryLower},
		{"version refused twice", Default(), areq, Result{Class: BadRequest, Code: "102"}, Tried{Lower: true}, NoRetry},
		{"no lower version", Default(), master, Result{Class: BadRequest, Code: "102"}, Tried{}, NoRetry},
		{"a wrong field", with, areq, Result{Class: BadRequest, Code: "203"}, Tried{}, NoRetry},
		{"another transaction's answer", with, Run{Phase: Authenticate, ServerTransID: "a"}, Result{Class: Technical, ServerTransID: "b"}, Tried{}, NoRetry},
		{"N", with, areq, Result{TransStatus: "N", TransStatusReason: "22"}, Tried{}, NoRetry},
		{"R", with, areq, Result{TransStatus: "R"}, Tried{}, NoRetry},
		{"results are fetched by schedule", with, Run{Phase: Final}, technical, Tried{}, NoRetry},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, NextTry(tc.cfg, tc.run, tc.res, offered, tc.tried))
		})
	}
	require.Equal(t, "2.2.0", ChooseVersion(Default(), Browser, offered, nil, "2.3.1"))
}

package threeds

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// TestNeverConfigurable plays random answers against random settings: the answers that must never authorize do not, under any settings.
func TestNeverConfigurable(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	seen := map[Action]int{}
	for range 100_000 {
		cfg, run, res := g.config(), g.run(), g.result()
		d := Decide(cfg, run, res)
		seen[d.Action]++
		told := []any{"settings %+v\nasked %+v\nanswer %+v\ndecision %+v", cfg, run, res, d}

		checkDecision(t, run, d, told)
		if !d.Action.Authorizes() {
			continue
		}
		status := run.Phase != Prepare && res.Class == ""
		require.False(t, status && (res.TransStatus == "N" || res.TransStatus == "R"), told...)
		require.False(t, run.Channel != ThreeRI && slices.Contains([]Class{BadRequest, Misconfigured, Credentials}, res.Class), told...)
		require.NotEqual(t, Protocol, res.Class, told...)
		if run.Phase == Final && status && d.Action == AuthorizeWithout {
			require.False(t, res.TransStatus == "U" && (res.ChallengeCancel != "" || res.TransStatusReason == "14"), told...)
		}
		require.False(t, run.Phase == Final && res.Class != "" && run.Channel != ThreeRI && !run.Returned, told...)
		require.True(t, run.Matches(res), told...)
	}
	for _, a := range []Action{Continue, Authorize, AuthorizeWithout, AuthorizePlainMIT, StartChallenge, WaitDecoupled, Fail, Ignore} {
		require.NotZero(t, seen[a], "%s was never decided: the test is blind to it", a)
	}
}

// checkDecision checks the rules that every decision keeps.
func checkDecision(t *testing.T, run Run, d Decision, told []any) {
	t.Helper()
	require.Equal(t, d.Action == Authorize, d.Proof != nil, told...)
	require.Equal(t, d.Action == Fail, d.ErrorCode != "", told...)
	require.Equal(t, d.Outcome == Rejected, d.Stop, told...)
	require.Equal(t, d.Action.WaitsForCustomer() || d.Action == Ignore, d.Outcome == "", told...)
	require.False(t, d.Action == AuthorizePlainMIT && run.Channel != ThreeRI, told...)
	require.False(t, d.Action == StartChallenge && run.Channel == ThreeRI, told...)
	if p := d.Proof; p != nil {
		require.NotEmpty(t, p.DSTransID, told...)
		legal := p.WithValue || run.Category == NonPayment || run.Scheme == sdk.CartesBancaires
		require.False(t, p.TransStatus != "I" && shifts(run.Scheme, p.ECI) && !legal, told...)
	}
	if d.Liability == ShiftExpected {
		require.Equal(t, Authorize, d.Action, told...)
		require.Contains(t, []Outcome{Authenticated, Attempted}, d.Outcome, told...)
		require.Empty(t, d.Proof.Exemption, told...)
		require.True(t, d.Proof.WithValue || run.Scheme == sdk.CartesBancaires && d.Outcome == Attempted, told...)
	}
}

// TestStrict: the strict preset authorizes only authenticated payments, exemptions that we requested, and cards that take no part.
func TestStrict(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(3, 4))}
	for range 100_000 {
		run, res := g.run(), g.result()
		if d := Decide(strictPolicy(), run, res); d.Action.Authorizes() && run.Channel != ThreeRI {
			require.Contains(t, []Outcome{Authenticated, Exempted, OutOf3DS}, d.Outcome, "asked %+v\nanswer %+v", run, res)
		}
	}
}

// TestZeroConfig: the zero settings allow nothing.
func TestZeroConfig(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(5, 6))}
	for range 100_000 {
		run, res := g.run(), g.result()
		if d := Decide(Config{}, run, res); d.Action.Authorizes() && run.Channel != ThreeRI {
			require.Contains(t, []Outcome{Authenticated, Exempted}, d.Outcome, "asked %+v\nanswer %+v", run, res)
		}
	}
}

// generator makes random settings, situations and answers. Plausible ones are frequent.
type generator struct{ *rand.Rand }

func pick[T any](g generator, from ...T) T { return from[g.IntN(len(from))] }

// config returns any value in any setting, also values that ParseConfig refuses.
func (g generator) config() Config {
	rule := func() Rule {
		return pick(g, "", RuleAuthorize, RuleAuthorizeWithout3DS, RuleAuthorizeWithoutShift, RuleFail, RuleFailoverFail,
			RuleFailoverAuthorize, RuleOn, RuleOff, RuleMandatory)
	}
	return Config{
		OnNotEnrolled: rule(), OnUnavailable: rule(), OnUnavailableAfterChallenge: rule(), OnAttempted: rule(),
		OnAuthenticatorUnreachable: rule(), Decoupled: rule(), StepUp: rule(), ThreeRIForMIT: rule(),
		AllowVersions: pick(g, nil, []string{"2.2.0", "2.3.1"}, []string{anyVersion}),
	}
}

func (g generator) run() Run {
	id := func() string { return pick(g, "a", "a", "a", "b", "") }
	return Run{
		Phase: pick(g, Prepare, Authenticate, Authenticate, Final, Final, ""), Channel: pick(g, "", Browser, Browser, App, ThreeRI),
		Category: pick(g, "", Payment, Payment, NonPayment, DataOnly), Scheme: g.scheme(),
		MessageVersion: pick(g, "2.1.0", "2.2.0", "2.3.1"),
		ChallengeInds:  pick(g, nil, []string{"01"}, []string{"02"}, []string{"05"}, []string{"10", "02"}, []string{"06"}, []string{"04"}),
		Exemption:      pick(g, NoExemption, ExemptLowValue), Decoupled: pick(g, true, false), Returned: pick(g, true, false),
		ServerTransID: id(), ACSTransID: id(), DSTransID: id(), Development: pick(g, true, false),
	}
}

func (g generator) scheme() sdk.CardNetwork {
	return pick(g, sdk.Visa, sdk.Mastercard, sdk.Maestro, sdk.AmericanExpress, sdk.CartesBancaires, sdk.UnionPay, sdk.Star, "")
}

func (g generator) result() Result {
	id := func() string { return pick(g, "a", "a", "a", "a", "A", "b", "") }
	res := Result{
		TransStatus:       pick(g, TransAuthenticated, "Y", "A", "A", "U", "U", "I", "C", "D", "S", "N", "R", "", "y", "Q", "YY"),
		TransStatusReason: pick(g, "", "", "01", "14", "22", "80", "83", "19", "26", "8x"),
		ECI:               pick(g, "", "", "05", "06", "07", "02", "01", "00", "04", "5", "N2"),
		HasValue:          pick(g, true, true, false), ChallengeCancel: pick(g, ChallengeCancel(""), "", "", "01", "04", "05", "06", "99"),
		ACSURL:         pick(g, "", "https://acs.issuer.example/c", "http://acs.issuer.example/c", "https://10.0.0.1/"),
		MessageVersion: pick(g, "", "2.2.0"), ServerTransID: id(), ACSTransID: id(), DSTransID: id(),
		Versions: pick(g, nil, []string{"2.1.0"}, []string{"2.1.0", "2.2.0"}, []string{"2.10.0", "1.0.2"}),
	}
	if g.IntN(4) == 0 {
		return Result{Class: pick(g, NotEnrolled, Technical, BadRequest, Misconfigured, Credentials, Protocol, "other"),
			Code: pick(g, "", "303", "405", "http_timeout"), TransStatus: pick(g, "", TransAuthenticated), HasValue: true}
	}
	return res
}

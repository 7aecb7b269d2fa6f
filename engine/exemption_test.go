package engine_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/threeds"
	"payswitch/engine/threeds/exempt"
	"payswitch/sdk"
)

const lowValueRules = `{"external_three_ds_policy":{"exemption_policy":"rules","exemption_rules":{"low_value":"on"}}}`

func euros(in *request.Input) { in.Currency = "EUR" }

func asks(exemption string) func(*request.Input) {
	return func(in *request.Input) {
		in.SCAExemption = sdk.Exemption(exemption)
	}
}

// exemptWorld returns a world whose bank accepts the exemptions, with the given profile settings.
func exemptWorld(t *testing.T, profile string, taken ...sdk.Exemption) *secureWorld {
	a, b := newAuthenticator(), &bank{external: true, rule: byReference, exemptions: taken}
	a.prepare = func(*sdk.Request) *sdk.AuthenticationOutcome { return enrolled("") }
	w := openSecureWorld(t, engine.Options{}, a, b, t.TempDir()+"/p.db")
	w.setProfile(profile)
	return w
}

func (w *secureWorld) settledExemptions() []string {
	w.alarms.Lock()
	defer w.alarms.Unlock()
	return append([]string(nil), w.alarms.exemptions...)
}

// challenge lets the payer of a waiting payment pass a challenge.
func (w *secureWorld) challenge(v *change.View) *change.View {
	w.t.Helper()
	w.a.authenticate, w.a.result = challenged, always("Y")
	require.Equal(w.t, "C", w.authenticated(v).TransStatus)
	req := w.a.last(w.t, sdk.OpAuthenticate)
	w.comesBack(token(req.Authentication.NotificationURL), cres(req.Authentication.ServerTransID, "Y"))
	return w.done(v.Payment.ID)
}

// The rule claims low value until five payments or EUR 100 have gone without a challenge. Then the payer is authenticated, which resets the
// counter. 2.2.0 cannot carry low value: the authorization claims it, without the browser.
func TestLowValueIsCounted(t *testing.T) {
	t.Parallel()
	w := exemptWorld(t, lowValueRules, sdk.ExemptionLowValue)
	pay := func(amount int64) *change.View { return w.pay(sale(amount, visa, external, euros)) }
	for i := range 5 {
		v := pay(10_00)
		require.Equal(t, payment.Succeeded, v.Payment.Status, i)
		require.Equal(t, sdk.ExemptionLowValue, w.bank.last(t).Exemption)
		require.Nil(t, w.bank.last(t).ThreeDS)
		require.Equal(t, "exempted", string(v.Attempt.Details.Authentication.Outcome))
		require.Equal(t, "not_expected", v.Attempt.Details.Authentication.Shift)
	}
	require.Zero(t, w.a.count(sdk.OpAuthenticate))
	sixth := pay(10_00)
	require.Equal(t, payment.RequiresCustomerAction, sixth.Payment.Status, "five have gone without")
	require.Equal(t, payment.Succeeded, w.challenge(sixth).Payment.Status)
	require.Empty(t, w.bank.last(t).Exemption)

	for i := range 4 { // 30, 60, 90: the fourth payment finds EUR 90 spent; the fifth would find 120
		require.Equal(t, payment.Succeeded, pay(30_00).Payment.Status, i)
	}
	require.Equal(t, payment.RequiresCustomerAction, pay(1_00).Payment.Status, "EUR 120 have gone without")
	other := w.pay(sale(10_00, "4111111111111111", external, euros))
	require.Equal(t, payment.Succeeded, other.Payment.Status, "each card has a counter of its own")
	require.Equal(t, payment.RequiresCustomerAction, w.pay(sale(30_01, "4111111111111111", external, euros)).Payment.Status, "over the limit")
}

// used returns the low-value count of a payment's card.
func (w *world) used(v *change.View) (u change.LowValueUse) {
	w.t.Helper()
	x := v.Attempt.Details.Exemption
	require.NotNil(w.t, x)
	require.Len(w.t, x.Card, 32, "a keyed fingerprint")
	require.NoError(w.t, w.db.View(w.t.Context(), func(r engine.Reader) (err error) { u, err = r.LowValue("m1", x.Card); return err }))
	return u
}

// A payment that asks for no authentication claims the exemption at once. Under concurrency every approved claim counts, and no other.
func TestLowValueCountsAddUp(t *testing.T) {
	t.Parallel()
	w := exemptWorld(t, `{}`, sdk.ExemptionLowValue)
	first := w.pay(sale(1_00, visa, euros, asks("low_value")))
	require.Equal(t, sdk.ExemptionLowValue, w.bank.last(t).Exemption)
	require.Nil(t, first.Attempt.Details.Authentication)
	require.Equal(t, change.LowValueUse{Count: 1, EURCents: 1_00}, w.used(first))
	w.bank.answer = func(r *sdk.Request) *sdk.Outcome {
		if r.Amount.Minor == 2_00 {
			return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "51", Reason: sdk.DeclineInsufficientFunds}}
		}
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx_" + r.Reference}
	}
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			_, err := w.CreatePayment(t.Context(), w.auth, sale(int64(1+i%2)*100, visa, euros, asks("low_value")))
			require.NoError(t, err)
		})
	}
	wg.Wait()
	approved, claims := 0, 0
	for _, s := range w.settledExemptions() {
		claims++
		if s == "low_value authorization approved" {
			approved++
		} else {
			require.Equal(t, "low_value authorization declined", s)
		}
	}
	require.Equal(t, change.LowValueUse{Count: approved, EURCents: int64(approved) * 1_00}, w.used(first))
	sent := 0
	for _, r := range w.bank.requests {
		if r.Exemption != "" {
			sent++
		}
	}
	require.Equal(t, claims, sent)
	require.GreaterOrEqual(t, approved, 5)
	v := w.pay(sale(1_00, visa, euros, asks("low_value")))
	require.Equal(t, exempt.BecauseInadmissible, v.Attempt.Details.Exemption.Reason)
	require.Empty(t, w.bank.last(t).Exemption, "exhausted")
	require.Equal(t, approved, w.used(v).Count)
}

// An amount in another currency counts as a little more than its worth. A currency without a rate claims nothing.
func TestLowValueInOtherCurrencies(t *testing.T) {
	t.Parallel()
	w := exemptWorld(t, `{}`, sdk.ExemptionLowValue)
	in := func(c sdk.Currency) func(*request.Input) {
		return func(in *request.Input) { in.Currency = c }
	}
	v := w.pay(sale(25_00, visa, in("GBP"), asks("low_value")))
	require.Equal(t, sdk.ExemptionLowValue, w.bank.last(t).Exemption)
	require.Equal(t, change.LowValueUse{Count: 1, EURCents: 30_00}, w.used(v))
	for _, c := range []struct {
		amount   int64
		currency sdk.Currency
	}{{25_01, "GBP"}, {100, "JPY"}} {
		v := w.pay(sale(c.amount, visa, in(c.currency), asks("low_value")))
		require.Equal(t, payment.Succeeded, v.Payment.Status)
		require.Empty(t, w.bank.last(t).Exemption)
		require.Equal(t, exempt.BecauseInadmissible, v.Attempt.Details.Exemption.Reason)
	}
}

// If the processor cannot receive an exemption, the engine asks the issuer instead, provided that the payer is present. It never drops the
// exemption in silence.
func TestExemptionNotTaken(t *testing.T) {
	t.Parallel()
	tra := asks("transaction_risk_analysis")
	w := exemptWorld(t, `{}`, sdk.ExemptionLowValue)
	w.a.authenticate = always("I", func(o *sdk.AuthenticationOutcome) { o.ECI = "07" })
	v := w.pay(sale(10_00, visa, euros, browser, tra))
	require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
	require.Zero(t, w.bank.count())
	w.authenticated(v)
	require.Equal(t, []string{"05"}, w.a.last(t, sdk.OpAuthenticate).Authentication.ChallengeInds)
	require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
	require.Empty(t, w.bank.last(t).Exemption, "the processor has no word for it")
	require.Equal(t, "07", w.bank.last(t).ThreeDS.ECI)

	for name, change := range map[string]func(*request.Input){
		"the payer is away":              func(*request.Input) {},
		"nothing is known of the payer":  func(in *request.Input) { browser(in); in.Billing = nil },
		"the merchant wants none":        func(in *request.Input) { browser(in); in.AuthenticationType = "no_three_ds" },
		"the processor will run its own": func(in *request.Input) { browser(in); in.AuthenticationType = "three_ds" },
	} {
		t.Run(name, func(t *testing.T) {
			v := w.pay(sale(10_00, visa, euros, change, tra))
			require.Equal(t, payment.Succeeded, v.Payment.Status)
			require.Empty(t, w.bank.last(t).Exemption)
			require.Equal(t, exempt.BecauseNoWay, v.Attempt.Details.Exemption.Reason, "the attempt gives the reason")
			require.Nil(t, v.Attempt.Details.Authentication)
		})
	}
	w.setProfile(`{"authentication_connector_details":{"authentication_connectors":[]}}`)
	require.Equal(t, payment.Succeeded, w.pay(sale(10_00, visa, euros, browser, tra)).Payment.Status, "no authenticator is available")
}

// If the profile says so, the authorization claims the exemption without any request to the authenticator.
func TestExemptionRoutes(t *testing.T) {
	t.Parallel()
	rules := func(route string) string {
		return `{"external_three_ds_policy":{"exemption_policy":"rules","exemption_rules":{"low_value":"on","route":"` + route + `"}}}`
	}
	for _, c := range []struct {
		route, version string
		inds           []string // nil: no AReq
		said           sdk.Exemption
	}{
		{"auto", "2.2.0", nil, "low_value"},
		{"auto", "2.3.1", []string{"10"}, "low_value"},
		{"authorization", "2.3.1", nil, "low_value"},
		{"three_ds", "2.2.0", []string{"02"}, "low_value"},
		{"three_ds", "2.3.1", []string{"10"}, "low_value"},
	} {
		t.Run(c.route+" "+c.version, func(t *testing.T) {
			w := exemptWorld(t, rules(c.route), sdk.ExemptionLowValue)
			w.a.prepare = func(*sdk.Request) *sdk.AuthenticationOutcome {
				return &sdk.AuthenticationOutcome{Ranges: []sdk.CardRange{{Network: sdk.Visa, Versions: []sdk.ProtocolVersion{{Version: c.version}}}}}
			}
			w.a.authenticate = always("I", func(o *sdk.AuthenticationOutcome) { o.ECI = "07" })
			v := w.pay(sale(10_00, visa, external, euros))
			if c.inds != nil {
				require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
				w.authenticated(v)
				require.Equal(t, c.inds, w.a.last(t, sdk.OpAuthenticate).Authentication.ChallengeInds)
				v = w.done(v.Payment.ID)
			} else {
				require.Zero(t, w.a.count(sdk.OpAuthenticate))
			}
			require.Equal(t, payment.Succeeded, v.Payment.Status)
			require.Equal(t, c.said, w.bank.last(t).Exemption)
			require.False(t, w.bank.last(t).Request3DS)
			require.Equal(t, 1, w.used(v).Count)
			if c.route == "authorization" {
				require.Zero(t, w.a.count(sdk.OpPrepare))
			}
		})
	}
	t.Run("not in 3-D Secure", func(t *testing.T) {
		w := exemptWorld(t, rules("auto"), sdk.ExemptionLowValue)
		w.a.prepare = func(*sdk.Request) *sdk.AuthenticationOutcome { return &sdk.AuthenticationOutcome{NotEnrolled: true} }
		v := w.pay(sale(10_00, visa, external, euros))
		require.Equal(t, payment.Succeeded, v.Payment.Status)
		require.Equal(t, sdk.ExemptionLowValue, w.bank.last(t).Exemption)
		require.Equal(t, 1, w.used(v).Count)
	})
	t.Run("the issuer wants a challenge", func(t *testing.T) {
		w := exemptWorld(t, rules("three_ds"), sdk.ExemptionLowValue)
		v := w.challenge(w.pay(sale(10_00, visa, external, euros)))
		require.Equal(t, payment.Succeeded, v.Payment.Status)
		require.Empty(t, w.bank.last(t).Exemption)
		require.Equal(t, 0, w.used(v).Count, "authenticated, not exempted")
		require.Empty(t, w.settledExemptions())
	})
	t.Run("unavailable", func(t *testing.T) {
		w := exemptWorld(t, rules("three_ds"), sdk.ExemptionLowValue)
		w.a.authenticate = always("U")
		v := w.pay(sale(10_00, visa, external, euros))
		w.authenticated(v)
		require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
		require.Empty(t, w.bank.last(t).Exemption, "no party has granted the exemption")
		require.Equal(t, 0, w.used(v).Count)
	})
}

// A claim that the issuer soft-declines leads to one challenge. A payment that is tried again claims nothing more. An issuer that
// soft-declines often gets no further claims.
func TestSoftDeclinedExemptions(t *testing.T) {
	t.Parallel()
	w := exemptWorld(t, lowValueRules, sdk.ExemptionLowValue)
	w.bank.answer = softDecline
	v := w.pay(sale(10_00, visa, external, euros))
	require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
	require.Equal(t, 2, v.Payment.AttemptCount)
	require.Equal(t, payment.Succeeded, w.challenge(v).Payment.Status)
	require.Equal(t, []string{"04"}, w.a.last(t, sdk.OpAuthenticate).Authentication.ChallengeInds)
	require.Empty(t, w.bank.last(t).Exemption)
	require.Equal(t, []string{"low_value authorization soft_declined"}, w.settledExemptions())

	w.setProfile(`{"is_manual_retry_enabled":true,"external_three_ds_policy":{"exemption_policy":"rules","step_up_on_soft_decline":"off","exemption_rules":{"low_value":"on"}}}`)
	v = w.pay(sale(10_00, visa, external, euros))
	require.Equal(t, payment.Failed, v.Payment.Status)
	v, err := w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, sale(10_00, visa, external, euros))
	require.NoError(t, err)
	require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
	w.a.authenticate = challenged
	w.authenticated(v)
	require.Equal(t, []string{"04"}, w.a.last(t, sdk.OpAuthenticate).Authentication.ChallengeInds, "the issuer demanded a challenge")

	for i := range 18 {
		v := w.pay(sale(10_00, visa, external, euros))
		require.Equal(t, payment.Failed, v.Payment.Status, i)
	}
	v = w.pay(sale(10_00, visa, external, euros))
	require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status, "20 of 20 claims were declined")
	require.Equal(t, []threeds.Exemption{threeds.ExemptLowValue}, v.Attempt.Details.Exemption.PassedOver)
	require.Len(t, w.settledExemptions(), 20)
	require.Equal(t, payment.Failed, w.pay(sale(10_00, "4111111111111111", external, euros)).Payment.Status, "other issuers are still asked")
	require.Len(t, w.settledExemptions(), 21)
}

// A claim that settles later counts then, and once.
func TestUnknownExemptionIsCountedOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := exemptWorld(t, `{}`, sdk.ExemptionLowValue)
		w.bank.answer = func(*sdk.Request) *sdk.Outcome { return &sdk.Outcome{Status: sdk.StatusUnknown} }
		v := w.pay(sale(10_00, visa, euros, asks("low_value")))
		require.Equal(t, payment.Processing, v.Payment.Status)
		require.Equal(t, 0, w.used(v).Count)
		w.running()
		require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
		require.Equal(t, change.LowValueUse{Count: 1, EURCents: 10_00}, w.used(v))
		require.Eventually(t, func() bool { return len(w.settledExemptions()) > 0 }, 10*time.Second, 5*time.Millisecond)
		require.Equal(t, []string{"low_value authorization approved"}, w.settledExemptions())
	})
}

// An exemption in the merchant's own result reaches the processor, or the engine refuses the payment.
func TestBroughtExemption(t *testing.T) {
	t.Parallel()
	w := exemptWorld(t, `{}`, sdk.ExemptionRiskAnalysis)
	brought := func(name string) *request.Input {
		return sale(10_00, visa, euros, func(in *request.Input) {
			in.ThreeDS = &request.ThreeDSInput{ECI: "07", TransStatus: "I", Version: "2.2.0", DSTransID: "c4e59ceb-a382-4d6a-bc87-385d591fa09d", Exemption: name}
		})
	}
	require.Equal(t, payment.Succeeded, w.pay(brought("transaction_risk_assessment")).Payment.Status)
	require.Equal(t, sdk.ExemptionRiskAnalysis, w.bank.last(t).Exemption)
	require.Equal(t, payment.Succeeded, w.pay(brought("")).Payment.Status)
	require.Empty(t, w.bank.last(t).Exemption)
	for name, want := range map[string]string{"low_value": "IR_20", "magic": "IR_06"} {
		_, err := w.CreatePayment(t.Context(), w.auth, brought(name))
		require.Equal(t, want, code(t, err), name)
		require.ErrorContains(t, err, "exemption")
	}
	require.Equal(t, 2, w.bank.count())
}

// Cards to be stored, payments out of scope and payments that the processor authenticates claim nothing by rule.
func TestNothingToExempt(t *testing.T) {
	t.Parallel()
	w := exemptWorld(t, lowValueRules, sdk.ExemptionLowValue)
	for name, change := range map[string]func(*request.Input){
		"issuer in the United States": func(in *request.Input) { in.Card = typedCard("4000000000000002") },
		"card kept for later":         func(in *request.Input) { in.SetupFutureUsage, in.CustomerID = "off_session", "cus_1" },
		"processor's own 3-D Secure":  func(in *request.Input) { in.AuthenticationType = "three_ds" },
		"above the limit":             func(in *request.Input) { in.Amount = ptr(int64(30_01)) },
	} {
		t.Run(name, func(t *testing.T) {
			v := w.pay(sale(10_00, visa, euros, change))
			require.Equal(t, payment.Succeeded, v.Payment.Status, fmt.Sprint(v.Attempt.Details.Error))
			require.Empty(t, w.bank.last(t).Exemption)
		})
	}
	w.pay(sale(10_00, visa, euros))
	require.Equal(t, sdk.ExemptionLowValue, w.bank.last(t).Exemption, "the rule holds for payments without 3-D Secure, too")
}

// A saved card shares the counter of the typed card. A charge without the customer claims nothing.
func TestLowValueOfSavedCards(t *testing.T) {
	t.Parallel()
	w := exemptWorld(t, lowValueRules, sdk.ExemptionLowValue)
	w.bank.answer = func(r *sdk.Request) *sdk.Outcome {
		o := &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx_" + r.Reference, NetworkTransactionID: "123456789012345"}
		if r.StoredCredential != nil && r.StoredCredential.First {
			o.StoredCredential = &sdk.StoredCredential{ID: "ref_1"}
		}
		return o
	}
	first := w.pay(sale(10_00, visa, euros, offSession, agreed, customer("c")))
	require.Empty(t, w.bank.last(t).Exemption, "the first of a series")
	require.Equal(t, 0, w.used(first).Count)
	typed := w.pay(sale(10_00, visa, euros))
	require.Equal(t, 1, w.used(typed).Count)
	for i, usage := range []sdk.CredentialUsage{"", sdk.UsageOffSession} { // the card with its CVC, and the processor's reference to it
		v := w.pay(&request.Input{Amount: ptr(int64(5_00)), Currency: "EUR", CustomerID: "c", Confirm: ptr(true), PaymentMethod: "card", SetupFutureUsage: usage,
			PaymentToken: w.methods("c")[0].Token, CardCVC: secret.New("737")})
		require.Equal(t, payment.Succeeded, v.Payment.Status)
		require.Equal(t, sdk.ExemptionLowValue, w.bank.last(t).Exemption, usage)
		require.Equal(t, change.LowValueUse{Count: i + 2, EURCents: int64(10_00 + (i+1)*5_00)}, w.used(typed))
	}
	charged := w.pay(mit(5_00, first.Method.ID, euros))
	require.Equal(t, payment.Succeeded, charged.Payment.Status)
	require.Empty(t, w.bank.last(t).Exemption)
	require.Nil(t, charged.Attempt.Details.Exemption)
	require.Equal(t, 3, w.used(typed).Count)
}

// A payment that an older version stored names its exemption in Echo alone, and claims it all the same.
func TestStoredExemptionOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	w := exemptWorld(t, `{}`, sdk.ExemptionLowValue)
	v, err := w.CreatePayment(t.Context(), w.auth, sale(10_00, visa, euros, func(in *request.Input) {
		in.Confirm = ptr(false)
		in.Echo = map[string]json.RawMessage{"psd2_sca_exemption_type": json.RawMessage(`"low_value"`)}
	}))
	require.NoError(t, err)
	require.Empty(t, v.Payment.Details.SCAExemption, "stored without the typed field")
	v, err = w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, sale(10_00, visa, euros))
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, sdk.ExemptionLowValue, w.bank.last(t).Exemption)
}

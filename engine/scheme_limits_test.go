package engine_test

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/scheme"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

const mastercard = "5555555555554444"

// decliner is a world with one processor that declines what arrives, and takes charges without the payer.
type decliner struct {
	*world
	shop    *booth // counts what arrives: an adapter's function runs more than once for one request
	decline atomic.Pointer[sdk.Decline]
}

func (d *decliner) adapter(name string) *sdk.Adapter {
	a := clerk(name, func(c *sdk.Call) (*sdk.Outcome, error) {
		ask(c, "POST", "/pay")
		return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: d.decline.Load()}, nil
	})
	a.Manifest.Features.NetworkMIT = true
	return a
}

func newDecliner(t *testing.T, o engine.Options, names ...string) *decliner {
	d := &decliner{}
	d.says(sdk.Decline{})
	adapters := map[string]*sdk.Adapter{}
	for _, name := range names {
		adapters[name] = d.adapter(name)
	}
	d.world = newWorld(t, o, adapters)
	d.shop = newBooth(t, answers(402))
	for _, name := range names {
		d.boothAccount(name, d.shop.URL)
	}
	return d
}

// says sets the decline that follows.
func (d *decliner) says(x sdk.Decline) {
	x.Code, x.Message, x.RetryElsewhere = "05", "no", true
	if x.Reason == "" {
		x.Reason = sdk.DeclineDoNotHonor
	}
	d.decline.Store(&x)
}

// without returns a charge without the payer.
func without(number string) *request.Input {
	return mit(100, "", func(in *request.Input) {
		c := typedCard(number)
		c.CVC = secret.Value{}
		in.Recurring = &request.Recurring{Type: "network_transaction_id_and_card_details", Card: c, NetworkTransactionID: "123456789012345"}
	})
}

// standing returns how the card stood after a payment's last attempt.
func standing(v *payment.Attempt) scheme.Standing {
	s := *v.Details.Scheme.Standing
	s.Again = time.Time{}
	return s
}

// TestSchemeLimitOfRepeats: charges without the payer count by card, whatever the amount. After ten declines of a day, a Mastercard is not sent again before
// the day is over, at no node. A payer's own payment is sent, and other cards are.
func TestSchemeLimitOfRepeats(t *testing.T) {
	t.Parallel()
	d := newDecliner(t, engine.Options{}, "first")
	for i := range 10 {
		in := without(mastercard)
		*in.Amount += int64(i)
		v := d.pay(in)
		require.Equal(t, payment.Failed, v.Payment.Status)
		require.Equal(t, scheme.Standing{Declined: i + 1, Most: 10, Seconds: 86400, Near: i >= 7, Refused: map[bool]scheme.Refusal{true: "limit"}[i == 9]}, standing(v.Attempt))
	}
	require.Equal(t, []string{"Mastercard near", "Mastercard near", "Mastercard used"}, d.alarms.limited)
	e := d.fails(without(mastercard))
	require.Equal(t, []any{fault.KindInvalid, "IR_16", "recurring_details"}, []any{e.Kind, e.Code, e.Param})
	require.Equal(t, "Mastercard allows no further retry: the card was declined 10 times within 24 hours", e.Message)
	require.Contains(t, e.Hint, "Repeat the charge from "+time.Now().UTC().Add(24*time.Hour).Format("2006-01-02T"))
	require.Contains(t, e.Hint, `"scheme_retry_limits": "warn"`)
	require.EqualValues(t, 10, d.shop.count.Load(), "nothing was sent")
	require.Equal(t, "Mastercard limit", d.alarms.limited[3])

	other := &decliner{}
	other.says(sdk.Decline{})
	other.world = d.second(engine.Options{}, map[string]*sdk.Adapter{"first": other.adapter("first")})
	require.Equal(t, "IR_16", other.fails(without(mastercard)).Code, "another node, or the same after a restart")
	require.EqualValues(t, 10, d.shop.count.Load())

	require.Equal(t, payment.Failed, d.pay(without(visa)).Payment.Status, "another card is sent")
	v := d.pay(sale(100, mastercard))
	require.Equal(t, 11, v.Attempt.Details.Scheme.Standing.Declined, "the payer's own payment is sent, and counts")
	d.profileFields(`{"scheme_retry_limits":"warn"}`)
	require.Equal(t, 12, d.pay(without(mastercard)).Attempt.Details.Scheme.Standing.Declined, "the profile relaxes the limit")
	d.profileFields(`{"scheme_retry_limits":"ignore"}`)
	require.Nil(t, d.pay(without(mastercard)).Attempt.Details.Scheme)
	d.profileFields(`{"scheme_retry_limits":"enforce"}`)
	d.pass(24*time.Hour + time.Second)
	require.Equal(t, payment.Failed, d.pay(without(mastercard)).Payment.Status, "the day is over")
}

// TestSchemeLimitAtOnce: of many repeats at a time, no more are sent than the limit has room for.
func TestSchemeLimitAtOnce(t *testing.T) {
	t.Parallel()
	d := newDecliner(t, engine.Options{LockWait: 20 * time.Second}, "first")
	for range 8 {
		d.pay(without(mastercard))
	}
	var refused atomic.Int64
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			_, err := d.CreatePayment(t.Context(), d.auth, without(mastercard))
			var e *fault.Error
			if errors.As(err, &e) && e.Code == "IR_16" {
				refused.Add(1)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, []int64{10, 10}, []int64{d.shop.count.Load(), refused.Load()})
}

// TestSchemeLimitOfRetries: retries by payswitch stop at the limit, and what the scheme forbids stops them at once, also in the payments that follow.
func TestSchemeLimitOfRetries(t *testing.T) {
	t.Parallel()
	d := newDecliner(t, engine.Options{}, "first", "second")
	d.profileFields(`{"is_auto_retries_enabled":true,"max_auto_retries_enabled":3}`)
	for i := range 8 {
		require.Equal(t, 2, d.pay(sale(100, visa)).Payment.AttemptCount, i)
	}
	v := d.pay(sale(100, visa))
	require.Equal(t, 1, v.Payment.AttemptCount, "16 declines are used: the payer's payment is sent once")
	require.Equal(t, scheme.Standing{Declined: 17, Most: 16, Seconds: 30 * 86400, Near: true, Refused: "limit"}, standing(v.Attempt))
	require.Equal(t, 2, d.pay(sale(100, "4000056655665556")).Payment.AttemptCount, "another card")
	d.says(sdk.Decline{NetworkCode: "46"})
	require.Equal(t, 1, d.pay(sale(100, "4111111111111111")).Payment.AttemptCount)
	d.says(sdk.Decline{})
	require.Equal(t, 1, d.pay(sale(100, "4111111111111111")).Payment.AttemptCount, "its issuer will never approve")
	require.Equal(t, "Visa never", func() string {
		d.fails(without("4111111111111111"))
		return slices.Max(d.alarms.limited[len(d.alarms.limited)-1:])
	}())
}

// TestSchemeLimitOfConfirms: a further confirm of a failed payment is refused with the same card, until the issuer's time has come, and sent with another.
func TestSchemeLimitOfConfirms(t *testing.T) {
	t.Parallel()
	d := newDecliner(t, engine.Options{}, "first")
	d.profileFields(`{"is_manual_retry_enabled":true,"session_expiry":7890000}`)
	d.says(sdk.Decline{AdviceCode: "25"})
	id := d.pay(sale(100, mastercard)).Payment.ID
	again := func(number string) error {
		in := sale(100, number)
		in.Amount, in.Currency, in.Confirm = nil, "", nil
		_, err := d.ConfirmPayment(t.Context(), d.auth, id, in)
		return err
	}
	var e *fault.Error
	require.ErrorAs(t, again(mastercard), &e)
	require.Equal(t, []any{"IR_16", "payment_method_data.card.card_number"}, []any{e.Code, e.Param})
	require.Regexp(t, `^The issuer has declined this card and asked to wait: it may be tried again from \S+Z on$`, e.Message)
	v := d.get(id, request.RetrieveInput{})
	require.Equal(t, []any{payment.Failed, 1}, []any{v.Payment.Status, v.Payment.AttemptCount}, "the payment has not changed")
	require.NoError(t, again(visa))
	require.EqualValues(t, 2, d.shop.count.Load())
	d.pass(25 * time.Hour)
	require.NoError(t, again(mastercard))
	d.says(sdk.Decline{Reason: sdk.DeclineStolenCard})
	d.pass(25 * time.Hour)
	require.NoError(t, again(mastercard))
	require.ErrorAs(t, again(mastercard), &e)
	require.Equal(t, "The issuer has declined this card for good: Mastercard forbids to try it again", e.Message)
}

// TestSchemeLimitsOfSimulators: simulators decline by design. They count and warn, and refuse nothing until the profile says so.
func TestSchemeLimitsOfSimulators(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	w.setProfile(`{"is_manual_retry_enabled":true}`)
	id := w.pay(sale(100, declined)).Payment.ID
	again := func() error {
		in := sale(100, declined)
		in.Amount, in.Currency, in.Confirm = nil, "", nil
		_, err := w.ConfirmPayment(t.Context(), w.auth, id, in)
		return err
	}
	for range 17 {
		require.NoError(t, again())
	}
	require.Equal(t, 18, w.get(id, request.RetrieveInput{}).Attempt.Details.Scheme.Standing.Declined)
	w.setProfile(`{"scheme_retry_limits":"enforce"}`)
	require.Equal(t, "IR_16", code(t, again()))
}

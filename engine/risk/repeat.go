package risk

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/scheme"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// limited says how the limits of card schemes bind at an adapter: whether declines count there, and whether what goes beyond is not sent. Simulators
// decline by design, so that they count and bind only if the profile says so.
func limited(p *account.Profile, a port.AdapterInfo) (counts, binds bool) {
	switch p.Settings.Retries.Limits {
	case account.LimitsEnforce:
		return true, true
	case account.LimitsWarn:
		return true, false
	case account.LimitsIgnore:
		return false, false
	}
	return true, !a.Simulated && a.Name != "simulator"
}

// cardOf names what a payment charges within its merchant: by the vault's fingerprint of the card, or of the processor's reference that stands for it.
func (s *Risk) cardOf(w *change.Confirming, c *card.Card) string {
	i, merchantID := w.Instrument, w.Payment.MerchantID
	switch {
	case !c.Secrets.Number.IsZero():
		return s.Vault.Fingerprint(merchantID, secret.New(canonical(c.Secrets.Number)))
	case i != nil && i.Method != nil && i.Method.Fingerprint != "":
		return i.Method.Fingerprint
	case i != nil && i.Method != nil: // the processor alone has the card
		return s.Vault.Fingerprint(merchantID, secret.New(i.Method.ID))
	case i != nil && i.ProcessorToken != "":
		return s.Vault.Fingerprint(merchantID, secret.New(i.ProcessorToken))
	}
	return ""
}

// CheckSchemeLimits prepares the count of an attempt's decline at the limits of the card's scheme. It refuses a repeat beyond them (IR_16): a further confirm of a failed
// payment, and a charge without the payer. Nothing is sent, and the payment does not change. A payer's own new payment is never refused here.
func (s *Risk) CheckSchemeLimits(ctx context.Context, w *change.Confirming, in *request.Input, c *card.Card, now time.Time) error {
	w.Attempt.Details.Scheme, w.CardHold = nil, nil
	counts, binds := limited(w.Profile, w.Adapter)
	name := s.cardOf(w, c)
	if !counts || name == "" {
		return nil
	}
	w.Attempt.Details.Scheme = &scheme.Attempt{Card: name, Binds: binds}
	without := w.Instrument != nil && w.Instrument.MerchantInitiated || optional.IsTrue(w.Payment.Details.OffSession)
	if !binds || w.Attempt.Number == 1 && !without {
		return nil
	}
	var d scheme.Declines
	err := s.Store.View(ctx, func(r Reader) (err error) { d, err = r.CardDeclines(w.Payment.MerchantID, name); return err })
	if err != nil {
		return fault.FromStore(err, "read declines of a card")
	}
	st := d.Of(c.Facts.Network, now)
	if st.Refused != "" {
		s.Metrics.RetryLimited(string(c.Facts.Network), string(st.Refused))
		s.Log.LogAttrs(ctx, slog.LevelInfo, "the limits of the card's scheme stopped a repeat", slog.String("payment_id", w.Payment.ID), slog.String("refused", string(st.Refused)),
			slog.Int("declined", st.Declined), slog.Time("again", st.Again))
		return tooOften(c.Facts.Network, st, paramOf(in))
	}
	if len(d.Times) > 0 {
		w.CardHold = &change.CardHold{Card: name, Network: c.Facts.Network}
	}
	return nil
}

// paramOf names the field of the request that chose the card.
func paramOf(in *request.Input) string {
	switch {
	case in.Recurring != nil:
		return "recurring_details"
	case in.MandateID != "":
		return "mandate_id"
	case in.Card == nil && in.PaymentToken != "":
		return "payment_token"
	}
	return "payment_method_data.card.card_number"
}

// tooOften returns the refusal of a repeat.
func tooOften(network sdk.CardNetwork, st scheme.Standing, param string) *fault.Error {
	again := st.Again.UTC().Truncate(time.Second).Add(time.Second).Format(time.RFC3339)
	who := string(network)
	if who == "" {
		who = "The card's scheme"
	}
	e := fault.Refused("").WithParam(param)
	switch st.Refused {
	case scheme.RefusedNever:
		e.Message = "The issuer has declined this card for good: " + who + " forbids to try it again"
		e.Hint = "Ask the customer for another card. payswitch tries this one again from " + again + " on."
	case scheme.RefusedWait:
		e.Message = "The issuer has declined this card and asked to wait: it may be tried again from " + again + " on"
		e.Hint = "Repeat the charge at that time, or ask the customer for another card."
	default:
		e.Message = who + " allows no further retry: the card was declined " + strconv.Itoa(st.Declined) + " times within " + span(st.Within())
		e.Hint = "Repeat the charge from " + again + " on, or ask the customer for another card."
	}
	e.Hint += ` With "scheme_retry_limits": "warn" in the profile, payswitch sends it all the same, and the scheme may charge a fee.`
	return e
}

// span writes the time of a limit.
func span(d time.Duration) string {
	if d <= 24*time.Hour {
		return strconv.Itoa(int(d/time.Hour)) + " hours"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + " days"
}

// SchemeDecline is the effect of an attempt's decline on the limits of the card's scheme.
type SchemeDecline struct {
	scheme.Standing
	Binds   bool // no retry follows beyond the limits
	decline scheme.Decline
	network string
}

// SchemeDecline returns what a verdict means to the limits of the card's scheme, nil for any but a decline that counts. It reads the declines before.
func (s *Risk) SchemeDecline(ctx context.Context, w *change.Loaded, v evidence.Verdict, now time.Time) (*SchemeDecline, error) {
	m := w.Attempt.Details.Scheme
	if m == nil || m.Standing != nil || v.Status != payment.OperationDeclined || v.Outcome == nil || v.Outcome.Decline == nil || !scheme.Counts(*v.Outcome.Decline) {
		return nil, nil
	}
	switch w.Operation.Kind {
	case sdk.OpAuthorize, sdk.OpVerify, sdk.OpComplete:
	default:
		return nil, nil
	}
	var before scheme.Declines
	err := s.Store.View(ctx, func(r Reader) (err error) { before, err = r.CardDeclines(w.Attempt.MerchantID, m.Card); return err })
	if err != nil {
		return nil, fault.FromStore(err, "read declines of a card")
	}
	var network sdk.CardNetwork
	if c := w.Attempt.Details.Card; c != nil {
		network = c.Network
	}
	out := &SchemeDecline{Binds: m.Binds, decline: scheme.Note(network, *v.Outcome.Decline, now), network: string(network)}
	out.Standing = before.With(out.decline).Of(network, now)
	return out, nil
}

// NoRetry reports whether the limits allow no further attempt with the card.
func (d *SchemeDecline) NoRetry() bool { return d != nil && d.Binds && d.Refused != "" }

// CountSchemeDecline adds the end of an attempt to the change that books it. d is nil for an attempt that was not declined.
func (s *Risk) CountSchemeDecline(ctx context.Context, d *SchemeDecline, a *payment.Attempt, c *change.Change, now time.Time) {
	if d == nil {
		c.Decline = change.CountDecline(a, nil, scheme.Standing{}, now)
		return
	}
	c.Decline = change.CountDecline(a, &d.decline, d.Standing, now)
	if a.Details.Scheme.Standing == nil || !d.Near && d.Refused == "" {
		return
	}
	result := "near"
	if d.Refused != "" {
		result = "used"
	}
	c.Effects = append(c.Effects, func(ctx context.Context) error {
		s.Metrics.RetryLimited(d.network, result)
		s.Log.LogAttrs(ctx, slog.LevelWarn, "a card was declined about as often as its scheme allows", slog.String("payment_id", a.PaymentID), slog.String("network", d.network),
			slog.Int("declined", d.Declined), slog.Int("most", d.Most), slog.String("refused", string(d.Refused)), slog.Time("again", d.Again))
		return nil
	})
}

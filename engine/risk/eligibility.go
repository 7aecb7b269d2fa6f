package risk

import (
	"context"
	"errors"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
)

// EligibilityInput is what a client is about to confirm a payment with.
type EligibilityInput struct {
	ClientSecret string // with the publishable key
	Number       secret.Value
	HasData      bool // the request has payment_method_data
	Token        string
	IP           string
}

// Eligible returns why a confirm would be stopped, "" if it may go on. It stores and counts nothing, and the payment's state does not matter. Errors: HE_02,
// IR_04 and IR_08 and IR_09 for the client secret, IR_04 without an instrument, IR_29 for a token.
func (s *Risk) Eligible(ctx context.Context, a account.Auth, id string, in EligibilityInput) (text string, err error) {
	w, err := s.Changes.Load(ctx, a.MerchantID, id)
	if err != nil {
		return "", err
	}
	p := w.Payment
	if a.ProfileID != "" && a.ProfileID != p.ProfileID {
		return "", fault.NotFound("Payment")
	}
	if a.Publishable {
		if in.ClientSecret == "" {
			return "", fault.Missing("client_secret")
		}
		if err := payment.MatchSecret(p, in.ClientSecret, s.Now()); err != nil {
			return "", err
		}
	}
	number := in.Number
	switch {
	case !in.HasData && in.Token == "":
		return "", fault.Missing("Either payment_token or payment_method_data").WithParam("payment_method_data")
	case !in.HasData:
		if number, err = s.numberOfToken(ctx, w, in.Token); err != nil {
			return "", err
		}
	}
	if number.IsZero() {
		return "", nil // no card
	}
	r, _, err := s.lookUp(ctx, p.MerchantID, w.Profile, number)
	if err != nil {
		return "", err
	}
	if r != nil {
		return r.text, nil
	}
	if in.Number.IsZero() { // the guard counts typed cards alone
		return "", nil
	}
	c := s.countersOf(w, number, in.IP)
	if len(c.hold) == 0 {
		return "", nil
	}
	var failures map[string]int
	err = s.Store.View(ctx, func(r Reader) (err error) { failures, err = c.failures(r, p.MerchantID); return err })
	if err != nil {
		return "", fault.FromStore(err, "read failure counts")
	}
	if c.reached(failures) {
		text = suspicious
	}
	return text, nil
}

// numberOfToken returns the number of the card that a payment_token names.
func (s *Risk) numberOfToken(ctx context.Context, w *change.Loaded, token string) (number secret.Value, err error) {
	i, err := s.Methods.RequestedInstrument(ctx, w.Payment, &request.Input{PaymentToken: token}, s.Now())
	switch {
	case err != nil:
	case i == nil:
		var kept *card.Input
		if kept, err = s.TokenCard(ctx, w.Payment, token, s.Now()); err == nil {
			number = kept.Number
		}
	default:
		number, err = s.numberOf(ctx, &change.Confirming{Loaded: w, Instrument: i}, &card.Card{})
	}
	if known := (*fault.Error)(nil); errors.As(err, &known) && known.Code == "IR_29" || fault.IsNotFound(err) {
		err = &fault.Error{Kind: fault.KindUnprocessable, Code: "IR_29", Message: "Invalid or expired payment token", Param: "payment_token", Hint: "List the payment methods again: a payment_token is short-lived."}
	}
	return number, err
}

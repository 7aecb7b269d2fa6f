package change

import (
	"context"
	"errors"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// cardInfoToken returns the token of the card that a merchant may fetch for his own key. No payment can charge it: it has no Key.
func cardInfoToken(paymentID string) string { return "extended_card_info/" + paymentID }

// EncryptCard encrypts the card that a payer charges for the merchant's own key, if the profile asks for it. It returns nil without a card, and for a
// charge without the payer. It returns an error for a key that cannot be used.
func (w *Confirming) EncryptCard(c *card.Card, now time.Time) (*payment.CardToken, error) {
	info := w.Profile.Settings.CardInfo
	if info == nil || c.Secrets.Number.IsZero() || w.Instrument != nil && (w.Instrument.Stored || w.Instrument.MerchantInitiated) {
		return nil, nil
	}
	text, err := c.EncryptFor(info.PublicKey)
	if err != nil {
		return nil, err
	}
	return &payment.CardToken{Token: cardInfoToken(w.Payment.ID), MerchantID: w.Payment.MerchantID, PaymentID: w.Payment.ID, Sealed: []byte(text),
		ExpiresAt: now.Add(time.Duration(info.Seconds) * time.Second)}, nil
}

// ExtendedCardInfo returns the card of a payment as a compact JWE for the merchant's own key. Errors: IR_27 if the payment has no card info, or keeps it no longer.
func (s *Changes) ExtendedCardInfo(ctx context.Context, auth account.Auth, id string) (string, error) {
	none := &fault.Error{Kind: fault.KindNotFound, Code: "IR_27", Message: "Extended card info does not exist", Param: "payment_id", Hint: "Before the confirm, send extended_card_info_config to the profile, and {\"enabled\": true} to its toggle_extended_card_info."}
	w, err := s.Load(ctx, auth.MerchantID, id)
	switch {
	case fault.IsNotFound(err):
		return "", none
	case err != nil:
		return "", err
	case w.Profile.Settings.CardInfo == nil || auth.ProfileID != "" && auth.ProfileID != w.Payment.ProfileID:
		return "", none
	}
	var t *payment.CardToken
	err = s.Store.View(ctx, func(r Reader) (err error) {
		t, err = r.CardToken(auth.MerchantID, cardInfoToken(id))
		return err
	})
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return "", none
	case err != nil:
		return "", fault.Internal(err, "read extended card info")
	case !s.Now().Before(t.ExpiresAt):
		return "", none
	}
	return string(t.Sealed), nil
}

// TokenCard returns the card that the creation of a payment stored under a token. The error is IR_29 if the token belongs to no card of this payment, or if
// the card has expired.
func (s *Changes) TokenCard(ctx context.Context, p *payment.Payment, token string, now time.Time) (*card.Input, error) {
	invalid := &fault.Error{Kind: fault.KindUnprocessable, Code: "IR_29", Message: "Token is invalid or expired", Param: "payment_token",
		Hint: "List the customer's payment methods again: a payment_token is short-lived."}
	var t *payment.CardToken
	err := s.Store.View(ctx, func(r Reader) (err error) { t, err = r.CardToken(p.MerchantID, token); return err })
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return nil, invalid
	case err != nil:
		return nil, fault.Internal(err, "read card token")
	case t.PaymentID != p.ID || !now.Before(t.ExpiresAt) || t.Key == nil:
		return nil, invalid
	}
	c, err := s.Vault.OpenShortTerm(t.Sealed, t.Key, t.MerchantID, t.ShortTermID())
	if err != nil {
		return nil, err
	}
	return c.Input(), nil
}

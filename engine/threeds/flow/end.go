package flow

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// keepAnswer stores the values of an authenticator's answer, also those that are no evidence for the payment. Values that the answer lacks
// stay as they are.
func (s *Authentications) keepAnswer(c *authCase, ans authAnswer) {
	d, p, o := &c.auth.Details, c.auth.Private, ans.out
	if er := o.Error; er != nil {
		d.VendorCode, d.ErrorComponent, d.ErrorClass = er.Code, er.Component, er.Class
		d.ErrorDetail = er.Description
		optional.SetText(&d.ErrorDetail, er.Detail)
	}
	optional.SetText(&d.ServerTransID, o.ServerTransID)
	optional.SetText(&d.ACSTransID, o.ACSTransID)
	optional.SetText(&d.DSTransID, o.DSTransID)
	optional.SetText(&d.ACSReference, o.ACSReference)
	optional.SetText(&d.ECI, o.ECI)
	optional.SetText(&d.CAVVAlgorithm, o.CAVVAlgorithm)
	optional.SetText(&d.ExemptionApplied, o.ExemptionApplied)
	optional.SetText(&d.ChallengeCancel, o.ChallengeCancel)
	optional.SetText(&p.Data, o.Data)
	optional.SetText(&p.CardholderInfo, o.CardholderInfo)
	optional.SetText(&p.SignedContent, o.ACSSignedContent)
	if o.TransStatus != "" {
		d.TransStatus, d.TransStatusReason = o.TransStatus, o.TransStatusReason
	}
	if !ans.cavv.IsZero() {
		p.CAVV = ans.cavv.Reveal()
	}
}

// conclude carries out a decision that ends the authentication: it authorizes the payment, or fails it.
func (s *Authentications) conclude(ctx context.Context, c *authCase, d threeds.Decision) error {
	c.auth.Details.Shift, c.auth.Details.RecordedECI = string(d.Liability), d.ECI
	if d.Proof != nil {
		c.auth.Details.SentECI = d.Proof.ECI
	}
	if d.Action.Authorizes() {
		return s.takeResult(ctx, c, d)
	}
	return s.failPayment(c, authentication.Done, d.Outcome, d.ErrorCode)
}

// finish ends the authentication and drops the card.
func (s *Authentications) finish(c *authCase, state authentication.State, outcome threeds.Outcome) {
	a := c.auth
	a.State, a.Outcome, a.DueAt, a.Details.EndedAt = state, outcome, time.Time{}, c.now
	a.Instrument, a.Request = nil, nil
	a.Private.CReq, a.Private.ACSURL, a.Private.MethodData, a.Private.Frames, a.Private.App = "", "", "", nil, nil
	c.ended = true
}

// failPayment ends authentication and payment without an authorization.
func (s *Authentications) failPayment(c *authCase, state authentication.State, outcome threeds.Outcome, code string) error {
	d := &c.auth.Details
	d.ErrorCode, d.ErrorMessage = code, messageOf(code)
	if d.Shift == "" {
		d.Shift = string(threeds.ShiftNotExpected)
	}
	s.finish(c, state, outcome)
	if !c.waiting() {
		return nil // cancelled in the meantime
	}
	c.moved = true
	c.w.Attempt.Private.Invoke = nil
	c.w.Attempt.Details.Error = &payment.AttemptError{Operation: sdk.OpAuthenticate, Code: code, Message: d.ErrorMessage, Reason: sdk.DeclineAuthenticationFailed}
	return payment.Move(c.w.Payment, c.w.Attempt, payment.TriggerAuthenticationFailed, c.now)
}

// takeResult gives the result to exactly one authorization. One commit stores the authorization's intent and the end of the authentication.
// Nothing has left at that point, and the operation's row says so: a node that finds it after a crash performs it.
func (s *Authentications) takeResult(ctx context.Context, c *authCase, d threeds.Decision) error {
	a := c.auth
	if !c.waiting() { // cancelled in the meantime: the result is stored, but nothing uses it
		c.alarms = append(c.alarms, alarm.Kind(threeds.FlagLateResult))
		s.finish(c, authentication.Expired, d.Outcome)
		return nil
	}
	err := s.Changes.WithAccount(ctx, c.w)
	if err == nil && c.w.Account.Deleted { // nothing was charged yet
		err = fault.NotFound("Merchant connector account")
	}
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelError, "authenticated payment cannot be authorized", slog.String("payment_id", a.PaymentID), slog.Any("error", err))
		return s.failPayment(c, authentication.Done, d.Outcome, threeds.CodeError)
	}
	first, secrets, err := s.instrumentOf(ctx, a)
	if err != nil {
		return err
	}
	b := &a.Details.Bound
	if b.Amount != c.w.Attempt.Amount || b.Currency != c.w.Payment.Currency || b.AccountID != c.w.Attempt.AccountID || !bytes.Equal(b.Card, s.cardHash(a.MerchantID, secrets.Number)) {
		c.alarms = append(c.alarms, alarm.AuthenticationBinding)
		return s.failPayment(c, authentication.Done, d.Outcome, threeds.CodeError)
	}
	if taken, err := s.takenBack(ctx, c, d); taken || err != nil {
		return err
	}
	if blocked, err := s.RecheckCard(ctx, c.w, secrets.Number, c.now); err != nil {
		return err
	} else if blocked {
		c.moved, c.w.Attempt.Private.Invoke = true, nil
		s.finish(c, authentication.Done, d.Outcome)
		return nil
	}
	if p := d.Proof; p != nil {
		first.ThreeDS = &sdk.ThreeDSResult{ECI: p.ECI, TransStatus: string(p.TransStatus), Version: p.MessageVersion, DSTransID: p.DSTransID,
			ServerTransID: a.Details.ServerTransID, ACSTransID: a.Details.ACSTransID, Flow: string(a.Details.Flow()),
			CAVVAlgorithm: a.Details.CAVVAlgorithm}
		if p.WithValue {
			secrets.CAVV = secret.New(a.Private.CAVV)
		}
	}
	first.Exemption = claimedExemption(c, d)
	if d.Outcome == threeds.Authenticated && a.Details.Flow() == authentication.FlowChallenge {
		c.strong = s.Vault.Fingerprint(a.MerchantID, secrets.Number)
	}
	w := c.w
	w.Token, w.Request, w.Secrets = "", first, secrets
	w.Operation = s.Driver.NewOperation(&w.Run, change.AuthorizeKind(w), w.Attempt.Amount, c.now)
	w.Operation.Status, w.Operation.ResolveAt, w.Operation.ErrorText = payment.OperationUnknown, c.now, "about to be sent"
	if err := s.Driver.SealRun(&w.Run); err != nil {
		return err
	}
	c.queued, c.leaseEnd = w.Operation, s.Driver.LeaseEnd()
	c.insert, c.at = append(c.insert, w.Operation), append(c.at, w.Account)
	w.Payment.OpenOperation = w.Operation.ID
	w.Attempt.Private.Invoke = nil
	c.moved = true
	s.finish(c, authentication.Consumed, d.Outcome)
	if w.Attempt.Status == payment.AuthenticationPending {
		return payment.Move(w.Payment, w.Attempt, payment.TriggerResume, c.now)
	}
	return nil
}

// takenBack fails a payment whose mandate was revoked, or whose saved card was deleted, after the confirm.
func (s *Authentications) takenBack(ctx context.Context, c *authCase, d threeds.Decision) (bool, error) {
	err := s.Methods.StillCharges(ctx, c.w.Payment, c.w.Attempt)
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || refused.Kind == fault.KindInternal {
		return false, err
	}
	if err := s.failPayment(c, authentication.Done, d.Outcome, threeds.CodeError); err != nil {
		return false, err
	}
	c.auth.Details.ErrorMessage = cmp.Or(refused.Reason, refused.Message)
	c.w.Attempt.Details.Error.Message = c.auth.Details.ErrorMessage
	return true, nil
}

// messageOf returns the merchant's message for an error_code.
func messageOf(code string) string {
	if m, ok := authenticationMessages[code]; ok {
		return m
	}
	return "The customer could not be authenticated."
}

var authenticationMessages = map[string]string{
	threeds.CodeNotEnrolled:       "The card takes no part in 3-D Secure, and the profile does not charge such cards.",
	threeds.CodeUnreachable:       "The authenticator could not be reached; nothing was charged.",
	threeds.CodeCredentials:       "The authenticator refused the account's credentials: check the connector account.",
	threeds.CodeAbandoned:         "The customer left the authentication; nothing was charged.",
	threeds.CodeUnavailable:       "The card's issuer could not authenticate the customer, and the profile does not charge without authentication.",
	threeds.CodeError:             "The authenticator refused the request: see external_authentication_details.",
	threeds.CodeFailed:            "The customer did not pass authentication.",
	threeds.CodeRejected:          "The card's issuer rejected the payment during authentication. Do not try this card again.",
	threeds.CodeProtocol:          "The authentication ended with a message that breaks the protocol; nothing was charged.",
	threeds.CodeChallengeCanceled: "The customer cancelled the authentication.",
	threeds.CodeTimeout:           "The customer did not finish the authentication in time.",
	threeds.CodeResultLost:        "The authenticator no longer has the result; nothing was charged.",
	threeds.CodeRequired:          "The card's issuer asks for authentication: bring the customer back and authenticate.",
}

// followUps returns the effects of a change of an authentication: the authorization that takes its result, and the notice to the
// authenticator that the payer has left.
func (s *Authentications) followUps(c *authCase) (effects []func(context.Context) error) {
	if c.cancel {
		effects = append(effects, s.later(func(ctx context.Context) { s.cancelChallenge(ctx, c) }))
	}
	if c.queued == nil {
		return effects
	}
	authorize := func(ctx context.Context) {
		s.Changes.LogPostponed(ctx, "the authorization", c.auth.PaymentID, s.Resolve(ctx, c.queued, c.leaseEnd))
	}
	if c.background {
		return append(effects, s.later(authorize))
	}
	return append(effects, func(ctx context.Context) error {
		s.InFlight.Add(1)
		defer s.InFlight.Done()
		authorize(context.WithoutCancel(ctx))
		return nil
	})
}

// later returns an effect that the caller does not wait for.
func (s *Authentications) later(f func(ctx context.Context)) func(context.Context) error {
	return func(ctx context.Context) error {
		s.InFlight.Add(1)
		go func() {
			defer s.InFlight.Done()
			f(context.WithoutCancel(ctx))
		}()
		return nil
	}
}

package change

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// Loaded is a stored payment with its latest attempt, its merchant and profile, and the attempt's saved method.
type Loaded struct {
	drive.Run
	Merchant  *account.Merchant
	Profile   *account.Profile
	Method    *method.PaymentMethod // opened; nil without one
	Customer  *account.Customer     // the record of the payment's customer, opened; nil without one
	SaveTries method.SaveTries
	// Retry says how the payment may go on at another account if this attempt fails; nil if it may not. Only the call that routed the attempt has it.
	Retry *Retry
	// Retried is true once another attempt has followed the one that this run drove. RetryErr is the answer of that attempt to the caller.
	Retried  bool
	RetryErr error
	Relays   *Relays // what a decision to give money back knows of the transaction's relays; nil for another decision
	busy     bool    // an operation on the payment was being driven when the payment was read
}

// Retry is what a further attempt needs beyond the payment: the request and the instrument of the confirm, and the accounts that remain.
type Retry struct {
	Input      *request.Input
	Card       *card.Card
	Instrument *method.Instrument
	Accounts   []*account.Account // not tried yet, in order
	Until      time.Time          // no further attempt begins later
	Tries      int                // further attempts so far
	// Last says that nothing follows this attempt: it steps up to 3-D Secure.
	Last bool
	// Authenticated is what payswitch's own authentication has brought, nil if the payment had none.
	Authenticated *Authenticated
}

// Authenticated is the result of payswitch's own authentication for a further attempt: its first attempt presented the same.
type Authenticated struct {
	Proof     *sdk.ThreeDSResult // nil if the policy authorizes without a proof
	Exemption sdk.Exemption      // claimed with the payment, "" for none
	// Serves reports whether the authentication holds for the acquirer of another account.
	Serves func(*account.Account) bool
}

// AddTo puts the result into the request of a further attempt. A nil Authenticated leaves the request as it is.
func (a *Authenticated) AddTo(r *sdk.Request) {
	if a != nil {
		r.ThreeDS, r.Exemption, r.Request3DS = a.Proof, a.Exemption, false
	}
}

func (s *Changes) OperationsOf(ctx context.Context, p *payment.Payment) (ops []*payment.Operation, err error) {
	err = s.Store.View(ctx, func(r Reader) (err error) { ops, err = r.Operations(p.MerchantID, p.ID); return err })
	if err != nil {
		return nil, fault.Internal(err, "read operations")
	}
	return ops, nil
}

// Load reads and opens a payment with its latest attempt, merchant and profile.
func (s *Changes) Load(ctx context.Context, merchantID, id string) (*Loaded, error) {
	w := &Loaded{}
	err := s.Store.View(ctx, func(r Reader) (err error) {
		if w.Payment, err = r.Payment(merchantID, id); err != nil {
			return err
		}
		if w.Attempt, err = r.Attempt(merchantID, w.Payment.AttemptID); err != nil {
			return err
		}
		if w.busy, err = s.busy(r, w.Payment); err != nil {
			return err
		}
		if w.Method, err = method.Of(r, w.Attempt.MerchantID, w.Attempt.Details.MethodID); err != nil {
			return err
		}
		w.Customer, err = CustomerOf(r, w.Payment)
		return err
	})
	if errors.Is(err, fault.ErrNotFound) {
		return nil, fault.NotFound("Payment")
	}
	if err != nil {
		return nil, fault.Internal(err, "read payment")
	}
	return w, s.Open(ctx, w)
}

// Open decrypts and completes the rows that Load has read.
func (s *Changes) Open(ctx context.Context, w *Loaded) (err error) {
	if err := errors.Join(s.Vault.OpenPayment(w.Payment), s.Vault.OpenAttempt(w.Attempt)); err != nil {
		return err
	}
	s.openCustomer(ctx, w)
	if w.Merchant, err = s.Registry.Dir.Merchant(ctx, w.Payment.MerchantID); err != nil {
		return err
	}
	w.Profile, err = s.Registry.Dir.Profile(ctx, w.Payment.MerchantID, w.Payment.ProfileID)
	if errors.Is(err, fault.ErrNotFound) { // a deleted profile must not hide its payments
		w.Profile, err = &account.Profile{ID: w.Payment.ProfileID, MerchantID: w.Payment.MerchantID}, nil
	}
	return err
}

// LoadCustomer adds the record of the payment's customer to w, unless w has it.
func (s *Changes) LoadCustomer(ctx context.Context, w *Loaded) {
	if w.hasCustomer() {
		return
	}
	err := s.Store.View(ctx, func(r Reader) (err error) { w.Customer, err = CustomerOf(r, w.Payment); return err })
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "an answer goes without its customer's record", slog.String("payment_id", w.Payment.ID), slog.Any("error", err))
		return
	}
	s.openCustomer(ctx, w)
}

// hasCustomer reports whether w has the record of the payment's customer, or the payment names none.
func (w *Loaded) hasCustomer() bool {
	id := w.Payment.CustomerID
	return id == "" || w.Customer != nil && w.Customer.ID == id
}

// KeepCustomer makes Commit read the record of the payment's customer into w, or make the record if the merchant has no such customer yet. Commit refuses
// a customer who was deleted (IR_11). Where w has the record of a living customer, KeepCustomer changes nothing.
func (c *Change) KeepCustomer(w *Loaded) *Change {
	if w.Payment.Private.Customer != nil && (!w.hasCustomer() || w.Customer != nil && w.Customer.Redacted) {
		c.customerOf = w
	}
	return c
}

// keepCustomer reads or makes the record that KeepCustomer asks for. A customer that this node has seen is there, so that the transaction need not wait for the
// database's answer.
func (s *Changes) keepCustomer(tx Tx, c *Change) error {
	p := c.customerOf.Payment
	if s.customers.has(p.MerchantID, p.CustomerID) {
		err := tx.KnownCustomer(p.MerchantID, p.CustomerID, func(found *account.Customer) error {
			c.customer = found
			return method.Living(found)
		})
		if !errors.Is(err, fault.ErrNotFound) {
			return err
		}
	}
	known, err := CustomerOf(tx, p)
	if known == nil && err == nil {
		known, err = s.Methods.NewCustomer(tx, p.MerchantID, p.Private.Customer, p.ModifiedAt)
	}
	if c.customer = known; err != nil {
		return err
	}
	return method.Living(known)
}

// CustomerOf reads the record of a payment's customer, sealed; nil without one.
func CustomerOf(r Reader, p *payment.Payment) (*account.Customer, error) {
	if p.CustomerID == "" {
		return nil, nil
	}
	c, err := r.CustomerUnlocked(p.MerchantID, p.CustomerID)
	if errors.Is(err, fault.ErrNotFound) {
		return nil, nil
	}
	return c, err
}

// openCustomer decrypts the customer's record. A record that cannot be read hides no payment.
func (s *Changes) openCustomer(ctx context.Context, w *Loaded) {
	if w.Customer == nil {
		return
	}
	if err := s.Methods.OpenCustomer(w.Customer); err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "a customer's record cannot be read", slog.String("payment_id", w.Payment.ID), slog.Any("error", err))
		w.Customer = nil
	}
}

// WithAccount adds the attempt's connector account and its adapter to w. Whatever became of the account since, it reaches the account at the
// processor that the payment was made at.
func (s *Changes) WithAccount(ctx context.Context, w *Loaded) (err error) {
	version := w.Attempt.AccountVersion
	if op := w.Operation; op != nil && op.AccountID == w.Attempt.AccountID {
		version = op.AccountVersion
	}
	if w.Account, err = s.Registry.Serving(ctx, w.Payment.MerchantID, w.Attempt.AccountID, version); err != nil {
		return err
	}
	info, ok := s.Connectors.Adapter(w.Account.Connector)
	if !ok {
		return &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "The connector " + w.Account.Connector + " is not available at the moment", Connector: w.Account.Connector}
	}
	w.Adapter = info
	return nil
}

// busy reports whether an operation on the payment is under way. It reads in the transaction that read the payment. After the end of its lease
// the operation's node is taken for dead: background work takes the operation over.
func (s *Changes) busy(r Reader, p *payment.Payment) (bool, error) {
	if p.OpenOperation == "" {
		return false, nil
	}
	op, err := r.Operation(p.OpenOperation)
	if err != nil {
		return false, err
	}
	if op.Status == payment.OperationStarted && !op.Leased(r.Now()) {
		s.Wake()
	}
	return op.Status == payment.OperationStarted, nil
}

// didAlready reports whether another try of the same request (by its Idempotency-Key) has made an operation on the payment. The seed of that
// operation is derived from the request's token. An operation that has sent no request does not count: this try performs it. While that
// operation is under way, the error is ErrConflict: the caller looks again.
func (s *Changes) didAlready(ctx context.Context, w *Loaded) (bool, error) {
	ops, err := s.OperationsOf(ctx, w.Payment)
	if err != nil {
		return false, err
	}
	for _, op := range ops {
		if !bytes.Equal(op.Seed, s.Driver.Seed(w.Token, op.Kind)) {
			continue
		}
		switch op.Status {
		case payment.OperationStarted:
			s.Wake() // its node may have died
			return false, fault.ErrConflict
		case payment.OperationFailed, payment.OperationRejected:
		default:
			return true, nil
		}
	}
	return false, nil
}

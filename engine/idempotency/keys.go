package idempotency

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/port"
	"payswitch/engine/vault"
)

// Answer is the stored answer to a request with an Idempotency-Key.
type Answer struct {
	Status  int                 `json:"status"`
	Headers map[string][]string `json:"headers,omitempty"`
	Body    []byte              `json:"body"`
}

// MaxKey is the maximum length of an Idempotency-Key, which consists of printable ASCII characters without spaces.
const MaxKey = 250

// answerKept is how long an answer is kept.
const answerKept = 24 * time.Hour

// answerTime is how long an answer waits for a database that is away. A database that restarts needs a few seconds.
const answerTime = 5 * time.Second

// Keys has the Idempotency-Keys of all merchants. It is safe for concurrent use.
type Keys struct {
	Deps
	answering sync.Map // tokens of the requests that this process answers
}

// Deps are the parts that Keys needs. All are required.
type Deps struct {
	Store Store
	Vault *vault.Vault
	Now   port.Clock
	Log   *slog.Logger
	// PayerMay reports whether a payer may use one more key. Each key takes room in the database for a day. of names the payer's payment, method or customer.
	PayerMay func(merchantID, of string) bool
	// LockWait is how long a repeated request waits for the first request with the same key.
	LockWait time.Duration
	// Node is this node's name. With SoleNode no other living process has it.
	Node     string
	SoleNode bool
	// LeaseTime is how long a key belongs to the node that answers its request, unless the node extends it.
	LeaseTime time.Duration
}

// BeginIdempotent claims a merchant's Idempotency-Key for a request. requestHash is the hash of method, path and body.
//
// The first caller gets finish and abandon. It calls finish to store the answer, or abandon if the same request may be made again, as after
// an internal error. An answer that finish could not store must not be sent: a repeat would get another one. Then the caller calls abandon.
//
// A later caller waits for the first one and gets the stored answer. With another requestHash it gets IR_38. If the first caller died
// without an answer, a later caller replaces it when the lease of its node has ended: after Deps.LeaseTime, or at once if the node has
// restarted (Deps.SoleNode). That caller gets the same RequestToken in a, with which it finds what the first one did.
func (s *Keys) BeginIdempotent(ctx context.Context, a *account.Auth, key string, requestHash []byte) (*Answer, func(context.Context, Answer) error, func(context.Context), error) {
	if key == "" || len(key) > MaxKey || strings.IndexFunc(key, func(r rune) bool { return r < '!' || r > '~' }) >= 0 {
		return nil, nil, nil, fault.Unprocessable("Idempotency-Key",
			"Idempotency-Key must be 1 to "+strconv.Itoa(MaxKey)+" printable ASCII characters without spaces").WithHint("Send a new random key, such as a UUID.")
	}
	plain := key
	if card.HoldsCard(key) { // some merchants make their keys of the order's values; the store shows keys as they are
		key = "card " + hex.EncodeToString(s.Vault.Hash("idempotency key", []byte(key)))
	}
	space := ""
	switch { // publishable and ephemeral keys have key spaces of their own; the space character keeps them apart from the merchant's keys
	case a.Publishable:
		space = "p " + a.SecretOf + " "
	case a.CustomerID != "":
		space = "c " + a.CustomerID + " "
	}
	if space != "" && !s.PayerMay(a.MerchantID, space) {
		return nil, nil, nil, &fault.Error{Kind: fault.KindLimited, Code: "HE_00", Message: "Too many requests with an Idempotency-Key came from this payer; nothing was done: try again in a minute", Param: "Idempotency-Key",
			Hint: "Send the same request again in a minute."}
	}
	key, err := s.named(ctx, a.MerchantID, space+key, space+plain)
	if err != nil {
		return nil, nil, nil, err
	}
	if fault.Planted("forget keys") {
		key = ids.New(key)
	}
	requestHash = s.Vault.Hash("idempotent request", requestHash) // bodies hold card data, which a plain hash would let an attacker guess
	deadline := s.Now().Add(s.LockWait)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		mine, found, err := s.takeKey(ctx, a.MerchantID, key, requestHash)
		switch {
		case errors.Is(err, fault.ErrConflict) && !s.Now().After(deadline): // another node took the key at the same moment
		case err != nil:
			return nil, nil, nil, fault.Internal(err, "take idempotency key")
		case mine != nil:
			a.RequestToken, a.Repeated = mine.token(), found != nil
			finish, abandon := s.keyEnds(mine)
			return nil, finish, abandon, nil
		case !bytes.Equal(found.RequestHash, requestHash):
			return nil, nil, nil, &fault.Error{Kind: fault.KindInvalid, Code: "IR_38", Message: "This Idempotency-Key was used before with another request", Param: "Idempotency-Key", Hint: "Send a new key with a new request, or the first request again."}
		case found.Status != 0:
			answer := &Answer{}
			if err := s.Vault.OpenJSON(found.Body, vault.IdempotencyAD(a.MerchantID, key), answer); err != nil {
				return nil, nil, nil, err
			}
			return answer, nil, nil, nil
		case s.Now().After(deadline):
			return nil, nil, nil, &fault.Error{Kind: fault.KindUnprocessable, Code: "HE_00", Message: "Resource is busy: the first request with this Idempotency-Key has not ended yet, try again", Param: "Idempotency-Key", Hint: "Send the same request again in a second."}
		}
		select {
		case <-ctx.Done():
			return nil, nil, nil, &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "The request was given up while it waited for the first one with its Idempotency-Key", Err: ctx.Err()}
		case <-time.After(pause):
		}
	}
}

// named returns the name under which the store has a key: plain if a version before this one has stored it so, which can be for a day after its last request.
func (s *Keys) named(ctx context.Context, merchantID, name, plain string) (string, error) {
	if name == plain {
		return name, nil
	}
	err := s.Store.View(ctx, func(r Reader) error {
		old, err := r.Idempotency(merchantID, plain)
		switch {
		case errors.Is(err, fault.ErrNotFound):
			return nil
		case err == nil && r.Now().Before(old.ExpiresAt):
			name = plain
		}
		return err
	})
	return name, fault.FromStore(err, "read idempotency key")
}

// takeKey inserts the key, or returns the record that has it. If both results are set, the caller has taken the key over from a request that died. If
// mine is set, answering holds the key's token, and has held it since before another request could read the record.
func (s *Keys) takeKey(ctx context.Context, merchantID, key string, hash []byte) (mine, found *Record, err error) {
	err = s.Store.Update(ctx, func(tx Tx) error {
		now := tx.Now()
		token := ids.At("pay_", now)
		mine, found = nil, nil
		old, err := tx.Idempotency(merchantID, key)
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return err
		}
		if err == nil {
			if now.Before(old.ExpiresAt) {
				found = old
				if old.Status != 0 || !s.hasEnded(old, now) || !bytes.Equal(old.RequestHash, hash) {
					return nil
				}
				token = old.token() // the hash is equal: the same request goes on
			}
			if err := tx.DeleteIdempotency(merchantID, key); err != nil {
				return err
			}
		}
		mine = &Record{MerchantID: merchantID, Key: key, RequestHash: hash, Owner: token + "@" + s.Node, CreatedAt: now, ExpiresAt: now.Add(answerKept)}
		s.answering.Store(token, nil)
		return tx.InsertIdempotency(mine)
	})
	if err != nil && mine != nil {
		s.answering.Delete(mine.token())
	}
	return mine, found, err
}

// hasEnded reports whether the request that took a key can no longer answer it: this process does not answer it, and its node has restarted
// as this process, or its lease has ended. A lease of the future is from before a jump of the clock.
func (s *Keys) hasEnded(r *Record, now time.Time) bool {
	if _, here := s.answering.Load(r.token()); here {
		return false
	}
	return s.SoleNode && r.Owner == r.token()+"@"+s.Node || now.Sub(r.CreatedAt).Abs() > s.LeaseTime
}

func (s *Keys) keyEnds(r *Record) (finish func(context.Context, Answer) error, abandon func(context.Context)) {
	ended := func() { s.answering.Delete(r.token()) }
	finish = func(ctx context.Context, answer Answer) (err error) {
		defer ended()
		done := *r
		done.Status = answer.Status
		if done.Body, err = s.Vault.SealJSON(answer, vault.IdempotencyAD(r.MerchantID, r.Key)); err != nil {
			return err
		}
		err = s.storeAnswer(context.WithoutCancel(ctx), &done)
		switch {
		case errors.Is(err, fault.ErrConflict), errors.Is(err, fault.ErrNotFound): // this node was suspended for longer than its lease
			return &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "Another node answers this request: repeat it with the same Idempotency-Key", Err: err}
		case err != nil:
			return fault.Internal(err, "store idempotent answer")
		}
		return nil
	}
	abandon = func(ctx context.Context) {
		defer ended()
		free := *r
		free.CreatedAt = time.UnixMilli(0).UTC() // its lease has ended: the next repetition takes the key over, with its token
		err := s.Store.Update(context.WithoutCancel(ctx), func(tx Tx) error {
			old, err := tx.Idempotency(r.MerchantID, r.Key)
			if errors.Is(err, fault.ErrNotFound) {
				return nil // the record was deleted at its end, so the key is free
			}
			if err != nil || old.Status != 0 || old.Owner != r.Owner {
				return err // another node has taken the key over
			}
			if err := tx.DeleteIdempotency(r.MerchantID, r.Key); err != nil {
				return err
			}
			return tx.InsertIdempotency(&free)
		})
		if err != nil {
			s.Log.ErrorContext(ctx, "an idempotency key could not be released; a repetition waits for its lease", "error", err)
		}
	}
	return finish, abandon
}

// storeAnswer stores the answer to the request of a key. While the database does not answer it tries again, for answerTime.
func (s *Keys) storeAnswer(ctx context.Context, done *Record) error {
	began := time.Now()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := s.Store.Update(ctx, func(tx Tx) error {
			err := tx.FinishIdempotency(done)
			if !errors.Is(err, fault.ErrConflict) {
				return err
			}
			old, readErr := tx.Idempotency(done.MerchantID, done.Key)
			if readErr == nil && old.Owner == done.Owner && bytes.Equal(old.Body, done.Body) {
				return nil // an earlier try stored it, and its commit was not confirmed
			}
			return err
		})
		away := errors.Is(err, fault.ErrAway) || errors.Is(err, fault.ErrOutcome) || errors.Is(err, fault.ErrLocked)
		if !away || time.Since(began) > answerTime {
			return err
		}
		time.Sleep(pause)
	}
}

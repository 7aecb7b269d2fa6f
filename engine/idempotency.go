package engine

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// StoredAnswer is the answer of a request that carried an Idempotency-Key.
type StoredAnswer struct {
	Status  int                 `json:"status"`
	Headers map[string][]string `json:"headers,omitempty"`
	Body    []byte              `json:"body"`
}

// MaxIdempotencyKey is the most characters an Idempotency-Key may have. They are printable ASCII without spaces.
const MaxIdempotencyKey = 250

// idempotencyTime is how long an answer is kept.
const idempotencyTime = 24 * time.Hour

// idempotencyLease is how long the first request with a key may take before another may take its place.
const idempotencyLease = 3 * time.Minute

// BeginIdempotent takes an Idempotency-Key of a merchant. requestHash tells requests apart (method, path and body). The first caller gets
// finish, to store its answer, and abandon, for an answer that must not be kept (ours failed: the request may be made again). A
// later one gets the stored answer, waiting for the first while it runs; with another hash it is refused (IR_38). When the first died
// without an answer, the next takes its place after a lease, with the same token in a: it finds what the first did instead of
// doing it again.
func (e *Registry) BeginIdempotent(ctx context.Context, a *Auth, key string, requestHash []byte) (*StoredAnswer, func(context.Context, StoredAnswer) error, func(context.Context), error) {
	if key == "" || len(key) > MaxIdempotencyKey || strings.IndexFunc(key, func(r rune) bool { return r < '!' || r > '~' }) >= 0 {
		return nil, nil, nil, Unprocessable("Idempotency-Key",
			"Idempotency-Key must be 1 to "+strconv.Itoa(MaxIdempotencyKey)+" printable ASCII characters without spaces")
	}
	switch { // anyone may hold such a key: it gets Idempotency-Keys and answers of its own. The space keeps them apart from the merchant's.
	case a.Publishable:
		key = "p " + a.SecretOf + " " + key
	case a.CustomerID != "":
		key = "c " + a.CustomerID + " " + key
	}
	requestHash = e.Vault.Hash("idempotent request", requestHash) // bodies hold card data: a plain hash of one could be guessed at
	deadline := e.Now().Add(e.LockWait)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		mine, found, err := e.takeKey(ctx, a.MerchantID, key, requestHash)
		switch {
		case err != nil:
			return nil, nil, nil, Internal(err, "take idempotency key")
		case mine != nil:
			a.RequestToken, a.Repeated = mine.Owner, found != nil
			finish, abandon := e.keyEnds(mine)
			return nil, finish, abandon, nil
		case !bytes.Equal(found.RequestHash, requestHash):
			return nil, nil, nil, &Error{Kind: KindInvalid, Code: "IR_38", Message: "This Idempotency-Key was used before with another request", Param: "Idempotency-Key"}
		case found.Status != 0:
			s := &StoredAnswer{}
			if err := e.Vault.openJSON(found.Body, idempotencyAD(a.MerchantID, key), s); err != nil {
				return nil, nil, nil, err
			}
			return s, nil, nil, nil
		case e.Now().After(deadline):
			return nil, nil, nil, &Error{Kind: KindUnprocessable, Code: "HE_00", Message: "Resource is busy: the first request with this Idempotency-Key has not ended yet, try again"}
		}
		select {
		case <-ctx.Done():
			return nil, nil, nil, &Error{Kind: KindUnavailable, Code: "HE_00", Message: "The request was given up while it waited for the first one with its Idempotency-Key", Err: ctx.Err()}
		case <-time.After(pause):
		}
	}
}

// takeKey inserts the key, or says who has it. With both results, the key was taken over from a first request that died.
func (s *Registry) takeKey(ctx context.Context, merchantID, key string, hash []byte) (mine, found *IdempotencyRecord, err error) {
	err = s.Store.Update(ctx, func(tx AccountTx) error {
		now := tx.Now()
		r := &IdempotencyRecord{MerchantID: merchantID, Key: key, RequestHash: hash, Owner: idAt("pay_", now), CreatedAt: now, ExpiresAt: now.Add(idempotencyTime)}
		mine, found = r, nil
		old, err := tx.Idempotency(merchantID, key)
		if errors.Is(err, ErrNotFound) {
			return tx.InsertIdempotency(r)
		}
		if err != nil {
			return err
		}
		if now.Before(old.ExpiresAt) {
			found = old
			if old.Status != 0 || now.Sub(old.CreatedAt) <= idempotencyLease || !bytes.Equal(old.RequestHash, hash) {
				mine = nil
				return nil
			}
			r.Owner = old.Owner // the same request
		}
		if err := tx.DeleteIdempotency(merchantID, key); err != nil {
			return err
		}
		return tx.InsertIdempotency(r)
	})
	return mine, found, err
}

func (s *Registry) keyEnds(r *IdempotencyRecord) (finish func(context.Context, StoredAnswer) error, abandon func(context.Context)) {
	finish = func(ctx context.Context, answer StoredAnswer) (err error) {
		done := *r
		done.Status = answer.Status
		if done.Body, err = s.Vault.sealJSON(answer, idempotencyAD(r.MerchantID, r.Key)); err != nil {
			return err
		}
		err = s.Store.Update(context.WithoutCancel(ctx), func(tx AccountTx) error { return tx.FinishIdempotency(&done) })
		if err != nil {
			return Internal(err, "store idempotent answer")
		}
		return nil
	}
	abandon = func(ctx context.Context) {
		free := *r
		free.CreatedAt = time.UnixMilli(0).UTC() // its lease has ended: the next repetition takes over, token and all
		err := s.Store.Update(context.WithoutCancel(ctx), func(tx AccountTx) error {
			err := tx.DeleteIdempotency(r.MerchantID, r.Key)
			if errors.Is(err, ErrNotFound) {
				return nil // swept at its end: the key is free
			}
			if err != nil {
				return err
			}
			return tx.InsertIdempotency(&free)
		})
		if err != nil {
			s.Log.ErrorContext(ctx, "giving an idempotency key back failed", "error", err)
		}
	}
	return finish, abandon
}

// IdempotencyRecord is the stored answer of a request with an Idempotency-Key.
type IdempotencyRecord struct {
	MerchantID  string
	Key         string
	RequestHash []byte // the vault's keyed hash over method, path and body
	// Status is the HTTP status answered, 0 while the first request is still being worked on.
	Status    int
	Body      []byte // sealed
	Headers   []byte // sealed JSON object of the headers to repeat
	Owner     string
	CreatedAt time.Time
	ExpiresAt time.Time
}

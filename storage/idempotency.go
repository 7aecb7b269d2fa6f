package storage

import (
	"errors"
	"fmt"

	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/payment"
)

const idempotencyColumns = `merchant_id, key, request_hash, status, body, headers, owner, created_at, expires_at, signature`

var idempotencyRows = signs("idempotency", "merchant_id, key", idempotencyColumns)

func idempotencyValues(r *idempotency.Record) []any {
	return []any{r.MerchantID, r.Key, r.RequestHash, r.Status, r.Body, r.Headers, r.Owner, millis(r.CreatedAt), millis(r.ExpiresAt)}
}

// Idempotency implements engine.Reader. It returns an expired record until DeleteExpired removes it.
func (t *tx) Idempotency(merchantID, key string) (*idempotency.Record, error) {
	return one(t, "read idempotency key", genuine(t, idempotencyRows, func(row scanner) (*idempotency.Record, error) {
		r := new(idempotency.Record)
		var created, expires int64
		err := row.Scan(&r.MerchantID, &r.Key, &r.RequestHash, &r.Status, &r.Body, &r.Headers, &r.Owner, &created, &expires)
		r.CreatedAt, r.ExpiresAt = moment(created), moment(expires)
		return r, err
	}, "merchant_id", merchantID, "key", key), `SELECT `+idempotencyColumns+` FROM idempotency WHERE merchant_id = $1 AND key = $2`+t.s.dialect().lockRow, merchantID, key)
}

// InsertIdempotency implements engine.Tx.
func (t *tx) InsertIdempotency(r *idempotency.Record) error {
	return t.insert("insert idempotency key", `INSERT INTO idempotency (`+idempotencyColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
		t.signed(idempotencyRows, idempotencyValues(r)...)...)
}

// FinishIdempotency implements engine.Tx. It stores the answer in a record that r.Owner holds and that has no answer. It returns ErrNotFound
// if the record is gone, and ErrConflict if another owner holds it or if it has an answer.
func (t *tx) FinishIdempotency(r *idempotency.Record) error {
	n, err := t.expect("finish idempotency key", 1, `UPDATE idempotency SET status = $1, body = $2, headers = $3, expires_at = $4,
		signature = $5 WHERE merchant_id = $6 AND key = $7 AND owner = $8 AND status = 0`,
		r.Status, r.Body, r.Headers, millis(r.ExpiresAt), t.signature(idempotencyRows, idempotencyValues(r)), r.MerchantID, r.Key, r.Owner)
	if err != nil || n == 1 {
		return err
	}
	if _, err := t.Idempotency(r.MerchantID, r.Key); err != nil {
		return err
	}
	return fmt.Errorf("finish idempotency key: %w", fault.ErrConflict)
}

// DeleteIdempotency implements engine.Tx.
func (t *tx) DeleteIdempotency(merchantID, key string) error {
	return t.change("delete idempotency key", `DELETE FROM idempotency WHERE merchant_id = $1 AND key = $2`, merchantID, key)
}

const cardTokenColumns = `merchant_id, token, payment_id, sealed, expires_at, signature`

var cardTokenRows = signs("card_tokens", "merchant_id, token", cardTokenColumns)

// PutCardToken implements engine.Tx.
func (t *tx) PutCardToken(c *payment.CardToken) error {
	err := t.put("put card token", `INSERT INTO card_tokens (`+cardTokenColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (merchant_id, token) DO UPDATE SET payment_id = excluded.payment_id,
		sealed = excluded.sealed, expires_at = excluded.expires_at,
		signature = excluded.signature`, t.signed(cardTokenRows, c.MerchantID, c.Token, c.PaymentID, c.Sealed, millis(c.ExpiresAt))...)
	if err != nil {
		return err
	}
	return t.putShortTermKey(c.MerchantID, c.ShortTermID(), c.Key)
}

// CardToken implements engine.Reader. It returns an expired token until DeleteExpired removes it.
func (t *tx) CardToken(merchantID, token string) (*payment.CardToken, error) {
	c, err := one(t, "read card token", genuine(t, cardTokenRows, func(row scanner) (*payment.CardToken, error) {
		c := new(payment.CardToken)
		var expires int64
		err := row.Scan(&c.MerchantID, &c.Token, &c.PaymentID, &c.Sealed, &expires)
		c.ExpiresAt = moment(expires)
		return c, err
	}, "merchant_id", merchantID, "token", token), `SELECT `+cardTokenColumns+` FROM card_tokens WHERE merchant_id = $1 AND token = $2`, merchantID, token)
	if err != nil {
		return nil, err
	}
	if c.Key, err = t.ShortTermKey(merchantID, c.ShortTermID()); errors.Is(err, fault.ErrNotFound) {
		err = nil
	}
	return c, err
}

// DeleteCardToken implements engine.Tx.
func (t *tx) DeleteCardToken(merchantID, token string) error {
	err := t.change("delete card token", `DELETE FROM card_tokens WHERE merchant_id = $1 AND token = $2`, merchantID, token)
	if err != nil {
		return err
	}
	return t.shred(merchantID, (&payment.CardToken{Token: token}).ShortTermID())
}

// expiredAtOnce limits one DeleteExpired, because all callers share the writer: 2,000 rows take about ten milliseconds.
const expiredAtOnce = 2000

// DeleteExpired implements engine.Tx. It deletes at most expiredAtOnce rows of each kind, the longest expired first. A row without an expiry stays.
// If several connections write, a row that another one has just given a later expiry stays too, because the row's lock reads the row again.
func (t *tx) DeleteExpired() (int, error) {
	total := 0
	d := t.s.dialect()
	for _, table := range []string{"short_term_keys", "card_tokens", "idempotency", "ephemeral_keys", "low_value_uses", "exemption_rates", "guard_counts", "scheme_declines", "account_health", "account_volumes"} {
		n, err := t.exec("delete expired rows", `DELETE FROM `+table+` WHERE seq`+
			d.among(`SELECT seq FROM `+table+` WHERE expires_at > 0 AND expires_at <= $1 ORDER BY expires_at LIMIT $2`+d.skipLocked),
			millis(t.now), expiredAtOnce)
		if err != nil {
			return 0, err
		}
		total += int(n)
	}
	return total, nil
}

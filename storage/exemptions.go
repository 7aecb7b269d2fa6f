package storage

import (
	"errors"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/fault"
)

// rateHalved is the number of claims at which an exemption's rate is halved.
const rateHalved = 200

// LowValue implements engine.Reader.
func (t *tx) LowValue(merchantID, card string) (change.LowValueUse, error) {
	u, err := one(t, "read low-value use", func(row scanner) (u change.LowValueUse, err error) {
		err = row.Scan(&u.Count, &u.EURCents)
		return u, err
	}, `SELECT count, eur_cents FROM low_value_uses WHERE merchant_id = $1 AND card = $2 AND expires_at > $3`, merchantID, card, millis(t.now))
	if errors.Is(err, fault.ErrNotFound) {
		return change.LowValueUse{}, nil
	}
	return u, err
}

// CountLowValue implements engine.Tx. It uses one statement, so that concurrent counts add up.
func (t *tx) CountLowValue(merchantID, card string, eurCents int64, until time.Time) error {
	err := t.put("count low-value use", `INSERT INTO low_value_uses AS u (merchant_id, card, count, eur_cents, expires_at) VALUES ($1, $2, 1, $3, $4)
		ON CONFLICT (merchant_id, card) DO UPDATE SET
		count = CASE WHEN u.expires_at <= $5 THEN 1 ELSE u.count + 1 END,
		eur_cents = CASE WHEN u.expires_at <= $5 THEN excluded.eur_cents ELSE u.eur_cents + excluded.eur_cents END,
		expires_at = excluded.expires_at`,
		merchantID, card, eurCents, millis(until), millis(t.now))
	return err
}

// ResetLowValue implements engine.Tx.
func (t *tx) ResetLowValue(merchantID, card string) error {
	err := t.put("reset low-value use", `DELETE FROM low_value_uses WHERE merchant_id = $1 AND card = $2`, merchantID, card)
	return err
}

// ExemptionRates implements engine.Reader.
func (t *tx) ExemptionRates(merchantID, bin string) ([]change.ExemptionRate, error) {
	return all(t, "read exemption rates", func(row scanner) (r change.ExemptionRate, err error) {
		err = row.Scan(&r.Exemption, &r.Claimed, &r.SoftDeclined)
		return r, err
	}, `SELECT exemption, claimed, soft_declined FROM exemption_rates WHERE merchant_id = $1 AND bin = $2 AND expires_at > $3 ORDER BY exemption`,
		merchantID, bin, millis(t.now))
}

// CountExemption implements engine.Tx.
func (t *tx) CountExemption(merchantID, bin, exemption string, softDeclined bool, until time.Time) error {
	soft := 0
	if softDeclined {
		soft = 1
	}
	err := t.put("count exemption", `INSERT INTO exemption_rates AS r (merchant_id, bin, exemption, claimed, soft_declined, expires_at)
		VALUES ($1, $2, $3, 1, $4, $5) ON CONFLICT (merchant_id, bin, exemption) DO UPDATE SET
		claimed = CASE WHEN r.expires_at <= $6 THEN 1 WHEN r.claimed >= $7 THEN r.claimed / 2 + 1 ELSE r.claimed + 1 END,
		soft_declined = CASE WHEN r.expires_at <= $6 THEN 0 WHEN r.claimed >= $7 THEN r.soft_declined / 2 ELSE r.soft_declined END + excluded.soft_declined,
		expires_at = excluded.expires_at`,
		merchantID, bin, exemption, soft, millis(until), millis(t.now), rateHalved)
	return err
}

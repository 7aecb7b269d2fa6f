package storage

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/scheme"
)

// A time in scheme_declines.times has this many hex digits.
const declineSize = 8

// CardDeclines implements engine.Reader.
func (t *tx) CardDeclines(merchantID, card string) (scheme.Declines, error) {
	d, err := one(t, "read declines of a card", func(row scanner) (d scheme.Declines, err error) {
		var times string
		var never, wait, until int64
		if err = row.Scan(&times, &never, &wait, &d.Held, &until); err != nil {
			return d, err
		}
		for ; len(times) >= declineSize; times = times[declineSize:] {
			if at, err := strconv.ParseInt(times[:declineSize], 16, 64); err == nil { // a damaged count stops no payment
				d.Times = append(d.Times, time.Unix(at, 0).UTC())
			}
		}
		d.Never, d.Wait = moment(never), moment(wait)
		if until <= millis(t.now) {
			d.Held = 0
		}
		return d, nil
	}, `SELECT times, never_until, wait_until, held, held_until FROM scheme_declines WHERE merchant_id = $1 AND card = $2 AND expires_at > $3`+
		t.s.dialect().lockRow, merchantID, card, millis(t.now))
	if errors.Is(err, fault.ErrNotFound) {
		return scheme.Declines{}, nil
	}
	return d, err
}

// countDecline keeps the latest scheme.MostKept times.
var countDecline = `INSERT INTO scheme_declines AS d (merchant_id, card, times, never_until, wait_until, held, held_until, expires_at)
	VALUES ($1, $2, $3, $4, $5, 0, 0, $6) ON CONFLICT (merchant_id, card) DO UPDATE SET
	times = substr(d.times || excluded.times, CASE WHEN length(d.times) > ` + strconv.Itoa(declineSize*(scheme.MostKept-1)) + ` THEN length(d.times) - ` +
	strconv.Itoa(declineSize*(scheme.MostKept-1)-1) + ` ELSE 1 END),
	never_until = CASE WHEN d.never_until > excluded.never_until THEN d.never_until ELSE excluded.never_until END,
	wait_until = CASE WHEN d.wait_until > excluded.wait_until THEN d.wait_until ELSE excluded.wait_until END,
	held = CASE WHEN d.held > $7 THEN d.held - $7 ELSE 0 END,
	expires_at = CASE WHEN d.expires_at > excluded.expires_at THEN d.expires_at ELSE excluded.expires_at END`

// CountDecline implements engine.Tx. It uses one statement, so that concurrent declines add up.
func (t *tx) CountDecline(merchantID, card string, d scheme.Decline, held int) error {
	return t.put("count decline of a card", countDecline, merchantID, card, fmt.Sprintf("%0*x", declineSize, d.At.Unix()), millis(d.Never), millis(d.Wait),
		millis(d.At.Add(scheme.Kept)), held)
}

// HoldCard implements engine.Tx.
func (t *tx) HoldCard(merchantID, card string, places int, until time.Time) (bool, error) {
	n, err := t.expect("hold a card", 1, `UPDATE scheme_declines SET held = CASE WHEN held_until <= $1 THEN 1 ELSE held + 1 END, held_until = $2
		WHERE merchant_id = $3 AND card = $4 AND CASE WHEN held_until > $1 THEN held ELSE 0 END < $5`, millis(t.now), millis(until), merchantID, card, places)
	return n == 1, err
}

// ReleaseCard implements engine.Tx.
func (t *tx) ReleaseCard(merchantID, card string) error {
	return t.put("release a card", `UPDATE scheme_declines SET held = CASE WHEN held > 0 THEN held - 1 ELSE 0 END WHERE merchant_id = $1 AND card = $2`, merchantID, card)
}

package router

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"

	"payswitch/engine/payment"
	draw "payswitch/router/paylink"
	"payswitch/sdk"
)

// The form of a payment link says which amount and which surcharges its page has shown. If the merchant has changed them since, the payment is not confirmed,
// and the page is loaded anew. A form without that value comes from a page of an older version.

// changedQuery marks the address of a page that is loaded anew because the amount has changed.
const changedQuery = "changed"

// seenOf returns what a page shows of a payment's amount. charges are the surcharges that it shows.
func seenOf(p *payment.Payment, charges []draw.Item) string {
	sum := sha256.New()
	for _, c := range charges {
		fmt.Fprintf(sum, "%s\n%s\n", c.Name, c.Amount)
	}
	return fmt.Sprintf("%s%d-%s", p.Currency, p.NetAmount, hex.EncodeToString(sum.Sum(nil)[:8]))
}

// shownTo compares what the payer has seen with what the page would show now. shown is the amount that the confirm may charge, nil for a form that does not say
// what the payer has seen.
func (s *Server) shownTo(l *linkPage, seen string) (shown *sdk.Money, changed bool, err error) {
	if seen == "" {
		return nil, false, nil
	}
	charges, err := s.cardCharges(l)
	if err != nil {
		return nil, false, err
	}
	p := l.View.Payment
	return &sdk.Money{Minor: p.NetAmount, Currency: p.Currency}, seen != seenOf(p, charges), nil
}

// changed returns the address at which the page is loaded anew. q is the query of the request, which may have the proof for saved cards.
func (l *linkPage) changed(s *Server, q url.Values) string {
	to := l.self(s) + "?" + changedQuery
	if key := q.Get("key"); key != "" && l.secure {
		to += "&key=" + url.QueryEscape(key)
	}
	return to
}

// linkChanged leads the checkout's frame to the page that is loaded anew. The answer is not stored, because the payer tries again.
func (s *Server) linkChanged(l *linkPage, q url.Values) answer {
	p := l.View.Payment
	a := new(writer).open().str("payment_id", p.ID).str("status", string(p.Status)).str("to", l.changed(s, q)).close().answer()
	a.open = true
	return a
}

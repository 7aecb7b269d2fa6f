package search

import (
	"context"
	"errors"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// Bounds of Browse: a person sees a page at once, and decides whether the search goes on.
const (
	browseRows = 100_000
	browseTime = 50 * time.Millisecond
	// MaxBrowsed is the maximum of Query.Limit.
	MaxBrowsed = 200
)

// Query is what a person looks for. An empty field does not filter.
type Query struct {
	Filter   request.PaymentFilter // Limit, Offset and Order have no effect
	LastFour string                // of the card
	// Least and Most are amounts in major units of each payment's own currency, as 10 or 10.50, inclusive; Above and Below leave the amount itself out.
	Least, Most, Above, Below string
	Behind                    *listed.Place // where the page before ended; nil: from the newest on
	Limit                     int           // 1–200; 0 means 50
}

// Found is a page of payments, newest first.
type Found struct {
	Views []*change.View
	// Next is where the next page begins; nil after the last payment that can match.
	Next *listed.Place
	// Newest is the place of the first payment of the page, nil for an empty page.
	Newest *listed.Place
	// Bounded is true if the search stopped at its bound before the page was full: Next is as far as it came.
	Bounded bool
}

// Browse lists a merchant's payments for a person, newest first. It finds order references and e-mail addresses among all payments, where blocks serve.
// Else it looks at 100,000 payments or for 50 ms, whichever ends first, and says how far it came.
func (s *Search) Browse(ctx context.Context, auth account.Auth, q Query) (*Found, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	if q.Limit == 0 {
		q.Limit = 50
	}
	if q.Limit < 1 || q.Limit > MaxBrowsed {
		return nil, fault.Unprocessable("limit", "limit should be in between 1 and 200").WithHint("Send a whole number from 1 to 200.")
	}
	for _, b := range []struct{ name, text string }{{"least", q.Least}, {"most", q.Most}, {"above", q.Above}, {"below", q.Below}} {
		if b.text != "" && !isAmount(b.text) {
			return nil, fault.Unprocessable("amount", b.text+" is not an amount: write it as 10 or 10.50").WithHint("Write the amount as 10 or 10.50.")
		}
	}
	if q.LastFour != "" && (len(q.LastFour) != 4 || strings.Trim(q.LastFour, "0123456789") != "") {
		return nil, fault.Unprocessable("last4", q.LastFour+" are not four digits").WithHint("Write four digits.")
	}
	loaded, found, err := s.FindBehind(ctx, auth, q)
	if err != nil {
		return nil, err
	}
	found.Views, err = s.views(ctx, loaded)
	return found, err
}

// FindBehind is Browse without its checks. It leaves the payments sealed, and Views of found empty.
func (s *Search) FindBehind(ctx context.Context, auth account.Auth, q Query) (loaded []*change.Loaded, found *Found, err error) {
	found = &Found{}
	hits, loaded, err := s.exact(ctx, auth, &q)
	if errors.Is(err, errNoBlocks) {
		if hits, err = s.hits(ctx, auth, &q, found); err != nil {
			return nil, nil, err
		}
		err = s.Store.View(ctx, func(r change.Reader) (err error) {
			loaded, err = loadHits(r, auth.MerchantID, hits[:min(len(hits), q.Limit)])
			return err
		})
	}
	if len(hits) > q.Limit {
		hits, loaded = hits[:q.Limit], loaded[:min(len(loaded), q.Limit)]
		found.Next, found.Bounded = &hits[q.Limit-1].place, false
	}
	if err != nil {
		return nil, nil, fault.FromStore(err, "list payments")
	}
	if len(hits) > 0 {
		found.Newest = &hits[0].place
	}
	return loaded, found, nil
}

// hits finds one payment more than the page holds, if there are as many within the bounds. It sets Next and Bounded of found where the search ended.
func (s *Search) hits(ctx context.Context, auth account.Auth, q *Query, found *Found) (hits []hit, err error) {
	f := q.Filter
	f.Documents = f.Documents || q.LastFour != ""
	until := s.Changes.Now().Add(browseTime)
	indexed := f.InIndex(auth.ProfileID != "")
	plain := q.LastFour == "" && q.Least+q.Most+q.Above+q.Below == ""
	seen, size := 0, q.Limit+1
	for behind := q.Behind; ; {
		var list []listed.Scanned
		var next *listed.Place
		err := s.Store.View(ctx, func(r change.Reader) (err error) {
			if indexed {
				list, err = r.PaymentsBehind(auth.MerchantID, auth.ProfileID, f, behind, size)
				if next = nil; len(list) == size {
					next = &list[size-1].Place
				}
				return err
			}
			list, next, err = r.ScanPayments(auth.MerchantID, auth.ProfileID, f, behind, size)
			return err
		})
		if err != nil {
			return nil, fault.FromStore(err, "look for payments")
		}
		for i := range list {
			p := &list[i]
			passes, err := s.passes(p, &f)
			if err != nil {
				return nil, err
			}
			if passes && q.passes(p) {
				if hits = append(hits, hit{place: p.Place}); len(hits) > q.Limit {
					return hits, nil
				}
			}
		}
		if next == nil {
			return hits, nil
		}
		seen, behind = seen+size, next
		if seen >= browseRows || !s.Changes.Now().Before(until) {
			found.Next, found.Bounded = next, true
			return hits, nil
		}
		if !plain || !indexed {
			size = min(4*size, window)
		}
	}
}

// passes reports whether a payment passes what stores cannot filter by.
func (q *Query) passes(p *listed.Scanned) bool {
	if c := p.Attempt.Card; q.LastFour != "" && (c == nil || c.LastFour != q.LastFour) {
		return false
	}
	amount := sdk.Money{Minor: p.Payment.Amount, Currency: p.Payment.Currency}.Major()
	for _, b := range []struct {
		bound    string
		low, top int // the least and the greatest result of the comparison that passes
	}{{q.Least, 0, 1}, {q.Above, 1, 1}, {q.Most, -1, 0}, {q.Below, -1, -1}} {
		if c := compareDecimals(amount, b.bound); b.bound != "" && (amount == "" || c < b.low || c > b.top) {
			return false
		}
	}
	return true
}

// isAmount reports whether a text is a decimal number without a sign.
func isAmount(s string) bool {
	whole, fraction, _ := strings.Cut(s, ".")
	return whole != "" && len(s) <= 20 && strings.Trim(whole+fraction, "0123456789") == "" && !strings.HasSuffix(s, ".")
}

// compareDecimals compares two decimal numbers without signs, whatever their number of decimals.
func compareDecimals(a, b string) int {
	aWhole, aRest, _ := strings.Cut(a, ".")
	bWhole, bRest, _ := strings.Cut(b, ".")
	aWhole, bWhole = strings.TrimLeft(aWhole, "0"), strings.TrimLeft(bWhole, "0")
	if len(aWhole) != len(bWhole) {
		if len(aWhole) < len(bWhole) {
			return -1
		}
		return 1
	}
	if c := strings.Compare(aWhole, bWhole); c != 0 {
		return c
	}
	return strings.Compare(strings.TrimRight(aRest, "0"), strings.TrimRight(bRest, "0"))
}

// Fresh counts the payments of a query that are newer than a place, up to most.
func (s *Search) Fresh(ctx context.Context, auth account.Auth, q Query, than listed.Place, most int) (int, error) {
	q.Behind, q.Filter.From = nil, than.CreatedAt
	q.Limit = min(max(most, 1), MaxBrowsed)
	found := &Found{}
	hits, err := s.hits(ctx, auth, &q, found)
	n := 0
	for _, h := range hits {
		if h.place.CreatedAt.After(than.CreatedAt) || h.place.CreatedAt.Equal(than.CreatedAt) && h.place.Seq > than.Seq {
			n++
		}
	}
	return min(n, most), err
}

// StatusWords are the words for groups of statuses that people write after status:, with the statuses that each stands for.
var StatusWords = map[string][]payment.Status{
	"open":   {payment.RequiresPaymentMethod, payment.RequiresConfirmation, payment.RequiresCustomerAction, payment.Processing},
	"held":   {payment.RequiresCapture, payment.PartiallyCapturedAndCapturable, payment.PartiallyAuthorizedAndCapturing},
	"paid":   {payment.Succeeded, payment.PartiallyCaptured},
	"doubt":  {payment.Conflicted, payment.Review, payment.RequiresMerchantAction},
	"ended":  {payment.Failed, payment.Cancelled, payment.Expired, payment.CancelledPostCapture},
	"failed": {payment.Failed},
}

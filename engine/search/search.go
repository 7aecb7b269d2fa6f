package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/facet"
	"payswitch/engine/fault"
	"payswitch/engine/listed"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/vault"
)

// window is the number of payments that a scan looks at in one transaction.
const window = 2000

func (s *Search) window() int { return cmp.Or(s.Window, window) }

// Search finds payments, refunds and disputes. Safe for concurrent use.
type Search struct {
	Deps
}

// Deps are the parts that Search needs. All are required.
type Deps struct {
	Store   change.Store
	Changes *change.Changes
	Vault   *vault.Vault
	// Search calls Distrust with a list whose blocks (package facet) differ from its rows, and the id of its merchant. Distrust may be nil.
	Distrust func(l facet.List, merchantID string)
	Window   int // payments that a scan looks at in one transaction; 0 means 2,000
}

// SearchPayments lists a merchant's payments that pass all filters, in the filter's order. total counts all of them.
func (s *Search) SearchPayments(ctx context.Context, auth account.Auth, f request.PaymentFilter) (views []*change.View, total int, err error) {
	if auth.Publishable {
		return nil, 0, fault.Unauthorized()
	}
	if f.Limit == 0 {
		f.Limit = 10
	}
	if f.Limit < 1 || f.Limit > 50 {
		return nil, 0, fault.Unprocessable("limit", "limit should be in between 1 and 50").WithHint("Send a whole number from 1 to 50.")
	}
	found, total, err := s.FindPage(ctx, auth, f)
	if err != nil {
		return nil, 0, err
	}
	views, err = s.views(ctx, found)
	return views, total, err
}

// FindPage is SearchPayments without its checks. It leaves the payments sealed.
func (s *Search) FindPage(ctx context.Context, auth account.Auth, f request.PaymentFilter) (found []*change.Loaded, total int, err error) {
	found, total, err = s.page(ctx, auth, &f)
	if !errors.Is(err, errNoBlocks) {
		return found, total, fault.FromStore(err, "list payments")
	}
	if !f.Indexed(auth.ProfileID != "") {
		return s.scan(ctx, auth, &f)
	}
	err = s.Store.View(ctx, func(r change.Reader) error {
		list, err := r.FindPayments(auth.MerchantID, auth.ProfileID, f)
		if err != nil {
			return err
		}
		if total, err = r.PaymentTotal(auth.MerchantID, auth.ProfileID, f); err != nil {
			return err
		}
		found, err = loadAll(r, list)
		return err
	})
	return found, total, fault.FromStore(err, "list payments")
}

// views opens the payments of a list.
func (s *Search) views(ctx context.Context, found []*change.Loaded) ([]*change.View, error) {
	views := make([]*change.View, len(found))
	for i, w := range found {
		if err := s.Changes.Open(ctx, w); err != nil {
			return nil, err
		}
		views[i] = s.Changes.View(w)
	}
	return views, nil
}

// loadAll adds the latest attempts and their saved methods to a merchant's payments.
func loadAll(r change.Reader, list []*payment.Payment) (found []*change.Loaded, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	ids := make([]string, len(list))
	for i, p := range list {
		ids[i] = p.AttemptID
	}
	attempts, err := r.AttemptsOf(list[0].MerchantID, ids)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		a := attempts[p.AttemptID]
		if a == nil {
			return nil, fmt.Errorf("read the latest attempt of payment %s: %w", p.ID, fault.ErrNotFound)
		}
		m, err := method.Of(r, a.MerchantID, a.Details.MethodID)
		if err != nil {
			return nil, err
		}
		found = append(found, &change.Loaded{Run: drive.Run{Payment: p, Attempt: a}, Method: m})
	}
	return found, nil
}

// loadHits reads the payments of hits, in their order, with what loadAll adds.
func loadHits(r change.Reader, merchantID string, hits []hit) ([]*change.Loaded, error) {
	list, err := paymentsOf(r, merchantID, hits)
	if err != nil {
		return nil, err
	}
	return loadAll(r, list)
}

func paymentsOf(r change.Reader, merchantID string, hits []hit) ([]*payment.Payment, error) {
	at := make([]listed.Place, len(hits))
	for i := range hits {
		at[i] = hits[i].place
	}
	return r.PaymentsAt(merchantID, at)
}

// scan finds the payments that pass a filter without an index. It counts all of them and loads those of the page.
func (s *Search) scan(ctx context.Context, auth account.Auth, f *request.PaymentFilter) (found []*change.Loaded, total int, err error) {
	end := f.Offset + f.Limit
	var best []hit // in the filter's order, no more than the page and what is before it
	err = s.each(ctx, auth, *f, func(p *listed.Scanned) error {
		if passes, err := s.passes(p, f); !passes {
			return err
		}
		total++
		if best = append(best, hitOf(p, f)); len(best) >= 2*end+window {
			best = first(best, end, f)
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	best = first(best, end, f)
	err = s.Store.View(ctx, func(r change.Reader) (err error) {
		found, err = loadHits(r, auth.MerchantID, best[min(f.Offset, len(best)):])
		return err
	})
	return found, total, fault.FromStore(err, "list payments")
}

// each calls see with every payment that passes the filters of columns, newest first.
func (s *Search) each(ctx context.Context, auth account.Auth, f request.PaymentFilter, see func(p *listed.Scanned) error) error {
	var behind *listed.Place
	for {
		var list []listed.Scanned
		var next *listed.Place
		err := s.Store.View(ctx, func(r change.Reader) (err error) {
			list, next, err = r.ScanPayments(auth.MerchantID, auth.ProfileID, f, behind, s.window())
			return err
		})
		if err != nil {
			return fault.FromStore(err, "scan payments")
		}
		for i := range list {
			if err := see(&list[i]); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		behind = next
	}
}

// passes reports whether a payment passes the filters of documents.
func (s *Search) passes(p *listed.Scanned, f *request.PaymentFilter) (bool, error) {
	d, a := &p.Payment.Details, &p.Attempt
	network := ""
	if a.Card != nil {
		network = string(a.Card.Network)
	}
	for _, c := range []struct {
		wanted []string
		is     string
	}{{f.Methods, a.PaymentMethod}, {f.MethodTypes, a.PaymentMethodType}, {f.AuthenticationTypes, string(d.ShownAuthentication())}, {f.Networks, network},
		{f.Discoveries, a.CardDiscovery}} {
		if len(c.wanted) > 0 && !slices.Contains(c.wanted, c.is) {
			return false, nil
		}
	}
	if f.OrderReference != "" && f.OrderReference != d.OrderReference {
		return false, nil
	}
	if f.Email == "" {
		return true, nil
	}
	err := s.Vault.OpenPayment(p.Payment)
	if errors.Is(err, vault.ErrShredded) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c := p.Payment.Private.Customer
	return c != nil && strings.EqualFold(c.Email, f.Email), nil
}

// hit is a payment that passes all filters, with what it is sorted by.
type hit struct {
	value int64
	place listed.Place
	block bool // found in a block
}

func hitOf(p *listed.Scanned, f *request.PaymentFilter) hit {
	h := hit{place: p.Place}
	switch f.Order {
	case request.OrderAmount:
		h.value = p.Payment.Amount
	case request.OrderAttempts:
		h.value = int64(p.Payment.AttemptCount)
	case request.OrderModified:
		h.value = p.Payment.ModifiedAt.UnixMilli()
	}
	return h
}

// first sorts the hits and returns the first n of them.
func first(hits []hit, n int, f *request.PaymentFilter) []hit {
	slices.SortFunc(hits, func(a, b hit) int {
		order := cmp.Or(cmp.Compare(a.value, b.value), a.place.CreatedAt.Compare(b.place.CreatedAt), cmp.Compare(a.place.Seq, b.place.Seq))
		if !f.Ascending {
			return -order
		}
		return order
	})
	return hits[:min(n, len(hits))]
}

// Values are the values that the payments of a range of time have, each once, sorted.
type Values struct {
	Connectors, Currencies, Statuses, Methods, MethodTypes, AuthenticationTypes []string
}

// PaymentValues returns the values of the payments that were created from from to to, both inclusive. A zero time does not filter.
func (s *Search) PaymentValues(ctx context.Context, auth account.Auth, from, to time.Time) (*Values, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	v := &Values{}
	counts, err := s.tally(ctx, auth, request.PaymentFilter{From: from, To: to}, facet.Connector, facet.Currency, facet.Status, facet.Method, facet.MethodType, facet.Authentication)
	if !errors.Is(err, errNoBlocks) {
		for k, list := range map[facet.Kind]*[]string{facet.Connector: &v.Connectors, facet.Currency: &v.Currencies, facet.Status: &v.Statuses,
			facet.Method: &v.Methods, facet.MethodType: &v.MethodTypes, facet.Authentication: &v.AuthenticationTypes} {
			for value := range counts[k] {
				if k == facet.Authentication {
					value = cmp.Or(value, string(payment.AuthenticationNoThreeDS))
				}
				note(list, value)
			}
		}
		return v, fault.FromStore(err, "list the values of payments")
	}
	err = s.each(ctx, auth, request.PaymentFilter{From: from, To: to, Documents: true}, func(p *listed.Scanned) error {
		note(&v.Connectors, p.Connector)
		note(&v.Currencies, string(p.Payment.Currency))
		note(&v.Statuses, string(p.Payment.Status))
		note(&v.Methods, p.Attempt.PaymentMethod)
		note(&v.MethodTypes, p.Attempt.PaymentMethodType)
		note(&v.AuthenticationTypes, string(p.Payment.Details.ShownAuthentication()))
		return nil
	})
	return v, err
}

// note adds a value to a sorted list, unless it is "" or in the list.
func note(list *[]string, value string) {
	if at, found := slices.BinarySearch(*list, value); !found && value != "" {
		*list = slices.Insert(*list, at, value)
	}
}

// CountPayments counts a merchant's payments that were created from from to to, by status. A zero time does not filter.
func (s *Search) CountPayments(ctx context.Context, auth account.Auth, from, to time.Time) (list []listed.Count, err error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	counts, err := s.tally(ctx, auth, request.PaymentFilter{From: from, To: to}, facet.Status)
	if !errors.Is(err, errNoBlocks) {
		for _, status := range slices.Sorted(maps.Keys(counts[facet.Status])) {
			list = append(list, listed.Count{Status: payment.Status(status), N: int64(counts[facet.Status][status])})
		}
		return list, fault.FromStore(err, "count payments")
	}
	err = s.Store.View(ctx, func(r change.Reader) (err error) {
		list, err = r.PaymentCounts(auth.MerchantID, auth.ProfileID, from, to)
		return err
	})
	return list, fault.FromStore(err, "count payments")
}

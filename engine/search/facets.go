package search

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/change"
	"payswitch/engine/facet"
	"payswitch/engine/fault"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

const (
	// longTail is the age of the blocks from which on a list reads all payments rather than those that no block has yet.
	longTail = time.Hour
	// compared is the number of payments that a list compares one by one with an order reference or an e-mail address. It does so after it has met another
	// one with the same hash. Beyond it the list reads all payments: that costs as much for each of them, so the bound is only for the memory of the places.
	compared = 100_000
)

// errNoBlocks is the error of a list that blocks do not make quicker. The list then reads the payments.
var errNoBlocks = errors.New("search: no blocks for this list")

// errSameHash is the error of a page with a payment that has the hash of an order reference or an e-mail address, but another one.
var errSameHash = errors.New("search: another reference or address with the same hash")

// errDiffers is the error of a list whose blocks say something else than the payments.
var errDiffers = errors.New("search: blocks differ from the payments")

// blocks holds the data that a list needs of one snapshot: the payments that do not count in blocks, and a query for the others.
type blocks struct {
	live   []listed.Scanned // newer than the blocks, or changed since; they pass the filter
	query  *facet.Query
	finder *facet.Finder
}

// served reports whether blocks serve a filter. The store has an index for payments by id and by customer; blocks do not know when a payment changed.
func served(f *request.PaymentFilter) bool {
	return f.PaymentID == "" && f.CustomerID == "" && f.Order != request.OrderModified
}

// withBlocks reads the payments that are newer than the blocks in windows. It calls see for those that pass the filter, each once. In the snapshot of
// the last window it calls rest with those of that window.
func (s *Search) withBlocks(ctx context.Context, auth account.Auth, f request.PaymentFilter, see func(*listed.Scanned), rest func(r change.Reader, b blocks) error) error {
	if !served(&f) {
		return errNoBlocks
	}
	var behind *listed.Place
	for {
		var list []listed.Scanned
		var next *listed.Place
		err := s.Store.View(ctx, func(r change.Reader) (err error) {
			if list, next, err = s.newest(r, auth, f, behind); err != nil || next != nil {
				return err
			}
			b := blocks{live: list, query: s.queryOf(auth, &f), finder: &facet.Finder{Reader: r, List: facet.Payments, MerchantID: auth.MerchantID}}
			if err := s.addLate(r, auth, &f, behind, &b); err != nil {
				return err
			}
			b.query.Behind(behind)
			return rest(r, b)
		})
		if err != nil || next == nil {
			return err
		}
		for i := range list {
			see(&list[i])
		}
		behind = next
	}
}

// markOf reads how far the blocks of a list go. It returns errNoBlocks if they do not serve.
func markOf(r change.Reader, merchantID string, l facet.List) (*facet.Mark, error) {
	m, err := r.FacetMark(l, merchantID)
	if errors.Is(err, fault.ErrNotFound) || err == nil && !m.Complete && r.Now().Sub(m.UpTo) > longTail || err == nil && m.Ahead(r.Now()) {
		return nil, errNoBlocks
	}
	return m, err
}

// newest reads the next window of the payments that are newer than the blocks, and returns those that pass the filter. next is nil after the last window.
func (s *Search) newest(r change.Reader, auth account.Auth, f request.PaymentFilter, behind *listed.Place) (list []listed.Scanned, next *listed.Place, err error) {
	m, err := markOf(r, auth.MerchantID, facet.Payments)
	if err != nil {
		return nil, nil, err
	}
	if behind != nil && behind.CreatedAt.Before(m.UpTo) {
		return nil, nil, nil
	}
	if f.From.Before(m.UpTo) {
		f.From = m.UpTo
	}
	all, next, err := r.ScanPayments(auth.MerchantID, auth.ProfileID, f, behind, s.window())
	for i := range all {
		if passes, err := s.passes(&all[i], &f); err != nil {
			return nil, nil, err
		} else if passes {
			list = append(list, all[i])
		}
	}
	return list, next, err
}

// addLate adds the payments of blocks that have changed since, and leaves them out of the query.
func (s *Search) addLate(r change.Reader, auth account.Auth, f *request.PaymentFilter, behind *listed.Place, b *blocks) error {
	m, err := r.FacetMark(facet.Payments, auth.MerchantID)
	if err != nil {
		return err
	}
	late, err := r.LatePayments(auth.MerchantID, *f, m.Late, m.UpTo, 0)
	if err != nil {
		return err
	}
	for i := range late {
		p := &late[i].Scanned
		b.query.Except(p.Place)
		if behind != nil && !before(p.Place, *behind) {
			continue
		}
		if passes, err := s.matches(p, auth.ProfileID, f); err != nil {
			return err
		} else if passes {
			b.live = append(b.live, *p)
		}
	}
	return nil
}

func before(a, b listed.Place) bool {
	return a.CreatedAt.Before(b.CreatedAt) || a.CreatedAt.Equal(b.CreatedAt) && a.Seq < b.Seq
}

// queryOf returns the query for blocks. Of an order reference and an e-mail address it has the hashes.
func (s *Search) queryOf(auth account.Auth, f *request.PaymentFilter) *facet.Query {
	q := &facet.Query{}
	q.From(f.From)
	q.To(f.To)
	if f.MinAmount != nil {
		q.Between(facet.Amount, *f.MinAmount, math.MaxInt64)
	}
	if f.MaxAmount != nil {
		q.Between(facet.Amount, math.MinInt64, *f.MaxAmount)
	}
	for _, id := range []string{auth.ProfileID, f.ProfileID} {
		if id != "" {
			q.Is(facet.Profile, []string{id})
		}
	}
	for _, c := range []struct {
		kind   facet.Kind
		values []string
	}{{facet.Status, f.Statuses}, {facet.Currency, f.Currencies}, {facet.Connector, f.Connectors}, {facet.Account, f.Accounts}, {facet.Method, f.Methods},
		{facet.MethodType, f.MethodTypes}, {facet.Authentication, withDefault(f.AuthenticationTypes)}, {facet.Network, f.Networks}, {facet.Discovery, f.Discoveries}} {
		q.Is(c.kind, c.values)
	}
	if f.OrderReference != "" {
		hash := facet.OrderHash(f.OrderReference)
		q.Between(facet.Order, hash, hash)
	}
	if f.Email != "" {
		hash := emailHash(s.Vault, auth.MerchantID, f.Email)
		q.Between(facet.Email, hash, hash)
	}
	return q
}

// withDefault adds what blocks hold for payments that are shown as no_three_ds because nothing asked for 3-D Secure.
func withDefault(types []string) []string {
	if slices.Contains(types, string(payment.AuthenticationNoThreeDS)) {
		return append(slices.Clone(types), "")
	}
	return types
}

// matches reports whether a payment passes the whole filter.
func (s *Search) matches(p *listed.Scanned, profileID string, f *request.PaymentFilter) (bool, error) {
	at, amount := p.Place.CreatedAt, p.Payment.Amount
	if !f.From.IsZero() && at.Before(f.From) || !f.To.IsZero() && at.After(f.To) ||
		f.MinAmount != nil && amount < *f.MinAmount || f.MaxAmount != nil && amount > *f.MaxAmount {
		return false, nil
	}
	for _, id := range []string{profileID, f.ProfileID} {
		if id != "" && id != p.Payment.ProfileID {
			return false, nil
		}
	}
	for _, c := range []struct {
		wanted []string
		is     string
	}{{f.Statuses, string(p.Payment.Status)}, {f.Currencies, string(p.Payment.Currency)}, {f.Connectors, p.Connector}, {f.Accounts, p.AccountID}} {
		if len(c.wanted) > 0 && !slices.Contains(c.wanted, c.is) {
			return false, nil
		}
	}
	return s.passes(p, f)
}

// page finds a page by the blocks. It returns errNoBlocks if they do not serve.
func (s *Search) page(ctx context.Context, auth account.Auth, f *request.PaymentFilter) (found []*change.Loaded, total int, err error) {
	found, total, err = s.pageOf(ctx, auth, f, false)
	if errors.Is(err, errSameHash) {
		found, total, err = s.pageOf(ctx, auth, f, true)
	}
	return found, total, s.distrust(ctx, facet.Payments, auth, err)
}

// pageOf is page. With each it reads every payment of blocks that has the hash of the filter's order reference or e-mail address. Without, it
// takes the number of payments with the hash for the number of those that match. errSameHash is the error if a payment of the page does not match.
func (s *Search) pageOf(ctx context.Context, auth account.Auth, f *request.PaymentFilter, each bool) (found []*change.Loaded, total int, err error) {
	if (f.Order == "" || f.Order == request.OrderCreated) && !f.Ascending && !f.InDocuments() {
		return s.newestPage(ctx, auth, f)
	}
	end := f.Offset + f.Limit
	var best []hit // of the windows before the last
	seen := 0
	err = s.withBlocks(ctx, auth, *f, func(p *listed.Scanned) {
		seen++
		if best = append(best, hitOf(p, f)); len(best) >= 2*end+window {
			best = first(best, end, f)
		}
	}, func(r change.Reader, b blocks) error {
		hits, n, err := s.hitsOf(r, auth, f, &b, end, each)
		if err != nil {
			return err
		}
		total = seen + n + len(b.live)
		for i := range b.live {
			hits = append(hits, hitOf(&b.live[i], f))
		}
		hits = first(append(hits, best...), end, f)
		found, err = s.loadPage(r, auth, f, hits[min(f.Offset, len(hits)):])
		return err
	})
	return found, total, err
}

// newestPage is pageOf for a list by time, newest first, that columns alone filter. One statement counts the payments that are newer than the blocks, and
// one finds the first of them: reading each takes 20 times as long.
func (s *Search) newestPage(ctx context.Context, auth account.Auth, f *request.PaymentFilter) (found []*change.Loaded, total int, err error) {
	if !served(f) {
		return nil, 0, errNoBlocks
	}
	end := f.Offset + f.Limit
	err = s.Store.View(ctx, func(r change.Reader) error {
		m, err := markOf(r, auth.MerchantID, facet.Payments)
		if err != nil {
			return err
		}
		newer := *f
		if newer.From.Before(m.UpTo) {
			newer.From = m.UpTo
		}
		n, err := r.PaymentTotal(auth.MerchantID, auth.ProfileID, newer)
		if err != nil {
			return err
		}
		b := blocks{query: s.queryOf(auth, f), finder: &facet.Finder{Reader: r, List: facet.Payments, MerchantID: auth.MerchantID}}
		if err := s.addLate(r, auth, f, nil, &b); err != nil {
			return err
		}
		inIndex, from, ofBlocks := exceptional(auth, f), newer, max(end-n, 0)
		if inIndex {
			from, ofBlocks = *f, 0 // the index has the whole page: blocks give the number alone
		}
		hits, older, err := s.hitsOf(r, auth, f, &b, ofBlocks, false)
		if err != nil {
			return err
		}
		total = n + older + len(b.live)
		list, err := r.PaymentsBehind(auth.MerchantID, auth.ProfileID, from, nil, end)
		if err != nil {
			return err
		}
		for i := range list {
			hits = append(hits, hitOf(&list[i], f))
		}
		if !inIndex {
			for i := range b.live {
				hits = append(hits, hitOf(&b.live[i], f))
			}
		} else if len(hits) < min(end, total) || len(hits) > total {
			return errDiffers
		}
		hits = first(hits, end, f)
		found, err = s.loadPage(r, auth, f, hits[min(f.Offset, len(hits)):])
		return err
	})
	return found, total, err
}

// exceptional reports whether the store's index of exceptional statuses has a page as it is: that is quicker than blocks with a hit in each.
func exceptional(auth account.Auth, f *request.PaymentFilter) bool {
	if len(f.Statuses) != 1 || payment.Status(f.Statuses[0]).Common() || f.Offset > 1000 {
		return false
	}
	only := request.PaymentFilter{Statuses: f.Statuses, From: f.From, To: f.To, Limit: f.Limit, Offset: f.Offset}
	if f.Order == request.OrderCreated {
		only.Order = f.Order
	}
	return auth.ProfileID == "" && reflect.DeepEqual(*f, only)
}

// distrust has the blocks of a list made again that differ from its rows, and answers errNoBlocks for them.
func (s *Search) distrust(ctx context.Context, l facet.List, auth account.Auth, err error) error {
	if !errors.Is(err, errDiffers) && !errors.Is(err, facet.ErrSpoiled) {
		return err
	}
	s.Changes.Log.LogAttrs(ctx, slog.LevelError, "the columns of a list differ from its rows; the list reads all rows until the columns are made again",
		slog.String("merchant_id", auth.MerchantID), slog.String("list", l.String()), slog.Any("error", err))
	s.Changes.Metrics.Alarm(alarm.ListsDiffer)
	if s.Distrust != nil {
		s.Distrust(l, auth.MerchantID)
	}
	return errNoBlocks
}

// hitsOf finds the first payments of blocks that pass the filter, and counts all of them.
func (s *Search) hitsOf(r change.Reader, auth account.Auth, f *request.PaymentFilter, b *blocks, end int, each bool) (hits []hit, total int, err error) {
	order := map[request.PaymentOrder]facet.Kind{request.OrderAmount: facet.Amount, request.OrderAttempts: facet.Attempts}[f.Order] // Created for the others
	if each {
		end = compared + 1
	}
	found, total, err := b.finder.Find(b.query, order, f.Ascending, end)
	if err != nil {
		return nil, 0, err
	}
	for _, h := range found {
		hits = append(hits, hit{value: h.Value, place: h.Place, block: true})
	}
	if !each {
		return hits, total, nil
	}
	if total > compared {
		return nil, 0, errNoBlocks
	}
	list, err := paymentsOf(r, auth.MerchantID, hits)
	if err != nil {
		return nil, 0, differs(err)
	}
	for i, h := range slices.Clone(hits) {
		is := &listed.Scanned{Place: h.place, Payment: list[i]}
		passes, err := s.passes(is, &request.PaymentFilter{OrderReference: f.OrderReference, Email: f.Email})
		if err != nil {
			return nil, 0, err
		}
		if !passes { // another reference or address with the same hash
			hits = slices.DeleteFunc(hits, func(other hit) bool { return other.place == h.place })
		}
	}
	return hits, len(hits), nil
}

// differs turns the absence of a row into errDiffers.
func differs(err error) error {
	if errors.Is(err, fault.ErrNotFound) {
		return errDiffers
	}
	return err
}

// loadPage reads the payments of hits. Those that blocks name must pass the filter.
func (s *Search) loadPage(r change.Reader, auth account.Auth, f *request.PaymentFilter, hits []hit) ([]*change.Loaded, error) {
	list, err := paymentsOf(r, auth.MerchantID, hits)
	if err != nil {
		return nil, differs(err)
	}
	found, err := loadAll(r, list)
	if err != nil {
		return nil, err
	}
	for i, w := range found {
		if !hits[i].block {
			continue
		}
		is := &listed.Scanned{Place: listed.Place{CreatedAt: w.Payment.CreatedAt, Seq: hits[i].place.Seq}, Payment: w.Payment, Connector: w.Attempt.Connector,
			AccountID: w.Attempt.AccountID, Attempt: w.Attempt.Details}
		passes, err := s.matches(is, auth.ProfileID, f)
		if err != nil || passes {
			if err != nil {
				return nil, err
			}
			continue
		}
		plain := *f
		plain.OrderReference, plain.Email = "", ""
		if passes, err := s.matches(is, auth.ProfileID, &plain); err != nil || !passes {
			return nil, errors.Join(errDiffers, err)
		}
		return nil, errSameHash
	}
	return found, nil
}

// inDocuments reports whether the values of a kind are in a document or at the attempt, and not in a column of the payment.
func inDocuments(k facet.Kind) bool {
	return k != facet.Status && k != facet.Currency && k != facet.Profile
}

// tally counts the payments that pass a filter, for each value of the given kinds of words.
func (s *Search) tally(ctx context.Context, auth account.Auth, f request.PaymentFilter, kinds ...facet.Kind) (map[facet.Kind]map[string]int, error) {
	f.Documents = f.Documents || slices.ContainsFunc(kinds, inDocuments)
	counts := map[facet.Kind]map[string]int{}
	for _, k := range kinds {
		counts[k] = map[string]int{}
	}
	count := func(p *listed.Scanned) {
		row := facet.RowOf(p, 0)
		for _, k := range kinds {
			counts[k][*row.Word(k)]++
		}
	}
	var live []listed.Scanned
	inBlocks := make([]map[string]int, len(kinds))
	err := s.withBlocks(ctx, auth, f, count, func(_ change.Reader, b blocks) (err error) {
		live = b.live
		for i, k := range kinds {
			if inBlocks[i], err = b.finder.Count(b.query, k); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range live {
		count(&live[i])
	}
	for i, k := range kinds {
		for v, n := range inBlocks[i] {
			counts[k][v] += n
		}
	}
	return counts, s.distrust(ctx, facet.Payments, auth, err)
}

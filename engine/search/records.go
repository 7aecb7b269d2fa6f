package search

import (
	"context"
	"errors"
	"math"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/disputed"
	"payswitch/engine/facet"
	"payswitch/engine/fault"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// records reads a list of refunds or disputes from blocks.
type records[T any] struct {
	list facet.List
	// at reads the record at a place; row is what lists filter it by.
	at  func(r change.Reader, merchantID string, at listed.Place) (T, error)
	row func(record T, at listed.Place) facet.Row
}

var (
	refundRecords = records[*payment.Refund]{facet.Refunds, change.Reader.RefundAt, func(r *payment.Refund, at listed.Place) facet.Row {
		return facet.RecordRow(facet.Record{Place: at, Amount: r.Amount, Status: string(r.Status), Currency: string(r.Currency), Connector: r.Connector,
			AccountID: r.AccountID, ProfileID: r.ProfileID})
	}}
	disputeRecords = records[*disputed.Record]{facet.Disputes, change.Reader.DisputeAt, func(d *disputed.Record, at listed.Place) facet.Row {
		return facet.RecordRow(facet.Record{Place: at, Amount: d.Amount, Status: string(d.Status), Currency: string(d.Currency), Connector: d.Connector,
			AccountID: d.AccountID, ProfileID: d.ProfileID, Stage: string(d.Stage), Reason: d.ReasonWord()})
	}}
)

// queryOfRecords returns a query for what the filters of refunds and disputes share.
func queryOfRecords(auth account.Auth, profileID string, from, to time.Time) *facet.Query {
	q := &facet.Query{}
	q.From(from)
	q.To(to)
	for _, id := range []string{auth.ProfileID, profileID} {
		if id != "" {
			q.Is(facet.Profile, []string{id})
		}
	}
	return q
}

// ListRefunds lists a merchant's refunds, newest first. total counts all refunds that pass the filters.
func (s *Search) ListRefunds(ctx context.Context, auth account.Auth, in request.RefundListInput) (list []*payment.Refund, total int, err error) {
	if in.Limit, err = recordLimit(auth, in.Limit); err != nil {
		return nil, 0, err
	}
	err = errNoBlocks
	if in.PaymentID == "" && in.RefundID == "" { // an index finds those
		query := func() *facet.Query {
			q := queryOfRecords(auth, in.ProfileID, in.From, in.To)
			if in.MinAmount != nil {
				q.Between(facet.Amount, *in.MinAmount, math.MaxInt64)
			}
			if in.MaxAmount != nil {
				q.Between(facet.Amount, math.MinInt64, *in.MaxAmount)
			}
			q.Is(facet.Connector, in.Connectors)
			q.Is(facet.Account, in.Accounts)
			q.Is(facet.Currency, in.Currencies)
			q.Is(facet.Status, in.Statuses)
			return q
		}
		list, total, err = recordPage(ctx, s, auth, refundRecords, query, in.Offset, in.Limit)
	}
	if errors.Is(err, errNoBlocks) {
		err = s.Store.View(ctx, func(r change.Reader) (err error) {
			list, total, err = r.Refunds(auth.MerchantID, auth.ProfileID, in)
			return err
		})
	}
	return list, total, fault.FromStore(err, "list refunds")
}

// ListDisputes lists a merchant's disputes, newest first.
func (s *Search) ListDisputes(ctx context.Context, auth account.Auth, in request.DisputeListInput) (list []*disputed.Record, err error) {
	if in.Limit, err = recordLimit(auth, in.Limit); err != nil {
		return nil, err
	}
	err = errNoBlocks
	if in.PaymentID == "" && in.DisputeID == "" {
		query := func() *facet.Query {
			q := queryOfRecords(auth, in.ProfileID, in.From, in.To)
			for k, v := range map[facet.Kind]string{facet.Account: in.AccountID, facet.Reason: in.Reason} {
				if v != "" {
					q.Is(k, []string{v})
				}
			}
			q.Is(facet.Connector, in.Connectors)
			q.Is(facet.Currency, in.Currencies)
			q.Is(facet.Stage, in.Stages)
			q.Is(facet.Status, in.Statuses)
			return q
		}
		list, _, err = recordPage(ctx, s, auth, disputeRecords, query, in.Offset, in.Limit)
	}
	if errors.Is(err, errNoBlocks) {
		err = s.Store.View(ctx, func(r change.Reader) (err error) {
			list, err = r.Disputes(auth.MerchantID, auth.ProfileID, in)
			return err
		})
	}
	return list, fault.FromStore(err, "list disputes")
}

// recordLimit returns the length of a page of refunds or disputes.
func recordLimit(auth account.Auth, limit int) (int, error) {
	switch {
	case auth.Publishable:
		return 0, fault.Unauthorized()
	case limit == 0:
		return 10, nil
	case limit < 1 || limit > 100:
		return 0, fault.Unprocessable("limit", "limit should be in between 1 and 100").WithHint("Send a whole number from 1 to 100.")
	}
	return limit, nil
}

// recordPage finds a page of records, newest first, and counts all that match. It returns errNoBlocks if blocks do not serve.
func recordPage[T any](ctx context.Context, s *Search, auth account.Auth, l records[T], query func() *facet.Query, offset, limit int) (found []T, total int, err error) {
	err = s.Store.View(ctx, func(r change.Reader) error {
		q := query()
		live, err := s.liveRows(r, auth.MerchantID, l.list, q)
		if err != nil {
			return err
		}
		finder := &facet.Finder{Reader: r, List: l.list, MerchantID: auth.MerchantID}
		hits, n, err := finder.Find(q, facet.Created, false, offset+limit)
		if err != nil {
			return err
		}
		found, total = nil, n+len(live)
		for i := range live {
			hits = append(hits, facet.Hit{Place: live[i].Place()})
		}
		hits = facet.First(hits, offset+limit, false)
		for _, h := range hits[min(offset, len(hits)):] {
			record, err := l.at(r, auth.MerchantID, h.Place)
			if err != nil {
				return differs(err)
			}
			if row := l.row(record, h.Place); !q.Matches(&row) {
				return errDiffers
			}
			found = append(found, record)
		}
		return nil
	})
	return found, total, s.distrust(ctx, l.list, auth, err)
}

// liveRows returns the rows that match and do not count in blocks: those that are newer, and those that changed since. It leaves the latter out of
// the query.
func (s *Search) liveRows(r change.Reader, merchantID string, l facet.List, q *facet.Query) (live []facet.Row, err error) {
	m, err := markOf(r, merchantID, l)
	if err != nil {
		return nil, err
	}
	newer, err := r.FacetRows(l, merchantID, m.UpTo, time.Time{}, 0)
	if err != nil {
		return nil, err
	}
	for i := range newer {
		if q.Matches(&newer[i]) {
			live = append(live, newer[i])
		}
	}
	late, err := r.LateFacetRows(l, merchantID, m.Late, m.UpTo, 0)
	for i := range late {
		q.Except(late[i].Place())
		if q.Matches(&late[i].Row) {
			live = append(live, late[i].Row)
		}
	}
	return live, err
}

// CountRefunds counts a merchant's refunds that were created from from to to, by their values. A zero time does not filter.
func (s *Search) CountRefunds(ctx context.Context, auth account.Auth, from, to time.Time) (listed.Tally, error) {
	return s.tallyRecords(ctx, auth, facet.Refunds, from, to, func(r change.Reader) (listed.Tally, error) {
		return r.RefundCounts(auth.MerchantID, auth.ProfileID, from, to)
	})
}

// CountDisputes counts a merchant's disputes that were created from from to to, by their values. A zero time does not filter.
func (s *Search) CountDisputes(ctx context.Context, auth account.Auth, from, to time.Time) (listed.Tally, error) {
	return s.tallyRecords(ctx, auth, facet.Disputes, from, to, func(r change.Reader) (listed.Tally, error) {
		return r.DisputeCounts(auth.MerchantID, auth.ProfileID, from, to)
	})
}

// tallyRecords counts records by blocks, or by rows where blocks do not serve.
func (s *Search) tallyRecords(ctx context.Context, auth account.Auth, l facet.List, from, to time.Time,
	rows func(r change.Reader) (listed.Tally, error)) (t listed.Tally, err error) {
	if auth.Publishable {
		return t, fault.Unauthorized()
	}
	err = s.Store.View(ctx, func(r change.Reader) error {
		t = listed.NewTally()
		q := queryOfRecords(auth, "", from, to)
		live, err := s.liveRows(r, auth.MerchantID, l, q)
		if err != nil {
			return err
		}
		finder := &facet.Finder{Reader: r, List: l, MerchantID: auth.MerchantID}
		for k, counts := range map[facet.Kind]map[string]int64{facet.Connector: t.Connectors, facet.Currency: t.Currencies, facet.Stage: t.Stages,
			facet.Status: t.Statuses} {
			found, err := finder.Count(q, k)
			if err != nil {
				return err
			}
			for value, n := range found {
				counts[value] += int64(n)
			}
			for i := range live {
				counts[*live[i].Word(k)]++
			}
		}
		return nil
	})
	if err = s.distrust(ctx, l, auth, err); errors.Is(err, errNoBlocks) {
		err = s.Store.View(ctx, func(r change.Reader) (err error) { t, err = rows(r); return err })
	}
	return t, fault.FromStore(err, "count")
}

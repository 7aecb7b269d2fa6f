package search

import (
	"context"
	"errors"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/facet"
	"payswitch/engine/listed"
)

// exactTime bounds a search by blocks. The payments that are newer than the blocks are read one by one, and a merchant can have many of them.
const exactTime = time.Second

// inBlocks reports whether blocks find the payments of a query quicker than a scan: few payments have one order reference or e-mail address. Blocks know no
// amounts in major units.
func (q *Query) inBlocks() bool {
	return (q.Filter.OrderReference != "" || q.Filter.Email != "") && q.Least+q.Most+q.Above+q.Below == ""
}

// exact finds one payment more than the page of a query holds, if there are as many, by the blocks. It returns errNoBlocks if they do not serve, or take too
// long.
func (s *Search) exact(ctx context.Context, auth account.Auth, q *Query) (hits []hit, found []*change.Loaded, err error) {
	if !q.inBlocks() {
		return nil, nil, errNoBlocks
	}
	f, end := q.Filter, q.Limit+1
	f.Documents, f.Order, f.Ascending = true, "", false
	var live []hit
	see := func(p *listed.Scanned) {
		if q.passes(p) && (q.Behind == nil || before(p.Place, *q.Behind)) {
			live = append(live, hitOf(p, &f))
		}
	}
	timed, stop := context.WithTimeout(ctx, exactTime)
	defer stop()
	err = s.withBlocks(timed, auth, f, see, func(r change.Reader, b blocks) error {
		b.query.Behind(q.Behind)
		if q.LastFour != "" {
			b.query.LastFour(q.LastFour)
		}
		hits, _, err = s.hitsOf(r, auth, &f, &b, end, false)
		if err != nil {
			return err
		}
		for i := range b.live {
			see(&b.live[i])
		}
		hits = first(append(hits, live...), end, &f)
		found, err = s.loadPage(r, auth, &f, hits)
		return err
	})
	if errors.Is(err, errSameHash) || err != nil && ctx.Err() == nil && timed.Err() != nil {
		return nil, nil, errNoBlocks
	}
	return hits, found, s.distrust(ctx, facet.Payments, auth, err)
}

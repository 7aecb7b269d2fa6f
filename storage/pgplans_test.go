package storage

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/facet"
	"payswitch/engine/listed"
	"payswitch/engine/request"
	"payswitch/storage/pgtest"
)

// pgExplainer is a session that keeps the query plan of every statement that reads.
type pgExplainer struct {
	session
	plans map[string]string
}

func (e pgExplainer) query(query string, args []any, each func(scanner) error) error {
	var plan []string
	err := e.session.query("EXPLAIN "+query, args, func(row scanner) error {
		plan = append(plan, "")
		return row.Scan(&plan[len(plan)-1])
	})
	if err != nil {
		return err
	}
	e.plans[query] = strings.Join(plan, "\n")
	return e.session.query(query, args, each)
}

// TestPostgresPlansOfLists refuses plans of lists that read a whole table. The test forbids PostgreSQL to read a table whole where an index fits, because
// PostgreSQL prefers that for small tables.
func TestPostgresPlansOfLists(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Empty(t)
	_, err := Migrate(t.Context(), dsn)
	require.NoError(t, err)
	db, err := Open(t.Context(), dsn, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	now, undo := wholeMillis(time.Now()), errors.New("undo")
	plans := map[string]string{}
	err = db.Update(t.Context(), func(etx engine.Tx) error {
		s := etx.(*tx).s
		_, err := s.exec(`SET LOCAL enable_seqscan = off`)
		require.NoError(t, err)
		r := &tx{s: pgExplainer{s, plans}, now: now}
		for _, l := range []facet.List{facet.Payments, facet.Refunds, facet.Disputes} {
			r.FacetMark(l, "m")
			r.FacetSummaries(l, "m", facet.Status, 0)
			r.FacetColumn(l, "m", facet.Status, 1)
			r.FacetColumns(l, "m", facet.Status, 1, 2)
			r.NextListed(l, "m")
			if l != facet.Payments {
				r.FacetRows(l, "m", now, time.Time{}, 0)
				r.LateFacetRows(l, "m", now, now, 10)
			}
		}
		r.PaymentsFrom("m", now, now, 10)
		r.LatePayments("m", request.PaymentFilter{Email: "a"}, now, now, 10)
		r.PaymentsAt("m", []listed.Place{{Seq: 1}})
		r.AttemptsOf("m", []string{"a"})
		r.RefundAt("m", listed.Place{Seq: 1})
		r.DisputeAt("m", listed.Place{Seq: 1})
		r.Refunds("m", "", request.RefundListInput{PaymentID: "p"})
		r.Refunds("m", "", request.RefundListInput{RefundID: "r"})
		r.Disputes("m", "", request.DisputeListInput{PaymentID: "p"})
		r.Disputes("m", "", request.DisputeListInput{DisputeID: "d"})
		return undo
	})
	require.ErrorIs(t, err, undo)
	require.Greater(t, len(plans), 20)
	for query, plan := range plans {
		require.NotContains(t, plan, "Seq Scan", "%s\n%s", query, plan)
		require.Contains(t, plan, "Index", query)
	}
}

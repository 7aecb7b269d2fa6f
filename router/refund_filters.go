package router

import (
	"maps"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/payment"
)

// timeRange is the body of a question about a range of time. Without an end the range ends now.
type timeRange struct{ from, to time.Time }

var timeRangeFields = openObject(
	must(at("start_time", timestamp, func(t *timeRange) *time.Time { return &t.from })),
	at("end_time", timestamp, func(t *timeRange) *time.Time { return &t.to }),
)

// refundValues answers with the connectors, currencies and statuses of the refunds in a range of time.
func (s *Server) refundValues(c *call) (answer, error) {
	var in timeRange
	if err := decode(c, timeRangeFields, &in); err != nil {
		return answer{}, err
	}
	counts, err := s.Payments.CountRefunds(c.ctx(), c.auth, in.from, in.to)
	if err != nil {
		return answer{}, err
	}
	statuses := slices.Collect(maps.Keys(counts.Statuses))
	for i, status := range statuses {
		statuses[i] = refundFilterName(payment.RefundStatus(status))
	}
	return new(writer).open().strings("connector", distinct(slices.Collect(maps.Keys(counts.Connectors)))).
		strings("currency", distinct(slices.Collect(maps.Keys(counts.Currencies)))).strings("refund_status", distinct(statuses)).close().answer(), nil
}

func distinct(list []string) []string {
	slices.Sort(list)
	return append([]string{}, slices.Compact(list)...)
}

// refundFilterName returns the name of a status in filters.
func refundFilterName(status payment.RefundStatus) string {
	for name, s := range refundFilterStatus {
		if s == status {
			return name
		}
	}
	return string(status)
}

// refundChoices answers with what a list of refunds can be filtered by: the merchant's accounts by connector, all currencies and all statuses.
func (s *Server) refundChoices(c *call) (answer, error) {
	w := new(writer).open()
	if err := s.writeAccountChoices(c, w); err != nil {
		return answer{}, err
	}
	return w.strings("currency", textsOf(currencies)).strings("refund_status", refundFilters).close().answer(), nil
}

// writeAccountChoices writes the merchant's accounts by connector: the choices of a filter.
func (s *Server) writeAccountChoices(c *call, w *writer) error {
	list, err := s.Admin.Accounts(c.ctx(), c.auth)
	if err != nil {
		return err
	}
	by := map[string][]*account.Account{}
	var names []string
	for _, a := range list {
		by[a.Connector], names = append(by[a.Connector], a), append(names, a.Connector)
	}
	w.key("connector").open()
	for _, name := range distinct(names) {
		w.key(name)
		listOfAnswers(w, by[name], func(w *writer, a *account.Account) {
			w.open().str("connector_label", a.Label).str("merchant_connector_id", a.ID).str("connector_type", string(a.Type)).close()
		})
	}
	w.close()
	return nil
}

func textsOf[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// aggregateRefunds answers with the number of refunds in each status, zeros included.
func (s *Server) aggregateRefunds(c *call) (answer, error) {
	from, to, err := c.query().timeRange()
	if err != nil {
		return answer{}, err
	}
	counts, err := s.Payments.CountRefunds(c.ctx(), c.auth, from, to)
	if err != nil {
		return answer{}, err
	}
	sums := map[string]int64{}
	for status, n := range counts.Statuses {
		sums[refundFilterName(payment.RefundStatus(status))] += n
	}
	w := new(writer).open().key("status_with_count").open()
	for _, name := range refundFilters {
		w.int(name, sums[name])
	}
	return w.close().close().answer(), nil
}

package dashboard

import (
	"context"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/disputed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// otherLists is what the lists of refunds and disputes need of the engine.
type otherLists interface {
	ListRefunds(ctx context.Context, auth account.Auth, in request.RefundListInput) (list []*payment.Refund, total int, err error)
	ListDisputes(ctx context.Context, auth account.Auth, in request.DisputeListInput) ([]*disputed.Record, error)
}

// listRows is the number of rows of a page.
const listRows = 50

// cursor is where a page of refunds or disputes begins: with rows of a time, where some were shown before.
type cursor struct {
	to   time.Time
	skip int
}

// readCursor reads a place that next has written. Any other text begins at the newest row.
func readCursor(text string) (c cursor) {
	at, skip, ok := strings.Cut(text, "-")
	ms, err := strconv.ParseInt(at, 10, 64)
	n, wrong := strconv.Atoi(skip)
	if !ok || err != nil || wrong != nil || n < 0 || n > 10*listRows {
		return c
	}
	return cursor{time.UnixMilli(ms).UTC(), n}
}

// next returns the place behind the given times of a page for an address, "" if no row follows.
func (c cursor) next(times []time.Time) string {
	next, more := c.behind(times)
	if !more {
		return ""
	}
	return strconv.FormatInt(next.to.UnixMilli(), 10) + "-" + strconv.Itoa(next.skip)
}

// behind returns the place behind the given times of a page. times has one time more than the page if a row follows.
func (c cursor) behind(times []time.Time) (next cursor, more bool) {
	if len(times) <= listRows {
		return c, false
	}
	last := times[listRows-1]
	skip := 0
	for _, t := range times[:listRows] {
		if t.Equal(last) {
			skip++
		}
	}
	if last.Equal(c.to) {
		skip += c.skip
	}
	return cursor{last, skip}, true
}

// exportRows writes all rows of a list as a file, one page after the other. page writes those that begin at a place, and returns their times, with one time
// more than it has written if a row follows.
func exportRows(from cursor, page func(from cursor) ([]time.Time, error)) error {
	for more := true; more; {
		times, err := page(from)
		if err != nil {
			return err
		}
		from, more = from.behind(times)
	}
	return nil
}

// csvOf is the address of the list as a file, with the status that it is narrowed to.
func csvOf(path, status string) string {
	if status == "" {
		return path + ".csv"
	}
	return path + ".csv?status=" + status
}

// refundsPage is the list of refunds.
type refundsPage struct {
	Path, Chosen string
	CSV          string
	Filters      []Option
	Refunds      []refundRow
	Empty        Empty
	Pager        Pager
}

func (*refundsPage) file() string  { return "refunds" }
func (*refundsPage) Title() string { return "Refunds" }

// choices returns the statuses that a list may be narrowed to.
func choices(chosen string, all ...string) []Option {
	out := []Option{{"", "all", chosen == ""}}
	for _, s := range all {
		out = append(out, Option{s, words(s), s == chosen})
	}
	return out
}

// chosen returns the status in the address if it is among the choices, else "".
func (c *call) chosen(all ...string) string {
	if s := c.URL.Query().Get("status"); contains(all, s) {
		return s
	}
	return ""
}

// older returns the address of the next page.
func older(path, status, after string) string {
	if after == "" {
		return ""
	}
	if status != "" {
		status = "&status=" + status
	}
	return path + "?after=" + after + status
}

var refundStatuses = []string{string(payment.RefundPending), string(payment.RefundSucceeded), string(payment.RefundFailed), string(payment.RefundReview)}

func (s *Server) refunds(c *call) (response, error) {
	p := &refundsPage{Path: c.at() + "/refunds", Chosen: c.chosen(refundStatuses...)}
	p.Filters, p.CSV = choices(p.Chosen, refundStatuses...), csvOf(p.Path, p.Chosen)
	from := readCursor(c.URL.Query().Get("after"))
	in := request.RefundListInput{Limit: listRows + 1, To: from.to, Offset: from.skip}
	if p.Chosen != "" {
		in.Statuses = []string{p.Chosen}
	}
	ctx, end := c.reading()
	defer end()
	list, _, err := s.Engine.ListRefunds(ctx, c.auth(), in)
	if err != nil {
		return nil, err
	}
	var times []time.Time
	for i, r := range list {
		if times = append(times, r.CreatedAt); i < listRows {
			p.Refunds = append(p.Refunds, c.refundRow(r))
		}
	}
	p.Pager.Older = older(p.Path, p.Chosen, from.next(times))
	if !from.to.IsZero() {
		p.Pager.Newest = p.Path
	}
	p.Empty = Empty{Heading: "No refund", Text: "A refund gives a captured payment back, whole or in part. It begins on the payment's page.",
		Links: []Link{{c.at() + "/payments?status=paid", "Paid payments"}}}
	return show(p), nil
}

// disputesPage is the list of disputes.
type disputesPage struct {
	Path, Chosen string
	CSV          string
	Filters      []Option
	Disputes     []disputeRow
	Empty        Empty
	Pager        Pager
}

func (*disputesPage) file() string  { return "disputes" }
func (*disputesPage) Title() string { return "Disputes" }

var disputeStatuses = []string{"opened", "challenged", "won", "lost", "accepted", "expired", "cancelled"}

func (s *Server) disputes(c *call) (response, error) {
	p := &disputesPage{Path: c.at() + "/disputes", Chosen: c.chosen(disputeStatuses...)}
	p.Filters, p.CSV = choices(p.Chosen, disputeStatuses...), csvOf(p.Path, p.Chosen)
	from := readCursor(c.URL.Query().Get("after"))
	in := request.DisputeListInput{Limit: listRows + 1, To: from.to, Offset: from.skip}
	if p.Chosen != "" {
		in.Statuses = []string{p.Chosen}
	}
	ctx, end := c.reading()
	defer end()
	list, err := s.Engine.ListDisputes(ctx, c.auth(), in)
	if err != nil {
		return nil, err
	}
	var times []time.Time
	for i, d := range list {
		if times = append(times, d.CreatedAt); i < listRows {
			p.Disputes = append(p.Disputes, c.disputeRow(d))
		}
	}
	p.Pager.Older = older(p.Path, p.Chosen, from.next(times))
	if !from.to.IsZero() {
		p.Pager.Newest = p.Path
	}
	p.Empty = Empty{Heading: "No dispute", Text: "A dispute begins when a customer asks the bank for the money back. The processor reports it, and it appears here."}
	return show(p), nil
}

func (s *Server) refundsCSV(c *call) (response, error) {
	in := request.RefundListInput{Limit: listRows + 1}
	if status := c.chosen(refundStatuses...); status != "" {
		in.Statuses = []string{status}
	}
	return csvFile{"refunds", func(write func(cells ...string) error) error {
		if err := write("refund_id", "payment_id", "created", "amount", "currency", "status", "processor", "reason", "error"); err != nil {
			return err
		}
		return exportRows(cursor{}, func(from cursor) (times []time.Time, err error) {
			in.To, in.Offset = from.to, from.skip
			list, _, err := s.Engine.ListRefunds(c.Context(), c.auth(), in)
			for i, r := range list {
				if times = append(times, r.CreatedAt); i >= listRows || err != nil {
					continue
				}
				row := c.refundRow(r)
				err = write(r.ID, r.PaymentID, row.Time.ISO(), Money{r.Amount, r.Currency}.plain(), string(r.Currency), string(r.Status), row.At, row.Reason, row.Error)
			}
			return times, err
		})
	}}, nil
}

func (s *Server) disputesCSV(c *call) (response, error) {
	in := request.DisputeListInput{Limit: listRows + 1}
	if status := c.chosen(disputeStatuses...); status != "" {
		in.Statuses = []string{status}
	}
	return csvFile{"disputes", func(write func(cells ...string) error) error {
		if err := write("dispute_id", "payment_id", "created", "amount", "currency", "status", "stage", "answer_until", "processor", "reason"); err != nil {
			return err
		}
		return exportRows(cursor{}, func(from cursor) (times []time.Time, err error) {
			in.To, in.Offset = from.to, from.skip
			list, err := s.Engine.ListDisputes(c.Context(), c.auth(), in)
			for i, d := range list {
				if times = append(times, d.CreatedAt); i >= listRows || err != nil {
					continue
				}
				row, until := c.disputeRow(d), ""
				if !row.Until.Zero() {
					until = row.Until.ISO()
				}
				err = write(d.ID, d.PaymentID, row.Time.ISO(), Money{d.Amount, d.Currency}.plain(), string(d.Currency), string(d.Status), string(d.Stage), until, row.At, row.Reason)
			}
			return times, err
		})
	}}, nil
}

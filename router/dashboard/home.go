package dashboard

import (
	"context"
	"slices"
	"strconv"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/listed"
	"payswitch/engine/request"
	"payswitch/engine/routing"
	"payswitch/engine/routing/health"
	"payswitch/engine/search"
	"payswitch/engine/staff"
)

// counts is what the overview needs of the engine.
type counts interface {
	CountPayments(ctx context.Context, auth account.Auth, from, to time.Time) ([]listed.Count, error)
	EndingHolds(ctx context.Context, auth account.Auth, now time.Time, within time.Duration) (*search.Ending, error)
	AccountHealth(ctx context.Context, a account.Auth, profileID string) ([]routing.AccountHealth, error)
}

// homePage shows what a merchant looks at first. A part that cannot be read says so, and the others stand.
type homePage struct {
	At       string
	Needs    []need
	Today    []figure
	Fares    *Table   // how the processors fare; nil if none was used lately
	Problems []string // parts that could not be read
	Payments []paymentRow
	Empty    Empty
}

func (*homePage) file() string  { return "home" }
func (*homePage) Title() string { return "Overview" }

// figure is a number of today, next to that of the same weekday a week ago up to the same time.
type figure struct {
	Name, Today, Before string
	Link                Link
}

// homeRows is the number of payments on the overview, homeCounted the number from which on a list of needs is not counted.
const homeRows, homeCounted = 10, 50

func (s *Server) home(c *call) (response, error) {
	ctx, end := c.reading()
	defer end()
	p := &homePage{At: c.at(), Empty: noPayment}
	list, err := s.Engine.ListPayments(ctx, c.auth(), request.ListInput{Limit: homeRows})
	if err != nil {
		return nil, err
	}
	for _, v := range list {
		p.Payments = append(p.Payments, c.paymentRow(v))
	}
	if len(list) == 0 {
		p.Empty.Links = []Link{{c.at() + "/setup", "Set up the first payment"}}
		return show(p), nil
	}
	if p.Needs, err = s.needs(ctx, c); err != nil {
		s.Logger.ErrorContext(ctx, "the overview lacks what needs a person", "error", err)
		p.Problems = append(p.Problems, "What needs you could not be read. Try again.")
	}
	if err := s.today(ctx, c, p); err != nil {
		s.Logger.ErrorContext(ctx, "the overview lacks today's figures", "error", err)
		p.Problems = append(p.Problems, "Today's figures could not be read. Try again.")
	}
	if p.Fares, err = s.fares(ctx, c); err != nil {
		s.Logger.ErrorContext(ctx, "the overview lacks how the processors fare", "error", err)
		p.Problems = append(p.Problems, "How the processors fare could not be read. Try again.")
	}
	return show(p), nil
}

// fares returns a table of the merchant's accounts at processors that were used lately.
func (s *Server) fares(ctx context.Context, c *call) (*Table, error) {
	list, err := s.Engine.AccountHealth(ctx, c.auth(), "")
	if err != nil {
		return nil, err
	}
	t := &Table{Caption: "How the processors fare", Columns: columns("Account", "Processor", "State", "Success rate", "Declined", "Faults", "95 % answer within")}
	for i := 3; i < len(t.Columns); i++ {
		t.Columns[i].Class = "num"
	}
	for _, h := range list {
		if n := h.All.Total(); n < leastAttempts && h.Standing == health.In {
			continue
		}
		state := standingChip(h.Standing)
		row := Row{Cells: []Cell{{Text: h.Account.Label}, {Text: s.connectorName(h.Account.Connector)}, {Chip: &state}, {Text: share(&h.All, health.Approved)}, {Text: share(&h.All, health.Declined)},
			{Text: share(&h.All, health.Failed, health.TimedOut)}, {Text: latency(&h.All)}}}
		if c.may(staff.SeeSettings) {
			row.URL = c.at() + "/connectors/" + h.Account.ID
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return nil, nil
	}
	return t, nil
}

// leastAttempts is from how many recent attempts on a rate is shown. Age reduces the counts, so that they are no whole numbers.
const leastAttempts = 0.5

// share returns the share of attempts with some results, or – without attempts.
func share(n *health.Counts, of ...health.Result) string {
	total, sum := n.Total(), 0.0
	if total < leastAttempts {
		return "–"
	}
	for _, r := range of {
		sum += n.Results[r]
	}
	return strconv.FormatFloat(100*sum/total, 'f', 1, 64) + " %"
}

func latency(n *health.Counts) string {
	if d := n.Quantile(0.95); d > 0 {
		return shortly(d)
	}
	return "–"
}

// standingChip says whether routing uses an account.
func standingChip(s health.Standing) Chip {
	switch s {
	case health.Out:
		return Chip{"taken out", "bad", marks["bad"]}
	case health.Trial:
		return Chip{"on trial", "wait", marks["wait"]}
	}
	return Chip{"in use", "good", marks["good"]}
}

// today counts the payments since midnight, in the person's time zone.
func (s *Server) today(ctx context.Context, c *call, p *homePage) error {
	now := s.Now().In(c.zone())
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	today, err := s.Engine.CountPayments(ctx, c.auth(), midnight, now)
	if err != nil {
		return err
	}
	before, err := s.Engine.CountPayments(ctx, c.auth(), midnight.AddDate(0, 0, -7), now.AddDate(0, 0, -7))
	if err != nil {
		return err
	}
	day := midnight.Format(time.DateOnly)
	list := c.at() + "/payments?from=" + day
	a, b := sumsOf(today), sumsOf(before)
	p.Today = []figure{{"Payments", digits(a.all), digits(b.all), Link{list, "Today's payments"}},
		{"Paid", digits(a.paid), digits(b.paid), Link{list + "&status=paid", "Paid today"}},
		{"Failed", digits(a.failed), digits(b.failed), Link{list + "&status=failed", "Failed today"}},
		{"Success rate", a.rate(), b.rate(), Link{list, "Today's payments"}}}
	return nil
}

// digits writes a number of payments.
func digits(n int64) string { return thousands(strconv.FormatInt(n, 10)) }

// counted are numbers of payments by their result. held are payments whose money a processor holds.
type counted struct{ all, paid, held, failed int64 }

func sumsOf(list []listed.Count) (c counted) {
	for _, n := range list {
		c.all += n.N
		for word, sum := range map[string]*int64{"paid": &c.paid, "held": &c.held, "failed": &c.failed} {
			if slices.Contains(search.StatusWords[word], n.Status) {
				*sum += n.N
			}
		}
	}
	return c
}

// rate returns the share of payments that a processor approved among those that it approved or that failed.
func (c counted) rate() string {
	approved := c.paid + c.held
	if approved+c.failed == 0 {
		return "–"
	}
	return strconv.FormatInt(100*approved/(approved+c.failed), 10) + " %"
}

package dashboard

import (
	"context"
	"strconv"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/search"
)

// counts is what the overview needs of the engine.
type counts interface {
	CountPayments(ctx context.Context, auth account.Auth, from, to time.Time) ([]listed.Count, error)
}

// homePage shows what a merchant looks at first. A part that cannot be read says so, and the others stand.
type homePage struct {
	At       string
	Needs    []need
	Today    []figure
	Problems []string // parts that could not be read
	Payments []paymentRow
	Empty    Empty
}

func (*homePage) file() string  { return "home" }
func (*homePage) Title() string { return "Overview" }

// need is something that waits for a person.
type need struct {
	Chip Chip
	Text string
	Link Link
}

// figure is a number of today, beside that of the same weekday a week ago up to the same time.
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
	if err := s.needs(ctx, c, p); err != nil {
		s.Logger.ErrorContext(ctx, "the overview lacks what needs a person", "error", err)
		p.Problems = append(p.Problems, "What needs you could not be read. Try again.")
	}
	if err := s.today(ctx, c, p); err != nil {
		s.Logger.ErrorContext(ctx, "the overview lacks today's figures", "error", err)
		p.Problems = append(p.Problems, "Today's figures could not be read. Try again.")
	}
	return show(p), nil
}

// needs lists the payments that wait for a person.
func (s *Server) needs(ctx context.Context, c *call, p *homePage) error {
	for _, n := range []struct{ word, text string }{{"doubt", "payments that a person has to look at"}, {"held", "payments whose money is held and not captured"}} {
		var statuses []string
		for _, status := range search.StatusWords[n.word] {
			statuses = append(statuses, string(status))
		}
		found, err := s.Engine.Browse(ctx, c.auth(), search.Query{Filter: request.PaymentFilter{Statuses: statuses}, Limit: homeCounted})
		if err != nil {
			return err
		}
		if len(found.Views) == 0 {
			continue
		}
		count := strconv.Itoa(len(found.Views))
		if found.Next != nil {
			count += "+"
		}
		p.Needs = append(p.Needs, need{chip(statuses[0]), count + " " + n.text, Link{c.at() + "/payments?status=" + n.word, "Show them"}})
	}
	return nil
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
	p.Today = []figure{{"Payments", strconv.FormatInt(a.all, 10), strconv.FormatInt(b.all, 10), Link{list, "Today's payments"}},
		{"Paid", strconv.FormatInt(a.paid, 10), strconv.FormatInt(b.paid, 10), Link{list + "&status=paid", "Paid today"}},
		{"Failed", strconv.FormatInt(a.failed, 10), strconv.FormatInt(b.failed, 10), Link{list + "&status=failed", "Failed today"}},
		{"Success rate", a.rate(), b.rate(), Link{list, "Today's payments"}}}
	return nil
}

// counted are payments by what became of them.
type counted struct{ all, paid, failed int64 }

func sumsOf(list []listed.Count) (c counted) {
	for _, n := range list {
		c.all += n.N
		switch n.Status {
		case payment.Succeeded, payment.PartiallyCaptured:
			c.paid += n.N
		case payment.Failed:
			c.failed += n.N
		}
	}
	return c
}

// rate is the share of paid ones among those that ended paid or failed.
func (c counted) rate() string {
	if c.paid+c.failed == 0 {
		return "–"
	}
	return strconv.FormatInt(100*c.paid/(c.paid+c.failed), 10) + " %"
}

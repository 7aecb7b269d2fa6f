package dashboard

import (
	"context"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/request"
	"payswitch/engine/staff"
)

// paymentLists is what the lists of payments need of the engine.
type paymentLists interface {
	ListPayments(ctx context.Context, auth account.Auth, in request.ListInput) ([]*change.View, error)
}

// paymentRow is a payment in a list.
type paymentRow struct {
	URL, ID  string
	Time     Time
	Amount   Money
	Status   Chip
	Method   string // visa ··4242
	Customer string
	At       string // the connector
	Reason   string // why it failed
}

// paymentRow returns the row of a payment. An e-mail address is masked for people who may not see it.
func (c *call) paymentRow(v *change.View) paymentRow {
	p, a := v.Payment, v.Attempt
	row := paymentRow{URL: c.at() + "/payments/" + p.ID, ID: p.ID, Time: c.time(p.CreatedAt), Amount: Money{p.Amount, p.Currency}, Status: chip(string(p.Status)),
		Customer: p.CustomerID, At: a.Connector}
	if card := a.Details.Card; card != nil {
		row.Method = words(string(card.Network)) + " ··" + card.LastFour
	} else {
		row.Method = words(a.Details.PaymentMethodType)
	}
	if p.Private != nil && p.Private.Customer != nil && p.Private.Customer.Email != "" {
		row.Customer = c.email(p.Private.Customer.Email)
	}
	if e := a.Details.Error; e != nil {
		row.Reason = e.Message
	}
	return row
}

// email returns an address as the person may see it.
func (c *call) email(address string) string {
	if c.may(staff.UnmaskCustomers) {
		return address
	}
	return masked(address)
}

// masked hides a mail address but for its first letter and its domain.
func masked(address string) string {
	name, domain, found := cut(address, "@")
	if !found || name == "" {
		return "···"
	}
	return string([]rune(name)[:1]) + "···@" + domain
}

package router

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/search"
	"payswitch/sdk"
)

// PaymentSearch are the engine's use cases of finding payments. *engine.Engine implements them.
type PaymentSearch interface {
	SearchPayments(ctx context.Context, a account.Auth, f request.PaymentFilter) ([]*change.View, int, error)
	PaymentValues(ctx context.Context, a account.Auth, from, to time.Time) (*search.Values, error)
	CountPayments(ctx context.Context, a account.Auth, from, to time.Time) ([]listed.Count, error)
}

func (s *Server) paymentListRoutes() []route {
	return []route{
		{method: "GET", pattern: "/payments/profile/list", who: secretField, handle: s.listPayments},
		{method: "POST", pattern: "/payments/list", who: secretField, handle: s.searchPayments},
		{method: "POST", pattern: "/payments/profile/list", who: secretField, handle: s.searchPayments},
		{method: "POST", pattern: "/payments/filter", who: secretField, handle: s.paymentValues},
		{method: "GET", pattern: "/payments/v2/filter", who: secretField, handle: s.paymentChoices},
		{method: "GET", pattern: "/payments/v2/profile/filter", who: secretField, handle: s.paymentChoices},
		{method: "GET", pattern: "/payments/aggregate", who: secretField, handle: s.aggregatePayments},
		{method: "GET", pattern: "/payments/profile/aggregate", who: secretField, handle: s.aggregatePayments},
	}
}

// cardDiscoveries are the ways in which a card came into a payment.
var cardDiscoveries = []string{"manual", "saved_card", "click_to_pay"}

// paymentFilter is the body of a list of payments.
type paymentFilter struct {
	request.PaymentFilter
	limit, offset *int64
	currencies    []sdk.Currency
	authenticated []payment.AuthenticationType
	networks      []sdk.CardNetwork
}

// listOrder is the order of a list of payments.
type listOrder struct {
	on request.PaymentOrder
	by string
}

var (
	listOrders = []request.PaymentOrder{request.OrderAmount, request.OrderAttempts, request.OrderCreated, request.OrderModified}
	directions = []string{"asc", "desc"}

	listOrderFields = openObject(
		at("on", oneOf(listOrders), func(o *listOrder) *request.PaymentOrder { return &o.on }),
		at("by", oneOf(directions), func(o *listOrder) *string { return &o.by }),
	)
)

var paymentFilterFields = openObject(
	at("payment_id", identifier, func(f *paymentFilter) *string { return &f.PaymentID }),
	at("profile_id", identifier, func(f *paymentFilter) *string { return &f.ProfileID }),
	at("customer_id", identifier, func(f *paymentFilter) *string { return &f.CustomerID }),
	opt("limit", integer(math.MinInt32, math.MaxInt32), func(f *paymentFilter) **int64 { return &f.limit }),
	opt("offset", integer(0, maxOffset), func(f *paymentFilter) **int64 { return &f.offset }),
	field[paymentFilter]{key: "amount_filter", read: func(r *reader, f *paymentFilter) error {
		a, err := amountRangeFields.parse(r)
		f.MinAmount, f.MaxAmount = a.start, a.end
		return err
	}},
	at("start_time", timestamp, func(f *paymentFilter) *time.Time { return &f.From }),
	at("end_time", timestamp, func(f *paymentFilter) *time.Time { return &f.To }),
	at("connector", listOf(text), func(f *paymentFilter) *[]string { return &f.Connectors }),
	at("currency", listOf(oneOf(currencies)), func(f *paymentFilter) *[]sdk.Currency { return &f.currencies }),
	at("status", listOf(oneOf(paymentStatuses)), func(f *paymentFilter) *[]string { return &f.Statuses }),
	at("payment_method", listOf(oneOf(paymentMethods)), func(f *paymentFilter) *[]string { return &f.Methods }),
	at("payment_method_type", listOf(oneOf(paymentMethodTypes)), func(f *paymentFilter) *[]string { return &f.MethodTypes }),
	at("authentication_type", listOf(oneOf(authenticationTypes)), func(f *paymentFilter) *[]payment.AuthenticationType { return &f.authenticated }),
	at("merchant_connector_id", listOf(text), func(f *paymentFilter) *[]string { return &f.Accounts }),
	field[paymentFilter]{key: "order", read: func(r *reader, f *paymentFilter) error {
		o, err := listOrderFields.parse(r)
		f.Order, f.Ascending = o.on, o.by == "asc"
		return err
	}},
	at("card_network", listOf(oneOf(cardNetworks)), func(f *paymentFilter) *[]sdk.CardNetwork { return &f.networks }),
	at("merchant_order_reference_id", text, func(f *paymentFilter) *string { return &f.OrderReference }),
	at("card_discovery", listOf(oneOf(cardDiscoveries)), func(f *paymentFilter) *[]string { return &f.Discoveries }),
	at("customer_email", text, func(f *paymentFilter) *string { return &f.Email }),
)

// maxOffset bounds the payments before a page: a scan keeps a place for each.
const maxOffset = 1_000_000

// searchPayments answers with the payments that pass all filters.
func (s *Server) searchPayments(c *call) (answer, error) {
	var in paymentFilter
	if err := decode(c, paymentFilterFields, &in); err != nil {
		return answer{}, err
	}
	if in.limit != nil {
		if *in.limit < 1 || *in.limit > 50 {
			return answer{}, fault.Unprocessable("limit", "limit should be in between 1 and 50").WithHint("Send a whole number from 1 to 50.")
		}
		in.Limit = int(*in.limit)
	}
	if in.offset != nil {
		in.Offset = int(*in.offset)
	}
	in.Currencies = textsOf(in.currencies)
	in.AuthenticationTypes, in.Networks = textsOf(in.authenticated), textsOf(in.networks)
	views, total, err := s.Payments.SearchPayments(c.ctx(), c.auth, in.PaymentFilter)
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	w.open().int("count", int64(len(views))).int("total_count", int64(total)).key("data").openList()
	for _, v := range views {
		writePayment(w, v, true)
	}
	return w.closeList().close().answer(), nil
}

// paymentValues answers with the values that the payments of a range of time have.
func (s *Server) paymentValues(c *call) (answer, error) {
	var in timeRange
	if err := decode(c, timeRangeFields, &in); err != nil {
		return answer{}, err
	}
	v, err := s.Payments.PaymentValues(c.ctx(), c.auth, in.from, in.to)
	if err != nil {
		return answer{}, err
	}
	return new(writer).open().strings("connector", v.Connectors).strings("currency", v.Currencies).strings("status", v.Statuses).
		strings("payment_method", v.Methods).strings("payment_method_type", v.MethodTypes).strings("authentication_type", v.AuthenticationTypes).
		close().answer(), nil
}

// paymentChoices answers with what a list of payments can be filtered by: the merchant's accounts and their methods, and the closed lists.
func (s *Server) paymentChoices(c *call) (answer, error) {
	w := new(writer).open()
	if err := s.writeAccountChoices(c, w); err != nil {
		return answer{}, err
	}
	w.strings("currency", textsOf(currencies)).strings("status", paymentStatuses)
	if err := s.writeMethodChoices(c, w); err != nil {
		return answer{}, err
	}
	return w.strings("authentication_type", textsOf(authenticationTypes)).strings("card_network", textsOf(cardNetworks)).
		strings("card_discovery", cardDiscoveries).close().answer(), nil
}

// writeMethodChoices writes the payment methods that the merchant's accounts have enabled, with their types.
func (s *Server) writeMethodChoices(c *call, w *writer) error {
	list, err := s.Admin.Accounts(c.ctx(), c.auth)
	if err != nil {
		return err
	}
	types := map[string][]string{}
	for _, a := range list {
		var enabled []enabledMethod
		if len(a.PaymentMethods) > 0 {
			if err := json.Unmarshal(a.PaymentMethods, &enabled); err != nil {
				return fault.Internal(fmt.Errorf("account %s: %w", a.ID, err), "read enabled methods")
			}
		}
		for _, m := range enabled {
			types[m.Method] = append(types[m.Method], []string{}...)
			for _, t := range m.Types {
				types[m.Method] = append(types[m.Method], t.Type)
			}
		}
	}
	w.key("payment_method").open()
	for _, method := range paymentMethods {
		if of, ok := types[method]; ok {
			w.strings(method, distinct(of))
		}
	}
	w.close()
	return nil
}

// aggregatePayments answers with the number of payments in each status, zeros included.
func (s *Server) aggregatePayments(c *call) (answer, error) {
	from, to, err := c.query().timeRange()
	if err != nil {
		return answer{}, err
	}
	counts, err := s.Payments.CountPayments(c.ctx(), c.auth, from, to)
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().key("status_with_count").open()
	for _, status := range paymentStatuses {
		n := int64(0)
		if i := slices.IndexFunc(counts, func(c listed.Count) bool { return string(c.Status) == status }); i >= 0 {
			n = counts[i].N
		}
		w.int(status, n)
	}
	return w.close().close().answer(), nil
}

package router

import (
	"cmp"
	"context"
	"math"
	"strconv"

	"github.com/google/uuid"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/sdk"
)

// relayAdmin are the engine's use cases of relays. *engine.Engine implements them.
type relayAdmin interface {
	CreateRelay(ctx context.Context, a account.Auth, in relay.Input) (*relay.Relay, error)
	Relay(ctx context.Context, a account.Auth, id string, forceSync bool) (*relay.Relay, error)
}

// relayRoutes returns the routes of operations on processors' own references.
func (s *Server) relayRoutes() []route {
	return []route{
		{method: "POST", pattern: "/relay", who: secretField, handle: s.createRelay},
		{method: "POST", pattern: "/relay/unreferenced_refund", who: secretField, handle: s.refundUnreferenced},
		{method: "GET", pattern: "/relay/{relay_id}", who: secretField, handle: s.retrieveRelay},
	}
}

var anyAmount = integer(math.MinInt64, math.MaxInt64)

// relayData reads the one key of data.
func relayData(r *reader) (relay.Asked, error) {
	d, err := relayKinds.parse(r)
	if err != nil {
		return d, err
	}
	n := 0
	for _, set := range []bool{d.Refund != nil, d.Capture != nil, d.Increment != nil, d.Void != nil, d.Unreferenced != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		return d, r.fail("data has "+strconv.Itoa(n)+" keys, expected one of `refund`, `capture`, `incremental_authorization`, `void`, `unreferenced_refund`", "Send one of these keys.")
	}
	return d, nil
}

var relayKinds = closedObject(
	opt("refund", openObject(
		must(at("amount", anyAmount, func(d *relay.RefundData) *int64 { return &d.Amount })),
		must(at("currency", oneOf(currencies), func(d *relay.RefundData) *sdk.Currency { return &d.Currency })),
		at("reason", text, func(d *relay.RefundData) *string { return &d.Reason })).parse, func(d *relay.Asked) **relay.RefundData { return &d.Refund }),
	opt("capture", openObject(
		must(at("authorized_amount", anyAmount, func(d *relay.CaptureData) *int64 { return &d.Authorized })),
		must(at("amount_to_capture", anyAmount, func(d *relay.CaptureData) *int64 { return &d.Amount })),
		must(at("currency", oneOf(currencies), func(d *relay.CaptureData) *sdk.Currency { return &d.Currency })),
		at("capture_method", oneOf(captureMethods), func(d *relay.CaptureData) *payment.CaptureMethod { return &d.Method })).parse,
		func(d *relay.Asked) **relay.CaptureData { return &d.Capture }),
	opt("incremental_authorization", openObject(
		must(at("total_amount", anyAmount, func(d *relay.IncrementData) *int64 { return &d.Total })),
		must(at("additional_amount", anyAmount, func(d *relay.IncrementData) *int64 { return &d.Additional })),
		must(at("currency", oneOf(currencies), func(d *relay.IncrementData) *sdk.Currency { return &d.Currency }))).parse,
		func(d *relay.Asked) **relay.IncrementData { return &d.Increment }),
	opt("void", openObject(
		opt("amount", anyAmount, func(d *relay.VoidData) **int64 { return &d.Amount }),
		at("currency", oneOf(currencies), func(d *relay.VoidData) *sdk.Currency { return &d.Currency }),
		at("cancellation_reason", text, func(d *relay.VoidData) *string { return &d.Reason })).parse, func(d *relay.Asked) **relay.VoidData { return &d.Void }),
	field[relay.Asked]{key: "unreferenced_refund", read: func(r *reader, d *relay.Asked) error {
		u, err := unreferencedData.parse(r)
		d.Unreferenced, d.Card = &u.UnreferencedData, u.card
		return err
	}},
)

// unreferenced is a refund to a card without an earlier payment.
type unreferenced struct {
	relay.UnreferencedData
	card *card.Input
}

func unreferencedFieldsOf[T any](of func(*T) *unreferenced) []field[T] {
	return []field[T]{
		must(at("amount", anyAmount, func(t *T) *int64 { return &of(t).Amount })),
		must(at("currency", oneOf(currencies), func(t *T) *sdk.Currency { return &of(t).Currency })),
		must(at("recipient_payment_method_data", recipientCard.parse, func(t *T) **card.Input { return &of(t).card })),
		at("customer_id", text, func(t *T) *string { return &of(t).CustomerID }),
	}
}

var unreferencedData = openObject(unreferencedFieldsOf(func(u *unreferenced) *unreferenced { return u })...)

var recipientCard = closedObject(must(opt("card", cardWithoutCVC.parse, func(c **card.Input) **card.Input { return c })))

// resourceID reads a processor's id. It is exempt from the search for card numbers, because ids may look like them.
var resourceID = apart(func(r *reader) (string, error) {
	id, err := text(r)
	if err == nil && id == "" {
		err = r.fail("connector_resource_id must not be empty", "Send the reference that the processor gave.")
	}
	return id, err
})

var relayFields = openObject(
	must(at("connector_resource_id", resourceID, func(in *relay.Input) *string { return &in.ResourceID })),
	must(at("connector_id", text, func(in *relay.Input) *string { return &in.AccountID })),
	must(at("type", oneOf(relay.Types), func(in *relay.Input) *relay.Type { return &in.Type })),
	at("data", relayData, func(in *relay.Input) *relay.Asked { return &in.Data }),
)

func (s *Server) createRelay(c *call) (answer, error) {
	var in relay.Input
	if err := decode(c, relayFields, &in); err != nil {
		return answer{}, err
	}
	return relayAnswer(s.Admin.CreateRelay(c.ctx(), c.auth, in))
}

// unreferencedInput is the body of a refund to a card, with the fields of its data at the top.
type unreferencedInput struct {
	relay.Input
	data unreferenced
}

var unreferencedFields = openObject(append([]field[unreferencedInput]{
	must(at("connector_id", text, func(in *unreferencedInput) *string { return &in.AccountID })),
	at("connector_resource_id", resourceID, func(in *unreferencedInput) *string { return &in.ResourceID }),
}, unreferencedFieldsOf(func(in *unreferencedInput) *unreferenced { return &in.data })...)...)

func (s *Server) refundUnreferenced(c *call) (answer, error) {
	var body unreferencedInput
	if err := decode(c, unreferencedFields, &body); err != nil {
		return answer{}, err
	}
	in := body.Input
	in.Type, in.Data = relay.UnreferencedRefund, relay.Asked{Data: relay.Data{Unreferenced: &body.data.UnreferencedData}, Card: body.data.card}
	in.ResourceID = cmp.Or(in.ResourceID, "internal_"+uuid.NewString())
	r, err := s.Admin.CreateRelay(c.ctx(), c.auth, in)
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().str("id", r.ID).str("status", string(r.Status)).str("connector", r.Connector).str("connector_id", r.AccountID).
		str("connector_resource_id", r.ResourceID).text("connector_reference_id", r.ReferenceID).str("profile_id", r.ProfileID)
	out := relayError(w, r).text("pending_reason", r.Details.Waits).null("raw_connector_response").close().answer()
	out.open = r.Repeatable()
	return out, nil
}

// relayError writes why the operation failed.
func relayError(w *writer, r *relay.Relay) *writer {
	if e := r.Details.Error; e != nil {
		return w.key("error").open().str("code", e.Code).str("message", e.Message).close()
	}
	return w.null("error")
}

func (s *Server) retrieveRelay(c *call) (answer, error) {
	q := c.query()
	sync := q.bool("force_sync")
	if q.err != nil {
		return answer{}, q.err
	}
	return relayAnswer(s.Admin.Relay(c.ctx(), c.auth, c.param("relay_id"), sync))
}

func relayAnswer(r *relay.Relay, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().str("id", r.ID).str("status", string(r.Status)).str("connector_resource_id", r.ResourceID)
	relayError(w, r).text("pending_reason", r.Details.Waits).text("connector_reference_id", r.ReferenceID).str("connector_id", r.AccountID).str("profile_id", r.ProfileID).str("type", string(r.Type))
	w.key("data").open().key(string(r.Type)).open()
	switch d := r.Details.Data; {
	case d.Refund != nil:
		sent(w.int("amount", d.Refund.Amount).str("currency", string(d.Refund.Currency)), "reason", d.Refund.Reason)
	case d.Capture != nil:
		w.int("authorized_amount", d.Capture.Authorized).int("amount_to_capture", d.Capture.Amount).str("currency", string(d.Capture.Currency))
		sent(w, "capture_method", string(d.Capture.Method))
	case d.Increment != nil:
		w.int("total_amount", d.Increment.Total).int("additional_amount", d.Increment.Additional).str("currency", string(d.Increment.Currency))
	case d.Void != nil:
		if d.Void.Amount != nil {
			w.int("amount", *d.Void.Amount)
		}
		sent(w, "currency", string(d.Void.Currency))
		sent(w, "cancellation_reason", d.Void.Reason)
	case d.Unreferenced != nil:
		u := d.Unreferenced
		sent(w.int("amount", u.Amount).str("currency", string(u.Currency)), "customer_id", u.CustomerID)
		w.key("recipient_payment_method_data").open().key("card").open().str("card_number", u.BIN+"******"+u.LastFour).
			str("card_exp_month", u.ExpMonth).str("card_exp_year", u.ExpYear).close().close()
	}
	out := w.close().close().close().answer()
	out.open = r.Repeatable()
	return out, nil
}

// sent writes a field that the request may leave out: data is answered as it was sent.
func sent(w *writer, key, value string) {
	if value != "" {
		w.str(key, value)
	}
}

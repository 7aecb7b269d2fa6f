package router

import (
	"context"
	"math"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/webhook"
)

// Webhooks are the use cases of events and of the endpoints that get them. *webhook.Service implements them.
type Webhooks interface {
	ListEvents(ctx context.Context, a account.Auth, f webhook.Filter) (list []*webhook.Delivery, total int, err error)
	EventAttempts(ctx context.Context, a account.Auth, eventID string) ([]*webhook.AttemptView, error)
	Redeliver(ctx context.Context, a account.Auth, eventID, endpointID string) (*webhook.AttemptView, error)
	Endpoints(ctx context.Context, a account.Auth, profileID string) ([]*webhook.EndpointView, error)
	Endpoint(ctx context.Context, a account.Auth, profileID, id string) (*webhook.EndpointView, error)
	CreateEndpoint(ctx context.Context, a account.Auth, profileID string, in webhook.EndpointInput) (*webhook.Endpoint, error)
	UpdateEndpoint(ctx context.Context, a account.Auth, profileID, id string, in webhook.EndpointInput) (*webhook.Endpoint, error)
	RotateSecret(ctx context.Context, a account.Auth, profileID, id string, overlap time.Duration) (*webhook.Endpoint, error)
	DeleteEndpoint(ctx context.Context, a account.Auth, profileID, id string) error
	TestEndpoint(ctx context.Context, a account.Auth, profileID, id string) (*webhook.Tested, error)
}

func (s *Server) eventRoutes() []route {
	const (
		eventPath     = "/events/{merchant_id}/{event_id}"
		endpointsPath = "/account/{merchant_id}/business_profile/{profile_id}/webhook_endpoints"
		endpointPath  = endpointsPath + "/{endpoint_id}"
	)
	return []route{
		{method: "POST", pattern: "/events/{merchant_id}", who: adminOrOwn, handle: s.listEvents},
		{method: "POST", pattern: "/events/profile/list", who: secretField, handle: s.listEvents},
		{method: "GET", pattern: eventPath + "/attempts", who: adminOrOwn, handle: s.eventAttempts},
		{method: "POST", pattern: eventPath + "/retry", who: adminOrOwn, handle: s.redeliverEvent},

		{method: "GET", pattern: endpointsPath, who: adminOrOwn, handle: s.listEndpoints},
		{method: "POST", pattern: endpointsPath, who: adminOrOwn, handle: s.createEndpoint},
		{method: "GET", pattern: endpointPath, who: adminOrOwn, handle: s.retrieveEndpoint},
		{method: "POST", pattern: endpointPath, who: adminOrOwn, handle: s.updateEndpoint},
		{method: "DELETE", pattern: endpointPath, who: adminOrOwn, handle: s.deleteEndpoint},
		{method: "POST", pattern: endpointPath + "/rotate_secret", who: adminOrOwn, handle: s.rotateSecret},
		{method: "POST", pattern: endpointPath + "/test", who: adminOrOwn, handle: s.testEndpoint},
	}
}

// eventList is the body of a list of events.
type eventList struct {
	webhook.Filter
	limit, offset *int64
}

var eventClasses = []string{"payments", "refunds", "disputes", "mandates", "payouts", "subscriptions"}

// eventTypes are those that payswitch sends, and those of the API that it does not send.
var eventTypes = append(slices.Clone(webhook.Types), "mandate_active", "mandate_revoked", "payout_success", "payout_failed", "payout_initiated", "payout_processing",
	"payout_cancelled", "payout_expired", "payout_reversed", "invoice_paid")

var eventListFields = openObject(
	at("created_after", timestamp, func(l *eventList) *time.Time { return &l.After }),
	at("created_before", timestamp, func(l *eventList) *time.Time { return &l.Before }),
	opt("limit", integer(math.MinInt32, math.MaxInt32), func(l *eventList) **int64 { return &l.limit }),
	opt("offset", integer(0, math.MaxInt32), func(l *eventList) **int64 { return &l.offset }),
	at("object_id", identifier, func(l *eventList) *string { return &l.ObjectID }),
	at("event_id", identifier, func(l *eventList) *string { return &l.EventID }),
	at("profile_id", identifier, func(l *eventList) *string { return &l.ProfileID }),
	at("event_classes", listOf(oneOf(eventClasses)), func(l *eventList) *[]string { return &l.Classes }),
	at("event_types", listOf(oneOf(eventTypes)), func(l *eventList) *[]string { return &l.Types }),
	opt("is_delivered", boolean, func(l *eventList) **bool { return &l.Delivered }),
)

func (s *Server) listEvents(c *call) (answer, error) {
	var in eventList
	if err := decode(c, eventListFields, &in); err != nil {
		return answer{}, err
	}
	if in.limit != nil {
		if in.Limit = int(*in.limit); in.Limit == 0 {
			in.Limit = -1 // 0 means that no limit was sent
		}
	}
	if in.offset != nil {
		in.Offset = int(*in.offset)
	}
	if _, err := s.Admin.Merchant(c.ctx(), c.merchant().MerchantID); err != nil {
		return answer{}, err
	}
	list, total, err := s.Webhooks.ListEvents(c.ctx(), c.merchant(), in.Filter)
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	w.open().key("events")
	listOfAnswers(w, list, func(w *writer, d *webhook.Delivery) { writeDelivery(w.open(), d, d.EventID).close() })
	return w.int("total_count", int64(total)).close().answer(), nil
}

// writeDelivery writes the fields of an event on its way to one endpoint. id is the event's id, or that of an attempt.
func writeDelivery(w *writer, d *webhook.Delivery, id string) *writer {
	w.str("event_id", id).str("merchant_id", d.MerchantID).str("profile_id", d.ProfileID).str("object_id", d.ObjectID)
	w.str("event_type", d.Type).str("event_class", d.Class)
	if d.State == webhook.Open && d.Tries == 0 {
		w.null("is_delivery_successful")
	} else {
		w.bool("is_delivery_successful", d.State == webhook.Delivered)
	}
	w.text("initial_attempt_id", d.FirstID).str("processor_merchant_id", d.MerchantID).time("created", d.CreatedAt)
	return w.str("endpoint_id", d.EndpointID).str("state", string(d.State)).time("next_attempt_at", d.DueAt)
}

// writeDeliveryAttempt writes an attempt. Its own id takes the place of the event's, which is in the request.
func writeDeliveryAttempt(w *writer, v *webhook.AttemptView) {
	d := *v.Delivery
	writeDelivery(w.open(), &d, v.ID)
	w.str("delivery_attempt", string(v.Kind)).time("attempted_at", v.At).int("took_ms", v.Took.Milliseconds())
	writeSent(w, v.Attempt, v.Headers, v.Body)
	w.close()
}

// writeSent writes the request of an attempt and the endpoint's answer.
func writeSent(w *writer, a *webhook.Attempt, headers [][2]string, body []byte) {
	pairs := func(list [][2]string) {
		w.key("headers").openList()
		for _, h := range list {
			w.openList().element(h[0]).element(h[1]).closeList()
		}
		w.closeList()
	}
	w.key("request").open().str("body", string(body))
	pairs(headers)
	w.close().key("response").open()
	var reply webhook.Answer
	if a.Answer != nil {
		reply = *a.Answer
	}
	w.text("body", reply.Body)
	pairs(reply.Headers)
	status := int64(a.Status)
	w.number("status_code", positive(status)).text("error_message", a.Failure).close()
}

// testEndpoint sends a test event to an endpoint.
func (s *Server) testEndpoint(c *call) (answer, error) {
	v, err := s.Webhooks.TestEndpoint(c.ctx(), c.merchant(), c.param("profile_id"), c.param("endpoint_id"))
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().str("endpoint_id", v.EndpointID).str("event_id", v.EventID).str("event_type", webhook.TestType).str("url", v.URL)
	w.bool("is_delivery_successful", v.Failure == "").time("attempted_at", v.At).int("took_ms", v.Took.Milliseconds())
	writeSent(w, v.Attempt, v.Headers, v.Body)
	return w.close().answer(), nil
}

func (s *Server) eventAttempts(c *call) (answer, error) {
	list, err := s.Webhooks.EventAttempts(c.ctx(), c.merchant(), c.param("event_id"))
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeDeliveryAttempt).answer(), nil
}

func (s *Server) redeliverEvent(c *call) (answer, error) {
	q := c.query()
	endpoint := ""
	if q.has("endpoint_id") {
		endpoint = q.id("endpoint_id")
	}
	if q.err != nil {
		return answer{}, q.err
	}
	v, err := s.Webhooks.Redeliver(c.ctx(), c.merchant(), c.param("event_id"), endpoint)
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	writeDeliveryAttempt(w, v)
	return w.answer(), nil
}

var endpointFields = closedObject(
	opt("url", text, func(e *webhook.EndpointInput) **string { return &e.URL }),
	opt("description", text, func(e *webhook.EndpointInput) **string { return &e.Description }),
	opt("event_types", listOf(text), func(e *webhook.EndpointInput) **[]string { return &e.Types }),
	opt("disabled", boolean, func(e *webhook.EndpointInput) **bool { return &e.Disabled }),
)

// writeEndpoint writes an endpoint. The secret shows only where it is new.
func writeEndpoint(w *writer, v *webhook.EndpointView, secret string) {
	w.open().str("endpoint_id", v.ID).str("merchant_id", v.MerchantID).str("profile_id", v.ProfileID).str("url", v.URL).text("description", v.Description)
	w.strings("event_types", v.Types).bool("disabled", v.Disabled).text("secret", secret)
	w.time("oldest_undelivered", v.OldestUndelivered).time("failing_since", v.FailingSince)
	w.time("created", v.CreatedAt).time("modified_at", v.ModifiedAt).close()
}

func endpointAnswer(e *webhook.Endpoint, showSecret bool, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	secret := ""
	if showSecret && len(e.Secrets) > 0 {
		secret = e.Secrets[0].Key.Reveal()
	}
	w := new(writer)
	writeEndpoint(w, &webhook.EndpointView{Endpoint: e}, secret)
	return w.answer(), nil
}

func (s *Server) listEndpoints(c *call) (answer, error) {
	list, err := s.Webhooks.Endpoints(c.ctx(), c.merchant(), c.param("profile_id"))
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, func(w *writer, v *webhook.EndpointView) { writeEndpoint(w, v, "") }).answer(), nil
}

func (s *Server) retrieveEndpoint(c *call) (answer, error) {
	v, err := s.Webhooks.Endpoint(c.ctx(), c.merchant(), c.param("profile_id"), c.param("endpoint_id"))
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	writeEndpoint(w, v, "")
	return w.answer(), nil
}

func (s *Server) createEndpoint(c *call) (answer, error) {
	var in webhook.EndpointInput
	if err := decode(c, endpointFields, &in); err != nil {
		return answer{}, err
	}
	e, err := s.Webhooks.CreateEndpoint(c.ctx(), c.merchant(), c.param("profile_id"), in)
	return endpointAnswer(e, true, err)
}

func (s *Server) updateEndpoint(c *call) (answer, error) {
	var in webhook.EndpointInput
	if err := decode(c, endpointFields, &in); err != nil {
		return answer{}, err
	}
	e, err := s.Webhooks.UpdateEndpoint(c.ctx(), c.merchant(), c.param("profile_id"), c.param("endpoint_id"), in)
	return endpointAnswer(e, false, err)
}

var rotateFields = closedObject(opt("overlap_seconds", integer(0, math.MaxInt32), func(n **int64) **int64 { return n }))

// defaultOverlap is how long the old secret signs, too, if the request does not say.
const defaultOverlap = 24 * time.Hour

func (s *Server) rotateSecret(c *call) (answer, error) {
	var seconds *int64
	if err := decode(c, rotateFields, &seconds); err != nil {
		return answer{}, err
	}
	overlap := defaultOverlap
	if seconds != nil {
		overlap = time.Duration(*seconds) * time.Second
	}
	e, err := s.Webhooks.RotateSecret(c.ctx(), c.merchant(), c.param("profile_id"), c.param("endpoint_id"), overlap)
	return endpointAnswer(e, true, err)
}

func (s *Server) deleteEndpoint(c *call) (answer, error) {
	id := c.param("endpoint_id")
	if err := s.Webhooks.DeleteEndpoint(c.ctx(), c.merchant(), c.param("profile_id"), id); err != nil {
		return answer{}, err
	}
	return new(writer).open().str("endpoint_id", id).bool("deleted", true).close().answer(), nil
}

package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
)

// TestType is the event type of a test event. No endpoint subscribes to it, and no other event has it.
const TestType = "endpoint_test"

// testEvent is the body of a test event, in the form of all events.
type testEvent struct {
	MerchantID string      `json:"merchant_id"`
	EventID    string      `json:"event_id"`
	EventType  string      `json:"event_type"`
	Content    testContent `json:"content"`
	Timestamp  string      `json:"timestamp"`
}

type testContent struct {
	Type   string     `json:"type"`
	Object testObject `json:"object"`
}

type testObject struct {
	EndpointID string `json:"endpoint_id"`
	ProfileID  string `json:"profile_id"`
}

// Tested is a test event with the endpoint's answer.
type Tested struct {
	*Attempt
	URL     string
	Headers [][2]string // of the request; the merchant's own ones are masked
	Body    []byte
}

// TestEndpoint sends a test event to an endpoint at once, signed like every event, and returns the answer. It tests an endpoint that is switched off
// too. payswitch keeps neither the event nor the answer, and repeats nothing. Errors: HE_02.
func (s *Service) TestEndpoint(ctx context.Context, a account.Auth, profileID, id string) (*Tested, error) {
	v, err := s.Endpoint(ctx, a, profileID, id)
	if err != nil {
		return nil, err
	}
	p, err := s.Dir.Profile(ctx, a.MerchantID, profileID)
	if err != nil {
		return nil, fault.FromStore(err, "read profile")
	}
	if !s.takeByHand(a.MerchantID, 1) {
		return nil, &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "Too many events are being sent again at this moment; try again"}
	}
	defer s.takeByHand(a.MerchantID, -1)
	e := v.Endpoint
	if id == p.ID {
		e = nil
	}
	t := &target{}
	if err := s.setTarget(t, p, e, time.Time{}); err != nil {
		var gone errGone
		if errors.As(err, &gone) {
			return nil, fault.NotFound("Webhook endpoint")
		}
		return nil, fault.Internal(err, "open endpoint")
	}
	at := s.Now().UTC().Truncate(time.Millisecond)
	event := testEvent{MerchantID: a.MerchantID, EventID: ids.New("evt_"), EventType: TestType, Timestamp: at.Format("2006-01-02T15:04:05.000Z"),
		Content: testContent{Type: TestType, Object: testObject{EndpointID: id, ProfileID: profileID}}}
	if t.body, err = json.Marshal(event); err != nil {
		return nil, fault.Internal(err, "write a test event")
	}
	header, err := t.headers(event.EventID, at)
	if err != nil {
		return nil, fault.Internal(err, "sign a test event")
	}
	out := &Tested{Attempt: &Attempt{MerchantID: a.MerchantID, EventID: event.EventID, EndpointID: id, At: at}, URL: t.url, Headers: redacted(header), Body: t.body}
	s.post(ctx, out.Attempt, t, header)
	return out, nil
}

package webhook

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/vault"
)

const (
	// fanOutAtOnce bounds the events of one transaction, because all callers share the writer.
	fanOutAtOnce = 200
	// recallAtOnce bounds the retries that one success makes due.
	recallAtOnce = 500
	// restAtLeast is the shortest time between two rounds: the events that happen in it share a transaction.
	restAtLeast = 10 * time.Millisecond
	// leaveTime is how long deliveries under way may go on after the switch has begun to stop.
	leaveTime = 5 * time.Second
)

var errBadSecret = errors.New("a signing secret is not whsec_ and base64")

// Deps are the parts of a Service. All but Sender are required.
type Deps struct {
	Store   Store
	Vault   *vault.Vault
	Dir     *account.Directory
	Sender  Sender
	Now     port.Clock
	Log     *slog.Logger
	Metrics port.Metrics
}

// Options are the settings of a Service. All are required.
type Options struct {
	Node         string        // this node's name in leases
	LeaseTime    time.Duration // longer than the sender's time limit
	PollEvery    time.Duration // how often a node looks for deliveries that are due, also those of other nodes
	SweepEvery   time.Duration
	Retries      []time.Duration // pauses before the first retries; the last one is that before all others
	Concurrency  int             // deliveries under way, of quick endpoints and of all others
	MaxEndpoints int             // of one profile
	Keep         Keep
}

// Keep is how long rows are kept after the event or attempt, by kind. 0 is keepByDefault; less than KeepAtLeast is KeepAtLeast.
type Keep struct {
	Delivered   time.Duration // events that all endpoints took, or that no endpoint wanted
	Undelivered time.Duration // events that an endpoint did not take
	Attempts    time.Duration // requests to endpoints with the answers
}

// Service delivers events and has the use cases of endpoints and events. It is safe for concurrent use.
type Service struct {
	Deps
	o    Options
	wake chan struct{} // 1

	mu      sync.Mutex
	lanes   map[string]*lane
	quick   *pool // for endpoints that answer quickly
	patient *pool // for slow and failing ones
	byHand  *pool // for deliveries that a person repeats
	starved bool  // a delivery that is due waits for room
	sending sync.WaitGroup
	swept   swept
}

// New makes a Service. It starts nothing. Without a Sender it delivers nothing.
func New(d Deps, o Options) *Service {
	if d.Sender == nil {
		d.Sender = noSender{}
	}
	for _, keep := range []*time.Duration{&o.Keep.Delivered, &o.Keep.Undelivered, &o.Keep.Attempts} {
		if *keep == 0 {
			*keep = keepByDefault
		}
		*keep = max(*keep, keepAtLeast)
	}
	return &Service{Deps: d, o: o, wake: make(chan struct{}, 1), lanes: map[string]*lane{}, quick: newPool(o.Concurrency), patient: newPool(o.Concurrency),
		byHand: newPool(max(2, o.Concurrency/4))}
}

// noSender reaches no endpoint.
type noSender struct{}

func (noSender) Allows(string) error { return errors.New("this process sends no webhooks") }

func (n noSender) Post(context.Context, string, http.Header, []byte) Reply {
	return Reply{Class: "unprepared", Failure: n.Allows("").Error()}
}

// Wake makes Run look for news at once. It does not block.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run delivers until ctx ends. Deliveries under way then have a few seconds to end; a later process repeats the others.
func (s *Service) Run(ctx context.Context) {
	if s.Sender == (noSender{}) {
		return
	}
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(leaveTime, stop) })()
	var sweeps sync.WaitGroup
	sweeps.Go(func() { s.sweepLoop(ctx) })
	for ctx.Err() == nil {
		more, worked, err := s.round(ctx, sending)
		if err != nil && ctx.Err() == nil {
			s.Log.LogAttrs(ctx, slog.LevelError, "webhooks: a round failed; the next one begins soon", slog.Any("error", err))
		}
		rest(ctx, max(restAtLeast, 4*worked)) // rounds take at most a fifth of the database's time
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-time.After(s.o.PollEvery):
		}
	}
	sweeps.Wait()
	s.sending.Wait()
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// claim is the number of deliveries that an endpoint may begin.
type claim struct {
	endpointID, merchantID string
	room                   int
}

// round gives waiting events their deliveries and starts deliveries that are due. more is true if there may be further work at once. worked is the time
// that its statements took, without the wait for the writer.
func (s *Service) round(ctx, sending context.Context) (more bool, worked time.Duration, err error) {
	var waiting []Waiting
	var due []Backlog
	err = s.Store.View(ctx, func(r Reader) (err error) {
		began := time.Now()
		defer func() { worked += time.Since(began) }()
		if waiting, err = r.WaitingEvents(fanOutAtOnce); err != nil {
			return err
		}
		due, err = r.DueEndpoints()
		return err
	})
	if err != nil {
		return false, worked, err
	}
	plan, err := s.plan(ctx, waiting)
	if err != nil {
		return false, worked, err
	}
	claims := s.claims(due, plan)
	if len(plan) == 0 && len(claims) == 0 {
		return false, worked, nil
	}
	var claimed []*Delivery
	err = s.Store.Update(ctx, func(tx Tx) error {
		began := time.Now()
		defer func() { worked += time.Since(began) }()
		claimed = claimed[:0]
		for i, w := range waiting {
			if err := tx.FanOut(w.Row, plan[i]); err != nil {
				return err
			}
		}
		until := tx.Now().Add(s.o.LeaseTime).Truncate(time.Millisecond)
		for _, c := range claims {
			list, err := tx.ClaimDeliveries(c.endpointID, s.o.Node, until, c.room)
			if err != nil {
				return err
			}
			claimed = append(claimed, list...)
		}
		return nil
	})
	if err != nil {
		return false, worked, err
	}
	s.mu.Lock()
	for _, d := range claimed {
		p := s.begin(s.lane(d.EndpointID, d.MerchantID))
		s.sending.Go(func() { s.deliver(sending, d, p) })
	}
	s.mu.Unlock()
	return len(waiting) == fanOutAtOnce, worked, nil
}

// claims returns the endpoints that may begin deliveries: those with due ones, and those that get new ones.
func (s *Service) claims(due []Backlog, plan [][]*Delivery) (out []claim) {
	now := s.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starved = false
	seen := map[string]bool{}
	add := func(endpointID, merchantID string) {
		if seen[endpointID] {
			return
		}
		seen[endpointID] = true
		l := s.lane(endpointID, merchantID)
		n := s.room(l, now)
		if n == 0 {
			s.starved = s.starved || !l.failing() // one that fails waits for its time, not for room
			return
		}
		out = append(out, claim{endpointID, merchantID, n})
	}
	for _, b := range due {
		add(b.EndpointID, b.MerchantID)
	}
	for _, list := range plan {
		for _, d := range list {
			add(d.EndpointID, d.MerchantID)
		}
	}
	// The pools bound the sum of the claims, not each claim alone. Endpoints share the room: those with the fewest deliveries under way come first.
	slices.SortStableFunc(out, func(a, b claim) int { return s.lanes[a.endpointID].underWay - s.lanes[b.endpointID].underWay })
	left := map[*pool]int{s.quick: s.quick.most - s.quick.underWay, s.patient: s.patient.most - s.patient.underWay}
	waiting := map[*pool]int{}
	for _, c := range out {
		waiting[s.poolOf(s.lanes[c.endpointID])]++
	}
	merchants := map[*pool]map[string]int{s.quick: {}, s.patient: {}}
	for i := range out {
		c := &out[i]
		p := s.poolOf(s.lanes[c.endpointID])
		share := (left[p] + waiting[p] - 1) / waiting[p]
		waiting[p]--
		n := min(c.room, share, p.room(c.merchantID)-merchants[p][c.merchantID])
		if n < c.room {
			s.starved = true
		}
		c.room = max(0, n)
		left[p] -= c.room
		merchants[p][c.merchantID] += c.room
	}
	return slices.DeleteFunc(out, func(c claim) bool { return c.room == 0 })
}

// plan returns the deliveries of each event.
func (s *Service) plan(ctx context.Context, waiting []Waiting) ([][]*Delivery, error) {
	plan := make([][]*Delivery, len(waiting))
	known := map[string][]*Endpoint{}
	for i, w := range waiting {
		key := w.MerchantID + "/" + w.ProfileID
		all, ok := known[key]
		if !ok {
			var err error
			if all, err = s.endpointsOf(ctx, w.MerchantID, w.ProfileID); err != nil {
				return nil, err
			}
			known[key] = all
		}
		for _, e := range all {
			if e.wants(w.Type) {
				plan[i] = append(plan[i], &Delivery{MerchantID: w.MerchantID, EventID: w.ID, EndpointID: e.ID, ProfileID: w.ProfileID, PaymentID: w.Payment(),
					ObjectID: w.ObjectID, Number: w.Number, Class: w.Class, Type: w.Type, CreatedAt: w.CreatedAt, State: Open})
			}
		}
	}
	return plan, nil
}

// endpointsOf returns the endpoints that get events of a profile now. A profile or an endpoint whose row was altered gets no request: the vault has
// raised its alarm.
func (s *Service) endpointsOf(ctx context.Context, merchantID, profileID string) (out []*Endpoint, err error) {
	p, err := s.Dir.Profile(ctx, merchantID, profileID)
	switch {
	case err == nil && p.Settings.WebhookURL != "":
		out = append(out, &Endpoint{ID: p.ID, MerchantID: merchantID, ProfileID: p.ID, Types: enabledTypes(p.Settings)})
	case err != nil && errors.Is(err, vault.ErrAltered):
		out = append(out, &Endpoint{ID: profileID, MerchantID: merchantID, ProfileID: profileID}) // its delivery waits until the profile is genuine again
	case err != nil && !errors.Is(err, fault.ErrNotFound):
		return nil, err
	}
	err = s.Store.View(ctx, func(r Reader) error {
		own, err := r.Endpoints(merchantID, profileID)
		for _, e := range own {
			if !e.Disabled {
				out = append(out, e)
			}
		}
		if errors.Is(err, vault.ErrAltered) {
			err = nil
		}
		return err
	})
	return out, err
}

// enabledTypes returns the event types of the statuses that a profile enables. nil means all; the event types of a class without enabled statuses are
// all enabled.
func enabledTypes(s account.ProfileSettings) (out []string) {
	if len(s.PaymentStatusesEnabled) == 0 && len(s.RefundStatusesEnabled) == 0 {
		return nil
	}
	for _, t := range Types {
		of := func(status string) bool { return payment.Status(status).Facts().Event == t }
		enabled := s.PaymentStatusesEnabled
		switch ClassOf(t) {
		case "refunds":
			of, enabled = func(status string) bool { return refundEvent(status) == t }, s.RefundStatusesEnabled
		case "disputes":
			enabled = nil // no setting of the profile leaves out the events of this class
		}
		if len(enabled) == 0 || slices.ContainsFunc(enabled, of) {
			out = append(out, t)
		}
	}
	return out
}

// refundEvent returns the event of a refund's status by its name in the API or in filters.
func refundEvent(status string) string {
	switch status {
	case "succeeded", "success":
		return payment.RefundSucceeded.Event()
	case "failed", "failure":
		return payment.RefundFailed.Event()
	}
	return ""
}

func (e *Endpoint) wants(eventType string) bool {
	return len(e.Types) == 0 || slices.Contains(e.Types, eventType)
}

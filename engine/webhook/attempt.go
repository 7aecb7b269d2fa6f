package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

const (
	// keptBody is how many bytes of an answer's body are kept, keptHeaders how many of its headers.
	keptBody    = 1 << 10
	keptHeaders = 20
)

// target is the URL of a delivery, and the request for it.
type target struct {
	url     string
	hash    secret.Value // payment_response_hash_key
	secrets []Secret
	custom  map[string]secret.Value
	body    []byte
}

// errGone is the reason of a delivery that has nowhere to go any more.
type errGone struct{ reason string }

func (e errGone) Error() string { return e.reason }

// deliver sends a claimed delivery and books the result. The transaction of the result claims the endpoint's next delivery, which goes out at once: an
// endpoint that answers waits for no round.
func (s *Service) deliver(ctx context.Context, d *Delivery, p *pool) {
	for d != nil {
		d, p = s.deliverOne(ctx, d, p)
	}
}

// deliverOne sends one delivery, books its result and claims the endpoint's next delivery. It returns the claimed delivery with the pool that counts it.
// It returns nil if the endpoint has no delivery that is due, and if another endpoint waits for room.
func (s *Service) deliverOne(ctx context.Context, d *Delivery, p *pool) (next *Delivery, _ *pool) {
	lease := d.DueAt
	kind := AutomaticRetry
	if d.Tries == 0 {
		kind = InitialAttempt
	}
	a, gone := s.attempt(ctx, d, kind)
	now := s.Now()
	if ctx.Err() != nil && a.Status == 0 { // the switch stops: a later process repeats the delivery when its lease has ended
		s.end(d.EndpointID, p, true, 0, now)
		return nil, nil
	}
	recovered, noted := s.end(d.EndpointID, p, a.Failure == "" || gone, a.Took, now)
	var kept *pool // counts the next delivery before it is claimed
	if a.Failure == "" && ctx.Err() == nil {
		kept = s.keep(d.EndpointID, now)
	}
	err := s.Store.Update(context.WithoutCancel(ctx), func(tx Tx) error {
		next = nil
		n := *d
		n.settle(a, gone, tx.Now(), s.o.Retries, jitter())
		booked, err := tx.BookDelivery(&n, s.o.Node, lease)
		if err != nil {
			return err
		}
		if noted && a.Failure == "" {
			if err := tx.DeleteFailing(d.EndpointID); err != nil {
				return err
			}
		}
		if booked && !gone && recovered {
			if _, err := tx.RecallDeliveries(d.EndpointID, recallAtOnce); err != nil {
				return err
			}
		}
		if !gone { // the request was sent, even if a delivery by hand has ended this one meanwhile
			if err := tx.InsertDeliveryAttempt(a); err != nil {
				return err
			}
		}
		if kept == nil {
			return nil
		}
		list, err := tx.ClaimDeliveries(d.EndpointID, s.o.Node, tx.Now().Add(s.o.LeaseTime).Truncate(time.Millisecond), 1)
		if len(list) > 0 {
			next = list[0]
		}
		return err
	})
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelError, "the result of a webhook was not stored: it is sent again", slog.String("event_id", d.EventID), slog.Any("error", err))
		next = nil
	}
	if next != nil {
		return next, kept
	}
	s.mu.Lock()
	starved := s.starved
	if kept != nil {
		s.giveBack(s.lanes[d.EndpointID], kept)
	}
	s.mu.Unlock()
	if starved || recovered || d.Number > 1 || a.Failure == "" {
		s.Wake() // there may be room now, or the next event of the payment is due
	}
	return nil, nil
}

// settle moves the delivery on after an attempt.
func (d *Delivery) settle(a *Attempt, gone bool, now time.Time, retries []time.Duration, jitter float64) {
	d.Tries++
	d.Owner, d.DueAt = "", time.Time{}
	if d.FirstID == "" && !gone {
		d.FirstID = a.ID
	}
	switch {
	case a.Failure == "":
		d.State, d.EndedAt = Delivered, now
	case gone || now.Sub(d.CreatedAt) >= retryFor:
		d.State, d.EndedAt = GivenUp, now
	default:
		d.DueAt = now.Add(pause(retries, d.Tries, jitter)).Truncate(time.Millisecond)
	}
}

// attempt sends a delivery once. gone is true if there is nowhere to send it: nothing was sent, and no later attempt could.
func (s *Service) attempt(ctx context.Context, d *Delivery, kind AttemptKind) (a *Attempt, gone bool) {
	at := s.Now().UTC().Truncate(time.Millisecond)
	a = &Attempt{MerchantID: d.MerchantID, EventID: d.EventID, EndpointID: d.EndpointID, ID: ids.New("att_"), Kind: kind, At: at}
	t, err := s.target(ctx, d)
	var header http.Header
	if err == nil {
		header, err = t.headers(d.EventID, at)
	}
	if err != nil {
		var none errGone
		gone = errors.As(err, &none)
		a.Failure = "payswitch could not prepare the request"
		if gone {
			a.Failure = none.reason
		} else if ctx.Err() == nil {
			s.Log.LogAttrs(ctx, slog.LevelError, "a webhook could not be prepared", slog.String("event_id", d.EventID),
				slog.String("endpoint_id", d.EndpointID), slog.Any("error", err))
		}
		s.Metrics.WebhookSent("unprepared", 0)
		return a, gone
	}
	s.post(ctx, a, t, header)
	if err := s.sealAnswer(a); err != nil {
		s.Log.LogAttrs(ctx, slog.LevelError, "the answer to a webhook was not kept", slog.String("event_id", d.EventID), slog.Any("error", err))
	}
	return a, false
}

// post sends a request and notes the answer in the attempt.
func (s *Service) post(ctx context.Context, a *Attempt, t *target, header http.Header) {
	r := Reply{Status: http.StatusOK}
	if t.url != ListenURL {
		r = s.Sender.Post(ctx, t.url, header, t.body)
	}
	a.Took = s.Now().Sub(a.At)
	a.Status = r.Status
	class := r.Class
	switch {
	case r.Status >= 200 && r.Status < 300:
		class = "delivered"
	case r.Status != 0:
		class = "refused"
		a.Failure = refusal(r.Status)
	default:
		a.Failure = r.Failure
		if a.Failure == "" {
			a.Failure = "the endpoint gave no answer"
		}
	}
	s.Metrics.WebhookSent(class, a.Took)
	a.Answer = answerOf(r, a.Failure == "")
}

func refusal(status int) string {
	if status >= 300 && status < 400 {
		return "the endpoint redirects; payswitch follows no redirect: set the URL that it leads to"
	}
	return "the endpoint did not answer with a status from 200 to 299"
}

// target reads the event and the endpoint as they are now. The body is the one of the event's moment; the headers of a repeat are those of the first
// attempt.
func (s *Service) target(ctx context.Context, d *Delivery) (*target, error) {
	t := &target{}
	p, err := s.Dir.Profile(ctx, d.MerchantID, d.ProfileID)
	if errors.Is(err, fault.ErrNotFound) {
		return nil, errGone{"the profile was deleted"}
	}
	if err != nil {
		return nil, err
	}
	var ev *payment.Event
	var e *Endpoint
	var first *Attempt
	err = s.Store.View(ctx, func(r Reader) (err error) {
		if ev, err = r.Event(d.MerchantID, d.ObjectID, d.EventID); err != nil {
			return err
		}
		if first, err = firstAttempt(r, d); err != nil || d.EndpointID == p.ID {
			return err
		}
		e, err = r.Endpoint(d.MerchantID, d.EndpointID)
		if errors.Is(err, fault.ErrNotFound) {
			return errGone{"the endpoint was deleted"}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if ev.ProfileID != d.ProfileID || e != nil && e.ProfileID != d.ProfileID {
		return nil, errGone{"the delivery does not belong to this event and endpoint"} // another program wrote its row
	}
	var at time.Time
	if first != nil {
		at = first.At
	}
	if err := s.setTarget(t, p, e, at); err != nil {
		return nil, err
	}
	t.body, err = s.bodyOf(ev)
	return t, err
}

// firstAttempt reads the first attempt of a delivery. It returns nil before that attempt, and when the attempt was removed.
func firstAttempt(r Reader, d *Delivery) (*Attempt, error) {
	if d.FirstID == "" {
		return nil, nil
	}
	list, err := r.DeliveryAttempts(d.MerchantID, d.EventID)
	if i := slices.IndexFunc(list, func(a *Attempt) bool { return a.ID == d.FirstID }); i >= 0 && err == nil {
		return list[i], nil
	}
	return nil, err
}

// setTarget sets the URL of a target, the secrets that sign its requests, and the headers that the profile had at the first attempt. A zero time stands
// for the present. e is nil for the profile's webhook_url.
func (s *Service) setTarget(t *target, p *account.Profile, e *Endpoint, first time.Time) error {
	if t.hash, t.custom = p.ResponseHash, p.Settings.WebhookHeaders; !first.IsZero() {
		t.hash, t.custom = p.WebhookHeadersAt(first)
	}
	if e != nil {
		if err := s.open(e); err != nil {
			return err
		}
		t.url, t.secrets = e.URL, e.Secrets
		return nil
	}
	if t.url = p.Settings.WebhookURL; t.url == "" {
		return errGone{"the profile has no webhook_url any more"}
	}
	if !p.ResponseHash.IsZero() {
		t.secrets = []Secret{{Key: SecretOfHash(p.ResponseHash)}}
	}
	return nil
}

// bodyOf opens the body of an event.
func (s *Service) bodyOf(ev *payment.Event) ([]byte, error) {
	packed, err := s.Vault.Open(ev.Body, vault.EventAD(ev.MerchantID, ev.ID))
	if err != nil {
		return nil, fault.Internal(err, "open event")
	}
	return vault.Unpack(packed)
}

// answerOf shortens an answer and takes out what could be a card number. The headers of a success are of no use.
func answerOf(r Reply, ok bool) *Answer {
	a := &Answer{Body: card.MaskCards(shorten(r.Body))}
	if !ok {
		for _, h := range r.Headers {
			if name := strings.ToLower(h[0]); name != "set-cookie" && name != "authorization" && len(a.Headers) < keptHeaders {
				a.Headers = append(a.Headers, [2]string{name, card.MaskCards(shorten([]byte(h[1])))})
			}
		}
	}
	if a.Body == "" && len(a.Headers) == 0 {
		return nil
	}
	return a
}

// shorten returns the beginning of a text as valid UTF-8. A number that the cut goes through is left out: without its end it could not be
// recognized as that of a card.
func shorten(b []byte) string {
	if len(b) > keptBody {
		b = b[:keptBody]
		for len(b) > 0 && (b[len(b)-1] >= '0' && b[len(b)-1] <= '9' || strings.ContainsRune(" -./_", rune(b[len(b)-1]))) {
			b = b[:len(b)-1]
		}
	}
	if !utf8.Valid(b) {
		return strings.ToValidUTF8(string(b), "\ufffd")
	}
	return string(b)
}

func (s *Service) sealAnswer(a *Attempt) error {
	if a.Answer == nil {
		return nil
	}
	plain, err := json.Marshal(a.Answer)
	if err == nil {
		a.Sealed, err = s.Vault.Seal(plain, vault.DeliveryAD(a.MerchantID, a.EventID, a.ID))
	}
	return err
}

func (s *Service) openAnswer(a *Attempt) error {
	if a.Sealed == nil {
		return nil
	}
	plain, err := s.Vault.Open(a.Sealed, vault.DeliveryAD(a.MerchantID, a.EventID, a.ID))
	if err == nil {
		err = json.Unmarshal(plain, &a.Answer)
	}
	return err
}

// redacted returns the headers of a request as the API shows them: the merchant's own ones are masked, because they may hold a password.
func redacted(h http.Header) (out [][2]string) {
	for name, values := range h {
		for _, v := range values {
			if !ourHeaders[name] {
				v = "**"
			}
			out = append(out, [2]string{strings.ToLower(name), v})
		}
	}
	slices.SortFunc(out, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return out
}

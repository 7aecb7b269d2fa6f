package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/optional"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

// Types are the event types that payswitch sends.
var Types = []string{"payment_succeeded", "payment_failed", "payment_processing", "payment_cancelled", "payment_cancelled_post_capture", "payment_authorized",
	"payment_partially_authorized", "payment_captured", "payment_expired", "action_required", "refund_succeeded", "refund_failed",
	"dispute_opened", "dispute_expired", "dispute_accepted", "dispute_cancelled", "dispute_challenged", "dispute_won", "dispute_lost"}

// ClassOf returns the class of an event type.
func ClassOf(eventType string) string {
	switch {
	case strings.HasPrefix(eventType, "refund_"):
		return "refunds"
	case strings.HasPrefix(eventType, "dispute_"):
		return "disputes"
	}
	return "payments"
}

const (
	maxURL         = 2048
	maxDescription = 255
	// maxOverlap bounds how long an old secret signs together with the new one, maxSecrets how many sign.
	maxOverlap = 7 * 24 * time.Hour
	maxSecrets = 4
)

// EndpointInput is an endpoint as sent. nil means that the field was not sent.
type EndpointInput struct {
	URL         *string
	Description *string
	Types       *[]string
	Disabled    *bool
}

// CreateEndpoint adds an endpoint to a profile. The answer is the only one that shows its secret. Errors: HE_02 for the profile; IR_06 (422) for a
// URL that payswitch never posts to, an unknown event type, or more endpoints than the operator allows.
func (s *Service) CreateEndpoint(ctx context.Context, a account.Auth, profileID string, in EndpointInput) (*Endpoint, error) {
	if in.URL == nil {
		return nil, fault.Missing("url")
	}
	if err := s.mayUse(ctx, a, profileID); err != nil {
		return nil, err
	}
	e := &Endpoint{ID: ids.New("we_"), MerchantID: a.MerchantID, ProfileID: profileID, Secrets: []Secret{{Key: newSecret()}}}
	if err := s.apply(e, in); err != nil {
		return nil, err
	}
	if err := s.seal(e); err != nil {
		return nil, err
	}
	err := s.Store.Update(ctx, func(tx Tx) error {
		others, err := tx.Endpoints(a.MerchantID, profileID)
		if err != nil {
			return err
		}
		if len(others) >= s.o.MaxEndpoints {
			return fault.Unprocessable("url", fmt.Sprintf("The profile has %d webhook endpoints, and no more are allowed: delete one, or change one", len(others))).WithHint("Delete an endpoint, or change one.")
		}
		e.CreatedAt, e.ModifiedAt = tx.Now(), tx.Now()
		return tx.InsertEndpoint(e)
	})
	return e, fault.FromStore(err, "create webhook endpoint")
}

// UpdateEndpoint changes the fields that were sent. Errors: those of CreateEndpoint, HE_02 for the endpoint.
func (s *Service) UpdateEndpoint(ctx context.Context, a account.Auth, profileID, id string, in EndpointInput) (*Endpoint, error) {
	return s.changeEndpoint(ctx, a, profileID, id, func(e *Endpoint, _ time.Time) error { return s.apply(e, in) })
}

// RotateSecret gives an endpoint a new secret, which the answer shows. The old one signs as well for overlap, so that the merchant's servers can
// change one after the other. Errors: HE_02; IR_06 (422) for an overlap beyond a week, and for more secrets than sign at a time: an old secret keeps the
// overlap that it was promised.
func (s *Service) RotateSecret(ctx context.Context, a account.Auth, profileID, id string, overlap time.Duration) (*Endpoint, error) {
	if overlap < 0 || overlap > maxOverlap {
		return nil, fault.Unprocessable("overlap_seconds", fmt.Sprintf("overlap_seconds should be between 0 and %d (7 days).", maxOverlap/time.Second)).WithHint("Send a whole number of seconds from 0 to 604800.")
	}
	return s.changeEndpoint(ctx, a, profileID, id, func(e *Endpoint, now time.Time) error {
		for i := range e.Secrets {
			if until := now.Add(overlap); e.Secrets[i].Until.IsZero() || e.Secrets[i].Until.After(until) {
				e.Secrets[i].Until = until
			}
		}
		e.Secrets = slices.DeleteFunc(e.Secrets, func(o Secret) bool { return !now.Before(o.Until) })
		if len(e.Secrets) >= maxSecrets {
			return fault.Unprocessable("overlap_seconds", fmt.Sprintf("%d secrets sign at this moment, and no more may: wait until one ends, or end them all with overlap_seconds 0", maxSecrets)).WithHint("Send overlap_seconds 0, or wait.")
		}
		e.Secrets = slices.Insert(e.Secrets, 0, Secret{Key: newSecret()})
		return s.seal(e)
	})
}

func (s *Service) changeEndpoint(ctx context.Context, a account.Auth, profileID, id string, change func(e *Endpoint, now time.Time) error) (e *Endpoint, err error) {
	if err := s.mayUse(ctx, a, profileID); err != nil {
		return nil, err
	}
	err = s.Store.Update(ctx, func(tx Tx) (err error) {
		if e, err = endpointOf(tx, a, profileID, id); err != nil {
			return err
		}
		if err = s.open(e); err != nil {
			return err
		}
		if err = change(e, tx.Now()); err != nil {
			return err
		}
		e.ModifiedAt = tx.Now()
		return tx.UpdateEndpoint(e)
	})
	if err != nil {
		return nil, fault.FromStore(err, "change webhook endpoint")
	}
	return e, nil
}

// DeleteEndpoint removes an endpoint. Deliveries to it that have not ended are given up. Errors: HE_02.
func (s *Service) DeleteEndpoint(ctx context.Context, a account.Auth, profileID, id string) error {
	if err := s.mayUse(ctx, a, profileID); err != nil {
		return err
	}
	err := s.Store.Update(ctx, func(tx Tx) error {
		if _, err := endpointOf(tx, a, profileID, id); err != nil {
			return err
		}
		return tx.DeleteEndpoint(a.MerchantID, id)
	})
	return fault.FromStore(err, "delete webhook endpoint")
}

// EndpointView is an endpoint with what is known of its deliveries.
type EndpointView struct {
	*Endpoint
	OldestUndelivered time.Time // zero if the endpoint has received all
	FailingSince      time.Time // zero if the endpoint answers, as far as this node and the others have noted
}

// Endpoint reads one endpoint; its secrets stay sealed. Errors: HE_02.
func (s *Service) Endpoint(ctx context.Context, a account.Auth, profileID, id string) (*EndpointView, error) {
	list, err := s.Endpoints(ctx, a, profileID)
	if err != nil {
		return nil, err
	}
	for _, v := range list {
		if v.ID == id {
			return v, nil
		}
	}
	return nil, fault.NotFound("Webhook endpoint")
}

// Endpoints lists a profile's endpoints by creation, after the one of its webhook_url. Errors: HE_02 for the profile.
func (s *Service) Endpoints(ctx context.Context, a account.Auth, profileID string) (out []*EndpointView, err error) {
	if err := s.mayUse(ctx, a, profileID); err != nil {
		return nil, err
	}
	p, err := s.Dir.Profile(ctx, a.MerchantID, profileID)
	if err != nil {
		return nil, err
	}
	if p.Settings.WebhookURL != "" {
		out = append(out, &EndpointView{Endpoint: &Endpoint{ID: p.ID, MerchantID: p.MerchantID, ProfileID: p.ID, URL: p.Settings.WebhookURL,
			Types: enabledTypes(p.Settings), Description: "webhook_details.webhook_url of the profile", CreatedAt: p.CreatedAt, ModifiedAt: p.ModifiedAt}})
	}
	err = s.Store.View(ctx, func(r Reader) error {
		own, err := r.Endpoints(a.MerchantID, profileID)
		if err != nil {
			return err
		}
		for _, e := range own {
			out = append(out, &EndpointView{Endpoint: e})
		}
		for _, v := range out {
			if v.OldestUndelivered, err = r.OldestOpen(v.ID); err != nil {
				return err
			}
		}
		noted, err := r.FailingEndpoints()
		for _, f := range noted {
			for _, v := range out {
				if v.ID == f.EndpointID {
					v.FailingSince = f.Since
				}
			}
		}
		return err
	})
	if err != nil {
		return nil, fault.FromStore(err, "list webhook endpoints")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range out {
		if l := s.lanes[v.ID]; l != nil && l.failing() && v.FailingSince.IsZero() {
			v.FailingSince = l.since
		}
	}
	return out, nil
}

// mayUse refuses a profile that the caller may not see.
func (s *Service) mayUse(ctx context.Context, a account.Auth, profileID string) error {
	if a.ProfileID != "" && a.ProfileID != profileID {
		return account.ProfileNotFound(profileID)
	}
	_, err := s.Dir.Profile(ctx, a.MerchantID, profileID)
	return err
}

func endpointOf(r Reader, a account.Auth, profileID, id string) (*Endpoint, error) {
	e, err := r.Endpoint(a.MerchantID, id)
	if err == nil && e.ProfileID != profileID {
		err = fault.ErrNotFound
	}
	return e, fault.IfMissing(err, fault.NotFound("Webhook endpoint"))
}

func (s *Service) apply(e *Endpoint, in EndpointInput) error {
	if in.URL != nil {
		if err := s.checkURL(*in.URL); err != nil {
			return err
		}
		e.URL = *in.URL
	}
	if in.Description != nil {
		if err := fault.CheckLength("description", *in.Description, maxDescription); err != nil {
			return err
		}
		e.Description = *in.Description
	}
	if in.Types != nil {
		for _, t := range *in.Types {
			if !slices.Contains(Types, t) {
				return fault.Unprocessable("event_types", fmt.Sprintf("event_types: %q is not an event type: choose from %s", t, strings.Join(Types, ", "))).WithHint("Send one of the values that the message lists.")
			}
		}
		e.Types = slices.Compact(slices.Sorted(slices.Values(*in.Types)))
	}
	optional.SetValue(&e.Disabled, in.Disabled)
	return nil
}

// ListenURL is the URL of an endpoint that somebody listens to through the event API (`payswitch listen`). payswitch posts nothing to it: it prepares
// and signs each request, counts it as taken, and shows it with the event's attempts.
const ListenURL = "payswitch:listen"

func (s *Service) checkURL(text string) error {
	if text == ListenURL {
		return nil
	}
	if err := fault.CheckLength("url", text, maxURL); err != nil {
		return err
	}
	if u, err := url.Parse(text); err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return fault.Unprocessable("url", "url should be a whole URL without user name, password and fragment, such as https://shop.example/webhooks").WithHint("Send an address such as https://shop.example/webhooks.")
	}
	if err := s.Sender.Allows(text); err != nil {
		return fault.Unprocessable("url", "url cannot be used: "+err.Error()).WithHint("Send an address that the switch may reach.")
	}
	return nil
}

// sealedSecret is the stored form of a Secret.
type sealedSecret struct {
	Key   string `json:"key"`
	Until int64  `json:"until,omitempty"` // milliseconds
}

func (s *Service) seal(e *Endpoint) (err error) {
	var list []sealedSecret
	for _, k := range e.Secrets {
		one := sealedSecret{Key: k.Key.Reveal()}
		if !k.Until.IsZero() {
			one.Until = k.Until.UnixMilli()
		}
		list = append(list, one)
	}
	plain, err := json.Marshal(list)
	if err == nil {
		e.Sealed, err = s.Vault.Seal(plain, vault.EndpointAD(e.MerchantID, e.ID))
	}
	if err != nil {
		return fault.Internal(err, "seal webhook endpoint")
	}
	return nil
}

// open opens the endpoint's secrets.
func (s *Service) open(e *Endpoint) error {
	plain, err := s.Vault.Open(e.Sealed, vault.EndpointAD(e.MerchantID, e.ID))
	var list []sealedSecret
	if err == nil {
		err = json.Unmarshal(plain, &list)
	}
	if err != nil {
		return fault.Internal(err, "open webhook endpoint")
	}
	e.Secrets = nil
	for _, k := range list {
		one := Secret{Key: secret.New(k.Key)}
		if k.Until != 0 {
			one.Until = time.UnixMilli(k.Until).UTC()
		}
		e.Secrets = append(e.Secrets, one)
	}
	return nil
}

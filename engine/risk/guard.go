package risk

import (
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"net/netip"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
)

// suspicious is the answer to a payment that the guard against card testing refuses.
const suspicious = "Blocked due to suspicious activity"

// errSuspicious is IR_16. The payment stays as it was.
func errSuspicious() *fault.Error { return fault.Refused(suspicious) }

// Suspicious reports whether an error is the guard's refusal.
func Suspicious(err error) bool {
	known, ok := err.(*fault.Error)
	return ok && known.Code == "IR_16" && known.Message == suspicious
}

// counters are the places at which failures of a payment count: hold has those that are checked too.
type counters struct {
	all  []string
	hold []change.Hold
}

// countersOf returns the counters of a payment with a typed card. A counter is a keyed hash, and shows neither card nor customer nor address.
func (s *Risk) countersOf(w *change.Loaded, number secret.Value, ip string) (out counters) {
	g, p := w.Profile.Settings.Guard, w.Payment
	if !g.Any() {
		return out
	}
	key := s.Vault.Hash("card testing guard/"+p.MerchantID+"/"+p.ProfileID, nil)
	m := hmac.New(sha512.New, key)
	add := func(kind, of string, threshold int, checked bool) {
		m.Reset()
		m.Write([]byte(kind + "\x00" + of))
		counter := kind + "_" + hex.EncodeToString(m.Sum(nil)[:32])
		out.all = append(out.all, counter)
		if checked {
			out.hold = append(out.hold, change.Hold{Counter: counter, Threshold: threshold})
		}
	}
	guest := p.CustomerID == ""
	n, from := canonical(number), network(ip)
	if g.CardIP.On && from != "" {
		add("card_ip", n+"\x00"+from, g.CardIP.Threshold, true)
	}
	if g.GuestCard.On {
		add("card", n, g.GuestCard.Threshold, guest)
	}
	if g.Customer.On && !guest {
		add("customer", p.CustomerID, g.Customer.Threshold, true)
	}
	if g.GuestIP.On && guest && from != "" {
		add("ip", from, g.GuestIP.Threshold, true)
	}
	return out
}

// network returns the address that counts: an IPv4 address, or the first 64 bits of an IPv6 address, because its owner can change the others at will. It
// is "" for a text that is no address.
func network(ip string) string {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return ""
	}
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a.String()
	}
	p, err := a.Prefix(64)
	if err != nil {
		return ""
	}
	return p.String()
}

// ipOf returns the payer's address: of browser_info, else of the caller.
func ipOf(in *request.Input) string {
	if in.Browser != nil && in.Browser.IP != "" {
		return in.Browser.IP
	}
	return in.CallerIP
}

// full reports whether a counter has reached its threshold.
func (s *Risk) full(ctx context.Context, merchantID string, c counters) (bool, error) {
	if len(c.hold) == 0 {
		return false, nil
	}
	var names [4]string
	for i, h := range c.hold {
		names[i] = h.Counter
	}
	var failures map[string]int
	err := s.Store.View(ctx, func(r Reader) (err error) { failures, err = r.GuardFailures(merchantID, names); return err })
	if err != nil {
		return false, fault.FromStore(err, "read failure counts")
	}
	for _, h := range c.hold {
		if failures[h.Counter] >= h.Threshold {
			return true, nil
		}
	}
	return false, nil
}

// Guard refuses a payment with a typed card after too many failures (IR_16), and prepares the counts of this one. The payment does not change.
func (s *Risk) Guard(ctx context.Context, w *change.Confirming, in *request.Input, number secret.Value) error {
	w.Attempt.Details.Guard, w.Holds = nil, nil
	if !w.Profile.Settings.Guard.Any() || in.Card == nil || w.Instrument != nil {
		return nil
	}
	c := s.countersOf(w.Loaded, number, ipOf(in))
	if len(c.all) == 0 {
		return nil
	}
	full, err := s.full(ctx, w.Payment.MerchantID, c)
	if err != nil {
		return err
	}
	if full {
		s.Metrics.RiskRefused("testing")
		return errSuspicious()
	}
	w.Holds = c.hold
	w.Attempt.Details.Guard = &payment.AttemptGuard{Counters: c.all, Seconds: int64(w.Profile.Settings.Guard.Expiry / time.Second)}
	return nil
}

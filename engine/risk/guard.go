package risk

import (
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"net/netip"
	"slices"
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
func errSuspicious() *fault.Error {
	return fault.Refused(suspicious).WithParam("payment_id").WithHint("Create a new payment later, from another device or card.")
}

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

// reached reports whether a counter has reached its threshold. failures are those of the counters.
func (c counters) reached(failures map[string]int) bool {
	return slices.ContainsFunc(c.hold, func(h change.Hold) bool { return failures[h.Counter] >= h.Threshold })
}

// failures reads the failures of the counters that are checked.
func (c counters) failures(r Reader, merchantID string) (map[string]int, error) {
	if len(c.hold) == 0 {
		return nil, nil
	}
	var names [4]string
	for i, h := range c.hold {
		names[i] = h.Counter
	}
	return r.GuardFailures(merchantID, names)
}

// reached reads the failures of the counters, and refuses a payment at a counter that has reached its threshold (IR_16).
func (s *Risk) reached(ctx context.Context, merchantID string, c counters) error {
	var failures map[string]int
	err := s.Store.View(ctx, func(r Reader) (err error) { failures, err = c.failures(r, merchantID); return err })
	if err != nil {
		return fault.FromStore(err, "read failure counts")
	}
	if c.reached(failures) {
		s.Metrics.RiskRefused("testing")
		return errSuspicious()
	}
	return nil
}

// CheckFailures reads the failures of a payment's counters, for a payment that begins no operation now that would take places at them. CheckTesting has counted on the
// transaction of that operation. Errors: IR_16.
func (s *Risk) CheckFailures(ctx context.Context, w *change.Confirming) error {
	if len(w.Holds) == 0 {
		return nil
	}
	return s.reached(ctx, w.Payment.MerchantID, counters{hold: w.Holds})
}

// CheckTesting refuses a payment with a typed card after too many failures (IR_16), and prepares the counts of this one. The payment does not change. It reads
// counts only where this node knows of failures: the transaction that takes the places finds those of other nodes. The result is for FailBlocked: what the block
// list has about the card, nil where nothing was looked up.
func (s *Risk) CheckTesting(ctx context.Context, w *change.Confirming, in *request.Input, number secret.Value) (*Lookup, error) {
	w.Attempt.Details.Guard, w.Holds = nil, nil
	if !w.Profile.Settings.Guard.Any() || in.Card == nil || w.Instrument != nil {
		return nil, nil
	}
	c := s.countersOf(w.Loaded, number, ipOf(in))
	if len(c.all) == 0 {
		return nil, nil
	}
	merchantID := w.Payment.MerchantID
	l, err := s.newLookup(ctx, merchantID, w.Profile, number)
	if err != nil {
		return nil, err
	}
	w.Holds = c.hold
	if s.Changes.MayHaveFailed(c.hold) {
		if err := s.reached(ctx, merchantID, c); err != nil {
			return nil, err
		}
	}
	if l.reads() {
		if err := s.Store.View(ctx, l.read); err != nil {
			return nil, fault.FromStore(err, "look up the block list")
		}
	}
	w.Attempt.Details.Guard = &payment.AttemptGuard{Counters: c.all, Seconds: int64(w.Profile.Settings.Guard.Expiry / time.Second)}
	return l, nil
}

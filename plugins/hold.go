package plugins

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// madeUp stands for a secret that a replay does not have. Its text is valid base64, base64url, hexadecimal and header text.
var madeUp = secret.New(strings.Repeat("0", 64))

// holdTo prepares the checks of a replayed operation's requests against the replayed build: its placements, hosts and
// authentication. The recording's seed gives the same stand-ins again, for made-up secrets.
//
// A recording lacks some facts; holdTo assumes what the build needs. The account has a client certificate. Its access token is its
// own. The operator set a base URL that differs from the build's, and approved the hosts of recorded requests.
func (o *operation) holdTo(rec *port.Recording) (err error) {
	account, m := &rec.Step.Account, o.adapter.manifest
	s := newStandIns(rec.Seed)
	if s.derivePrefix != rec.Step.DerivePrefix {
		return fmt.Errorf("the recording of %s is damaged: its seed does not match its stand-ins", rec.Step.OperationID)
	}
	s.madeUp, s.step = true, rec.Step
	o.secrets, o.places = s, o.adapter.places
	held := func(label, name, standIn string, value secret.Value, card bool) bool {
		return standIn != "" && s.mint(label) == standIn && s.add(label, name, value, card) != ""
	}
	if i := rec.Step.Request.Instrument; i != nil && i.Card != nil {
		number := secret.New(strings.Repeat("0", max(i.Card.Length, 1)))
		held("card_number", secretNumber, i.Card.Number, number, true)
		held("cvc", secretCVC, i.Card.CVC, secret.New("000"), true)
	}
	if t := rec.Step.Request.ThreeDS; t != nil {
		held("cavv", secretCAVV, t.CAVV, madeUp, true)
	}
	for _, name := range slices.Sorted(maps.Keys(account.Credentials)) {
		label := "credential:" + name
		if name == secretToken {
			label = "token"
		}
		if v := account.Credentials[name]; !held(label, name, v, madeUp, false) && v != "" && !isEnum(m.Credentials, name) {
			s.plain = append(s.plain, v)
		}
	}
	d := port.DriveAccount{ID: account.ID, Environment: account.Environment, BaseURL: account.BaseURL, Config: map[string]string{}}
	config := withDefaults(account.Config, m)
	for i := range m.Config {
		f := &m.Config[i]
		if v := config[f.Name]; v != "" {
			d.Config[key(f)] = v
			if v != f.Default && f.Type != sdk.FieldEnum { // a recording does not say whether the merchant set it
				s.plain = append(s.plain, v)
			}
		}
	}
	if base, err := expand(m.Environments[d.Environment].BaseURL, &d, m); err == nil && strings.TrimRight(base, "/") == d.BaseURL {
		d.BaseURL = ""
	}
	if o.reach, err = newReach(&d, m); err != nil {
		return err
	}
	for i := range min(len(rec.Steps), len(rec.Step.Exchanges)-rec.Resumed) { // these requests left
		if r, err := sdk.DecodeResult(rec.Steps[i].Result); err == nil && r.Send != nil {
			if u, err := url.Parse(r.Send.URL); err == nil {
				o.reach.hosts[hostKey(u)] = true
			}
		}
	}
	if slices.ContainsFunc(m.Credentials, func(f sdk.Field) bool { return f.Type == sdk.FieldClientCertificate }) {
		o.reach.certificate = new(tls.Certificate)
	}
	if w := rec.Step.Request.Webhook; w != nil && m.Webhook != nil {
		o.holdCaptured(m.Webhook.Capture, w.Body, func(*sdk.Capture) bool { return false })
	}
	return nil
}

func isEnum(fields []sdk.Field, name string) bool {
	return slices.ContainsFunc(fields, func(f sdk.Field) bool { return f.Name == name && f.Type == sdk.FieldEnum })
}

// holdCaptured adds the captured values of a recorded message. The recording already holds their stand-ins.
func (o *operation) holdCaptured(all []sdk.Capture, body []byte, own func(*sdk.Capture) bool) {
	before := len(o.secrets.secrets)
	o.conceal(all, body, own)
	for i := before; i < len(o.secrets.secrets); i++ {
		if x := &o.secrets.secrets[i]; strings.HasPrefix(x.value.Reveal(), o.secrets.capturePrefix) {
			x.standIn, x.value = x.value.Reveal(), madeUp
		}
	}
}

// refuses returns the host's objection to a result, or "" for none; it checks what can be checked without the secrets. x is the
// recorded exchange that answers the result, nil where none is left.
func (o *operation) refuses(r *sdk.Result, x *sdk.Exchange) string {
	var err error
	switch {
	case r == nil:
	case r.Send != nil:
		key, rule, text := o.mayFollow(r.Send, sdk.RequestHash(r.Send))
		if rule != "" {
			return text
		}
		var out *outgoing
		if out, err = fill(r.Send, o.secrets, o.places, o.in.Operation, o.reach, key); err == nil && x != nil {
			o.holdCaptured(r.Send.Capture, x.Body, func(c *sdk.Capture) bool { return out.filled.proven && declaresResponse(out.filled.places, c) })
		}
	case r.Verify != nil && o.verifies >= sdk.MaxVerifies:
		return fmt.Sprintf("the adapter asks for more than %d verifies", sdk.MaxVerifies)
	case r.Verify != nil && o.in.Operation == sdk.OpWebhook:
		_, err = verify(r.Verify, o.secrets, o.in.Request.Webhook.Body)
	case r.Verify != nil:
		_, err = verifyCAVV(r.Verify, o.secrets)
	case r.Reject != nil && o.left:
		return "the adapter rejected the operation after a request may have left"
	case r.Outcome != nil:
		err = checkOutcome(r.Outcome)
	}
	if v, ok := errors.AsType[*Violation](err); ok {
		v.Adapter = o.adapter.name
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

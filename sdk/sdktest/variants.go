package sdktest

import (
	"context"
	"errors"
	"maps"
	"slices"

	"payswitch/sdk"
)

// A Sample is a request for testing an adapter. Secrets are stand-ins.
type Sample struct {
	Name string // "authorize with a 3DS result"
	Step *sdk.Step
}

// Samples returns the requests for testing an adapter with this manifest: a plain request for each operation, and one for each feature of
// the operation that the manifest offers. o.Account and o.Request change them as in Check.
func Samples(m *sdk.Manifest, o Options) (all []Sample) {
	c := &checker{ctx: context.Background(), manifest: m, options: o}
	for _, op := range m.Operations {
		all = append(all, Sample{string(op), c.sample(op)})
		for _, v := range c.variants(op) {
			s := c.sample(op)
			if v.change(s) {
				all = append(all, Sample{string(op) + " " + v.name, s})
			}
		}
	}
	return all
}

// A variant changes a plain request. change reports whether the request had something to change.
type variant struct {
	name   string
	change func(s *sdk.Step) bool
}

func (c *checker) variants(op sdk.Operation) (all []variant) {
	add := func(offered bool, name string, change func(s *sdk.Step) bool) {
		if offered {
			all = append(all, variant{name, change})
		}
	}
	always := func(change func(r *sdk.Request)) func(s *sdk.Step) bool {
		return func(s *sdk.Step) bool { change(&s.Request); return true }
	}
	f := c.manifest.Features
	switch op {
	case sdk.OpAuthorize, sdk.OpVerify, sdk.OpComplete:
		add(true, "with automatic capture", always(func(r *sdk.Request) { r.Capture = sdk.CaptureAutomatic }))
		add(true, "without a CVC", withCard(func(card *sdk.Card) { card.CVC = "" }))
		add(true, "without addresses", always(func(r *sdk.Request) { r.Billing, r.Shipping, r.Customer = nil, nil, nil }))
		add(f.Processor3DS, "with the processor's 3-D Secure", always(func(r *sdk.Request) { r.Request3DS = true }))
		add(f.External3DS, "with a 3DS result", always(func(r *sdk.Request) { r.ThreeDS = threeDSResult() }))
		add(f.StoredCredential, "that stores the card", always(func(r *sdk.Request) {
			r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
		}))
		add(f.StoredCredential && op == sdk.OpAuthorize, "with a stored card", always(func(r *sdk.Request) {
			r.Instrument, r.StoredCredential = &sdk.Instrument{StoredCredentialID: "stored_1"}, &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session", Category: "recurring"}
			r.ConnectorData = &sdk.ConnectorData{Version: 1, Customer: "customer_1"}
		}))
		add(f.NetworkMIT && op == sdk.OpAuthorize, "with a network transaction id", always(func(r *sdk.Request) {
			card := *r.Instrument
			card.NetworkTransactionID = "016153570198200"
			r.Instrument, r.StoredCredential = &card, &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session", Category: "recurring"}
		}))
		add(f.CardOnlyMIT && op == sdk.OpAuthorize, "with a card alone", always(func(r *sdk.Request) {
			card := *r.Instrument.Card
			card.CVC, card.ExpMonth, card.ExpYear = "", 0, 0
			r.Instrument, r.StoredCredential = &sdk.Instrument{Card: &card}, &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session"}
		}))
		add(len(f.Installments) > 0 && op == sdk.OpAuthorize, "with installments", always(func(r *sdk.Request) {
			r.Amount.Currency, r.Installments = f.Installments[0], 3
		}))
		if op == sdk.OpAuthorize {
			for _, e := range f.Exemptions {
				add(true, "with the exemption "+string(e), always(func(r *sdk.Request) { r.Exemption = e }))
			}
		}
	case sdk.OpCapture:
		add(f.PartialCapture, "of a part", always(func(r *sdk.Request) { r.Amount.Minor, r.FinalCapture = r.Amount.Minor/2, false }))
	case sdk.OpVoid:
		add(f.VoidCaptured, "of a capture", always(func(r *sdk.Request) { r.VoidCaptured, r.Payment.Captured = true, r.Payment.Authorized }))
	case sdk.OpRefund:
		add(f.PartialRefund, "of a part", always(func(r *sdk.Request) { r.Amount.Minor /= 2 }))
	case sdk.OpSubmitEvidence:
		add(true, "without a file", always(func(r *sdk.Request) { r.Dispute.Files = nil }))
	case sdk.OpDisputeSync:
		add(true, "of an answer", always(func(r *sdk.Request) { r.Resolves = sdk.OpAcceptDispute }))
	case sdk.OpSync:
		add(true, "by reference", always(func(r *sdk.Request) { r.TransactionID = "" }))
	case sdk.OpRefundSync:
		add(true, "by reference", always(func(r *sdk.Request) { r.RefundID = "" }))
	}
	for _, field := range c.manifest.Credentials {
		add(field.Optional, "without the credential "+field.Name, func(s *sdk.Step) bool { return without(&s.Account.Credentials, field.Name) })
	}
	for _, field := range c.manifest.Config {
		for _, value := range field.Values {
			add(value != s0(field), "with "+field.Name+" "+value, func(s *sdk.Step) bool { return with(&s.Account.Config, field.Name, value) })
		}
		add(field.Optional && len(field.Values) == 0, "without the config field "+field.Name, func(s *sdk.Step) bool { return without(&s.Account.Config, field.Name) })
	}
	return all
}

// s0 returns the value of an enum in a plain sample.
func s0(f sdk.Field) string {
	if f.Default == "" && len(f.Values) > 0 {
		return f.Values[0]
	}
	return f.Default
}

func threeDSResult() *sdk.ThreeDSResult {
	return &sdk.ThreeDSResult{CAVV: standIn("cavv"), ECI: "05", TransStatus: "Y", Version: "2.2.0", DSTransID: "c272b04f-6e7b-43a2-bb78-90f4fb94aa25",
		ServerTransID: "8a880dc0-d2d2-4067-bcb1-b08d1690b26e", ACSTransID: "d7c1ee99-9478-44a6-b1f2-391e29c6b340"}
}

func withCard(change func(card *sdk.Card)) func(s *sdk.Step) bool {
	return func(s *sdk.Step) bool {
		if s.Request.Instrument == nil || s.Request.Instrument.Card == nil {
			return false
		}
		instrument, card := *s.Request.Instrument, *s.Request.Instrument.Card
		change(&card)
		instrument.Card, s.Request.Instrument = &card, &instrument
		return true
	}
}

// without replaces a map by a copy without the name. It reports whether the map had the name.
func without(m *map[string]string, name string) bool {
	_, had := (*m)[name]
	*m = maps.Clone(*m)
	delete(*m, name)
	return had
}

// with replaces a map by a copy with the value. It returns true.
func with(m *map[string]string, name, value string) bool {
	*m = maps.Clone(*m)
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[name] = value
	return true
}

// checkVariants plays every sample and returns all steps. play checks the rules for every answer.
func (c *checker) checkVariants() (asked []turn) {
	for _, s := range Samples(c.manifest, c.options) {
		last := *s.Step
		turns, end := c.play(s.Step, c.happy(s.Step.Operation))
		asked = append(asked, turns...)
		if end == nil {
			continue
		}
		for _, t := range turns {
			last.Exchanges = append(slices.Clip(last.Exchanges), t.answer)
		}
		last.Now += int64(len(turns)) * 1500
		asked = append(asked, turn{step: &last, asked: end})
	}
	return asked
}

// errTrap is the error of a step without an answer.
var errTrap = errors.New("no answer")

// answered returns the message that answers a step, without the checks of step.
func (c *checker) answered(in *sdk.Step) ([]byte, error) {
	out, err := c.stepper.Step(c.ctx, sdk.EncodeStep(in))
	if err != nil {
		return nil, errors.Join(errTrap, err)
	}
	return slices.Clone(out), nil
}

package sdktest

import "payswitch/sdk"

// checkOffered makes payments with features that the manifest offers. Each feature must show in the requests: an adapter that takes the result of an
// authentication and does not pass it on leaves the merchant without the issuer's liability. The processor's own 3-D Secure need not show: some
// processors decide that themselves. As in checkExemptions, equality proves nothing about a payment without a result.
func (c *checker) checkOffered() {
	f := c.manifest.Features
	mit := &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session", Category: "recurring"}
	for _, x := range []struct {
		offered       bool
		name, without string
		plain, with   func(r *sdk.Request)
	}{
		{f.External3DS, "external_3ds", "the result in three_ds", func(*sdk.Request) {}, func(r *sdk.Request) { r.ThreeDS = threeDSResult() }},
		{f.NetworkMIT, "network_mit", "the network transaction id", func(r *sdk.Request) { r.StoredCredential = mit }, func(r *sdk.Request) {
			card := *r.Instrument
			card.NetworkTransactionID = "016153570198200"
			r.Instrument, r.StoredCredential = &card, mit
		}},
	} {
		if !x.offered {
			continue
		}
		plain, judged := c.sent(x.plain)
		if with, decided := c.sent(x.with); judged && decided && plain == with {
			c.breaks(RuleOffer, sdk.OpAuthorize, "the manifest offers features.%s, but the request is the same without %s", x.name, x.without)
		}
	}
}

// checkOffer makes payments and verifications that need features which the manifest does not offer. The adapter must reject them. A payment
// that silently lacks the feature would mislead the merchant.
func (c *checker) checkOffer() {
	f := c.manifest.Features
	for _, x := range []struct {
		offered bool
		what    string
		ask     func(r *sdk.Request)
	}{
		{f.Processor3DS, "request_3ds without processor_3ds", func(r *sdk.Request) { r.Request3DS = true }},
		{f.External3DS, "three_ds without external_3ds", func(r *sdk.Request) {
			r.ThreeDS = &sdk.ThreeDSResult{CAVV: "standinCavv", ECI: "05", TransStatus: "Y", Version: "2.2.0", DSTransID: "c272b04f-6e7b-43a2-bb78-90f4fb94aa25"}
		}},
		{f.NetworkMIT, "network_transaction_id without network_mit", func(r *sdk.Request) {
			card := *r.Instrument
			card.NetworkTransactionID = "016153570198200"
			r.Instrument, r.StoredCredential = &card, &sdk.StoredCredentialUse{Initiator: "mit", Category: "recurring"}
		}},
	} {
		for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpVerify} {
			in := c.sample(op)
			if x.offered || !c.declared(op) || in.Request.Instrument == nil || in.Request.Instrument.Card == nil {
				continue
			}
			x.ask(&in.Request)
			if turns, end := c.play(in, c.happy(op)); len(turns) > 0 || end != nil && end.Reject == nil {
				c.breaks(RuleOffer, op, "the adapter does not reject %s", x.what)
			}
		}
	}
}

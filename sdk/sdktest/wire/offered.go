package wire

import "payswitch/sdk"

// checkOffered sends each authorization of the cases again with a feature that the manifest offers. The feature must change a request of some case:
// an adapter that takes the result of an authentication and does not pass it on leaves the merchant without the issuer's liability.
func (r *runner) checkOffered() {
	use := &sdk.StoredCredentialUse{Initiator: sdk.InitiatorMerchant, Usage: sdk.UsageOffSession, Category: "recurring"}
	f := r.manifest.Features
	if f.External3DS {
		r.offered("external_3ds", "the result of an authentication in three_ds", func(*sdk.Request) {}, func(q *sdk.Request) {
			q.ThreeDS = &sdk.ThreeDSResult{CAVV: "AAABBEg0VhI0VniQEjRWAAAAAAA=", ECI: "05", TransStatus: "Y", Version: "2.2.0", DSTransID: "c272b04f-6e7b-43a2-bb78-90f4fb94aa25"}
		})
	}
	if f.NetworkMIT {
		r.offered("network_mit", "a network transaction id", func(q *sdk.Request) { q.StoredCredential = use }, func(q *sdk.Request) {
			card := *q.Instrument
			card.NetworkTransactionID = "016153570198200"
			q.Instrument, q.StoredCredential = &card, use
		})
	}
}

// offered reports a feature without which every case sends the same. A case that ends before it sends, or that has the feature already, proves nothing.
func (r *runner) offered(name, what string, plain, with func(*sdk.Request)) {
	r.at(sdk.OpAuthorize, "features."+name)
	r.run([]string{"offered/" + name}, "", func() []string {
		same := false
		for i := range r.requests.Cases {
			c := &r.requests.Cases[i]
			if r.operation(c) != sdk.OpAuthorize {
				continue
			}
			a, b := r.sentWith(c, plain), r.sentWith(c, with)
			if a != "" && b != "" && a != b {
				return nil
			}
			same = same || a != "" && a == b
		}
		if !same {
			return nil
		}
		return []string{"the manifest offers the feature, but no request of an authorize case changes with " + what + ": send what the processor documents, or do not offer the feature"}
	})
}

// sentWith changes the request of a case and returns the hash of what the adapter then sends. The hash is "" unless the case is a plain payment with a card.
func (r *runner) sentWith(c *Case, change func(*sdk.Request)) string {
	s, err := r.step(c)
	if err != nil || s.Request.Instrument == nil || s.Request.Instrument.Card == nil || s.Request.ThreeDS != nil || s.Request.Instrument.NetworkTransactionID != "" {
		return ""
	}
	change(&s.Request)
	send, err := r.send(c, s)
	if err != nil {
		return ""
	}
	return sdk.RequestHash(send)
}

package sdktest

import (
	"slices"

	"payswitch/sdk"
)

// checkExemptions authorizes with every exemption that the manifest declares. Each exemption must change the request, each in its own way.
// Without good answers (Options.Answer) a payment may end before the request that names the exemption: then equality proves nothing.
func (c *checker) checkExemptions() {
	said := map[string]sdk.Exemption{}
	plain, judged := c.sent(func(*sdk.Request) {})
	for _, e := range c.manifest.Features.Exemptions {
		hash, decided := c.sent(func(r *sdk.Request) { r.Exemption = e })
		switch {
		case !judged || !decided:
		case hash == plain:
			c.breaks(RuleExemption, sdk.OpAuthorize, "the manifest declares the exemption %s, but the request is the same without the exemption", e)
		case said[hash] != "":
			c.breaks(RuleExemption, sdk.OpAuthorize, "the exemptions %s and %s send the same request", said[hash], e)
		}
		said[hash] = e
	}
}

// sent returns the hash of all requests of an authorization after a change. decided means that the authorization sent something and ended with a result other than unknown.
func (c *checker) sent(change func(*sdk.Request)) (hash string, decided bool) {
	in := c.sample(sdk.OpAuthorize)
	change(&in.Request)
	turns, end := c.play(in, c.happy(sdk.OpAuthorize))
	for _, t := range turns {
		if t.asked.Send != nil {
			hash += sdk.RequestHash(t.asked.Send)
		}
	}
	return hash, hash != "" && end != nil && end.Outcome != nil && end.Outcome.Status != sdk.StatusUnknown
}

func (c *checker) checkExemptionNames(m *sdk.Manifest, wrong func(string, ...any)) {
	list := m.Features.Exemptions
	if len(list) > 0 && m.Kind != sdk.KindProcessor {
		wrong("features.exemptions: a %s makes no authorizations", m.Kind)
	}
	for i, e := range list {
		if !e.Valid() {
			wrong("features.exemptions: %q is not known", e)
		}
		if slices.Contains(list[:i], e) {
			wrong("features.exemptions: %q stands in the list twice", e)
		}
	}
}

package plugins

import (
	"payswitch/engine/port"
	"payswitch/plugins/scrub"
)

// newScrubber makes a Scrubber for an operation on a card, with the operation's credentials and cryptogram.
func newScrubber(card scrub.Card, names *scrub.Names, s *standIns) scrub.Scrubber {
	c := scrub.New(card, names, func(text string) bool { return s.found(text) != "" })
	for i := range s.secrets {
		switch x := &s.secrets[i]; x.name {
		case secretNumber, secretCVC:
		case secretCAVV:
			c.AddCryptogram(x.value)
		default:
			if x.value != notYet {
				c.AddKey(x.value)
			}
		}
	}
	return c
}

// addSent makes c mask the secrets of a request that was sent: signatures, ciphertexts and other derived values. It leaves out numbers and CVCs.
func addSent(c *scrub.Scrubber, all []put) {
	for i := range all {
		if all[i].secret == "" {
			c.Add(all[i].value)
		}
	}
}

// factsOf returns the facts of a drive's card: the instrument's, or the payment's. It returns the zero class without a card.
func factsOf(in *port.Drive) scrub.Card {
	if c := scrub.CardOf(in.Secrets.Number.Reveal()); c.Known() {
		return c
	}
	if i := in.Request.Instrument; i != nil && i.Card != nil {
		if c := scrub.NewCard(i.Card.BIN, i.Card.LastFour, int(i.Card.Length)); c.Known() {
			return c
		}
	}
	if in.Card == nil {
		return scrub.Card{}
	}
	return scrub.NewCard(in.Card.BIN, in.Card.LastFour, in.Card.Length)
}

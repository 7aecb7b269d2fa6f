// Package exempt chooses between an exemption from strong customer authentication and a challenge, and the route of the exemption. Choose is a pure
// function of the profile's Config and of what is known about the payer and the card. engine/threeds/flow calls it before an authentication, and
// the engine before an authorization.
//
// Sources: Commission Delegated Regulation (EU) 2018/389, articles 10 to 18; the message versions' indicators are engine/threeds's.
//
// Any higher room may import exempt. It must never read a store or a clock.
package exempt

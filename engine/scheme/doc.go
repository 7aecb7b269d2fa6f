// Package scheme has the rules of card schemes about trying a declined card again: which declines forbid it, how long it must wait, and how many
// declines a merchant may collect with one card. It is pure: reuse.go judges one decline, limits.go the declines of a card.
//
// Any higher room may import scheme. It imports sdk alone. It must never count: callers pass the declines of a card in.
package scheme

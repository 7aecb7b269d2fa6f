// Package scheme has the rules of card schemes about trying a declined card again: which declines forbid it, how long it must wait, and how many
// declines a merchant may collect with one card. It is pure: reuse.go judges one decline, limits.go the declines of a card.
//
// It imports sdk alone. Every room may import it.
package scheme

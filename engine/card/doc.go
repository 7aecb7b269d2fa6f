// Package card reads cards: numbers, expiries, networks and issuers, and card numbers that hide in other texts.
//
// A card has one shape at each station: Input as typed, Sealed wherever it is encrypted, Secrets and Facts while it is driven, and Facts
// where it is kept and shown.
//
// Any higher room may import card. It has no I/O, and it must never keep a number or a CVC.
package card

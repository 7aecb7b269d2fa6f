// Package vault keeps secrets: it seals data at rest, wraps the keys of cards, rotates keys and signs rows of the store.
//
// Keysets are Tink's, kept in the store and encrypted by a master key. Seal and Open bind a ciphertext to the row that it belongs to: associated.go
// lists these bindings. A card or CVC that is kept for a short time has a key of its own, which is destroyed with its row.
//
// Any higher room may import vault. It must never return a secret in an error or a log line.
package vault

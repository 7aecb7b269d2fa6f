// Package change is the only way to change a payment: load, decide, commit by compare-and-set, then effects.
//
// A decision function fills a Change: rows, intents of operations, the merchant's event, and effects. Changes.Commit makes the Change durable in
// one transaction and then runs its effects. Changes.Decide reads a payment, calls the decision function and commits. If another writer was
// faster, it reads and decides again. A crash between commit and effect loses nothing: every effect performs an intent that recovery finds.
//
// Any higher room may import change. It must never decide: the caller decides what changes.
package change

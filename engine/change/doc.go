// Package change is the one way in which a payment changes: load, decide, commit by compare-and-set, then effects.
//
// A decision function fills a Change: rows, intents of operations, the merchant's event, and effects that follow the commit. Changes.Commit makes it
// durable in one transaction. Changes.Decide reads a payment, calls the decision function, commits, and decides anew when another writer was
// faster. A crash between commit and effect loses nothing: every effect performs an intent that recovery finds.
//
// Rooms above drive may import change. It must never decide: what changes is the caller's decision.
package change

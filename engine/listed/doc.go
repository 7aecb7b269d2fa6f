// Package listed holds what stores return to lists and aggregates: places in lists, scanned payments, counts.
//
// Any higher room may import listed. It must never decide: the room search chooses what a list shows.
package listed

// Package listed holds what stores return to lists and aggregates: places in lists, scanned payments, counts.
//
// Rooms above payment may import listed. It decides nothing: the room search chooses what a list shows.
package listed

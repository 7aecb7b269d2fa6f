// Package link makes the URLs that payers' browsers open, and recognises them without reading anything.
//
// Any higher room may import link. It must never read a store: the time of a check does not show which ids exist.
package link

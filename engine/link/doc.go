// Package link makes the URLs that payers' browsers open, and recognises them without reading anything.
//
// Rooms above vault may import link.
package link

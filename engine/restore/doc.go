// Package restore prepares a database that was restored from a copy. The processors remember what the copy has forgotten.
//
// restore.go decides what is asked about, and refuses to charge payments whose charge may be lost. It sends nothing: background work asks, as about
// every open operation. strays.go keeps processors' messages about payments that the copy does not have. ports.go is the part of the store that
// both need.
//
// Of the rooms, engine and late import restore. It must never send a request to a processor.
package restore

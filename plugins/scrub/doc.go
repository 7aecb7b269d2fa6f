// Package scrub masks secrets in texts: what a processor answers, what an adapter writes, and what is logged or kept.
//
// A Scrubber searches a text as a reader with patience would: in the encodings around values (JSON and XML escapes, URLs, base64, hex, dumps), in any layout,
// with the digits of a number apart or backwards.
//
//	scrub.go    the Scrubber, and the search through a text and the texts inside it
//	fields.go   values that stand in a field with the name of a secret
//	digits.go   card numbers
//	keys.go     credentials, signatures and cryptograms
//	escapes.go  characters that are written otherwise
//	encoded.go  base64 and hex
//	dumps.go    lists of bytes, and codes in sentences
//	fold.go     names as the most lenient server reads them
//
// The package may import engine/card, engine/secret and sdk, and no other package of the project. It knows no stand-ins, no network and no adapter.
// It must never mask two cards differently that look the same to an adapter: the adapter could find out digits by what is masked.
package scrub

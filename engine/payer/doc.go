// Package payer holds what the payer's device may send: a confirm with the publishable key pays a payment, and changes nothing else about it.
//
// It is pure. It decides about the fields of a request, and about nothing that is stored.
package payer

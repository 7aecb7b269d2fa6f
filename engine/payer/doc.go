// Package payer holds what the payer's device may send: a confirm with the publishable key pays a payment, and changes nothing else about it.
//
// Of the rooms, engine alone imports payer. It is pure. It decides about the fields of a request, and must never decide about what is stored.
package payer

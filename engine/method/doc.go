// Package method keeps what customers save: their records, saved payment methods, mandates, and the keys of their devices.
//
// It decides which instrument a payment charges and what a payment saves. It writes only what belongs to customers and methods; what a payment
// changes is a SavedChange, which the commit of the payment applies.
//
// Rooms above account may import method. It must never write a payment.
package method

// Package method keeps the data that customers save: their records, saved payment methods, mandates, and the keys of their devices.
//
// It decides which instrument a payment charges and what a payment saves. It writes only rows of customers and methods. A payment's changes of
// those rows are a SavedChange, which the commit of the payment writes.
//
// Any higher room may import method. It must never write a payment.
package method

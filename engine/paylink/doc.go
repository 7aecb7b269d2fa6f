// Package paylink holds payment links and collect links: their records, the settings of their pages, and the rules of both.
//
// A payment link is a hosted page on which the payer pays one payment. A collect link is a hosted page on which a customer saves a card. Package
// paylink/visit has the use cases. This package does no I/O and knows no HTTP.
//
// Of the rooms, engine, change and paylink/visit import paylink. It must never write a payment.
package paylink

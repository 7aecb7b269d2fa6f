// Package dispute reads and answers disputes. A dispute comes from a processor's verified message: engine/inbound.go finds its payment, and
// change.BookDispute books it with the payment. Nothing here writes a payment but through change.Changes.
package dispute

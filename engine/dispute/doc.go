// Package dispute reads and answers disputes. A dispute comes from a processor's verified message: engine/inbound.go finds its payment, and
// change.BookDispute books it with the payment. The merchant's answers (accept, evidence) are operations at the dispute's adapter.
//
// Of the rooms, engine alone imports dispute. It must never write a payment except through change.Changes.
package dispute

// Package hold changes what a processor holds for a payment: between its authorization and its capture it raises the held
// amount, and extends the hold; between the capture and the settlement it voids the payment. It decides;
// change.Changes commits, and the engine performs the operation and books its result (payment/increment.go).
//
// Of the rooms, engine alone imports hold. It must never write a payment except through change.Changes.
package hold

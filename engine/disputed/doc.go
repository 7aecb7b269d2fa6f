// Package disputed holds the record of a dispute: its stages and statuses, the merchant's latest answer and the files for the next one. It is pure
// data of engine/payment's level: no store, no clock. What a dispute claims of its payment is a payment.Claim, in the payment's own row.
// engine/evidence books messages about disputes, and engine/dispute holds the use cases.
//
// Any higher room may import disputed. It must never decide.
package disputed

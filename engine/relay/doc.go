// Package relay performs single operations on a processor's own references: a refund, a capture, a raise or a void of a transaction that may not be a
// payment of this switch. It also gives money to a card without a payment. No payment and no refund changes by a relay.
// What relays have given back of an own payment counts in the limit of its refunds.
// If the transaction is a payment of this switch, the end of a relay makes the engine ask the processor about that payment.
//
// relay.go has the record and what a request must look like. perform.go sends an operation and asks about it. lookup.go reads reports on its transaction.
// again.go sends it again when the merchant repeats the request. event.go books processors' messages.
//
// Of the rooms, engine and late import relay. It must never send an operation twice without the processor's same key. It must never call an operation made
// or failed without the word of the processor or of an operator: until then the relay stays pending.
package relay

// Package late books what processors say of an attempt that waits for no operation: in a message, in the answer to a query, or in an answer that came
// after the operation's end. The evidence moves the payment, or payswitch voids the money that it shows. The room keeps what contradicts the books, and
// raises an alarm.
//
// report.go has the entries for messages and late answers. query.go asks the processor now, and recheck.go asks on the schedule of ended operations.
// money.go acts on money that an ended attempt holds. reference.go keeps references to saved cards.
//
// Of the rooms, engine alone imports late. It must never send anything but queries, and the void of money that no merchant expects.
package late

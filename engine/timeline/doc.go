// Package timeline shows people what happened to a payment: its attempts, the operations of each, what was sent and answered, and the events that followed.
// What it returns holds stand-ins in the place of secrets, as adapters see them.
//
//	timeline.go  Timeline: everything about one payment, with bounds
//	exchange.go  requests and answers as people read them
//	find.go      the payment that an id of any kind belongs to
//	allowed.go   what may be done with a payment now
//
// Of the rooms, engine alone imports timeline. It must never write, and never show a secret.
package timeline

// Package operator shows operations to the people who decide about unknown outcomes, and keeps a decision that waits for a second person.
//
// Of the rooms, engine, refund and relay import operator. It must never book a decision: the engine does, through package change.
package operator

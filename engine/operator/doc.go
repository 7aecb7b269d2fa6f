// Package operator shows operations to the people who decide about unknown outcomes, and keeps a decision that waits for a second person. The engine's
// use cases and the command line import it. It books nothing: a decision is booked by the engine, through package change.
package operator

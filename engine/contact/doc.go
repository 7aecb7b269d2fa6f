// Package contact describes people: customers as a request names them, postal addresses, telephone numbers.
//
// Any room may import contact. It imports nothing of the engine, and decides nothing.
package contact

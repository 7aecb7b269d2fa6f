// Package contact describes people: customers as a request names them, postal addresses, telephone numbers, browsers.
//
// Any higher room may import contact. It imports nothing of the engine, and it must never decide.
package contact
